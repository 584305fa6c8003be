package dev.plumbline.module.dns.nameservers;

import dev.plumbline.module.dns.record.ZoneDelegation;
import dev.plumbline.module.reference.DanglingReferences;
import dev.plumbline.probe.dns.HostAddresses;
import dev.plumbline.probe.dns.NameserverAddress;
import dev.plumbline.probe.dns.NameserverResponse;
import dev.plumbline.result.CheckError;
import dev.plumbline.result.ErrorCode;
import dev.plumbline.target.Host;
import dev.plumbline.target.IpAddressText;
import java.net.InetAddress;
import java.util.List;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.xbill.DNS.Name;
import org.xbill.DNS.Record;
import org.xbill.DNS.SOARecord;
import org.xbill.DNS.Type;

/**
 * What the nameservers of a zone return.
 *
 * @param requested the name that was checked
 * @param zone the same name, or the zone that contains it
 * @param delegation null if it is unknown; only if the servers were named in the option
 * @param delegationError why the delegation is unknown; null if it is not
 * @param named whether the servers were named in the option
 * @param omitted the addresses that were not queried, because the number of requests is limited
 * @param dangling the nameservers that do not exist
 */
public record NameserverEvidence(
        Name requested,
        Name zone,
        @Nullable ZoneDelegation delegation,
        @Nullable CheckError delegationError,
        boolean named,
        List<Server> servers,
        List<InetAddress> omitted,
        DanglingReferences dangling) {

    public NameserverEvidence(
            Name requested,
            Name zone,
            @Nullable ZoneDelegation delegation,
            @Nullable CheckError delegationError,
            boolean named,
            List<Server> servers) {
        this(requested, zone, delegation, delegationError, named, servers, List.of(), DanglingReferences.NONE);
    }

    /**
     * A nameserver.
     *
     * @param label the hostname without the final dot, or the address
     * @param name the hostname; null for an address
     * @param addresses of the hostname, from the resolver
     * @param glue the addresses in the delegation
     * @param probes of the addresses that were queried, in order
     */
    public record Server(
            String label,
            @Nullable Name name,
            HostAddresses addresses,
            List<InetAddress> glue,
            List<AddressProbe> probes) {

        NameserverAddress at(InetAddress address) {
            return new NameserverAddress(new Host(label, name == null ? address : null), address);
        }

        Server with(List<AddressProbe> results) {
            return new Server(label, name, addresses, glue, results);
        }

        /** The first address that returned the SOA record of the zone, otherwise the first that responded. */
        @Nullable
        AddressProbe best(Name zone) {
            return Stream.concat(
                            probes.stream().filter(probe -> probe.soa(zone) != null),
                            probes.stream().filter(AddressProbe::responded))
                    .findFirst()
                    .orElse(null);
        }
    }

    /**
     * The queries of one address.
     *
     * @param first the response to the SOA query over UDP; null if there is an error
     * @param ns the response to the NS query over TCP, or over UDP if TCP failed; null if it was not sent or failed
     * @param transfer the first message of the response to the zone transfer query; null if there is none
     * @param tcpError why no response over TCP was received; null if one was, or if TCP was not tested
     * @param recursive the response to a query with the RD bit for a name outside of the zone; null if it was not sent
     *     or failed
     */
    public record AddressProbe(
            InetAddress address,
            @Nullable NameserverResponse first,
            @Nullable CheckError error,
            @Nullable NameserverResponse ns,
            @Nullable NameserverResponse transfer,
            @Nullable CheckError tcpError,
            @Nullable NameserverResponse recursive) {

        static AddressProbe failed(InetAddress address, CheckError error) {
            return new AddressProbe(address, null, error, null, null, null, null);
        }

        static AddressProbe responded(InetAddress address, NameserverResponse first) {
            return new AddressProbe(address, first, null, null, null, null, null);
        }

        AddressProbe withTcp(List<NameserverResponse> responses) {
            NameserverResponse second = responses.size() > 1 ? responses.get(1) : null;
            return new AddressProbe(address, first, error, responses.get(0), second, null, recursive);
        }

        AddressProbe withTcpError(CheckError failure) {
            return new AddressProbe(address, first, error, ns, transfer, failure, recursive);
        }

        AddressProbe withNs(NameserverResponse response) {
            return new AddressProbe(address, first, error, response, transfer, tcpError, recursive);
        }

        AddressProbe withRecursive(NameserverResponse response) {
            return new AddressProbe(address, first, error, ns, transfer, tcpError, response);
        }

        boolean responded() {
            return first != null;
        }

        boolean failedWith(ErrorCode code) {
            return error != null && error.code() == code;
        }

        /** The SOA record of an authoritative response; null if there is none. */
        @Nullable
        SOARecord soa(Name zone) {
            if (first == null || !first.authoritative() || !first.succeeded()) {
                return null;
            }
            List<Record> records = first.answers(zone, Type.SOA);
            return records.isEmpty() ? null : (SOARecord) records.get(0);
        }

        /** The NS records of the zone in an authoritative response. */
        List<Record> nsRecords(Name zone) {
            return ns == null || !ns.authoritative() || !ns.succeeded() ? List.of() : ns.answers(zone, Type.NS);
        }

        /** Whether the server resolves names outside of its zones (RFC 5358). */
        boolean recursion() {
            return recursive != null
                    && recursive.succeeded()
                    && !recursive.authoritative()
                    && !recursive.answers(NameserverSurvey.OUTSIDE, Type.A).isEmpty();
        }

        /** Whether the first record of the response is the SOA record of the zone (RFC 5936 section 2.2). */
        boolean transfers(Name zone) {
            return transfer != null
                    && transfer.succeeded()
                    && !transfer.answers(zone, Type.SOA).isEmpty();
        }
    }

    NameserverEvidence with(List<Server> others, List<InetAddress> notQueried) {
        return new NameserverEvidence(
                requested, zone, delegation, delegationError, named, others, notQueried, dangling);
    }

    NameserverEvidence withDangling(DanglingReferences references) {
        return new NameserverEvidence(
                requested, zone, delegation, delegationError, named, servers, omitted, references);
    }

    Stream<AddressProbe> probes() {
        return servers.stream().flatMap(server -> server.probes().stream());
    }

    List<String> labels(Predicate<AddressProbe> condition) {
        return labels(condition, probe -> "");
    }

    /** The labels of servers, each with the addresses that meet the condition, and a suffix. */
    List<String> labels(Predicate<AddressProbe> condition, Function<AddressProbe, String> suffix) {
        return servers.stream()
                .flatMap(server -> server.probes().stream().filter(condition).map(probe -> {
                    String ip = IpAddressText.format(probe.address());
                    String label = server.label().equals(ip) ? ip : server.label() + " (" + ip + ")";
                    return label + suffix.apply(probe);
                }))
                .distinct()
                .toList();
    }

    /** The names in the NS records of the zone that any of its servers returned. */
    List<Name> zoneServers() {
        return ZoneDelegation.targets(
                probes().flatMap(probe -> probe.nsRecords(zone).stream()).toList());
    }
}
