package dev.plumbline.run;

import com.google.common.collect.ClassToInstanceMap;
import dev.plumbline.check.CheckContext;
import dev.plumbline.check.Deadline;
import dev.plumbline.check.Options;
import dev.plumbline.check.RequestBudget;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.time.Clock;
import java.util.concurrent.Callable;

/** The context of a check in progress. */
record RunningCheckContext(
        Vertx vertx,
        Options options,
        Deadline deadline,
        long patienceMs,
        long account,
        Clock clock,
        RequestBudget budget,
        boolean fresh,
        ClassToInstanceMap<Object> probes)
        implements CheckContext {

    @Override
    public <T> Future<T> executeBlocking(Callable<T> work) {
        return vertx.executeBlocking(work, false);
    }

    @Override
    public <P> P probe(Class<P> type) {
        P probe = probes.getInstance(type);
        if (probe == null) {
            throw new IllegalArgumentException("unknown probe: " + type.getSimpleName());
        }
        return probe;
    }
}
