package dev.plumbline.module.dns;

import static dev.plumbline.module.dns.DnsRecordsDescription.ALIAS_AND_MORE;
import static dev.plumbline.module.dns.DnsRecordsDescription.ALIAS_AT_APEX;
import static dev.plumbline.module.dns.DnsRecordsDescription.BROKEN_ALIAS;
import static dev.plumbline.module.dns.DnsRecordsDescription.DANGLING;
import static dev.plumbline.module.dns.DnsRecordsDescription.DENIED;
import static dev.plumbline.module.dns.DnsRecordsDescription.HIDDEN;
import static dev.plumbline.module.dns.DnsRecordsDescription.LONG_ALIASES;
import static dev.plumbline.module.dns.DnsRecordsDescription.LONG_TTL;
import static dev.plumbline.module.dns.DnsRecordsDescription.NOTHING;
import static dev.plumbline.module.dns.DnsRecordsDescription.NO_IPV6;
import static dev.plumbline.module.dns.DnsRecordsDescription.NXDOMAIN;
import static dev.plumbline.module.dns.DnsRecordsDescription.SEVERAL_ALIASES;
import static dev.plumbline.module.dns.DnsRecordsDescription.SHORT_TTL;
import static dev.plumbline.module.dns.DnsRecordsDescription.SINGLE_SERVER;
import static dev.plumbline.module.dns.DnsRecordsDescription.TTLS_DIFFER;
import static dev.plumbline.module.dns.DnsRecordsDescription.UNANSWERED;
import static dev.plumbline.module.dns.DnsRecordsDescription.WILDCARD;

import dev.plumbline.check.CheckError;
import dev.plumbline.check.ErrorCode;
import dev.plumbline.check.Evaluation;
import dev.plumbline.check.Finding;
import dev.plumbline.dns.DnsResponse;
import dev.plumbline.egress.RegistrableDomains;
import dev.plumbline.module.dns.DnsRecords.Evidence;
import dev.plumbline.module.dns.DnsRecords.Lookup;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.xbill.DNS.CNAMERecord;
import org.xbill.DNS.NSRecord;
import org.xbill.DNS.Rcode;
import org.xbill.DNS.Record;
import org.xbill.DNS.Type;

/** What {@link DnsRecords} makes of the answers. Pure. */
final class DnsRecordsEvaluation {
    private static final int SHORT_TTL_SECONDS = 60;
    private static final int LONG_TTL_SECONDS = 7 * 86_400;
    private static final int LONG_CHAIN = 3;
    private static final Set<ErrorCode> OPEN = Set.of(ErrorCode.DNS_TIMEOUT, ErrorCode.REQUEST_LIMIT);
    private static final RegistrableDomains DOMAINS = new RegistrableDomains();

    private final Evidence seen;
    private final List<Lookup> answered;

    DnsRecordsEvaluation(Evidence seen) {
        this.seen = seen;
        this.answered = seen.asked().stream().filter(Lookup::answered).toList();
    }

    Evaluation judgement() {
        List<Record> all =
                answered.stream().flatMap(one -> one.records().stream()).toList();
        List<Record> shown = Stream.concat(all.stream(), way()).distinct().toList();
        Map<String, Object> records = rows(shown);
        boolean denied = answered.stream().map(Lookup::answer).anyMatch(DnsResponse::nxdomain);
        boolean missing = denied && all.stream().allMatch(CNAMERecord.class::isInstance);
        boolean alias =
                answered.stream().anyMatch(one -> !one.answer().aliases().isEmpty());
        Map<String, @Nullable Object> fields = new LinkedHashMap<>();
        fields.put("rcode", rcode(missing));
        fields.put("records", records);
        fields.put("ttl_min", shown.isEmpty() ? null : shortestTtl(shown));
        fields.put("wildcard", seen.wildcard());
        fields.put(
                "authoritative",
                !answered.isEmpty()
                        && answered.stream().allMatch(one -> one.answer().authoritative()));
        fields.put("response_ms", slowest());
        if (answered.isEmpty()) {
            return new Evaluation(fields, List.of(), failure(seen.asked()));
        }
        if (missing && !alias && all.isEmpty()) {
            return new Evaluation(
                    fields,
                    List.of(NXDOMAIN.found()),
                    new CheckError(ErrorCode.DNS_NXDOMAIN, "The name " + seen.name() + " does not exist."));
        }
        List<Finding> found = new ArrayList<>();
        if (missing && alias) {
            found.add(DANGLING.found());
        }
        if (denied && !missing) {
            found.add(DENIED.found());
        }
        aliases(found);
        gaps(found);
        if (Boolean.TRUE.equals(seen.wildcard())) {
            found.add(WILDCARD.found());
        }
        if (all.isEmpty() && !missing && answered.size() == seen.asked().size()) {
            found.add(NOTHING.found());
        }
        if (records.containsKey("A") && asked("AAAA") && !records.containsKey("AAAA")) {
            found.add(NO_IPV6.found());
        }
        times(shown, found);
        return new Evaluation(fields, found, open());
    }

    /** All records by which the name is an alias, and what it is an alias of too. */
    private Stream<Record> way() {
        return answered.stream().flatMap(one -> one.answer().way().stream());
    }

    /** The rows by type, in the order in which the types were asked for. */
    private Map<String, Object> rows(List<Record> shown) {
        Map<String, List<Record>> byType = new LinkedHashMap<>();
        answered.forEach(one -> byType.put(one.type(), new ArrayList<>()));
        for (Record one : shown) {
            byType.computeIfAbsent(Type.string(one.getType()), more -> new ArrayList<>())
                    .add(one);
        }
        Map<String, Object> rows = new LinkedHashMap<>();
        byType.forEach((type, records) -> {
            if (!records.isEmpty()) {
                rows.put(
                        type,
                        records.stream()
                                .sorted(DnsRecordRow.ORDER)
                                .map(DnsRecordRow::of)
                                .toList());
            }
        });
        return rows;
    }

