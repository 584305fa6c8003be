package dev.plumbline.check;

import io.vertx.core.Future;
import java.time.Clock;
import java.util.concurrent.Callable;

/** A context that delegates to {@link #whole()} by default. */
interface DelegatingCheckContext extends CheckContext {
    CheckContext whole();

    @Override
    default Options options() {
        return whole().options();
    }

    @Override
    default Deadline deadline() {
        return whole().deadline();
    }

    @Override
    default Clock clock() {
        return whole().clock();
    }

    @Override
    default boolean bulk() {
        return whole().bulk();
    }

    @Override
    default boolean fresh() {
        return whole().fresh();
    }

    @Override
    default <T> Future<T> executeBlocking(Callable<T> work) {
        return whole().executeBlocking(work);
    }

    @Override
    default RequestBudget budget() {
        return whole().budget();
    }

    @Override
    default <P> P probe(Class<P> type) {
        return whole().probe(type);
    }
}
