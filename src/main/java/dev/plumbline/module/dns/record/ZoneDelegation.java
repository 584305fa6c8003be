package dev.plumbline.module.dns.record;

import java.net.InetAddress;
import java.util.List;
import java.util.Map;
import org.xbill.DNS.NSRecord;
import org.xbill.DNS.Name;
import org.xbill.DNS.Record;

/**
 * What a nameserver of the parent zone returns for the NS records of a name (RFC 1034 section 4.2.1).
 *
 * @param parent the zone whose nameserver was queried
 * @param servers the names in the NS records in canonical order, without duplicates
 * @param glue the addresses in the additional section by nameserver (RFC 9471)
 */
public record ZoneDelegation(
        Name name, Name parent, State state, List<Name> servers, Map<Name, List<InetAddress>> glue) {

    /** Whether the name is delegated. */
    public enum State {
        /** The parent zone refers to the nameservers of the name. */
        REFERRAL,
        /** The nameserver of the parent zone is also a nameserver of the name. */
        SHARED_SERVER,
        /** The name is inside the parent zone. */
        NOT_A_ZONE,
        NXDOMAIN
    }

    public List<InetAddress> glueOf(Name server) {
        return glue.getOrDefault(server, List.of());
    }

    /** The names in NS records in canonical order, without duplicates. */
    public static List<Name> targets(List<Record> records) {
        return records.stream()
                .map(record -> ((NSRecord) record).getTarget())
                .distinct()
                .sorted()
                .toList();
    }
}
