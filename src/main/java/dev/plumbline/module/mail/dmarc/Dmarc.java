package dev.plumbline.module.mail.dmarc;

import static dev.plumbline.sheet.FindingCollector.reportIfAny;

import com.google.auto.service.AutoService;
import dev.plumbline.check.CheckContext;
import dev.plumbline.check.CheckFailure;
import dev.plumbline.check.CheckModule;
import dev.plumbline.check.RegisteredModule;
import dev.plumbline.module.mail.dmarc.DmarcRecord.Alignment;
import dev.plumbline.module.mail.dmarc.DmarcRecord.Policy;
import dev.plumbline.module.mail.dmarc.DmarcRecord.Psd;
import dev.plumbline.module.mail.dmarc.DmarcReports.Destination;
import dev.plumbline.module.mail.dmarc.DmarcTree.Level;
import dev.plumbline.probe.dns.DnsProbe;
import dev.plumbline.sheet.FindingCollector;
import dev.plumbline.sheet.Options;
import dev.plumbline.target.Target;
import io.vertx.core.Future;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.xbill.DNS.Type;

/** The DMARC policy of a domain (RFC 9989), and how it differs for receivers that follow RFC 7489. */
@AutoService(RegisteredModule.class)
public final class Dmarc implements CheckModule<Dmarc.Evidence, Dmarc.Report, Dmarc.Findings> {
    private static final int MAX_SYNTAX_FINDINGS = 5;
    private static final int MAX_ERRORS = 100;

    /** The number of report addresses that a receiver must support (RFC 7489 section 6.2). */
    private static final int SUPPORTED_ADDRESSES = 2;

    public record Report(
            @Nullable String record,
            boolean valid,
            @Nullable Policy policy,
            @Nullable Policy subdomainPolicy,
            @Nullable Policy nonexistentPolicy,
            @Nullable Psd psd,
            @Nullable Boolean testing,
            @Nullable Integer pct,
            List<String> rua,
            List<String> ruf,
            Alignment aspf,
            Alignment adkim,
            @Nullable String inheritedFrom,
            @Nullable Boolean externalAuthorized,
            List<String> errors) {}

    public interface Findings extends FindingCollector {
        void dmarcMissing(String domain, String publisher);

        void severalRecords(int count, String publisher);

        void noPolicy();

        void policyTagInvalid(List<String> tags);

        void policyMissing();

        void syntaxError(String error);

        void policyNone(String tag);

        void policyQuarantine(String tag);

        void subdomainPolicyWeaker(Policy subdomain, Policy policy);

        void nonexistentPolicyWeaker(Policy nonexistent, Policy policy);

        void nonexistentPolicyIgnored(Policy policy);

        void subdomainPolicyUnused(List<String> tags, String domain, String organizational);

        void policyPartial(int pct);

        void policyTesting(Policy weaker, Policy policy);

        void noReports(String publisher);

        void reportNotAuthorized(String external, String publisher);

        void reportRedirected(String external, String publisher);

        void reportNameTooLong(String external, String publisher);

        void reportAuthorizationDiffers(String rfc, String external, String publisher);

        void reportAuthorizationUnknown(String external, String publisher);

        void manyReportAddresses(int count);

        void inherited(String domain, String publisher);

        void nonexistent(String domain);

        void policyNotFirst(Policy policy);

        void policyDomainDiffers(String domain, String publisher, String legacy);

        void policyNotApplied(String domain, String publisher, String legacy);

        void organizationalDomainDiffers(String domain, String organizational, String legacy);

        void psdNotPublicSuffix(String publisher);

        void organizationalDomainUnknown(Collection<String> names);

        void obsoleteTag(Collection<String> tags);

        void unknownTag(List<String> tags);

        void lookalike(String text);
    }

    /**
     * The DMARC records of a domain and its parents.
     *
     * @param exists whether the domain exists; true if it has its own record
     * @param listed the level of the organizational domain of RFC 7489; null if its lookup failed
     */
    public record Evidence(DmarcTree tree, boolean exists, @Nullable Level listed, List<Destination> destinations) {}

    @Override
    public Future<Evidence> collect(Target target, CheckContext context) {
        String text = target.text();
        String domain = text.startsWith(DmarcTree.PREFIX) ? text.substring(DmarcTree.PREFIX.length()) : text;
        Future<Void> admission = context.probe(DnsProbe.class).admit(context, domain);
        Future<DmarcTree> walk = DmarcTree.walk(context, domain, List.of());
        return admission.compose(admitted -> walk).compose(tree -> evidence(context, tree));
    }

