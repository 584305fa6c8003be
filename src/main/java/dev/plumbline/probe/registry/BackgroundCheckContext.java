package dev.plumbline.probe.registry;

import dev.plumbline.budget.CpuPool;
import dev.plumbline.check.CheckContext;
import dev.plumbline.check.Deadline;
import dev.plumbline.check.RequestBudget;
import dev.plumbline.sheet.Options;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.time.Clock;
import java.util.concurrent.Callable;

/** The context of a background request that belongs to no check. */
record BackgroundCheckContext(Vertx vertx, Options options, Deadline deadline, Clock clock, RequestBudget budget)
        implements CheckContext {

    BackgroundCheckContext(Vertx vertx, long millis) {
        this(vertx, Options.NONE, Deadline.in(millis), Clock.systemUTC(), new RequestBudget());
    }

    @Override
    public <T> Future<T> executeBlocking(CpuPool.Purpose purpose, Callable<T> work) {
        return vertx.executeBlocking(work, false);
    }

    @Override
    public <P> P probe(Class<P> type) {
        throw new IllegalArgumentException("no probe " + type.getSimpleName());
    }
}
