package dev.plumbline.dns;

import dev.plumbline.check.CheckFailure;
import dev.plumbline.check.Deadline;
import dev.plumbline.result.ErrorCode;
import io.vertx.core.Completable;
import io.vertx.core.net.SocketAddress;
import java.util.List;
import org.xbill.DNS.Message;
import org.xbill.DNS.Rcode;
import org.xbill.DNS.Record;

/**
 * The configured servers. A query is sent to them in order until one returns NOERROR or NXDOMAIN. A single server is
 * queried twice if the first attempt times out. After FORMERR, the query is repeated without EDNS.
 *
 * @param servers at least one
 * @param attemptMillis the timeout of one attempt
 */
record DnsServers(DnsTransport transport, List<SocketAddress> servers, long attemptMillis) {
    private static final int MIN_ATTEMPTS = 2;

    /** The timeout that allows all attempts of a query. */
    long maxMillis() {
        return attemptMillis * Math.max(MIN_ATTEMPTS, servers.size());
    }

    /** @param callback receives the response with any code, or the failure of the last attempt */
    void send(Record query, DnsQuestion.Flags flags, Deadline deadline, Completable<Message> callback) {
        attempt(0, query, flags, deadline, callback);
    }

    private void attempt(
            int number, Record query, DnsQuestion.Flags flags, Deadline deadline, Completable<Message> callback) {
        transport.exchange(
                new DnsQuestion(servers.get(number % servers.size()), query, flags),
                Math.min(attemptMillis, deadline.remainingMillis()),
                (message, cause) -> {
                    int rcode = message == null ? Rcode.SERVFAIL : message.getRcode();
                    boolean answered = rcode == Rcode.NOERROR || rcode == Rcode.NXDOMAIN;
                    boolean timedOut = message == null && CheckFailure.hasCode(cause, ErrorCode.DNS_TIMEOUT);
                    if (message != null && rcode == Rcode.FORMERR && flags.edns()) {
                        attempt(number, query, flags.withoutEdns(), deadline, callback);
                    } else if (!answered && hasNext(number, timedOut) && !deadline.passed()) {
                        attempt(number + 1, query, flags, deadline, callback);
                    } else {
                        callback.complete(message, cause);
                    }
                });
    }

    private boolean hasNext(int number, boolean timedOut) {
        return number + 1 < servers.size() || timedOut && number + 1 < MIN_ATTEMPTS;
    }
}
