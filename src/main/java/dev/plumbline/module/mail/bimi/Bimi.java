package dev.plumbline.module.mail.bimi;

import static dev.plumbline.sheet.FindingCollector.reportIfAny;

import com.google.auto.service.AutoService;
import dev.plumbline.check.CheckContext;
import dev.plumbline.check.CheckModule;
import dev.plumbline.check.RegisteredModule;
import dev.plumbline.dns.DnsResponse;
import dev.plumbline.module.mail.dmarc.DmarcRecord;
import dev.plumbline.module.mail.dmarc.DmarcRecord.Policy;
import dev.plumbline.module.mail.dmarc.DmarcTree;
import dev.plumbline.probe.dns.DnsProbe;
import dev.plumbline.result.QuantityText;
import dev.plumbline.sheet.FindingCollector;
import dev.plumbline.sheet.Options;
import dev.plumbline.target.Target;
import io.vertx.core.Future;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.xbill.DNS.Type;

/** The brand logo that a domain publishes for mail clients (draft-brand-indicators-for-message-identification). */
@AutoService(RegisteredModule.class)
public final class Bimi implements CheckModule<Bimi.Evidence, Bimi.Report, Bimi.Findings> {
    private static final String MARKER = "._bimi.";
    private static final int MAX_ERROR_FINDINGS = 5;
    private static final Duration EXPIRES_SOON = Duration.ofDays(30);
    private static final Pattern SVG_TYPE = Pattern.compile("(?i)image/svg\\+xml[ \\t]*+(;.*)?");
    private static final Pattern PREFIXED = Pattern.compile("(.{1,100}?)\\._bimi\\.(.+)");

    public record Report(
            @Nullable String record,
            @Nullable String logoUrl,
            @Nullable String certificateUrl,
            boolean valid,
            boolean dmarcEnforced,
            List<String> errors) {}

    public interface Findings extends FindingCollector {
        void bimiMissing(String selector, String domain);

        void severalRecords(int count, String selector, String publisher);

        void lookalike(String text);

        void inherited(String publisher, String selector, String domain);

        void declined();

        void recordInvalid(String error);

        void unknownTag(List<String> tags);

        void dmarcNotEnforced(String reason, String publisher);

        void logoUnavailable(Target.Url url, String reason);

        void logoRedirected(Target.Url location);

        void logoContentType(String type);

        void logoInvalid(List<String> errors);

        void logoLarge(int bytes);

        void logoNotSquare(String box);

        void noMarkCertificate();

        void markCertificateUnavailable(Target.Url url, String reason);

        void markCertificateInvalid(String reason);

        void markCertificateExpired(Instant expires);

        void markCertificateExpiresSoon(String timeLeft, String threshold);

        void markCertificateNameMismatch(String domain, List<String> names);

        void markCertificateLogoMismatch(Target.Url url);

        void markCertificateChainIncomplete();

        void markCertificateTrustNotEvaluated(String issuer);
    }

    /**
     * The DMARC policy that applies to a domain.
     *
     * @param publisher the domain that publishes the record, or should publish one
     * @param record null if no record applies
     */
    record DmarcState(String publisher, @Nullable String record) {
        /**
         * Why receivers do not show logos (Authentication Requirements of the draft); null if the policy is enforced.
         */
        @Nullable
        String weakness() {
            if (record == null) {
                return "no DMARC record applies";
            }
            DmarcRecord dmarc = new DmarcRecord(record);
            if (dmarc.policy == null || dmarc.policy == Policy.NONE) {
                return "p=none";
            }
            if (dmarc.subdomainPolicy == Policy.NONE) {
                return "sp=none";
            }
            if (dmarc.policy == Policy.QUARANTINE && dmarc.pct < 100) {
                return "pct=" + dmarc.pct;
            }
            return dmarc.testing ? "t=y" : null;
        }
    }

    /**
     * @param publisher the domain whose {@code _bimi} name has the records: the domain or its organizational domain
     * @param lookalike a text that resembles a BIMI record but is not one, null if there is none
     * @param logo null if it was not requested
     * @param certificate null if it was not requested
     * @param now the time of the check
     */
    public record Evidence(
            String selector,
            String domain,
            String publisher,
            List<String> records,
            @Nullable String lookalike,
            DmarcState dmarc,
            @Nullable BimiFile<SvgLogo> logo,
            @Nullable BimiFile<MarkCertificate> certificate,
            Instant now) {
        private Evidence with(@Nullable BimiFile<SvgLogo> file, @Nullable BimiFile<MarkCertificate> mark) {
            return new Evidence(selector, domain, publisher, records, lookalike, dmarc, file, mark, now);
        }
    }

