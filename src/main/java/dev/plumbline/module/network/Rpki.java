package dev.plumbline.module.network;

import static dev.plumbline.sheet.FindingCollector.reportIfAny;

import com.google.auto.service.AutoService;
import dev.plumbline.check.CheckContext;
import dev.plumbline.check.CheckModule;
import dev.plumbline.check.RegisteredModule;
import dev.plumbline.module.network.RoutedHosts.RoutedHost;
import dev.plumbline.probe.dns.DnsProbe;
import dev.plumbline.probe.routing.OriginProbe;
import dev.plumbline.probe.routing.OriginProbe.Origins;
import dev.plumbline.probe.routing.RouteValidity;
import dev.plumbline.probe.routing.RouteValidity.State;
import dev.plumbline.probe.routing.RpkiValidator;
import dev.plumbline.probe.routing.Vrp;
import dev.plumbline.probe.routing.VrpTable;
import dev.plumbline.result.CheckError;
import dev.plumbline.result.ErrorCode;
import dev.plumbline.sheet.FindingCollector;
import dev.plumbline.sheet.Options;
import dev.plumbline.target.IpAddressText;
import dev.plumbline.target.Target;
import io.vertx.core.Future;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.xbill.DNS.Type;

/**
 * The routes of the web servers, mail servers and nameservers of a domain: their origin AS, and their validity by the
 * data of the RPKI validator of the operator (RFC 6811).
 */
@AutoService(RegisteredModule.class)
public final class Rpki implements CheckModule<Rpki.Evidence, Rpki.Report, Rpki.Findings> {
    /** Each needs up to one query. */
    static final int MAX_ADDRESSES = 50;

    private static final CheckError NOT_CONFIGURED = new CheckError(
            ErrorCode.NOT_CONFIGURED,
            "This service does not have an RPKI validator. An operator can set `rpki.validator`.");

    /** The fields of the report; null without a validator. */
    public record Report(
            @Nullable List<Row> addresses, @Nullable Integer invalidCount, @Nullable Integer notFoundCount) {}

    /** A route of an address of a host, or the address if its routes are unknown. */
    public record Row(
            String name,
            List<String> roles,
            String ip,
            @Nullable Long asn,
            @Nullable String prefix,
            @Nullable State status,
            boolean roaFound) {}

    public interface Findings extends FindingCollector {
        void rpkiInvalid(String prefix, long asn, List<String> hosts, String reason);

        void rpkiNotFound(List<String> addresses);

        void validatorNotConfigured();

        void originNotConfigured(List<String> addresses);

        void originLookupFailed(List<String> addresses, String error);

        void notAnnounced(List<String> addresses);

        void lookupFailed(List<String> hosts);

        void addressesOmitted(int checked, int total);

        void noAddresses(String domain);
    }

    /**
     * The routes of an address.
     *
     * @param covered whether a payload covers the address
     * @param origins null if the operator did not configure a zone for the address
     * @param routes those of the most specific prefix, one for each origin AS; empty if they are unknown
     */
    public record Routing(boolean covered, @Nullable Origins origins, List<RouteValidity> routes) {
        /** Why the lookup of the routes failed; null if it did not fail or was not performed. */
        @Nullable
        CheckError error() {
            return origins == null ? null : origins.error();
        }

        /**
         * Whether the zones do not contain a route, so that the address does not have a status unless no ROA covers it.
         */
        boolean notAnnounced() {
            return origins != null && error() == null && routes.isEmpty();
        }

        /** Whether a ROA covers the address, but it is unknown whether it authorizes the route. */
        boolean undetermined() {
            return covered && routes.isEmpty() && !notAnnounced();
        }
    }

    /**
     * @param hosts null without a validator
     * @param routing of the first addresses
     */
    public record Evidence(String domain, @Nullable RoutedHosts hosts, Map<InetAddress, Routing> routing) {}

