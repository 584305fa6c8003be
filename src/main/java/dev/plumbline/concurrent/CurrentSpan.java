package dev.plumbline.concurrent;

import dev.plumbline.trace.Span;
import dev.plumbline.trace.Tracer;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.spi.context.storage.ContextLocal;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The span of the current context. It is {@link Span#NONE} if the context belongs to no trace, and always if traces are
 * disabled.
 */
public final class CurrentSpan {
    private CurrentSpan() {}

    /** Not initialized while traces are disabled. */
    private static final class Local {
        static final ContextLocal<Span> SPAN = ContextLocal.registerLocal(Span.class);

        private Local() {}
    }

    /** Reserves the place of the span in all contexts. Call before the Vert.x instance is created. */
    public static void register() {
        Objects.requireNonNull(Local.SPAN);
    }

    public static Span get() {
        Context context = VertxInternals.tracedContext();
        return context == null ? Span.NONE : get(context);
    }

    public static Span get(Context context) {
        Span span = Local.SPAN.get(context);
        return span == null ? Span.NONE : span;
    }

    /** Sets the span of a context of one request or message. */
    public static void set(Context context, Span span) {
        Local.SPAN.put(context, span);
    }

    /** Starts a trace, if they are enabled. */
    public static Span root(String name, Span.Kind kind) {
        Context context = VertxInternals.tracedContext();
        return context != null && VertxInternals.tracer(context) instanceof Tracer.Holder holder
                ? holder.tracer().root(name, kind)
                : Span.NONE;
    }

    /** Calls an operation in which a span is the current one, also after its asynchronous steps. */
    public static <T> T with(Span span, Supplier<T> operation) {
        return span == get()
                ? operation.get()
                : VertxInternals.callOnDuplicate(context -> set(context, span), operation);
    }

    /** Calls an operation as {@link #with}. The span ends with the outcome of the operation. */
    public static <T> Future<T> trace(Span span, Supplier<Future<T>> operation) {
        if (!span.recorded()) {
            return with(span, operation);
        }
        return with(span, () -> ContextFutures.call(operation)).onComplete((value, failure) -> end(span, failure));
    }

    /** Calls an operation without parts of its own, whose continuation belongs to the current span. */
    public static <T> Future<T> record(String name, Span.Kind kind, Supplier<Future<T>> operation) {
        Span span = get().child(name, kind);
        return span.recorded()
                ? ContextFutures.call(operation).onComplete((value, failure) -> end(span, failure))
                : operation.get();
    }

    /** @param failure null if the operation succeeded */
    public static void end(Span span, @Nullable Throwable failure) {
        if (failure != null) {
            span.fail(failure);
        }
        span.end();
    }

    /**
     * Starts the span of an operation for several requests: a part of the trace of the first one, with links to those
     * of the others.
     */
    static <T> Span ofBatch(List<T> requests, Function<T, Span> spans) {
        Span batch = Span.NONE;
        for (T request : requests) {
            Span span = spans.apply(request);
            if (batch != Span.NONE) {
                batch.link(span);
            } else if (span.recorded()) {
                batch = span.child("batch").set("plumbline.batch.size", requests.size());
            }
        }
        return batch;
    }
}
