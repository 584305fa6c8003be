package dev.plumbline.lab;

import dev.plumbline.lab.DnsLab.Behavior;
import dev.plumbline.lab.DnsLab.Transport;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.xbill.DNS.CNAMERecord;
import org.xbill.DNS.DClass;
import org.xbill.DNS.Flags;
import org.xbill.DNS.Message;
import org.xbill.DNS.NSRecord;
import org.xbill.DNS.Name;
import org.xbill.DNS.Rcode;
import org.xbill.DNS.Record;
import org.xbill.DNS.SOARecord;
import org.xbill.DNS.Section;
import org.xbill.DNS.Type;

/** Behaviors of broken and hostile DNS servers. */
public final class DnsFaults {
    private static final String PUBLIC = "93.184.216.34";

    private DnsFaults() {}

    /** Does not respond. */
    public static Behavior silent() {
        return (query, standard, transport, count) -> null;
    }

    /** Does not respond to the first queries. */
    public static Behavior silentForFirst(int times) {
        return (query, standard, transport, count) -> count < times ? null : standard.toWire();
    }

    /** Responds with this {@link org.xbill.DNS.Rcode} and no records. */
    public static Behavior rcode(int rcode) {
        return (query, standard, transport, count) -> {
            Message refusal = DnsLab.responseTo(query);
            refusal.getHeader().setRcode(rcode);
            return refusal.toWire();
        };
    }

    /** NXDOMAIN with the SOA record of a zone. */
    public static Behavior nxdomain(String zone) {
        return (query, standard, transport, count) -> {
            Message denial = DnsLab.responseTo(query);
            denial.getHeader().setRcode(Rcode.NXDOMAIN);
            Name host = Name.fromString("host." + zone + ".");
            denial.addRecord(
                    new SOARecord(Name.fromString(zone + "."), DClass.IN, 30, host, host, 1, 3600, 600, 86_400, 30),
                    Section.AUTHORITY);
            return denial.toWire();
        };
    }

    /** A valid response of an authoritative nameserver of the zone. */
    public static Behavior authoritative(String zone) {
        return (query, standard, transport, count) -> {
            standard.getHeader().setFlag(Flags.AA);
            if (!standard.getSection(Section.AUTHORITY).isEmpty()) {
                Name host = Name.fromString("host." + zone + ".");
                Record soa =
                        new SOARecord(Name.fromString(zone + "."), DClass.IN, 30, host, host, 1, 3600, 600, 86_400, 30);
                standard.removeAllRecords(Section.AUTHORITY);
                standard.addRecord(soa, Section.AUTHORITY);
            }
            return standard.toWire();
        };
    }

    /** A lame delegation: the server does not serve the zone and refers to the root. */
    public static Behavior upwardReferral() {
        return (query, standard, transport, count) -> {
            Message referral = DnsLab.responseTo(query);
            referral.addRecord(
                    new NSRecord(Name.root, DClass.IN, 60, Name.fromString("a.root-servers.net.")), Section.AUTHORITY);
            return referral.toWire();
        };
    }

    /** Responds to queries with EDNS with this rcode. */
    public static Behavior rejectsEdns(int rcode) {
        return (query, standard, transport, count) ->
                query.getOPT() == null ? standard.toWire() : rcode(rcode).reply(query, standard, transport, count);
    }

    /** A valid header, followed by random bytes. */
    public static Behavior garbage() {
        return (query, standard, transport, count) -> {
            byte[] bytes = new byte[300];
            Arrays.fill(bytes, (byte) 0xc3);
            System.arraycopy(DnsLab.responseTo(query).toWire(), 0, bytes, 0, 12);
            return bytes;
        };
    }

    /** Bytes that are not a DNS message. */
    public static Behavior notDns() {
        return (query, standard, transport, count) ->
                "HTTP/1.1 400 Bad Request\r\n\r\n".getBytes(StandardCharsets.US_ASCII);
    }