    @Override
    public Future<Evidence> collect(Target target, CheckContext context) {
        String domain = target.text();
        RpkiValidator validator = context.probe(RpkiValidator.class);
        if (!validator.isConfigured()) {
            return Future.succeededFuture(new Evidence(domain, null, Map.of()));
        }
        DnsProbe dns = context.probe(DnsProbe.class);
        // before the lookups, so that the first load runs in parallel with them
        Future<VrpTable> payloads = validator.current(context);
        return dns.admit(context, domain)
                .compose(admitted -> dns.query(context, domain, Type.AAAA))
                .compose(DnsProbe::requireName)
                .compose(name -> RoutedHosts.lookup(context, domain))
                .compose(hosts -> payloads.compose(
                        table -> routing(context, table, hosts).map(routing -> new Evidence(domain, hosts, routing))));
    }

    private static Future<Map<InetAddress, Routing>> routing(CheckContext context, VrpTable table, RoutedHosts hosts) {
        OriginProbe origins = context.probe(OriginProbe.class);
        Map<InetAddress, Future<Routing>> lookups = new LinkedHashMap<>();
        for (InetAddress address : hosts.addresses()) {
            if (lookups.size() < MAX_ADDRESSES) {
                boolean covered = table.covers(address);
                lookups.put(
                        address,
                        origins.supports(address)
                                ? origins.lookup(context, address)
                                        .map(found -> new Routing(covered, found, validities(table, found)))
                                : Future.succeededFuture(new Routing(covered, null, List.of())));
            }
        }
        return Future.all(List.copyOf(lookups.values())).map(done -> {
            Map<InetAddress, Routing> routing = new LinkedHashMap<>();
            lookups.forEach((address, lookup) -> routing.put(address, lookup.result()));
            return routing;
        });
    }

    private static List<RouteValidity> validities(VrpTable table, Origins origins) {
        return origins.mostSpecific().stream()
                .map(route -> table.validate(route.prefix(), route.asn()))
                .toList();
    }

    @Override
    public Report evaluate(Evidence evidence, Options options, Findings findings) {
        RoutedHosts hosts = evidence.hosts();
        if (hosts == null) {
            findings.validatorNotConfigured();
            findings.error(NOT_CONFIGURED);
            return new Report(null, null, null);
        }
        List<Row> rows = rows(evidence, hosts);
        reportInvalid(evidence, hosts, findings);
        reportIfAny(notFound(rows), findings::rpkiNotFound);
        boolean complete = reportUnknown(evidence, hosts, findings);
        if (rows.isEmpty() && complete) {
            findings.noAddresses(evidence.domain());
        }
        if (!rows.isEmpty() && rows.stream().allMatch(row -> row.status() == null)) {
            findings.error(undetermined(evidence));
        } else if (rows.isEmpty()) {
            findings.error(hosts.error());
        }
        return new Report(
                rows, complete ? count(rows, State.INVALID) : null, complete ? count(rows, State.NOT_FOUND) : null);
    }

    private static List<Row> rows(Evidence evidence, RoutedHosts hosts) {
        List<Row> rows = new ArrayList<>();
        for (RoutedHost host : hosts.hosts()) {
            for (InetAddress ip : host.addresses()) {
                Routing routing = evidence.routing().get(ip);
                if (routing != null) {
                    rows.addAll(rows(host, ip, routing));
                }
            }
        }
        return rows;
    }

    private static List<Row> rows(RoutedHost host, InetAddress ip, Routing routing) {
        String address = IpAddressText.format(ip);
        if (routing.routes().isEmpty()) {
            State state = routing.covered() ? null : State.NOT_FOUND;
            return List.of(new Row(host.name(), host.roleNames(), address, null, null, state, routing.covered()));
        }
        return routing.routes().stream()
                .map(validity -> new Row(
                        host.name(),
                        host.roleNames(),
                        address,
                        validity.route().asn(),
                        validity.route().prefix().toString(),
                        validity.state(),
                        validity.state() != State.NOT_FOUND))
                .toList();
    }

