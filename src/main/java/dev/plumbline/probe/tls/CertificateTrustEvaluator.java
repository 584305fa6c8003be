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

/**
 * Judges a certificate chain as a browser would, against the JDK's roots and the operator's extra
 * ones, for probes that must not talk on when the peer is not who it should be.
 */
public final class CertificateTrustEvaluator {
    private final TrustRoots roots;

    /**
     * @param extraRoots PEM file with more roots, null for none
     * @throws IOException when it cannot be read or holds no certificate
     */
    public CertificateTrustEvaluator(@Nullable Path extraRoots) throws IOException {
        this(TrustRoots.load(extraRoots));
    }

    public CertificateTrustEvaluator(TrustRoots roots) {
        this.roots = roots;
    }

    /**
     * Why the chain is not trusted for the host, in one sentence; null when it is.
     *
     * @param sent the certificates in the order in which the peer sent them
     */
    public @Nullable String problem(List<X509Certificate> sent, Host host, Instant at) {
        if (sent.isEmpty()) {
            return "The server sent no certificate.";
        }
        CertificatePath path = path(sent, at);
        boolean named = CertificateHostnames.matches(path.leaf(), host.name(), host.literal());
        Set<CertificateProblem> problems = CertificateProblem.of(path, named, false, at);
        return problems.isEmpty() ? null : problems.iterator().next().sentence(path, host.name(), at);
    }

    /**
     * The best path from a peer's certificate towards a known root.
     *
     * @param sent the certificates in the order in which the peer sent them, not empty
     * @param at where several paths lead to a root, one that holds at this time is preferred
     */
    public CertificatePath path(List<X509Certificate> sent, Instant at) {
        return CertificatePathBuilder.build(sent, roots, at);
    }
}
