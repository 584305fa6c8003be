package dev.plumbline.tls;

import dev.plumbline.check.Finding;
import dev.plumbline.check.FindingCode;
import dev.plumbline.check.Level;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** What can be found about a certificate; shared by every module that looks at one. */
public final class CertificateFindings {
    private static final Map<CertificateProblem, FindingCode> PROBLEMS = Map.of(
            CertificateProblem.EXPIRED,
            new FindingCode(
                    "expired",
                    Level.FAIL,
                    "not_after",
                    "The certificate, or one that it depends on, has expired, so visitors see a warning.",
                    "Install a renewed certificate with its chain, and automate the renewal.",
                    "RFC 5280, section 4.1.2.5"),
            CertificateProblem.NOT_YET_VALID,
            new FindingCode(
                    "not_yet_valid",
                    Level.FAIL,
                    "not_before",
                    "The certificate, or one that it depends on, is not valid yet.",
                    "Install a certificate that is already valid, and check the clock of the machine "
                            + "that requested it.",
                    "RFC 5280, section 4.1.2.5"),
            CertificateProblem.HOSTNAME_MISMATCH,
            new FindingCode(
                    "hostname_mismatch",
                    Level.FAIL,
                    "hostname_match",
                    "The certificate was issued for other names than the one that was asked for.",
                    "Get a certificate whose subject alternative names hold this name, or configure the "
                            + "server to show the right certificate for it.",
                    "RFC 9525, section 6"),
            CertificateProblem.SELF_SIGNED,
            new FindingCode(
                    "self_signed",
                    Level.FAIL,
                    "self_signed",
                    "The certificate is signed by its own key, so nobody vouches for it.",
                    "Get a certificate from an authority that browsers know.",
                    "RFC 5280, section 6.1"),
            CertificateProblem.INCOMPLETE_CHAIN,
            new FindingCode(
                    "incomplete_chain",
                    Level.FAIL,
                    "chain_complete",
                    "The server does not send the intermediate certificates that lead to a known root.",
                    "Configure the server with the full chain that the issuer provides.",
                    "RFC 8446, section 4.4.2"),
            CertificateProblem.UNTRUSTED_ROOT,
            new FindingCode(
                    "untrusted_root",
                    Level.FAIL,
                    "trusted",
                    "The chain does not lead to a known root by the rules for certificates.",
                    "Get a certificate from an authority that browsers know; for a private authority, "
                            + "add its root where it is to be trusted.",
                    "RFC 5280, section 6.1"),
            CertificateProblem.WEAK_SIGNATURE,
            new FindingCode(
                    "weak_signature",
                    Level.FAIL,
                    "signature_algorithm",
                    "A certificate is signed with MD5 or SHA-1, which can be forged.",
                    "Get a certificate that is signed with SHA-256 or better.",
                    "RFC 9155"),
            CertificateProblem.WEAK_KEY,
            new FindingCode(
                    "weak_key",
                    Level.FAIL,
                    "key_bits",
                    "A certificate's key is too small to be safe.",
                    "Use an RSA key of at least 2048 bits or an elliptic-curve key of at least 256.",
                    "RFC 9325, section 4.5"),
            CertificateProblem.REVOKED,
            new FindingCode(
                    "revoked",
                    Level.FAIL,
                    "revoked",
                    "The issuer has revoked the certificate.",
                    "Replace the certificate, and its key if that may be known to others.",
                    "RFC 5280, section 5"));

