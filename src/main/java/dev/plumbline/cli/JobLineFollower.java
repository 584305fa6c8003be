package dev.plumbline.cli;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.io.Writer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** Prints the lines of jobs as NDJSON when they finish, with indexes that continue from job to job. */
final class JobLineFollower extends JobOutput {
    /** Limits the memory of a response. */
    private static final int MAX_LINES = 100;

    private final Writer out;
    private final List<String> cursors;
    private final boolean[] ended;

    /** Lines that were read and are not printed yet. */
    private final List<JsonObject> lines = new ArrayList<>();

    /** @param jobs the number of jobs whose lines are printed */
    JobLineFollower(ServiceClient client, Writer out, int jobs) {
        super(client);
        this.out = out;
        this.cursors = new ArrayList<>(Collections.nCopies(jobs, ""));
        this.ended = new boolean[jobs];
    }

    @Override
    JsonObject read(List<JsonObject> jobs, int index, int waitSeconds) throws CommandException, InterruptedException {
        JsonObject read = client().finishedLines(token(jobs.get(index)), cursors.get(index), MAX_LINES, waitSeconds);
        if (!(read.getValue("since") instanceof String cursor)
                || !(read.getValue("results") instanceof JsonArray results)) {
            throw new CommandException("The service does not support --output for 'job watch'. Update it, or use"
                    + " 'plumbline job download --output ndjson'.");
        }
        cursors.set(index, cursor);
        ended[index] = JobPoller.isFinal(read) && results.size() < MAX_LINES;
        read.remove("results");
        long offset = jobs.stream().limit(index).mapToLong(JobPoller::total).sum();
        results.stream()
                .map(JsonObject.class::cast)
                .map(line -> line.put("index", offset + line.getLong("index")))
                .forEach(lines::add);
        return read;
    }

    @Override
    boolean isDone(JsonObject job, int index) {
        return ended[index];
    }

    @Override
    boolean write(List<JsonObject> jobs, ProgressBar progress) throws IOException {
        if (lines.isEmpty()) {
            return false;
        }
        progress.clear();
        for (JsonObject line : lines) {
            out.write(line.encode() + "\n");
        }
        out.flush();
        lines.clear();
        return true;
    }
}
