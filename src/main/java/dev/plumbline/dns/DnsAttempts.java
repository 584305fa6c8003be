package dev.plumbline.dns;

import dev.plumbline.check.CheckFailure;
import dev.plumbline.check.Deadline;
import dev.plumbline.result.ErrorCode;
import io.vertx.core.Completable;
import io.vertx.core.net.SocketAddress;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.xbill.DNS.Message;
import org.xbill.DNS.Rcode;
import org.xbill.DNS.Record;

/**
 * One query: queries the servers in order, retries a single server after a timeout, and omits EDNS for servers that do
 * not support it.
 */
final class DnsAttempts {
    static final int MIN_ATTEMPTS = 2;

    private final DnsTransport transport;
    private final List<SocketAddress> servers;
    private final long attemptMillis;
    private final Deadline deadline;
    private final Record query;
    private final Completable<Message> callback;
    private DnsQuestion.Flags flags;
    private int attempt;

    /**
     * @param attemptMillis the timeout of one attempt
     * @param callback receives the response with any code, or the failure of the last attempt
     */
    DnsAttempts(
            DnsTransport transport,
            List<SocketAddress> servers,
            long attemptMillis,
            Deadline deadline,
            Record query,
            DnsQuestion.Flags flags,
            Completable<Message> callback) {
        this.transport = transport;
        this.servers = servers;
        this.attemptMillis = attemptMillis;
        this.deadline = deadline;
        this.query = query;
        this.flags = flags;
        this.callback = callback;
    }

    void send() {
        transport.exchange(
                new DnsQuestion(servers.get(attempt % servers.size()), query, flags),
                Math.min(attemptMillis, deadline.remainingMillis()),
                this::received);
    }

    private void received(@Nullable Message message, @Nullable Throwable cause) {
        int rcode = message == null ? Rcode.SERVFAIL : message.getRcode();
        boolean answered = rcode == Rcode.NOERROR || rcode == Rcode.NXDOMAIN;
        if (message != null && rcode == Rcode.FORMERR && flags.edns()) {
            flags = flags.withoutEdns();
            send();
        } else if (!answered
                && hasNext(message == null && CheckFailure.hasCode(cause, ErrorCode.DNS_TIMEOUT))
                && !deadline.passed()) {
            attempt++;
            send();
        } else {
            callback.complete(message, cause);
        }
    }

    private boolean hasNext(boolean timedOut) {
        return attempt + 1 < servers.size() || timedOut && attempt + 1 < MIN_ATTEMPTS;
    }
}
