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
import java.util.List;
import org.xbill.DNS.Flags;
import org.xbill.DNS.Message;
import org.xbill.DNS.Name;
import org.xbill.DNS.Rcode;
import org.xbill.DNS.Record;
import org.xbill.DNS.Type;

/** The nameservers of a domain and of its parent zone, and the responses of a validating resolver. */
final class DomainDns implements AutoCloseable {
    private static final int NS_PORT = 53;

    private final List<DnsLab> servers = new ArrayList<>();

    private DomainDns() {}

    /**
     * Starts the nameservers, and changes the responses of the resolver.
     *
     * @param parents sign the zones above the domain
     * @param additional records of the zone
     */
    static DomainDns start(DomainSpec spec, DnsLab resolver, ParentZones parents, List<String> additional) {
        DomainDns dns = new DomainDns();
        ZoneSpec zone = spec.zone();
        List<String> records = new ArrayList<>(zone.records());
        records.addAll(additional);
        for (String nameserver : List.of("ns1", "ns2")) {
            dns.serve(spec, nameserver, records);
        }
        AuthoritativeZone parent = AuthoritativeZone.of("test", 1, parentRecords(spec));
        spec.addresses().parsed(Host.PARENT).forEach(address -> dns.serve(address, parent));
        String reverse = reverse(spec.addresses().v4(Host.MAIL));
        resolver.removeRecords(reverse);
        if (!zone.ptr().isEmpty()) {
            resolver.record(reverse + ". 60 IN PTR " + zone.ptr());
        }
        resolver.removeRecords("ns1.test")
                .address("ns1.test", spec.addresses().v4(Host.PARENT))
                .sign(signed(spec, parents, records))
                .behave(resolving(spec));
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

    private static String[] parentRecords(DomainSpec spec) {
        List<String> lines = new ArrayList<>();
        String label = spec.domain().substring(0, spec.domain().indexOf('.'));
        for (String nameserver : spec.zone().delegation()) {
            String host = nameserver + "." + label;
            lines.add(label + " NS " + host);
            lines.add(host + " A " + spec.zone().glue(nameserver));
            lines.add(host + " AAAA " + spec.addresses().v6(ZoneSpec.host(nameserver)));
        }
        return lines.toArray(String[]::new);
    }

    private static SignedZones signed(DomainSpec spec, ParentZones parents, List<String> records) {
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
        SignedZone parent = parents.test();
        if (zone.dnssec() == Dnssec.NOT_SIGNED || zone.dnssec() == Dnssec.DS_MISSING) {
            parent.delegateUnsigned(origin);
        } else {
            parent.delegate(zone.dnssec() == Dnssec.DS_MISMATCH ? SignedZone.of(origin) : signed);
        }
        return new SignedZones(parents.root(parent), parent, signed);
    }

    /** The responses of a resolver that validates DNSSEC, also if the nameservers fail. */
    private static DnsLab.Behavior resolving(DomainSpec spec) {
        Name apex = name(spec.domain() + ".");
        ZoneSpec zone = spec.zone();
        return (query, standard, transport, count) -> {
            Record question = query.getQuestion();
            Name name = question.getName();
            boolean own = name.subdomain(apex) && question.getType() != Type.DS;
            boolean bogus = zone.dnssec().bogus && !query.getHeader().getFlag(Flags.CD);
            boolean failed = zone.lookupFails(
                    name.equals(apex) ? "@" : name.relativize(apex).toString(), Type.string(question.getType()));
            return own && (bogus || zone.unresolvable() || failed)
                    ? DnsFaults.rcode(Rcode.SERVFAIL).reply(query, standard, transport, count)
                    : encode(query, standard, transport);
        };
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
