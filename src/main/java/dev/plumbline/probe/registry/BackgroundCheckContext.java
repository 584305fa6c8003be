package dev.plumbline.probe.registry;

import dev.plumbline.check.CheckContext;
import dev.plumbline.check.Deadline;
import dev.plumbline.check.Options;
import dev.plumbline.check.RequestBudget;
import java.time.Clock;

/** The context of a background request that belongs to no check. */
record BackgroundCheckContext(Options options, Deadline deadline, Clock clock, RequestBudget budget)
        implements CheckContext {

    static BackgroundCheckContext of(long millis) {
        return new BackgroundCheckContext(Options.NONE, Deadline.in(millis), Clock.systemUTC(), new RequestBudget());
    }

    @Override
    public <P> P probe(Class<P> type) {
        throw new IllegalArgumentException("no probe " + type.getSimpleName());
    }
}
