package dev.plumbline.job.coordinate;

import com.google.common.collect.HashMultiset;
import com.google.common.collect.Multiset;
import dev.plumbline.concurrent.FairQueue;
import dev.plumbline.result.LimiterKind;
import dev.plumbline.result.TargetLimit;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The lines of one host on this node: active lines, limited per host and per account, and waiting lines, served
 * round-robin between accounts. Confined to an event loop.
 */
final class HostQueue {
    private final int permits;
    private final int permitsPerAccount;
    private final Multiset<Long> active = HashMultiset.create();
    private final FairQueue<Long, PendingLine> waiting = new FairQueue<>();
    private boolean paused;
    private @Nullable TargetLimit limit;

    /** @param permits maximum number of active lines; 0 for no limit */
    HostQueue(int permits) {
        this.permits = permits == 0 ? Integer.MAX_VALUE : permits;
        this.permitsPerAccount = FairQueue.shareOfKey(this.permits);
    }

    /** Acquires a permit for a line of the account. Returns false if none is available. */
    boolean tryAcquire(long account) {
        if (paused || active.size() >= permits || active.count(account) >= permitsPerAccount) {
            return false;
        }
        active.add(account);
        return true;
    }

    /** @param limit the limit of a target that delayed or rejected the line; null if there is none */
    void release(long account, @Nullable TargetLimit limit) {
        active.remove(account);
        if (limit != null || !paused) {
            this.limit = limit;
        }
    }

    /**
     * The limit for which the waiting lines wait: the one that delayed or rejected the latest line, otherwise the
     * permits of the host. Null if the host is paused for another reason.
     *
     * @param host the host of this queue
     */
    @Nullable
    TargetLimit limit(String host) {
        return limit != null || paused || permits == Integer.MAX_VALUE
                ? limit
                : new TargetLimit(
                        host, LimiterKind.ADDRESS.concurrency(permits), LimiterKind.ADDRESS.concurrencySetting(), 0);
    }

    Stream<PendingLine> waiting() {
        return waiting.stream();
    }

    void await(PendingLine line) {
        waiting.offer(line.chunk().accountId(), line);
    }

    /**
     * Pauses the host, because a line was rejected, and lets this line wait before the others of its account.
     *
     * @return false if the host is paused already
     */
    boolean pause(PendingLine rejected) {
        waiting.addFirst(rejected.chunk().accountId(), rejected);
        boolean pausedBefore = paused;
        paused = true;
        return !pausedBefore;
    }

    void resume() {
        paused = false;
    }

    /**
     * Removes and returns the next waiting line that can acquire a permit; null if there is none.
     *
     * @param onLost receives lines that are removed because their chunk is lost
     */
    @Nullable
    PendingLine poll(Consumer<PendingLine> onLost) {
        if (paused || active.size() >= permits) {
            return null;
        }
        return waiting.poll(account -> active.count(account) < permitsPerAccount, line -> {
            boolean lost = line.chunk().lost();
            if (lost) {
                onLost.accept(line);
            }
            return lost;
        });
    }

    boolean isEmpty() {
        return active.isEmpty() && waiting.isEmpty();
    }
}
