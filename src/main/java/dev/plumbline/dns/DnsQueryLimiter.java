package dev.plumbline.dns;

import dev.plumbline.check.CheckFailure;
import dev.plumbline.check.Deadline;
import dev.plumbline.check.ErrorCode;
import dev.plumbline.concurrent.AsyncSemaphore;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.xbill.DNS.Message;

/**
 * Limits the DNS queries of one check: the number at once, so that servers that do not respond do not block other
 * checks, and the total, because the owner of a zone controls how many lookups a check needs.
 */
public final class DnsQueryLimiter {
    /** The maximum number of queries of one check; each followed alias counts as one. */
    public static final int MAX_QUERIES = 150;

    public static final int MAX_CONCURRENT = 4;

    private final AsyncSemaphore semaphore;
    private final AtomicInteger remaining = new AtomicInteger(MAX_QUERIES);
    private final Map<String, Future<Void>> admissions = new ConcurrentHashMap<>();

    public DnsQueryLimiter(Vertx vertx) {
        this.semaphore = new AsyncSemaphore(vertx, MAX_CONCURRENT, MAX_QUERIES);
    }

    /**
     * Runs a query when fewer than {@value #MAX_CONCURRENT} are running. Fails with {@code request_limit} if the limit
     * is used up, and with {@code dns_timeout} if the deadline passes first.
     */
    public Future<DnsResponse> run(Deadline deadline, Supplier<Future<DnsResponse>> query) {
        // No timeout is needed: the running queries end by the deadline.
        return semaphore.withPermit(
                AsyncSemaphore.NO_TIMEOUT, () -> runCounted(deadline, query), DnsQueryLimiter::queueTimeout);
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

    /** As {@link #run}, for a query that does not follow aliases. */
    public Future<Message> runSigned(Deadline deadline, Supplier<Future<Message>> query) {
        return semaphore.withPermit(
                AsyncSemaphore.NO_TIMEOUT, () -> countedOnce(deadline, query), DnsQueryLimiter::queueTimeout);
    }

    private Future<DnsResponse> runCounted(Deadline deadline, Supplier<Future<DnsResponse>> query) {
        // A failed lookup may have followed the maximum number of aliases.
        return countedOnce(deadline, () -> query.get()
                .onComplete(response -> remaining.addAndGet(
                        response.succeeded() ? -response.result().cnames().size() : -CnameChain.MAX_ALIASES)));
    }

    private <T> Future<T> countedOnce(Deadline deadline, Supplier<Future<T>> query) {
        // Earlier queries may have ended only because the deadline has passed.
        if (deadline.passed()) {
            return queueTimeout();
        }
        if (remaining.getAndDecrement() <= 0) {
            return Future.failedFuture(new CheckFailure(
                    ErrorCode.REQUEST_LIMIT, "The check exceeded its limit of " + MAX_QUERIES + " DNS queries."));
        }
        return query.get();
    }

    private static <T> Future<T> queueTimeout() {
        return Future.failedFuture(
                new CheckFailure(ErrorCode.DNS_TIMEOUT, "The DNS lookup timed out while waiting for earlier queries."));
    }
}
