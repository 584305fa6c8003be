package dev.plumbline.job.coordinate;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.HashMultiset;
import com.google.common.collect.Multiset;
import dev.plumbline.bus.LocalCheckRouter;
import dev.plumbline.bus.MessageBus;
import dev.plumbline.result.TargetLimit;
import dev.plumbline.result.store.ResultKey;
import dev.plumbline.sheet.ModuleDescription;
import dev.plumbline.support.Await;
import dev.plumbline.target.Target;
import dev.plumbline.target.TargetParser;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;

/** The order of lines. */
class LineDispatcherTest {
    private static final Vertx VERTX = Vertx.vertx();
    private static final MessageBus BUS = MessageBus.of(VERTX);
    private static final ModuleDescription MODULE = new ScriptedModule().description();
    private static final long A = 1;
    private static final long B = 2;
    private static final long C = 3;

    private final List<PendingLine> started = new ArrayList<>();
    private long nanos;
    private int jobs;
    private int ended;

    @AfterAll
    static void close() {
        Await.value(VERTX.close());
    }

    private LineDispatcher dispatcher(int permits, int perHost) {
        return new LineDispatcher(VERTX, new LocalCheckRouter(BUS, permits), perHost, started::add, () -> nanos);
    }

    private Chunk chunk(long account) {
        return TestChunks.chunk(++jobs, account);
    }

    private static PendingLine line(Chunk chunk, String host) {
        try {
            Target target = TargetParser.parse(MODULE, host);
            return new PendingLine(
                    chunk,
                    0,
                    target,
                    ResultKey.of(MODULE.module(), target, chunk.options().key()));
        } catch (dev.plumbline.target.InvalidTargetException invalid) {
            throw new AssertionError(invalid);
        }
    }

    private static void add(LineDispatcher dispatcher, Chunk chunk, String host, int lines) {
        for (int i = 0; i < lines; i++) {
            dispatcher.add(line(chunk, host));
        }
    }

    private List<String> hosts() {
        return started.stream().map(PendingLine::host).toList();
    }

    private List<Long> accounts() {
        return started.stream().map(line -> line.chunk().accountId()).toList();
    }

    @Test
    void accountsAreServedRoundRobin() {
        LineDispatcher dispatcher = dispatcher(7, 0);
        add(dispatcher, chunk(A), "a.test", 5);
        add(dispatcher, chunk(A), "aa.test", 5);
        add(dispatcher, chunk(B), "b.test", 2);
        add(dispatcher, chunk(C), "c.test", 1);
        dispatcher.dispatch();

        assertThat(accounts()).containsExactly(A, B, C, A, B, A, A);
        assertThat(dispatcher.readyAndActive()).isEqualTo(13);
        dispatcher.complete(started.get(0));
        dispatcher.dispatch();
        assertThat(started).hasSize(8);
    }

    @Test
    void linesThatWaitForTargetsAreCounted() {
        TargetLimit rate = new TargetLimit("192.0.2.7", "20 connections per second", "a", 20);
        TargetLimit host = new TargetLimit("a.test", "2 concurrent connections", "targets.per_ip_concurrent", 0);
        LineDispatcher dispatcher = dispatcher(16, 2);
        Chunk first = chunk(A);
        Chunk second = chunk(A);
        add(dispatcher, first, "a.test", 5);
        add(dispatcher, second, "a.test", 3);
        add(dispatcher, second, "free.test", 1);
        assertThat(dispatcher.waitingForTargets()).isEmpty();

        dispatcher.dispatch();
        assertThat(dispatcher.waitingForTargets())
                .isEqualTo(Map.of(
                        first.id().job(), waiting(host, 3),
                        second.id().job(), waiting(host, 3)));

        dispatcher.complete(started.get(0), rate);
        dispatcher.dispatch();
        assertThat(dispatcher.waitingForTargets())
                .as("a line waited for the address of the host")
                .isEqualTo(Map.of(
                        first.id().job(), waiting(rate, 2),
                        second.id().job(), waiting(rate, 3)));

        PendingLine rejected = started.get(1);
        dispatcher.defer(rejected, Duration.ofMinutes(1).toMillis(), rate);
        assertThat(dispatcher.waitingForTargets().get(first.id().job()))
                .as("a rejected line waits too")
                .isEqualTo(waiting(rate, 3));

        second.markLost();
        assertThat(dispatcher.waitingForTargets()).containsOnlyKeys(first.id().job());
    }

