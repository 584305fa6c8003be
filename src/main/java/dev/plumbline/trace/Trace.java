package dev.plumbline.trace;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** The spans of one trace in this process. Thread-safe. */
final class Trace {
    /** The maximum number of ended spans before the parent is decided: the lookup of a key. */
    private static final int MAX_WAITING = 64;

    private final Tracer tracer;
    private final @Nullable TraceParent offered;
    private final long startNanos = System.nanoTime();
    private final long startEpochNanos = TimeUnit.MILLISECONDS.toNanos(System.currentTimeMillis());
    private final List<Span> waiting = new ArrayList<>();
    private boolean undecided;
    private boolean sampled;
    private String id = "";
    private long remoteParentId;

    private Trace(Tracer tracer, @Nullable TraceParent offered) {
        this.tracer = tracer;
        this.offered = offered;
    }

    /** A trace whose parent may be used, see {@link #decide}. */
    static Trace undecided(Tracer tracer, TraceParent offered) {
        Trace trace = new Trace(tracer, offered);
        trace.undecided = true;
        return trace;
    }

    /**
     * A recorded trace.
     *
     * @param parent null for a new trace
     */
    static Trace sampled(Tracer tracer, String id, @Nullable TraceParent parent) {
        Trace trace = new Trace(tracer, parent);
        trace.sampled = true;
        trace.id = id;
        trace.remoteParentId = parent == null ? 0 : parent.spanId();
        return trace;
    }

    synchronized boolean undecided() {
        return undecided;
    }

    synchronized boolean recorded() {
        return undecided || sampled;
    }

    synchronized String id() {
        return id;
    }

    synchronized long remoteParentId() {
        return remoteParentId;
    }

    boolean recordsTargets() {
        return tracer.recordsTargets();
    }

    /** A reading of {@link System#nanoTime} as nanoseconds since 1970. */
    long epochNanos(long nanos) {
        return startEpochNanos + nanos - startNanos;
    }

    void decide(boolean trusted) {
        List<Span> ended;
        synchronized (this) {
            if (!undecided) {
                return;
            }
            undecided = false;
            TraceParent parent = trusted ? offered : null;
            id = parent == null ? Tracer.newTraceId() : parent.traceId();
            remoteParentId = parent == null ? 0 : parent.spanId();
            sampled = tracer.samples(id);
            ended = sampled ? List.copyOf(waiting) : List.of();
            waiting.clear();
        }
        ended.forEach(this::add);
    }

    void add(Span span) {
        synchronized (this) {
            if (undecided) {
                if (waiting.size() < MAX_WAITING) {
                    waiting.add(span);
                }
                return;
            }
            if (!sampled) {
                return;
            }
        }
        tracer.finished(span.finished(this));
    }
}
