package dev.plumbline.ops;

import dev.plumbline.concurrent.CurrentSpan;
import dev.plumbline.trace.Span;
import dev.plumbline.trace.TraceParent;
import dev.plumbline.trace.Tracer;
import io.vertx.core.Context;
import io.vertx.core.MultiMap;
import io.vertx.core.eventbus.Message;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.core.http.HttpVersion;
import io.vertx.core.net.SocketAddress;
import io.vertx.core.spi.tracing.SpanKind;
import io.vertx.core.spi.tracing.TagExtractor;
import io.vertx.core.spi.tracing.VertxTracer;
import io.vertx.core.tracing.TracingPolicy;
import java.util.Locale;
import java.util.Map;
import java.util.function.BiConsumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The spans of HTTP requests, messages of the event bus and SQL statements, from the tracing SPI of Vert.x.
 *
 * <p>It replaces vertx-opentelemetry, which uses the {@code traceparent} of every caller, and records paths and
 * queries: these contain targets, job tokens and credentials of targets. Here, an attribute is recorded only if it is
 * named.
 */
public final class SpanTracer implements VertxTracer<Span, Span>, Tracer.Holder {
    private static final int SERVER_ERRORS = 500;

    private final Tracer tracer;
    private final Predicate<SocketAddress> trustedPeers;

    /** @param trustedPeers the proxies whose {@code traceparent} is used */
    public SpanTracer(Tracer tracer, Predicate<SocketAddress> trustedPeers) {
        this.tracer = tracer;
        this.trustedPeers = trustedPeers;
        CurrentSpan.register();
    }

    @Override
    public Tracer tracer() {
        return tracer;
    }

    @Override
    public <R> @Nullable Span receiveRequest(
            Context context,
            SpanKind kind,
            TracingPolicy policy,
            R request,
            String operation,
            Iterable<Map.Entry<String, String>> headers,
            TagExtractor<R> tags) {
        Span span = Span.NONE;
        if (request instanceof HttpServerRequest received && policy != TracingPolicy.IGNORE) {
            span = ofRequest(received);
        } else if (request instanceof Message<?> message) {
            span = ofMessage(message);
        }
        if (span == Span.NONE) {
            return null;
        }
        CurrentSpan.set(context, span);
        return span;
    }

    private Span ofRequest(HttpServerRequest request) {
        // the semantic conventions of OpenTelemetry: a client can send any method
        String method = HttpMethod.values().contains(request.method())
                ? request.method().name()
                : "_OTHER";
        if (request.method().equals(HttpMethod.OPTIONS) && "*".equals(request.uri())) {
            // the health check of this service
            return Span.NONE;
        }
        MultiMap headers = request.headers();
        // two headers are contradictory
        TraceParent parent = headers.getAll(TraceParent.HEADER).size() == 1
                ? TraceParent.parse(headers.get(TraceParent.HEADER))
                : null;
        Span span;
        if (parent == null) {
            span = tracer.root(method, Span.Kind.SERVER);
        } else if (request.remoteAddress() != null && trustedPeers.test(request.remoteAddress())) {
            span = tracer.trusted(parent, method, Span.Kind.SERVER);
        } else if (headers.contains("Authorization") || headers.contains("X-Api-Key")) {
            span = tracer.undecided(parent, method, Span.Kind.SERVER);
        } else {
            span = tracer.root(method, Span.Kind.SERVER);
        }
        return span.set("http.request.method", method)
                .set("url.scheme", request.scheme())
                .set("network.protocol.version", version(request.version()));
    }

    private static @Nullable String version(@Nullable HttpVersion version) {
        return version == null
                ? null
                : switch (version) {
                    case HTTP_1_0 -> "1.0";
                    case HTTP_1_1 -> "1.1";
                    case HTTP_2 -> "2";
                };
    }

    private Span ofMessage(Message<?> message) {
        TraceParent parent = TraceParent.parse(message.headers().get(TraceParent.HEADER));
        return parent == null
                ? Span.NONE
                : describe(tracer.continued(parent, "", Span.Kind.CONSUMER), message.address(), "process");
    }

    private static Span describe(Span span, String address, String operation) {
        int node = address.indexOf('@');
        String type = node < 0 ? address : address.substring(0, node);
        return span.rename(type + " " + operation)
                .set("messaging.system", "vertx")
                .set("messaging.operation.name", operation)
                .set("messaging.destination.name", type)
                .set("plumbline.node", node < 0 ? null : address.substring(node + 1));
    }

    @Override
    public <R> void sendResponse(
            Context context,
            @Nullable R response,
            @Nullable Span span,
            @Nullable Throwable failure,
            TagExtractor<R> tags) {
        if (span == null) {
            return;
        }
        if (response instanceof HttpServerResponse sent) {
            span.set("http.response.status_code", sent.getStatusCode())
                    .set("plumbline.request_id", sent.headers().get("X-Request-Id"));
            if (sent.getStatusCode() >= SERVER_ERRORS) {
                span.fail(Integer.toString(sent.getStatusCode()));
            }
        }
        span.decideParent(false);
        CurrentSpan.end(span, failure);
    }

    @Override
    public <R> @Nullable Span sendRequest(
            Context context,
            SpanKind kind,
            TracingPolicy policy,
            R request,
            String operation,
            BiConsumer<String, String> headers,
            TagExtractor<R> tags) {
        Span parent = CurrentSpan.get(context);
        if (!parent.recorded() || policy == TracingPolicy.IGNORE) {
            return null;
        }
        if (request instanceof Message<?> message) {
            Span span = describe(parent.child("", Span.Kind.PRODUCER), message.address(), operation);
            TraceParent own = span.context();
            if (own == null) {
                return null;
            }
            headers.accept(TraceParent.HEADER, own.text());
            return span;
        }
        String sql = tags.extract(request).get("db.query.text");
        if (sql == null) {
            // a client of this service itself, such as that of the health check
            return null;
        }
        String statement = sql.strip();
        String verb = statement.split("\\W", 2)[0].toUpperCase(Locale.ROOT);
        return parent.child(verb, Span.Kind.CLIENT)
                .set("db.system.name", "postgresql")
                .set("db.operation.name", verb)
                // all statements have parameters, so the text contains no values
                .set("db.query.text", statement);
    }

    @Override
    public <R> void receiveResponse(
            Context context,
            @Nullable R response,
            @Nullable Span span,
            @Nullable Throwable failure,
            TagExtractor<R> tags) {
        if (span != null) {
            CurrentSpan.end(span, failure);
        }
    }
}
