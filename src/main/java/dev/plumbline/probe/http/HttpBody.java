package dev.plumbline.probe.http;

import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** What was read of a response body. Immutable. */
public final class HttpBody {
    public static final HttpBody EMPTY = new HttpBody(new byte[0], false);

    private static final Pattern CHARSET =
            Pattern.compile("charset\\s*=\\s*\"?([A-Za-z0-9._:-]{1,40})", Pattern.CASE_INSENSITIVE);

    private final byte[] bytes;
    private final boolean truncated;
    private final boolean unreadable;

    HttpBody(byte[] bytes, boolean truncated) {
        this(bytes, truncated, false);
    }

    /**
     * @param unreadable whether its content coding could not be undone, so that these bytes are not
     *     what was meant, or not all of it
     */
    HttpBody(byte[] bytes, boolean truncated, boolean unreadable) {
        this.bytes = bytes;
        this.truncated = truncated;
        this.unreadable = unreadable;
    }

    public int size() {
        return bytes.length;
    }

    /** Whether there was, or may have been, more than was read. */
    public boolean truncated() {
        return truncated;
    }

    /** Whether its content coding is none that we know, or was not what it said. */
    public boolean unreadable() {
        return unreadable;
    }

    /** A copy of the bytes. */
    public byte[] bytes() {
        return bytes.clone();
    }

    /** The bytes themselves, for those who only read them. */
    public byte[] shared() {
        return bytes;
    }

    /**
     * The body as text; what cannot be decoded becomes U+FFFD.
     *
     * @param contentType the Content-Type header, whose charset is used when this JVM knows it; UTF-8
     *     otherwise
     */
    public String text(@Nullable String contentType) {
        return new String(bytes, charsetOf(contentType));
    }

    /**
     * The body with its content coding undone, as far as that is possible within the limit.
     *
     * @param contentEncoding the Content-Encoding header; codings other than gzip and deflate leave
     *     the body as it is, unreadable
     */
    public HttpBody decoded(@Nullable String contentEncoding, int maxBytes) {
        if (contentEncoding == null || bytes.length == 0) {
            return this;
        }
        return switch (contentEncoding.trim().toLowerCase(Locale.ROOT)) {
            case "gzip", "x-gzip" -> BoundedInflater.gzip(bytes, truncated, maxBytes);
            case "deflate" -> BoundedInflater.deflate(bytes, truncated, maxBytes);
            case "identity", "" -> this;
            default -> new HttpBody(bytes, truncated, true);
        };
    }

    private static Charset charsetOf(@Nullable String contentType) {
        Matcher matcher = contentType == null ? null : CHARSET.matcher(contentType);
        if (matcher != null && matcher.find()) {
            try {
                return Charset.forName(matcher.group(1));
            } catch (IllegalArgumentException unknown) {
                return StandardCharsets.UTF_8;
            }
        }
        return StandardCharsets.UTF_8;
    }
}
