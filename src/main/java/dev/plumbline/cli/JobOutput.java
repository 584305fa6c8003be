package dev.plumbline.cli;

import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.util.List;

/** Reads the jobs that a {@link JobPoller} waits for. This class does not write anything; subclasses write results. */
class JobOutput {
    private final ServiceClient client;

    JobOutput(ServiceClient client) {
        this.client = client;
    }

    final ServiceClient client() {
        return client;
    }

    /**
     * Requests a job that is not done. Returns it without its results.
     *
     * @param jobs the jobs as the service last reported them
     * @param index the position of the job
     * @param waitSeconds maximum time that the service waits for a change
     */
    JsonObject read(List<JsonObject> jobs, int index, int waitSeconds) throws CommandException, InterruptedException {
        return client.job(token(jobs.get(index)), waitSeconds);
    }

    static String token(JsonObject job) {
        return job.getString("token");
    }

    /** Whether a job does not have to be requested again. */
    boolean isDone(JsonObject job, int index) {
        return JobPoller.isFinal(job);
    }

    /**
     * Writes the results that are available. Returns whether there were some.
     *
     * @param progress cleared before results are written
     */
    boolean write(List<JsonObject> jobs, ProgressBar progress)
            throws CommandException, IOException, InterruptedException {
        return false;
    }

    /** Writes the end of the output. All jobs are done. */
    void end() throws IOException {
        // nothing was written
    }
}
