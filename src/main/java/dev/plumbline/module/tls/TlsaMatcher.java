package dev.plumbline.module.tls;

import com.google.common.hash.Hashing;
import dev.plumbline.tls.CertificateEvidence;
import java.security.MessageDigest;
import java.security.cert.CertificateEncodingException;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.xbill.DNS.TLSARecord;
import org.xbill.DNS.TLSARecord.MatchingType;

/** Compares TLSA records with the certificates of a server (RFC 6698 section 2.1, RFC 7671 section 5). */
final class TlsaMatcher {
    private static final int PKIX_TA = 0;
    private static final int PKIX_EE = 1;
    private static final int DANE_TA = 2;
    private static final int DANE_EE = 3;
    private static final int SPKI = 1;

    /** Why a record does not match, ordered from no similarity to a match. */
    enum Problem {
        /** Usage, selector or matching type is not defined, or the length of the data is wrong. */
        UNUSABLE,
        /** No certificate has this key or hash. */
        NO_MATCH,
        /** A certificate of the chain matches, but the certificate is not valid for the hostname. */
        HOSTNAME_MISMATCH,
        /** A certificate of the chain matches, but a certificate has expired or is not valid yet. */
        EXPIRED,
        /** A certificate matches, but the chain does not end at a public root, which usages 0 and 1 require. */
        NOT_TRUSTED,
        NONE
    }

    private record Form(X509Certificate certificate, int selector, int matchingType) {}

    private final CertificateEvidence evidence;
    private final Map<Form, byte[]> forms = new HashMap<>();

    TlsaMatcher(CertificateEvidence evidence) {
        this.evidence = evidence;
    }

    static boolean isUsable(TLSARecord record) {
        int length = record.getCertificateAssociationData().length;
        boolean complete =
                switch (record.getMatchingType()) {
                    case MatchingType.EXACT -> length > 0;
                    case MatchingType.SHA256 -> length == 32;
                    case MatchingType.SHA512 -> length == 64;
                    default -> false;
                };
        return complete && record.getCertificateUsage() <= DANE_EE && record.getSelector() <= SPKI;
    }

    Problem compare(TLSARecord record) {
        if (!isUsable(record)) {
            return Problem.UNUSABLE;
        }
        int usage = record.getCertificateUsage();
        List<X509Certificate> path = evidence.path().certificates();
        int depth =
                usage == PKIX_EE || usage == DANE_EE ? depth(record, path.subList(0, 1), 0) : depth(record, path, 1);
        if (depth < 0 || usage == DANE_TA && !evidence.sent().contains(path.get(depth))) {
            return Problem.NO_MATCH;
        }
        if (usage == DANE_EE) {
            return Problem.NONE;
        }
        if (!evidence.hostMatches()) {
            return Problem.HOSTNAME_MISMATCH;
        }
        // The trust anchor of usage 2 replaces the public roots; the validity of the issuers above it is irrelevant.
        boolean current = path.subList(0, usage == DANE_TA ? depth + 1 : path.size()).stream()
                .allMatch(certificate -> isValid(certificate, evidence.at()));
        if (!current) {
            return Problem.EXPIRED;
        }
        return usage == DANE_TA || evidence.path().trusted() ? Problem.NONE : Problem.NOT_TRUSTED;
    }

    /** The position of the first certificate that matches; -1 if there is none. */
    private int depth(TLSARecord record, List<X509Certificate> path, int from) {
        for (int i = from; i < path.size(); i++) {
            Form form = new Form(path.get(i), record.getSelector(), record.getMatchingType());
            byte[] data = forms.computeIfAbsent(form, TlsaMatcher::data);
            if (MessageDigest.isEqual(data, record.getCertificateAssociationData())) {
                return i;
            }
        }
        return -1;
    }

    private static byte[] data(Form form) {
        try {
            byte[] selected = form.selector() == SPKI
                    ? form.certificate().getPublicKey().getEncoded()
                    : form.certificate().getEncoded();
            return switch (form.matchingType()) {
                case MatchingType.SHA256 -> Hashing.sha256().hashBytes(selected).asBytes();
                case MatchingType.SHA512 -> Hashing.sha512().hashBytes(selected).asBytes();
                default -> selected;
            };
        } catch (CertificateEncodingException unavailable) {
            throw new IllegalStateException(unavailable);
        }
    }

    private static boolean isValid(X509Certificate certificate, Instant at) {
        return !at.isBefore(certificate.getNotBefore().toInstant())
                && !at.isAfter(certificate.getNotAfter().toInstant());
    }

    /** The problem that is closest to a match; null without records. */
    static @Nullable Problem closest(List<Problem> problems) {
        return problems.stream()
                .filter(problem -> problem != Problem.UNUSABLE)
                .max(Comparator.naturalOrder())
                .orElse(null);
    }

    /** Whether the usage requires a public root. SMTP clients do not use such records (RFC 7672 section 3.1.3). */
    static boolean requiresPublicRoot(int usage) {
        return usage == PKIX_TA || usage == PKIX_EE;
    }
}
