package dev.plumbline.cli;

import dev.plumbline.cli.report.TerminalText;
import dev.plumbline.cli.report.VerdictCounts;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** Waits for jobs, and shows their progress as one bar. */
final class JobPoller {
    /** The interval between two requests for the state of a job. */
    private static final int POLL_SECONDS = 1;

    private static final Set<String> FINAL_STATES = Set.of("completed", "cancelled", "failed");

    private final List<JsonObject> jobs;
    private final ProgressBar progress;
    private final JobOutput output;

    /** @param jobs the jobs as the service last reported them */
    JobPoller(List<JsonObject> jobs, ProgressBar progress, JobOutput output) {
        this.jobs = new CopyOnWriteArrayList<>(jobs);
        this.progress = progress;
        this.output = output;
    }

    /** Returns when all jobs are final and their results are written. */
    void await() throws CommandException, IOException, InterruptedException {
        output.write(jobs, progress);
        showProgress();
        while (!IntStream.range(0, jobs.size()).allMatch(this::isDone)) {
            long started = System.nanoTime();
            if (!poll()) {
                // the service does not wait if too many other requests of the key wait
                TimeUnit.NANOSECONDS.sleep(started + TimeUnit.SECONDS.toNanos(POLL_SECONDS) - System.nanoTime());
            }
        }
        progress.clear();
        output.end();
    }

    private boolean isDone(int job) {
        return output.isDone(jobs.get(job), job);
    }

    /**
     * Requests each unfinished job once, and waits only for the first. Returns whether a job became final or results
     * were written.
     */
    private boolean poll() throws CommandException, IOException, InterruptedException {
        boolean changed = false;
        int waitSeconds = POLL_SECONDS;
        for (int i = 0; i < jobs.size(); i++) {
            if (!isDone(i)) {
                jobs.set(i, output.read(jobs, i, waitSeconds));
                changed |= output.write(jobs, progress) || isDone(i);
                waitSeconds = 0;
            }
        }
        showProgress();
        return changed;
    }

    private void showProgress() {
        VerdictCounts counts = counts();
        progress.update(
                counts.total(), sum("total"), waiting().isEmpty() ? counts : counts + ", " + waiting(), minSeconds());
    }

    /**
     * The options of the commands that continue after an interruption, each followed by a space.
     *
     * @param server of all commands
     * @param watch also of {@code job watch}
     * @param download also of {@code job download}
     */
    record NextOptions(String server, String watch, String download) {}

    /** The message if the command is interrupted, with the commands that continue. */
    String interruption(NextOptions options) {
        List<JsonObject> unfinished = jobs.stream().filter(job -> !isFinal(job)).toList();
        String download = "Download: plumbline job download " + options.server + options.download + tokens(jobs);
        if (unfinished.isEmpty()) {
            return "plumbline: Interrupted.\n" + download;
        }
        return "plumbline: Interrupted. The %s on the service.\n"
                        .formatted(unfinished.size() == 1 ? "job continues" : "jobs continue")
                + "Watch: plumbline job watch " + options.server + options.watch + tokens(unfinished) + "\n"
                + download + "\n"
                + "Cancel: plumbline job cancel " + options.server + tokens(unfinished);
    }

    static String tokens(List<JsonObject> jobs) {
        return jobs.stream().map(JobOutput::token).collect(Collectors.joining(" "));
    }

    /** Whether no job was cancelled or failed. */
    boolean completed() {
        return jobs.stream().allMatch(job -> job.getString("state").equals("completed"));
    }

    VerdictCounts counts() {
        return VerdictCounts.of(verdict -> sum(verdict.id()));
    }

    /** The limit of a target for which most lines of a job wait, for example {@code 97 lines wait for …}; or empty. */
    private String waiting() {
        return waitingLines()
                .max(Comparator.comparingLong(limit -> limit.getLong("lines")))
                .map(limit -> TerminalText.sanitize("%d %s because of the limit of %s to %s"
                        .formatted(
                                limit.getLong("lines"),
                                limit.getLong("lines") == 1 ? "line waits" : "lines wait",
                                limit.getString("limit"),
                                limit.getString("target_address"))))
                .orElse("");
    }

    /** The minimum time until the lines that wait for limits of targets have started. */
    private double minSeconds() {
        return waitingLines()
                .filter(limit -> limit.getLong("per_second") != null)
                .mapToDouble(limit -> (double) limit.getLong("lines") / limit.getLong("per_second"))
                .max()
                .orElse(0);
    }

    /** Those of unfinished jobs; services of an earlier version do not report them. */
    private Stream<JsonObject> waitingLines() {
        return jobs.stream()
                .flatMap(job -> job.getJsonArray("waiting", new JsonArray()).stream())
                .map(JsonObject.class::cast);
    }

    static boolean isFinal(JsonObject job) {
        return FINAL_STATES.contains(job.getString("state"));
    }

    static long total(JsonObject job) {
        return job.getJsonObject("counts").getLong("total", 0L);
    }

    private long sum(String count) {
        return jobs.stream()
                .mapToLong(job -> job.getJsonObject("counts").getLong(count, 0L))
                .sum();
    }
}
