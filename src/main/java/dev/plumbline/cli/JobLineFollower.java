package dev.plumbline.cli;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.io.Writer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** Prints the lines of jobs as NDJSON when they finish, with indexes that continue from job to job. */
final class JobLineFollower {
    /** Limits the memory of a response. */
    private static final int MAX_LINES = 100;

    private final ServiceClient client;
    private final Writer out;
    private final List<JsonObject> jobs;
    private final List<String> cursors;
    private final boolean[] ended;

    /** @param jobs the jobs whose lines are printed */
    JobLineFollower(ServiceClient client, Writer out, List<JsonObject> jobs) {
        this.client = client;
        this.out = out;
        this.jobs = jobs;
        this.cursors = new ArrayList<>(Collections.nCopies(jobs.size(), ""));
        this.ended = new boolean[jobs.size()];
    }

    /**
     * The lines that a request returned.
     *
     * @param job the job without its lines
     */
    record NewLines(JsonObject job, List<JsonObject> lines) {}

    /**
     * Requests the next lines of a job.
     *
     * @param job the position of the job in the list
     * @param waitSeconds maximum time that the service waits for a line
     */
    NewLines read(int job, int waitSeconds) throws CommandException, InterruptedException {
        JsonObject read = client.finishedLines(token(job), cursors.get(job), MAX_LINES, waitSeconds);
        if (!(read.getValue("since") instanceof String cursor)
                || !(read.getValue("results") instanceof JsonArray results)) {
            throw new CommandException("The service does not support --output for 'job watch'. Update it, or use"
                    + " 'plumbline job download --output ndjson'.");
        }
        cursors.set(job, cursor);
        ended[job] = JobPoller.isFinal(read) && results.size() < MAX_LINES;
        read.remove("results");
        long offset = jobs.stream().limit(job).mapToLong(JobPoller::total).sum();
        return new NewLines(
                read,
                results.stream()
                        .map(JsonObject.class::cast)
                        .map(line -> line.put("index", offset + line.getLong("index")))
                        .toList());
    }

    private String token(int job) {
        return jobs.get(job).getString("token");
    }

    void print(NewLines read) throws IOException {
        for (JsonObject line : read.lines) {
            out.write(line.encode() + "\n");
        }
        out.flush();
    }

    /** Whether all lines of a job have been read. */
    boolean hasEnded(int job) {
        return ended[job];
    }
}
