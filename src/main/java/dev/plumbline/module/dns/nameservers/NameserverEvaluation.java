package dev.plumbline.module.dns.nameservers;

import static dev.plumbline.sheet.FindingCollector.reportIfAny;

import dev.plumbline.module.dns.nameservers.NameserverEvidence.AddressProbe;
import dev.plumbline.module.dns.nameservers.NameserverEvidence.Server;
import dev.plumbline.module.dns.record.DnsRecordRow;
import dev.plumbline.module.dns.record.ZoneDelegation;
import dev.plumbline.probe.dns.HostAddresses;
import dev.plumbline.probe.dns.HostAddresses.State;
import dev.plumbline.result.CheckError;
import dev.plumbline.result.ErrorCode;
import dev.plumbline.target.IpAddressText;
import java.net.Inet4Address;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.xbill.DNS.Name;
import org.xbill.DNS.Rcode;
import org.xbill.DNS.SOARecord;

/** Evaluates what the nameservers of a zone returned. */
final class NameserverEvaluation {
    private final NameserverEvidence evidence;
    private final Nameservers.Findings findings;
    private final Name zone;
    private final String zoneText;
    private final List<AddressProbe> probes;
    private final List<AddressProbe> authoritative;

    NameserverEvaluation(NameserverEvidence evidence, Nameservers.Findings findings) {
        this.evidence = evidence;
        this.findings = findings;
        this.zone = evidence.zone();
        this.zoneText = DnsRecordRow.text(zone);
        this.probes = evidence.probes().toList();
        this.authoritative =
                probes.stream().filter(probe -> probe.soa(zone) != null).toList();
    }

    Nameservers.Report evaluate() {
        if (!evidence.requested().equals(zone)) {
            findings.notAZone(DnsRecordRow.text(evidence.requested()), zoneText);
        }
        evaluateResponses();
        evaluateAddresses();
        Boolean match = evaluateDelegation();
        Boolean serialsMatch = evaluateContents();
        evaluateNetworks();
        reportIfAny(evidence.labels(AddressProbe::recursion), findings::openRecursion);
        reportIfAny(evidence.labels(probe -> probe.transfers(zone)), findings::zoneTransferOpen);
        List<String> noTcp =
                evidence.labels(probe -> probe.tcpError() != null && !NameserverSurvey.isLimit(probe.tcpError()));
        reportIfAny(noTcp, findings::tcpClosed);
        CheckError error = error();
        findings.error(error);
        boolean unknown = error != null && authoritative.isEmpty();
        return new Nameservers.Report(
                evidence.servers().stream().map(this::row).toList(),
                unknown ? null : match,
                unknown ? null : serialsMatch,
                names(this::isLame),
                names(AddressProbe::recursion),
                names(probe -> probe.transfers(zone)),
                networks().size(),
                unknown ? null : noTcp.isEmpty() && authoritative.stream().anyMatch(probe -> probe.ns() != null),
                evidence.dangling().rows());
    }

    /** Why the result is not complete; null if a nameserver responded. */
    private @Nullable CheckError error() {
        if (probes.stream().anyMatch(AddressProbe::responded)) {
            return evidence.delegationError();
        }
        return probes.stream()
                .flatMap(probe -> Stream.ofNullable(probe.error()))
                .findFirst()
                .map(error ->
                        new CheckError(error.code(), "No nameserver of " + zoneText + " responded. " + error.message()))
                .orElseGet(() -> new CheckError(
                        ErrorCode.DNS_NO_DATA, "The nameservers of " + zoneText + " do not have a usable address."));
    }

    private void evaluateResponses() {
        boolean responded = probes.stream().anyMatch(AddressProbe::responded);
        if (responded && authoritative.isEmpty()) {
            findings.noAuthoritativeServer(zoneText);
        }
        reportIfAny(
                evidence.labels(this::isLame, probe -> ": " + lameness(probe)),
                servers -> findings.lameDelegation(zoneText, servers));
        reportIfAny(
                evidence.labels(this::isUnresponsive, probe -> ": " + failure(probe.error())),
                findings::unresponsiveServers);
        reportIfAny(evidence.labels(this::isUnreachableIpv6), findings::ipv6NotTested);
        List<String> omitted = Stream.concat(
                        evidence.omitted().stream(),
                        probes.stream()
                                .filter(probe -> NameserverSurvey.isLimit(probe.error()))
                                .map(AddressProbe::address))
                .map(IpAddressText::format)
                .distinct()
                .toList();
        reportIfAny(omitted, ips -> findings.notQueried(NameserverSurvey.MAX_ADDRESSES, ips));
    }

    private boolean isLame(AddressProbe probe) {
        return probe.responded() && probe.soa(zone) == null;
    }

