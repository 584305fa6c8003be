package dev.plumbline.lab;

import java.io.IOException;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.List;
import org.xbill.DNS.ARecord;
import org.xbill.DNS.DClass;
import org.xbill.DNS.Flags;
import org.xbill.DNS.Message;
import org.xbill.DNS.NSRecord;
import org.xbill.DNS.Name;
import org.xbill.DNS.Rcode;
import org.xbill.DNS.Record;
import org.xbill.DNS.Section;
import org.xbill.DNS.Type;

/**
 * The behavior of an authoritative server of one zone: authoritative responses, referrals with glue records, and
 * REFUSED for names outside of the zone. Zone transfers are refused and recursion is not available unless enabled.
 */
public final class AuthoritativeZone implements DnsLab.Behavior {
    private final Name origin;
    private final List<Record> records = new ArrayList<>();
    private boolean transferable;
    private boolean recursive;

    private AuthoritativeZone(Name origin) {
        this.origin = origin;
    }

    /**
     * A zone.
     *
     * @param origin with or without the final dot
     * @param serial of the SOA record
     * @param lines owner, type and data of each record, relative to the origin, for example {@code www A 192.0.2.1} and
     *     {@code @ NS ns1}; also glue records
     */
    public static AuthoritativeZone of(String origin, long serial, String... lines) {
        try {
            AuthoritativeZone zone = new AuthoritativeZone(Name.fromString(origin, Name.root));
            zone.add("@ SOA ns1 hostmaster " + serial + " 14400 3600 1209600 3600");
            for (String line : lines) {
                zone.add(line);
            }
            return zone;
        } catch (IOException malformed) {
            throw new IllegalArgumentException(origin, malformed);
        }
    }

    private void add(String line) throws IOException {
        String[] parts = line.split(" ", 3);
        records.add(Record.fromString(
                Name.fromString(parts[0], origin), Type.value(parts[1]), DClass.IN, 3600, parts[2], origin));
    }

    /** Allows zone transfers. */
    public AuthoritativeZone transferable() {
        transferable = true;
        return this;
    }

    /** Resolves names outside of the zone for clients that set the RD bit. */
    public AuthoritativeZone recursive() {
        recursive = true;
        return this;
    }

    @Override
    public byte[] reply(Message query, Message standard, DnsLab.Transport transport, int count) throws IOException {
        Record question = query.getQuestion();
        Message response = new Message(query.getHeader().getID());
        response.getHeader().setFlag(Flags.QR);
        response.addRecord(question, Section.QUESTION);
        if (query.getHeader().getFlag(Flags.RD)) {
            response.getHeader().setFlag(Flags.RD);
        }
        if (recursive) {
            response.getHeader().setFlag(Flags.RA);
        }
        if (question.getType() == Type.AXFR) {
            transfer(question, response);
        } else if (question.getName().subdomain(origin)) {
            addRecords(question, response);
        } else if (recursive && query.getHeader().getFlag(Flags.RD)) {
            response.addRecord(
                    new ARecord(question.getName(), DClass.IN, 60, InetAddress.getByName("198.41.0.4")),
                    Section.ANSWER);
        } else {
            response.getHeader().setRcode(Rcode.REFUSED);
        }
        return transport == DnsLab.Transport.TCP ? response.toWire() : response.toWire(1232);
    }

    private void transfer(Record question, Message response) {
        if (!transferable || !question.getName().equals(origin)) {
            response.getHeader().setRcode(Rcode.REFUSED);
            return;
        }
        response.getHeader().setFlag(Flags.AA);
        records.forEach(record -> response.addRecord(record, Section.ANSWER));
        response.addRecord(records.get(0), Section.ANSWER);
    }

    private void addRecords(Record question, Message response) {
        Name name = question.getName();
        List<Record> cut = records.stream()
                .filter(record -> record.getType() == Type.NS
                        && !record.getName().equals(origin)
                        && name.subdomain(record.getName()))
                .toList();
        if (!cut.isEmpty()) {
            cut.forEach(record -> response.addRecord(record, Section.AUTHORITY));
            cut.forEach(record -> records.stream()
                    .filter(glue -> glue.getName().equals(((NSRecord) record).getTarget()))
                    .filter(glue -> glue.getType() == Type.A || glue.getType() == Type.AAAA)
                    .forEach(glue -> response.addRecord(glue, Section.ADDITIONAL)));
            return;
        }
        response.getHeader().setFlag(Flags.AA);
        List<Record> own =
                records.stream().filter(record -> record.getName().equals(name)).toList();
        List<Record> matching = own.stream()
                .filter(record -> record.getType() == question.getType() || record.getType() == Type.CNAME)
                .toList();
        matching.forEach(record -> response.addRecord(record, Section.ANSWER));
        if (matching.isEmpty()) {
            response.addRecord(records.get(0), Section.AUTHORITY);
            boolean exists =
                    records.stream().anyMatch(record -> record.getName().subdomain(name));
            response.getHeader().setRcode(exists ? Rcode.NOERROR : Rcode.NXDOMAIN);
        }
    }
}
