package dev.plumbline.tls;

import dev.plumbline.target.Host;
import java.io.IOException;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocketFactory;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509TrustManager;
import javax.security.auth.x500.X500Principal;
import org.jspecify.annotations.Nullable;

/** The trusted root certificates. Immutable. */
public final class TrustRoots {

    /** @param addedByOperator whether the operator configured it, in contrast to the public roots of the JDK */
    record Root(X509Certificate certificate, boolean addedByOperator) {}

    private final Map<X500Principal, List<Root>> roots = new HashMap<>();

    public TrustRoots(Collection<X509Certificate> publicRoots, Collection<X509Certificate> operatorRoots) {
        publicRoots.forEach(certificate -> add(new Root(certificate, false)));
        operatorRoots.forEach(certificate -> add(new Root(certificate, true)));
    }

    /**
     * The roots of the JDK and of a PEM file.
     *
     * @param extra null for none
     * @throws IOException if the file is not valid, as {@link PemCertificates#read}
     */
    public static TrustRoots load(@Nullable Path extra) throws IOException {
        return new TrustRoots(jdkRoots(), extra == null ? List.of() : PemCertificates.read(extra));
    }

    private static List<X509Certificate> jdkRoots() {
        try {
            TrustManagerFactory factory = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
            factory.init((KeyStore) null);
            return Arrays.stream(factory.getTrustManagers())
                    .filter(X509TrustManager.class::isInstance)
                    .flatMap(manager -> Arrays.stream(((X509TrustManager) manager).getAcceptedIssuers()))
                    .toList();
        } catch (GeneralSecurityException broken) {
            throw new IllegalStateException("cannot read the trusted roots of the JDK", broken);
        }
    }

    /**
     * The reason why a chain is not trusted for a host, in one sentence; null if it is trusted.
     *
     * @param sent the certificates in the order of the peer
     */
    public @Nullable String problem(List<X509Certificate> sent, Host host, Instant at) {
        if (sent.isEmpty()) {
            return "The server sent no certificate.";
        }
        CertificatePath path = CertificatePathBuilder.build(sent, this, at);
        boolean matches = CertificateHostnames.matches(path.leaf(), host.name(), host.literal());
        Set<CertificateProblem> problems = CertificateProblem.of(path, matches, false, at);
        return problems.isEmpty() ? null : problems.iterator().next().sentence(path, host.name(), at);
    }

    /**
     * A TLS client that trusts these roots, for servers of the operator.
     *
     * @throws IllegalStateException if the JDK does not support it
     */
    public SSLSocketFactory socketFactory() {
        try {
            KeyStore store = KeyStore.getInstance(KeyStore.getDefaultType());
            store.load(null, null);
            for (List<Root> sameSubject : roots.values()) {
                for (Root root : sameSubject) {
                    store.setCertificateEntry("root" + store.size(), root.certificate());
                }
            }
            TrustManagerFactory factory = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
            factory.init(store);
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(null, factory.getTrustManagers(), null);
            return context.getSocketFactory();
        } catch (GeneralSecurityException | IOException broken) {
            throw new IllegalStateException("cannot create a TLS client", broken);
        }
    }

    private void add(Root root) {
        roots.computeIfAbsent(root.certificate().getSubjectX500Principal(), name -> new ArrayList<>())
                .add(root);
    }

    List<Root> bySubject(X500Principal subject) {
        return roots.getOrDefault(subject, List.of());
    }

    /** The root with the same name and key as this certificate; null if there is none. */
    @Nullable
    Root find(X509Certificate certificate) {
        return bySubject(certificate.getSubjectX500Principal()).stream()
                .filter(root -> root.certificate().getPublicKey().equals(certificate.getPublicKey()))
                .findFirst()
                .orElse(null);
    }
}
