package dev.plumbline.job.coordinate;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.check.ModuleDescription;
import dev.plumbline.check.Options;
import dev.plumbline.check.Target;
import dev.plumbline.check.TargetParser;
import dev.plumbline.job.store.WorkStore;
import dev.plumbline.result.ResultKey;
import dev.plumbline.support.Await;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;

/** Whose line is next; nothing is checked here. */
class LineDispatcherTest {
    private static final Vertx VERTX = Vertx.vertx();
    private static final ModuleDescription MODULE = new ScriptedModule().description();
    private static final long A = 1;
    private static final long B = 2;
    private static final long C = 3;

    private final List<PendingLine> begun = new ArrayList<>();
    private long nanos;
    private int jobs;
    private int ended;

    @AfterAll
    static void close() {
        Await.value(VERTX.close());
    }

    private LineDispatcher dispatcher(int permits, int perHost) {
        return new LineDispatcher(VERTX, permits, perHost, begun::add, () -> nanos);
    }

    private Chunk chunk(long account) {
        WorkStore.ChunkId id = new WorkStore.ChunkId(++jobs, 0, 1);
        return new Chunk(
                new WorkStore.Claimed(
                        id,
                        account,
                        ScriptedModule.NAME,
                        Map.of(),
                        false,
                        List.of(),
                        List.of(),
                        0,
                        Set.of(),
                        List.of()),
                MODULE,
                Options.defaults(MODULE),
                0);
    }

    private static PendingLine line(Chunk chunk, String host) {
        try {
            Target target = TargetParser.parse(MODULE, host);
            return new PendingLine(chunk, 0, target, ResultKey.of(MODULE, target, chunk.options()));
        } catch (dev.plumbline.check.InvalidTargetException invalid) {
            throw new AssertionError(invalid);
        }
    }

    private static void add(LineDispatcher dispatcher, Chunk chunk, String host, int lines) {
        for (int i = 0; i < lines; i++) {
            dispatcher.add(line(chunk, host));
        }
    }

    private List<String> hosts() {
        return begun.stream().map(PendingLine::host).toList();
    }

    private List<Long> accounts() {
        return begun.stream().map(line -> line.chunk().accountId()).toList();
    }

    @Test
    void accountsTakeTurns() {
        LineDispatcher dispatcher = dispatcher(7, 0);
        add(dispatcher, chunk(A), "a.test", 5);
        add(dispatcher, chunk(A), "aa.test", 5);
        add(dispatcher, chunk(B), "b.test", 2);
        add(dispatcher, chunk(C), "c.test", 1);
        dispatcher.pump();

        assertThat(accounts()).containsExactly(A, B, C, A, B, A, A);
        assertThat(dispatcher.inHand()).isEqualTo(13);
        dispatcher.end(begun.get(0));
        dispatcher.pump();
        assertThat(begun).hasSize(8);
    }

    @Test
    void whatIsCheckedInHalfASecondLiesReadyAndIsOtherwiseLeftToOtherNodes() {
        LineDispatcher dispatcher = dispatcher(16, 0);
        assertThat(dispatcher.room()).isEqualTo(14);
        add(dispatcher, chunk(A), "a.test", 200);
        dispatcher.pump();
        assertThat(begun).hasSize(14);
        assertThat(dispatcher.room()).isZero();
        assertThat(dispatcher.hungry()).isFalse();
        endAllBut(dispatcher, 4);
        assertThat(dispatcher.inHand()).isEqualTo(4);
        assertThat(dispatcher.room())
                .as("no more than two for each that is checked")
                .isEqualTo(38);
        assertThat(dispatcher.hungry()).isTrue();

        nanos = Duration.ofMillis(999).toNanos();
        assertThat(dispatcher.room()).isEqualTo(38);
        add(dispatcher, chunk(A), "a.test", 10);
        dispatcher.pump();
        endAllBut(dispatcher, 9);
        nanos = Duration.ofMillis(1000).toNanos();
        assertThat(dispatcher.room()).as("of late they were only five").isEqualTo(10);

        nanos = Duration.ofMillis(2000).toNanos();
        assertThat(dispatcher.room()).as("and of late none").isEqualTo(5);
    }

    private void endAllBut(LineDispatcher dispatcher, int rest) {
        while (dispatcher.inHand() > rest) {
            dispatcher.end(begun.get(ended++));
            dispatcher.pump();
        }
    }

    @Test
    void whatFoundNoRoomHasNotBeenDone() {
        LineDispatcher dispatcher = dispatcher(16, 0);
        add(dispatcher, chunk(A), "a.test", 14);
        dispatcher.pump();
        begun.forEach(line -> dispatcher.putOff(line, Duration.ofMinutes(1).toMillis()));

        assertThat(dispatcher.room()).isEqualTo(14);
    }

