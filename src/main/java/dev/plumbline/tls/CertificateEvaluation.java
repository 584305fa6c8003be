package dev.plumbline.tls;

import static java.util.Comparator.comparing;
import static java.util.Comparator.reverseOrder;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Evaluates a certificate for every module that reports on one. */
public final class CertificateEvaluation {
    private CertificateEvaluation() {}

    /** @param warnDays warn of an expiry within this number of days; null: derived from the lifetime; 0: never */
    public static CertificateReport evaluate(
            CertificateEvidence evidence, @Nullable Long warnDays, CertificateFindings findings) {
        Set<CertificateProblem> problems = problems(evidence);
        problems.forEach(problem -> report(problem, evidence, findings));
        if (!problems.contains(CertificateProblem.EXPIRED)) {
            evaluateExpiry(evidence, warnDays, findings);
        }
        evaluateChain(evidence, findings);
        evaluateConnection(evidence, findings);
        evaluateRevocation(evidence, findings);
        findings.error(evidence.failure());
        return CertificateReport.of(evidence, problems, warnDays);
    }

    /** All problems of a certificate, in order of precedence. */
    public static Set<CertificateProblem> problems(CertificateEvidence evidence) {
        Set<CertificateProblem> problems = CertificateProblem.of(
                evidence.path(), evidence.hostMatches(), Boolean.TRUE.equals(evidence.revoked()), evidence.at());
        if (evidence.rejected()) {
            problems.add(CertificateProblem.HANDSHAKE_FAILED);
        }
        return problems;
    }

    private static void report(CertificateProblem problem, CertificateEvidence evidence, CertificateFindings findings) {
        CertificatePath path = evidence.path();
        X509Certificate certificate = problem.affected(path, evidence.at());
        String subject = DistinguishedNames.display(certificate);
        switch (problem) {
            case NONE -> {}
            case EXPIRED -> findings.expired(subject, certificate.getNotAfter().toInstant());
            case NOT_YET_VALID ->
                findings.notYetValid(subject, certificate.getNotBefore().toInstant());
            case HOSTNAME_MISMATCH -> {
                List<String> names = evidence.names().listed();
                findings.hostnameMismatch(evidence.host(), names.isEmpty() ? List.of("none") : names);
            }
            case SELF_SIGNED -> findings.selfSigned();
            case INCOMPLETE_CHAIN -> findings.incompleteChain(path.missingIssuer());
            case UNTRUSTED_ROOT -> findings.untrustedRoot(path.untrustedReason());
            case WEAK_SIGNATURE -> findings.weakSignature(subject, SignatureAlgorithms.name(certificate));
            case WEAK_KEY ->
                findings.weakKey(
                        subject,
                        PublicKeys.bits(certificate.getPublicKey()),
                        PublicKeys.type(certificate.getPublicKey()));
            case REVOKED -> findings.revoked();
            case HANDSHAKE_FAILED ->
                findings.handshakeFailed(
                        evidence.failure() == null ? "" : evidence.failure().message());
        }
    }

    /** Reports the expiry of an issuer only if it is more urgent than that of the server certificate. */
    private static void evaluateExpiry(
            CertificateEvidence evidence, @Nullable Long warnDays, CertificateFindings findings) {
        Instant at = evidence.at();
        X509Certificate leaf = evidence.path().leaf();
        CertificateExpiry expiry = CertificateExpiry.of(leaf, at, warnDays);
        switch (expiry) {
            case LATER -> {}
            case SOON -> findings.expiringSoon(timeLeft(at, leaf), text(expiry.threshold(leaf, warnDays)));
            case IMMINENT -> findings.expiryImminent(timeLeft(at, leaf), text(expiry.threshold(leaf, warnDays)));
        }
        evidence.path().validityChecked().stream()
                .filter(issuer -> CertificateExpiry.of(issuer, at, warnDays).compareTo(expiry) > 0)
                .max(comparing((X509Certificate issuer) -> CertificateExpiry.of(issuer, at, warnDays))
                        .thenComparing(X509Certificate::getNotAfter, reverseOrder()))
                .ifPresent(issuer -> {
                    CertificateExpiry ofIssuer = CertificateExpiry.of(issuer, at, warnDays);
                    String threshold = text(ofIssuer.threshold(issuer, warnDays));
                    if (ofIssuer == CertificateExpiry.IMMINENT) {
                        findings.chainExpiryImminent(timeLeft(at, issuer), threshold);
                    } else {
                        findings.chainExpiringSoon(timeLeft(at, issuer), threshold);
                    }
                });
    }

