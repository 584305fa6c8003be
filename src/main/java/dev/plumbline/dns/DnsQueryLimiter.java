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

/**
 * What one check may ask of the DNS: few questions at once, so that silent names take no room from
 * other checks, and not many in all, since whoever writes a zone chooses what has to be asked.
 */
public final class DnsQueryLimiter {
    /** The most questions of one check, each alias that is followed counting as one more. */
    public static final int MOST_QUESTIONS = 150;

    public static final int MOST_OPEN = 4;

    private final AsyncSemaphore turns;
    private final AtomicInteger left = new AtomicInteger(MOST_QUESTIONS);
    private final Map<String, Future<Void>> admitted = new ConcurrentHashMap<>();

    public DnsQueryLimiter(Vertx vertx) {
        this.turns = new AsyncSemaphore(vertx, MOST_OPEN, MOST_QUESTIONS);
    }

    /**
     * Asks when its turn has come. Fails with {@code request_limit} when the share is used up, and
     * with {@code dns_timeout} when the turn does not come in time.
     */
    public Future<DnsResponse> ask(Deadline deadline, Supplier<Future<DnsResponse>> question) {
        // All that is open ends with the deadline, and with it the wait.
        return turns.withPermit(
                AsyncSemaphore.NO_TIMEOUT, () -> counted(deadline, question), DnsQueryLimiter::turnThatNeverCame);
    }

    /** What came of a domain's admission, which is looked for once in a check. */
    public Future<Void> admission(String domain, Supplier<Future<Void>> look) {
        Future<Void> known = admitted.get(domain);
        if (known == null) {
            known = look.get();
            admitted.put(domain, known);
        }
        return known;
    }

    private Future<DnsResponse> counted(Deadline deadline, Supplier<Future<DnsResponse>> question) {
        // Those before it may have ended only because the time of the check is over.
        if (deadline.passed()) {
            return turnThatNeverCame();
        }
        if (left.getAndDecrement() <= 0) {
            return Future.failedFuture(new CheckFailure(
                    ErrorCode.REQUEST_LIMIT,
                    "The check would have asked the DNS more than " + MOST_QUESTIONS + " questions."));
        }
        // What has failed may have led through as many aliases as are ever followed.
        return question.get()
                .onComplete(answer -> left.addAndGet(
                        answer.succeeded() ? -answer.result().way().size() : -CnameChain.MOST_ALIASES));
    }

    private static Future<DnsResponse> turnThatNeverCame() {
        return Future.failedFuture(new CheckFailure(
                ErrorCode.DNS_TIMEOUT, "The DNS resolver did not answer in time what was asked before this."));
    }
}
