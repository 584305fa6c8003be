package dev.plumbline.tls;

import dev.plumbline.tls.CertificatePath.End;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Builds the best path from a server certificate to a trusted root with the certificates that the server sent, in any
 * order (RFC 4158). The number of steps is bounded.
 */
public final class CertificatePathBuilder {
    /** The length of the longest path, including the trust anchor. */
    static final int MAX_CERTIFICATES = 10;

    private static final int MAX_SIGNATURES = 64;
    private static final int MAX_STEPS = 256;

    private final TrustRoots roots;
    private final Instant at;
    private final List<X509Certificate> sent;
    private final List<X509Certificate> distinct;
    private final SignatureVerifier signatures = new SignatureVerifier(MAX_SIGNATURES);
    private final boolean leafSelfSigned;
    private int steps = MAX_STEPS;
    private @Nullable CertificatePath best;
    private long bestRank = Long.MAX_VALUE;

    private CertificatePathBuilder(List<X509Certificate> sent, TrustRoots roots, Instant at) {
        this.roots = roots;
        this.at = at;
        this.sent = sent;
        this.distinct = List.copyOf(new LinkedHashSet<>(sent));
        this.leafSelfSigned = signatures.isSelfSigned(distinct.get(0));
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
        if (steps-- <= 0 || bestRank == 0) {
            return;
        }
        X509Certificate last = path.get(path.size() - 1);
        TrustRoots.Root self = roots.find(last);
        if (self != null) {
            consider(path, self.addedByOperator() ? End.OPERATOR_ROOT : End.PUBLIC_ROOT);
            return;
        }
        boolean extended = false;
        for (TrustRoots.Root root : roots.bySubject(last.getIssuerX500Principal())) {
            if (signatures.isSignedBy(last, root.certificate())) {
                path.add(root.certificate());
                consider(path, root.addedByOperator() ? End.OPERATOR_ROOT : End.PUBLIC_ROOT);
                path.remove(path.size() - 1);
                extended = true;
            }
        }
        if (path.size() < MAX_CERTIFICATES - 1) {
            for (X509Certificate candidate : distinct) {
                if (candidate.getSubjectX500Principal().equals(last.getIssuerX500Principal())
                        && !path.contains(candidate)
                        && signatures.isSignedBy(last, candidate)) {
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

    /** Lower is better; 0 is a valid path. Among incomplete paths, a longer one is better. */
    private long rank(CertificatePath path) {
        long invalidCount = path.invalidCount(at);
        if (path.trusted()) {
            return invalidCount;
        }
        if (path.anchored()) {
            return 100 + invalidCount;
        }
        return path.complete() ? 200 + invalidCount : 400 - path.certificates().size();
    }

    private CertificatePath path(List<X509Certificate> certificates, End end, String fault) {
        int used = 0;
        for (X509Certificate certificate : certificates) {
            if (distinct.contains(certificate)) {
                used++;
            }
        }
        boolean ordered = distinct.subList(0, used).equals(certificates.subList(0, used));
        return new CertificatePath(
                certificates,
                end,
                fault,
                ordered,
                distinct.size() - used,
                sent.size() - distinct.size(),
                leafSelfSigned,
                signatures.exhausted() || steps <= 0);
    }
}
