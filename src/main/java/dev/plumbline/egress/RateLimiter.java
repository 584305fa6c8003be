package dev.plumbline.egress;

import dev.plumbline.check.Deadline;
import io.vertx.core.Future;

/**
 * A rate and concurrency limiter per key. Thread-safe.
 *
 * @param <K> an address, a network, a domain or a server
 */
public interface RateLimiter<K> {

    /** Whether requests are not limited. */
    boolean isUnlimited();

    /**
     * Acquires a permit, now or after waiting. Fails with {@link dev.plumbline.check.OverloadFailure} and without a
     * permit if the queue is full or the wait would be too long; its type is null if the limit is not known. The future
     * can complete on any thread.
     *
     * @param account the account of the line of a job; 0 for an instant check
     * @param end when the permit is released at the latest; a limiter of a cluster can withdraw it a second later
     */
    Future<RatePermit> acquire(K key, long maxWaitMillis, long account, Deadline end);
}