    private static Future<Evidence> evidence(CheckContext context, DmarcTree tree) {
        Level policy = tree.policy();
        boolean own = policy == tree.levels().get(0);
        DnsProbe dns = context.probe(DnsProbe.class);
        Future<Boolean> exists = own
                ? Future.succeededFuture(true)
                : dns.query(context, tree.domain(), Type.A)
                        .compose(response ->
                                policy == null ? DnsProbe.requireName(response) : Future.succeededFuture(response))
                        .map(response ->
                                !response.nxdomain() || !response.cnames().isEmpty());
        Future<@Nullable Level> listed = listed(context, tree);
        Future<List<Destination>> destinations = policy == null
                ? Future.succeededFuture(List.of())
                : DmarcReports.collect(context, new DmarcRecord(policy.records().get(0)), tree.from(policy.name()));
        return Future.all(exists, listed, destinations)
                .map(all -> new Evidence(tree, exists.result(), listed.result(), destinations.result()));
    }

    private static Future<@Nullable Level> listed(CheckContext context, DmarcTree tree) {
        String name = DmarcTree.listed(tree.domain());
        Level walked = DmarcTree.level(tree.levels(), name);
        if (walked != null || !tree.levels().get(0).records().isEmpty()) {
            return Future.succeededFuture(walked);
        }
        return DmarcTree.lookup(context, name)
                .<@Nullable Level>map(level -> level)
                .recover(CheckFailure.otherwise(error -> null));
    }

    @Override
    public Report evaluate(Evidence evidence, Options options, Findings findings) {
        DmarcTree tree = evidence.tree();
        String domain = tree.domain();
        Level policy = tree.policy();
        String text = policy == null ? null : policy.records().get(0);
        DmarcRecord record = new DmarcRecord(text == null ? "" : text);
        List<String> errors = new ArrayList<>(record.errors);
        boolean ambiguous = false;
        for (Level level : tree.levels()) {
            int count = level.records().size();
            if (count > 1) {
                ambiguous = true;
                errors.add(count + " DMARC records are published at " + DmarcTree.PREFIX + level.name() + ".");
                findings.severalRecords(count, level.name());
            }
        }
        if (text == null && !ambiguous) {
            findings.dmarcMissing(domain, DmarcTree.listed(domain));
        }
        tree.levels().stream()
                .flatMap(level -> Stream.ofNullable(level.lookalike()))
                .findFirst()
                .ifPresent(findings::lookalike);
        if (policy != null) {
            if (record.policy == null && record.invalidPolicyTags.isEmpty()) {
                errors.add("The record has neither a policy (p) nor a valid address for aggregate reports (rua).");
            }
            evaluatePolicy(record, evidence, findings);
            evaluateReports(record, policy.name(), evidence.destinations(), findings);
            evaluateDiscovery(record, policy, evidence, findings);
            evaluateSyntax(record, findings);
        }
        return new Report(
                text,
                text != null && errors.isEmpty(),
                record.policy,
                record.subdomainPolicy,
                record.nonexistentPolicy,
                text == null ? null : record.psd,
                text == null ? null : record.testing,
                text == null ? null : record.pct,
                record.rua,
                record.ruf,
                record.aspf,
                record.adkim,
                policy == null || policy.name().equals(domain) ? null : policy.name(),
                areAuthorized(evidence.destinations()),
                errors.stream().limit(MAX_ERRORS).toList());
    }

    private static void evaluateSyntax(DmarcRecord record, Findings findings) {
        record.errors.stream().limit(MAX_SYNTAX_FINDINGS).forEach(findings::syntaxError);
        int more = record.errors.size() - MAX_SYNTAX_FINDINGS;
        if (more > 0) {
            findings.syntaxError("Further syntax errors in the record: " + more + ".");
        }
        reportIfAny(List.copyOf(record.obsolete), findings::obsoleteTag);
        reportIfAny(record.unknownTags, findings::unknownTag);
    }

    private static void evaluatePolicy(DmarcRecord record, Evidence evidence, Findings findings) {
        Policy policy = record.policy;
        Policy subdomain = record.subdomainPolicy;
        Policy nonexistent = record.nonexistentPolicy;
        if (policy == null || subdomain == null || nonexistent == null) {
            findings.noPolicy();
            return;
        }
        boolean own = evidence.tree().levels().get(0).hasRecord();
        String tag = own ? "p" : evidence.exists() ? "sp" : "np";
        Policy applied = own ? policy : evidence.exists() ? subdomain : nonexistent;
        if (!record.invalidPolicyTags.isEmpty()) {
            findings.policyTagInvalid(record.invalidPolicyTags);
        } else if (!record.has("p")) {
            findings.policyMissing();
        } else if (applied == Policy.NONE) {
            findings.policyNone(tag);
        } else if (applied == Policy.QUARANTINE) {
            findings.policyQuarantine(tag);
        }
        if (own) {
            evaluateSubdomains(record, policy, subdomain, nonexistent, evidence.tree(), findings);
        }
        Policy legacy = record.legacySubdomainPolicy;
        if (legacy != null && legacy != nonexistent) {
            findings.nonexistentPolicyIgnored(legacy);
        }
        if (applied != Policy.NONE) {
            if (record.pct < 100) {
                findings.policyPartial(record.pct);
            }
            if (record.testing) {
                findings.policyTesting(Policy.values()[applied.ordinal() - 1], applied);
            }
        }
        if (record.has("p") && !record.policyFirst) {
            findings.policyNotFirst(policy);
        }
    }