    @Test
    void theLastPermitsAreForAccountsOfWhichNothingIsBeingChecked() {
        LineDispatcher dispatcher = dispatcher(16, 0);
        add(dispatcher, chunk(A), "a.test", 100);
        dispatcher.pump();
        assertThat(begun).hasSize(14);
        assertThat(dispatcher.full()).isTrue();
        assertThat(dispatcher.free()).isEqualTo(2);

        add(dispatcher, chunk(B), "b.test", 100);
        dispatcher.pump();
        assertThat(accounts().subList(14, begun.size())).containsExactly(B);
        add(dispatcher, chunk(C), "c.test", 100);
        dispatcher.pump();
        assertThat(accounts().subList(14, begun.size())).containsExactly(B, C);
        assertThat(dispatcher.free()).isZero();

        dispatcher.end(begun.get(14));
        dispatcher.pump();
        assertThat(accounts().subList(14, begun.size())).containsExactly(B, C, B);
        dispatcher.end(begun.get(0));
        dispatcher.end(begun.get(1));
        dispatcher.end(begun.get(2));
        dispatcher.pump();
        assertThat(accounts()).as("below the newcomers' share all take turns").hasSize(18);
    }

    @Test
    void aHostThatIsFullHoldsNobodyElseUp() {
        LineDispatcher dispatcher = dispatcher(100, 8);
        Chunk chunk = chunk(A);
        add(dispatcher, chunk, "crowd.test", 500);
        add(dispatcher, chunk, "other.test", 3);
        dispatcher.pump();

        assertThat(hosts()).filteredOn("crowd.test"::equals).hasSize(8);
        assertThat(hosts()).filteredOn("other.test"::equals).hasSize(3);
        assertThat(dispatcher.parked()).isEqualTo(492);
        assertThat(dispatcher.parkedAccounts(492)).containsExactly(A);
        assertThat(dispatcher.parkedAccounts(493)).isEmpty();
        assertThat(dispatcher.inHand()).as("who waits for a host takes no room").isEqualTo(11);

        for (int i = 0; i < 500; i++) {
            begun.stream()
                    .filter(line -> line.host().equals("crowd.test"))
                    .skip(i)
                    .limit(1)
                    .toList()
                    .forEach(dispatcher::end);
            dispatcher.pump();
        }
        assertThat(hosts()).filteredOn("crowd.test"::equals).hasSize(500);
        assertThat(dispatcher.parked()).isZero();
        assertThat(dispatcher.active()).isEqualTo(3);
    }

    @Test
    void linesThatAreLostWhileTheyWaitForTheirHostAreSteppedOver() {
        LineDispatcher dispatcher = dispatcher(8, 1);
        Chunk lost = chunk(A);
        Chunk kept = chunk(B);
        add(dispatcher, chunk(C), "crowd.test", 1);
        dispatcher.pump();
        add(dispatcher, lost, "crowd.test", 20);
        dispatcher.pump();
        add(dispatcher, kept, "crowd.test", 1);
        dispatcher.pump();

        lost.lose();
        dispatcher.end(begun.get(0));
        dispatcher.pump();

        assertThat(accounts()).containsExactly(C, B);
        assertThat(dispatcher.parked()).isZero();
    }

    @Test
    void aLineThatIsLostWhenItIsCalledUpLeavesItsPlaceToTheNext() {
        LineDispatcher dispatcher = dispatcher(8, 1);
        Chunk lost = chunk(A);
        Chunk kept = chunk(B);
        add(dispatcher, chunk(C), "crowd.test", 1);
        dispatcher.pump();
        add(dispatcher, lost, "crowd.test", 1);
        dispatcher.pump();
        add(dispatcher, kept, "crowd.test", 2);
        dispatcher.pump();

        dispatcher.end(begun.get(0));
        lost.lose();
        dispatcher.pump();

        assertThat(accounts()).containsExactly(C, B);
        dispatcher.end(begun.get(1));
        dispatcher.pump();
        assertThat(accounts()).containsExactly(C, B, B);
        assertThat(dispatcher.parked()).isZero();
    }

    @Test
    void whatFindsNoRoomIsReadyAgainAfterAWhileAndLeavesItsPlace() {
        LineDispatcher dispatcher = dispatcher(1, 1);
        Chunk chunk = chunk(A);
        add(dispatcher, chunk, "busy.test", 1);
        add(dispatcher, chunk, "next.test", 1);
        Await.value(VERTX.<Void>executeBlocking(() -> null).onComplete(ready -> {
            dispatcher.pump();
            dispatcher.putOff(begun.get(0), 1);
            dispatcher.pump();
            assertThat(hosts()).containsExactly("busy.test", "next.test");
            assertThat(dispatcher.parked()).isEqualTo(1);
            dispatcher.end(begun.get(1));
        }));
        Await.until(() -> begun.size() == 3);

        assertThat(hosts()).endsWith("busy.test");
        assertThat(dispatcher.active()).isEqualTo(1);
        assertThat(dispatcher.parked()).isZero();
    }

    @Test
    void nothingIsBegunOnceItIsClosed() {
        LineDispatcher dispatcher = dispatcher(4, 0);
        add(dispatcher, chunk(A), "a.test", 2);
        dispatcher.close();
        dispatcher.pump();

        assertThat(begun).isEmpty();
    }
}
