package dev.plumbline.http.server;

import dev.plumbline.http.Gzip;
import dev.plumbline.http.RequestId;
import dev.plumbline.http.ResponseBodies;
import dev.plumbline.instant.InstantChecks;
import dev.plumbline.result.RenderedResult;
import dev.plumbline.result.store.MemoryResultCache;
import io.netty.util.AsciiString;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.core.http.HttpVersion;
import java.time.Clock;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Serves cached instant checks by request path, before routing and validation. The path was validated when the result
 * was cached.
 */
public final class ResponseCacheHandler {
    private static final CharSequence CACHE_CONTROL = HttpHeaders.createOptimized("cache-control");
    private static final CharSequence AGE = HttpHeaders.createOptimized("age");
    private static final CharSequence ETAG = HttpHeaders.createOptimized("etag");
    private static final CharSequence REQUEST_ID = HttpHeaders.createOptimized("x-request-id");
    private static final CharSequence CONTENT_TYPE_OPTIONS = HttpHeaders.createOptimized("x-content-type-options");
    private static final CharSequence NOSNIFF = HttpHeaders.createOptimized("nosniff");
    private static final CharSequence GZIP = HttpHeaders.createOptimized("gzip");
    private static final CharSequence JSON = HttpHeaders.createOptimized("application/json");
    private static final AsciiString[] SECONDS = new AsciiString[601];

    static {
        for (int i = 0; i < SECONDS.length; i++) {
            SECONDS[i] = AsciiString.of(Integer.toString(i));
        }
    }

    private final MemoryResultCache cache;
    private final InstantChecks checks;
    private final Clock clock;
    private final CharSequence cacheControl;

    public ResponseCacheHandler(MemoryResultCache cache, InstantChecks checks, Clock clock, Duration lifetime) {
        this.cache = cache;
        this.checks = checks;
        this.clock = clock;
        this.cacheControl = HttpHeaders.createOptimized("public, max-age=" + lifetime.toSeconds());
    }

    /**
     * Sends a cached result. Returns false, without using the response, if there is none.
     *
     * @param onHit called before the result is sent
     */
    boolean handle(HttpServerRequest request, Runnable onHit) {
        if (!request.method().equals(HttpMethod.GET)) {
            return false;
        }
        RenderedResult result = cache.findPath(request.uri());
        if (result == null
                || !acceptsJson(request.headers().get(HttpHeaders.ACCEPT))
                || request.headers().contains(HttpHeaders.IF_NONE_MATCH)
                || (request.version() != HttpVersion.HTTP_2
                        && !request.headers().contains(HttpHeaders.HOST))) {
            return false;
        }
        checks.recordResponseCacheHit();
        onHit.run();
        HttpServerResponse response = request.response();
        writeHeaders(response, result, RequestId.of(request));
        Buffer body = result.cachedBody();
        if (body.length() >= Gzip.MIN_BYTES && Gzip.accepted(request)) {
            response.headers().set(HttpHeaders.CONTENT_ENCODING, GZIP);
            body = result.encodedBody(Gzip::encode);
        }
        response.end(body);
        return true;
    }

    /** Sets the headers of a publicly cacheable response. */
    public void writeHeaders(HttpServerResponse response, RenderedResult result, String requestId) {
        response.headers()
                .set(HttpHeaders.CONTENT_TYPE, JSON)
                .set(CACHE_CONTROL, cacheControl)
                .set(AGE, age(result))
                .set(ETAG, result.etag())
                .set(CONTENT_TYPE_OPTIONS, NOSNIFF)
                .set(REQUEST_ID, requestId);
        if (result.cachedBody().length() >= Gzip.MIN_BYTES) {
            ResponseBodies.addVary(response, "Accept-Encoding");
        }
    }

    private CharSequence age(RenderedResult result) {
        long seconds = (clock.millis() - result.checkedAt().toEpochMilli()) / 1000;
        return seconds >= 0 && seconds < SECONDS.length ? SECONDS[(int) seconds] : Long.toString(Math.max(0, seconds));
    }

    private static boolean acceptsJson(@Nullable String accept) {
        return accept == null || accept.equals("*/*") || accept.equals("application/json");
    }
}