    @Override
    public Future<Evidence> collect(Target target, CheckContext context) {
        Matcher prefixed = PREFIXED.matcher(target.text());
        boolean named = prefixed.matches();
        String domain = named ? prefixed.group(2) : target.text();
        String selector =
                named ? prefixed.group(1) : context.options().text("selector").toLowerCase(Locale.ROOT);
        DnsProbe dns = context.probe(DnsProbe.class);
        return dns.admit(context, domain)
                .compose(admitted -> dns.query(context, domain, Type.A))
                .compose(DnsProbe::requireName)
                .compose(exists -> DmarcTree.walk(context, domain, List.of()))
                .compose(tree -> records(context, selector, domain, tree))
                .compose(evidence -> files(context, evidence));
    }

    private static Future<Evidence> records(CheckContext context, String selector, String domain, DmarcTree tree) {
        DmarcTree.Level level = tree.policy();
        String found = tree.organizationalDomain();
        String organizational = found == null || tree.policy() == null ? DmarcTree.listed(domain) : found;
        DmarcState dmarc = level == null
                ? new DmarcState(organizational, null)
                : new DmarcState(level.name(), level.records().get(0));
        Instant now = context.clock().instant();
        return texts(context, selector, domain).compose(own -> {
            Evidence evidence = evidence(selector, domain, domain, own, dmarc, now);
            if (!evidence.records().isEmpty() || organizational.equals(domain)) {
                return Future.succeededFuture(evidence);
            }
            return context.probe(DnsProbe.class)
                    .admit(context, organizational)
                    .compose(admitted -> texts(context, selector, organizational))
                    .map(texts -> evidence(selector, domain, organizational, texts, dmarc, now));
        });
    }

    private static Future<List<String>> texts(CheckContext context, String selector, String domain) {
        return context.probe(DnsProbe.class)
                .query(context, selector + MARKER + domain, Type.TXT)
                .map(DnsResponse::texts);
    }

    private static Evidence evidence(
            String selector, String domain, String publisher, List<String> texts, DmarcState dmarc, Instant now) {
        return new Evidence(
                selector,
                domain,
                publisher,
                BimiRecord.VERSION.records(texts),
                BimiRecord.VERSION.lookalike(texts),
                dmarc,
                null,
                null,
                now);
    }

    private static Future<Evidence> files(CheckContext context, Evidence evidence) {
        if (evidence.records().size() != 1) {
            return Future.succeededFuture(evidence);
        }
        BimiRecord record = BimiRecord.parse(evidence.records().get(0));
        Target.Url logo = record.logo();
        Target.Url certificate = record.certificate();
        Future<@Nullable BimiFile<SvgLogo>> logoFile =
                logo == null ? Future.succeededFuture() : BimiFile.logo(context.patiently(), logo);
        Future<@Nullable BimiFile<MarkCertificate>> certificateFile = certificate == null
                ? Future.succeededFuture()
                : BimiFile.certificate(context.patiently(), certificate, evidence.now());
        return Future.join(logoFile, certificateFile)
                .map(done -> evidence.with(logoFile.result(), certificateFile.result()));
    }

    @Override
    public Report evaluate(Evidence evidence, Options options, Findings findings) {
        String weakness = evidence.dmarc().weakness();
        List<String> errors = new ArrayList<>();
        int count = evidence.records().size();
        if (evidence.lookalike() != null) {
            findings.lookalike(evidence.lookalike());
        }
        if (count != 1) {
            if (count == 0) {
                findings.bimiMissing(evidence.selector(), evidence.domain());
            } else {
                errors.add(count + " BIMI records are published.");
                findings.severalRecords(count, evidence.selector(), evidence.publisher());
            }
            return new Report(null, null, null, false, weakness == null, errors);
        }
        String text = evidence.records().get(0);
        BimiRecord record = BimiRecord.parse(text);
        if (!evidence.publisher().equals(evidence.domain())) {
            findings.inherited(evidence.publisher(), evidence.selector(), evidence.domain());
        }
        record.errors().stream().limit(MAX_ERROR_FINDINGS).forEach(findings::recordInvalid);
        errors.addAll(record.errors());
        reportIfAny(record.unknownTags(), findings::unknownTag);
        if (record.declined()) {
            findings.declined();
        } else {
            if (weakness != null) {
                findings.dmarcNotEnforced(weakness, evidence.dmarc().publisher());
            }
            evaluateLogo(evidence.logo(), errors, findings);
            evaluateCertificate(evidence, errors, findings);
        }
        boolean complete = evidence.logo() != null
                && evidence.logo().content() != null
                && (evidence.certificate() == null || evidence.certificate().content() != null);
        return new Report(
                text,
                record.logo() == null ? null : record.logo().text(),
                record.certificate() == null ? null : record.certificate().text(),
                complete && errors.isEmpty(),
                weakness == null,
                errors);
    }

