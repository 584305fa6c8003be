package dev.plumbline.http.server;

import dev.plumbline.http.RequestIdHandler;
import dev.plumbline.instant.InstantChecks;
import dev.plumbline.result.RenderedResult;
import dev.plumbline.result.ResultCache;
import io.netty.util.AsciiString;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.core.http.HttpVersion;
import java.time.Clock;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Answers an instant check whose very path was found valid before and whose result is not yet old,
 * ahead of routing and validation: this is what a busy service mostly does.
 */
public final class ResponseCacheHandler {
    private static final CharSequence CACHE_CONTROL = HttpHeaders.createOptimized("cache-control");
    private static final CharSequence AGE = HttpHeaders.createOptimized("age");
    private static final CharSequence ETAG = HttpHeaders.createOptimized("etag");
    private static final CharSequence REQUEST_ID = HttpHeaders.createOptimized("x-request-id");
    private static final CharSequence CONTENT_TYPE_OPTIONS = HttpHeaders.createOptimized("x-content-type-options");
    private static final CharSequence NOSNIFF = HttpHeaders.createOptimized("nosniff");
    private static final CharSequence JSON = HttpHeaders.createOptimized("application/json");
    private static final AsciiString[] SECONDS = new AsciiString[601];

    static {
        for (int i = 0; i < SECONDS.length; i++) {
            SECONDS[i] = AsciiString.of(Integer.toString(i));
        }
    }

    private final ResultCache cache;
    private final InstantChecks checks;
    private final Clock clock;
    private final CharSequence cacheControl;

    public ResponseCacheHandler(ResultCache cache, InstantChecks checks, Clock clock, Duration lifetime) {
        this.cache = cache;
        this.checks = checks;
        this.clock = clock;
        this.cacheControl = HttpHeaders.createOptimized("public, max-age=" + lifetime.toSeconds());
    }

    /** Answers the request if it can; false leaves it untouched. */
    boolean answer(HttpServerRequest request) {
        if (!request.method().equals(HttpMethod.GET)) {
            return false;
        }
        RenderedResult answer = cache.findPath(request.uri());
        if (answer == null
                || !acceptsJson(request.headers().get(HttpHeaders.ACCEPT))
                || request.headers().contains(HttpHeaders.IF_NONE_MATCH)
                || (request.version() != HttpVersion.HTTP_2
                        && !request.headers().contains(HttpHeaders.HOST))) {
            return false;
        }
        checks.recordResponseCacheHit();
        HttpServerResponse response = request.response();
        writeHeaders(response, answer, RequestIdHandler.of(request));
        response.end(answer.cachedBody());
        return true;
    }

    /** The headers of an answer that may be given to anybody. */
    public void writeHeaders(HttpServerResponse response, RenderedResult answer, String requestId) {
        response.headers()
                .set(HttpHeaders.CONTENT_TYPE, JSON)
                .set(CACHE_CONTROL, cacheControl)
                .set(AGE, age(answer))
                .set(ETAG, answer.etag())
                .set(CONTENT_TYPE_OPTIONS, NOSNIFF)
                .set(REQUEST_ID, requestId);
    }

    private CharSequence age(RenderedResult answer) {
        long seconds = (clock.millis() - answer.checkedAt().toEpochMilli()) / 1000;
        return seconds >= 0 && seconds < SECONDS.length ? SECONDS[(int) seconds] : Long.toString(Math.max(0, seconds));
    }

    private static boolean acceptsJson(@Nullable String accept) {
        return accept == null || accept.equals("*/*") || accept.equals("application/json");
    }
}