    /** Reports each invalid route once, with the hosts that use it. */
    private static void reportInvalid(Evidence evidence, RoutedHosts hosts, Findings findings) {
        Map<RouteValidity, Set<String>> names = new LinkedHashMap<>();
        for (RoutedHost host : hosts.hosts()) {
            host.addresses().stream()
                    .flatMap(ip -> Stream.ofNullable(evidence.routing().get(ip)))
                    .flatMap(routing -> routing.routes().stream())
                    .filter(validity -> validity.state() == State.INVALID)
                    .forEach(validity -> names.computeIfAbsent(validity, key -> new LinkedHashSet<>())
                            .add(host.name()));
        }
        names.forEach((validity, using) -> findings.rpkiInvalid(
                validity.route().prefix().toString(), validity.route().asn(), List.copyOf(using), reason(validity)));
    }

    private static String reason(RouteValidity validity) {
        List<Vrp> ofOrigin = validity.covering().stream()
                .filter(vrp -> vrp.asn() == validity.route().asn())
                .toList();
        if (!ofOrigin.isEmpty()) {
            int longest = ofOrigin.stream().mapToInt(Vrp::maxLength).max().getAsInt();
            return "The ROA of this AS authorizes prefixes of at most " + longest + " bits";
        }
        String authorized = validity.covering().stream()
                .filter(vrp -> vrp.asn() != 0)
                .map(vrp -> "AS" + vrp.asn())
                .distinct()
                .collect(Collectors.joining(", "));
        return authorized.isEmpty()
                ? "The ROA does not authorize any AS to announce it"
                : "ROAs authorize only " + authorized + (validity.complete() ? "" : " and others");
    }

    /** Reports what is unknown. Returns whether the status of each announced address is known. */
    private static boolean reportUnknown(Evidence evidence, RoutedHosts hosts, Findings findings) {
        Map<InetAddress, Routing> routing = evidence.routing();
        reportIfAny(
                addresses(routing, each -> each.covered() && each.origins() == null), findings::originNotConfigured);
        CheckError error = originError(evidence);
        if (error != null) {
            findings.originLookupFailed(addresses(routing, each -> each.error() != null), error.message());
        }
        reportIfAny(addresses(routing, Routing::notAnnounced), findings::notAnnounced);
        reportIfAny(hosts.unknown(), findings::lookupFailed);
        int total = hosts.addresses().size();
        if (routing.size() < total) {
            findings.addressesOmitted(routing.size(), total);
        }
        return routing.values().stream().noneMatch(Routing::undetermined)
                && hosts.unknown().isEmpty()
                && routing.size() == total;
    }

    private static List<String> addresses(Map<InetAddress, Routing> routing, Predicate<Routing> condition) {
        return routing.entrySet().stream()
                .filter(entry -> condition.test(entry.getValue()))
                .map(entry -> IpAddressText.format(entry.getKey()))
                .toList();
    }

    private static @Nullable CheckError originError(Evidence evidence) {
        return evidence.routing().values().stream()
                .flatMap(routing -> Stream.ofNullable(routing.error()))
                .findFirst()
                .orElse(null);
    }

    /** Why no status is known. */
    private static CheckError undetermined(Evidence evidence) {
        CheckError error = originError(evidence);
        if (error != null) {
            return error;
        }
        return new CheckError(
                ErrorCode.NOT_CONFIGURED,
                evidence.routing().values().stream().allMatch(Routing::notAnnounced)
                        ? "The zones of `asn.zones` do not contain a route for any address of the domain. An operator can check that they"
                                + " are zones of an IP to ASN mapping."
                        : "The origin AS of the addresses is unknown. An operator can set `asn.zones`.");
    }

    private static List<String> notFound(List<Row> rows) {
        return rows.stream()
                .filter(row -> row.status() == State.NOT_FOUND)
                .map(row -> (row.prefix() == null ? row.ip() : row.prefix()) + " (" + row.name() + ")")
                .distinct()
                .toList();
    }

    private static int count(List<Row> rows, State state) {
        return (int) rows.stream().filter(row -> row.status() == state).count();
    }
}
