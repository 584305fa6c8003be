package dev.plumbline.lab;

import dev.plumbline.lab.DnsLab.Behaviour;
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
import org.xbill.DNS.Record;
import org.xbill.DNS.SOARecord;
import org.xbill.DNS.Section;
import org.xbill.DNS.Type;

/** The ways in which a DNS server can be broken or hostile. */
public final class DnsFaults {
    private static final String PUBLIC = "93.184.216.34";

    private DnsFaults() {}

    /** Never answers. */
    public static Behaviour silent() {
        return (query, honest, transport, count) -> null;
    }

    /** Keeps silent so many times, then answers. */
    public static Behaviour silentAtFirst(int times) {
        return (query, honest, transport, count) -> count < times ? null : honest.toWire();
    }

    /** Answers with nothing but this code of {@link org.xbill.DNS.Rcode}. */
    public static Behaviour rcode(int rcode) {
        return (query, honest, transport, count) -> {
            Message refusal = DnsLab.answerTo(query);
            refusal.getHeader().setRcode(rcode);
            return refusal.toWire();
        };
    }

    /** No fault: what a server of the zone itself says. */
    public static Behaviour authoritative(String zone) {
        return (query, honest, transport, count) -> {
            honest.getHeader().setFlag(Flags.AA);
            if (!honest.getSection(Section.AUTHORITY).isEmpty()) {
                Name host = Name.fromString("host." + zone + ".");
                Record soa =
                        new SOARecord(Name.fromString(zone + "."), DClass.IN, 30, host, host, 1, 3600, 600, 86_400, 30);
                honest.removeAllRecords(Section.AUTHORITY);
                honest.addRecord(soa, Section.AUTHORITY);
            }
            return honest.toWire();
        };
    }

    /** Knows nothing of the zone and sends whoever asks back to the root, as old lame servers do. */
    public static Behaviour upwardReferral() {
        return (query, honest, transport, count) -> {
            Message referral = DnsLab.answerTo(query);
            referral.addRecord(
                    new NSRecord(Name.root, DClass.IN, 60, Name.fromString("a.root-servers.net.")), Section.AUTHORITY);
            return referral.toWire();
        };
    }

    /** Answers only questions without EDNS, others with this code. */
    public static Behaviour knowsNoEdns(int rcode) {
        return (query, honest, transport, count) ->
                query.getOPT() == null ? honest.toWire() : rcode(rcode).reply(query, honest, transport, count);
    }

    /** The right header, then nonsense. */
    public static Behaviour garbage() {
        return (query, honest, transport, count) -> {
            byte[] bytes = new byte[300];
            Arrays.fill(bytes, (byte) 0xc3);
            System.arraycopy(DnsLab.answerTo(query).toWire(), 0, bytes, 0, 12);
            return bytes;
        };
    }

    /** Bytes that are no DNS message at all. */
    public static Behaviour noise() {
        return (query, honest, transport, count) ->
                "HTTP/1.1 400 Bad Request\r\n\r\n".getBytes(StandardCharsets.US_ASCII);
    }

    public static Behaviour wrongId() {
        return (query, honest, transport, count) -> {
            byte[] bytes = honest.toWire();
            bytes[0] ^= 0x55;
            return bytes;
        };
    }

    /** Repeats another question than the one that was asked. */
    public static Behaviour wrongQuestion() {
        return (query, honest, transport, count) -> {
            Message other = new Message(query.getHeader().getID());
            other.getHeader().setFlag(Flags.QR);
            Name elsewhere = Name.fromString("elsewhere.test.");
            other.addRecord(Record.newRecord(elsewhere, Type.A, DClass.IN), Section.QUESTION);
            other.addRecord(a(elsewhere, PUBLIC, 60), Section.ANSWER);
            return other.toWire();
        };
    }

    /** Answers the question with a record of another name. */
    public static Behaviour wrongOwner() {
        return (query, honest, transport, count) -> {
            Message answer = DnsLab.answerTo(query);
            answer.addRecord(a(Name.fromString("elsewhere.test."), PUBLIC, 60), Section.ANSWER);
            return answer.toWire();
        };
    }

    /** Nothing but the TC bit over UDP, the whole answer over TCP. */
    public static Behaviour truncated() {
        return (query, honest, transport, count) -> transport == Transport.TCP ? honest.toWire() : cutOff(query);
    }

    /** The TC bit over UDP, silence over TCP. */
    public static Behaviour truncatedThenSilent() {
        return (query, honest, transport, count) -> transport == Transport.TCP ? null : cutOff(query);
    }

    /** The TC bit over UDP and over TCP. */
    public static Behaviour truncatedForEver() {
        return (query, honest, transport, count) -> cutOff(query);
    }

    private static byte[] cutOff(Message query) {
        Message answer = DnsLab.answerTo(query);
        answer.getHeader().setFlag(Flags.TC);
        return answer.toWire();
    }

    /** A name that is a compression pointer to itself (RFC 1035 §4.1.4). */
    public static Behaviour compressionLoop() {
        return (query, honest, transport, count) -> {
            byte[] head = DnsLab.answerTo(query).toWire();
            byte[] bytes = Arrays.copyOf(head, head.length + 14);
            bytes[7] = 1;
            bytes[head.length] = (byte) (0xc0 | head.length >> 8);
            bytes[head.length + 1] = (byte) head.length;
            return bytes;
        };
    }

    /** Claims 196,605 records and sends none. */
    public static Behaviour claimsMany() {
        return (query, honest, transport, count) -> {
            byte[] bytes = DnsLab.answerTo(query).toWire();
            Arrays.fill(bytes, 6, 12, (byte) 0xff);
            return bytes;
        };
    }

    /** Sends only the alias and leaves it to the client to ask for its target. */
    public static Behaviour bareAlias(String target) {
        return (query, honest, transport, count) -> {
            Message answer = DnsLab.answerTo(query);
            Name owner = query.getQuestion().getName();
            answer.addRecord(new CNAMERecord(owner, DClass.IN, 60, Name.fromString(target + ".")), Section.ANSWER);
            return answer.toWire();
        };
    }

    /** Gives another address at each question for A, in turn, to be kept for no time at all. */
    public static Behaviour rebinding(String... addresses) {
        return (query, honest, transport, count) -> {
            Message answer = DnsLab.answerTo(query);
            if (query.getQuestion().getType() == Type.A) {
                String address = addresses[count % addresses.length];
                answer.addRecord(a(query.getQuestion().getName(), address, 0), Section.ANSWER);
            } else {
                answer.addRecord(DnsLab.soa(), Section.AUTHORITY);
            }
            return answer.toWire();
        };
    }

    /** Misbehaves for questions of this type, is honest for others. */
    public static Behaviour only(int type, Behaviour behaviour) {
        return (query, honest, transport, count) -> query.getQuestion().getType() == type
                ? behaviour.reply(query, honest, transport, count)
                : honest.toWire();
    }

    private static Record a(Name owner, String address, long ttl) throws IOException {
        return Record.fromString(owner, Type.A, DClass.IN, ttl, address, Name.root);
    }
}
