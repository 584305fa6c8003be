package dev.plumbline.http.problem;

import io.vertx.core.Future;
import io.vertx.ext.web.RoutingContext;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Continues a request after a future. The router catches only exceptions of its handlers. */
public final class RequestFutures {
    private RequestFutures() {}

    /** Passes the result to the consumer. A failure, or an exception of the consumer, fails the request. */
    public static <T extends @Nullable Object> void handle(RoutingContext ctx, Future<T> future, Consumer<T> consumer) {
        handle(ctx, future, consumer, problem -> ctx.fail(new ProblemException(problem)));
    }

    /** As above, but passes the problem of a {@link ProblemException} to {@code rejected}. */
    public static <T extends @Nullable Object> void handle(
            RoutingContext ctx, Future<T> future, Consumer<T> consumer, Consumer<Problem> rejected) {
        future.onComplete((value, failure) -> {
            if (failure instanceof ProblemException rejection) {
                run(ctx, () -> rejected.accept(rejection.problem()));
            } else if (failure != null) {
                ctx.fail(failure);
            } else {
                run(ctx, () -> consumer.accept(value));
            }
        });
    }

    /** Runs a callback. An exception fails the request. */
    public static void run(RoutingContext ctx, Runnable callback) {
        try {
            callback.run();
        } catch (RuntimeException e) {
            ctx.fail(e);
        }
    }
}
