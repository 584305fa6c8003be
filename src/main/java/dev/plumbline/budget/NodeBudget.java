package dev.plumbline.budget;

import io.vertx.core.Vertx;

/** The memory and CPU time of a node for checks. */
public record NodeBudget(MemoryBudget memory, CpuPool cpu) implements AutoCloseable {

    /**
     * The budgets for the heap and the cores of this process.
     *
     * @param clientShare see {@link MemoryBudget}
     */
    public static NodeBudget ofProcess(Vertx vertx, int clientShare) {
        Runtime runtime = Runtime.getRuntime();
        long heap = runtime.maxMemory();
        return new NodeBudget(
                new MemoryBudget(vertx, MemoryBudget.bytesOf(heap), clientShare),
                new CpuPool(CpuPool.threadsOf(runtime.availableProcessors(), heap), CpuPool.MAX_QUEUED));
    }

    @Override
    public void close() {
        cpu.close();
    }
}