    private static String timeLeft(Instant at, X509Certificate certificate) {
        Duration left = Duration.between(at, certificate.getNotAfter().toInstant());
        return left.toHours() < 1
                ? "less than 1 hour"
                : left.toDays() < 1 ? count(left.toHours(), "hour") : count(left.toDays(), "day");
    }

    /** A threshold, for example {@code 14.4 hours} or {@code 30 days}. */
    private static String text(Duration threshold) {
        double hours = threshold.toSeconds() / 3600.0;
        return hours < 48 ? decimal(hours) + " hours" : decimal(hours / 24) + " days";
    }

    /** Rounded up to one decimal, so that it is more than a lower value that is rounded down. */
    private static String decimal(double value) {
        return BigDecimal.valueOf(value)
                .setScale(1, RoundingMode.CEILING)
                .stripTrailingZeros()
                .toPlainString();
    }

    private static String count(long count, String unit) {
        return count == 1 ? "1 " + unit : count + " " + unit + "s";
    }

    private static void evaluateChain(CertificateEvidence evidence, CertificateFindings findings) {
        CertificatePath path = evidence.path();
        int checked = evidence.sent().size();
        if (!path.ordered()) {
            findings.chainOutOfOrder();
        }
        if (evidence.sentCount() > checked) {
            findings.tooManyCertificates(evidence.sentCount(), checked);
        } else if (path.unused() + path.repeated() > 0) {
            findings.extraCertificates(evidence.sentCount(), path.unused(), path.repeated());
        }
        if (path.exhausted()) {
            findings.chainTooComplex();
        }
        if (path.end() == CertificatePath.End.PUBLIC_ROOT && evidence.timestamps() == 0) {
            findings.noScts();
        }
    }

    private static void evaluateConnection(CertificateEvidence evidence, CertificateFindings findings) {
        String version = evidence.version();
        String cipher = evidence.cipher();
        if (version != null && (version.equals("TLSv1") || version.equals("TLSv1.1"))) {
            findings.legacyTlsVersion(version);
        }
        if (cipher != null && CipherSuite.isWeak(cipher)) {
            findings.weakCipher(cipher);
        }
        if (KeyExchangeGroup.postQuantum(evidence.group())) {
            findings.postQuantumKeyExchange(KeyExchangeGroup.name(evidence.group()));
        } else if (evidence.group() >= 0) {
            findings.classicalKeyExchange(KeyExchangeGroup.name(evidence.group()));
        }
        if (evidence.clientCertificateRequested()) {
            findings.clientCertificateRequested();
        }
    }

    private static void evaluateRevocation(CertificateEvidence evidence, CertificateFindings findings) {
        RevocationStatement stapled = evidence.stapled();
        RevocationStatement queried = evidence.queried();
        boolean completed = evidence.failure() == null;
        boolean usable = stapled != null && stapled.determined();
        if (stapled != null && !usable) {
            findings.stapleUnusable(stapled.detail());
        }
        if (completed && !usable && CertificateExtensions.mustStaple(evidence.leaf())) {
            findings.mustStapleMissing();
        } else if (completed
                && stapled == null
                && !CertificateExtensions.ocspResponders(evidence.leaf()).isEmpty()) {
            findings.notStapled();
        }
        if (queried != null && evidence.revoked() == null) {
            findings.revocationUnknown(queried.detail());
        }
    }
}