    /**
     * What was not answered in time, or not asked for, leaves the question open, however much is
     * known. So does a wildcard of which nothing is known, since there is no gap between yes and no.
     */
    private @Nullable CheckError open() {
        for (Lookup one : seen.asked()) {
            if (one.failure() != null && OPEN.contains(one.failure().code())) {
                return one.failure();
            }
        }
        if (seen.doubt() != null && !isBrokenAlias()) {
            return seen.doubt();
        }
        if (seen.wildcard() != null || seen.nobodys() == null) {
            return null;
        }
        CheckError why = failure(List.of(seen.nobodys()));
        return new CheckError(why.code(), "Whether there is a wildcard could not be found out. " + why.message());
    }

    private void aliases(List<Finding> found) {
        List<Record> own = answered.stream()
                .filter(one -> one.type().equals("CNAME"))
                .flatMap(one -> one.records().stream())
                .toList();
        boolean alias = !own.isEmpty() || answered.stream().anyMatch(DnsRecordsEvaluation::followed);
        boolean more = answered.stream()
                .anyMatch(one -> !one.type().equals("CNAME")
                        && !one.records().isEmpty()
                        && one.answer().aliases().isEmpty());
        if (alias && seen.name().equals(DOMAINS.registered(seen.name()))) {
            found.add(ALIAS_AT_APEX.found());
        } else if (alias && more) {
            found.add(ALIAS_AND_MORE.found());
        }
        if (own.size() > 1) {
            found.add(SEVERAL_ALIASES.found());
        }
        if (answered.stream().anyMatch(one -> one.answer().aliases().size() >= LONG_CHAIN)) {
            found.add(LONG_ALIASES.found());
        }
    }

    /** Whether nothing is known but that the name is an alias. */
    private boolean isBrokenAlias() {
        return answered.stream()
                        .allMatch(one ->
                                one.type().equals("CNAME") && !one.records().isEmpty())
                && seen.asked().stream().anyMatch(one -> !one.answered() && !one.hidden());
    }

    private static boolean followed(Lookup one) {
        return one.answer() != null && !one.answer().aliases().isEmpty();
    }

    private void gaps(List<Finding> found) {
        List<String> hidden = new ArrayList<>();
        List<String> silent = new ArrayList<>();
        for (Lookup one : seen.asked()) {
            if (!one.answered() && (seen.doubt() == null || !seen.doubt().equals(one.failure()))) {
                (one.hidden() ? hidden : silent).add(one.type());
            }
        }
        if (isBrokenAlias()) {
            found.add(BROKEN_ALIAS.found());
        } else if (!silent.isEmpty()) {
            found.add(UNANSWERED.found("No answer came for " + String.join(", ", silent) + "."));
        }
        if (!hidden.isEmpty()) {
            found.add(HIDDEN.found("Records of type "
                    + String.join(", ", hidden)
                    + " name hosts of a private network and are not shown."));
        }
        if (seen.nobodys() != null && seen.nobodys().hidden()) {
            found.add(HIDDEN.found("A wildcard below the name leads to a private network and is not shown."));
        }
        long servers = answered.stream()
                .flatMap(one -> one.records().stream())
                .filter(NSRecord.class::isInstance)
                .count();
        if (servers == 1) {
            found.add(SINGLE_SERVER.found());
        }
    }

    private void times(List<Record> shown, List<Finding> found) {
        for (Lookup one : answered) {
            if (one.records().size() > 1
                    && one.records().stream()
                                    .mapToLong(Record::getTTL)
                                    .distinct()
                                    .count()
                            > 1) {
                found.add(TTLS_DIFFER.found("The " + one.type() + " records have different times to live."));
            }
        }
        if (!shown.isEmpty() && shortestTtl(shown) < SHORT_TTL_SECONDS) {
            found.add(SHORT_TTL.found());
        } else if (!shown.isEmpty() && shortestTtl(shown) > LONG_TTL_SECONDS) {
            found.add(LONG_TTL.found());
        }
    }

    private boolean asked(String type) {
        return answered.stream().anyMatch(one -> one.type().equals(type));
    }

    private @Nullable String rcode(boolean missing) {
        if (missing) {
            return "NXDOMAIN";
        }
        if (seen.asked().stream().anyMatch(Lookup::answered)) {
            return "NOERROR";
        }
        return rcode(seen.asked());
    }

    private static @Nullable String rcode(List<Lookup> asked) {
        return asked.stream()
                .map(Lookup::answer)
                .filter(answer -> answer != null)
                .map(answer -> Rcode.string(answer.rcode()))
                .findFirst()
                .orElse(null);
    }

    private static CheckError failure(List<Lookup> asked) {
        for (Lookup one : asked) {
            if (one.failure() != null) {
                return one.failure();
            }
        }
        return new CheckError(ErrorCode.DNS_SERVFAIL, "The DNS resolver answered " + rcode(asked) + ".");
    }

    private static int shortestTtl(List<Record> records) {
        return (int) records.stream().mapToLong(Record::getTTL).min().orElse(0);
    }

    private @Nullable Double slowest() {
        double slowest = answered.stream()
                .mapToDouble(one -> one.answer().responseMs())
                .max()
                .orElse(-1);
        return slowest < 0 ? null : Math.round(slowest * 10) / 10.0;
    }
}
