package dev.plumbline.http.web.account;

import dev.plumbline.bus.JobMessage;
import dev.plumbline.http.web.WebRoutes;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * What an account has had checked in the last 30 days.
 *
 * @param days every one, the earliest first
 * @param lastHour jobs
 * @param hourly jobs that the account may create in an hour; 0 for no limit
 * @param hourlyOfKey jobs that one of its keys may create in an hour; 0 for no limit
 * @param whole whether all jobs were counted; only the latest if not
 */
public record UsageView(
        List<Day> days, int jobs, String lines, int lastHour, int hourly, int hourlyOfKey, boolean whole) {
    private static final int DAYS = 30;
    private static final int HEIGHT = 60;
    private static final DateTimeFormatter SHOWN = DateTimeFormatter.ofPattern("d MMM", Locale.ENGLISH);

    /**
     * A day, by UTC.
     *
     * @param x of its bar
     * @param height of its bar, of {@value #HEIGHT}
     */
    public record Day(String name, int jobs, String lines, int x, double height) {

        public double y() {
            return HEIGHT - height;
        }

        public String words() {
            return name + ": " + lines + " lines in " + jobs + (jobs == 1 ? " job" : " jobs");
        }
    }

    static UsageView of(JobMessage.Usage told, WebRoutes.Limits limits, Instant now) {
        Map<LocalDate, JobMessage.UsageDay> byDate = new HashMap<>();
        told.days().forEach(day -> byDate.put(LocalDate.ofInstant(day.begin(), ZoneOffset.UTC), day));
        LocalDate today = LocalDate.ofInstant(now, ZoneOffset.UTC);
        long most =
                told.days().stream().mapToLong(JobMessage.UsageDay::lines).max().orElse(1);
        List<Day> days = new ArrayList<>();
        int jobs = 0;
        long lines = 0;
        for (int i = 0; i < DAYS; i++) {
            LocalDate date = today.minusDays(DAYS - 1L - i);
            JobMessage.UsageDay day = byDate.get(date);
            int ofDay = day == null ? 0 : day.jobs();
            long linesOfDay = day == null ? 0 : day.lines();
            jobs += ofDay;
            lines += linesOfDay;
            double height = linesOfDay == 0 ? 0 : Math.max(1.5, HEIGHT * (double) linesOfDay / most);
            days.add(new Day(SHOWN.format(date), ofDay, grouped(linesOfDay), i * 10, Math.round(height * 100) / 100.0));
        }
        return new UsageView(
                days,
                jobs,
                grouped(lines),
                told.lastHour(),
                limits.jobsOfAccount(),
                limits.jobsOfKey(),
                told.complete());
    }

    private static String grouped(long number) {
        return String.format(Locale.ROOT, "%,d", number);
    }

    /** The days on which something was checked, the latest first. */
    public List<Day> busy() {
        List<Day> busy =
                new ArrayList<>(days.stream().filter(day -> day.jobs() > 0).toList());
        java.util.Collections.reverse(busy);
        return busy;
    }
}
