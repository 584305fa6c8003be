package dev.plumbline.http.api.job;

import dev.plumbline.bus.JobMessage;
import dev.plumbline.http.problem.Problem;
import dev.plumbline.http.problem.ProblemException;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A position in the order in which the lines of a job finish: after a line with this version and index. Lines without a
 * result in a finished job have the last version of the job.
 *
 * @param version the version of the job in which the line finished
 * @param index the index of the line; {@link #END} for the last line of the version
 */
record SinceCursor(long version, int index) {
    /** Greater than the index of any line. */
    static final int END = Integer.MAX_VALUE;

    static final SinceCursor START = new SinceCursor(0, END);

    private static final String WHAT_TO_DO = "Remove since, or send the since value of the last response.";

    private static final Pattern TEXT = Pattern.compile("(job_[0-9A-Za-z]{22})\\.([0-9]{1,18})(?:\\.([0-9]{1,6}))?");

    /**
     * Reads a cursor.
     *
     * @param text empty for the start
     * @param token the job that is read
     * @throws ProblemException if it is not a cursor of this job
     */
    static SinceCursor of(String text, String token) {
        if (text.isEmpty()) {
            return START;
        }
        Matcher parts = PageCursor.read(PageCursor.FINISHED_LINES, text, TEXT, SinceCursor::invalid);
        if (!parts.group(1).equals(token)) {
            throw new ProblemException(unprocessable("is a cursor of another job. " + WHAT_TO_DO));
        }
        return new SinceCursor(
                Long.parseLong(parts.group(2)), parts.group(3) == null ? END : Integer.parseInt(parts.group(3)));
    }

    private static Problem invalid() {
        return Problem.badRequest("The cursor in since is invalid. " + WHAT_TO_DO)
                .withFaults(List.of(Problem.Fault.parameter("since", "is not a cursor of this job. " + WHAT_TO_DO)));
    }

    private static Problem unprocessable(String detail) {
        return Problem.invalidParameters(List.of(Problem.Fault.parameter("since", detail)));
    }

    /**
     * Returns the problem of a position that the job has not reached; null if it has.
     *
     * @param job read from the database after the request arrived, because the state of a held request can be older
     */
    @Nullable
    Problem notReached(JobMessage.JobSnapshot job) {
        return version > job.version()
                ? unprocessable("is a cursor that this job has not reached. " + WHAT_TO_DO)
                : null;
    }

    /** Returns the position after a line. */
    static SinceCursor after(JobMessage.FinishedLine line) {
        return new SinceCursor(line.version(), line.index());
    }

    /** Returns the position after all lines of a job that was read. The job can be older than this position. */
    SinceCursor endOf(JobMessage.JobSnapshot job) {
        return job.version() < version ? this : new SinceCursor(job.version(), END);
    }

    boolean isBefore(JobMessage.FinishedLine line) {
        return line.version() > version || (line.version() == version && line.index() > index);
    }

    /** The newest version of which all lines are before this position. */
    long completeVersion() {
        return index == END ? version : version - 1;
    }

    String text(String token) {
        return PageCursor.write(PageCursor.FINISHED_LINES, token + '.' + this);
    }

    @Override
    public String toString() {
        return version + (index == END ? "" : "." + index);
    }
}
