package dev.plumbline.http.api.job;

import dev.plumbline.http.problem.Problem;
import dev.plumbline.http.problem.ProblemException;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The cursors of the lines of a job in the order of their indexes: the first line of the next page. */
final class LineCursor {
    private static final Pattern TEXT = Pattern.compile("(job_[0-9A-Za-z]{22})\\.([1-9][0-9]{0,5})");

    private LineCursor() {}

    /**
     * Returns the cursor of a page.
     *
     * @param token of the job
     * @param index the index of the first line, at least 1
     */
    static String fromLine(String token, int index) {
        return PageCursor.write(PageCursor.JOB_LINES, token + '.' + index);
    }

    /**
     * Returns the index of the first line of a page.
     *
     * @param token the job that is read
     * @throws ProblemException if it is not a cursor of this job
     */
    static int line(String cursor, String token) {
        Matcher parts = PageCursor.read(PageCursor.JOB_LINES, cursor, TEXT, PageCursor::invalid);
        if (!parts.group(1).equals(token)) {
            throw new ProblemException(Problem.invalidParameters(List.of(Problem.Fault.parameter(
                    "cursor",
                    "is a cursor of another job. Use the value of next_cursor in a response with the same job."))));
        }
        return Integer.parseInt(parts.group(2));
    }
}
