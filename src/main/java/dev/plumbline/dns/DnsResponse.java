package dev.plumbline.dns;

import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.xbill.DNS.CNAMERecord;
import org.xbill.DNS.Name;
import org.xbill.DNS.Rcode;
import org.xbill.DNS.Record;
import org.xbill.DNS.TXTRecord;

/**
 * What the DNS says of a name and a type.
 *
 * @param name the name that was asked for
 * @param type of {@link org.xbill.DNS.Type}
 * @param rcode of {@link Rcode}; anything but NOERROR and NXDOMAIN says that the resolver has
 *     failed
 * @param way the records by which the name is an alias, in order; empty when it is none
 * @param records of the wanted type, at the last alias; empty when there is none
 * @param addresses of A and AAAA records; empty for other types
 * @param authoritative the AA bit of the last answer
 * @param authenticated the AD bit of all answers: the resolver has validated them by DNSSEC
 * @param ttlSeconds how long it may be kept: the shortest time of the records, or of the denial
 * @param responseMs how long the resolver took, in ms
 */
public record DnsResponse(
        Name name,
        int type,
        int rcode,
        List<CNAMERecord> way,
        List<Record> records,
        List<InetAddress> addresses,
        boolean authoritative,
        boolean authenticated,
        long ttlSeconds,
        double responseMs) {

    private static final int OBJECT = 50;

    /** About how many bytes of memory it takes. */
    int weight() {
        int bytes = 2 * OBJECT + name.length();
        for (CNAMERecord alias : way) {
            bytes += 2 * OBJECT + alias.getTarget().length();
        }
        for (Record each : records) {
            bytes += 2 * OBJECT + each.getName().length() + each.rdataToWireCanonical().length;
        }
        return bytes + addresses.size() * OBJECT;
    }

    /** The names that the name is an alias of, in order (CNAME); empty when it is none. */
    public List<Name> aliases() {
        return way.isEmpty()
                ? List.of()
                : way.stream().map(CNAMERecord::getTarget).toList();
    }

    /** Whether the name, or the last of its aliases, does not exist. */
    public boolean nxdomain() {
        return rcode == Rcode.NXDOMAIN;
    }

    /**
     * Whether the resolver could not find out: neither that there is something nor that there is not.
     */
    public boolean failed() {
        return rcode != Rcode.NOERROR && rcode != Rcode.NXDOMAIN;
    }

    /**
     * The texts of TXT records, each with its strings joined (RFC 7208 section 3.3); a character
     * stands for a byte, whatever its encoding.
     */
    public List<String> texts() {
        List<String> texts = new ArrayList<>();
        for (Record each : records) {
            if (each instanceof TXTRecord txt) {
                StringBuilder text = new StringBuilder();
                for (byte[] part : txt.getStringsAsByteArrays()) {
                    text.append(new String(part, StandardCharsets.ISO_8859_1));
                }
                texts.add(text.toString());
            }
        }
        return texts;
    }
}
