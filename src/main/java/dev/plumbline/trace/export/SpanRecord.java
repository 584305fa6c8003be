package dev.plumbline.trace.export;

import dev.plumbline.trace.FinishedSpan;
import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.api.common.AttributesBuilder;
import io.opentelemetry.api.trace.SpanContext;
import io.opentelemetry.api.trace.SpanId;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.api.trace.TraceFlags;
import io.opentelemetry.api.trace.TraceState;
import io.opentelemetry.sdk.common.InstrumentationScopeInfo;
import io.opentelemetry.sdk.resources.Resource;
import io.opentelemetry.sdk.trace.data.EventData;
import io.opentelemetry.sdk.trace.data.LinkData;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.opentelemetry.sdk.trace.data.StatusData;
import java.util.List;

/** A span in the form of the exporter. */
record SpanRecord(FinishedSpan span, Attributes attributes, Resource resource) implements SpanData {
    private static final InstrumentationScopeInfo SCOPE = InstrumentationScopeInfo.create("plumbline");

    static SpanRecord of(FinishedSpan span, Resource resource) {
        AttributesBuilder attributes = Attributes.builder();
        span.attributes().forEach((name, value) -> {
            if (value instanceof Long number) {
                attributes.put(name, number);
            } else if (value instanceof Boolean flag) {
                attributes.put(name, flag);
            } else {
                attributes.put(name, value.toString());
            }
        });
        if (span.errorType() != null) {
            attributes.put("error.type", span.errorType());
        }
        return new SpanRecord(span, attributes.build(), resource);
    }

    @Override
    public String getName() {
        return span.name();
    }

    @Override
    public SpanKind getKind() {
        return switch (span.kind()) {
            case INTERNAL -> SpanKind.INTERNAL;
            case SERVER -> SpanKind.SERVER;
            case CLIENT -> SpanKind.CLIENT;
            case PRODUCER -> SpanKind.PRODUCER;
            case CONSUMER -> SpanKind.CONSUMER;
        };
    }

    @Override
    public SpanContext getSpanContext() {
        return context(span.traceId(), span.spanId());
    }

    @Override
    public SpanContext getParentSpanContext() {
        if (span.parentId() == 0) {
            return SpanContext.getInvalid();
        }
        return span.parentRemote()
                ? SpanContext.createFromRemoteParent(
                        span.traceId(),
                        SpanId.fromLong(span.parentId()),
                        TraceFlags.getSampled(),
                        TraceState.getDefault())
                : context(span.traceId(), span.parentId());
    }

    private static SpanContext context(String traceId, long spanId) {
        return SpanContext.create(traceId, SpanId.fromLong(spanId), TraceFlags.getSampled(), TraceState.getDefault());
    }

    @Override
    public StatusData getStatus() {
        return span.errorType() == null ? StatusData.unset() : StatusData.create(StatusCode.ERROR, span.errorType());
    }

    @Override
    public long getStartEpochNanos() {
        return span.startNanos();
    }

    @Override
    public Attributes getAttributes() {
        return attributes;
    }

    @Override
    public List<EventData> getEvents() {
        return List.of();
    }

    @Override
    public List<LinkData> getLinks() {
        return span.links().stream()
                .map(link -> LinkData.create(context(link.traceId(), link.spanId())))
                .toList();
    }

    @Override
    public long getEndEpochNanos() {
        return span.endNanos();
    }

    @Override
    public boolean hasEnded() {
        return true;
    }

    @Override
    public int getTotalRecordedEvents() {
        return 0;
    }

    @Override
    public int getTotalRecordedLinks() {
        return span.links().size();
    }

    @Override
    public int getTotalAttributeCount() {
        return attributes.size();
    }

    /** Required by the interface, but replaced by the scope. */
    @Override
    @SuppressWarnings("deprecation")
    public io.opentelemetry.sdk.common.InstrumentationLibraryInfo getInstrumentationLibraryInfo() {
        return io.opentelemetry.sdk.common.InstrumentationLibraryInfo.create(SCOPE.getName(), null);
    }

    @Override
    public InstrumentationScopeInfo getInstrumentationScopeInfo() {
        return SCOPE;
    }

    @Override
    public Resource getResource() {
        return resource;
    }
}