    private static final FindingCode EXPIRING_SOON = new FindingCode(
            "expiring_soon",
            Level.WARN,
            "days_remaining",
            "The certificate expires soon.",
            "Renew it now, and automate the renewal.",
            "RFC 5280, section 4.1.2.5");
    private static final FindingCode CHAIN_EXPIRING_SOON = new FindingCode(
            "chain_expiring_soon",
            Level.WARN,
            "chain_earliest_not_after",
            "A certificate of the issuer expires soon, before the server's own does.",
            "Install the issuer's current intermediate certificate.",
            "RFC 5280, section 6.1");
    private static final FindingCode OUT_OF_ORDER = new FindingCode(
            "chain_out_of_order",
            Level.WARN,
            "chain_order_ok",
            "The certificates are not sent in the order in which each certifies the one before.",
            "Put the server's own certificate first, then each issuer after what it has issued.",
            "RFC 5246, section 7.4.2");
    private static final FindingCode EXTRA = new FindingCode(
            "extra_certificates",
            Level.INFO,
            "chain",
            "The server sends certificates that nobody needs, or some of them twice.",
            "Remove them: they make every handshake larger.",
            "RFC 8446, section 4.4.2");
    private static final FindingCode TOO_MANY = new FindingCode(
            "too_many_certificates",
            Level.WARN,
            "chain",
            "The server sends so many certificates that only the first ones were looked at.",
            "Send the server's own certificate and its intermediates only.",
            "RFC 8446, section 4.4.2");
    private static final FindingCode EXHAUSTED = new FindingCode(
            "chain_too_complex",
            Level.WARN,
            "chain",
            "The certificates can be put together in so many ways that not all were tried.",
            "Send the server's own certificate and its intermediates only.",
            "RFC 4158");
    private static final FindingCode OLD_TLS = new FindingCode(
            "legacy_tls_version",
            Level.WARN,
            "tls_version",
            "The best that the server speaks is TLS 1.0 or 1.1, which browsers refuse.",
            "Enable TLS 1.2 and 1.3 on the server.",
            "RFC 8996");
    private static final FindingCode WEAK_CIPHER = new FindingCode(
            "weak_cipher",
            Level.WARN,
            "cipher",
            "The server chose a cipher that is broken.",
            "Enable AES-GCM and ChaCha20-Poly1305 cipher suites, and disable RC4, DES and 3DES.",
            "RFC 9325, section 4.2");
    private static final FindingCode NOT_STAPLED = new FindingCode(
            "not_stapled",
            Level.INFO,
            "ocsp_stapled",
            "The server does not send along a proof that the certificate is not revoked.",
            "Switch on OCSP stapling, so that visitors need not ask the issuer.",
            "RFC 6066, section 8");
    private static final FindingCode STAPLE_REQUIRED = new FindingCode(
            "must_staple_missing",
            Level.WARN,
            "must_staple",
            "The certificate demands a stapled proof of its status, but no usable one is sent.",
            "Switch on OCSP stapling; some browsers refuse the connection without it.",
            "RFC 7633, section 4");
    private static final FindingCode BAD_STAPLE = new FindingCode(
            "staple_unusable",
            Level.WARN,
            "ocsp_stapled",
            "The proof of status that the server sends along is of no use.",
            "Check that the server can reach the issuer's OCSP responder and its clock is right.",
            "RFC 6960, section 3.2");
    private static final FindingCode UNDETERMINED = new FindingCode(
            "revocation_unknown",
            Level.INFO,
            "revoked",
            "It could not be found out whether the certificate is revoked.",
            "Try again later, or ask the issuer.",
            "RFC 6960");
    private static final FindingCode NO_TIMESTAMPS = new FindingCode(
            "no_scts",
            Level.INFO,
            "sct_count",
            "The certificate carries no proof that it was logged publicly, which browsers ask for.",
            "Get a certificate with embedded timestamps, or send them in the handshake.",
            "RFC 6962, section 3.3");
    private static final FindingCode CLIENT_CERTIFICATE = new FindingCode(
            "client_certificate_requested",
            Level.INFO,
            null,
            "The server asks visitors for a certificate of their own.",
            "Nothing, if that is intended.",
            "RFC 8446, section 4.3.2");

    private static final List<String> BROKEN_CIPHERS =
            List.of("_RC4_", "_3DES_", "_DES_", "_DES40_", "_NULL_", "_EXPORT_", "_anon_");

    private CertificateFindings() {}

    /** Every code there is, the problems first. */
    public static FindingCode[] codes() {
        List<FindingCode> all = new ArrayList<>();
        for (CertificateProblem problem : CertificateProblem.values()) {
            all.add(code(problem));
        }
        all.addAll(List.of(
                EXPIRING_SOON,
                CHAIN_EXPIRING_SOON,
                OUT_OF_ORDER,
                EXTRA,
                TOO_MANY,
                EXHAUSTED,
                OLD_TLS,
                WEAK_CIPHER,
                NOT_STAPLED,
                STAPLE_REQUIRED,
                BAD_STAPLE,
                UNDETERMINED,
                NO_TIMESTAMPS,
                CLIENT_CERTIFICATE));
        return all.toArray(new FindingCode[0]);
    }

