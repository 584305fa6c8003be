package dev.plumbline.run;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.budget.CpuAllowance;
import dev.plumbline.budget.CpuPool;
import dev.plumbline.bus.Message;
import dev.plumbline.check.CheckContext;
import dev.plumbline.check.CheckFailure;
import dev.plumbline.check.ModuleCatalogue;
import dev.plumbline.check.ModuleDefinition;
import dev.plumbline.check.OverloadFailure;
import dev.plumbline.result.CheckError;
import dev.plumbline.result.CheckResult;
import dev.plumbline.result.ErrorCode;
import dev.plumbline.result.Evaluation;
import dev.plumbline.result.TargetLimit;
import dev.plumbline.result.Verdict;
import dev.plumbline.sheet.ModuleDescription;
import dev.plumbline.sheet.Options;
import dev.plumbline.support.Await;
import dev.plumbline.support.Descriptions;
import dev.plumbline.support.ModuleDescriptionBuilder;
import dev.plumbline.target.InputType;
import dev.plumbline.target.Target;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Every check ends and releases its permit. */
class CheckRunnerTest {
    /** The reply to an instant check without a result that has contacted no target; it is not charged. */
    private static final Message.Overloaded NOT_CONTACTED = new Message.Overloaded(1);

    private static final long TIMEOUT_MS = 10_000;

    private static final TargetLimit MAIL_PROVIDER =
            new TargetLimit("mail.test", "20 DNS queries per second", "targets.dns_per_domain_per_second", 20);

    private final Vertx vertx = Vertx.vertx();
    private final Context loop = vertx.getOrCreateContext();
    private final Scripted module = new Scripted();
    private final SimpleMeterRegistry meters = new SimpleMeterRegistry();

    @AfterEach
    void close() {
        Await.value(vertx.close());
    }

    /** Completes targets on demand and records the calls. */
    private static final class Scripted implements ModuleDefinition<String> {
        private static final ModuleDescription DESCRIPTION = ModuleDescriptionBuilder.of(
                        "scripted", "Scripted", InputType.DOMAIN)
                .fields(
                        Descriptions.string("text", "Text", "A text."),
                        Descriptions.orNull(Descriptions.integer("number", "Number", "A number.")),
                        Descriptions.orNull(Descriptions.bool("flag", "Flag", "A flag.")))
                .build();

        private final List<String> started = Collections.synchronizedList(new ArrayList<>());
        private final Map<String, Promise<String>> ends = new ConcurrentHashMap<>();
        private volatile long reservedBytes;

        List<String> started() {
            synchronized (started) {
                return List.copyOf(started);
            }
        }

        Promise<String> end(String target) {
            return ends.computeIfAbsent(target, missing -> Promise.promise());
        }

        @Override
        public ModuleDescription description() {
            return DESCRIPTION;
        }

        @Override
        public Future<String> collect(Target target, CheckContext context) {
            started.add(target.text());
            if (target.text().startsWith("throws.")) {
                throw new IllegalStateException("a fault in collect");
            }
            if (target.text().startsWith("contacted.")) {
                assertThat(context.budget().take()).isTrue();
            }
            if (target.text().startsWith("timeout.")) {
                context.budget().recordEnd(new CheckFailure(ErrorCode.DNS_TIMEOUT, "The test timed out."));
            }
            if (target.text().startsWith("computes.")) {
                return context.executeBlocking(() -> use(CpuAllowance.CHECK_MS))
                        .compose(used -> context.executeBlocking(() -> "not reached"));
            }
            return context.reserve(reservedBytes)
                    .compose(reserved -> end(target.text()).future());
        }

        /** Uses CPU time of the current thread. */
        private static String use(long millis) {
            long start = CpuPool.threadNanos();
            while (CpuPool.threadNanos() - start < TimeUnit.MILLISECONDS.toNanos(millis)) {
                Thread.onSpinWait();
            }
            return "used";
        }

        @Override
        public Evaluation evaluate(String evidence, Options options) {
            if (evidence.startsWith("throw")) {
                throw new IllegalStateException("a fault in judge");
            }
            Map<String, Object> fields = new HashMap<>(Map.of("undeclared", 1));
            fields.put("text", evidence);
            return new Evaluation(fields, List.of(), null);
        }
    }

