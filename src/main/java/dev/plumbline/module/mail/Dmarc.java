package dev.plumbline.module.mail;

import static dev.plumbline.check.FindingCollector.reportIfAny;

import com.google.auto.service.AutoService;
import dev.plumbline.check.CheckContext;
import dev.plumbline.check.CheckFailure;
import dev.plumbline.check.CheckModule;
import dev.plumbline.check.FindingCollector;
import dev.plumbline.check.Options;
import dev.plumbline.check.Target;
import dev.plumbline.dns.DnsResponse;
import dev.plumbline.egress.RegistrableDomains;
import dev.plumbline.module.mail.DmarcRecord.Alignment;
import dev.plumbline.module.mail.DmarcRecord.Policy;
import dev.plumbline.probe.dns.DnsProbe;
import io.vertx.core.Future;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.xbill.DNS.Type;

/** The DMARC policy of a domain (RFC 7489). Of RFC 9989, only the syntax of the new tags is validated. */
@AutoService(CheckModule.class)
public final class Dmarc implements CheckModule<Dmarc.Evidence, Dmarc.Report, Dmarc.Findings> {
    private static final String PREFIX = "_dmarc.";
    private static final int MAX_EXTERNAL_DOMAINS = 10;
    private static final int MAX_SYNTAX_FINDINGS = 5;
    private static final int MAX_ERRORS = 100;

    /** The number of report addresses that a receiver must support (RFC 7489 section 6.2). */
    private static final int SUPPORTED_ADDRESSES = 2;

    private static final RegistrableDomains DOMAINS = new RegistrableDomains();

    /** The fields of the report. */
    public record Report(
            @Nullable String record,
            boolean valid,
            @Nullable Policy policy,
            @Nullable Policy subdomainPolicy,
            @Nullable Integer pct,
            List<String> rua,
            List<String> ruf,
            Alignment aspf,
            Alignment adkim,
            @Nullable String inheritedFrom,
            @Nullable Boolean externalAuthorised,
            List<String> errors) {}

    /** The findings. */
    public interface Findings extends FindingCollector {
        void noRecord(String domain, String publisher);

        void severalRecords(int count, String publisher);

        void noPolicy();

        void syntaxError(String error);

        void policyNone(String tag);

        void policyQuarantine(String tag);

        void subdomainPolicyWeaker(Policy subdomain, Policy policy);

        void policyPartial(int pct);

        void policyTesting();

        void noReports(String publisher);

        void reportNotAuthorised(String external, String publisher);

        void reportAuthorisationUnknown(String external, String publisher);

        void manyReportAddresses(int count);

        void inherited(String domain, String publisher);

        void policyNotFirst(Policy policy);

        void unknownTag(List<String> tags);

        void lookalike(String text);
    }

    /**
     * The DMARC records of a domain.
     *
     * @param publisher the domain whose {@code _dmarc} name has the records: the domain itself or its organizational
     *     domain
     * @param lookalike a text that resembles a DMARC record but is not one, null if there is none
     * @param authorizations by external domain, whether it authorizes reports (RFC 7489 section 7.1); null if the
     *     lookup failed
     */
    public record Evidence(
            String domain,
            String publisher,
            List<String> records,
            @Nullable String lookalike,
            Map<String, @Nullable Boolean> authorizations) {}

    @Override
    public Future<Evidence> collect(Target target, CheckContext context) {
        String text = target.text();
        String domain = text.startsWith(PREFIX) ? text.substring(PREFIX.length()) : text;
        String organizational = DOMAINS.of(domain);
        return records(context, domain, domain, null)
                .compose(own -> own.records().isEmpty() && !domain.equals(organizational)
                        ? records(context, domain, organizational, own.lookalike())
                        : Future.succeededFuture(own))
                .compose(evidence -> switch (evidence.records().size()) {
                    case 0 ->
                        context.probe(DnsProbe.class)
                                .query(context, domain, Type.A)
                                .compose(DnsProbe::requireName)
                                .map(evidence);
                    case 1 -> authorizations(context, evidence);
                    default -> Future.succeededFuture(evidence);
                });
    }

    private static Future<Evidence> records(
            CheckContext context, String domain, String publisher, @Nullable String lookalike) {
        DnsProbe dns = context.probe(DnsProbe.class);
        Future<Void> admission = dns.admit(context, publisher);
        Future<DnsResponse> response = dns.query(context, PREFIX + publisher, Type.TXT);
        return admission.compose(admitted -> response).map(DnsResponse::texts).map(texts -> {
            List<String> records =
                    texts.stream().filter(DmarcRecord::hasVersion).toList();
            String similar =
                    texts.stream().filter(DmarcRecord::resembles).findFirst().orElse(lookalike);
            return new Evidence(domain, publisher, records, similar, Map.of());
        });
    }

