package dev.plumbline.module.dns.nameservers;

import static java.util.stream.Collectors.groupingBy;
import static java.util.stream.Collectors.mapping;
import static java.util.stream.Collectors.toUnmodifiableList;

import dev.plumbline.check.CheckContext;
import dev.plumbline.check.CheckFailure;
import dev.plumbline.dns.DnsResolver;
import dev.plumbline.module.dns.record.DnsRecordRow;
import dev.plumbline.module.dns.record.ZoneDelegation;
import dev.plumbline.probe.dns.DnsProbe;
import dev.plumbline.probe.dns.NameserverAddress;
import dev.plumbline.probe.dns.NameserverProbe;
import dev.plumbline.probe.dns.NameserverResponse;
import dev.plumbline.result.ErrorCode;
import dev.plumbline.target.Host;
import dev.plumbline.target.IpAddressText;
import io.vertx.core.Future;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.xbill.DNS.Name;
import org.xbill.DNS.Record;
import org.xbill.DNS.Section;
import org.xbill.DNS.Type;

/**
 * Finds the delegation of a name: looks up the nearest zone above it with the resolver, and queries the nameservers of
 * this zone directly. Follows referrals to zones between the two, which a resolver cannot resolve.
 */
final class DelegationFinder {
    /** The maximum number of queries of nameservers of the parent zones. */
    static final int MAX_QUERIES = 5;

    private static final Set<ErrorCode> FINAL =
            Set.of(ErrorCode.REQUEST_LIMIT, ErrorCode.DEADLINE_EXCEEDED, ErrorCode.DNS_NXDOMAIN);

    private final CheckContext context;
    private final NameserverProbe probe;
    private final Name name;
    private int queries;

    private record Zone(Name name, List<Name> servers, Map<Name, List<InetAddress>> glue) {}

    private DelegationFinder(CheckContext context, Name name) {
        this.context = context;
        this.probe = context.probe(NameserverProbe.class);
        this.name = name;
    }

    /**
     * Finds the delegation. Fails as {@link DnsProbe#query} does, and with the failure of the last nameserver of the
     * parent zone if none of them returns a usable response.
     *
     * @param name not the root
     */
    static Future<ZoneDelegation> find(CheckContext context, Name name) {
        return new DelegationFinder(context, name).above(new Name(name, 1));
    }

    private Future<ZoneDelegation> above(Name ancestor) {
        return context.probe(DnsProbe.class)
                .queryRaw(context, DnsResolver.text(ancestor), Type.NS)
                .compose(response -> {
                    List<Name> servers =
                            response.cnames().isEmpty() ? ZoneDelegation.targets(response.records()) : List.of();
                    if (!servers.isEmpty()) {
                        return query(new Zone(ancestor, servers, Map.of()));
                    }
                    return ancestor.equals(Name.root)
                            ? Future.failedFuture(new CheckFailure(
                                    ErrorCode.DNS_SERVFAIL, "The DNS resolver did not return the root nameservers."))
                            : above(new Name(ancestor, 1));
                });
    }

    private Future<ZoneDelegation> query(Zone zone) {
        // The order differs between names, so that not all checks query the same nameserver of a top-level domain.
        List<Name> servers = new ArrayList<>(zone.servers());
        servers.sort(Comparator.comparingInt(server -> Objects.hash(server, name)));
        return query(zone, servers, 0, null);
    }

    private Future<ZoneDelegation> query(Zone zone, List<Name> servers, int index, @Nullable Throwable last) {
        if (index == servers.size() || queries == MAX_QUERIES) {
            return Future.failedFuture(last != null ? last : lame(zone));
        }
        Name server = servers.get(index);
        return address(zone, server)
                .compose(address -> {
                    queries++;
                    return probe.query(context, address, NameserverProbe.Query.iterative(name, Type.NS));
                })
                .compose(response -> follow(zone, response))
                .recover(cause -> cause instanceof CheckFailure failure
                                && !FINAL.contains(failure.error().code())
                        ? query(zone, servers, index + 1, cause)
                        : Future.failedFuture(cause));
    }

    private Future<NameserverAddress> address(Zone zone, Name server) {
        Host host = new Host(DnsResolver.text(server), null);
        List<InetAddress> glue = zone.glue().getOrDefault(server, List.of());
        return glue.isEmpty()
                ? probe.addresses(context, host, 1).map(addresses -> new NameserverAddress(host, addresses.get(0)))
                : Future.succeededFuture(new NameserverAddress(host, glue.get(0)));
    }

    private Future<ZoneDelegation> follow(Zone zone, NameserverResponse response) {
        if (response.authoritative() && response.nxdomain()) {
            return delegation(zone.name(), ZoneDelegation.State.NXDOMAIN, List.of(), response);
        }
        if (!response.succeeded()) {
            return Future.failedFuture(lame(zone));
        }
        List<Record> answers = response.answers(name, Type.NS);
        if (response.authoritative()) {
            return answers.isEmpty()
                    ? delegation(enclosing(zone, response), ZoneDelegation.State.NOT_A_ZONE, List.of(), response)
                    : delegation(zone.name(), ZoneDelegation.State.SHARED_SERVER, answers, response);
        }
        List<Record> referral = response.records(Section.AUTHORITY, null, Type.NS);
        Name owner = referral.isEmpty() ? Name.root : referral.get(0).getName();
        if (owner.equals(name)) {
            return delegation(
                    zone.name(),
                    ZoneDelegation.State.REFERRAL,
                    response.records(Section.AUTHORITY, name, Type.NS),
                    response);
        }
        boolean descends = name.subdomain(owner) && owner.subdomain(zone.name()) && !owner.equals(zone.name());
        return descends
                ? query(new Zone(
                        owner,
                        ZoneDelegation.targets(response.records(Section.AUTHORITY, owner, Type.NS)),
                        glue(response)))
                : Future.failedFuture(lame(zone));
    }

    /** The zone of a negative response: the owner of its SOA record (RFC 2308 section 2.2). */
    private Name enclosing(Zone zone, NameserverResponse response) {
        return response.records(Section.AUTHORITY, null, Type.SOA).stream()
                .map(Record::getName)
                .filter(owner -> name.subdomain(owner) && owner.subdomain(zone.name()) && !owner.equals(name))
                .findFirst()
                .orElse(zone.name());
    }

    private Future<ZoneDelegation> delegation(
            Name parent, ZoneDelegation.State state, List<Record> records, NameserverResponse response) {
        return probe.requirePublic(name, records)
                .map(shown -> new ZoneDelegation(name, parent, state, ZoneDelegation.targets(shown), glue(response)));
    }

    private static Map<Name, List<InetAddress>> glue(NameserverResponse response) {
        return Stream.of(Type.A, Type.AAAA)
                .flatMap(type -> response.records(Section.ADDITIONAL, null, type).stream())
                .collect(groupingBy(
                        Record::getName,
                        mapping(record -> IpAddressText.of(record.rdataToWireCanonical()), toUnmodifiableList())));
    }

    private CheckFailure lame(Zone zone) {
        return new CheckFailure(
                ErrorCode.DNS_SERVFAIL,
                "The nameservers of the parent zone %s did not return the delegation of %s."
                        .formatted(DnsRecordRow.text(zone.name()), DnsRecordRow.text(name)));
    }
}
