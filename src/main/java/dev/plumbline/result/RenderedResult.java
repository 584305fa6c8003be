package dev.plumbline.result;

import com.google.common.hash.Hashing;
import dev.plumbline.check.CheckResult;
import dev.plumbline.check.ResultJson;
import io.vertx.core.buffer.Buffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;

/** A result as it is sent: the bytes of a cached answer, ready, and how old they are. Immutable. */
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

    /** The answer that carries a new result. */
    static RenderedResult of(CheckResult result, Duration lifetime) {
        Instant checkedAt = result.checkedAt();
        return new RenderedResult(
                ResultJson.write(result),
                checkedAt,
                result.cacheable() ? checkedAt.plus(lifetime) : checkedAt,
                result.cacheable());
    }

    /** The answer that carries a stored result. */
    static RenderedResult stored(byte[] result, Instant checkedAt, Instant expiresAt) {
        return new RenderedResult(result, checkedAt, expiresAt, true);
    }

    /** The answer that carries the result of a line, as {@link #asLine(CheckResult)} made it. */
    static RenderedResult ofLine(byte[] line, Instant checkedAt, Instant expiresAt) {
        byte[] result = Arrays.copyOf(line, line.length - LINE_FRESH.length + 1);
        result[result.length - 1] = '}';
        return stored(result, checkedAt, expiresAt);
    }

    /** The result as one JSON object, without what only an answer says. */
    byte[] result() {
        return result;
    }

    /** The body of an answer from the cache. Shared: never to be written to. */
    public Buffer cachedBody() {
        return cachedBody;
    }

    /** The body of the answer to the one who had the check run. */
    public Buffer freshBody() {
        return body(false);
    }

    /** The result as the line of a job has it: one JSON object in UTF-8. */
    public Buffer asLine(boolean cached) {
        return asLine(result, cached);
    }

    /** A result of which nothing else is kept as the line of a job has it. */
    public static Buffer asLine(CheckResult result) {
        return asLine(ResultJson.write(result), false);
    }

    private static Buffer asLine(byte[] result, boolean cached) {
        byte[] tail = cached ? LINE_CACHED : LINE_FRESH;
        return Buffer.buffer(result.length - 1 + tail.length)
                .appendBytes(result, 0, result.length - 1)
                .appendBytes(tail);
    }

    /** The word that the result comes down to. */
    public String verdict() {
        return ResultJson.verdict(result);
    }

    /** A weak entity tag: the same for the fresh answer and the cached ones (RFC 9110, 8.8.3). */
    public String etag() {
        return etag;
    }

    public Instant checkedAt() {
        return checkedAt;
    }

    public Instant expiresAt() {
        return expiresAt;
    }

    /** Whether the next caller may be given this answer. */
    public boolean cacheable() {
        return cacheable;
    }

    boolean expired(Instant now) {
        return !expiresAt.isAfter(now);
    }

    /** What this answer takes of memory, roughly, in bytes. */
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
