package dev.plumbline.http.api.job;

import dev.plumbline.http.problem.Problem;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import java.util.regex.Pattern;

/** Where a page begins, as clients carry it from one page to the next: nothing to be read. */
public final class PageCursor {
    private static final Pattern NUMBER = Pattern.compile("[1-9][0-9]{0,8}");

    /** What a cursor leads through, so that none is taken for another. */
    private static final char JOBS = 'j';

    private static final char LINES = 'l';

    private PageCursor() {}

    /** Behind this job: by its name, which its owner knows. A number would tell what others do. */
    public static String behindJob(String token) {
        return write(JOBS, token);
    }

    /**
     * The name of the job behind which the page begins.
     *
     * @throws IllegalArgumentException when it is no cursor of a list of jobs
     */
    public static String job(String cursor) {
        String token = read(JOBS, cursor);
        if (!JobToken.isOne(token)) {
            throw new IllegalArgumentException("no job");
        }
        return token;
    }

    /**
     * @param index of the first line of the page, at least 1
     */
    public static String fromLine(int index) {
        return write(LINES, Integer.toString(index));
    }

    /**
     * The index of the first line of the page.
     *
     * @throws IllegalArgumentException when it is no cursor of a list of lines
     */
    public static int line(String cursor) {
        String index = read(LINES, cursor);
        if (!NUMBER.matcher(index).matches()) {
            throw new IllegalArgumentException("no line");
        }
        return Integer.parseInt(index);
    }

    private static String write(char kind, String position) {
        byte[] plain = (kind + position).getBytes(StandardCharsets.US_ASCII);
        return Base64.getUrlEncoder().withoutPadding().encodeToString(plain);
    }

    private static String read(char kind, String cursor) {
        String plain = new String(Base64.getUrlDecoder().decode(cursor), StandardCharsets.ISO_8859_1);
        if (plain.isEmpty() || plain.charAt(0) != kind) {
            throw new IllegalArgumentException("no cursor");
        }
        return plain.substring(1);
    }

    /** What is answered where one is none. */
    static Problem none() {
        return Problem.badRequest("The cursor is none of this list; take next_cursor as it was given.")
                .withFaults(List.of(Problem.Fault.parameter("cursor", "is no next_cursor of this list")));
    }
}
