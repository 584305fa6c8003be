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
import org.jspecify.annotations.Nullable;

/** Waits for jobs, shows their progress as one bar, and joins their results in the order of the jobs. */
final class JobPoller {
    /** The interval between two requests for the state of a job. */
    private static final int POLL_SECONDS = 1;

    private static final Set<String> FINAL_STATES = Set.of("completed", "cancelled", "failed");

    private final ServiceClient client;
    private final List<JsonObject> jobs;
    private final ProgressBar progress;
    private final @Nullable JobResultJoiner joiner;
    private final LineFilterOptions filters;
    private final @Nullable JobLineFollower follower;
    private int joined;

    /**
     * @param jobs the jobs as the service last reported them
     * @param joiner receives the results; null if they are not requested
     * @param filters of these results
     */
    JobPoller(
            ServiceClient client,
            List<JsonObject> jobs,
            ProgressBar progress,
            @Nullable JobResultJoiner joiner,
            LineFilterOptions filters) {
        this(client, jobs, progress, joiner, filters, null);
    }

    private JobPoller(
            ServiceClient client,
            List<JsonObject> jobs,
            ProgressBar progress,
            @Nullable JobResultJoiner joiner,
            LineFilterOptions filters,
            @Nullable JobLineFollower follower) {
        this.client = client;
        this.jobs = new CopyOnWriteArrayList<>(jobs);
        this.progress = progress;
        this.joiner = joiner;
        this.filters = filters;
        this.follower = follower;
    }

    /** Returns a poller that prints lines when they finish. */
    static JobPoller following(
            ServiceClient client, List<JsonObject> jobs, ProgressBar progress, JobLineFollower follower) {
        return new JobPoller(client, jobs, progress, null, LineFilterOptions.NONE, follower);
    }

    /** Returns when all jobs are final and their results are written. */
    void await() throws CommandException, IOException, InterruptedException {
        join();
        showProgress();
        while (!IntStream.range(0, jobs.size()).allMatch(this::isDone)) {
            long started = System.nanoTime();
            if (!poll()) {
                // the service does not wait if too many other requests of the key wait
                TimeUnit.NANOSECONDS.sleep(started + TimeUnit.SECONDS.toNanos(POLL_SECONDS) - System.nanoTime());
            }
            join();
        }
        progress.clear();
        if (joiner != null) {
            joiner.end();
        }
    }

    private boolean isDone(int job) {
        return follower == null ? isFinal(jobs.get(job)) : follower.hasEnded(job);
    }

    /**
     * Requests each unfinished job once, and waits only for the first. Returns whether a job became final or lines were
     * printed.
     */
    private boolean poll() throws CommandException, IOException, InterruptedException {
        boolean changed = false;
        int waitSeconds = POLL_SECONDS;
        for (int i = 0; i < jobs.size(); i++) {
            if (!isDone(i)) {
                changed |= poll(i, waitSeconds);
                waitSeconds = 0;
            }
        }
        showProgress();
        return changed;
    }

    private boolean poll(int job, int waitSeconds) throws CommandException, IOException, InterruptedException {
        if (follower == null) {
            jobs.set(job, client.job(jobs.get(job).getString("token"), waitSeconds));
            return isDone(job);
        }
        JobLineFollower.NewLines read = follower.read(job, waitSeconds);
        jobs.set(job, read.job());
        if (!read.lines().isEmpty()) {
            progress.clear();
            follower.print(read);
        }
        return isDone(job) || !read.lines().isEmpty();
    }

    private void showProgress() {
        VerdictCounts counts = counts();
        progress.update(
                counts.total(), sum("total"), waiting().isEmpty() ? counts : counts + ", " + waiting(), minSeconds());
    }

    /**
     * The message if the command is interrupted, with the commands that continue.
     *
     * @param arguments the options of these commands, each followed by a space
     */
    String interruption(String arguments) {
        List<JsonObject> unfinished = jobs.stream().filter(job -> !isFinal(job)).toList();
        if (unfinished.isEmpty()) {
            return "plumbline: Interrupted.\nDownload: plumbline job download " + arguments + tokens(jobs);
        }
        return "plumbline: Interrupted. The %s on the service.\n"
                        .formatted(unfinished.size() == 1 ? "job continues" : "jobs continue")
                + "Watch: plumbline job watch " + arguments + tokens(unfinished) + "\n"
                + "Download: plumbline job download " + arguments + tokens(jobs) + "\n"
                + "Cancel: plumbline job cancel " + arguments + tokens(unfinished);
    }

    static String tokens(List<JsonObject> jobs) {
        return jobs.stream().map(job -> job.getString("token")).collect(Collectors.joining(" "));
    }

    /** Writes the results of final jobs, up to the first job that is not final. */
    private void join() throws CommandException, IOException, InterruptedException {
        while (joiner != null && joined < jobs.size() && isFinal(jobs.get(joined))) {
            progress.clear();
            JsonObject job = jobs.get(joined);
            joiner.append(client.results(job.getString("token"), joiner.requestedFormat(), filters), total(job));
            joined++;
        }
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
