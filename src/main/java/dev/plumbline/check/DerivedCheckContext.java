package dev.plumbline.check;

import dev.plumbline.budget.CpuPool;
import dev.plumbline.budget.MemoryHolder;
import io.vertx.core.Future;
import java.time.Clock;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;

/**
 * A context with another deadline, patience or IP version.
 *
 * @param patient whether to wait for rate limits until the deadline, however patient the base is
 */
record DerivedCheckContext(CheckContext base, Deadline deadline, boolean patient, @Nullable String ipVersion)
        implements CheckContext {
    @Override
    public long patienceMs() {
        long remaining = deadline.remainingMillis();
        return patient ? remaining : Math.min(base.patienceMs(), remaining);
    }

    @Override
    public Options options() {
        return base.options();
    }

    @Override
    public Clock clock() {
        return base.clock();
    }

    @Override
    public long account() {
        return base.account();
    }

    @Override
    public boolean fresh() {
        return base.fresh();
    }

    @Override
    public <T> Future<T> executeBlocking(CpuPool.Purpose purpose, Callable<T> work) {
        return base.executeBlocking(purpose, work);
    }

    @Override
    public MemoryHolder memory() {
        return base.memory();
    }

    @Override
    public RequestBudget budget() {
        return base.budget();
    }

    @Override
    public List<CompositePart> parts() {
        return base.parts();
    }

    @Override
    public Future<PartResult> check(CompositePart part, String target) {
        return base.check(part, target);
    }

    @Override
    public boolean verifiesCertificates() {
        return base.verifiesCertificates();
    }

    @Override
    public <P> P probe(Class<P> type) {
        return base.probe(type);
    }
}