    @Test
    void linesOfAHostThatIsPausedForTheNodeDoNotWaitForTheTarget() {
        LineDispatcher dispatcher = dispatcher(16, 2);
        add(dispatcher, chunk(A), "a.test", 5);
        dispatcher.dispatch();

        dispatcher.defer(started.get(0), Duration.ofMinutes(1).toMillis(), null);

        assertThat(dispatcher.waitingForTargets()).isEmpty();
    }

    private static Multiset<TargetLimit> waiting(TargetLimit limit, int lines) {
        Multiset<TargetLimit> waiting = HashMultiset.create();
        waiting.add(limit, lines);
        return waiting;
    }

    @Test
    void capacityIsLimitedToTheLinesOfHalfASecond() {
        LineDispatcher dispatcher = dispatcher(16, 0);
        assertThat(dispatcher.capacity()).isEqualTo(14);
        add(dispatcher, chunk(A), "a.test", 200);
        dispatcher.dispatch();
        assertThat(started).hasSize(14);
        assertThat(dispatcher.capacity()).isZero();
        assertThat(dispatcher.shouldClaim()).isFalse();
        endAllBut(dispatcher, 4);
        assertThat(dispatcher.readyAndActive()).isEqualTo(4);
        assertThat(dispatcher.capacity())
                .as("at most two lines for each permit")
                .isEqualTo(38);
        assertThat(dispatcher.shouldClaim()).isTrue();

        nanos = Duration.ofMillis(999).toNanos();
        assertThat(dispatcher.capacity()).isEqualTo(38);
        add(dispatcher, chunk(A), "a.test", 10);
        dispatcher.dispatch();
        endAllBut(dispatcher, 9);
        nanos = Duration.ofSeconds(1).toNanos();
        assertThat(dispatcher.capacity()).as("five lines in the last second").isEqualTo(10);

        nanos = Duration.ofSeconds(2).toNanos();
        assertThat(dispatcher.capacity()).as("no lines in the last second").isEqualTo(5);
    }

    private void endAllBut(LineDispatcher dispatcher, int rest) {
        while (dispatcher.readyAndActive() > rest) {
            dispatcher.complete(started.get(ended++));
            dispatcher.dispatch();
        }
    }

    @Test
    void aRejectedLinePausesItsHostAndContinuesFirst() {
        Await.value(Await.onLoop(VERTX, () -> {
            LineDispatcher dispatcher = dispatcher(16, 2);
            Chunk chunk = chunk(A);
            add(dispatcher, chunk, "a.test", 4);
            add(dispatcher, chunk, "b.test", 1);
            dispatcher.dispatch();
            PendingLine first = started.get(0);
            PendingLine second = started.get(1);
            assertThat(hosts()).containsExactly("a.test", "a.test", "b.test");
            started.clear();

            dispatcher.defer(first, 1, null);
            dispatcher.complete(second);
            dispatcher.dispatch();
            assertThat(started).as("the host is paused").isEmpty();
            assertThat(dispatcher.parked()).isEqualTo(3);

            Promise<Void> resumed = Promise.promise();
            VERTX.setPeriodic(5, timer -> {
                if (!started.isEmpty() && VERTX.cancelTimer(timer)) {
                    resumed.complete();
                }
            });
            return resumed.future().onSuccess(done -> {
                assertThat(started).hasSize(2).first().isSameAs(first);
                assertThat(dispatcher.parked()).isEqualTo(1);
            });
        }));
    }