    private static Future<Evidence> authorizations(CheckContext context, Evidence evidence) {
        String publisher = evidence.publisher();
        Map<String, Future<@Nullable Boolean>> queries = new LinkedHashMap<>();
        externalDomains(new DmarcRecord(evidence.records().get(0)), publisher)
                .forEach(external -> queries.put(external, isAuthorized(context, publisher, external)));
        return Future.all(List.copyOf(queries.values())).map(all -> {
            Map<String, @Nullable Boolean> results = new LinkedHashMap<>();
            queries.forEach((external, query) -> results.put(external, query.result()));
            return new Evidence(evidence.domain(), publisher, evidence.records(), evidence.lookalike(), results);
        });
    }

    /** The domains of report addresses with another organizational domain. */
    static List<String> externalDomains(DmarcRecord record, String publisher) {
        String own = DOMAINS.of(publisher);
        return record.reportDomains.stream()
                .filter(domain -> !DOMAINS.of(domain).equals(own))
                .limit(MAX_EXTERNAL_DOMAINS)
                .toList();
    }

    private static Future<@Nullable Boolean> isAuthorized(CheckContext context, String publisher, String external) {
        DnsProbe dns = context.probe(DnsProbe.class);
        return dns.admit(context, external)
                .compose(admitted -> dns.query(context, publisher + "._report." + PREFIX + external, Type.TXT))
                .<@Nullable Boolean>map(response -> response.texts().stream().anyMatch(DmarcRecord::hasVersion))
                .recover(
                        cause -> cause instanceof CheckFailure ? Future.succeededFuture() : Future.failedFuture(cause));
    }

    @Override
    public Report evaluate(Evidence evidence, Options options, Findings findings) {
        String domain = evidence.domain();
        String publisher = evidence.publisher();
        int count = evidence.records().size();
        String text = count == 1 ? evidence.records().get(0) : null;
        DmarcRecord record = new DmarcRecord(text == null ? "" : text);
        boolean inherited = !publisher.equals(domain);
        List<String> errors = new ArrayList<>(record.errors);
        if (count == 0) {
            findings.noRecord(domain, publisher);
        } else if (count > 1) {
            errors.add(count + " DMARC records are published.");
            findings.severalRecords(count, publisher);
        }
        if (evidence.lookalike() != null) {
            findings.lookalike(evidence.lookalike());
        }
        if (text != null) {
            if (record.policy == null) {
                errors.add("The record does not have a valid policy (p).");
            }
            evaluatePolicy(record, inherited, findings);
            evaluateReports(record, evidence, findings);
            record.errors.stream().limit(MAX_SYNTAX_FINDINGS).forEach(findings::syntaxError);
            int more = record.errors.size() - MAX_SYNTAX_FINDINGS;
            if (more > 0) {
                findings.syntaxError("Further syntax errors in the record: " + more + ".");
            }
            reportIfAny(record.unknownTags, findings::unknownTag);
            if (inherited) {
                findings.inherited(domain, publisher);
            }
        }
        return new Report(
                text,
                text != null && errors.isEmpty(),
                record.policy,
                record.subdomainPolicy,
                text == null ? null : record.pct,
                record.rua,
                record.ruf,
                record.aspf,
                record.adkim,
                inherited && count > 0 ? publisher : null,
                areAuthorized(evidence.authorizations()),
                errors.stream().limit(MAX_ERRORS).toList());
    }

    private static void evaluatePolicy(DmarcRecord record, boolean inherited, Findings findings) {
        Policy policy = record.policy;
        Policy subdomainPolicy = record.subdomainPolicy;
        if (policy == null || subdomainPolicy == null) {
            findings.noPolicy();
            return;
        }
        String tag = inherited ? "sp" : "p";
        Policy applied = inherited ? subdomainPolicy : policy;
        if (applied == Policy.NONE) {
            findings.policyNone(tag);
        } else if (applied == Policy.QUARANTINE) {
            findings.policyQuarantine(tag);
        }
        if (!inherited && subdomainPolicy.compareTo(policy) < 0) {
            findings.subdomainPolicyWeaker(subdomainPolicy, policy);
        }
        if (record.pct < 100 && applied != Policy.NONE) {
            findings.policyPartial(record.pct);
        }
        if (record.testing && applied != Policy.NONE) {
            findings.policyTesting();
        }
        if (!record.policyFirst) {
            findings.policyNotFirst(policy);
        }
    }

    private static void evaluateReports(DmarcRecord record, Evidence evidence, Findings findings) {
        if (record.rua.isEmpty()) {
            findings.noReports(evidence.publisher());
        } else if (record.rua.size() > SUPPORTED_ADDRESSES) {
            findings.manyReportAddresses(record.rua.size());
        }
        evidence.authorizations().forEach((external, authorized) -> {
            if (authorized == null) {
                findings.reportAuthorisationUnknown(external, evidence.publisher());
            } else if (!authorized) {
                findings.reportNotAuthorised(external, evidence.publisher());
            }
        });
    }

    private static @Nullable Boolean areAuthorized(Map<String, @Nullable Boolean> authorizations) {
        if (authorizations.containsValue(false)) {
            return false;
        }
        return authorizations.isEmpty() || authorizations.containsValue(null) ? null : true;
    }
}
