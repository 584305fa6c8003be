package dev.plumbline.bus;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.result.CheckResult;
import dev.plumbline.result.Finding;
import dev.plumbline.result.Level;
import dev.plumbline.result.LimitWait;
import dev.plumbline.result.ResultJson;
import dev.plumbline.result.Verdict;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.eventbus.ReplyException;
import io.vertx.junit5.Checkpoint;
import io.vertx.junit5.VertxExtension;
import io.vertx.junit5.VertxTestContext;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@ExtendWith(VertxExtension.class)
class MessageBusTest {
    @Test
    void theResultOfACheckIsTransferredAsStoredBytes() {
        CheckResult result = new CheckResult(
                "http-status",
                "http-status/1",
                "http://a.example/",
                Verdict.WARN,
                Map.of("status", 200),
                List.of(new Finding(Level.WARN, "slow", "response_time_ms", "It was slow.", "Be quick.", null)),
                List.of(),
                null,
                Instant.parse("2026-11-20T10:00:00.123Z"),
                84);

        assertThat(transferred(Message.CompletedCheck.of(result, LimitWait.NONE)))
                .usingRecursiveComparison()
                .isEqualTo(new Message.CompletedCheck(
                        Verdict.WARN, result.checkedAt(), true, 0, false, LimitWait.NONE, ResultJson.write(result)));
    }

    @Test
    void newMembersAreIgnoredAndMissingMembersHaveDefaults() {
        assertThat(read("{\"v\":2,\"type\":\"Overloaded\",\"body\":{\"retryAfterSeconds\":3,\"added\":{\"a\":[1]}}}"))
                .isEqualTo(new Message.Overloaded(3));
        assertThat(read("{\"v\":2,\"type\":\"RunCheck\",\"body\":{}}"))
                .isEqualTo(new Message.RunCheck("", "", Map.of(), false, 0, 0, "", false, ""));
        assertThat(read("{\"v\":2,\"type\":\"JobFound\",\"body\":{\"job\":{\"id\":7,"
                        + "\"state\":\"QUEUED\",\"createdAt\":\"1970-01-01T00:00:00Z\"}}}"))
                .isEqualTo(new JobMessage.JobFound(new JobMessage.JobSnapshot(
                        7,
                        "",
                        "",
                        "",
                        Map.of(),
                        null,
                        JobState.QUEUED,
                        0,
                        0,
                        0,
                        0,
                        0,
                        0,
                        0,
                        0,
                        List.of(),
                        List.of(),
                        Instant.EPOCH,
                        null,
                        null,
                        null)));
        assertThat(read("{\"v\":2,\"type\":\"JobCreated\",\"body\":{\"quotas\":[{\"limit\":60}],"
                        + "\"job\":{\"state\":\"QUEUED\",\"createdAt\":\"1970-01-01T00:00:00Z\"}}}"))
                .extracting(created -> ((JobMessage.JobCreated) created).quotas())
                .isEqualTo(List.of(new JobMessage.QuotaStatus("", 60, 0, 0)));
    }

    @Test
    void messagesOfAnotherGenerationAreUnreadable() {
        assertThat(read("{\"v\":1,\"type\":\"Done\",\"body\":{}}"))
                .isEqualTo(new Message.Unreadable("unsupported generation 1"));
        assertThat(read("{\"v\":2,\"type\":\"Undone\",\"body\":{}}"))
                .isEqualTo(new Message.Unreadable("unknown message type Undone"));
        assertThat(read("{\"v\":2,\"type\":\"Overloaded\",\"body\":{\"retryAfterSeconds\":\"soon\"}}"))
                .isInstanceOf(Message.Unreadable.class);
        assertThat(read("nonsense")).isInstanceOf(Message.Unreadable.class);
        assertThat(read("{\"v\":2,\"type\":\"Done\",\"body\":null}")).isInstanceOf(Message.Unreadable.class);
    }

    @ParameterizedTest
    @ValueSource(ints = {-1, Integer.MIN_VALUE, 3, 1 << 30, Integer.MAX_VALUE})
    void messagesWithAnInvalidLengthAreUnreadable(int length) {
        assertThat(new BusCodec()
                        .decodeFromWire(0, Buffer.buffer().appendInt(length).appendString("{}")))
                .isInstanceOf(Message.Unreadable.class);
        assertThat(new BusCodec().decodeFromWire(0, Buffer.buffer("{}"))).isInstanceOf(Message.Unreadable.class);
    }

    @Test
    void membersThatMustNotBeNullGetTheirDefault() {
        assertThat(read("{\"v\":2,\"type\":\"RunCheck\",\"body\":{\"target\":null,\"options\":null}}"))
                .isEqualTo(new Message.RunCheck("", "", Map.of(), false, 0, 0, "", false, ""));
        assertThat(read("{\"v\":2,\"type\":\"PermitRequests\",\"body\":{\"requests\":null}}"))
                .isEqualTo(new PermitMessage.PermitRequests("", List.of()));
    }