    public static Behavior wrongId() {
        return (query, standard, transport, count) -> {
            byte[] bytes = standard.toWire();
            bytes[0] ^= 0x55;
            return bytes;
        };
    }

    /** A response whose question differs from the query. */
    public static Behavior wrongQuestion() {
        return (query, standard, transport, count) -> {
            Message other = new Message(query.getHeader().getID());
            other.getHeader().setFlag(Flags.QR);
            Name elsewhere = Name.fromString("elsewhere.test.");
            other.addRecord(Record.newRecord(elsewhere, Type.A, DClass.IN), Section.QUESTION);
            other.addRecord(a(elsewhere, PUBLIC, 60), Section.ANSWER);
            return other.toWire();
        };
    }

    /** A response whose record has another owner name. */
    public static Behavior wrongOwner() {
        return (query, standard, transport, count) -> {
            Message response = DnsLab.responseTo(query);
            response.addRecord(a(Name.fromString("elsewhere.test."), PUBLIC, 60), Section.ANSWER);
            return response.toWire();
        };
    }

    /** An empty response with the TC bit over UDP, the complete response over TCP. */
    public static Behavior truncated() {
        return (query, standard, transport, count) ->
                transport == Transport.TCP ? standard.toWire() : emptyTruncated(query);
    }

    /** The TC bit over UDP, no response over TCP. */
    public static Behavior truncatedThenSilent() {
        return (query, standard, transport, count) -> transport == Transport.TCP ? null : emptyTruncated(query);
    }

    /** The TC bit over UDP and over TCP. */
    public static Behavior alwaysTruncated() {
        return (query, standard, transport, count) -> emptyTruncated(query);
    }

    private static byte[] emptyTruncated(Message query) {
        Message response = DnsLab.responseTo(query);
        response.getHeader().setFlag(Flags.TC);
        return response.toWire();
    }

    /** A name that is a compression pointer to itself (RFC 1035 section 4.1.4). */
    public static Behavior compressionLoop() {
        return (query, standard, transport, count) -> {
            byte[] head = DnsLab.responseTo(query).toWire();
            byte[] bytes = Arrays.copyOf(head, head.length + 14);
            bytes[7] = 1;
            bytes[head.length] = (byte) (0xc0 | head.length >> 8);
            bytes[head.length + 1] = (byte) head.length;
            return bytes;
        };
    }

    /** A header that announces 196,605 records, followed by none. */
    public static Behavior wrongRecordCounts() {
        return (query, standard, transport, count) -> {
            byte[] bytes = DnsLab.responseTo(query).toWire();
            Arrays.fill(bytes, 6, 12, (byte) 0xff);
            return bytes;
        };
    }

    /** A CNAME record without the records of its target. */
    public static Behavior aliasOnly(String target) {
        return (query, standard, transport, count) -> {
            Message response = DnsLab.responseTo(query);
            Name owner = query.getQuestion().getName();
            response.addRecord(new CNAMERecord(owner, DClass.IN, 60, Name.fromString(target + ".")), Section.ANSWER);
            return response.toWire();
        };
    }

    /** DNS rebinding: each A query returns the next of these addresses with TTL 0. */
    public static Behavior rebinding(String... addresses) {
        return (query, standard, transport, count) -> {
            Message response = DnsLab.responseTo(query);
            if (query.getQuestion().getType() == Type.A) {
                String address = addresses[count % addresses.length];
                response.addRecord(a(query.getQuestion().getName(), address, 0), Section.ANSWER);
            } else {
                response.addRecord(DnsLab.soa(), Section.AUTHORITY);
            }
            return response.toWire();
        };
    }

    /** Applies the behavior to queries of this type only. */
    public static Behavior only(int type, Behavior behavior) {
        return (query, standard, transport, count) -> query.getQuestion().getType() == type
                ? behavior.reply(query, standard, transport, count)
                : standard.toWire();
    }

    private static Record a(Name owner, String address, long ttl) throws IOException {
        return Record.fromString(owner, Type.A, DClass.IN, ttl, address, Name.root);
    }
}
