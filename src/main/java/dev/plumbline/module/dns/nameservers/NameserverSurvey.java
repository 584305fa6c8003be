package dev.plumbline.module.dns.nameservers;

import dev.plumbline.check.CheckContext;
import dev.plumbline.check.CheckFailure;
import dev.plumbline.concurrent.ContextFutures;
import dev.plumbline.dns.DnsResolver;
import dev.plumbline.module.dns.nameservers.NameserverEvidence.AddressProbe;
import dev.plumbline.module.dns.nameservers.NameserverEvidence.Server;
import dev.plumbline.module.dns.record.ZoneDelegation;
import dev.plumbline.probe.dns.DnsProbe;
import dev.plumbline.probe.dns.HostAddresses;
import dev.plumbline.probe.dns.NameserverAddress;
import dev.plumbline.probe.dns.NameserverProbe;
import dev.plumbline.probe.dns.NameserverProbe.Query;
import dev.plumbline.result.CheckError;
import dev.plumbline.result.ErrorCode;
import io.vertx.core.Future;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.xbill.DNS.Name;
import org.xbill.DNS.Type;

/**
 * Queries the nameservers of a zone: SOA over UDP, NS and a zone transfer over one TCP connection, and a name outside
 * of the zone if the server offers recursion. Two requests per address, three with recursion.
 */
final class NameserverSurvey {
    /** The maximum number of addresses that are queried. The requests of all of them fit the request budget. */
    static final int MAX_ADDRESSES = 8;

    /** The maximum number of nameservers whose addresses are looked up. */
    static final int MAX_SERVERS = 20;

    /** A name that authoritative servers of other zones do not resolve. */
    static final Name OUTSIDE = Name.fromConstantString("a.root-servers.net.");

    private static final int MAX_NS_RETRIES = 2;

    private final CheckContext context;
    private final NameserverProbe probe;
    private final Name zone;
    private int queried;

    NameserverSurvey(CheckContext context, Name zone) {
        this.context = context;
        this.probe = context.probe(NameserverProbe.class);
        this.zone = zone;
    }

    /** Looks up the addresses of the nameservers with the resolver. */
    Future<List<Server>> servers(List<Name> names, @Nullable ZoneDelegation delegation) {
        List<Future<Server>> lookups = new ArrayList<>();
        for (Name name : names) {
            String label = DnsResolver.text(name);
            List<InetAddress> glue = delegation == null ? List.of() : delegation.glueOf(name);
            Future<HostAddresses> addresses = lookups.size() >= MAX_SERVERS
                    ? Future.succeededFuture(HostAddresses.NOT_CHECKED)
                    : context.probe(DnsProbe.class).addresses(context, label);
            lookups.add(addresses.map(found -> new Server(label, name, found, glue, List.of())));
        }
        return Future.all(lookups).map(all -> all.list());
    }

    /** Queries the servers, and the servers that only the zone itself lists. */
    Future<NameserverEvidence> run(NameserverEvidence evidence) {
        return query(evidence)
                .compose(this::repeatNsQueries)
                .compose(first -> probe.requirePublic(
                                zone,
                                first.probes()
                                        .flatMap(each -> each.nsRecords(zone).stream())
                                        .toList())
                        .map(first))
                .compose(first -> {
                    Set<Name> known = new HashSet<>();
                    first.servers().forEach(server -> known.add(server.name()));
                    List<Name> others = first.zoneServers().stream()
                            .filter(name -> !known.contains(name))
                            .toList();
                    return others.isEmpty() || first.named()
                            ? Future.succeededFuture(first)
                            : servers(others, null)
                                    .compose(more -> query(first.with(more, first.omitted())))
                                    .map(second -> second.with(
                                            Stream.concat(first.servers().stream(), second.servers().stream())
                                                    .toList(),
                                            second.omitted()));
                });
    }