    static FindingCode code(CertificateProblem problem) {
        FindingCode code = PROBLEMS.get(problem);
        if (code == null) {
            throw new IllegalStateException("no finding for " + problem);
        }
        return code;
    }

    /**
     * @param warnDays how many days before its end an expiry is worth a warning
     */
    static List<Finding> of(CertificateEvidence seen, Set<CertificateProblem> problems, long warnDays) {
        List<Finding> findings = new ArrayList<>();
        for (CertificateProblem problem : problems) {
            findings.add(code(problem).found(problem.sentence(seen.path(), seen.host(), seen.at())));
        }
        expiry(seen, problems, warnDays, findings);
        chain(seen, findings);
        connection(seen, findings);
        revocation(seen, findings);
        return findings;
    }

    private static void expiry(
            CertificateEvidence seen, Set<CertificateProblem> problems, long warnDays, List<Finding> findings) {
        if (problems.contains(CertificateProblem.EXPIRED)) {
            return;
        }
        long left = seen.daysRemaining();
        if (left < warnDays) {
            findings.add(EXPIRING_SOON.found("The certificate expires in " + days(left) + "."));
            return;
        }
        Instant earliest = seen.path().earliestNotAfter();
        long chainLeft = Duration.between(seen.at(), earliest).toDays();
        if (chainLeft < warnDays) {
            findings.add(CHAIN_EXPIRING_SOON.found("A certificate of the issuer expires in " + days(chainLeft) + "."));
        }
    }

    private static String days(long count) {
        return count < 1 ? "less than a day" : count == 1 ? "1 day" : count + " days";
    }

    private static void chain(CertificateEvidence seen, List<Finding> findings) {
        CertificatePath path = seen.path();
        if (!path.ordered()) {
            findings.add(OUT_OF_ORDER.found());
        }
        if (seen.sentCount() > seen.sent().size()) {
            findings.add(TOO_MANY.found("The server sends "
                    + seen.sentCount()
                    + " certificates; only the first "
                    + seen.sent().size()
                    + " were looked at."));
        } else if (path.unused() + path.repeated() > 0) {
            findings.add(EXTRA.found("Of the "
                    + seen.sentCount()
                    + " certificates that the server sends, "
                    + path.unused()
                    + " are not needed and "
                    + path.repeated()
                    + " are repeated."));
        }
        if (path.exhausted()) {
            findings.add(EXHAUSTED.found());
        }
        if (path.end() == CertificatePath.End.PUBLIC_ROOT && CertificateReport.timestamps(seen) == 0) {
            findings.add(NO_TIMESTAMPS.found());
        }
    }

    private static void connection(CertificateEvidence seen, List<Finding> findings) {
        String version = seen.version();
        if (version != null && (version.equals("TLSv1") || version.equals("TLSv1.1"))) {
            findings.add(OLD_TLS.found());
        }
        String cipher = seen.cipher();
        if (cipher != null && BROKEN_CIPHERS.stream().anyMatch(cipher::contains)) {
            findings.add(WEAK_CIPHER.found("The server chose the broken cipher " + cipher + "."));
        }
        if (seen.clientCertificateRequested()) {
            findings.add(CLIENT_CERTIFICATE.found());
        }
    }

    private static void revocation(CertificateEvidence seen, List<Finding> findings) {
        RevocationStatement stapled = seen.stapled();
        RevocationStatement asked = seen.queried();
        boolean finished = seen.failure() == null;
        if (stapled != null && !stapled.determined()) {
            findings.add(BAD_STAPLE.found(stapled.detail() + "."));
        }
        if (finished && CertificateExtensions.mustStaple(seen.leaf()) && (stapled == null || !stapled.determined())) {
            findings.add(STAPLE_REQUIRED.found());
        } else if (finished
                && stapled == null
                && !CertificateExtensions.ocspResponders(seen.leaf()).isEmpty()) {
            findings.add(NOT_STAPLED.found());
        }
        if (asked != null && seen.revoked() == null) {
            findings.add(UNDETERMINED.found(
                    "It could not be found out whether the certificate is revoked: " + asked.detail() + "."));
        }
    }
}
