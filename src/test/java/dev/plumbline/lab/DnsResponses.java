package dev.plumbline.lab;

import dev.plumbline.dns.DnsResponse;
import dev.plumbline.target.IpAddressText;
import java.io.IOException;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.List;
import org.xbill.DNS.CNAMERecord;
import org.xbill.DNS.DClass;
import org.xbill.DNS.Name;
import org.xbill.DNS.Rcode;
import org.xbill.DNS.Record;
import org.xbill.DNS.Type;

/** DNS responses for tests of evaluations, without a server. */
public final class DnsResponses {
    private DnsResponses() {}

    /**
     * Creates a response.
     *
     * @param lines records in zone file format, for example {@code a.test. 60 IN MX 10 b.test.}; CNAME records precede
     *     the records of their target
     */
    public static DnsResponse response(String name, String type, int rcode, String... lines) {
        try {
            List<CNAMERecord> aliases = new ArrayList<>();
            List<Record> records = new ArrayList<>();
            List<InetAddress> addresses = new ArrayList<>();
            for (String line : lines) {
                String[] parts = line.split("\\s+", 5);
                Record one = Record.fromString(
                        Name.fromString(parts[0]),
                        Type.value(parts[3]),
                        DClass.IN,
                        Long.parseLong(parts[1]),
                        parts[4],
                        Name.root);
                if (!parts[3].equals(type) && parts[3].equals("CNAME")) {
                    aliases.add((CNAMERecord) one);
                    continue;
                }
                records.add(one);
                if (one.getType() == Type.A || one.getType() == Type.AAAA) {
                    addresses.add(IpAddressText.of(one.rdataToWireCanonical()));
                }
            }
            return new DnsResponse(
                    Name.fromString(name + "."),
                    Type.value(type),
                    rcode,
                    aliases,
                    records,
                    addresses,
                    false,
                    60,
                    null,
                    1.5);
        } catch (IOException malformed) {
            throw new IllegalArgumentException(String.join("\n", lines), malformed);
        }
    }

    /** Like {@link #response(String, String, int, String...)} with NOERROR. */
    public static DnsResponse response(String name, String type, String... lines) {
        return response(name, type, Rcode.NOERROR, lines);
    }
}
