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
 * Finds one answer: asks one server after the other, a lone one that kept silent twice, and follows
 * the aliases that a server leaves to its askers.
 */
final class DnsLookup {
    static final int LEAST_ATTEMPTS = 2;

    private final DnsTransport transport;
    private final List<SocketAddress> servers;
    private final long attemptMillis;
    private final TargetPolicy policy;
    private final Name question;
    private final CnameChain chain;
    private final Deadline end;
    private final Promise<DnsResponse> found = Promise.promise();
    private Record asked;
    private int attempt;
    private boolean edns = true;

    /**
     * @param attemptMillis how long one server is waited for
     */
    DnsLookup(
            DnsTransport transport,
            List<SocketAddress> servers,
            long attemptMillis,
            TargetPolicy policy,
            Name question,
            int type,
            Deadline end) {
        this.transport = transport;
        this.servers = servers;
        this.attemptMillis = attemptMillis;
        this.policy = policy;
        this.question = question;
        this.chain = new CnameChain(question, type);
        this.end = end;
        this.asked = Record.newRecord(question, type, DClass.IN);
    }

    Future<DnsResponse> run() {
        ask();
        return found.future();
    }

    private void ask() {
        transport.exchange(
                new DnsQuery.Question(servers.get(attempt % servers.size()), asked, edns),
                Math.min(attemptMillis, end.remainingMillis()),
                this::heard);
    }

    private void heard(@Nullable Message message, @Nullable Throwable cause) {
        try {
            int rcode = message == null ? Rcode.SERVFAIL : message.getRcode();
            if (message != null && (rcode == Rcode.NOERROR || rcode == Rcode.NXDOMAIN)) {
                follow(message);
            } else if (message != null && rcode == Rcode.FORMERR && edns) {
                edns = false;
                ask();
            } else if (hasNext(message == null && isTimeout(cause)) && !end.passed()) {
                attempt++;
                ask();
            } else if (message == null) {
                found.fail(cause);
            } else {
                follow(message);
            }
        } catch (RuntimeException broken) {
            found.tryFail(broken);
        }
    }

    private void follow(Message message) {
        DnsResponse answer;
        try {
            answer = chain.follow(message);
        } catch (CheckFailure failure) {
            found.fail(failure);
            return;
        }
        if (answer != null) {
            found.complete(answer);
        } else if (policy.refusalOfName(DnsResolver.text(chain.current())) == null) {
            asked = Record.newRecord(chain.current(), chain.type(), DClass.IN);
            attempt = 0;
            edns = true;
            ask();
        } else {
            found.fail(PrivateNameFilter.inside(DnsResolver.text(question)));
        }
    }

    private boolean hasNext(boolean silent) {
        return attempt + 1 < servers.size() || silent && attempt + 1 < LEAST_ATTEMPTS;
    }

    private static boolean isTimeout(@Nullable Throwable cause) {
        return cause instanceof CheckFailure failure && failure.error().code() == ErrorCode.DNS_TIMEOUT;
    }
}
