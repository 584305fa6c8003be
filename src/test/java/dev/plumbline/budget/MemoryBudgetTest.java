package dev.plumbline.budget;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.plumbline.support.Await;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class MemoryBudgetTest {
    private static final long MIB = 1 << 20;

    private final Vertx vertx = Vertx.vertx();
    private final MemoryBudget budget = new MemoryBudget(vertx, 40 * MIB, 4);

    @AfterEach
    void close() {
        Await.value(vertx.close());
    }

    @Test
    void oneClientHoldsAtMostItsShare() throws Exception {
        MemoryHolder first = budget.open("a", 8 * MIB);
        MemoryHolder second = budget.open("a", 8 * MIB);

        assertThat(first.tryReserve(8 * MIB)).isTrue();
        assertThat(second.tryReserve(2 * MIB)).isTrue();
        assertThat(second.tryReserve(1)).isFalse();
        assertThat(budget.open("b", 8 * MIB).tryReserve(8 * MIB)).isTrue();
        first.close();
        assertThat(second.tryReserve(6 * MIB)).isTrue();
    }

    @Test
    void aHolderDoesNotExceedItsOwnLimit() throws Exception {
        MemoryHolder holder = budget.open("a", 2 * MIB);
        assertThat(holder.tryReserve(2 * MIB)).isTrue();

        assertThatThrownBy(() -> holder.tryReserve(1))
                .isInstanceOf(LimitExceededException.class)
                .hasMessage("The responses exceed the limit of 2 MiB of memory for each check.");
        assertThat(Await.failure(holder.reserve(1))).isInstanceOf(LimitExceededException.class);
        assertThat(holder.refused()).isFalse();
    }

    @Test
    void waitingHoldersReceiveReleasedMemory() throws Exception {
        MemoryHolder[] full = fill();
        MemoryHolder waiting = budget.open("e", 8 * MIB);
        Future<Void> granted = waiting.reserve(3 * MIB, 60_000);
        assertThat(granted.isComplete()).isFalse();

        full[0].release(2 * MIB);
        assertThat(granted.isComplete()).isFalse();
        full[1].close();

        Await.value(granted.map(true));
        assertThat(budget.held()).isEqualTo(35 * MIB - 2 * MIB - 10 * MIB + 3 * MIB);
        assertThat(waiting.waitedNanos()).isPositive();
        assertThat(full[2].waitedNanos()).isZero();
    }

    @Test
    void aHolderThatWaitsTooLongIsRejected() throws Exception {
        fill();
        MemoryHolder whole = budget.open("e", 8 * MIB);
        MemoryHolder part = whole.part();

        assertThat(Await.failure(part.reserve(MIB))).isInstanceOf(NodeExhaustedException.class);

        assertThat(part.refused()).isTrue();
        assertThat(whole.refused()).isTrue();
        assertThat(budget.waiting()).isZero();
    }

    @Test
    void aClosedHolderReceivesNothing() throws Exception {
        MemoryHolder[] full = fill();
        MemoryHolder waiting = budget.open("e", 8 * MIB);
        Future<Void> granted = waiting.reserve(3 * MIB, 60_000);

        waiting.close();
        full[0].close();

        assertThat(Await.failure(granted)).isInstanceOf(NodeExhaustedException.class);
        assertThat(budget.held()).isEqualTo(25 * MIB);
        assertThat(Await.failure(waiting.reserve(1))).isInstanceOf(NodeExhaustedException.class);
    }

    @Test
    void partsShareTheLimitOfTheWholeAndReleaseTheirOwn() throws Exception {
        MemoryHolder whole = budget.open("a", 8 * MIB);
        MemoryHolder part = whole.part();
        MemoryHolder other = whole.part();
        assertThat(whole.tryReserve(MIB)).isTrue();
        assertThat(part.tryReserve(6 * MIB)).isTrue();
        assertThatThrownBy(() -> other.tryReserve(2 * MIB)).isInstanceOf(LimitExceededException.class);

        part.close();
        assertThat(other.tryReserve(2 * MIB)).isTrue();
        whole.close();
        assertThat(budget.held()).isEqualTo(2 * MIB);
        other.close();
        assertThat(budget.held()).isZero();
        assertThat(whole.peak()).isEqualTo(7 * MIB);
    }

    @Test
    void smallReservationsAreTakenInBlocks() throws Exception {
        MemoryHolder holder = budget.open("a", MIB);
        for (int i = 0; i < 100; i++) {
            assertThat(holder.tryReserve(100)).isTrue();
        }

        assertThat(holder.peak()).isEqualTo(10_000);
        assertThat(budget.held()).isBetween(10_000L, 10_000L + (4 << 10));
        holder.close();
        assertThat(budget.held()).isZero();
    }

    @Test
    void waitsOfPartsCountForTheWhole() throws Exception {
        MemoryHolder[] full = fill();
        MemoryHolder whole = budget.open("e", 8 * MIB);
        MemoryHolder part = whole.part();
        Future<Void> first = part.reserve(MIB, 60_000);
        Future<Void> second = part.reserve(MIB, 60_000);
        long start = System.nanoTime();
        Await.until(() -> System.nanoTime() - start > 1_000_000);
        full[0].close();
        Await.value(first.map(true));
        Await.value(second.map(true));

        assertThat(part.waitedNanos()).isPositive();
        assertThat(whole.waitedNanos()).isPositive();
    }

    @Test
    void theBudgetIsHalfOfWhatTheProgramLeaves() {
        assertThat(MemoryBudget.bytesOf(64 * MIB)).isEqualTo(64 * MIB);
        assertThat(MemoryBudget.bytesOf(1_128 * MIB)).isEqualTo(500 * MIB);
    }

    @Test
    void aPartIsReservedForSmallHolders() throws Exception {
        fill();
        MemoryHolder large = budget.open("e", 8 * MIB);
        MemoryHolder small = budget.open("e", 8 * MIB);

        assertThat(large.tryReserve(MIB)).isFalse();
        assertThat(small.tryReserve(MIB / 16)).isTrue();
        assertThat(small.tryReserve(1)).isFalse();
    }

    @Test
    void memoryIsScarceIfMoreThanThreeQuartersAreHeld() throws Exception {
        for (String client : List.of("a", "b")) {
            assertThat(budget.open(client, 10 * MIB).tryReserve(10 * MIB)).isTrue();
        }
        assertThat(budget.isScarce()).as("half").isFalse();
        assertThat(budget.open("c", 10 * MIB).tryReserve(10 * MIB)).isTrue();
        assertThat(budget.isScarce()).as("three quarters").isFalse();

        MemoryHolder more = budget.open("d", 10 * MIB);
        assertThat(more.tryReserve(1)).isTrue();
        assertThat(budget.isScarce()).as("more").isTrue();
        more.close();
        assertThat(budget.isScarce()).as("released").isFalse();
    }

    /** Uses all memory for large holders. */
    private MemoryHolder[] fill() throws LimitExceededException {
        MemoryHolder[] holders = new MemoryHolder[4];
        for (int i = 0; i < holders.length; i++) {
            holders[i] = budget.open("" + i, 10 * MIB);
            assertThat(holders[i].tryReserve(i < 3 ? 10 * MIB : 5 * MIB)).isTrue();
        }
        return holders;
    }
}
