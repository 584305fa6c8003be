package dev.plumbline.dns;

import dev.plumbline.check.CheckFailure;
import dev.plumbline.check.Deadline;
import dev.plumbline.target.TargetPolicy;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.xbill.DNS.DClass;
import org.xbill.DNS.Message;
import org.xbill.DNS.Name;
import org.xbill.DNS.Record;

/** One lookup: sends a query, and follows CNAME chains that a server does not resolve itself. */
final class DnsLookup {
    private final DnsServers servers;
    private final TargetPolicy policy;
    private final DnsQueryPermits permits;
    private final Name name;
    private final CnameChain chain;
    private final Deadline deadline;
    private final Promise<DnsResponse> promise = Promise.promise();

    /** The aliases for which a permit was acquired or that were counted. */
    private int counted;

    /** @param permits for the queries for aliases */
    DnsLookup(
            DnsServers servers, TargetPolicy policy, DnsQueryPermits permits, Name name, int type, Deadline deadline) {
        this.servers = servers;
        this.policy = policy;
        this.permits = permits;
        this.name = name;
        this.chain = new CnameChain(name, type);
        this.deadline = deadline;
    }

    Future<DnsResponse> run() {
        send();
        return promise.future();
    }

    private void send() {
        Record query = Record.newRecord(chain.current(), chain.type(), DClass.IN);
        servers.send(query, DnsQuestion.Flags.RECURSIVE, deadline, this::received);
    }

    private void received(@Nullable Message message, @Nullable Throwable cause) {
        try {
            if (message == null) {
                if (cause instanceof CheckFailure) {
                    permits.countFailure();
                }
                promise.fail(cause);
            } else {
                follow(message);
            }
        } catch (RuntimeException broken) {
            promise.tryFail(broken);
        }
    }

    /** @param response null if the last alias needs its own query, with its own permit */
    private void count(@Nullable DnsResponse response) {
        List<Name> aliases = chain.targets();
        if (aliases.size() > counted) {
            permits.countAliases(aliases.subList(counted, response == null ? aliases.size() - 1 : aliases.size()));
            counted = aliases.size();
        }
        if (response != null && response.failed()) {
            permits.countFailure();
        }
    }

    private void follow(Message message) {
        DnsResponse response;
        try {
            response = chain.follow(message);
        } catch (CheckFailure failure) {
            permits.countFailure();
            promise.fail(failure);
            return;
        }
        count(response);
        if (response != null) {
            promise.complete(response);
        } else if (policy.refusalOfName(DnsResolver.text(chain.current())) == null) {
            permits.acquire(DnsResolver.text(chain.current()))
                    .onSuccess(acquired -> send())
                    .onFailure(promise::fail);
        } else {
            promise.fail(PrivateNameFilter.failure(DnsResolver.text(name)));
        }
    }
}
