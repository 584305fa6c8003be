package dev.plumbline.http.body;

import dev.plumbline.http.problem.Problem;
import dev.plumbline.http.problem.ProblemResponder;
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
 * Reads the bodies of requests: JSON and forms, so many bytes at most, within a time, and all that
 * are held at once within a bound. What is refused is answered here, as a problem.
 *
 * <p>Until an operation asks for it a body is held back, so that a caller can be told to sign in
 * before anything is read. What nobody asked for is thrown away after the answer; if it is much, or
 * does not end soon, the connection is closed.
 */
public final class RequestBodyReader {
    /** A body that is parsed takes several times its bytes. */
    private static final long MOST_HELD = 24L << 20;

    /** A small rest is read to its end, so that the connection can serve on. */
    private static final long MOST_THROWN_AWAY = 64 << 10;

    private static final long PATIENCE_MS = 5_000;

    /** Set once the request is over: nobody is told of that who asks only afterwards. */
    private static final String OVER = RequestBodyReader.class.getName() + ".over";

    private final ProblemResponder problems;
    private final AtomicLong held = new AtomicLong();

    /** One for each process, since it is the process's memory that is bounded. */
    public RequestBodyReader(ProblemResponder problems) {
        this.problems = problems;
    }

    /** Bytes of bodies that are held just now. */
    public long held() {
        return held.get();
    }

    /**
     * Holds back the body of a request until it is read; for every operation that has one, before
     * anything else.
     */
    public static void hold(RoutingContext ctx) {
        HttpServerRequest request = ctx.request();
        if (request.isEnded()) {
            return;
        }
        request.pause();
        boolean http2 = request.version() == HttpVersion.HTTP_2;
        boolean worthReading = length(request) <= MOST_THROWN_AWAY;
        ctx.addHeadersEndHandler(head -> {
            if (request.isEnded()) {
                return;
            }
            // thrown away from here on
            request.resume();
            if (!request.isEnded() && !worthReading && !http2) {
                ctx.response().putHeader("Connection", "close");
            }
        });
        ctx.addEndHandler(answered -> {
            ctx.put(OVER, true);
            if (!request.isEnded()) {
                ctx.vertx().setTimer(worthReading ? PATIENCE_MS : UnreadBodies.LINGER_MS, late -> {
                    if (!http2 && (!worthReading || !request.isEnded())) {
                        request.connection().close();
                    } else if (http2 && !request.isEnded()) {
                        request.response().reset(UnreadBodies.NO_ERROR);
                    }
                });
            }
        });
    }

    /** The declared length in bytes; the maximum if it is not declared. */
    private static long length(HttpServerRequest request) {
        long length = UnreadBodies.declaredLength(request);
        return length < 0 ? Long.MAX_VALUE : length;
    }

    /**
     * Reads the JSON body of a request.
     *
     * @param most bytes
     * @param within which all of it must come
     * @param then called with the body, of which the memory counts until the answer is sent; never
     *     called when the body was refused, which has then been answered: 400 broken off, 408 too
     *     slow, 413 too large, 415 no JSON, 503 too many bodies at once; nor when the client has gone
     */
    public void readJson(RoutingContext ctx, int most, Duration within, Handler<Buffer> then) {
        read(ctx, "application/json", most, within, then);
    }

    /** As {@link #readJson}, of a form that a page has sent. */
    void readForm(RoutingContext ctx, int most, Duration within, Handler<Buffer> then) {
        read(ctx, "application/x-www-form-urlencoded", most, within, then);
    }

    /**
     * As {@link #readJson}, of a form that may hold files; {@link UploadForm#read} makes one of it.
     */
    public void readUpload(RoutingContext ctx, int most, Duration within, Handler<Buffer> then) {
        read(ctx, UploadForm.MULTIPART, most, within, then);
    }