    private static String lameness(AddressProbe probe) {
        if (probe.first() == null || !probe.first().succeeded()) {
            return probe.first() == null ? "" : Rcode.string(probe.first().rcode());
        }
        return probe.first().authoritative() ? "no SOA record" : "not authoritative";
    }

    /** A missing route for IPv6 is usually one of this service. */
    private boolean isUnreachableIpv6(AddressProbe probe) {
        return probe.failedWith(ErrorCode.CONNECT_UNREACHABLE) && probe.address() instanceof Inet6Address;
    }

    private boolean isUnresponsive(AddressProbe probe) {
        return probe.error() != null
                && !NameserverSurvey.isLimit(probe.error())
                && !probe.failedWith(ErrorCode.TARGET_BLOCKED)
                && !isUnreachableIpv6(probe);
    }

    private static String failure(@Nullable CheckError error) {
        return switch (error == null ? ErrorCode.DNS_TIMEOUT : error.code()) {
            case CONNECT_REFUSED -> "connection refused";
            case CONNECT_UNREACHABLE -> "no route to host";
            case DNS_SERVFAIL -> "malformed response";
            default -> "timeout";
        };
    }

    private void evaluateAddresses() {
        evidence.dangling().report(findings);
        reportIfAny(
                labels(server -> server.addresses().state() == State.NONE
                        && server.addresses().missing() == null
                        && server.glue().isEmpty()),
                findings::noAddress);
        reportIfAny(
                labels(server -> server.addresses().state() == State.FAILED
                        && !server.addresses().limited()
                        && server.glue().isEmpty()),
                findings::addressLookupFailed);
        evidence.servers().stream()
                .map(NameserverEvidence.Server::addresses)
                .filter(HostAddresses::limited)
                .findFirst()
                .ifPresent(limited -> findings.error(limited.error()));
        reportIfAny(
                labels(server -> server.addresses().state() == State.PRIVATE
                        || server.probes().stream().anyMatch(probe -> probe.failedWith(ErrorCode.TARGET_BLOCKED))),
                findings::privateAddress);
        reportIfAny(labels(server -> server.addresses().alias()), findings::nameserverIsAlias);
    }

    /** Whether the parent zone and the zone have the same NS records; null if the delegation is unknown. */
    private @Nullable Boolean evaluateDelegation() {
        ZoneDelegation delegation = evidence.delegation();
        if (delegation == null) {
            return null;
        }
        String parent = DnsRecordRow.text(delegation.parent());
        List<Name> zoneServers = evidence.zoneServers();
        if (evidence.named()) {
            return evaluateNamed(delegation, parent, zoneServers);
        }
        if (delegation.state() == ZoneDelegation.State.REFERRAL) {
            evaluateGlue(delegation, parent);
        }
        if (zoneServers.isEmpty()) {
            return false;
        }
        List<String> onlyParent = texts(delegation.servers(), zoneServers);
        List<String> onlyZone = texts(zoneServers, delegation.servers());
        reportIfAny(onlyParent, servers -> findings.missingInZone(zoneText, parent, servers));
        reportIfAny(onlyZone, servers -> findings.missingInParent(zoneText, parent, servers));
        return onlyParent.isEmpty() && onlyZone.isEmpty();
    }

    private boolean evaluateNamed(ZoneDelegation delegation, String parent, List<Name> zoneServers) {
        boolean match = new HashSet<>(zoneServers).equals(new HashSet<>(delegation.servers()));
        if (delegation.servers().isEmpty()) {
            findings.notDelegated(zoneText, parent);
        } else if (!match && !zoneServers.isEmpty()) {
            findings.delegationDiffers(zoneText, parent, texts(delegation.servers(), List.of()));
        }
        if (!zoneServers.isEmpty()) {
            reportIfAny(
                    labels(server -> server.name() != null && !zoneServers.contains(server.name())),
                    servers -> findings.serverNotListed(zoneText, servers));
        }
        return match;
    }

    private void evaluateGlue(ZoneDelegation delegation, String parent) {
        List<String> missing = delegation.servers().stream()
                .filter(name -> name.subdomain(zone) && delegation.glueOf(name).isEmpty())
                .map(DnsRecordRow::text)
                .toList();
        reportIfAny(missing, servers -> findings.missingGlue(zoneText, parent, servers));
        List<String> differing = labels(server -> !server.glue().isEmpty()
                && Set.of(State.FOUND, State.NONE).contains(server.addresses().state())
                && !Set.copyOf(server.glue())
                        .equals(Set.copyOf(server.addresses().ips())));
        reportIfAny(differing, servers -> findings.glueDiffers(parent, servers));
    }

