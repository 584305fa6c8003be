package dev.plumbline.http.api.job;

import dev.plumbline.bus.JobMessage;
import java.util.List;

/** How a line of a job stands. */
public enum LineState {
    PENDING("pending"),
    RUNNING("running"),
    DONE("done"),
    CANCELLED("cancelled");

    private final String id;

    LineState(String id) {
        this.id = id;
    }

    /** Its name in answers. */
    public String id() {
        return id;
    }

    /**
     * How a line stands.
     *
     * @param job as it was when the line was read
     */
    public static LineState of(JobMessage.JobSnapshot job, JobMessage.ResultLine line) {
        if (line.result() != null) {
            return DONE;
        }
        if (runs(job.runningRanges(), line.index())) {
            return RUNNING;
        }
        return job.state().isFinal() || job.pending() == 0 ? CANCELLED : PENDING;
    }

    private static boolean runs(List<Integer> ranges, int index) {
        for (int i = 0; i + 1 < ranges.size(); i += 2) {
            if (index >= ranges.get(i) && index < ranges.get(i + 1)) {
                return true;
            }
        }
        return false;
    }
}