    @Test
    void deferredLinesAreNotCountedAsCompleted() {
        LineDispatcher dispatcher = dispatcher(16, 0);
        add(dispatcher, chunk(A), "a.test", 14);
        dispatcher.dispatch();
        started.forEach(line -> dispatcher.defer(line, Duration.ofMinutes(1).toMillis(), null));

        assertThat(dispatcher.capacity()).isEqualTo(14);
    }

    @Test
    void theLastPermitsAreReservedForNewAccounts() {
        LineDispatcher dispatcher = dispatcher(16, 0);
        add(dispatcher, chunk(A), "a.test", 100);
        dispatcher.dispatch();
        assertThat(started).hasSize(14);
        assertThat(dispatcher.availablePermits()).isEqualTo(2);

        add(dispatcher, chunk(B), "b.test", 100);
        dispatcher.dispatch();
        assertThat(accounts().subList(14, started.size())).containsExactly(B);
        add(dispatcher, chunk(C), "c.test", 100);
        dispatcher.dispatch();
        assertThat(accounts().subList(14, started.size())).containsExactly(B, C);
        assertThat(dispatcher.availablePermits()).isZero();

        dispatcher.complete(started.get(14));
        dispatcher.dispatch();
        assertThat(accounts().subList(14, started.size())).containsExactly(B, C, B);
        dispatcher.complete(started.get(0));
        dispatcher.complete(started.get(1));
        dispatcher.complete(started.get(2));
        dispatcher.dispatch();
        assertThat(accounts()).as("all accounts take turns").hasSize(18);
    }

    @Test
    void aHostAtItsLimitDoesNotBlockOtherHosts() {
        LineDispatcher dispatcher = dispatcher(100, 8);
        Chunk chunk = chunk(A);
        add(dispatcher, chunk, "crowd.test", 500);
        add(dispatcher, chunk, "other.test", 3);
        dispatcher.dispatch();

        assertThat(hosts())
                .as("one permit is reserved for other accounts")
                .filteredOn("crowd.test"::equals)
                .hasSize(7);
        assertThat(hosts()).filteredOn("other.test"::equals).hasSize(3);
        assertThat(dispatcher.parked()).isEqualTo(493);
        assertThat(dispatcher.accountsWithParked(493)).containsExactly(A);
        assertThat(dispatcher.accountsWithParked(494)).isEmpty();
        assertThat(dispatcher.readyAndActive())
                .as("lines that wait for a host do not take capacity")
                .isEqualTo(10);

        for (int i = 0; i < 500; i++) {
            started.stream()
                    .filter(line -> line.host().equals("crowd.test"))
                    .skip(i)
                    .limit(1)
                    .toList()
                    .forEach(dispatcher::complete);
            dispatcher.dispatch();
        }
        assertThat(hosts()).filteredOn("crowd.test"::equals).hasSize(500);
        assertThat(dispatcher.parked()).isZero();
        assertThat(dispatcher.active()).isEqualTo(3);
    }

    @Test
    void aHostIsSharedBetweenAccounts() {
        LineDispatcher dispatcher = dispatcher(100, 8);
        add(dispatcher, chunk(A), "shared.test", 4_500);
        dispatcher.dispatch();
        add(dispatcher, chunk(B), "shared.test", 10);
        add(dispatcher, chunk(C), "shared.test", 10);
        dispatcher.dispatch();

        assertThat(accounts()).containsExactly(A, A, A, A, A, A, A, B);
        for (int i = 0; i < 6; i++) {
            dispatcher.complete(started.get(i));
            dispatcher.dispatch();
        }
        assertThat(accounts().subList(8, 14)).containsExactly(A, C, B, A, C, B);
    }

    @Test
    void anAccountAtItsShareOfAHostDoesNotUseTheReservedPermit() {
        LineDispatcher dispatcher = dispatcher(100, 8);
        add(dispatcher, chunk(A), "shared.test", 20);
        add(dispatcher, chunk(B), "shared.test", 1);
        dispatcher.dispatch();
        assertThat(accounts()).filteredOn(Long.valueOf(A)::equals).hasSize(7);

        dispatcher.complete(started.get(accounts().indexOf(B)));
        dispatcher.dispatch();
        assertThat(started).hasSize(8);

        dispatcher.complete(started.get(0));
        dispatcher.dispatch();
        assertThat(started).hasSize(9);
    }

