package dev.plumbline.http.api.job;

import dev.plumbline.bus.JobMessage;
import java.util.List;
import java.util.Locale;

/** The state of a line of a job. */
public enum LineState {
    PENDING,
    RUNNING,
    DONE,
    CANCELLED;

    private final String id = name().toLowerCase(Locale.ROOT);

    public String id() {
        return id;
    }

    /**
     * Returns the state of a line.
     *
     * @param job the job at the version of the line
     */
    public static LineState of(JobMessage.JobSnapshot job, JobMessage.ResultLine line) {
        if (line.result() != null) {
            return DONE;
        }
        if (isRunning(job.runningRanges(), line.index())) {
            return RUNNING;
        }
        return job.state().isFinal() || job.pending() == 0 ? CANCELLED : PENDING;
    }

    private static boolean isRunning(List<Integer> ranges, int index) {
        for (int i = 0; i + 1 < ranges.size(); i += 2) {
            if (index >= ranges.get(i) && index < ranges.get(i + 1)) {
                return true;
            }
        }
        return false;
    }
}
