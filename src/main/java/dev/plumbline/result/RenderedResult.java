package dev.plumbline.result;

import com.google.common.hash.Hashing;
import io.vertx.core.buffer.Buffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** A result as JSON: the body of a cached response, rendered once, with its entity tag and expiry. Immutable. */
public final class RenderedResult {
    private static final byte[] WAITED = ",\"waited_ms\":".getBytes(StandardCharsets.US_ASCII);
    private static final byte[] FRESH_SUFFIX = ",\"cached\":false}".getBytes(StandardCharsets.US_ASCII);
    private static final byte[] CACHED_SUFFIX = ",\"cached\":true}".getBytes(StandardCharsets.US_ASCII);

    private final String key;
    private final byte[] result;
    private final Buffer cachedBody;
    private final String etag;
    private final Instant checkedAt;
    private final Instant expiresAt;
    private final boolean cacheable;
    private volatile @Nullable Buffer encodedBody;

    private RenderedResult(String key, byte[] result, Instant checkedAt, Instant expiresAt, boolean cacheable) {
        this.key = key;
        this.result = ResultJson.withRules(result);
        this.checkedAt = checkedAt;
        this.expiresAt = expiresAt;
        this.cacheable = cacheable;
        this.cachedBody = body(null);
        this.etag = "W/\"" + Hashing.murmur3_128().hashBytes(this.result) + '"';
    }

    /**
     * A new result.
     *
     * @param key the key of its check in the database
     * @param result the output of {@link ResultJson#write} of this version, or of another one on another node
     */
    public static RenderedResult of(String key, byte[] result, Instant checkedAt, boolean cacheable, Duration ttl) {
        return new RenderedResult(key, result, checkedAt, cacheable ? checkedAt.plus(ttl) : checkedAt, cacheable);
    }

    /** A result read from the database. */
    public static RenderedResult fromStore(String key, byte[] result, Instant checkedAt, Instant expiresAt) {
        return new RenderedResult(key, result, checkedAt, expiresAt, true);
    }

    /** A result read from a line of a job, written by {@link #toLine(byte[], long)} of this or an earlier version. */
    public static RenderedResult fromLine(String key, byte[] line, Instant checkedAt, Instant expiresAt) {
        byte[] result = Arrays.copyOf(line, endOfResult(line) + 1);
        result[result.length - 1] = '}';
        return fromStore(key, result, checkedAt, expiresAt);
    }

    /** The key of its check in the database. */
    public String key() {
        return key;
    }

    /** The offset of the members that a line has after those of the result. */
    private static int endOfResult(byte[] line) {
        int end = line.length - FRESH_SUFFIX.length;
        int digits = end;
        while (Character.isDigit(line[digits - 1])) {
            digits--;
        }
        int waited = digits - WAITED.length;
        // lines of earlier versions do not have it
        return waited > 0 && Arrays.equals(line, waited, digits, WAITED, 0, WAITED.length) ? waited : end;
    }

    /** The result as a JSON object without {@code waited_ms}, {@code cached} and {@code expires_at}. */
    public byte[] result() {
        return result;
    }

    /** The body of a cached response. Shared; must not be modified. */
    public Buffer cachedBody() {
        return cachedBody;
    }

    /**
     * The body of a cached response in a content coding, encoded on first use. Shared; must not be modified.
     *
     * @param encoder always the same function; thread-safe
     */
    public Buffer encodedBody(UnaryOperator<Buffer> encoder) {
        Buffer encoded = encodedBody;
        if (encoded == null) {
            encoded = encoder.apply(cachedBody);
            encodedBody = encoded;
        }
        return encoded;
    }

    /**
     * The body of the response with the fresh result.
     *
     * @param waitedMs the part of the duration in which the check waited for limits of targets, in milliseconds
     */
    public Buffer freshBody(long waitedMs) {
        return body(waitedMs);
    }

    /** The cached result as a line of a job: a JSON object in UTF-8. */
    public Buffer toLine() {
        return toLine(result, null);
    }

    /**
     * A fresh result as a line of a job.
     *
     * @param result the output of {@link ResultJson#write}
     * @param waitedMs as in {@link #freshBody}
     */
    public static Buffer toLine(byte[] result, long waitedMs) {
        return toLine(result, (Long) waitedMs);
    }

    private static Buffer toLine(byte[] result, @Nullable Long waitedMs) {
        return withoutEnd(result, WAITED.length + FRESH_SUFFIX.length)
                .appendBytes(WAITED)
                .appendString(String.valueOf(waitedMs))
                .appendBytes(waitedMs == null ? CACHED_SUFFIX : FRESH_SUFFIX);
    }

    private static Buffer withoutEnd(byte[] result, int added) {
        return Buffer.buffer(result.length + added).appendBytes(result, 0, result.length - 1);
    }

    /**
     * The result as read by {@link ResultJson#read}.
     *
     * @throws IllegalArgumentException if another version wrote it
     */
    public CheckResult parse() {
        return ResultJson.read(result);
    }

    public String verdict() {
        return ResultJson.verdict(result);
    }

    /** A weak entity tag, equal for fresh and cached responses and all content codings (RFC 9110, section 8.8.3). */
    public String etag() {
        return etag;
    }

    public Instant checkedAt() {
        return checkedAt;
    }

    public Instant expiresAt() {
        return expiresAt;
    }

    /** Whether the result can be returned from the cache. */
    public boolean cacheable() {
        return cacheable;
    }

    public boolean expired(Instant now) {
        return !expiresAt.isAfter(now);
    }

    /** The approximate memory use in bytes. */
    public int weight() {
        // an encoded body has at most about half the size
        return result.length * 5 / 2 + 400;
    }

    /** @param waitedMs null if the result is cached */
    private Buffer body(@Nullable Long waitedMs) {
        String suffix = ",\"waited_ms\":" + waitedMs + ",\"cached\":" + (waitedMs == null) + ",\"expires_at\":\""
                + ResultJson.time(expiresAt) + "\"}";
        return withoutEnd(result, suffix.length()).appendString(suffix);
    }
}
