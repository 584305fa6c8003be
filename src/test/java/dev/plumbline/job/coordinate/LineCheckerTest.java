package dev.plumbline.job.coordinate;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.bus.CheckRouter;
import dev.plumbline.bus.LocalCheckRouter;
import dev.plumbline.bus.Message;
import dev.plumbline.bus.MessageBus;
import dev.plumbline.bus.NodeLostException;
import dev.plumbline.job.store.JobTables;
import dev.plumbline.job.store.WorkStore;
import dev.plumbline.postgres.Database;
import dev.plumbline.result.LimitWait;
import dev.plumbline.result.Verdict;
import dev.plumbline.result.store.MemoryResultCache;
import dev.plumbline.result.store.ResultCache;
import dev.plumbline.result.store.ResultKey;
import dev.plumbline.result.store.ResultStore;
import dev.plumbline.sheet.ModuleDescription;
import dev.plumbline.sheet.Options;
import dev.plumbline.support.Await;
import dev.plumbline.support.TestDatabase;
import dev.plumbline.target.InvalidTargetException;
import dev.plumbline.target.Target;
import dev.plumbline.target.TargetParser;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Replies of the runner: which are results, which are retried, and how often. */
@Tag("integration")
class LineCheckerTest {
    @RegisterExtension
    static final TestDatabase DATABASE = new TestDatabase();

    private static final ModuleDescription MODULE = new ScriptedModule().description();

    private final Vertx vertx = Vertx.vertx();
    private final MessageBus bus = MessageBus.of(vertx);
    private JobTables tables;
    private WorkStore store;
    private ResultWriter writer;
    private LineChecker checker;
    private PendingLine line;
    private long job;
    private long owner;

    /** The failure of the next checks; null if they run. */
    private @Nullable Throwable failure;

    private final AtomicInteger runs = new AtomicInteger();

    /** Fails checks as a router of a cluster does if the node leaves. */
    private final class FailingRouter implements CheckRouter {
        private final CheckRouter local;

        FailingRouter(CheckRouter local) {
            this.local = local;
        }

        @Override
        public List<String> nodes() {
            return local.nodes();
        }

        @Override
        public @Nullable String nodeOf(Target target) {
            return local.nodeOf(target);
        }

        @Override
        public Future<Message.RunReply> run(Target target, Message.RunCheck check, long timeoutMs) {
            runs.incrementAndGet();
            return failure == null ? local.run(target, check, timeoutMs) : Future.failedFuture(failure);
        }

        @Override
        public int linePermits(String node) {
            return local.linePermits(node);
        }

        @Override
        public void onChange(Runnable listener) {
            local.onChange(listener);
        }
    }

    /** Claims a job with one line. */
    @BeforeEach
    void claim() throws InvalidTargetException {
        Database database = DATABASE.open();
        tables = new JobTables(database);
        store = new WorkStore(database, database, JobTables.KEEP);
        writer = new ResultWriter(
                vertx,
                store,
                (chunk, index) -> {
                    throw new AssertionError("rejected: " + index);
                },
                released -> {});
        checker = new LineChecker(
                new FailingRouter(new LocalCheckRouter(bus, 1)),
                new ResultCache(
                        new MemoryResultCache(Clock.systemUTC(), 1 << 20),
                        new ResultStore(vertx, database),
                        Duration.ofMinutes(10)),
                writer,
                new ErrorResults(Clock.systemUTC()),
                1);
        job = tables.job(tables.account(), 1);
        owner = Await.value(tables.nodes().register(Duration.ofMinutes(10)));
        writer.startLease(owner);
        line = claimLine();
    }

    @AfterEach
    void close() {
        Await.value(vertx.close());
    }

    private PendingLine claimLine() throws InvalidTargetException {
        return line(claimChunk(), 0);
    }

