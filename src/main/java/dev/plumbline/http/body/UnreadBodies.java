package dev.plumbline.http.body;

import com.google.common.primitives.Longs;
import dev.plumbline.http.AccessLog;
import dev.plumbline.http.HttpMetrics;
import dev.plumbline.http.problem.Problem;
import dev.plumbline.http.problem.ProblemResponder;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpConnection;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpVersion;
import java.time.Duration;
import java.util.Set;

/** Bodies that no operation reads: of GET, HEAD, DELETE and unknown methods, and of requests that are rejected. */
public final class UnreadBodies {
    /** The size limit of any request body, in bytes. */
    public static final long MAX_BYTES = 8L << 20;

    /**
     * How long a connection is read after a response that was sent before the end of the request. A close with unread
     * input may destroy the response (RFC 9112, 9.6).
     */
    static final long LINGER_MS = 300;

    /** The HTTP/2 error code for a request whose rest is not needed (RFC 9113, 8.1). */
    static final long NO_ERROR = 0;

    private static final Set<String> METHODS_WITH_BODY = Set.of("POST", "PUT", "PATCH");

    private final Vertx vertx;
    private final Duration timeout;
    private final ProblemResponder problems;
    private final HttpMetrics metrics;
    private final AccessLog accessLog;

    /** @param timeout from the head to the end of a body */
    public UnreadBodies(
            Vertx vertx, Duration timeout, ProblemResponder problems, HttpMetrics metrics, AccessLog accessLog) {
        this.vertx = vertx;
        this.timeout = timeout;
        this.problems = problems;
        this.metrics = metrics;
        this.accessLog = accessLog;
    }

    /** Whether a request has, or over HTTP/2 may have, a body that was not read to its end. */
    public static boolean mayHaveBody(HttpServerRequest request) {
        return !request.isEnded()
                && (request.version() == HttpVersion.HTTP_2
                        || declaredLength(request) > 0
                        || request.headers().contains(HttpHeaders.TRANSFER_ENCODING));
    }

    /** The value of Content-Length in bytes; -1 if absent. */
    public static long declaredLength(HttpServerRequest request) {
        String length = request.headers().get(HttpHeaders.CONTENT_LENGTH);
        if (length == null) {
            return -1;
        }
        // the codec rejects everything but digits
        Long bytes = Longs.tryParse(length);
        return bytes == null ? Long.MAX_VALUE : bytes;
    }

    /**
     * Reads the body of a request that no operation reads, up to the limit. An incomplete request is never processed,
     * so it is never charged.
     *
     * @param next called at most once, when the request can be processed
     */
    public void filter(HttpServerRequest request, Runnable next) {
        long length = declaredLength(request);
        if (METHODS_WITH_BODY.contains(request.method().name())
                || length <= 0 && !request.headers().contains(HttpHeaders.TRANSFER_ENCODING)) {
            next.run();
        } else if (length > MAX_BYTES) {
            reject(request, tooLarge());
        } else {
            new BodyReceiver(vertx, request, MAX_BYTES, timeout, problem -> {
                        if (problem == null) {
                            next.run();
                        } else if (!request.response().closed()) {
                            reject(request, problem);
                        }
                    })
                    .start(part -> {});
        }
    }

    /** Sends a problem and ends the connection, over HTTP/2 the stream. */
    public void reject(HttpServerRequest request, Problem problem) {
        metrics.count("none", problem.status());
        boolean http2 = request.version() == HttpVersion.HTTP_2;
        problems.send(request, http2 ? problem : problem.with("Connection", "close"));
        accessLog.log(request, AccessLog.NO_ROUTE, 0);
        if (http2) {
            endStream(request);
        } else {
            HttpConnection connection = request.connection();
            afterLinger(() -> connection.close());
        }
    }

    /** Ends an HTTP/2 stream whose response was sent before the end of the request. */
    public void endStream(HttpServerRequest request) {
        if (request.version() == HttpVersion.HTTP_2 && !request.isEnded()) {
            afterLinger(() -> {
                if (!request.isEnded()) {
                    request.response().reset(NO_ERROR);
                }
            });
        }
    }

    private void afterLinger(Runnable task) {
        vertx.setTimer(LINGER_MS, expired -> task.run());
    }

    public static Problem tooLarge() {
        return BodyReceiver.tooLarge(MAX_BYTES);
    }
}
