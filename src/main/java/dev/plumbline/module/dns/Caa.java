package dev.plumbline.module.dns;

import static dev.plumbline.sheet.FindingCollector.reportIfAny;

import com.google.auto.service.AutoService;
import dev.plumbline.check.CheckContext;
import dev.plumbline.check.CheckModule;
import dev.plumbline.check.RegisteredModule;
import dev.plumbline.probe.dns.CaaLookup;
import dev.plumbline.probe.dns.DnsProbe;
import dev.plumbline.result.CheckError;
import dev.plumbline.sheet.FindingCollector;
import dev.plumbline.sheet.Options;
import dev.plumbline.target.Target;
import io.vertx.core.Future;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The CAA records that apply to a domain: those of the closest ancestor that has any (RFC 8659 section 3). */
@AutoService(RegisteredModule.class)
public final class Caa implements CheckModule<CaaLookup, Caa.Report, Caa.Findings> {
    public record Report(
            boolean found,
            List<Row> records,
            @Nullable String effectiveDomain,
            List<String> issuers,
            List<String> wildcardIssuers,
            List<String> iodef) {}

    /** A CAA record. */
    public record Row(boolean critical, String tag, String value) {}

    public interface Findings extends FindingCollector {
        void noCaa(String domain);

        void caaLookupFailed(String name, String error);

        void unknownCriticalTag(List<String> tags);

        void criticalExtension(List<String> tags);

        void malformedIssuer(String tag, String value);

        void unsatisfiableParameter(String parameter, String reason);

        void onlyWildcardsRestricted(List<String> issuers);

        void ineffectiveDenial(String tag, List<String> issuers);

        void invalidIodef(List<String> urls);

        void unknownTag(List<String> tags);

        void unknownValidationMethod(List<String> methods);

        void reservedFlags(List<String> flags);

        void issuanceForbidden(String domain);

        void wildcardsForbidden(String domain);

        void notRestricted();

        void inherited(String domain, String parent);

        void fromAlias(String name, String target);

        void smimeRestricted(List<String> issuers);

        void markCertificatesRestricted(List<String> issuers);
    }

    @Override
    public Future<CaaLookup> collect(Target target, CheckContext context) {
        String domain = target.text();
        Future<Void> admission = context.probe(DnsProbe.class).admitWithoutAddresses(context, domain);
        Future<CaaLookup> lookup = CaaLookup.of(context, domain);
        return admission.compose(admitted -> lookup);
    }

    @Override
    public @Nullable Report evaluate(CaaLookup evidence, Options options, Findings findings) {
        String failed = evidence.failed();
        CheckError error = evidence.error();
        if (failed != null && error != null) {
            findings.caaLookupFailed(failed, error.message());
            findings.error(error);
            return null;
        }
        String domain = evidence.domain();
        String effective = evidence.effective();
        if (effective == null) {
            findings.noCaa(domain);
            return new Report(false, List.of(), null, List.of(), List.of(), List.of());
        }
        List<CaaProperty> properties =
                evidence.records().stream().map(CaaProperty::of).toList();
        List<CaaProperty> issue = tagged(properties, "issue");
        List<CaaProperty> wild = tagged(properties, "issuewild");
        CaaSyntax.evaluate(properties, findings);
        evaluateIssuers(effective, issue, wild, findings);
        if (!effective.equals(domain)) {
            findings.inherited(domain, effective);
        }
        if (evidence.alias() != null) {
            findings.fromAlias(effective, evidence.alias());
        }
        reportIfAny(tagged(properties, "issuemail"), mail -> findings.smimeRestricted(orNone(issuers(mail))));
        reportIfAny(
                tagged(properties, "issuevmc"), marks -> findings.markCertificatesRestricted(orNone(issuers(marks))));
        return new Report(
                true,
                properties.stream()
                        .map(each -> new Row(each.critical(), each.tag(), each.value()))
                        .toList(),
                effective,
                issuers(issue),
                issuers(wild.isEmpty() ? issue : wild),
                tagged(properties, "iodef").stream().map(CaaProperty::value).toList());
    }

    private static void evaluateIssuers(
            String effective, List<CaaProperty> issue, List<CaaProperty> wild, Findings findings) {
        if (issue.isEmpty() && wild.isEmpty()) {
            findings.notRestricted();
        } else if (issue.isEmpty()) {
            findings.onlyWildcardsRestricted(orNone(issuers(wild)));
        } else if (issuers(issue).isEmpty()) {
            if (issue.stream().noneMatch(CaaProperty::malformed)) {
                findings.issuanceForbidden(effective);
            }
        } else if (!wild.isEmpty() && issuers(wild).isEmpty() && wild.stream().noneMatch(CaaProperty::malformed)) {
            findings.wildcardsForbidden(effective);
        }
        for (List<CaaProperty> each : List.of(issue, wild)) {
            boolean denial = each.stream()
                    .anyMatch(property -> property.issuer() != null
                            && property.issuer().domain().isEmpty());
            if (denial && !issuers(each).isEmpty()) {
                findings.ineffectiveDenial(each.get(0).tag(), issuers(each));
            }
        }
    }

    private static List<CaaProperty> tagged(List<CaaProperty> properties, String tag) {
        return properties.stream().filter(each -> each.tag().equals(tag)).toList();
    }

    /** The domains of the authorized CAs. */
    private static List<String> issuers(List<CaaProperty> properties) {
        return properties.stream()
                .flatMap(each -> Stream.ofNullable(each.issuer()))
                .map(CaaProperty.Issuer::domain)
                .filter(domain -> !domain.isEmpty())
                .distinct()
                .toList();
    }

    private static List<String> orNone(List<String> issuers) {
        return issuers.isEmpty() ? List.of("none") : issuers;
    }
}
