package dev.plumbline.probe.certificate;

import dev.plumbline.check.CheckContext;
import dev.plumbline.check.Host;
import dev.plumbline.check.IpAddressText;
import dev.plumbline.probe.tls.CertificateTrustEvaluator;
import dev.plumbline.probe.tls.TlsPeer;
import dev.plumbline.tls.CertificateEvidence;
import dev.plumbline.tls.CertificateHostnames;
import dev.plumbline.tls.CertificatePath;
import dev.plumbline.tls.OcspCodec;
import dev.plumbline.tls.PublicKeys;
import dev.plumbline.tls.RevocationStatement;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Gathers all that there is to know of the certificate that a peer has shown. */
public final class CertificateProbe {
    /** Chains of more certificates are put together away from the event loop. */
    private static final int MOST_QUICK_CERTIFICATES = 4;

    private static final RevocationStatement NO_TRUST = RevocationStatement.undetermined(
            "the certificate chain is not trusted, so its OCSP and CRL addresses were not used");

    private final Vertx vertx;
    private final CertificateTrustEvaluator trust;
    private final RevocationProbe revocation;

    public CertificateProbe(Vertx vertx, CertificateTrustEvaluator trust, RevocationProbe revocation) {
        this.vertx = vertx;
        this.trust = trust;
        this.revocation = revocation;
    }

    /**
     * @param host what the certificate is judged for
     * @param askIssuer whether the issuer's sources are asked about revocation, unless the peer has
     *     sent along an answer that counts
     */
    public Future<CertificateEvidence> examine(CheckContext context, TlsPeer peer, Host host, boolean askIssuer) {
        Instant at = context.clock().instant();
        if (quick(peer)) {
            CertificateEvidence evidence = evidence(peer, host, at);
            return askIssuer ? withIssuer(context, evidence) : Future.succeededFuture(evidence);
        }
        return vertx.executeBlocking(() -> evidence(peer, host, at), false)
                .compose(evidence -> askIssuer ? withIssuer(context, evidence) : Future.succeededFuture(evidence));
    }

    static boolean quick(TlsPeer peer) {
        return peer.staple() == null
                && peer.certificates().size() <= MOST_QUICK_CERTIFICATES
                && peer.certificates().stream().allMatch(certificate -> PublicKeys.quick(certificate.getPublicKey()));
    }

    private CertificateEvidence evidence(TlsPeer peer, Host host, Instant at) {
        CertificatePath path = trust.path(peer.certificates(), at);
        return new CertificateEvidence(
                host.name(),
                CertificateHostnames.matches(path.leaf(), host.name(), host.literal()),
                IpAddressText.format(peer.address()),
                peer.certificates(),
                peer.certificateCount(),
                path,
                at,
                stapled(peer.staple(), path, at),
                null,
                peer.version(),
                peer.cipher(),
                peer.clientCertificateAsked(),
                peer.failure());
    }

    private static @Nullable RevocationStatement stapled(@Nullable Buffer staple, CertificatePath path, Instant at) {
        if (staple == null) {
            return null;
        }
        X509Certificate issuer = issuer(path);
        return issuer == null
                ? RevocationStatement.undetermined("the issuer's certificate is not known")
                : OcspCodec.read(staple.getBytes(), path.leaf(), issuer, at, "it");
    }

    private Future<CertificateEvidence> withIssuer(CheckContext context, CertificateEvidence seen) {
        RevocationStatement stapled = seen.stapled();
        if (stapled != null && stapled.determined()) {
            return Future.succeededFuture(seen);
        }
        if (!seen.path().trusted()) {
            // Who made up the chain made up its sources as well.
            return Future.succeededFuture(with(seen, NO_TRUST));
        }
        X509Certificate issuer = issuer(seen.path());
        if (issuer == null) {
            return Future.succeededFuture(
                    with(seen, RevocationStatement.undetermined("the issuer certificate is unknown")));
        }
        return revocation.ask(context, seen.leaf(), issuer).map(answer -> with(seen, answer));
    }

    private static @Nullable X509Certificate issuer(CertificatePath path) {
        List<X509Certificate> certificates = path.certificates();
        return certificates.size() < 2 ? null : certificates.get(1);
    }

    private static CertificateEvidence with(CertificateEvidence seen, RevocationStatement asked) {
        return new CertificateEvidence(
                seen.host(),
                seen.hostMatches(),
                seen.ip(),
                seen.sent(),
                seen.sentCount(),
                seen.path(),
                seen.at(),
                seen.stapled(),
                asked,
                seen.version(),
                seen.cipher(),
                seen.clientCertificateRequested(),
                seen.failure());
    }
}