    /** Compares serial numbers and NS records. Returns whether all serial numbers are equal. */
    private boolean evaluateContents() {
        Set<Long> serials = new TreeSet<>();
        Set<Set<Name>> nsSets = new HashSet<>();
        for (AddressProbe probe : authoritative) {
            SOARecord soa = probe.soa(zone);
            if (soa != null) {
                serials.add(soa.getSerial());
            }
            if (!probe.nsRecords(zone).isEmpty()) {
                nsSets.add(new HashSet<>(ZoneDelegation.targets(probe.nsRecords(zone))));
            }
        }
        if (serials.size() > 1) {
            findings.serialsDiffer(serials);
        }
        if (nsSets.size() > 1) {
            Set<Name> common = new HashSet<>(evidence.zoneServers());
            nsSets.forEach(common::retainAll);
            findings.nsRecordsDiffer(texts(evidence.zoneServers(), common));
        }
        return serials.size() == 1;
    }

    private void evaluateNetworks() {
        List<Server> servers = evidence.servers();
        List<InetAddress> all = servers.stream()
                .flatMap(server -> shownAddresses(server).stream())
                .toList();
        if (servers.size() == 1 && !evidence.named()) {
            findings.singleNameserver(zoneText, servers.get(0).label());
        }
        Set<InetAddress> distinct = new HashSet<>();
        List<InetAddress> repeated = all.stream()
                .filter(address -> !distinct.add(address))
                .distinct()
                .toList();
        reportIfAny(IpAddressText.format(repeated), findings::sharedAddress);
        List<String> networks = networks();
        long v4 = networks.stream().filter(network -> network.endsWith("/24")).count();
        boolean known = servers.stream()
                .map(server -> server.addresses().state())
                .noneMatch(state -> state == State.FAILED || state == State.PARTIAL);
        if (known && servers.size() > 1 && distinct.size() > 1 && v4 <= 1 && networks.size() - v4 <= 1) {
            findings.singleNetwork(networks);
        }
        boolean complete =
                servers.stream().allMatch(server -> server.addresses().state() == State.FOUND);
        if (complete && !evidence.named()) {
            if (all.stream().noneMatch(Inet4Address.class::isInstance)) {
                findings.noIpv4(zoneText);
            } else if (all.stream().noneMatch(Inet6Address.class::isInstance)) {
                findings.noIpv6(zoneText);
            }
        }
    }

    /** The /24 networks of the IPv4 and the /48 networks of the IPv6 addresses. */
    private List<String> networks() {
        return evidence.servers().stream()
                .flatMap(server -> shownAddresses(server).stream())
                .map(NameserverEvaluation::network)
                .distinct()
                .toList();
    }

    private static String network(InetAddress address) {
        byte[] bytes = address.getAddress();
        int kept = bytes.length == 4 ? 3 : 6;
        Arrays.fill(bytes, kept, bytes.length, (byte) 0);
        return IpAddressText.format(IpAddressText.of(bytes)) + "/" + 8 * kept;
    }

    private static List<InetAddress> shownAddresses(Server server) {
        return server.addresses().ips().isEmpty()
                ? server.probes().stream()
                        .filter(probe -> !probe.failedWith(ErrorCode.TARGET_BLOCKED))
                        .map(AddressProbe::address)
                        .toList()
                : server.addresses().ips();
    }

    private Nameservers.Row row(Server server) {
        AddressProbe best = server.best(zone);
        SOARecord soa = best == null ? null : best.soa(zone);
        return new Nameservers.Row(
                server.label(),
                IpAddressText.format(shownAddresses(server)),
                server.probes().isEmpty() ? null : (Boolean) (best != null),
                best == null ? null : soa != null,
                soa == null ? null : soa.getSerial(),
                best == null || best.first() == null
                        ? null
                        : Math.round(best.first().responseMs() * 10) / 10.0,
                recursion(server));
    }

    private static @Nullable Boolean recursion(Server server) {
        List<AddressProbe> responded =
                server.probes().stream().filter(AddressProbe::responded).toList();
        if (responded.isEmpty()) {
            return null;
        }
        if (responded.stream().anyMatch(AddressProbe::recursion)) {
            return true;
        }
        boolean unknown = responded.stream()
                .anyMatch(probe ->
                        probe.first() != null && probe.first().recursionAvailable() && probe.recursive() == null);
        return unknown ? null : (Boolean) false;
    }

    private List<String> labels(Predicate<Server> condition) {
        return evidence.servers().stream().filter(condition).map(Server::label).toList();
    }

    private List<String> names(Predicate<AddressProbe> condition) {
        return labels(server -> server.probes().stream().anyMatch(condition));
    }

    /** The names that others does not contain. */
    private static List<String> texts(List<Name> names, Collection<Name> others) {
        Set<Name> excluded = Set.copyOf(others);
        return names.stream()
                .filter(name -> !excluded.contains(name))
                .map(DnsRecordRow::text)
                .toList();
    }
}
