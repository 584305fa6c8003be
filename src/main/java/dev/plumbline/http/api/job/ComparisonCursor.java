package dev.plumbline.http.api.job;

import dev.plumbline.http.problem.Problem;
import dev.plumbline.http.problem.ProblemException;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The cursors of a comparison: the first row of the next page of {@link JobComparison}. */
public final class ComparisonCursor {
    private static final Pattern TEXT =
            Pattern.compile("(job_[0-9A-Za-z]{22})\\.(job_[0-9A-Za-z]{22})\\.([1-9][0-9]{0,5})");

    private ComparisonCursor() {}

    /**
     * Returns the cursor of a page.
     *
     * @param token of the later job
     * @param against the token of the earlier job
     * @param row the first row, at least 1
     */
    public static String fromRow(String token, String against, int row) {
        return PageCursor.write(PageCursor.COMPARISON, token + '.' + against + '.' + row);
    }

    /**
     * Returns the first row of a page.
     *
     * @param token of the later job
     * @param against the token of the earlier job
     * @throws ProblemException if it is not a cursor of this comparison
     */
    public static int row(String cursor, String token, String against) {
        Matcher parts = PageCursor.read(PageCursor.COMPARISON, cursor, TEXT, PageCursor::invalid);
        if (!parts.group(1).equals(token) || !parts.group(2).equals(against)) {
            throw new ProblemException(
                    Problem.invalidParameters(
                            List.of(
                                    Problem.Fault.parameter(
                                            "cursor",
                                            "is a cursor of another comparison. Use the value of next_cursor in a response with the same jobs."))));
        }
        return Integer.parseInt(parts.group(3));
    }
}