    private Chunk claimChunk() {
        List<WorkStore.ClaimedChunk> claimed =
                Await.value(store.claim(owner, 1, JobTables.wanted(JobTables.MODULES, Set.of(), false)));
        Options options = Options.parse(MODULE, Map.of(ModuleDescription.TIMEOUT_MS, 1_000))
                .options();
        return new Chunk(claimed.get(0), MODULE, options, 0);
    }

    private static PendingLine line(Chunk chunk, int index) throws InvalidTargetException {
        Target target = TargetParser.parse(MODULE, chunk.inputs().get(index));
        return new PendingLine(
                chunk,
                index,
                target,
                ResultKey.of(MODULE.module(), target, chunk.options().key()));
    }

    private void serve(Supplier<Future<Message.RunReply>> runner) {
        Await.value(bus.serve(Message.RunCheck.class, request -> runner.get()));
    }

    /** Returns the delay before a retry; 0 if there is a result. */
    private long check() {
        return Await.value(Await.onLoop(vertx, () -> checker.check(line))).retryMs();
    }

    private String result() {
        Await.value(Await.onLoop(vertx, writer::drain));
        return tables.text("select convert_from(body, 'UTF8') from job_result where job_id = $1", job);
    }

    @Test
    void theThirdLostReplyIsAnInternalError() {
        serve(() -> Promise.<Message.RunReply>promise().future());

        assertThat(check()).isPositive();
        assertThat(line.isSuspect()).as("the node is not lost").isFalse();
        assertThat(check()).isPositive();
        assertThat(check()).isZero();

        assertThat(result()).contains("\"code\":\"internal\"", "three attempts");
    }

    @ParameterizedTest
    @CsvSource({"MEMORY, 3", "CPU, 1"})
    void aCheckThatItsNodeCannotCompleteIsRepeatedAFewTimes(Message.Refused.Reason reason, int repetitions) {
        serve(() -> Future.succeededFuture(new Message.Refused(reason)));

        for (int i = 0; i < repetitions; i++) {
            assertThat(check()).isPositive();
        }
        assertThat(check()).isZero();

        assertThat(result()).contains("\"code\":\"internal\"", "too little memory or CPU time");
    }

    @Test
    void theThirdNodeThatLeftIsAnInternalError() {
        failure = new NodeLostException("10.0.0.3:5701");

        assertThat(check()).isPositive();
        assertThat(line.isSuspect()).as("suspect").isTrue();
        assertThat(check()).isPositive();
        assertThat(check()).isZero();

        assertThat(result()).contains("\"code\":\"internal\"", "three attempts");
    }

    @Test
    void threeLostNodesEndTheLinesOfAJob() throws InvalidTargetException {
        job = tables.job(tables.account(), 20);
        Chunk chunk = claimChunk();
        List<PendingLine> lines = new ArrayList<>();
        for (int index : chunk.checks()) {
            lines.add(line(chunk, index));
        }
        failure = new NodeLostException("10.0.0.3:5701");
        line = lines.get(0);
        assertThat(check()).isPositive();
        assertThat(runs).hasValue(1);

        Await.onLoop(vertx, () -> {
            InFlightRecorder recorder = new InFlightRecorder(vertx, store, () -> owner, lost -> {});
            new CrashRecovery(vertx, recorder, checker, lost -> {}, () -> {}).add(chunk, lines);
            return Future.succeededFuture();
        });

        Await.until(
                () -> tables.text("select state from job where id = $1", job).equals("completed"));
        assertThat(runs.get()).as("lost nodes").isLessThanOrEqualTo(3);
        assertThat(tables.texts(
                        "select distinct convert_from(body, 'UTF8')::json->'error'->>'code' from job_result where job_id = $1",
                        job))
                .containsExactly("internal");
    }