    private void read(RoutingContext ctx, String type, int most, Duration within, Handler<Buffer> then) {
        HttpServerRequest request = ctx.request();
        if (isOver(ctx)) {
            return;
        }
        Problem refusal = refusal(request, type, most);
        if (refusal != null) {
            problems.send(ctx, refusal);
            return;
        }
        if (request.isEnded()) {
            then.handle(Buffer.buffer());
            return;
        }
        if ("100-continue".equalsIgnoreCase(request.getHeader("Expect"))) {
            ctx.response().writeContinue();
        }
        new Reading(ctx, most, within, then).begin();
    }

    private static boolean isOver(RoutingContext ctx) {
        return ctx.response().closed() || ctx.response().ended() || ctx.get(OVER) != null;
    }

    private @Nullable Problem refusal(HttpServerRequest request, String type, int most) {
        if (!isOf(type, request.getHeader("Content-Type"))) {
            return Problem.of(
                    415,
                    "unsupported-media-type",
                    "The body is of a kind that is not read here",
                    "Send the body as Content-Type: " + type + ".");
        }
        String coding = request.getHeader("Content-Encoding");
        if (coding != null && !coding.equalsIgnoreCase("identity")) {
            return Problem.of(
                    415,
                    "unsupported-media-type",
                    "The body is of a kind that is not read here",
                    "Send the body as it is, without Content-Encoding.");
        }
        boolean declared = request.headers().contains("Content-Length");
        return declared && length(request) > most ? tooLarge(most) : null;
    }

    private static boolean isOf(String wanted, @Nullable String type) {
        if (type == null) {
            return false;
        }
        if (wanted.equals(UploadForm.MULTIPART)) {
            return UploadForm.isOne(type);
        }
        String plain = type.toLowerCase(Locale.ROOT).replace(" ", "").replace("\"", "");
        return plain.equals(wanted) || plain.equals(wanted + ";charset=utf-8");
    }

    private static Problem tooLarge(int most) {
        return Problem.of(
                413,
                "content-too-large",
                "The body is too large",
                "It may have " + String.format(Locale.ROOT, "%,d", most) + " bytes.");
    }

    /** One body on its way. Lives on the event loop of its request. */
    private final class Reading {
        private final RoutingContext ctx;
        private final int most;
        private final Handler<Buffer> then;
        private final Buffer body = Buffer.buffer();
        private final long timer;
        private final Duration within;
        private boolean over;
        private boolean released;

        /** Bytes that count as held. */
        private long counted;

        Reading(RoutingContext ctx, int most, Duration within, Handler<Buffer> then) {
            this.ctx = ctx;
            this.most = most;
            this.within = within;
            this.then = then;
            this.timer = ctx.vertx().setTimer(within.toMillis(), late -> refuse(tooSlow()));
        }

        void begin() {
            ctx.addEndHandler(answered -> release());
            ctx.request()
                    .exceptionHandler(broken -> refuse(Problem.badRequest("The body broke off before its end.")))
                    .handler(this::take)
                    .endHandler(all -> {
                        if (!over) {
                            end();
                            handOver();
                        }
                    })
                    .resume();
        }

        private void take(Buffer piece) {
            if (over) {
                return;
            }
            if (isOver(ctx)) {
                release();
                return;
            }
            if (body.length() + piece.length() > most) {
                refuse(tooLarge(most));
                return;
            }
            body.appendBuffer(piece);
            counted += piece.length();
            if (held.addAndGet(piece.length()) > MOST_HELD) {
                refuse(Problem.unavailable(
                        "overloaded", "Too many large requests are under way; try again shortly.", 1));
            }
        }

        private void handOver() {
            try {
                then.handle(body);
            } catch (RuntimeException fault) {
                // nobody else would answer
                ctx.fail(fault);
            }
        }

        private void refuse(Problem problem) {
            if (!over) {
                end();
                problems.send(ctx, problem);
            }
        }

        private void end() {
            over = true;
            ctx.vertx().cancelTimer(timer);
        }

        private void release() {
            end();
            if (!released) {
                released = true;
                held.addAndGet(-counted);
            }
        }

        private Problem tooSlow() {
            return Problem.of(
                    408,
                    "request-timeout",
                    "The request did not arrive in time",
                    "Send the whole body within " + within.toSeconds() + " seconds.");
        }
    }
}
