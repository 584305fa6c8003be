package dev.plumbline.trace;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;

/**
 * One operation of a trace. {@link #NONE} records nothing, so callers do not need a condition. Thread-safe.
 *
 * <p>It is not a span of the OpenTelemetry SDK, because the ID of such a span is final at its start. The trace of a
 * request with an API key is known only after the key was looked up, which is itself a part of the trace.
 */
public final class Span {
    /** The role of an operation (OpenTelemetry). */
    public enum Kind {
        INTERNAL,
        SERVER,
        CLIENT,
        PRODUCER,
        CONSUMER
    }

    /** A span that is not recorded, nor are its children. */
    public static final Span NONE = new Span(null, 0, "", Kind.INTERNAL);

    /** The maximum length of a name and of an attribute, in characters. */
    private static final int MAX_TEXT = 1_024;

    /** The maximum number of links of a span. */
    private static final int MAX_LINKS = 32;

    private final @Nullable Trace trace;
    private final long id;
    private final long parentId;
    private final Kind kind;
    private final long startNanos = System.nanoTime();
    private final Map<String, Object> attributes = new LinkedHashMap<>();
    private final List<TraceParent> links = new ArrayList<>();
    private String name;
    private @Nullable String errorType;
    private long endNanos;
    private boolean ended;

    /** @param parentId 0 for the first span of a trace in this process */
    Span(@Nullable Trace trace, long parentId, String name, Kind kind) {
        this.trace = trace;
        this.id = trace == null ? 0 : randomId();
        this.parentId = parentId;
        this.name = shortened(name);
        this.kind = kind;
    }

    private static String shortened(String text) {
        return text.length() > MAX_TEXT ? text.substring(0, MAX_TEXT) : text;
    }

    private static long randomId() {
        long random = ThreadLocalRandom.current().nextLong();
        return random == 0 ? 1 : random;
    }

    /** Whether this span is recorded, or can be when the parent of its trace is decided. */
    public boolean recorded() {
        return trace != null && trace.recorded();
    }

    /** Starts a span of an operation that is a part of this one. */
    public Span child(String operation, Kind role) {
        return trace != null && trace.recorded() ? new Span(trace, id, operation, role) : NONE;
    }

    /** Starts a span of an operation in this process. */
    public Span child(String operation) {
        return child(operation, Kind.INTERNAL);
    }

    public synchronized Span rename(String other) {
        if (this != NONE) {
            name = shortened(other);
        }
        return this;
    }

    /** Sets an attribute that contains no target, URL, host or query of a target. A null value is ignored. */
    public Span set(String attribute, @Nullable String value) {
        return value == null ? this : put(attribute, shortened(value));
    }

    public Span set(String attribute, long value) {
        return put(attribute, value);
    }

    public Span set(String attribute, boolean value) {
        return put(attribute, value);
    }

    /** Sets an attribute that identifies a target. It is recorded only if {@code tracing.targets} is enabled. */
    public Span setTarget(String attribute, @Nullable String value) {
        return trace != null && trace.recordsTargets() ? set(attribute, value) : this;
    }

    private synchronized Span put(String attribute, Object value) {
        if (this != NONE && !ended) {
            attributes.put(attribute, value);
        }
        return this;
    }

    /** Adds a link to a span of another trace. */
    public Span link(Span other) {
        return link(other.context());
    }

    /** Adds a link to a span of another trace. A null value is ignored. */
    public Span link(@Nullable TraceParent context) {
        synchronized (this) {
            if (this != NONE && context != null && links.size() < MAX_LINKS) {
                links.add(context);
            }
        }
        return this;
    }

    /**
     * Marks the operation as failed.
     *
     * @param type an error code or the name of a class, not a message, because messages contain targets
     */
    public synchronized Span fail(String type) {
        if (this != NONE) {
            errorType = type;
        }
        return this;
    }

    /** Marks the operation as failed. */
    public Span fail(Throwable failure) {
        return fail(
                failure instanceof TypedFailure typed
                        ? typed.errorType()
                        : failure.getClass().getSimpleName());
    }

    /** Ends the operation. Later calls have no effect. */
    public void end() {
        Trace owner = trace;
        if (owner == null) {
            return;
        }
        synchronized (this) {
            if (ended) {
                return;
            }
            ended = true;
            endNanos = System.nanoTime();
        }
        owner.add(this);
    }

    /** Whether the caller's parent of this trace is offered, but its use is not decided. */
    public boolean parentUndecided() {
        return trace != null && trace.undecided();
    }

    /**
     * Decides whether the parent that the caller offered is used. Only the first decision has an effect.
     *
     * @param trusted if not, this is a new trace
     */
    public void decideParent(boolean trusted) {
        if (trace != null) {
            trace.decide(trusted);
        }
    }

    /** The context for other processes, which decides an undecided parent; null if this span is not recorded. */
    public @Nullable TraceParent context() {
        if (trace == null) {
            return null;
        }
        trace.decide(false);
        return trace.recorded() ? new TraceParent(trace.id(), id) : null;
    }

    synchronized FinishedSpan finished(Trace of) {
        return new FinishedSpan(
                of.id(),
                id,
                parentId == 0 ? of.remoteParentId() : parentId,
                parentId == 0 && of.remoteParentId() != 0,
                name,
                kind,
                of.epochNanos(startNanos),
                of.epochNanos(endNanos),
                Map.copyOf(attributes),
                List.copyOf(links),
                errorType);
    }
}
