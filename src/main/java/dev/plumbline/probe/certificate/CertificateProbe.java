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

/** Collects the evidence about the certificate of a TLS server. */
public final class CertificateProbe {
    /** Longer chains are built on a worker thread. */
    private static final int MAX_EVENT_LOOP_CERTIFICATES = 4;

    private static final RevocationStatement UNTRUSTED_CHAIN = RevocationStatement.undetermined(
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
     * Builds the certificate path and queries the revocation status.
     *
     * @param host the host that the certificate must match
     * @param queryIssuer whether to query the revocation sources of the issuer, unless the stapled response is
     *     conclusive
     */
    public Future<CertificateEvidence> examine(CheckContext context, TlsPeer peer, Host host, boolean queryIssuer) {
        Instant at = context.clock().instant();
        if (isCheap(peer)) {
            CertificateEvidence evidence = evidence(peer, host, at);
            return queryIssuer ? withRevocation(context, evidence) : Future.succeededFuture(evidence);
        }
        return vertx.executeBlocking(() -> evidence(peer, host, at), false)
                .compose(
                        evidence -> queryIssuer ? withRevocation(context, evidence) : Future.succeededFuture(evidence));
    }

    static boolean isCheap(TlsPeer peer) {
        return peer.staple() == null
                && peer.certificates().size() <= MAX_EVENT_LOOP_CERTIFICATES
                && peer.certificates().stream().allMatch(certificate -> PublicKeys.isCheap(certificate.getPublicKey()));
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
                peer.clientCertificateRequested(),
                peer.failure());
    }

    private static @Nullable RevocationStatement stapled(@Nullable Buffer staple, CertificatePath path, Instant at) {
        if (staple == null) {
            return null;
        }
        X509Certificate issuer = issuer(path);
        return issuer == null
                ? RevocationStatement.undetermined("the issuer certificate is unknown")
                : OcspCodec.read(staple.getBytes(), path.leaf(), issuer, at, "it");
    }

    private Future<CertificateEvidence> withRevocation(CheckContext context, CertificateEvidence evidence) {
        RevocationStatement stapled = evidence.stapled();
        if (stapled != null && stapled.determined()) {
            return Future.succeededFuture(evidence);
        }
        if (!evidence.path().trusted()) {
            // The sources of an untrusted chain can be forged like the chain itself.
            return Future.succeededFuture(with(evidence, UNTRUSTED_CHAIN));
        }
        X509Certificate issuer = issuer(evidence.path());
        if (issuer == null) {
            return Future.succeededFuture(
                    with(evidence, RevocationStatement.undetermined("the issuer certificate is unknown")));
        }
        return revocation.query(context, evidence.leaf(), issuer).map(answer -> with(evidence, answer));
    }

    private static @Nullable X509Certificate issuer(CertificatePath path) {
        List<X509Certificate> certificates = path.certificates();
        return certificates.size() < 2 ? null : certificates.get(1);
    }

    private static CertificateEvidence with(CertificateEvidence evidence, RevocationStatement asked) {
        return new CertificateEvidence(
                evidence.host(),
                evidence.hostMatches(),
                evidence.ip(),
                evidence.sent(),
                evidence.sentCount(),
                evidence.path(),
                evidence.at(),
                evidence.stapled(),
                asked,
                evidence.version(),
                evidence.cipher(),
                evidence.clientCertificateRequested(),
                evidence.failure());
    }
}