    private CheckRunner runner(int places, int queue) {
        return runner(places, queue, TestRunners.MEMORY_BYTES);
    }

    private CheckRunner runner(int places, int queue, long memoryBytes) {
        return builder().capacity(places, queue).memory(memoryBytes).build();
    }

    private TestRunners.Builder builder() {
        return TestRunners.builder(vertx, new ModuleCatalogue(List.of(module))).metrics(new RunnerMetrics(meters));
    }

    /** A runner for one check whose clock is ahead by the time that the node has lost. */
    private CheckRunner runnerWithLostTime(AtomicLong lostNanos) {
        return builder().nanos(() -> System.nanoTime() + lostNanos.get()).build();
    }

    private Future<Message.RunReply> run(CheckRunner runner, String target, long patienceMs) {
        return run(runner, target, false, patienceMs);
    }

    private Future<Message.RunReply> line(CheckRunner runner, String target) {
        return run(runner, target, true, TIMEOUT_MS);
    }

    private Future<Message.RunReply> run(CheckRunner runner, String target, boolean bulk, long patienceMs) {
        Promise<Message.RunReply> reply = Promise.promise();
        Message.RunCheck order = new Message.RunCheck(
                "scripted", target, Map.of(ModuleDescription.TIMEOUT_MS, 1000), bulk, patienceMs, "test");
        loop.runOnContext(ignored -> runner.run(order).onComplete(reply));
        return reply.future();
    }

    private Future<Message.RunReply> run(CheckRunner runner, String target) {
        return run(runner, target, TIMEOUT_MS);
    }

    private static CheckResult result(Future<Message.RunReply> reply) {
        Message.RunReply started = Await.value(reply);
        assertThat(started).isInstanceOf(Message.CompletedCheck.class);
        return TestRunners.result(started);
    }

    private static ErrorCode error(CheckResult result) {
        CheckError error = result.error();
        assertThat(error).isNotNull();
        return error.code();
    }

    /** One permit and no queue: a result shows that the permit was released. */
    private void assertPlaceIsFree(CheckRunner runner) {
        module.end("next.test").tryComplete("well");
        assertThat(result(run(runner, "next.test")).verdict()).isEqualTo(Verdict.PASS);
    }

    @Test
    void resultsContainExactlyTheDeclaredFields() {
        module.end("a.test").complete("seen");

        CheckResult result = result(run(runner(1, 0), "a.test"));

        assertThat(result.fields().keySet()).containsExactly("text", "number", "flag");
        assertThat(result.fields()).containsEntry("text", "seen").containsEntry("number", null);
        assertThat(result.error()).isNull();
        assertThat(result.target()).isEqualTo("a.test");
    }

    @Test
    void anExceptionInCollectIsAnInternalError() {
        CheckRunner runner = runner(1, 0);

        CheckResult result = result(run(runner, "throws.test"));

        assertThat(error(result)).isEqualTo(ErrorCode.INTERNAL);
        assertThat(result.error().message()).doesNotContain("a fault in collect");
        assertThat(result.verdict()).isEqualTo(Verdict.ERROR);
        assertThat(result.fields()).hasSize(3).containsOnlyKeys("text", "number", "flag");
        assertThat(result.fields().values()).containsOnlyNulls();
        assertThat(result.cacheable()).isFalse();
        assertPlaceIsFree(runner);
    }

    @Test
    void aMalformedRequestFailsAndReleasesItsPermit() {
        CheckRunner runner = runner(1, 0);

        assertThat(Await.failure(run(runner, null))).isInstanceOf(RuntimeException.class);

        assertPlaceIsFree(runner);
    }

    @Test
    void anExceptionInEvaluateIsAnInternalError() {
        CheckRunner runner = runner(1, 0);
        module.end("a.test").complete("throw");

        assertThat(error(result(run(runner, "a.test")))).isEqualTo(ErrorCode.INTERNAL);
        assertPlaceIsFree(runner);
    }

    @ParameterizedTest
    @EnumSource(names = {"CONNECT_REFUSED", "DNS_TIMEOUT", "TARGET_BLOCKED"})
    void aCheckFailureKeepsItsCode(ErrorCode code) {
        CheckRunner runner = runner(1, 0);
        module.end("a.test").fail(new CheckFailure(code, "The test timed out."));

        CheckResult result = result(run(runner, "a.test"));

        assertThat(result.error()).isEqualTo(new CheckError(code, "The test timed out."));
        assertPlaceIsFree(runner);
    }