    @Test
    void aLineThatWaitedForANodeCompletesOnAnother() {
        failure = new NodeLostException("10.0.0.3:5701");
        assertThat(check()).isPositive();
        failure = null;
        serve(() -> Future.succeededFuture(new Message.CompletedCheck(
                Verdict.PASS,
                Instant.now(),
                false,
                0,
                false,
                LimitWait.NONE,
                "{\"verdict\":\"pass\"}".getBytes(StandardCharsets.UTF_8))));

        assertThat(check()).isZero();

        assertThat(result()).contains("\"verdict\":\"pass\"");
    }

    @Test
    void overloadIsNotAnAttempt() {
        serve(() -> Future.succeededFuture(new Message.Overloaded(1)));

        for (int i = 0; i < 10; i++) {
            assertThat(check()).isPositive();
        }
    }

    @Test
    void aRunnerOfAnotherVersionIsNotAnAttempt() {
        serve(() -> Future.succeededFuture(new Message.Unsupported()));

        for (int i = 0; i < 10; i++) {
            assertThat(check()).isPositive();
        }
    }

    @Test
    void theThirdFailureIsAnInternalError() {
        serve(() -> Future.failedFuture("a fault that the test wants"));

        assertThat(check()).isPositive();
        assertThat(check()).isPositive();
        assertThat(check()).isZero();

        assertThat(result()).contains("\"code\":\"internal\"", "three attempts");
    }

    @Test
    void aMissingRunnerIsNotAnAttempt() {
        for (int i = 0; i < 10; i++) {
            assertThat(check()).isPositive();
        }
    }

    @Test
    void attemptsOfEarlierClaimsCount() throws InvalidTargetException {
        Await.value(store.recordInFlight(owner, Map.of(line.chunk().id(), List.of(0, 0))));
        Await.value(store.release(owner, List.of(line.chunk().id())));
        line = claimLine();
        serve(() -> Promise.<Message.RunReply>promise().future());

        assertThat(check()).isZero();

        assertThat(result()).contains("\"code\":\"internal\"", "three attempts");
    }

    private static Message.CompletedCheck result(String verdict, int retryAfterSeconds) {
        return new Message.CompletedCheck(
                Verdict.WARN,
                Instant.now(),
                false,
                retryAfterSeconds,
                false,
                LimitWait.NONE,
                ("{\"verdict\":\"" + verdict + "\"}").getBytes(StandardCharsets.UTF_8));
    }

    @Test
    void aTemporaryResultIsRetriedOnce() {
        List<Boolean> fresh = new ArrayList<>();
        Await.value(bus.serve(Message.RunCheck.class, request -> {
            fresh.add(request.fresh());
            return Future.succeededFuture(result(fresh.size() == 1 ? "first" : "second", 60));
        }));

        assertThat(Await.value(Await.onLoop(vertx, () -> checker.check(line))))
                .isEqualTo(new LineChecker.Outcome(60_000, true, false, null));
        assertThat(check()).isZero();

        assertThat(result()).contains("second");
        assertThat(fresh).as("the retry does not use shared responses").containsExactly(false, true);
    }

    @Test
    void theRetryOfATemporaryResultIsRepeatedIfItIsRejectedOrInterrupted() {
        Iterator<Message.RunReply> replies = List.<Message.RunReply>of(
                        result("first", 1),
                        new Message.Overloaded(1),
                        new Message.Refused(Message.Refused.Reason.CPU),
                        result("second", 1))
                .iterator();
        serve(() -> Future.succeededFuture(replies.next()));

        assertThat(check()).isEqualTo(1_000);
        assertThat(check()).isPositive();
        assertThat(check()).isPositive();
        assertThat(check()).isZero();

        assertThat(result()).contains("second");
    }

    @Test
    void aTemporaryResultAfterAnAttemptInAnEarlierClaimIsFinal() throws InvalidTargetException {
        Await.value(store.recordInFlight(owner, Map.of(line.chunk().id(), List.of(0))));
        Await.value(store.release(owner, List.of(line.chunk().id())));
        line = claimLine();
        serve(() -> Future.succeededFuture(result("first", 1)));

        assertThat(check()).isZero();

        assertThat(result()).contains("first");
    }
}
