package dev.plumbline.trace.export;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.support.Await;
import dev.plumbline.support.CapturedLog;
import dev.plumbline.support.OtlpReceiver;
import dev.plumbline.trace.FinishedSpan;
import dev.plumbline.trace.Span;
import dev.plumbline.trace.TraceParent;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class SpanExportTest {
    private static FinishedSpan span(long id) {
        return span(id, Map.of("text", "value", "number", 5L, "flag", true));
    }

    private static FinishedSpan span(long id, Map<String, Object> attributes) {
        return new FinishedSpan(
                "0af7651916cd43dd8448eb211c80319c",
                id,
                7,
                true,
                "operation",
                Span.Kind.CLIENT,
                1_000,
                2_000,
                attributes,
                List.of(new TraceParent("1af7651916cd43dd8448eb211c80319c", 9)),
                "connect_timeout");
    }

    @Test
    void collectorReceivesAllParts() {
        try (OtlpReceiver collector = OtlpReceiver.start()) {
            SpanExport export =
                    new SpanExport(collector.endpoint(), Map.of("api-key", "k"), Map.of("service.name", "test"));
            export.accept(span(3));

            // not at the close, which does not wait for the start of the library on a loaded machine
            Await.until(() -> export.exported() == 1);
            export.close();
            OtlpReceiver.Received received = collector.spans().get(0);
            assertThat(received.traceId()).isEqualTo("0af7651916cd43dd8448eb211c80319c");
            assertThat(received.id()).isEqualTo("0000000000000003");
            assertThat(received.parent()).isEqualTo("0000000000000007");
            assertThat(received.attribute("number")).isEqualTo("5");
            assertThat(received.attribute("flag")).isEqualTo("true");
            assertThat(received.attribute("error.type")).isEqualTo("connect_timeout");
            assertThat(received.span().getLinksCount()).isEqualTo(1);
            assertThat(received.span().getStartTimeUnixNano()).isEqualTo(1_000);
            assertThat(received.span().getEndTimeUnixNano()).isEqualTo(2_000);
            assertThat(received.resource("service.name")).isEqualTo("test");
            assertThat(collector.keys()).containsExactly("k");
            assertThat(export.exported()).isEqualTo(1);
        }
    }

    /** Proxies and servers for HTTP/1.1 reject requests for an upgrade. */
    @Test
    void requestsToAnHttpUrlAreOrdinaryHttp1Requests() {
        try (OtlpReceiver collector = OtlpReceiver.start()) {
            SpanExport export = new SpanExport(collector.endpoint(), Map.of(), Map.of());
            export.accept(span(3));

            Await.until(() -> export.exported() == 1);
            export.close();
            assertThat(collector.headers()).hasSize(1).allSatisfy(headers -> assertThat(headers.keySet())
                    .contains("Content-type", "Content-encoding")
                    .doesNotContain("Upgrade", "Http2-settings", "Connection"));
        }
    }

    @Test
    void laterSpansAreExportedAfterAnInternalError() {
        try (OtlpReceiver collector = OtlpReceiver.start();
                CapturedLog log = new CapturedLog()) {
            SpanExport export = new SpanExport(collector.endpoint(), Map.of(), Map.of());
            export.accept(span(3, Map.of("broken", new Object() {
                @Override
                public String toString() {
                    throw new IllegalStateException("a test error");
                }
            })));
            Await.until(() -> export.failed() == 1);
            export.accept(span(4));

            Await.until(() -> export.exported() == 1);
            export.close();
            assertThat(collector.spans()).extracting(OtlpReceiver.Received::id).containsExactly("0000000000000004");
            assertThat(log.text())
                    .contains("ERROR span export failed because of an internal error", "a test error")
                    .doesNotContain("spans not exported");
        }
    }

    @Test
    void aWarningContainsTheStatusOfTheCollector() {
        try (OtlpReceiver collector = OtlpReceiver.start();
                CapturedLog log = new CapturedLog()) {
            SpanExport export = new SpanExport(collector.endpoint(), Map.of(), Map.of());
            collector.reject(403);
            export.accept(span(3));

            Await.until(() -> export.failed() == 1);
            export.close();
            assertThat(export.exported()).isZero();
            assertThat(log.text()).contains("WARN spans not exported", "HTTP status 403");
        }
    }

    @Test
    void spansThatDoNotFitIntoTheQueueOfASilentCollectorAreDroppedWithoutWaiting() throws IOException {
        try (ServerSocket silent = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
            SpanExport export =
                    new SpanExport("http://127.0.0.1:" + silent.getLocalPort() + "/v1/traces", Map.of(), Map.of());
            long start = System.nanoTime();
            for (int i = 1; i <= 20_000; i++) {
                export.accept(span(i));
            }
            long millis = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start);

            assertThat(export.dropped()).isBetween(10_000L, 11_808L);
            assertThat(export.queued()).isLessThanOrEqualTo(8_192);
            assertThat(millis).isLessThan(2_000);
            // the request ends at its deadline
            Await.until(() -> export.failed() >= 512);
            export.close();
            assertThat(export.exported()).isZero();
        }
    }
}
