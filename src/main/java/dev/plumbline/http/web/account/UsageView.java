package dev.plumbline.http.web.account;

import dev.plumbline.bus.JobMessage;
import dev.plumbline.http.web.layout.DisplayedLimits;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * The usage of an account in the last 30 days.
 *
 * @param days all days, the earliest first
 * @param jobsLastHour the jobs created in the last 60 minutes
 * @param accountLimit the maximum number of jobs of the account in 60 minutes; 0 for no limit
 * @param keyLimit the maximum number of jobs of one key in 60 minutes; 0 for no limit
 * @param complete false if only the latest jobs were counted
 */
public record UsageView(
        List<Day> days, int jobs, String lines, int jobsLastHour, int accountLimit, int keyLimit, boolean complete) {
    private static final int DAYS = 30;
    private static final int CHART_HEIGHT = 60;
    private static final DateTimeFormatter DAY_FORMAT = DateTimeFormatter.ofPattern("d MMM", Locale.ENGLISH);

    /**
     * A day in UTC with its bar in the chart.
     *
     * @param x the position of the bar
     * @param height at most {@value #CHART_HEIGHT}
     */
    public record Day(String name, int jobs, String lines, int x, double height) {

        public double y() {
            return CHART_HEIGHT - height;
        }

        public String tooltip() {
            return name + ": " + lines + " lines in " + jobs + (jobs == 1 ? " job" : " jobs");
        }
    }

    static UsageView of(JobMessage.Usage usage, DisplayedLimits limits, Instant now) {
        Map<LocalDate, JobMessage.UsageDay> byDate = new HashMap<>();
        usage.days().forEach(day -> byDate.put(LocalDate.ofInstant(day.begin(), ZoneOffset.UTC), day));
        LocalDate today = LocalDate.ofInstant(now, ZoneOffset.UTC);
        long max = usage.days().stream()
                .mapToLong(JobMessage.UsageDay::lines)
                .max()
                .orElse(1);
        List<Day> days = new ArrayList<>();
        int jobs = 0;
        long lines = 0;
        for (int i = 0; i < DAYS; i++) {
            LocalDate date = today.minusDays(DAYS - 1L - i);
            JobMessage.UsageDay day = byDate.get(date);
            int jobsOfDay = day == null ? 0 : day.jobs();
            long linesOfDay = day == null ? 0 : day.lines();
            jobs += jobsOfDay;
            lines += linesOfDay;
            double height = linesOfDay == 0 ? 0 : Math.max(1.5, CHART_HEIGHT * (double) linesOfDay / max);
            days.add(new Day(
                    DAY_FORMAT.format(date), jobsOfDay, grouped(linesOfDay), i * 10, Math.round(height * 100) / 100.0));
        }
        return new UsageView(
                days,
                jobs,
                grouped(lines),
                usage.lastHour(),
                limits.jobsOfAccount(),
                limits.jobsOfKey(),
                usage.complete());
    }

    private static String grouped(long number) {
        return String.format(Locale.ROOT, "%,d", number);
    }

    /** The days with jobs, the latest first. */
    public List<Day> activeDays() {
        List<Day> active =
                new ArrayList<>(days.stream().filter(day -> day.jobs() > 0).toList());
        Collections.reverse(active);
        return active;
    }
}
