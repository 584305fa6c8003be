package dev.plumbline.probe.tls;

import dev.plumbline.check.Host;
import dev.plumbline.tls.CertificateHostnames;
import dev.plumbline.tls.CertificatePath;
import dev.plumbline.tls.CertificatePathBuilder;
import dev.plumbline.tls.CertificateProblem;
import dev.plumbline.tls.TrustRoots;
import java.io.IOException;
import java.nio.file.Path;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Evaluates a certificate chain as a browser does, with the roots of the JDK and those of the operator. */
public final class CertificateTrustEvaluator {
    private final TrustRoots roots;

    /**
     * @param extraRoots a PEM file with additional roots; null for none
     * @throws IOException if it cannot be read or contains no certificate
     */
    public CertificateTrustEvaluator(@Nullable Path extraRoots) throws IOException {
        this(TrustRoots.load(extraRoots));
    }

    public CertificateTrustEvaluator(TrustRoots roots) {
        this.roots = roots;
    }

    /**
     * The reason why the chain is not trusted for the host, in one sentence; null if it is trusted.
     *
     * @param sent the certificates in the order of the peer
     */
    public @Nullable String problem(List<X509Certificate> sent, Host host, Instant at) {
        if (sent.isEmpty()) {
            return "The server sent no certificate.";
        }
        CertificatePath path = path(sent, at);
        boolean matches = CertificateHostnames.matches(path.leaf(), host.name(), host.literal());
        Set<CertificateProblem> problems = CertificateProblem.of(path, matches, false, at);
        return problems.isEmpty() ? null : problems.iterator().next().sentence(path, host.name(), at);
    }

    /**
     * The best path from the certificate of a peer to a root.
     *
     * @param sent the certificates in the order of the peer, not empty
     * @param at a path that is valid at this time is preferred
     */
    public CertificatePath path(List<X509Certificate> sent, Instant at) {
        return CertificatePathBuilder.build(sent, roots, at);
    }
}
