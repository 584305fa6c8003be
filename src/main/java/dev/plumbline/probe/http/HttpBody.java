package dev.plumbline.probe.http;

import com.google.common.base.Strings;
import dev.plumbline.check.CheckFailure;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A response body, as far as it was read. Immutable.
 *
 * @param shared the content, which must not be modified
 * @param size the size of the content in bytes, also after the content was discarded
 * @param truncated whether the body has, or may have, more bytes
 * @param unreadable whether the content coding is unsupported or malformed, so that the bytes are not, or not all of,
 *     the content
 */
public record HttpBody(byte[] shared, int size, boolean truncated, boolean unreadable) {
    private static final Pattern CHARSET =
            Pattern.compile("charset\\s*=\\s*\"?([A-Za-z0-9._:-]{1,40})", Pattern.CASE_INSENSITIVE);

    HttpBody(byte[] bytes, boolean truncated) {
        this(bytes, truncated, false);
    }

    HttpBody(byte[] bytes, boolean truncated, boolean unreadable) {
        this(bytes, bytes.length, truncated, unreadable);
    }

    /** A body without its content, of which only the size remains. */
    HttpBody withoutContent() {
        return new HttpBody(new byte[0], size, truncated, unreadable);
    }

    /**
     * The body as text, with malformed characters as U+FFFD.
     *
     * @param contentType the Content-Type header; its charset is used if this JVM supports it, otherwise UTF-8
     */
    public String text(@Nullable String contentType) {
        return new String(shared, charsetOf(contentType));
    }

    /**
     * The body with its content codings decoded, up to the limit.
     *
     * @param contentEncoding the value of Content-Encoding; codings other than gzip, deflate, br and zstd, and more
     *     than {@link ContentDecoder#MAX_CODINGS}, make the body unreadable
     * @throws CheckFailure {@code response_too_large} if decoding exceeds the CPU time of the check
     */
    public HttpBody decoded(@Nullable String contentEncoding, int maxBytes) throws CheckFailure {
        return contentEncoding == null || shared.length == 0
                ? this
                : ContentDecoder.decode(this, contentEncoding, maxBytes);
    }

    /** The content of a gzip file, up to the limit. */
    public HttpBody gunzipped(int maxBytes) {
        return ContentDecoder.gunzip(this, maxBytes);
    }

    private static Charset charsetOf(@Nullable String contentType) {
        Matcher matcher = CHARSET.matcher(Strings.nullToEmpty(contentType));
        try {
            return matcher.find() ? Charset.forName(matcher.group(1)) : StandardCharsets.UTF_8;
        } catch (IllegalArgumentException unknown) {
            return StandardCharsets.UTF_8;
        }
    }
}
