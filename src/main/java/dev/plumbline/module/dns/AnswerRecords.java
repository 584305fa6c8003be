package dev.plumbline.module.dns;

import static java.util.stream.Collectors.groupingBy;
import static java.util.stream.Collectors.toList;

import dev.plumbline.module.dns.record.DnsRecordRow;
import dev.plumbline.probe.dns.NameserverResponse;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.xbill.DNS.CNAMERecord;
import org.xbill.DNS.Name;
import org.xbill.DNS.Rcode;
import org.xbill.DNS.Record;
import org.xbill.DNS.Type;

/**
 * The records in one response, for comparison with other responses: without TTLs, and in the order of their text.
 *
 * @param rcode a constant of {@link Rcode}
 * @param aliases the targets of the CNAME chain, in order
 * @param data the data of the records at the end of the chain, sorted
 * @param ttl the lowest TTL of all records in seconds; 0 without records
 */
public record AnswerRecords(int rcode, List<String> aliases, List<String> data, long ttl) {
    private static final int MAX_ALIASES = 8;

    /** The records of a name and type. Records of other owners do not count. */
    public static AnswerRecords of(Name name, int type, NameserverResponse response) {
        List<String> aliases = new ArrayList<>();
        Name owner = name;
        long ttl = Long.MAX_VALUE;
        for (int i = 0; i < MAX_ALIASES && type != Type.CNAME; i++) {
            List<Record> alias = response.answers(owner, Type.CNAME);
            if (alias.isEmpty()) {
                break;
            }
            owner = ((CNAMERecord) alias.get(0)).getTarget();
            ttl = Math.min(ttl, alias.get(0).getTTL());
            aliases.add(DnsRecordRow.text(owner));
        }
        List<String> data = new ArrayList<>();
        for (Record record : response.answers(owner, type)) {
            ttl = Math.min(ttl, record.getTTL());
            data.add(DnsRecordRow.data(record));
        }
        data.sort(Comparator.naturalOrder());
        return new AnswerRecords(
                response.rcode(), List.copyOf(aliases), List.copyOf(data), ttl == Long.MAX_VALUE ? 0 : ttl);
    }

    boolean nxdomain() {
        return rcode == Rcode.NXDOMAIN;
    }

    /** Whether the response code is neither NOERROR nor NXDOMAIN. */
    boolean failed() {
        return rcode != Rcode.NOERROR && rcode != Rcode.NXDOMAIN;
    }

    /** Whether the chain ends at a name of another zone, so that the nameserver does not return its records. */
    boolean incomplete() {
        return !aliases.isEmpty() && data.isEmpty();
    }

    boolean sameAs(@Nullable AnswerRecords other) {
        return other != null && rcode == other.rcode && data.equals(other.data);
    }

    /** The targets of the CNAME chain, followed by the data. */
    List<String> texts() {
        return Stream.concat(aliases.stream().map(alias -> "CNAME " + alias), data.stream())
                .toList();
    }

    /** The most common records; null if there are no responses. */
    static @Nullable AnswerRecords mostCommon(List<DnsPropagation.Answer> answers) {
        return answers.stream()
                .flatMap(answer -> Stream.ofNullable(answer.records()))
                .collect(groupingBy(records -> List.of(records.rcode, records.data), LinkedHashMap::new, toList()))
                .values()
                .stream()
                .max(Comparator.comparingInt(List::size))
                .map(group -> group.get(0))
                .orElse(null);
    }
}
