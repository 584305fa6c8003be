package dev.plumbline.module.mail;

import com.google.auto.service.AutoService;
import dev.plumbline.check.CheckContext;
import dev.plumbline.check.CheckFailure;
import dev.plumbline.check.ErrorCode;
import dev.plumbline.check.Evaluation;
import dev.plumbline.check.Finding;
import dev.plumbline.check.ModuleDefinition;
import dev.plumbline.check.ModuleDescription;
import dev.plumbline.check.Options;
import dev.plumbline.check.Target;
import dev.plumbline.dns.DnsResponse;
import dev.plumbline.egress.RegistrableDomains;
import dev.plumbline.module.mail.DmarcRecord.Report;
import dev.plumbline.probe.dns.DnsProbe;
import io.vertx.core.Future;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.xbill.DNS.Type;

/** What a domain asks receivers to do with mail that only pretends to be from it (RFC 7489). */
@AutoService(ModuleDefinition.class)
public final class Dmarc implements ModuleDefinition<Dmarc.Evidence> {
    private static final String PREFIX = "_dmarc.";
    private static final int MOST_REPORT_DOMAINS = 10;
    private static final int SERVED_REPORTS = 2;
    private static final int MOST_TOLD = 5;
    private static final int MOST_ERRORS = 100;
    private static final List<String> STRICTNESS = List.of("none", "quarantine", "reject");
    private static final RegistrableDomains DOMAINS = new RegistrableDomains();

    /** Whether a domain has agreed to get reports. */
    public enum Agreed {
        YES,
        NO,
        UNKNOWN
    }

    /**
     * What was found.
     *
     * @param holder the domain at whose _dmarc the records are: the one that was asked for, or the
     *     one above it from which they are inherited
     * @param records texts that are meant to be DMARC records
     * @param lookalike whether another text looks like one
     * @param agreed by domain, of those outside the holder's that reports are to go to
     */
    public record Evidence(
            String domain, String holder, List<String> records, boolean lookalike, Map<String, Agreed> agreed) {}

    @Override
    public ModuleDescription description() {
        return DmarcDescription.DESCRIPTION;
    }

    @Override
    public Future<Evidence> collect(Target target, CheckContext context) {
        String text = target.text();
        String domain = text.startsWith(PREFIX) ? text.substring(PREFIX.length()) : text;
        String above = DOMAINS.of(domain);
        DnsProbe dns = context.probe(DnsProbe.class);
        Future<Void> admitted = dns.admit(context, domain);
        Future<Evidence> own = texts(context, dns, domain, domain);
        return admitted.compose(fine -> own)
                .compose(seen -> seen.records().isEmpty() && !domain.equals(above)
                        ? dns.admit(context, above)
                                .compose(fine -> texts(context, dns, domain, above))
                                .map(inherited -> seen.lookalike() ? lookalike(inherited) : inherited)
                        : Future.succeededFuture(seen))
                .compose(seen ->
                        seen.records().isEmpty() ? existing(context, dns, seen) : agreements(context, dns, seen));
    }

    private static Evidence lookalike(Evidence seen) {
        return new Evidence(seen.domain(), seen.holder(), seen.records(), true, seen.agreed());
    }

    private static Future<Evidence> texts(CheckContext context, DnsProbe dns, String domain, String holder) {
        return dns.query(context, PREFIX + holder, Type.TXT)
                .map(answer -> new Evidence(
                        domain,
                        holder,
                        answer.texts().stream().filter(DmarcRecord::claims).toList(),
                        answer.texts().stream().anyMatch(DmarcRecord::resembles),
                        Map.of()));
    }

    /** Tells a domain without a record from none at all. */
    private static Future<Evidence> existing(CheckContext context, DnsProbe dns, Evidence seen) {
        return dns.query(context, seen.domain(), Type.A)
                .map(DnsResponse::nxdomain)
                .compose(missing -> missing
                        ? Future.failedFuture(new CheckFailure(
                                ErrorCode.DNS_NXDOMAIN, "The name " + seen.domain() + " does not exist."))
                        : Future.succeededFuture(seen));
    }

    /** Asks the other domains that reports are to go to whether they have agreed. */
    private static Future<Evidence> agreements(CheckContext context, DnsProbe dns, Evidence seen) {
        if (seen.records().size() != 1) {
            return Future.succeededFuture(seen);
        }
        DmarcRecord record = DmarcRecord.parse(seen.records().get(0));
        List<String> others = others(record, seen.holder());
        List<Future<Agreed>> asked = others.stream()
                .map(other -> agreed(context, dns, seen.holder(), other))
                .toList();
        return Future.all(asked).map(all -> {
            Map<String, Agreed> agreed = new LinkedHashMap<>();
            for (int i = 0; i < others.size(); i++) {
                agreed.put(others.get(i), asked.get(i).result());
            }
            return new Evidence(seen.domain(), seen.holder(), seen.records(), seen.lookalike(), agreed);
        });
    }

    /** The domains of reports that belong to another organisation. */
    static List<String> others(DmarcRecord record, String holder) {
        String own = DOMAINS.of(holder);
        return Stream.concat(record.aggregate().stream(), record.failure().stream())
                .map(Report::domain)
                .filter(domain -> domain != null && !DOMAINS.of(domain).equals(own))
                .distinct()
                .limit(MOST_REPORT_DOMAINS)
                .toList();
    }

