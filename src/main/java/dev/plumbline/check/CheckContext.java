package dev.plumbline.check;

import io.vertx.core.Future;
import java.time.Clock;
import java.util.concurrent.Callable;

/** What a running check may use. */
public interface CheckContext {

    Options options();

    /** When the check must have ended. */
    Deadline deadline();

    /** The wall clock, for judging what a certificate or a header says of time. */
    Clock clock();

    /**
     * How long the check may wait for its turn at a target before it had better come again, in ms.
     */
    default long patienceMs() {
        return deadline().remainingMillis();
    }

    /** Whether it is a line of a job, which lets those go first for whom somebody waits. */
    default boolean bulk() {
        return false;
    }

    /** Whether what was fetched for another check, however lately, is not good enough. */
    default boolean fresh() {
        return false;
    }

    /**
     * Work that may take longer than an event loop may be held, as the parsing of a large page; done
     * beside it.
     */
    default <T> Future<T> executeBlocking(Callable<T> work) {
        try {
            return Future.succeededFuture(work.call());
        } catch (Exception thrown) {
            return Future.failedFuture(thrown);
        }
    }

    /** The outbound requests that this check may still make. */
    RequestBudget budget();

    /**
     * A probe by its class.
     *
     * @throws IllegalArgumentException when there is no such probe
     */
    <P> P probe(Class<P> type);

    /**
     * The same check, of which a part must have ended earlier so that time is left for the rest.
     *
     * @param share for example {@code deadline().atMost(500)}
     */
    default CheckContext within(Deadline share) {
        return new DeadlineCheckContext(this, share);
    }

    /**
     * The same check, which has begun something that would have to be begun anew if it gave up now,
     * and so waits for its turns until its deadline.
     */
    default CheckContext patiently() {
        return new PatientCheckContext(this);
    }
}
