package dev.plumbline.support;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.opentelemetry.proto.collector.trace.v1.ExportTraceServiceRequest;
import io.opentelemetry.proto.common.v1.AnyValue;
import io.opentelemetry.proto.common.v1.KeyValue;
import io.opentelemetry.proto.trace.v1.Span;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.zip.GZIPInputStream;

/** A collector on loopback that receives traces with OTLP over HTTP. */
public final class OtlpReceiver implements AutoCloseable {
    private final HttpServer server;
    private final Queue<Received> received = new ConcurrentLinkedQueue<>();
    private final Queue<Map<String, List<String>>> headers = new ConcurrentLinkedQueue<>();
    private volatile int status = 200;

    /** A span and the attributes of the process that sent it. */
    public record Received(Span span, List<KeyValue> resource) {
        public String traceId() {
            return HexFormat.of().formatHex(span.getTraceId().toByteArray());
        }

        public String id() {
            return HexFormat.of().formatHex(span.getSpanId().toByteArray());
        }

        /** Empty for the first span of a trace. */
        public String parent() {
            return HexFormat.of().formatHex(span.getParentSpanId().toByteArray());
        }

        public String name() {
            return span.getName();
        }

        /** The value of an attribute as text; null if it is missing. */
        public String attribute(String name) {
            return value(span.getAttributesList(), name);
        }

        public String resource(String name) {
            return value(resource, name);
        }

        /** All texts of the span. */
        public String texts() {
            return name()
                    + span.getAttributesList().stream()
                            .map(attribute -> "\n" + attribute.getKey() + "=" + text(attribute.getValue()))
                            .collect(Collectors.joining())
                    + "\n" + span.getStatus().getMessage();
        }

        private static String value(List<KeyValue> attributes, String name) {
            return attributes.stream()
                    .filter(attribute -> attribute.getKey().equals(name))
                    .map(attribute -> text(attribute.getValue()))
                    .findFirst()
                    .orElse(null);
        }

        private static String text(AnyValue value) {
            return switch (value.getValueCase()) {
                case INT_VALUE -> Long.toString(value.getIntValue());
                case BOOL_VALUE -> Boolean.toString(value.getBoolValue());
                default -> value.getStringValue();
            };
        }
    }

    private OtlpReceiver(HttpServer server) {
        this.server = server;
    }

    public static OtlpReceiver start() {
        try {
            HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
            OtlpReceiver receiver = new OtlpReceiver(server);
            server.createContext("/v1/traces", receiver::receive);
            server.start();
            return receiver;
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }

    public String endpoint() {
        return "http://127.0.0.1:" + server.getAddress().getPort() + "/v1/traces";
    }

    private void receive(HttpExchange exchange) throws IOException {
        boolean gzip = "gzip".equals(exchange.getRequestHeaders().getFirst("Content-Encoding"));
        try (InputStream body = gzip ? new GZIPInputStream(exchange.getRequestBody()) : exchange.getRequestBody()) {
            ExportTraceServiceRequest.parseFrom(body)
                    .getResourceSpansList()
                    .forEach(resource -> resource.getScopeSpansList().forEach(scope -> scope.getSpansList()
                            .forEach(span -> received.add(
                                    new Received(span, resource.getResource().getAttributesList())))));
        }
        headers.add(Map.copyOf(exchange.getRequestHeaders()));
        exchange.getResponseHeaders().add("Content-Type", "application/x-protobuf");
        exchange.sendResponseHeaders(status, -1);
        exchange.close();
    }

    /** Later responses have this status. */
    public void reject(int withStatus) {
        status = withStatus;
    }

    /** The headers of each request. The names have the form {@code Content-type}. */
    public List<Map<String, List<String>>> headers() {
        return List.copyOf(headers);
    }

    /** The values of the header {@code api-key}, one of each request. */
    public List<String> keys() {
        return headers.stream()
                .map(of -> of.getOrDefault("Api-key", List.of("")).get(0))
                .toList();
    }

    public List<Received> spans() {
        return List.copyOf(received);
    }

    /** The first span with this request ID that is the root of a trace or has a parent in another process. */
    private Received first(String requestId, Set<String> names) {
        return received.stream()
                .filter(span -> requestId.equals(span.attribute("plumbline.request_id"))
                        && (names.isEmpty()
                                ? span.span().getKind() == Span.SpanKind.SPAN_KIND_SERVER
                                : names.contains(span.name())))
                .findFirst()
                .orElse(null);
    }

    /** Waits for the trace of an HTTP request until its spans meet a condition. */
    public List<Received> trace(String requestId, Predicate<List<Received>> complete) {
        return trace(requestId, Set.of(), complete);
    }

    /** Waits for the trace of the line of a job. */
    public List<Received> line(String requestId, Predicate<List<Received>> complete) {
        return trace(requestId, Set.of("job line"), complete);
    }

    private List<Received> trace(String requestId, Set<String> names, Predicate<List<Received>> complete) {
        List<Received> spans = new ArrayList<>();
        try {
            Await.until(() -> {
                Received first = first(requestId, names);
                spans.clear();
                if (first != null) {
                    of(first.traceId()).forEach(spans::add);
                }
                return first != null && complete.test(spans);
            });
        } catch (AssertionError incomplete) {
            throw new AssertionError(
                    "spans of " + requestId + ":\n" + tree(spans) + "\nall spans:\n" + tree(spans()), incomplete);
        }
        return spans;
    }

    private Stream<Received> of(String traceId) {
        return received.stream().filter(span -> span.traceId().equals(traceId));
    }

    /** The names and IDs of spans, for messages. */
    public static String tree(List<Received> spans) {
        return spans.stream()
                .map(span -> span.traceId().substring(0, 6) + " " + span.parent() + " > " + span.id() + " "
                        + span.resource("service.instance.id") + " " + span.name())
                .collect(Collectors.joining("\n"));
    }

    /** The spans whose parent is neither empty nor one of these spans. */
    public static List<Received> orphans(List<Received> spans) {
        Set<String> ids = spans.stream().map(Received::id).collect(Collectors.toSet());
        return spans.stream()
                .filter(span -> !span.parent().isEmpty() && !ids.contains(span.parent()))
                .toList();
    }

    @Override
    public void close() {
        server.stop(0);
    }
}
