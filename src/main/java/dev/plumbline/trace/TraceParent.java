package dev.plumbline.trace;

import java.util.HexFormat;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The context of a span in another process: the header {@code traceparent} (W3C Trace Context).
 *
 * @param traceId 32 hexadecimal digits in lower case, not all zero
 * @param spanId not 0
 */
public record TraceParent(String traceId, long spanId) {
    public static final String HEADER = "traceparent";

    private static final Pattern FORMAT =
            Pattern.compile("(?!ff)([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-[0-9a-f]{2}(-.{0,512})?");
    private static final String NO_TRACE = "0".repeat(32);

    /**
     * Parses a header. The flag {@code sampled} is ignored: this service decides which traces it records, and its nodes
     * send the header for recorded traces only.
     *
     * @return null if the header is missing or malformed
     */
    public static @Nullable TraceParent parse(@Nullable String header) {
        if (header == null) {
            return null;
        }
        Matcher matcher = FORMAT.matcher(header.strip());
        // later versions can append fields
        if (!matcher.matches() || matcher.group(1).equals("00") && matcher.group(4) != null) {
            return null;
        }
        long spanId = HexFormat.fromHexDigitsToLong(matcher.group(3));
        return spanId == 0 || matcher.group(2).equals(NO_TRACE) ? null : new TraceParent(matcher.group(2), spanId);
    }

    /** The header of a recorded trace. */
    public String text() {
        return "00-" + traceId + "-" + HexFormat.of().toHexDigits(spanId) + "-01";
    }
}
