package dev.plumbline.trace;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A span that ended and belongs to a recorded trace.
 *
 * @param parentId 0 for the first span of a trace
 * @param parentRemote whether the parent belongs to another process
 * @param startNanos nanoseconds since 1970
 * @param endNanos nanoseconds since 1970
 * @param attributes texts, {@link Long} and {@link Boolean} by name
 * @param links related spans of other traces
 * @param errorType the kind of the failure, such as {@code connect_timeout}; null if the operation did not fail
 */
public record FinishedSpan(
        String traceId,
        long spanId,
        long parentId,
        boolean parentRemote,
        String name,
        Span.Kind kind,
        long startNanos,
        long endNanos,
        Map<String, Object> attributes,
        List<TraceParent> links,
        @Nullable String errorType) {}
