package dev.plumbline.module.dns;

import dev.plumbline.check.CheckContext;
import dev.plumbline.check.CheckFailure;
import dev.plumbline.dns.DnsResponse;
import dev.plumbline.dns.PrivateNameFilter;
import dev.plumbline.module.dns.nameservers.NamedServers;
import dev.plumbline.module.dns.nameservers.NameserverEvidence.Server;
import dev.plumbline.probe.dns.DnsLookupResult;
import dev.plumbline.probe.dns.NameserverAddress;
import dev.plumbline.probe.dns.NameserverProbe;
import dev.plumbline.result.CheckError;
import dev.plumbline.result.ErrorCode;
import dev.plumbline.target.Host;
import dev.plumbline.target.IpAddressText;
import io.vertx.core.Future;
import java.net.InetAddress;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.xbill.DNS.Rcode;

/** Lookups on the first server of the option {@code servers} that responds, without recursion. */
final class NamedServerLookups {
    private final CheckContext context;
    private final NameserverAddress server;

    private NamedServerLookups(CheckContext context, NameserverAddress server) {
        this.context = context;
        this.server = server;
    }

    /**
     * Selects the first address that responds with NOERROR or NXDOMAIN. Fails as {@link NamedServers#resolve} does, and
     * with the error of the last address if none does.
     */
    static Future<NamedServerLookups> first(CheckContext context, List<String> servers, String name) {
        return NamedServers.resolve(context, servers).compose(resolved -> {
            List<NameserverAddress> addresses = resolved.stream()
                    .flatMap(server -> server.addresses().ips().stream().map(ip -> address(server, ip)))
                    .limit(NamedServers.MAX_ADDRESSES)
                    .toList();
            return select(context, addresses, 0, name);
        });
    }

    private static NameserverAddress address(Server server, InetAddress ip) {
        return new NameserverAddress(new Host(server.label(), server.name() == null ? ip : null), ip);
    }

    private static Future<NamedServerLookups> select(
            CheckContext context, List<NameserverAddress> addresses, int index, String name) {
        NamedServerLookups lookups = new NamedServerLookups(context, addresses.get(index));
        return lookups.lookup(name, "A").compose(result -> {
            if (result.succeeded() || result.blocked()) {
                return Future.succeededFuture(lookups);
            }
            if (index + 1 < addresses.size()) {
                return select(context, addresses, index + 1, name);
            }
            return Future.failedFuture(failure(addresses.get(index), result));
        });
    }

    private static CheckFailure failure(NameserverAddress server, DnsLookupResult result) {
        CheckError error = result.failure();
        return error != null
                ? new CheckFailure(error.code(), error.message())
                : new CheckFailure(
                        ErrorCode.DNS_SERVFAIL,
                        "The nameserver %s returned %s."
                                .formatted(IpAddressText.format(server.address()), rcode(result.response())));
    }

    private static String rcode(@Nullable DnsResponse response) {
        return response == null ? "no response" : Rcode.string(response.rcode());
    }

    Future<DnsLookupResult> lookup(String name, String type) {
        return context.probe(NameserverProbe.class).lookup(context, server, name, type);
    }

    /**
     * Looks up record types. Fails with {@code target_blocked} if the server returns a private address for the name,
     * because its other records may be private too.
     */
    Future<List<DnsLookupResult>> lookups(String name, Set<String> types) {
        Set<String> all = new LinkedHashSet<>(types);
        all.addAll(List.of("A", "AAAA"));
        List<Future<DnsLookupResult>> lookups =
                all.stream().map(type -> lookup(name, type)).toList();
        return Future.all(lookups).compose(done -> {
            List<DnsLookupResult> results = done.list();
            boolean isPrivate = results.stream()
                    .anyMatch(result -> result.blocked() && List.of("A", "AAAA").contains(result.type()));
            return isPrivate
                    ? Future.failedFuture(PrivateNameFilter.failure(name))
                    : Future.succeededFuture(results.stream()
                            .filter(result -> types.contains(result.type()))
                            .toList());
        });
    }
}
