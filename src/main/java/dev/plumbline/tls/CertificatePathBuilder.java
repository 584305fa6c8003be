package dev.plumbline.tls;

import dev.plumbline.tls.CertificatePath.End;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.IdentityHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Builds the best path from a server certificate to a trusted root with the certificates that the server sent, in any
 * order (RFC 4158). The number of steps and of verified signatures is bounded.
 */
public final class CertificatePathBuilder {
    /** The length of the longest path, including the trust anchor. */
    static final int MAX_CERTIFICATES = 10;

    private static final int MAX_SIGNATURES = 64;

    /** Higher, because operators and not servers control the number of roots with the same name. */
    private static final int MAX_ROOT_SIGNATURES = 256;

    private static final int MAX_STEPS = 256;

    private final TrustRoots roots;
    private final Instant at;
    private final List<X509Certificate> sent;
    private final List<X509Certificate> distinct;
    private final SignatureVerifier signatures = new SignatureVerifier(MAX_SIGNATURES);
    private final SignatureVerifier rootSignatures = new SignatureVerifier(MAX_ROOT_SIGNATURES);
    private final boolean leafSelfSigned;
    private final long leafProblems;
    private final IdentityHashMap<X509Certificate, List<TrustRoots.Root>> possibleRoots = new IdentityHashMap<>();
    private final IdentityHashMap<X509Certificate, List<X509Certificate>> possibleIssuers = new IdentityHashMap<>();
    private int steps = MAX_STEPS;
    private @Nullable CertificatePath best;
    private long bestRank = Long.MAX_VALUE;

    private CertificatePathBuilder(List<X509Certificate> sent, TrustRoots roots, Instant at) {
        this.roots = roots;
        this.at = at;
        this.sent = sent;
        this.distinct = List.copyOf(new LinkedHashSet<>(sent));
        this.leafSelfSigned = signatures.isSelfSigned(distinct.get(0));
        this.leafProblems = CertificateProblem.count(distinct.get(0), at);
    }

    /**
     * @param sent in the order in which the server sent them, the leaf first; not empty
     * @param at paths that are valid at this time are preferred
     */
    public static CertificatePath build(List<X509Certificate> sent, TrustRoots roots, Instant at) {
        return new CertificatePathBuilder(sent, roots, at).search();
    }

    private CertificatePath search() {
        List<X509Certificate> path = new ArrayList<>();
        path.add(distinct.get(0));
        extend(path);
        CertificatePath result = best;
        return result == null
                ? path(path, End.NO_ISSUER, "")
                : path(result.certificates(), result.end(), result.fault());
    }

    private void extend(List<X509Certificate> path) {
        if (steps-- <= 0 || bestRank <= leafProblems) {
            return;
        }
        X509Certificate last = path.get(path.size() - 1);
        TrustRoots.Root self = roots.find(last);
        if (self != null) {
            consider(path, self.addedByOperator() ? End.OPERATOR_ROOT : End.PUBLIC_ROOT);
            return;
        }
        boolean extended = false;
        for (TrustRoots.Root root : possibleRoots.computeIfAbsent(last, this::findRoots)) {
            if (rootSignatures.isSignedBy(last, root.certificate())) {
                path.add(root.certificate());
                consider(path, root.addedByOperator() ? End.OPERATOR_ROOT : End.PUBLIC_ROOT);
                path.remove(path.size() - 1);
                extended = true;
            }
        }
        if (path.size() < MAX_CERTIFICATES - 1) {
            for (X509Certificate candidate : possibleIssuers.computeIfAbsent(last, this::findIssuers)) {
                if (!path.contains(candidate) && signatures.isSignedBy(last, candidate)) {
                    path.add(candidate);
                    extend(path);
                    path.remove(path.size() - 1);
                    extended = true;
                }
            }
        }
        if (!extended) {
            boolean selfSigned = path.size() == 1 ? leafSelfSigned : signatures.isSelfSigned(last);
            consider(path, selfSigned ? End.UNKNOWN_ROOT : End.NO_ISSUER);
        }
    }

    private List<TrustRoots.Root> findRoots(X509Certificate certificate) {
        List<TrustRoots.Root> found = roots.bySubject(certificate.getIssuerX500Principal());
        return found.size() < 2 ? found : likeliestFirst(certificate, found.stream(), TrustRoots.Root::certificate);
    }

    private List<X509Certificate> findIssuers(X509Certificate certificate) {
        return likeliestFirst(
                certificate,
                distinct.stream()
                        .filter(each -> each.getSubjectX500Principal().equals(certificate.getIssuerX500Principal())),
                Function.identity());
    }

    /** Sorts possible issuers of a certificate by key identifier, then by the number of their problems. */
    private <T> List<T> likeliestFirst(
            X509Certificate certificate, Stream<T> issuers, Function<T, X509Certificate> toCertificate) {
        record Candidate<C>(C issuer, long cost) {}
        byte[] keyId = CertificateExtensions.authorityKeyId(certificate);
        return issuers.map(issuer -> new Candidate<>(issuer, cost(keyId, toCertificate.apply(issuer))))
                .sorted(Comparator.comparingLong(Candidate::cost))
                .map(Candidate::issuer)
                .toList();
    }

    private long cost(byte @Nullable [] keyId, X509Certificate issuer) {
        return 10L * keyIdMismatch(keyId, issuer) + CertificateProblem.count(issuer, at);
    }

    /** 0 if the key identifiers match, 1 if one is missing, 2 if they differ. */
    private static int keyIdMismatch(byte @Nullable [] keyId, X509Certificate issuer) {
        byte[] issuerKeyId = keyId == null ? null : CertificateExtensions.subjectKeyId(issuer);
        return issuerKeyId == null ? 1 : Arrays.equals(keyId, issuerKeyId) ? 0 : 2;
    }

    private void consider(List<X509Certificate> certificates, End end) {
        boolean anchored = end == End.PUBLIC_ROOT || end == End.OPERATOR_ROOT;
        String fault = anchored ? CertificatePathValidator.fault(certificates) : "";
        CertificatePath path = path(certificates, end, fault);
        long rank = rank(path);
        if (rank < bestRank) {
            bestRank = rank;
            best = path;
        }
    }

    /** Lower is better; 0 is a path without problems. Among incomplete paths, a longer one is better. */
    private long rank(CertificatePath path) {
        long problems = path.validityChecked().stream()
                .mapToLong(certificate -> CertificateProblem.count(certificate, at))
                .sum();
        if (path.trusted()) {
            return problems;
        }
        if (path.anchored()) {
            return 100 + problems;
        }
        return path.complete() ? 200 + problems : 400 - path.certificates().size();
    }

    private CertificatePath path(List<X509Certificate> certificates, End end, String fault) {
        int used = (int) certificates.stream().filter(distinct::contains).count();
        boolean ordered = distinct.subList(0, used).equals(certificates.subList(0, used));
        return new CertificatePath(
                certificates,
                end,
                fault,
                ordered,
                distinct.size() - used,
                sent.size() - distinct.size(),
                leafSelfSigned,
                signatures.exhausted() || rootSignatures.exhausted() || steps <= 0);
    }
}
