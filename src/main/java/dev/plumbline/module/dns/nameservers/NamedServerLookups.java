package dev.plumbline.module.dns.nameservers;

import dev.plumbline.check.CheckContext;
import dev.plumbline.check.CheckFailure;
import dev.plumbline.concurrent.ContextFutures;
import dev.plumbline.dns.PrivateNameFilter;
import dev.plumbline.module.dns.nameservers.NameserverEvidence.Server;
import dev.plumbline.module.dns.record.DnsRecordRow;
import dev.plumbline.probe.dns.DnsLookupResult;
import dev.plumbline.probe.dns.HostAddresses;
import dev.plumbline.probe.dns.NameserverAddress;
import dev.plumbline.probe.dns.NameserverProbe;
import dev.plumbline.result.CheckError;
import dev.plumbline.result.ErrorCode;
import dev.plumbline.target.Host;
import dev.plumbline.target.InvalidTargetException;
import dev.plumbline.target.IpAddressText;
import dev.plumbline.target.TargetParser;
import io.vertx.core.Future;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.xbill.DNS.Name;
import org.xbill.DNS.Rcode;

/**
 * Lookups without recursion on a server that an option names: a hostname or an address, port 53. The port cannot be
 * selected, because a query to another port can be a request of another protocol.
 */
public record NamedServerLookups(CheckContext context, NameserverAddress server) {
    /** The maximum number of addresses per server, and in {@link #first} of all servers together. */
    private static final int MAX_ADDRESSES = 4;

    /**
     * Resolves the servers. Fails with {@code invalid_target} if a text is neither a hostname nor an address, and as
     * {@link NameserverProbe#addresses} does: all servers are classified before the first query.
     */
    static Future<List<Server>> resolve(CheckContext context, List<String> named) {
        return ContextFutures.all(new LinkedHashSet<>(named), text -> resolve(context, text));
    }

    private static Future<Server> resolve(CheckContext context, String text) {
        try {
            Host host = TargetParser.endpoint(text, NameserverAddress.PORT).host();
            Name name = host.literal() == null ? DnsRecordRow.name(host.name()) : null;
            return context.probe(NameserverProbe.class)
                    .addresses(context, host, MAX_ADDRESSES)
                    .map(HostAddresses::found)
                    .map(found -> new Server(host.name(), name, found, List.of(), List.of()));
        } catch (InvalidTargetException invalid) {
            return Future.failedFuture(
                    new CheckFailure(ErrorCode.INVALID_TARGET, "Option servers: " + invalid.getMessage()));
        }
    }

    /**
     * Selects the first address that returns NOERROR, NXDOMAIN or a private address. At most {@link #MAX_ADDRESSES}
     * addresses are tried. Fails as {@link #resolve} does, or with the error of the last address.
     */
    public static Future<NamedServerLookups> first(CheckContext context, List<String> servers, String name) {
        return resolve(context, servers).compose(resolved -> {
            List<NameserverAddress> addresses = resolved.stream()
                    .flatMap(server -> server.addresses().ips().stream().map(server::at))
                    .limit(MAX_ADDRESSES)
                    .toList();
            return select(context, addresses, 0, name);
        });
    }

    private static Future<NamedServerLookups> select(
            CheckContext context, List<NameserverAddress> addresses, int index, String name) {
        NamedServerLookups lookups = new NamedServerLookups(context, addresses.get(index));
        return lookups.lookup(name, "A").compose(result -> {
            if (result.succeeded() || result.blocked()) {
                return Future.succeededFuture(lookups);
            }
            return index + 1 < addresses.size()
                    ? select(context, addresses, index + 1, name)
                    : Future.failedFuture(failure(addresses.get(index), result));
        });
    }

    private static CheckFailure failure(NameserverAddress server, DnsLookupResult result) {
        CheckError error = result.failure();
        return error != null
                ? new CheckFailure(error)
                : new CheckFailure(
                        ErrorCode.DNS_SERVFAIL,
                        "The nameserver %s returned %s."
                                .formatted(
                                        IpAddressText.format(server.address()),
                                        Rcode.string(Objects.requireNonNull(result.response())
                                                .rcode())));
    }

    public Future<DnsLookupResult> lookup(String name, String type) {
        return context.probe(NameserverProbe.class).lookup(context, server, name, type);
    }

    /**
     * Looks up record types. Fails with {@code target_blocked} if the server returns a private address for the name,
     * because its other records may be private too.
     */
    public Future<List<DnsLookupResult>> lookups(String name, Set<String> types) {
        Set<String> all = new LinkedHashSet<>(types);
        all.addAll(List.of("A", "AAAA"));
        return ContextFutures.all(all, type -> lookup(name, type)).compose(results -> {
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