    private static void evaluateLogo(@Nullable BimiFile<SvgLogo> file, List<String> errors, Findings findings) {
        if (file == null) {
            return;
        }
        findings.error(file.error());
        if (file.fault() != null) {
            errors.add("The logo is not available: " + file.fault());
            findings.logoUnavailable(file.url(), file.fault());
        }
        SvgLogo logo = file.content();
        if (logo == null) {
            return;
        }
        if (file.redirected()) {
            findings.logoRedirected(file.location());
        }
        errors.addAll(logo.errors());
        reportIfAny(logo.errors(), findings::logoInvalid);
        String type = Objects.requireNonNullElse(file.contentType(), "not set");
        if (!SVG_TYPE.matcher(type).matches()) {
            findings.logoContentType(type);
        }
        if (file.bytes() > SvgLogo.RECOMMENDED_BYTES) {
            findings.logoLarge(file.bytes());
        }
        if (!logo.square() && logo.errors().isEmpty()) {
            findings.logoNotSquare(Objects.requireNonNullElse(logo.viewBox(), "not set"));
        }
    }

    private static void evaluateCertificate(Evidence evidence, List<String> errors, Findings findings) {
        BimiFile<MarkCertificate> file = evidence.certificate();
        if (file == null) {
            if (evidence.logo() != null && evidence.logo().content() != null) {
                findings.noMarkCertificate();
            }
            return;
        }
        findings.error(file.error());
        if (file.fault() != null) {
            errors.add("The mark certificate is not available: " + file.fault());
            findings.markCertificateUnavailable(file.url(), file.fault());
        }
        MarkCertificate certificate = file.content();
        if (certificate == null) {
            return;
        }
        String fault = fault(certificate, evidence.now());
        if (fault != null) {
            errors.add(fault);
            findings.markCertificateInvalid(fault);
        }
        Instant expires = certificate.notAfter();
        if (expires.isBefore(evidence.now())) {
            errors.add("The mark certificate has expired.");
            findings.markCertificateExpired(expires);
        } else if (expires.isBefore(evidence.now().plus(EXPIRES_SOON))) {
            findings.markCertificateExpiresSoon(
                    QuantityText.days(Duration.between(evidence.now(), expires).toDays()),
                    QuantityText.days(EXPIRES_SOON.toDays()));
        }
        if (!certificate.matches(evidence.publisher(), evidence.selector())) {
            errors.add("The mark certificate is not for " + evidence.publisher() + ".");
            findings.markCertificateNameMismatch(evidence.publisher(), certificate.names());
        }
        BimiFile<SvgLogo> logo = evidence.logo();
        if (logo != null
                && logo.digest() != null
                && certificate.logoDigest() != null
                && !certificate.logoDigest().equals(logo.digest())) {
            errors.add("The logo differs from the logo in the mark certificate.");
            findings.markCertificateLogoMismatch(logo.url());
        }
        if (!certificate.chained()) {
            findings.markCertificateChainIncomplete();
        }
        findings.markCertificateTrustNotEvaluated(certificate.issuer());
    }

    private static @Nullable String fault(MarkCertificate certificate, Instant now) {
        if (!certificate.purpose()) {
            return "The certificate is not a mark certificate: its extended key usage does not contain 1.3.6.1.5.5.7.3.31.";
        }
        if (!certificate.logotype()) {
            return "The mark certificate does not contain a logo (logotype extension).";
        }
        return certificate.notBefore().isAfter(now) ? "The mark certificate is not yet valid." : null;
    }
}