    private Future<NameserverEvidence> query(NameserverEvidence evidence) {
        Map<Server, List<InetAddress>> selected = new LinkedHashMap<>();
        List<InetAddress> omitted = new ArrayList<>(evidence.omitted());
        List<Predicate<InetAddress>> families =
                List.of(Inet4Address.class::isInstance, address -> !(address instanceof Inet4Address));
        for (Predicate<InetAddress> family : families) {
            for (Server server : evidence.servers()) {
                for (InetAddress address :
                        addresses(server).stream().filter(family).toList()) {
                    List<InetAddress> own = selected.computeIfAbsent(server, first -> new ArrayList<>());
                    if (queried < MAX_ADDRESSES && own.stream().noneMatch(family)) {
                        own.add(address);
                        queried++;
                    } else {
                        omitted.add(address);
                    }
                }
            }
        }
        return ContextFutures.all(evidence.servers(), server -> ContextFutures.all(
                                selected.getOrDefault(server, List.of()), address -> query(server, address))
                        .map(server::with))
                .map(servers -> evidence.with(servers, List.copyOf(omitted)));
    }

    /** The addresses of a server; the glue only if the resolver does not find any, and not if they are private. */
    private static List<InetAddress> addresses(Server server) {
        HostAddresses addresses = server.addresses();
        boolean useGlue = addresses.ips().isEmpty() && addresses.state() != HostAddresses.State.PRIVATE;
        return useGlue ? server.glue() : addresses.ips();
    }

    private Future<AddressProbe> query(Server server, InetAddress address) {
        NameserverAddress target = server.at(address);
        return probe.query(context, target, Query.iterative(zone, Type.SOA))
                .map(response -> AddressProbe.responded(address, response))
                .recover(CheckFailure.otherwise(error -> AddressProbe.failed(address, error)))
                .compose(first -> first.soa(zone) == null ? Future.succeededFuture(first) : queryTcp(target, first))
                .compose(second -> second.first() != null && second.first().recursionAvailable()
                        ? queryRecursively(target, second)
                        : Future.succeededFuture(second));
    }

    private Future<AddressProbe> queryTcp(NameserverAddress target, AddressProbe soFar) {
        List<Query> queries = List.of(Query.iterative(zone, Type.NS), Query.iterative(zone, Type.AXFR));
        return probe.queryTcp(context, target, queries)
                .map(soFar::withTcp)
                .recover(CheckFailure.otherwise(soFar::withTcpError));
    }

    private Future<AddressProbe> queryRecursively(NameserverAddress target, AddressProbe soFar) {
        return probe.query(context, target, Query.recursive(OUTSIDE, Type.A))
                .map(soFar::withRecursive)
                .recover(CheckFailure.otherwise(error -> soFar));
    }

    /** Sends the NS query over UDP if no server returned the NS records over TCP. */
    private Future<NameserverEvidence> repeatNsQueries(NameserverEvidence evidence) {
        if (!evidence.zoneServers().isEmpty()) {
            return Future.succeededFuture(evidence);
        }
        int[] left = {MAX_NS_RETRIES};
        return ContextFutures.all(evidence.servers(), server -> ContextFutures.all(
                                server.probes(),
                                each -> each.soa(zone) != null && left[0]-- > 0
                                        ? repeatNsQuery(server, each)
                                        : Future.succeededFuture(each))
                        .map(server::with))
                .map(servers -> evidence.with(servers, evidence.omitted()));
    }

    private Future<AddressProbe> repeatNsQuery(Server server, AddressProbe soFar) {
        return probe.query(context, server.at(soFar.address()), Query.iterative(zone, Type.NS))
                .map(soFar::withNs)
                .recover(CheckFailure.otherwise(error -> soFar));
    }

    /** Whether an error is due to the limits of this service. */
    static boolean isLimit(@Nullable CheckError error) {
        return error != null
                && (error.code() == ErrorCode.REQUEST_LIMIT || error.code() == ErrorCode.DEADLINE_EXCEEDED);
    }
}
