package dev.plumbline.lab.domain;

import dev.plumbline.lab.AuthoritativeZone;
import dev.plumbline.lab.DnsFaults;
import dev.plumbline.lab.DnsLab;
import dev.plumbline.lab.SignedZone;
import dev.plumbline.lab.SignedZones;
import dev.plumbline.lab.domain.DomainAddresses.Host;
import dev.plumbline.lab.domain.ZoneSpec.Dnssec;
import java.io.IOException;
import java.net.InetAddress;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.xbill.DNS.Flags;
import org.xbill.DNS.Message;
import org.xbill.DNS.Name;
import org.xbill.DNS.Rcode;
import org.xbill.DNS.Record;
import org.xbill.DNS.Type;

/** The nameservers of domains and of their parent zone, and the responses of a validating resolver. */
final class DomainDns implements AutoCloseable {
    private static final int NS_PORT = 53;

    /** The number of labels of a domain below {@code test}, with the root label. */
    private static final int APEX_LABELS = 3;

    private final List<DnsLab> servers = new ArrayList<>();

    private DomainDns() {}

    /**
     * Starts the nameservers, and changes the responses of the resolver.
     *
     * @param domains with additional records of their zones. The first one has the addresses of the parent zone.
     * @param parents sign the zones above the domains
     */
    static DomainDns start(Map<DomainSpec, List<String>> domains, DnsLab resolver, ParentZones parents) {
        DomainDns dns = new DomainDns();
        Map<DomainSpec, List<String>> records = new LinkedHashMap<>();
        domains.forEach((spec, additional) -> records.put(
                spec,
                Stream.concat(spec.zone().records().stream(), additional.stream())
                        .toList()));
        records.forEach((spec, zone) -> {
            spec.zone().nameservers().forEach(nameserver -> dns.serve(spec, nameserver, zone));
            String reverse = reverse(spec.addresses().v4(Host.MAIL));
            resolver.removeRecords(reverse);
            if (!spec.zone().ptr().isEmpty()) {
                resolver.record(reverse + ". 60 IN PTR " + spec.zone().ptr());
            }
        });
        AuthoritativeZone parent = AuthoritativeZone.of("test", 1, parentRecords(domains.keySet()));
        DomainAddresses addresses = domains.keySet().iterator().next().addresses();
        addresses.parsed(Host.PARENT).forEach(address -> dns.serve(address, parent));
        resolver.removeRecords("ns1.test")
                .address("ns1.test", addresses.v4(Host.PARENT))
                .sign(signed(records, parents))
                .behave(resolving(domains.keySet()));
        return dns;
    }

    private void serve(DomainSpec spec, String nameserver, List<String> records) {
        ZoneSpec zone = spec.zone();
        AuthoritativeZone contents =
                AuthoritativeZone.of(spec.domain(), zone.serial(nameserver), records.toArray(String[]::new));
        if (zone.allowsTransfers(nameserver)) {
            contents.transferable();
        }
        if (zone.allowsRecursion(nameserver)) {
            contents.recursive();
        }
        DnsLab.Behavior behavior = zone.behavior(nameserver);
        for (InetAddress address : spec.addresses().parsed(ZoneSpec.host(nameserver))) {
            DnsLab server = serve(address, behavior == null ? contents : behavior);
            if (zone.isUdpOnly(nameserver)) {
                try {
                    server.closeTcp();
                } catch (IOException failed) {
                    throw new IllegalStateException(failed);
                }
            }
        }
    }

    private DnsLab serve(InetAddress address, DnsLab.Behavior behavior) {
        DnsLab server = DnsLab.start(address, NS_PORT).behave(behavior);
        servers.add(server);
        return server;
    }

