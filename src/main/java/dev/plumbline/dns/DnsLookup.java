package dev.plumbline.dns;

import dev.plumbline.check.CheckFailure;
import dev.plumbline.check.Deadline;
import dev.plumbline.check.ErrorCode;
import dev.plumbline.check.TargetPolicy;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.net.SocketAddress;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.xbill.DNS.DClass;
import org.xbill.DNS.Message;
import org.xbill.DNS.Name;
import org.xbill.DNS.Rcode;
import org.xbill.DNS.Record;

/**
 * One lookup: queries the servers in order, retries a single server after a timeout, and follows CNAME chains that a
 * server does not resolve itself.
 */
final class DnsLookup {
    static final int MIN_ATTEMPTS = 2;

    private final DnsTransport transport;
    private final List<SocketAddress> servers;
    private final long attemptMillis;
    private final TargetPolicy policy;
    private final Name name;
    private final CnameChain chain;
    private final Deadline deadline;
    private final Promise<DnsResponse> promise = Promise.promise();
    private Record query;
    private int attempt;
    private DnsQuestion.Flags flags = DnsQuestion.Flags.RECURSIVE;

    /** @param attemptMillis the timeout of one attempt */
    DnsLookup(
            DnsTransport transport,
            List<SocketAddress> servers,
            long attemptMillis,
            TargetPolicy policy,
            Name name,
            int type,
            Deadline deadline) {
        this.transport = transport;
        this.servers = servers;
        this.attemptMillis = attemptMillis;
        this.policy = policy;
        this.name = name;
        this.chain = new CnameChain(name, type);
        this.deadline = deadline;
        this.query = Record.newRecord(name, type, DClass.IN);
    }

    Future<DnsResponse> run() {
        send();
        return promise.future();
    }

    private void send() {
        transport.exchange(
                new DnsQuestion(servers.get(attempt % servers.size()), query, flags),
                Math.min(attemptMillis, deadline.remainingMillis()),
                this::received);
    }

    private void received(@Nullable Message message, @Nullable Throwable cause) {
        try {
            int rcode = message == null ? Rcode.SERVFAIL : message.getRcode();
            if (message != null && (rcode == Rcode.NOERROR || rcode == Rcode.NXDOMAIN)) {
                follow(message);
            } else if (message != null && rcode == Rcode.FORMERR && flags.edns()) {
                flags = flags.withoutEdns();
                send();
            } else if (hasNext(message == null && CheckFailure.hasCode(cause, ErrorCode.DNS_TIMEOUT))
                    && !deadline.passed()) {
                attempt++;
                send();
            } else if (message == null) {
                promise.fail(cause);
            } else {
                follow(message);
            }
        } catch (RuntimeException broken) {
            promise.tryFail(broken);
        }
    }

    private void follow(Message message) {
        DnsResponse response;
        try {
            response = chain.follow(message);
        } catch (CheckFailure failure) {
            promise.fail(failure);
            return;
        }
        if (response != null) {
            promise.complete(response);
        } else if (policy.refusalOfName(DnsResolver.text(chain.current())) == null) {
            query = Record.newRecord(chain.current(), chain.type(), DClass.IN);
            attempt = 0;
            flags = DnsQuestion.Flags.RECURSIVE;
            send();
        } else {
            promise.fail(PrivateNameFilter.failure(DnsResolver.text(name)));
        }
    }

    private boolean hasNext(boolean timedOut) {
        return attempt + 1 < servers.size() || timedOut && attempt + 1 < MIN_ATTEMPTS;
    }
}