    @Test
    void aResultWithoutAVerdictIsNotAPass() {
        Message.CompletedCheck checked = new Message.CompletedCheck(
                Verdict.FAIL, Instant.EPOCH, true, 0, false, LimitWait.NONE, "{}".getBytes(StandardCharsets.UTF_8));
        String json = new String(new MessageJson().write(checked), StandardCharsets.UTF_8);
        String[] missing = {"\"verdict\":\"FAIL\",", "\"checkedAt\":\"1970-01-01T00:00:00Z\",", ",\"json\":\"e30=\""};

        assertThat(read(json)).isInstanceOf(Message.CompletedCheck.class);
        for (String member : missing) {
            assertThat(json).contains(member);
            assertThat(read(json.replace(member, ""))).isEqualTo(new Message.Unsupported());
        }
    }

    @Test
    void unreadableMessagesAreNeitherRequestsNorReplies(Vertx vertx, VertxTestContext test) {
        MessageBus bus = MessageBus.of(vertx);
        bus.serve(Message.Ping.class, ping -> Future.succeededFuture(new Message.Unreadable("new")));

        Future<?> reply = bus.request(new Message.Ping(), Message.Done.class, 60_000);
        Future<?> request = vertx.eventBus().request("check.ping", new Message.Unreadable("new"));

        Future.join(reply, request)
                .onComplete(done -> test.verify(() -> {
                    assertThat(reply.cause()).hasMessageContaining("Unreadable");
                    assertThat(request.cause()).isInstanceOf(ReplyException.class);
                    assertThat(MessageBus.isTimeout(request.cause())).isFalse();
                    test.completeNow();
                }));
    }

    private static Message read(String json) {
        return new MessageJson().read(json.getBytes(StandardCharsets.UTF_8));
    }

    private static Message transferred(Message message) {
        BusCodec codec = new BusCodec();
        Buffer wire = Buffer.buffer("prefix");
        codec.encodeToWire(wire, message);
        return codec.decodeFromWire(6, wire);
    }

    @Test
    void messagesArePassedByReferenceWithinANode(Vertx vertx, VertxTestContext test) {
        MessageBus bus = MessageBus.of(vertx);
        Message.Done answer = new Message.Done();
        bus.serve(Message.Ping.class, ping -> Future.succeededFuture(answer));

        bus.request(new Message.Ping(), Message.Done.class, 1000)
                .onComplete(test.succeeding(reply -> test.verify(() -> {
                    assertThat(reply).isSameAs(answer);
                    test.completeNow();
                })));
    }

    @Test
    void everySubscriberReceivesReadableNotifications(Vertx vertx, VertxTestContext test) {
        MessageBus bus = MessageBus.of(vertx);
        JobMessage.JobChanged changed = new JobMessage.JobChanged(7);
        Checkpoint received = test.checkpoint(4);
        for (int i = 0; i < 2; i++) {
            bus.subscribe(JobMessage.JobChanged.class, message -> {
                test.verify(() -> assertThat(message).isSameAs(changed));
                received.flag();
            });
        }

        vertx.eventBus().publish("job.changed", new Message.Unreadable("new"));
        bus.publish(changed);
        bus.publishLocally(changed);
    }

    @Test
    void requestsToUnservedAddressesFailAtOnce(Vertx vertx, VertxTestContext test) {
        MessageBus.of(vertx)
                .request(new Message.Ping(), Message.Done.class, 60_000)
                .onComplete(test.failing(failure -> test.verify(() -> {
                    assertThat(failure).isInstanceOf(ReplyException.class);
                    assertThat(MessageBus.isTimeout(failure)).isFalse();
                    test.completeNow();
                })));
    }

    @Test
    void aFailingHandlerIsNotATimeout(Vertx vertx, VertxTestContext test) {
        MessageBus bus = MessageBus.of(vertx);
        bus.serve(Message.Ping.class, ping -> {
            throw new IllegalStateException("a fault that the test wants");
        });

        bus.request(new Message.Ping(), Message.Done.class, 60_000)
                .onComplete(test.failing(failure -> test.verify(() -> {
                    assertThat(MessageBus.isTimeout(failure)).isFalse();
                    assertThat(failure.getMessage()).doesNotContain("fault");
                    test.completeNow();
                })));
    }

    @Test
    void aMissingReplyIsATimeout(Vertx vertx, VertxTestContext test) {
        MessageBus bus = MessageBus.of(vertx);
        bus.serve(Message.Ping.class, ping -> io.vertx.core.Promise.<Message>promise()
                .future());

        bus.request(new Message.Ping(), Message.Done.class, 1)
                .onComplete(test.failing(failure -> test.verify(() -> {
                    assertThat(MessageBus.isTimeout(failure)).isTrue();
                    test.completeNow();
                })));
    }
}
