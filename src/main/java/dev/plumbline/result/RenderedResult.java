package dev.plumbline.result;

import com.google.common.hash.Hashing;
import dev.plumbline.check.CheckResult;
import dev.plumbline.check.ResultJson;
import io.vertx.core.buffer.Buffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;

/** A result prepared for sending: the serialized body, the entity tag and the expiry. Immutable. */
public final class RenderedResult {
    private static final byte[] LINE_FRESH = ",\"cached\":false}".getBytes(StandardCharsets.US_ASCII);
    private static final byte[] LINE_CACHED = ",\"cached\":true}".getBytes(StandardCharsets.US_ASCII);

    private final byte[] result;
    private final Buffer cachedBody;
    private final String etag;
    private final Instant checkedAt;
    private final Instant expiresAt;
    private final boolean cacheable;

    private RenderedResult(byte[] result, Instant checkedAt, Instant expiresAt, boolean cacheable) {
        this.result = result;
        this.checkedAt = checkedAt;
        this.expiresAt = expiresAt;
        this.cacheable = cacheable;
        this.cachedBody = body(true);
        this.etag = etagOf(result);
    }

    /** Returns the response for a new result. */
    static RenderedResult of(CheckResult result, Duration lifetime) {
        Instant checkedAt = result.checkedAt();
        return new RenderedResult(
                ResultJson.write(result),
                checkedAt,
                result.cacheable() ? checkedAt.plus(lifetime) : checkedAt,
                result.cacheable());
    }

    /** Returns the response for a stored result. */
    static RenderedResult stored(byte[] result, Instant checkedAt, Instant expiresAt) {
        return new RenderedResult(result, checkedAt, expiresAt, true);
    }

    /** Returns the response for the stored result of a line ({@link #asLine(CheckResult)}). */
    static RenderedResult ofLine(byte[] line, Instant checkedAt, Instant expiresAt) {
        byte[] result = Arrays.copyOf(line, line.length - LINE_FRESH.length + 1);
        result[result.length - 1] = '}';
        return stored(result, checkedAt, expiresAt);
    }

    /** The result as a JSON object, without the members that a response adds. */
    byte[] result() {
        return result;
    }

    /** The body of a cached response. Shared; must not be modified. */
    public Buffer cachedBody() {
        return cachedBody;
    }

    /** The body of the response to the client that started the check. */
    public Buffer freshBody() {
        return body(false);
    }

    /** The result as a line of a job: a JSON object in UTF-8. */
    public Buffer asLine(boolean cached) {
        return asLine(result, cached);
    }

    /** Returns a result as a line of a job, without a cache entry. */
    public static Buffer asLine(CheckResult result) {
        return asLine(ResultJson.write(result), false);
    }

    private static Buffer asLine(byte[] result, boolean cached) {
        byte[] tail = cached ? LINE_CACHED : LINE_FRESH;
        return Buffer.buffer(result.length - 1 + tail.length)
                .appendBytes(result, 0, result.length - 1)
                .appendBytes(tail);
    }

    /** The verdict of the result. */
    public String verdict() {
        return ResultJson.verdict(result);
    }

    /** A weak entity tag (RFC 9110, 8.8.3), the same for fresh and cached responses. */
    public String etag() {
        return etag;
    }

    public Instant checkedAt() {
        return checkedAt;
    }

    public Instant expiresAt() {
        return expiresAt;
    }

    /** Whether the result can be cached. */
    public boolean cacheable() {
        return cacheable;
    }

    boolean expired(Instant now) {
        return !expiresAt.isAfter(now);
    }

    /** The approximate memory use, in bytes. */
    int weight() {
        return result.length * 2 + 400;
    }

    private Buffer body(boolean cached) {
        String tail = ",\"cached\":" + cached + ",\"expires_at\":\"" + ResultJson.time(expiresAt) + "\"}";
        return Buffer.buffer(result.length + tail.length())
                .appendBytes(result, 0, result.length - 1)
                .appendBytes(tail.getBytes(StandardCharsets.US_ASCII));
    }

    private static String etagOf(byte[] result) {
        return "W/\"" + Hashing.murmur3_128().hashBytes(result) + '"';
    }
}