    private static void evaluateSubdomains(
            DmarcRecord record,
            Policy policy,
            Policy subdomain,
            Policy nonexistent,
            DmarcTree tree,
            Findings findings) {
        String organizational = tree.organizationalDomain();
        if (organizational != null && !organizational.equals(tree.domain())) {
            reportIfAny(
                    List.of("sp", "np").stream().filter(record::has).toList(),
                    tags -> findings.subdomainPolicyUnused(tags, tree.domain(), organizational));
            return;
        }
        if (subdomain.compareTo(policy) < 0) {
            findings.subdomainPolicyWeaker(subdomain, policy);
        }
        if (nonexistent.compareTo(policy) < 0 && nonexistent.compareTo(subdomain) < 0) {
            findings.nonexistentPolicyWeaker(nonexistent, policy);
        }
    }

    private static void evaluateReports(
            DmarcRecord record, String publisher, List<Destination> destinations, Findings findings) {
        if (record.rua.isEmpty()) {
            findings.noReports(publisher);
        } else if (record.rua.size() > SUPPORTED_ADDRESSES) {
            findings.manyReportAddresses(record.rua.size());
        }
        for (Destination destination : destinations) {
            String external = destination.domain();
            boolean both = destination.external() && destination.externalByList();
            switch (destination.authorization()) {
                case GRANTED -> {}
                case REDIRECTED -> findings.reportRedirected(external, publisher);
                case NAME_TOO_LONG -> findings.reportNameTooLong(external, publisher);
                case UNKNOWN -> findings.reportAuthorizationUnknown(external, publisher);
                case DENIED -> {
                    if (both) {
                        findings.reportNotAuthorized(external, publisher);
                    } else {
                        String rfc = destination.external() ? "RFC 9989" : "RFC 7489";
                        findings.reportAuthorizationDiffers(rfc, external, publisher);
                    }
                }
            }
        }
    }

    private static void evaluateDiscovery(DmarcRecord record, Level policy, Evidence evidence, Findings findings) {
        DmarcTree tree = evidence.tree();
        String domain = tree.domain();
        if (!policy.name().equals(domain)) {
            findings.inherited(domain, policy.name());
            if (!evidence.exists()) {
                findings.nonexistent(domain);
            }
        }
        String listed = DmarcTree.listed(domain);
        List<String> failed = new ArrayList<>();
        if (tree.failed() != null) {
            failed.add(DmarcTree.PREFIX + tree.failed());
        }
        Level listedLevel = evidence.listed();
        if (listedLevel == null && tree.levels().get(0).records().isEmpty()) {
            failed.add(DmarcTree.PREFIX + listed);
        } else {
            Level legacy = tree.legacyPolicy(listedLevel == null ? tree.levels().get(0) : listedLevel);
            if (legacy == null) {
                findings.policyNotApplied(domain, policy.name(), listed);
            } else if (!legacy.name().equals(policy.name())) {
                findings.policyDomainDiffers(domain, policy.name(), legacy.name());
            }
        }
        reportIfAny(failed, findings::organizationalDomainUnknown);
        String organizational = tree.organizationalDomain();
        boolean relaxed = record.aspf == Alignment.R || record.adkim == Alignment.R;
        if (organizational != null && !organizational.equals(listed) && relaxed) {
            findings.organizationalDomainDiffers(domain, organizational, listed);
        }
        if (record.psd == Psd.Y && !DmarcTree.isPublicSuffix(policy.name())) {
            findings.psdNotPublicSuffix(policy.name());
        }
    }

    private static @Nullable Boolean areAuthorized(List<Destination> destinations) {
        List<DmarcReports.Authorization> external = destinations.stream()
                .filter(Destination::external)
                .map(Destination::authorization)
                .toList();
        if (external.stream().anyMatch(DmarcReports.Authorization::isRejected)) {
            return false;
        }
        return external.isEmpty() || external.contains(DmarcReports.Authorization.UNKNOWN) ? null : true;
    }
}
