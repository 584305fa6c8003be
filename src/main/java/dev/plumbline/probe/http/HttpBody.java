package dev.plumbline.probe.http;

import dev.plumbline.check.CheckFailure;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** A response body, as far as it was read. Immutable. */
public final class HttpBody {
    public static final HttpBody EMPTY = new HttpBody(new byte[0], false);

    private static final Pattern CHARSET =
            Pattern.compile("charset\\s*=\\s*\"?([A-Za-z0-9._:-]{1,40})", Pattern.CASE_INSENSITIVE);

    private final byte[] bytes;
    private final int size;
    private final boolean truncated;
    private final boolean unreadable;

    HttpBody(byte[] bytes, boolean truncated) {
        this(bytes, truncated, false);
    }

    /**
     * @param unreadable whether the content coding is unsupported or malformed, so that the bytes are not, or not all
     *     of, the content
     */
    HttpBody(byte[] bytes, boolean truncated, boolean unreadable) {
        this(bytes, bytes.length, truncated, unreadable);
    }

    private HttpBody(byte[] bytes, int size, boolean truncated, boolean unreadable) {
        this.bytes = bytes;
        this.size = size;
        this.truncated = truncated;
        this.unreadable = unreadable;
    }

    public int size() {
        return size;
    }

    /** The size of the content in memory. */
    int heldBytes() {
        return bytes.length;
    }

    /** A body without its content, of which only the size remains. */
    HttpBody withoutContent() {
        return new HttpBody(EMPTY.bytes, size, truncated, unreadable);
    }

    /** Whether the body has, or may have, more bytes. */
    public boolean truncated() {
        return truncated;
    }

    /** Whether the content coding is unsupported or malformed. */
    public boolean unreadable() {
        return unreadable;
    }

    /** A copy of the bytes. */
    public byte[] bytes() {
        return bytes.clone();
    }

    /** The internal array, which must not be modified. */
    public byte[] shared() {
        return bytes;
    }

    /**
     * The body as text, with malformed characters as U+FFFD.
     *
     * @param contentType the Content-Type header; its charset is used if this JVM supports it, otherwise UTF-8
     */
    public String text(@Nullable String contentType) {
        return new String(bytes, charsetOf(contentType));
    }

    /**
     * The body with its content codings decoded, up to the limit.
     *
     * @param contentEncoding the value of Content-Encoding; codings other than gzip, deflate, br and zstd, and more
     *     than {@link ContentDecoder#MAX_CODINGS}, make the body unreadable
     * @throws CheckFailure {@code response_too_large} if decoding exceeds the CPU time of the check
     */
    public HttpBody decoded(@Nullable String contentEncoding, int maxBytes) throws CheckFailure {
        return contentEncoding == null || bytes.length == 0
                ? this
                : ContentDecoder.decode(this, contentEncoding, maxBytes);
    }

    /** The content of a gzip file, up to the limit. */
    public HttpBody gunzipped(int maxBytes) {
        return ContentDecoder.gunzip(this, maxBytes);
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
