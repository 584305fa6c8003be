package dev.plumbline.http.web.job;

import com.google.common.base.CaseFormat;
import dev.plumbline.bus.JobMessage;
import dev.plumbline.bus.JobState;
import dev.plumbline.check.ModuleCatalogue;
import dev.plumbline.check.ModuleDefinition;
import dev.plumbline.http.web.layout.DisplayFormat;
import dev.plumbline.http.web.layout.DisplayValue;
import dev.plumbline.result.ResultJson;
import dev.plumbline.result.Verdict;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * A job without its lines.
 *
 * @param tool the title of the module
 * @param path of its page
 * @param throughput the rate and the remaining time; null if the job is not running
 */
public record JobSummary(JobMessage.JobSnapshot job, String tool, String path, @Nullable String throughput) {

    static JobSummary of(JobMessage.JobSnapshot job, ModuleCatalogue modules, Instant now) {
        ModuleDefinition<?> module = modules.find(job.module());
        return new JobSummary(
                job,
                module == null ? job.module() : module.description().title(),
                JobPage.path(job.token()),
                throughput(job, now));
    }

    /** The same job with the verdicts of its rows, which can differ from the stored ones. */
    JobSummary withVerdicts(List<ResultRow> rows) {
        int[] counts = new int[Verdict.values().length];
        for (ResultRow row : rows) {
            Verdict verdict = row.line().verdict();
            if (verdict != null) {
                counts[verdict.ordinal()]++;
            }
        }
        return new JobSummary(
                job.withVerdicts(
                        counts[Verdict.PASS.ordinal()],
                        counts[Verdict.WARN.ordinal()],
                        counts[Verdict.FAIL.ordinal()],
                        counts[Verdict.ERROR.ordinal()]),
                tool,
                path,
                throughput);
    }

    private static @Nullable String throughput(JobMessage.JobSnapshot job, Instant now) {
        Instant started = job.startedAt();
        if (started == null || job.state().isFinal() || job.done() == 0) {
            return null;
        }
        double seconds = Math.max(0.5, Duration.between(started, now).toMillis() / 1000.0);
        double rate = job.done() / seconds;
        String text = rate >= 1
                ? String.format(Locale.ROOT, rate < 10 ? "%.1f lines per second" : "%.0f lines per second", rate)
                : String.format(Locale.ROOT, "%.1f lines per minute", rate * 60);
        int open = job.pending() + job.running();
        double estimate = Math.max(open / rate, job.minRemainingSeconds());
        return open == 0 ? text : text + ", about " + remaining(Math.ceil(estimate)) + " remaining";
    }

    private static String remaining(double seconds) {
        if (seconds < 90) {
            return Math.max(1, Math.round(seconds)) + (seconds < 1.5 ? " second" : " seconds");
        }
        long minutes = Math.round(seconds / 60);
        return minutes < 90 ? minutes + " minutes" : Math.round(minutes / 60.0) + " hours";
    }

    /** The tool and the number of lines. */
    public String content() {
        return tool + ", " + (job.total() == 1 ? "1 line" : job.total() + " lines");
    }

    /**
     * The path of the page of a line.
     *
     * @param index from 0
     */
    public String linePath(int index) {
        return path + JobLinePage.LINES + index;
    }

    public String state() {
        return CaseFormat.UPPER_UNDERSCORE.to(
                CaseFormat.UPPER_CAMEL, job.state().name());
    }

    /** The verdict whose color the state has; empty for the default. */
    public String tone() {
        return switch (job.state()) {
            case COMPLETED -> "pass";
            case CANCELLED, CANCELLING -> "warn";
            case FAILED -> "fail";
            default -> "";
        };
    }

    public boolean finished() {
        return job.state().isFinal();
    }

    public DisplayValue.Timestamp created() {
        return DisplayFormat.timestamp(ResultJson.time(job.createdAt()));
    }

    /** When the results are deleted; null until the job has finished. */
    public DisplayValue.@Nullable Timestamp expires() {
        Instant at = job.expiresAt();
        return at == null ? null : DisplayFormat.timestamp(ResultJson.time(at));
    }

    /** The share of the lines in percent. */
    public double percent(int lines) {
        return 100.0 * lines / Math.max(1, job.total());
    }

    /** The number of lines by verdict or state. */
    public String counts() {
        List<String> parts = new ArrayList<>();
        add(parts, job.pass(), "pass");
        add(parts, job.warn(), job.warn() == 1 ? "warning" : "warnings");
        add(parts, job.fail(), "fail");
        add(parts, job.error(), job.error() == 1 ? "error" : "errors");
        add(parts, job.cancelled(), "cancelled");
        add(parts, job.pending() + job.running(), "pending");
        return String.join(", ", parts);
    }

    private static void add(List<String> parts, int count, String label) {
        if (count > 0) {
            parts.add(count + " " + label);
        }
    }

    /** The percentage of lines that are done or cancelled, rounded down. */
    public int progress() {
        return (int) (100L * (job.done() + job.cancelled()) / Math.max(1, job.total()));
    }

    /** The lines that wait for limits of targets, one sentence for each limit. */
    public List<String> waiting() {
        return job.waiting().stream()
                .map(lines -> "%s because of the limit of %s to %s."
                        .formatted(
                                lines.lines() == 1 ? "1 line waits" : lines.lines() + " lines wait",
                                lines.limit(),
                                lines.targetAddress()))
                .toList();
    }

    /** Changes whenever the page of the job changes. */
    public String revision() {
        return job.version() + "." + Integer.toHexString(waiting().hashCode());
    }

    public boolean cancellable() {
        return job.state() == JobState.QUEUED || job.state() == JobState.RUNNING;
    }
}
