package dev.plumbline.lab;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.xbill.DNS.DClass;
import org.xbill.DNS.Message;
import org.xbill.DNS.Name;
import org.xbill.DNS.Record;
import org.xbill.DNS.Section;
import org.xbill.DNS.Type;

/** A hostile domain whose records name as many hosts of a victim as possible. */
public final class VictimZones {
    public static final String ATTACKER = "attacker.com";
    public static final String VICTIM = "victim.net";

    /** The address of the names of the attacker. */
    public static final String ADDRESS = "127.15.9.2";

    private static final String VICTIM_ADDRESS = "127.15.9.3";
    private static final int NAMES = 60;

    private final DnsLab dns;
    private final SignedZones signed;

    /** The queries that a resolver sends for aliases. */
    private final AtomicInteger aliases = new AtomicInteger();

    private VictimZones(DnsLab dns) {
        this.dns = dns;
        SignedZone com = SignedZone.of("com.").denial(SignedZone.Denial.NSEC3_OPT_OUT, 0, "");
        SignedZone net = SignedZone.of("net.").denial(SignedZone.Denial.NSEC3_OPT_OUT, 0, "");
        SignedZone root = SignedZone.of(".").delegate(com).delegate(net);
        this.signed = new SignedZones(root, com, net);
    }

    /** In the form of {@code dns.trust_anchors}. */
    public String trustAnchor() {
        return signed.trustAnchor();
    }

    /** The number of queries that the nameservers of the victim received. */
    public int queries() {
        return dns.queriesBelow(VICTIM) + aliases.get();
    }

    /** Adds the zones to a server. */
    public static VictimZones addTo(DnsLab dns) {
        VictimZones zones = new VictimZones(dns);
        zones.add();
        return zones;
    }

    private void add() {
        dns.sign(signed).behave(this::respond);
        dns.address(ATTACKER, ADDRESS).address("www." + ATTACKER, ADDRESS);
        dns.record(ATTACKER + ". 60 IN SOA ns1." + VICTIM + ". host." + VICTIM + ". 1 7200 900 1209600 300");
        for (int i = 0; i < NAMES; i++) {
            dns.record(ATTACKER + ". 60 IN MX " + i + " mx" + i + "." + VICTIM + ".");
            dns.record(ATTACKER + ". 60 IN NS ns" + i + "." + VICTIM + ".");
            dns.record("2.9.15.127.in-addr.arpa. 60 IN PTR ptr" + i + "." + VICTIM + ".");
        }
        dns.record(ATTACKER + ". 60 IN TXT " + DnsLab.quoted("v=spf1 " + spfTerms() + " -all"));
        StringBuilder reports = new StringBuilder("v=DMARC1; p=none; rua=");
        for (int i = 0; i < NAMES; i++) {
            reports.append(i == 0 ? "" : ",")
                    .append("mailto:a@a.b.c.d.r")
                    .append(i)
                    .append('.')
                    .append(VICTIM);
        }
        dns.record("_dmarc." + ATTACKER + ". 60 IN TXT " + DnsLab.quoted(reports.toString()));
        dns.record("default._bimi." + ATTACKER + ". 60 IN TXT \"v=BIMI1; l=https://logo." + VICTIM
                + "/l.svg; a=https://mark." + VICTIM + "/m.pem\"");
        dns.alias("_mta-sts." + ATTACKER, "sts." + VICTIM).alias("mta-sts." + ATTACKER, "sts-host." + VICTIM);
        dns.alias("_smtp._tls." + ATTACKER, "rpt." + VICTIM);
    }

    /**
     * The names of the victim exist and have addresses, policies and further names of the victim; each selector, each
     * type and each name below the attacker that is not configured is an alias of a name of the victim.
     */
    private byte[] respond(Message query, Message standard, DnsLab.Transport transport, int count) {
        Record question = query.getQuestion();
        String name = question.getName().toString(true);
        Message response = DnsLab.responseTo(query);
        if (question.getType() == Type.DS) {
            return standard.toWire();
        }
        if (name.endsWith("." + ATTACKER) && standard.getSection(Section.ANSWER).isEmpty()) {
            aliases.incrementAndGet();
            String target =
                    Integer.toString(name.hashCode() & 0xffffff, 36) + "-" + question.getType() + "." + VICTIM + ".";
            response.addRecord(record(question.getName(), Type.CNAME, target), Section.ANSWER);
            response.addRecord(DnsLab.soa(), Section.AUTHORITY);
            return response.toWire();
        }
        if (!name.endsWith(VICTIM)) {
            return standard.toWire();
        }
        String text =
                switch (question.getType()) {
                    case Type.A -> VICTIM_ADDRESS;
                    case Type.MX -> "1 mx-of-" + name.substring(0, name.indexOf('.')) + "." + VICTIM + ".";
                    case Type.TXT ->
                        name.startsWith("i") ? "\"v=spf1 include:i" + name + " include:j" + name + " -all\"" : null;
                    default -> null;
                };
        if (text == null) {
            response.addRecord(DnsLab.soa(), Section.AUTHORITY);
        } else {
            response.addRecord(record(question.getName(), question.getType(), text), Section.ANSWER);
        }
        return response.toWire();
    }

    private static Record record(Name name, int type, String data) {
        try {
            return Record.fromString(name, type, DClass.IN, 60, data, Name.root);
        } catch (IOException malformed) {
            throw new IllegalArgumentException(data, malformed);
        }
    }

    /** A page with links to hosts of the victim. */
    public static String page() {
        StringBuilder page = new StringBuilder("<!doctype html><title>Links</title>");
        for (int i = 0; i < NAMES; i++) {
            page.append("<a href=http://a").append(i).append('.').append(VICTIM).append("/>a</a>");
            page.append("<img src=http://i")
                    .append(i)
                    .append('.')
                    .append(VICTIM)
                    .append("/i.png>");
        }
        return page.toString();
    }

    private static String spfTerms() {
        List<String> terms = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            terms.add(List.of("include:i", "a:a", "mx:m", "exists:e").get(i % 4) + i + "." + VICTIM);
        }
        return String.join(" ", terms);
    }
}