    @Test
    void theDeadlineEndsACheck() {
        CheckRunner runner = runner(1, 0);

        CheckResult result = result(run(runner, "never.test"));

        assertThat(error(result)).isEqualTo(ErrorCode.DEADLINE_EXCEEDED);
        assertThat(result.cacheable()).isFalse();
        assertThat(result.durationMs()).isGreaterThanOrEqualTo(1000);
        assertPlaceIsFree(runner);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aCheckDuringAPauseHasNoResult(boolean bulk) {
        AtomicLong pausedNanos = new AtomicLong();
        CheckRunner runner = runnerWithLostTime(pausedNanos);
        Future<Message.RunReply> reply = run(runner, "a.test", bulk, TIMEOUT_MS);
        Await.until(() -> module.started().contains("a.test"));

        pausedNanos.set(Duration.ofSeconds(17).toNanos());
        module.end("a.test").fail(new CheckFailure(ErrorCode.READ_TIMEOUT, "No response within 10 s."));

        assertThat(Await.value(reply))
                .isEqualTo(bulk ? new Message.Refused(Message.Refused.Reason.CPU) : NOT_CONTACTED);
        assertPlaceIsFree(runner);
    }

    @ParameterizedTest
    @CsvSource({"1500, READ_TIMEOUT, true", "1500, CONNECT_REFUSED, false", "300, READ_TIMEOUT, false"})
    void aTimeoutIsNotAResultIfTheNodeLostTheTime(long lostMs, ErrorCode code, boolean refused) {
        AtomicLong lostNanos = new AtomicLong();
        CheckRunner runner = runnerWithLostTime(lostNanos);
        Future<Message.RunReply> reply = run(runner, "a.test");
        Await.until(() -> module.started().contains("a.test"));

        lostNanos.set(Duration.ofMillis(lostMs).toNanos());
        module.end("a.test").fail(new CheckFailure(code, "The test timed out."));

        assertThat(Await.value(reply)).isInstanceOf(refused ? Message.Overloaded.class : Message.CompletedCheck.class);
        assertPlaceIsFree(runner);
    }

    /** The result contains the timeout as a finding or a null field. */
    @ParameterizedTest
    @CsvSource({"timeout.test, 1500, true", "timeout.test, 300, false", "a.test, 1500, false"})
    void aResultWithATimeoutIsNotAResultIfTheNodeLostTheTime(String target, long lostMs, boolean refused) {
        AtomicLong lostNanos = new AtomicLong();
        CheckRunner runner = runnerWithLostTime(lostNanos);
        Future<Message.RunReply> reply = run(runner, target);
        Await.until(() -> module.started().contains(target));

        lostNanos.set(Duration.ofMillis(lostMs).toNanos());
        module.end(target).complete("well");

        assertThat(Await.value(reply)).isInstanceOf(refused ? Message.Overloaded.class : Message.CompletedCheck.class);
        assertPlaceIsFree(runner);
    }

    @ParameterizedTest
    @CsvSource({"200, true", "0, false"})
    void aCheckThatDoesNotEndIsNotAResultIfTheNodeLostTime(long lostMs, boolean refused) {
        AtomicLong lostNanos = new AtomicLong();
        CheckRunner runner = runnerWithLostTime(lostNanos);
        Future<Message.RunReply> reply = run(runner, "a.test");
        Await.until(() -> module.started().contains("a.test"));

        lostNanos.set(Duration.ofMillis(lostMs).toNanos());

        assertThat(Await.value(reply)).isInstanceOf(refused ? Message.Overloaded.class : Message.CompletedCheck.class);
        assertPlaceIsFree(runner);
    }

    @Test
    void waitingForARateLimitIsNotATimeout() {
        AtomicLong lostNanos = new AtomicLong();
        CheckRunner runner = runnerWithLostTime(lostNanos);
        Future<Message.RunReply> reply = run(runner, "a.test", true, TIMEOUT_MS);
        Await.until(() -> module.started().contains("a.test"));

        lostNanos.set(Duration.ofMillis(1_500).toNanos());
        module.end("a.test").fail(new OverloadFailure("No room.", Duration.ofSeconds(7)));

        assertThat(Await.value(reply)).isEqualTo(new Message.Overloaded(7));
    }

    @Test
    void aCheckWithoutMemoryIsRefused() {
        CheckRunner runner = runner(1, 0);
        module.reservedBytes = TestRunners.MEMORY_BYTES;

        assertThat(Await.value(run(runner, "a.test")))
                .as("over the limit of the check")
                .isInstanceOfSatisfying(
                        Message.CompletedCheck.class, checked -> assertThat(error(TestRunners.result(checked)))
                                .isEqualTo(ErrorCode.RESPONSE_TOO_LARGE));

        CheckRunner small = runner(2, 0, 1 << 20);
        module.reservedBytes = 700_000;
        Future<Message.RunReply> first = run(small, "b.test");
        Await.until(() -> module.started().contains("b.test"));
        assertThat(Await.value(line(small, "c.test"))).isEqualTo(new Message.Refused(Message.Refused.Reason.MEMORY));
        module.end("b.test").complete("well");
        assertThat(result(first).verdict()).isEqualTo(Verdict.PASS);
    }

    @Test
    void aCheckDoesNotStartWithoutMemory() {
        CheckRunner runner = runner(2, 0, CheckResources.BASE_BYTES * 3 / 2);
        Future<Message.RunReply> first = run(runner, "a.test");
        Await.until(() -> module.started().contains("a.test"));

        assertThat(Await.value(run(runner, "b.test", 1))).isEqualTo(NOT_CONTACTED);
        assertThat(module.started()).containsExactly("a.test");
        module.end("a.test").complete("well");
        assertThat(result(first).verdict()).isEqualTo(Verdict.PASS);
    }

    @Test
    void aCheckThatUsesItsCpuTimeEnds() {
        Message.RunCheck order = new Message.RunCheck(
                "scripted", "computes.test", Map.of(ModuleDescription.TIMEOUT_MS, 30_000), false, TIMEOUT_MS, "test");
        Promise<Message.RunReply> reply = Promise.promise();
        CheckRunner runner = runner(1, 0);
        loop.runOnContext(ignored -> runner.run(order).onComplete(reply));

        CheckResult result = result(reply.future());
        assertThat(result.error())
                .isEqualTo(new CheckError(
                        ErrorCode.RESPONSE_TOO_LARGE,
                        "Processing the responses takes more than 1000 ms of CPU time, the limit for each check."));
        assertThat(result.cacheable()).isTrue();
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void anOverloadOfTheNodeAfterARequestIsNotAResult(boolean bulk) {
        module.end("contacted.test").fail(OverloadFailure.ofNode("No room.", Duration.ofSeconds(7)));

        assertThat(Await.value(run(runner(1, 0), "contacted.test", bulk, TIMEOUT_MS)))
                .isEqualTo(new Message.Refused(Message.Refused.Reason.CPU));
    }

    @Test
    void completionAfterTheDeadlineReleasesNoSecondPermit() {
        CheckRunner runner = runner(1, 0);
        result(run(runner, "late.test"));

        module.end("late.test").complete("late");

        Future<Message.RunReply> first = run(runner, "open.test");
        Future<Message.RunReply> second = run(runner, "other.test");
        assertThat(Await.value(second)).isInstanceOf(Message.Overloaded.class);
        module.end("open.test").complete("well");
        assertThat(result(first).verdict()).isEqualTo(Verdict.PASS);
    }

    @Test
    void anOverloadFailureIsReportedAsOverloaded() {
        CheckRunner runner = runner(1, 0);
        module.end("a.test").fail(new OverloadFailure("No room.", Duration.ofSeconds(7)));

        assertThat(Await.value(run(runner, "a.test"))).isEqualTo(new Message.Overloaded(7));
        assertPlaceIsFree(runner);
        assertThat(meters.counter("plumbline.checks.rejected", "reason", "target_limit")
                        .count())
                .isEqualTo(1);
    }

    @Test
    void theLimitThatRejectsACheckIsNamed() {
        CheckRunner runner = runner(1, 0);
        module.end("a.test").fail(new OverloadFailure("No room.", Duration.ofSeconds(7)).by(MAIL_PROVIDER));
        module.end("contacted.test").fail(new OverloadFailure("No room.", Duration.ofSeconds(7)).by(MAIL_PROVIDER));

        assertThat(Await.value(run(runner, "a.test"))).isEqualTo(new Message.Overloaded(7, MAIL_PROVIDER));
        assertThat(result(run(runner, "contacted.test")).error())
                .isEqualTo(new CheckError(
                        ErrorCode.DEADLINE_EXCEEDED,
                        "The check timed out because of the limit of 20 DNS queries per second to mail.test."));
        assertThat(meters.counter("plumbline.checks.rejected", "reason", "capacity")
                        .count())
                .isZero();
    }

    @Test
    void theQueueIsFifo() {
        CheckRunner runner = runner(1, 3);
        List<Future<Message.RunReply>> replies = new ArrayList<>();
        for (String target : List.of("a.test", "b.test", "c.test", "d.test")) {
            replies.add(run(runner, target));
        }
        Future<Message.RunReply> tooMany = run(runner, "e.test");

        assertThat(Await.value(tooMany)).isInstanceOf(Message.Overloaded.class);
        assertThat(module.started).containsExactly("a.test");
        for (String target : List.of("d.test", "c.test", "b.test", "a.test")) {
            module.end(target).complete(target);
        }
        assertThat(replies)
                .extracting(reply -> result(reply).fields().get("text"))
                .containsExactly("a.test", "b.test", "c.test", "d.test");
        assertThat(module.started).containsExactly("a.test", "b.test", "c.test", "d.test");
        assertThat(meters.get("plumbline.checks.running").gauge().value()).isZero();
        assertThat(meters.get("plumbline.checks.queued").gauge().value()).isZero();
    }

    @Test
    void instantChecksPrecedeLinesOfJobs() {
        CheckRunner runner = runner(8, 1);
        List<Future<Message.RunReply>> replies = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            replies.add(line(runner, "line-" + i + ".test"));
        }
        assertThat(Await.value(line(runner, "too-many.test"))).isInstanceOf(Message.Overloaded.class);
        replies.add(run(runner, "instant-0.test"));
        replies.add(run(runner, "instant-1.test"));
        assertThat(Await.value(run(runner, "late.test"))).isInstanceOf(Message.Overloaded.class);
        assertThat(module.started)
                .as("the eighth place is for instant checks")
                .hasSize(8)
                .endsWith("line-6.test", "instant-0.test");

        module.end("line-0.test").complete("well");
        Await.until(() -> module.started.size() == 9);
        module.end("line-1.test").complete("well");
        Await.until(() -> module.started.size() == 10);

        assertThat(module.started).endsWith("instant-1.test", "line-7.test");
        for (String target : List.copyOf(module.started)) {
            module.end(target).tryComplete("well");
        }
        replies.forEach(reply -> assertThat(result(reply).verdict()).isEqualTo(Verdict.PASS));
        assertThat(meters.get("plumbline.checks.running").gauge().value()).isZero();
        assertThat(meters.get("plumbline.checks.queued").gauge().value()).isZero();
    }

    @Test
    void theQueueTimeoutIsReportedAsOverloaded() {
        CheckRunner runner = runner(1, 5);
        Future<Message.RunReply> first = run(runner, "a.test");
        Future<Message.RunReply> hasty = run(runner, "b.test", 1);
        Future<Message.RunReply> patient = run(runner, "c.test");

        assertThat(Await.value(hasty)).isInstanceOf(Message.Overloaded.class);
        module.end("a.test").complete("a");
        module.end("c.test").complete("c");
        result(first);
        result(patient);
        assertThat(module.started).containsExactly("a.test", "c.test");
    }

    @Test
    void manySynchronousCompletionsDoNotOverflowTheStack() {
        CheckRunner runner = runner(1, 20_000);
        List<Future<Message.RunReply>> replies = new ArrayList<>();
        module.end("a.test");
        for (int i = 0; i < 20_000; i++) {
            replies.add(run(runner, "a.test"));
        }
        module.end("a.test").complete("well");

        assertThat(Await.value(Future.all(replies)).succeeded()).isTrue();
    }

    @Test
    void requestsOfAnotherVersionDoNotRunAndDoNotTakeAPermit() {
        CheckRunner runner = runner(1, 0);

        assertThat(Await.value(run(runner, "no domain"))).isEqualTo(new Message.Unsupported());
        assertPlaceIsFree(runner);
    }
}
