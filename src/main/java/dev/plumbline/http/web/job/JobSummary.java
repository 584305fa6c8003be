package dev.plumbline.http.web.job;

import dev.plumbline.bus.JobMessage;
import dev.plumbline.check.ModuleCatalogue;
import dev.plumbline.check.ModuleDefinition;
import dev.plumbline.check.ResultJson;
import dev.plumbline.http.web.layout.ValueFormat;
import dev.plumbline.http.web.report.DisplayValue;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * A job without its lines, as pages show it.
 *
 * @param tool what its module is called
 * @param path of its page
 * @param pace how fast it runs and how long it still takes, in words; null when it does not run
 */
public record JobSummary(JobMessage.JobSnapshot job, String tool, String path, @Nullable String pace) {

    static JobSummary of(JobMessage.JobSnapshot job, ModuleCatalogue modules, Instant now) {
        ModuleDefinition<?> module = modules.find(job.module());
        return new JobSummary(
                job,
                module == null ? job.module() : module.description().title(),
                JobPage.path(job.token()),
                pace(job, now));
    }

    private static @Nullable String pace(JobMessage.JobSnapshot job, Instant now) {
        Instant started = job.startedAt();
        if (started == null || job.state().isFinal() || job.done() == 0) {
            return null;
        }
        double seconds = Math.max(0.5, Duration.between(started, now).toMillis() / 1000.0);
        double rate = job.done() / seconds;
        String pace = rate >= 1
                ? String.format(Locale.ROOT, rate < 10 ? "%.1f lines a second" : "%.0f lines a second", rate)
                : String.format(Locale.ROOT, "%.1f lines a minute", rate * 60);
        int open = job.pending() + job.running();
        return open == 0 ? pace : pace + ", about " + left(Math.ceil(open / rate)) + " left";
    }

    private static String left(double seconds) {
        if (seconds < 90) {
            return Math.max(1, Math.round(seconds)) + (seconds < 1.5 ? " second" : " seconds");
        }
        long minutes = Math.round(seconds / 60);
        return minutes < 90 ? minutes + " minutes" : Math.round(minutes / 60.0) + " hours";
    }

    /** Its state, for people. */
    public String state() {
        return switch (job.state()) {
            case QUEUED -> "Waiting";
            case RUNNING -> "Running";
            case COMPLETED -> "Completed";
            case CANCELLING -> "Being cancelled";
            case CANCELLED -> "Cancelled";
            case FAILED -> "Failed";
        };
    }

    /** The colour of its state. */
    public String tone() {
        return switch (job.state()) {
            case COMPLETED -> "pass";
            case CANCELLED, CANCELLING -> "warn";
            case FAILED -> "fail";
            default -> "";
        };
    }

    public boolean over() {
        return job.state().isFinal();
    }

    public DisplayValue.Moment created() {
        return ValueFormat.moment(ResultJson.time(job.createdAt()));
    }

    /** When its results are deleted; null until it is over. */
    public DisplayValue.@Nullable Moment expires() {
        Instant at = job.expiresAt();
        return at == null ? null : ValueFormat.moment(ResultJson.time(at));
    }

    /** Where a part of the lines lies on a bar of all, in percent. */
    public double percent(int lines) {
        return 100.0 * lines / Math.max(1, job.total());
    }

    /** What has come of it so far, in words. */
    public String counts() {
        List<String> parts = new ArrayList<>();
        add(parts, job.pass(), "passed");
        add(parts, job.warn(), "with a warning");
        add(parts, job.fail(), "failed");
        add(parts, job.error(), "without a verdict");
        add(parts, job.cancelled(), "cancelled");
        add(parts, job.pending() + job.running(), "to come");
        return String.join(", ", parts);
    }

    private static void add(List<String> parts, int count, String what) {
        if (count > 0) {
            parts.add(count + " " + what);
        }
    }

    /** How much is over, in whole percent; 100 only when all is. */
    public int progress() {
        return (int) (100L * (job.done() + job.cancelled()) / Math.max(1, job.total()));
    }

    public boolean cancellable() {
        String state = job.state().id();
        return state.equals("queued") || state.equals("running");
    }
}
