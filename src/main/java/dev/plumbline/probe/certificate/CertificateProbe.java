package dev.plumbline.probe.certificate;

import dev.plumbline.budget.CpuPool;
import dev.plumbline.check.CheckContext;
import dev.plumbline.probe.tls.TlsPeer;
import dev.plumbline.target.Host;
import dev.plumbline.target.IpAddressText;
import dev.plumbline.tls.AlternativeNames;
import dev.plumbline.tls.CertificateEvidence;
import dev.plumbline.tls.CertificateHostnames;
import dev.plumbline.tls.CertificateParser;
import dev.plumbline.tls.CertificatePath;
import dev.plumbline.tls.CertificatePathBuilder;
import dev.plumbline.tls.OcspCodec;
import dev.plumbline.tls.PublicKeys;
import dev.plumbline.tls.RevocationStatement;
import dev.plumbline.tls.TrustRoots;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Collects the evidence about the certificate of a TLS server. */
public final class CertificateProbe {
    /** Longer chains are built outside the event loop. */
    private static final int MAX_EVENT_LOOP_CERTIFICATES = 4;

    private static final RevocationStatement UNTRUSTED_CHAIN = RevocationStatement.undetermined(
            "the certificate chain is not trusted, so its OCSP and CRL addresses were not used");

    private final TrustRoots roots;
    private final RevocationProbe revocation;

    private record Validation(
            CertificatePath path, boolean hostMatches, AlternativeNames names, @Nullable RevocationStatement stapled) {}

    public CertificateProbe(TrustRoots roots, RevocationProbe revocation) {
        this.roots = roots;
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
        Future<Validation> validation = isCheap(peer)
                ? Future.succeededFuture(validate(peer, host, at))
                : context.executeBlocking(CpuPool.Purpose.SIGNATURES, () -> validate(peer, host, at));
        return validation.compose(result -> (queryIssuer
                        ? queryRevocation(context, result)
                        : Future.<@Nullable RevocationStatement>succeededFuture())
                .map(queried -> new CertificateEvidence(
                        host.name(),
                        result.hostMatches(),
                        IpAddressText.format(peer.address()),
                        peer.certificates(),
                        peer.certificateCount(),
                        result.path(),
                        result.names(),
                        at,
                        result.stapled(),
                        queried,
                        peer.version(),
                        peer.cipher(),
                        peer.group(),
                        peer.clientCertificateRequested(),
                        peer.failure())));
    }

    static boolean isCheap(TlsPeer peer) {
        return peer.staple() == null
                && peer.certificates().size() <= MAX_EVENT_LOOP_CERTIFICATES
                && CertificateParser.isCheap(peer.certificates())
                && peer.certificates().stream().allMatch(certificate -> PublicKeys.isCheap(certificate.getPublicKey()));
    }

    private Validation validate(TlsPeer peer, Host host, Instant at) {
        CertificatePath path = CertificatePathBuilder.build(peer.certificates(), roots, at);
        boolean hostMatches = CertificateHostnames.matches(path.leaf(), host.name(), host.literal());
        return new Validation(path, hostMatches, AlternativeNames.of(path.leaf()), stapled(peer.staple(), path, at));
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

    /** The result is null if the stapled response is conclusive. */
    private Future<@Nullable RevocationStatement> queryRevocation(CheckContext context, Validation validation) {
        RevocationStatement stapled = validation.stapled();
        if (stapled != null && stapled.determined()) {
            return Future.succeededFuture();
        }
        if (!validation.path().trusted()) {
            // The sources of an untrusted chain can be forged like the chain itself.
            return Future.succeededFuture(UNTRUSTED_CHAIN);
        }
        X509Certificate issuer = issuer(validation.path());
        return issuer == null
                ? Future.succeededFuture(RevocationStatement.undetermined("the issuer certificate is unknown"))
                : revocation.query(context, validation.path().leaf(), issuer);
    }

    private static @Nullable X509Certificate issuer(CertificatePath path) {
        List<X509Certificate> certificates = path.certificates();
        return certificates.size() < 2 ? null : certificates.get(1);
    }
}
