package dev.plumbline.http.body;

import dev.plumbline.http.problem.Problem;
import dev.plumbline.http.problem.ProblemResponder;
import dev.plumbline.http.problem.RequestFutures;
import io.vertx.core.Handler;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpVersion;
import io.vertx.ext.web.RoutingContext;
import java.time.Duration;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Reads request bodies, with a limit for each body and a limit for all bodies in memory. Rejections are sent as
 * problems.
 *
 * <p>A body is not read until an operation requests it, so that a request can be rejected without reading its body. An
 * unread body is discarded after the response; if it is large or does not end in time, the connection is closed.
 */
public final class RequestBodyReader {
    /** The limit for all bodies in memory, in bytes. Parsing a body takes several times its size. */
    private static final long MAX_BUFFERED_BYTES = 24L << 20;

    /** A smaller unread body is read to its end, so that the connection stays open. */
    private static final long MAX_DISCARDED_BYTES = 64 << 10;

    private static final long DISCARD_TIMEOUT_MS = 5_000;

    /** Set when the request has ended: end handlers that are added later do not run. */
    private static final String ENDED = RequestBodyReader.class.getName() + ".ended";

    private final ProblemResponder problems;
    private final AtomicLong bufferedBytes = new AtomicLong();

    /** One instance per process, because the memory limit applies to the process. */
    public RequestBodyReader(ProblemResponder problems) {
        this.problems = problems;
    }

    /** The size of all bodies in memory. */
    long bufferedBytes() {
        return bufferedBytes.get();
    }

    /** Pauses the body of a request until it is read. */
    public static void pause(RoutingContext ctx) {
        HttpServerRequest request = ctx.request();
        if (request.isEnded()) {
            return;
        }
        request.pause();
        boolean http2 = request.version() == HttpVersion.HTTP_2;
        long length = UnreadBodies.declaredLength(request);
        boolean discard = length >= 0 && length <= MAX_DISCARDED_BYTES;
        ctx.addHeadersEndHandler(head -> {
            if (request.isEnded()) {
                return;
            }
            // the rest is discarded
            request.resume();
            if (!request.isEnded() && !discard && !http2) {
                ctx.response().putHeader("Connection", "close");
            }
        });
        ctx.addEndHandler(end -> {
            ctx.put(ENDED, true);
            if (!request.isEnded()) {
                ctx.vertx().setTimer(discard ? DISCARD_TIMEOUT_MS : UnreadBodies.LINGER_MS, expired -> {
                    if (!http2 && (!discard || !request.isEnded())) {
                        request.connection().close();
                    } else if (http2 && !request.isEnded()) {
                        request.response().reset(UnreadBodies.NO_ERROR);
                    }
                });
            }
        });
    }

    /**
     * Reads a JSON body.
     *
     * @param maxBytes the size limit
     * @param timeout from now to the end of the body
     * @param consumer receives the body, which counts as in memory until the response has ended. Not called if the body
     *     is rejected (400 incomplete, 408 timeout, 413 too large, 415 other media type, 503 too many bodies in memory)
     *     or if the connection is closed.
     */
    public void readJson(RoutingContext ctx, int maxBytes, Duration timeout, Handler<Buffer> consumer) {
        read(ctx, "application/json", maxBytes, timeout, consumer);
    }

    /** As {@link #readJson}, for a form that can contain files; see {@link FormBody#parse}. */
    public void readUpload(RoutingContext ctx, int maxBytes, Duration timeout, Handler<Buffer> consumer) {
        read(ctx, FormBody.MULTIPART, maxBytes, timeout, consumer);
    }

    /** @param type the media type */
    void read(RoutingContext ctx, String type, int maxBytes, Duration timeout, Handler<Buffer> consumer) {
        HttpServerRequest request = ctx.request();
        if (hasEnded(ctx)) {
            return;
        }
        Problem rejection = rejection(request, type, maxBytes);
        if (rejection != null) {
            problems.send(ctx, rejection);
        } else if (request.isEnded()) {
            consumer.handle(Buffer.buffer());
        } else {
            new BufferedBody(ctx, maxBytes, timeout, consumer).start();
        }
    }

    /** Whether the response or the connection has ended, so that end handlers that are added do not run. */
    public static boolean hasEnded(RoutingContext ctx) {
        return ctx.response().closed() || ctx.response().ended() || ctx.get(ENDED) != null;
    }

    private static @Nullable Problem rejection(HttpServerRequest request, String type, int maxBytes) {
        if (!hasType(type, request.getHeader("Content-Type"))) {
            return unsupported("Send the body as Content-Type: " + type + ".");
        }
        String coding = request.getHeader("Content-Encoding");
        if (coding != null && !coding.equalsIgnoreCase("identity")) {
            return unsupported("Send the body without Content-Encoding.");
        }
        return UnreadBodies.declaredLength(request) > maxBytes ? BodyReceiver.tooLarge(maxBytes) : null;
    }

    private static Problem unsupported(String detail) {
        return Problem.of(415, "unsupported-media-type", "Unsupported media type", detail);
    }

    private static boolean hasType(String expected, @Nullable String type) {
        if (type == null) {
            return false;
        }
        if (expected.equals(FormBody.MULTIPART)) {
            return FormBody.isForm(type);
        }
        String plain = type.toLowerCase(Locale.ROOT).replace(" ", "").replace("\"", "");
        return plain.equals(expected) || plain.equals(expected + ";charset=utf-8");
    }

    /** One body in memory. Confined to the context of its request. */
    private final class BufferedBody {
        private final RoutingContext ctx;
        private final Handler<Buffer> consumer;
        private final Buffer body = Buffer.buffer();
        private final BodyReceiver receiver;
        private boolean released;

        BufferedBody(RoutingContext ctx, int maxBytes, Duration timeout, Handler<Buffer> consumer) {
            this.ctx = ctx;
            this.consumer = consumer;
            this.receiver = new BodyReceiver(ctx.vertx(), ctx.request(), maxBytes, timeout, this::complete);
        }

        void start() {
            ctx.addEndHandler(end -> release());
            receiver.start(this::append);
        }

        private void append(Buffer part) {
            if (hasEnded(ctx)) {
                release();
                return;
            }
            body.appendBuffer(part);
            if (bufferedBytes.addAndGet(part.length()) > MAX_BUFFERED_BYTES) {
                receiver.complete(Problem.unavailable(
                        "overloaded", "Too many large requests are in progress. Retry shortly.", 1));
            }
        }

        private void complete(@Nullable Problem problem) {
            if (problem == null) {
                RequestFutures.run(ctx, () -> consumer.handle(body));
            } else {
                problems.send(ctx, problem);
            }
        }

        private void release() {
            receiver.cancel();
            if (!released) {
                released = true;
                bufferedBytes.addAndGet(-body.length());
            }
        }
    }
}
