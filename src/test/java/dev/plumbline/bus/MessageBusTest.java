package dev.plumbline.bus;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.plumbline.check.CheckError;
import dev.plumbline.check.CheckResult;
import dev.plumbline.check.ErrorCode;
import dev.plumbline.check.Finding;
import dev.plumbline.check.Level;
import dev.plumbline.check.Verdict;
import dev.plumbline.model.JobState;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.eventbus.ReplyException;
import io.vertx.junit5.VertxExtension;
import io.vertx.junit5.VertxTestContext;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

@ExtendWith(VertxExtension.class)
class MessageBusTest {
    private static final Finding FINDING =
            new Finding(Level.WARN, "slow", "response_time_ms", "It was slow.", "Be quick.", null);

    private static final JobMessage.JobSnapshot JOB = new JobMessage.JobSnapshot(
            3,
            "job_0123456789abcdefghijkl",
            "first",
            "http-status",
            Map.of(),
            JobState.RUNNING,
            4,
            2,
            1,
            1,
            0,
            0,
            0,
            0,
            List.of(0, 2),
            Instant.parse("2026-11-20T10:00:00Z"),
            Instant.parse("2026-11-20T10:00:01Z"),
            null,
            null);

    static Stream<Message> everyMessage() {
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("status", 200);
        fields.put("server", null);
        fields.put("redirects", List.of(Map.of("url", "http://a.example/")));
        CheckResult result = new CheckResult(
                "http-status",
                "http://a.example/",
                Verdict.WARN,
                fields,
                List.of(FINDING),
                List.of("fields.redirects"),
                new CheckError(ErrorCode.READ_TIMEOUT, "It was silent."),
                Instant.parse("2026-11-20T10:00:00.123Z"),
                84);
        return Stream.of(
                new Message.RunCheck("http-status", "http://a.example/", Map.of(), true, 7, 3_000, "id-1", true),
                new Message.Checked(result),
                new Message.Overloaded(3),
                new Message.Paused(),
                new Message.Ping(),
                new Message.ChargeQuota("fresh", "192.0.2.1", 1),
                new Message.RefundQuota("fresh", "192.0.2.1", 1, 1_700_000_000_000_000L),
                new Message.Granted(30, 12, 840, 1_700_000_000_000_000L),
                new Message.Denied(30, 0, 840),
                new Message.QuotaUnavailable(false),
                new Message.Done(),
                new JobMessage.CreateJob(
                        7,
                        8,
                        "first",
                        "http-status",
                        List.of("a.example", "b.example"),
                        Map.of("method", "get"),
                        true,
                        new JobMessage.Idempotency("once", "hash")),
                new JobMessage.JobCreated(JOB, false, List.of(new JobMessage.QuotaStatus("jobs", 60, 59, 3600))),
                new JobMessage.JobQuotaExceeded(new JobMessage.QuotaStatus("jobs", 60, 0, 12), 12, List.of()),
                new JobMessage.IdempotencyMismatch(),
                new JobMessage.IdempotencyPending(),
                new JobMessage.ReadJob(7, JOB.token()),
                new JobMessage.AwaitJob(7, JOB.token(), 4, 30_000),
                new JobMessage.CancelJob(7, JOB.token()),
                new JobMessage.JobFound(JOB),
                new JobMessage.JobNotFound(),
                new JobMessage.JobExpired(),
                new JobMessage.JobsUnavailable(false),
                new JobMessage.ReadResults(3, 4, 50, 20),
                new JobMessage.ResultLines(List.of(new JobMessage.ResultLine(50, "a.example", new byte[] {'{', '}'}))),
                new JobMessage.ListJobs(7, 20, JOB.token()),
                new JobMessage.JobList(List.of(JOB), true),
                new JobMessage.ReadUsage(7),
                new JobMessage.Usage(
                        List.of(new JobMessage.UsageDay(Instant.parse("2026-11-20T00:00:00Z"), 3, 1200)), 1, true));
    }

    @Test
    void theExamplesCoverAllMessages() {
        assertThat(everyMessage().map(message -> message.getClass().getSimpleName()))
                .containsExactlyInAnyOrderElementsOf(
                        MessageJson.typesOf(Message.class).keySet());
    }

    @ParameterizedTest
    @MethodSource("everyMessage")
    void messagesSurviveEncoding(Message message) {
        BusCodec codec = new BusCodec();
        Buffer wire = Buffer.buffer("prefix");
        codec.encodeToWire(wire, message);

        assertThat(codec.decodeFromWire(6, wire)).usingRecursiveComparison().isEqualTo(message);
    }

    @Test
    void unknownVersionsAndTypesAreRejected() {
        MessageJson wire = new MessageJson();

        assertThatThrownBy(() -> wire.read(bytes("{\"v\":2,\"type\":\"Done\",\"body\":{}}")))
                .hasMessageContaining("version 2");
        assertThatThrownBy(() -> wire.read(bytes("{\"v\":1,\"type\":\"Undone\",\"body\":{}}")))
                .hasMessageContaining("Undone");
        assertThatThrownBy(() -> wire.read(bytes("nonsense"))).hasMessageContaining("malformed");
    }

    @Test
    void messagesArePassedByReferenceWithinANode(Vertx vertx, VertxTestContext test) {
        MessageBus bus = MessageBus.of(vertx);
        Message.Done answer = new Message.Done();
        bus.serve("there", Message.Ping.class, ping -> Future.succeededFuture(answer));

        bus.request("there", new Message.Ping(), Message.Done.class, 1000)
                .onComplete(test.succeeding(reply -> test.verify(() -> {
                    assertThat(reply).isSameAs(answer);
                    test.completeNow();
                })));
    }

    @Test
    void requestsToUnservedAddressesFailAtOnce(Vertx vertx, VertxTestContext test) {
        MessageBus.of(vertx)
                .request("nowhere", new Message.Ping(), Message.Done.class, 60_000)
                .onComplete(test.failing(failure -> test.verify(() -> {
                    assertThat(failure).isInstanceOf(ReplyException.class);
                    assertThat(MessageBus.isTimeout(failure)).isFalse();
                    test.completeNow();
                })));
    }

    @Test
    void aFailingHandlerIsNotATimeout(Vertx vertx, VertxTestContext test) {
        MessageBus bus = MessageBus.of(vertx);
        bus.serve("faulty", Message.Ping.class, ping -> {
            throw new IllegalStateException("a fault that the test wants");
        });

        bus.request("faulty", new Message.Ping(), Message.Done.class, 60_000)
                .onComplete(test.failing(failure -> test.verify(() -> {
                    assertThat(MessageBus.isTimeout(failure)).isFalse();
                    assertThat(failure.getMessage()).doesNotContain("fault");
                    test.completeNow();
                })));
    }

    @Test
    void aMissingReplyIsATimeout(Vertx vertx, VertxTestContext test) {
        MessageBus bus = MessageBus.of(vertx);
        bus.serve("silent", Message.Ping.class, ping -> io.vertx.core.Promise.<Message>promise()
                .future());

        bus.request("silent", new Message.Ping(), Message.Done.class, 1)
                .onComplete(test.failing(failure -> test.verify(() -> {
                    assertThat(MessageBus.isTimeout(failure)).isTrue();
                    test.completeNow();
                })));
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