    @Test
    void lostLinesThatWaitForTheirHostAreSkipped() {
        LineDispatcher dispatcher = dispatcher(8, 1);
        Chunk lost = chunk(A);
        Chunk kept = chunk(B);
        add(dispatcher, chunk(C), "crowd.test", 1);
        dispatcher.dispatch();
        add(dispatcher, lost, "crowd.test", 20);
        dispatcher.dispatch();
        add(dispatcher, kept, "crowd.test", 1);
        dispatcher.dispatch();

        lost.markLost();
        dispatcher.complete(started.get(0));
        dispatcher.dispatch();

        assertThat(accounts()).containsExactly(C, B);
        assertThat(dispatcher.parked()).isZero();
    }

    @Test
    void aLostLineYieldsItsHostPermitToTheNext() {
        LineDispatcher dispatcher = dispatcher(8, 1);
        Chunk lost = chunk(A);
        Chunk kept = chunk(B);
        add(dispatcher, chunk(C), "crowd.test", 1);
        dispatcher.dispatch();
        add(dispatcher, lost, "crowd.test", 1);
        dispatcher.dispatch();
        add(dispatcher, kept, "crowd.test", 2);
        dispatcher.dispatch();

        dispatcher.complete(started.get(0));
        lost.markLost();
        dispatcher.dispatch();

        assertThat(accounts()).containsExactly(C, B);
        dispatcher.complete(started.get(1));
        dispatcher.dispatch();
        assertThat(accounts()).containsExactly(C, B, B);
        assertThat(dispatcher.parked()).isZero();
    }

    @Test
    void aDeferredLineReleasesItsPermitAndIsRetried() {
        LineDispatcher dispatcher = dispatcher(1, 1);
        Chunk chunk = chunk(A);
        add(dispatcher, chunk, "busy.test", 1);
        add(dispatcher, chunk, "next.test", 1);
        Await.value(VERTX.<Void>executeBlocking(() -> null).onComplete(ready -> {
            dispatcher.dispatch();
            dispatcher.defer(started.get(0), 1, null);
            dispatcher.dispatch();
            assertThat(hosts()).containsExactly("busy.test", "next.test");
            assertThat(dispatcher.parked()).isEqualTo(1);
            dispatcher.complete(started.get(1));
        }));
        Await.until(() -> started.size() == 3);

        assertThat(hosts()).endsWith("busy.test");
        assertThat(dispatcher.active()).isEqualTo(1);
        assertThat(dispatcher.parked()).isZero();
    }

    @Test
    void aTemporaryResultReleasesThePermitsAndDoesNotPauseTheHost() {
        LineDispatcher dispatcher = dispatcher(1, 1);
        add(dispatcher, chunk(A), "limited.test", 3);
        Await.value(Await.onLoop(VERTX, () -> {
            dispatcher.dispatch();
            dispatcher.completeAndRetry(started.get(0), 1, null);
            dispatcher.dispatch();
            assertThat(started).hasSize(2);
            assertThat(dispatcher.parked()).isEqualTo(1);
            dispatcher.complete(started.get(1));
            dispatcher.dispatch();
            assertThat(started).hasSize(3);
            dispatcher.complete(started.get(2));
            return Future.succeededFuture();
        }));
        Await.until(() -> started.size() == 4);

        assertThat(started.get(3)).isSameAs(started.get(0));
        assertThat(dispatcher.active()).isEqualTo(1);
        assertThat(dispatcher.parked()).isZero();
    }

    @Test
    void nothingStartsAfterClose() {
        LineDispatcher dispatcher = dispatcher(4, 0);
        add(dispatcher, chunk(A), "a.test", 2);
        dispatcher.close();
        dispatcher.dispatch();

        assertThat(started).isEmpty();
    }
}
