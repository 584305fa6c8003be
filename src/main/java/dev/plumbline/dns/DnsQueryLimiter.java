package dev.plumbline.dns;

import dev.plumbline.check.CheckFailure;
import dev.plumbline.check.Deadline;
import dev.plumbline.concurrent.AsyncSemaphore;
import dev.plumbline.result.ErrorCode;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;

/** Limits the concurrent DNS queries of one check, so that servers that do not respond do not block other checks. */
public final class DnsQueryLimiter {
    public static final int MAX_CONCURRENT = 4;

    private static final int MAX_QUEUED = 500;

    private final AsyncSemaphore semaphore;
    private final Map<String, Future<Void>> admissions = new ConcurrentHashMap<>();

    public DnsQueryLimiter(Vertx vertx) {
        this.semaphore = new AsyncSemaphore(vertx, MAX_CONCURRENT, MAX_QUEUED);
    }

    /**
     * Runs a query when fewer than {@value #MAX_CONCURRENT} are running. Fails with {@code request_limit} if too many
     * queries are waiting, and with {@code dns_timeout} if the deadline passes first.
     */
    public <T> Future<T> run(Deadline deadline, Supplier<Future<T>> query) {
        // No timeout is needed: the running queries end by the deadline.
        return semaphore.withPermit(
                AsyncSemaphore.NO_TIMEOUT,
                // Earlier queries may have ended only because the deadline has passed.
                () -> deadline.passed()
                        ? Future.failedFuture(new CheckFailure(
                                ErrorCode.DNS_TIMEOUT, "The DNS lookup timed out while waiting for earlier queries."))
                        : query.get(),
                () -> Future.failedFuture(new CheckFailure(
                        ErrorCode.REQUEST_LIMIT,
                        "The check exceeded its limit of " + MAX_QUEUED + " queued DNS queries.")));
    }

    /** The result of the admission of a domain, looked up once per check. */
    public Future<Void> admission(String domain, Supplier<Future<Void>> lookup) {
        Future<Void> known = admissions.get(domain);
        if (known == null) {
            known = lookup.get();
            admissions.put(domain, known);
        }
        return known;
    }
}
