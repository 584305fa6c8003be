package dev.plumbline.run;

import dev.plumbline.budget.CpuAllowance;
import dev.plumbline.budget.MemoryBudget;
import dev.plumbline.budget.MemoryHolder;
import dev.plumbline.budget.NodeBudget;
import dev.plumbline.bus.Message;
import dev.plumbline.concurrent.EventLoopLag;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The memory, the CPU time and the lost time of one check, or of one part of a composite check. Lost is the time in
 * which the node could not run the check. Closed when the result is rendered.
 */
final class CheckResources implements AutoCloseable {
    /** The memory of a check without connections and large responses: messages, records and its result, in bytes. */
    static final long BASE_BYTES = 16L << 10;

    /** The maximum extension of the time limit of a check by the time in which the node could not run it. */
    static final long MAX_EXTENSION_MS = 5_000;

    /** The minimum lost time that can cause a timeout; the timeouts of probes are longer. */
    private static final long MIN_LOST_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

    /** The minimum loss for a check that exceeds its deadline although its probes ended before the deadline. */
    private static final long MIN_LOST_OF_LATE_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    /** With a loss of less than one third of the duration, a peer had enough time to respond. */
    private static final int MIN_LOST_SHARE = 3;

    private final MemoryHolder memory;
    private final CpuAllowance cpu;
    private final EventLoopLag lag;
    private final EventLoopLag.Loop loop;
    private final LongSupplier nanos;
    private final long startNanos;
    private final long lostBeforeNanos;
    private final long meanLostBeforeNanos;
    private volatile boolean late;

    private CheckResources(
            MemoryHolder memory, CpuAllowance cpu, EventLoopLag lag, EventLoopLag.Loop loop, LongSupplier nanos) {
        this.memory = memory;
        this.cpu = cpu;
        this.lag = lag;
        this.loop = loop;
        this.nanos = nanos;
        this.startNanos = nanos.getAsLong();
        this.lostBeforeNanos = loop.lostNanos();
        this.meanLostBeforeNanos = lag.lostNanos();
    }

    /**
     * Opens the resources of a check that starts now on the current event loop.
     *
     * @param nanos clock, as {@link System#nanoTime}
     */
    static CheckResources open(
            NodeBudget node, String client, boolean composite, EventLoopLag lag, LongSupplier nanos) {
        return new CheckResources(
                node.memory().open(client, MemoryBudget.CHECK_BYTES),
                new CpuAllowance(node.cpu(), client, composite ? CpuAllowance.COMPOSITE_MS : CpuAllowance.CHECK_MS),
                lag,
                lag.current(),
                nanos);
    }

    /** The resources of a part, which starts now. */
    CheckResources part() {
        return new CheckResources(memory.part(), cpu.part(), lag, loop, nanos);
    }

    MemoryHolder memory() {
        return memory;
    }

    CpuAllowance cpu() {
        return cpu;
    }

    /** The time in nanoseconds in which the node could not run the check. */
    private long lostNanos() {
        return loop.lostNanos() - lostBeforeNanos + cpu.waitedNanos() + memory.waitedNanos();
    }

    /** A clock that stops while the node cannot run the check, up to {@link #MAX_EXTENSION_MS} in all. */
    LongSupplier clock() {
        return () -> nanos.getAsLong() - Math.min(lostNanos(), TimeUnit.MILLISECONDS.toNanos(MAX_EXTENSION_MS));
    }

    /**
     * The reason why this node could not complete the check; null if its result is valid.
     *
     * @param timedOut whether the result contains a timeout, for which the lost time can be the cause
     */
    Message.Refused.@Nullable Reason refusal(boolean timedOut) {
        if (memory.refused()) {
            return Message.Refused.Reason.MEMORY;
        }
        return cpu.refused() || loop.pausedSince(startNanos) || timedOut && lostTooMuch()
                ? Message.Refused.Reason.CPU
                : null;
    }

    /** The check did not end at its deadline although its probes have ended. */
    void markLate() {
        late = true;
    }

    private boolean lostTooMuch() {
        // a check can wait for a lookup or connection of another event loop, whose loss is known as a mean only
        long lost = Math.max(lostNanos(), lag.lostNanos() - meanLostBeforeNanos);
        // the time limit was not extended by a longer loss
        if (late && lost >= MIN_LOST_OF_LATE_NANOS || lost >= TimeUnit.MILLISECONDS.toNanos(MAX_EXTENSION_MS)) {
            return true;
        }
        long duration = nanos.getAsLong() - startNanos;
        return lost >= MIN_LOST_NANOS && lost >= duration / MIN_LOST_SHARE;
    }

    @Override
    public void close() {
        cpu.close();
        memory.close();
    }
}
