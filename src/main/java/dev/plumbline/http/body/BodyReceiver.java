package dev.plumbline.http.body;

import dev.plumbline.http.problem.Problem;
import io.vertx.core.Handler;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerRequest;
import java.time.Duration;
import java.util.Locale;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Receives the body of one request with a size limit and a timeout. Confined to the context of the request. */
final class BodyReceiver {
    private final Vertx vertx;
    private final HttpServerRequest request;
    private final long maxBytes;
    private final Consumer<@Nullable Problem> completion;
    private final long timer;
    private long bytes;
    private boolean completed;

    /**
     * @param timeout from now to the end of the body
     * @param completion called at most once: with null at the end of the body, else with the problem (400 incomplete or
     *     malformed, 408 timeout, 413 too large)
     */
    BodyReceiver(
            Vertx vertx,
            HttpServerRequest request,
            long maxBytes,
            Duration timeout,
            Consumer<@Nullable Problem> completion) {
        this.vertx = vertx;
        this.request = request;
        this.maxBytes = maxBytes;
        this.completion = completion;
        this.timer = vertx.setTimer(timeout.toMillis(), expired -> complete(timedOut(timeout)));
    }

    /**
     * Sends 100 (Continue) if the client expects it, and reads the body.
     *
     * @param consumer receives the parts within the size limit
     */
    void start(Handler<Buffer> consumer) {
        if ("100-continue".equalsIgnoreCase(request.getHeader(HttpHeaders.EXPECT))) {
            request.response().writeContinue();
        }
        request.exceptionHandler(
                        failure -> complete(Problem.badRequest("The request body is incomplete or malformed.")))
                .handler(part -> {
                    bytes += part.length();
                    if (bytes > maxBytes) {
                        complete(tooLarge(maxBytes));
                    } else if (!completed) {
                        consumer.handle(part);
                    }
                })
                .endHandler(end -> complete(null))
                .resume();
    }

    void complete(@Nullable Problem problem) {
        if (cancel()) {
            completion.accept(problem);
        }
    }

    /** Drops the rest of the body. Returns false if the reception has already ended. */
    boolean cancel() {
        if (completed) {
            return false;
        }
        completed = true;
        vertx.cancelTimer(timer);
        return true;
    }

    static Problem tooLarge(long maxBytes) {
        return Problem.of(
                413,
                "content-too-large",
                "Request body too large",
                "The request body must not exceed " + String.format(Locale.ROOT, "%,d", maxBytes) + " bytes.");
    }

    private static Problem timedOut(Duration timeout) {
        return Problem.of(
                408,
                "request-timeout",
                "Request timeout",
                "The request body was not received within " + timeout.toSeconds() + " seconds.");
    }
}