    private static Future<Agreed> agreed(CheckContext context, DnsProbe dns, String holder, String other) {
        return dns.admit(context, other)
                .compose(fine -> dns.query(context, holder + "._report." + PREFIX + other, Type.TXT))
                .map(answer -> answer.texts().stream().anyMatch(DmarcRecord::claims) ? Agreed.YES : Agreed.NO)
                .recover(cause -> cause instanceof CheckFailure
                        ? Future.succeededFuture(Agreed.UNKNOWN)
                        : Future.failedFuture(cause));
    }

    @Override
    public Evaluation evaluate(Evidence seen, Options options) {
        List<Finding> found = new ArrayList<>();
        boolean one = seen.records().size() == 1;
        DmarcRecord record = one ? DmarcRecord.parse(seen.records().get(0)) : null;
        boolean inherited = !seen.holder().equals(seen.domain());
        List<String> errors = record == null ? new ArrayList<>() : new ArrayList<>(record.errors());
        if (seen.records().size() > 1) {
            errors.add("There are " + seen.records().size() + " DMARC records.");
            found.add(DmarcDescription.SEVERAL.found());
        } else if (record == null) {
            found.add(DmarcDescription.NO_RECORD.found());
        }
        if (seen.lookalike()) {
            found.add(DmarcDescription.LOOKALIKE.found());
        }
        if (record != null) {
            if (record.policy() == null) {
                errors.add("The record has no policy (p) that can be read.");
            }
            policy(record, inherited, found);
            reports(record, seen.agreed(), found);
            form(record, found);
            if (inherited) {
                found.add(DmarcDescription.INHERITED.found(
                        "The name has no record of its own; the one of " + seen.holder() + " holds."));
            }
        }
        Map<String, @Nullable Object> fields = new LinkedHashMap<>();
        fields.put("record", one ? seen.records().get(0) : null);
        fields.put("valid", record != null && errors.isEmpty());
        fields.put("policy", record == null ? null : record.policy());
        fields.put("subdomain_policy", record == null ? null : subdomains(record));
        fields.put("pct", record == null ? null : record.pct());
        fields.put("rua", record == null ? List.of() : uris(record.aggregate()));
        fields.put("ruf", record == null ? List.of() : uris(record.failure()));
        fields.put("aspf", record == null ? "r" : record.spfAlignment());
        fields.put("adkim", record == null ? "r" : record.dkimAlignment());
        fields.put("inherited_from", inherited && !seen.records().isEmpty() ? seen.holder() : null);
        fields.put("external_authorised", authorised(seen.agreed()));
        fields.put("errors", errors.stream().limit(MOST_ERRORS).toList());
        return Evaluation.of(fields, found);
    }

    private static @Nullable String subdomains(DmarcRecord record) {
        return record.subdomainPolicy() == null ? record.policy() : record.subdomainPolicy();
    }

    private static void policy(DmarcRecord record, boolean inherited, List<Finding> found) {
        String holds = inherited ? subdomains(record) : record.policy();
        if (record.policy() == null) {
            found.add(DmarcDescription.NO_POLICY.found());
            return;
        }
        if ("none".equals(holds)) {
            found.add(DmarcDescription.NONE.found());
        } else if ("quarantine".equals(holds)) {
            found.add(DmarcDescription.QUARANTINE.found());
        }
        if (!inherited && STRICTNESS.indexOf(subdomains(record)) < STRICTNESS.indexOf(record.policy())) {
            found.add(DmarcDescription.WEAK_SUBDOMAINS.found());
        }
        if (record.pct() < 100 && !"none".equals(holds)) {
            found.add(
                    DmarcDescription.PARTIAL.found("The policy is asked for " + record.pct() + " % of the mail only."));
        }
        if (record.testing() && !"none".equals(holds)) {
            found.add(DmarcDescription.TESTING.found());
        }
        if (!record.policyFirst()) {
            found.add(DmarcDescription.NOT_FIRST.found());
        }
    }

    private static void reports(DmarcRecord record, Map<String, Agreed> agreed, List<Finding> found) {
        if (record.aggregate().isEmpty()) {
            found.add(DmarcDescription.NO_REPORTS.found());
        }
        if (record.aggregate().size() > SERVED_REPORTS) {
            found.add(DmarcDescription.MANY_REPORTS.found());
        }
        agreed.forEach((domain, answer) -> {
            if (answer == Agreed.NO) {
                found.add(DmarcDescription.UNAUTHORISED.found(
                        "The domain " + domain + " has not agreed to get the reports."));
            } else if (answer == Agreed.UNKNOWN) {
                found.add(DmarcDescription.REPORT_UNKNOWN.found(
                        "Whether " + domain + " has agreed to get the reports could not be found out."));
            }
        });
    }

    private static void form(DmarcRecord record, List<Finding> found) {
        record.errors().stream().limit(MOST_TOLD).forEach(error -> found.add(DmarcDescription.SYNTAX.found(error)));
        int more = record.errors().size() - MOST_TOLD;
        if (more > 0) {
            found.add(DmarcDescription.SYNTAX.found(more + " more parts of the record are wrong."));
        }
        if (!record.unknown().isEmpty()) {
            found.add(DmarcDescription.UNKNOWN_TAG.found(
                    "No standard knows the tag " + TruncatedList.of(record.unknown()) + "."));
        }
    }

    private static @Nullable Boolean authorised(Map<String, Agreed> agreed) {
        if (agreed.containsValue(Agreed.NO)) {
            return false;
        }
        return agreed.isEmpty() || agreed.containsValue(Agreed.UNKNOWN) ? null : true;
    }

    private static List<String> uris(List<Report> reports) {
        return reports.stream().map(Report::uri).toList();
    }
}
