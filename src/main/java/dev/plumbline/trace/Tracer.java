package dev.plumbline.trace;

import java.util.HexFormat;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Starts traces. The sampling depends on the trace ID only, so all services with one ratio record the same traces. */
public final class Tracer {
    private final double sampleRatio;
    private final boolean targets;
    private final Consumer<FinishedSpan> sink;

    /** An object through which the tracer of the current context can be found. */
    public interface Holder {
        Tracer tracer();
    }

    /**
     * @param sampleRatio the fraction of new traces that are recorded, from 0 to 1
     * @param targets whether attributes can contain targets
     * @param sink receives each recorded span; must not block
     */
    public Tracer(double sampleRatio, boolean targets, Consumer<FinishedSpan> sink) {
        this.sampleRatio = sampleRatio;
        this.targets = targets;
        this.sink = sink;
    }

    /** Starts a new trace. */
    public Span root(String name, Span.Kind kind) {
        return first(newTraceId(), null, name, kind);
    }

    /** Continues the trace of a caller whose context is trusted. Whether it is recorded is decided by this service. */
    public Span trusted(TraceParent parent, String name, Span.Kind kind) {
        return first(parent.traceId(), parent, name, kind);
    }

    private Span first(String traceId, @Nullable TraceParent parent, String name, Span.Kind kind) {
        return samples(traceId) ? new Span(Trace.sampled(this, traceId, parent), 0, name, kind) : Span.NONE;
    }

    /** Starts a trace whose caller is not known yet, see {@link Span#decideParent}. */
    public Span undecided(TraceParent offered, String name, Span.Kind kind) {
        return new Span(Trace.undecided(this, offered), 0, name, kind);
    }

    /** Continues a trace that another node of this service records. */
    public Span continued(TraceParent parent, String name, Span.Kind kind) {
        return new Span(Trace.sampled(this, parent.traceId(), parent), 0, name, kind);
    }

    boolean recordsTargets() {
        return targets;
    }

    /** Whether traces with this ID are recorded: compares its last 63 bits with the ratio. */
    boolean samples(String traceId) {
        return (HexFormat.fromHexDigitsToLong(traceId, 16, 32) & Long.MAX_VALUE) < sampleRatio * Long.MAX_VALUE
                || sampleRatio >= 1;
    }

    static String newTraceId() {
        ThreadLocalRandom random = ThreadLocalRandom.current();
        long low = random.nextLong();
        return HexFormat.of().toHexDigits(random.nextLong()) + HexFormat.of().toHexDigits(low == 0 ? 1 : low);
    }

    void finished(FinishedSpan span) {
        sink.accept(span);
    }
}
