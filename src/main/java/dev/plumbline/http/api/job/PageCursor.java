package dev.plumbline.http.api.job;

import dev.plumbline.http.problem.Problem;
import dev.plumbline.http.problem.ProblemException;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** An opaque cursor: the position of the next page. */
public final class PageCursor {
    private static final Pattern NUMBER = Pattern.compile("[1-9][0-9]{0,8}");

    /** The kind of list, so that a cursor of another list is rejected. */
    private static final char JOBS = 'j';

    private static final char PAGE_LINES = 'l';
    private static final char SHARED_RESULTS = 'r';

    /** See {@link LineCursor}. */
    static final char JOB_LINES = 'i';

    /** See {@link SinceCursor}. */
    static final char FINISHED_LINES = 's';

    /** See {@link ComparisonCursor}. */
    static final char COMPARISON = 'c';

    private PageCursor() {}

    /**
     * Returns the cursor after a job. It contains the token, because a sequence number would reveal the activity of
     * other accounts.
     */
    public static String afterJob(String token) {
        return write(JOBS, token);
    }

    /**
     * Returns the token of the last job of the previous page.
     *
     * @throws IllegalArgumentException if it is not a cursor of a list of jobs
     */
    public static String job(String cursor) {
        String token = read(JOBS, cursor);
        if (!JobToken.isValid(token)) {
            throw new IllegalArgumentException("not a job token");
        }
        return token;
    }

    /**
     * Returns the cursor after a shared result.
     *
     * @param position its creation time and ID
     */
    public static String afterSharedResult(String position) {
        return write(SHARED_RESULTS, position);
    }

    /**
     * Returns the position of the last shared result of the previous page.
     *
     * @throws IllegalArgumentException if it is not a cursor of a list of shared results
     */
    public static String sharedResult(String cursor) {
        return read(SHARED_RESULTS, cursor);
    }

    /** @param index the index of the first line of a web page, at least 1, or its position in another order */
    public static String fromLine(int index) {
        return write(PAGE_LINES, Integer.toString(index));
    }

    /**
     * Returns the index or position of the first line of a web page.
     *
     * @throws IllegalArgumentException if it is not a cursor of lines on web pages
     */
    public static int line(String cursor) {
        String index = read(PAGE_LINES, cursor);
        if (!NUMBER.matcher(index).matches()) {
            throw new IllegalArgumentException("not a line index");
        }
        return Integer.parseInt(index);
    }

    static String write(char kind, String position) {
        byte[] plain = (kind + position).getBytes(StandardCharsets.US_ASCII);
        return Base64.getUrlEncoder().withoutPadding().encodeToString(plain);
    }

    private static String read(char kind, String cursor) {
        String plain = new String(Base64.getUrlDecoder().decode(cursor), StandardCharsets.ISO_8859_1);
        // one spelling per position: no padding, and unused bits are zero (RFC 4648, 3.5)
        if (plain.isEmpty()
                || plain.charAt(0) != kind
                || !write(kind, plain.substring(1)).equals(cursor)) {
            throw new IllegalArgumentException("not a cursor");
        }
        return plain.substring(1);
    }

    /**
     * Reads the parts of a cursor.
     *
     * @param parts the form of the position
     * @param invalid the problem of a text that is not a cursor of this kind
     * @throws ProblemException if it is not a cursor of this kind
     */
    static Matcher read(char kind, String cursor, Pattern parts, Supplier<Problem> invalid) {
        try {
            Matcher read = parts.matcher(read(kind, cursor));
            if (read.matches()) {
                return read;
            }
        } catch (IllegalArgumentException malformed) {
            throw new ProblemException(invalid.get());
        }
        throw new ProblemException(invalid.get());
    }

    public static Problem invalid() {
        return Problem.badRequest("The cursor is invalid for this list. Use the value of next_cursor.")
                .withFaults(List.of(Problem.Fault.parameter("cursor", "is not a next_cursor value of this list")));
    }
}