    private static String[] parentRecords(Collection<DomainSpec> domains) {
        List<String> lines = new ArrayList<>();
        for (DomainSpec spec : domains) {
            String label = spec.domain().substring(0, spec.domain().indexOf('.'));
            for (String nameserver : spec.zone().delegation()) {
                String host = nameserver + "." + label;
                lines.add(label + " NS " + host);
                lines.add(host + " A " + spec.zone().glue(nameserver));
                lines.add(host + " AAAA " + spec.addresses().v6(ZoneSpec.host(nameserver)));
            }
        }
        return lines.toArray(String[]::new);
    }

    private static SignedZones signed(Map<DomainSpec, List<String>> records, ParentZones parents) {
        SignedZone parent = parents.test();
        List<SignedZone> zones = new ArrayList<>();
        records.forEach((spec, zone) -> zones.add(signed(spec, zone, parent)));
        SignedZones all = new SignedZones(parents.root(parent), parent);
        zones.forEach(all::add);
        return all;
    }

    /** The zone, and its delegation in the parent zone. */
    private static SignedZone signed(DomainSpec spec, List<String> records, SignedZone parent) {
        ZoneSpec zone = spec.zone();
        String origin = spec.domain() + ".";
        SignedZone signed = SignedZone.of(origin)
                .remove(Type.SOA)
                .remove(Type.NS)
                .record("@ SOA ns1 hostmaster " + zone.serial("ns1") + " " + zone.timers());
        records.forEach(signed::record);
        Instant now = Instant.now();
        switch (zone.dnssec()) {
            case EXPIRED -> signed.validity(now.minus(9, ChronoUnit.DAYS), now.minus(1, ChronoUnit.DAYS));
            case INVALID -> signed.corrupt(Type.ANY);
            case NOT_SIGNED -> signed.unsigned();
            case VALID, DS_MISSING, DS_MISMATCH -> {}
        }
        if (zone.dnssec() == Dnssec.NOT_SIGNED || zone.dnssec() == Dnssec.DS_MISSING) {
            parent.delegateUnsigned(origin);
        } else {
            parent.delegate(zone.dnssec() == Dnssec.DS_MISMATCH ? SignedZone.of(origin) : signed);
        }
        return signed;
    }

    /** The responses of a resolver that validates DNSSEC, also if the nameservers fail. */
    private static DnsLab.Behavior resolving(Collection<DomainSpec> domains) {
        Map<Name, ZoneSpec> zones = new HashMap<>();
        domains.forEach(spec -> zones.put(name(spec.domain() + "."), spec.zone()));
        return (query, standard, transport, count) -> {
            Name name = query.getQuestion().getName();
            Name apex = new Name(name, Math.max(0, name.labels() - APEX_LABELS));
            ZoneSpec zone = zones.get(apex);
            return zone != null && fails(query, zone, apex)
                    ? DnsFaults.rcode(Rcode.SERVFAIL).reply(query, standard, transport, count)
                    : encode(query, standard, transport);
        };
    }

    private static boolean fails(Message query, ZoneSpec zone, Name apex) {
        Record question = query.getQuestion();
        Name name = question.getName();
        boolean bogus = zone.dnssec().bogus && !query.getHeader().getFlag(Flags.CD);
        boolean failed = zone.lookupFails(
                name.equals(apex) ? "@" : name.relativize(apex).toString(), Type.string(question.getType()));
        return question.getType() != Type.DS && (bogus || zone.unresolvable() || failed);
    }

    private static byte[] encode(Message query, Message response, DnsLab.Transport transport) {
        int size = query.getOPT() == null ? 512 : Math.max(512, query.getOPT().getPayloadSize());
        return transport == DnsLab.Transport.TCP ? response.toWire() : response.toWire(size);
    }

    private static String reverse(String ipv4) {
        String[] parts = ipv4.split("\\.");
        return parts[3] + "." + parts[2] + "." + parts[1] + "." + parts[0] + ".in-addr.arpa";
    }

    private static Name name(String text) {
        try {
            return Name.fromString(text);
        } catch (IOException malformed) {
            throw new IllegalArgumentException(text, malformed);
        }
    }

    @Override
    public void close() {
        servers.forEach(DnsLab::close);
    }
}
