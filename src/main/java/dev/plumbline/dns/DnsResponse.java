package dev.plumbline.dns;

import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.xbill.DNS.CNAMERecord;
import org.xbill.DNS.Name;
import org.xbill.DNS.Rcode;
import org.xbill.DNS.Record;
import org.xbill.DNS.TXTRecord;

/**
 * A DNS response.
 *
 * @param name the queried name
 * @param type a constant of {@link org.xbill.DNS.Type}
 * @param rcode a constant of {@link Rcode}
 * @param cnames the CNAME chain in order; empty if there is none
 * @param records the records of the queried type at the end of the chain; empty if there are none
 * @param addresses the addresses of A and AAAA records; empty for other types
 * @param authoritative the AA bit of the last response
 * @param ttlSeconds the lowest TTL of the records, or the negative TTL (RFC 2308)
 * @param missing the name that does not exist: the queried name or the end of the CNAME chain; null unless its absence
 *     is proven
 * @param responseMs the duration of the lookup in milliseconds
 */
public record DnsResponse(
        Name name,
        int type,
        int rcode,
        List<CNAMERecord> cnames,
        List<Record> records,
        List<InetAddress> addresses,
        boolean authoritative,
        long ttlSeconds,
        @Nullable MissingName missing,
        double responseMs) {

    private static final int OBJECT = 50;

    DnsResponse withResponseMs(double ms) {
        return new DnsResponse(name, type, rcode, cnames, records, addresses, authoritative, ttlSeconds, missing, ms);
    }

    /** The approximate memory in bytes. */
    public int weight() {
        int bytes = 2 * OBJECT + name.length();
        for (CNAMERecord alias : cnames) {
            bytes += 2 * OBJECT + alias.getTarget().length();
        }
        for (Record record : records) {
            bytes += 2 * OBJECT + record.getName().length() + record.rdataToWireCanonical().length;
        }
        return bytes + addresses.size() * OBJECT;
    }

    /** The targets of the CNAME chain, in order; empty if there is none. */
    public List<Name> aliases() {
        return CnameChain.targets(cnames);
    }

    /** Whether the name or the end of its CNAME chain does not exist. */
    public boolean nxdomain() {
        return rcode == Rcode.NXDOMAIN;
    }

    /** Whether the response code is neither NOERROR nor NXDOMAIN. */
    public boolean failed() {
        return rcode != Rcode.NOERROR && rcode != Rcode.NXDOMAIN;
    }

    /**
     * The texts of the TXT records, each with its strings joined (RFC 7208 section 3.3). Each byte is one ISO-8859-1
     * character.
     */
    public List<String> texts() {
        return records.stream()
                .filter(TXTRecord.class::isInstance)
                .map(record -> ((TXTRecord) record)
                        .getStringsAsByteArrays().stream()
                                .map(part -> new String(part, StandardCharsets.ISO_8859_1))
                                .collect(Collectors.joining()))
                .toList();
    }
}
