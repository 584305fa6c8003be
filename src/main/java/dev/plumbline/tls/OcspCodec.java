package dev.plumbline.tls;

import dev.plumbline.signature.VerifiedSignatures;
import java.io.IOException;
import java.security.GeneralSecurityException;
import java.security.PublicKey;
import java.security.cert.CertificateEncodingException;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.Date;
import org.bouncycastle.asn1.ASN1ObjectIdentifier;
import org.bouncycastle.asn1.x509.ExtendedKeyUsage;
import org.bouncycastle.asn1.x509.Extension;
import org.bouncycastle.asn1.x509.KeyPurposeId;
import org.bouncycastle.cert.X509CertificateHolder;
import org.bouncycastle.cert.jcajce.JcaX509CertificateConverter;
import org.bouncycastle.cert.jcajce.JcaX509CertificateHolder;
import org.bouncycastle.cert.ocsp.BasicOCSPResp;
import org.bouncycastle.cert.ocsp.CertificateID;
import org.bouncycastle.cert.ocsp.CertificateStatus;
import org.bouncycastle.cert.ocsp.OCSPException;
import org.bouncycastle.cert.ocsp.OCSPReqBuilder;
import org.bouncycastle.cert.ocsp.OCSPResp;
import org.bouncycastle.cert.ocsp.RevokedStatus;
import org.bouncycastle.cert.ocsp.SingleResp;
import org.bouncycastle.operator.DigestCalculatorProvider;
import org.bouncycastle.operator.OperatorCreationException;
import org.bouncycastle.operator.jcajce.JcaDigestCalculatorProviderBuilder;
import org.jspecify.annotations.Nullable;

/** Encodes requests and decodes responses of the Online Certificate Status Protocol (RFC 6960). */
public final class OcspCodec {
    /** The extension with signed certificate timestamps (RFC 6962 section 3.3). */
    private static final ASN1ObjectIdentifier TIMESTAMPS = new ASN1ObjectIdentifier("1.3.6.1.4.1.11129.2.4.5");

    private static final int MAX_RESPONSES = 64;
    private static final int MAX_SIGNERS = 4;

    private OcspCodec() {}

    /**
     * The request for one certificate, without a nonce so that responders may cache.
     *
     * @throws IllegalArgumentException if the certificates cannot be encoded
     */
    public static byte[] request(X509Certificate certificate, X509Certificate issuer) {
        try {
            CertificateID id = new CertificateID(
                    digests().get(CertificateID.HASH_SHA1),
                    new JcaX509CertificateHolder(issuer),
                    certificate.getSerialNumber());
            return new OCSPReqBuilder().addRequest(id).build().getEncoded();
        } catch (OCSPException | OperatorCreationException | CertificateEncodingException | IOException broken) {
            throw new IllegalArgumentException("cannot encode an OCSP request", broken);
        }
    }

    /**
     * Decodes a response. It is accepted only if the issuer or a delegated responder signed it, if it is for this
     * certificate, and if it is within its validity period.
     *
     * @param source the subject of the detail, for example "the OCSP response"
     */
    public static RevocationStatement read(
            byte[] response, X509Certificate certificate, X509Certificate issuer, Instant at, String source) {
        try {
            OCSPResp parsed = new OCSPResp(response);
            if (parsed.getStatus() != OCSPResp.SUCCESSFUL
                    || !(parsed.getResponseObject() instanceof BasicOCSPResp basic)) {
                return RevocationStatement.undetermined(source + " has an error status");
            }
            SingleResp single = find(basic, certificate, issuer);
            if (single == null) {
                return RevocationStatement.undetermined(source + " is for another certificate");
            }
            if (!isSigned(basic, issuer, at)) {
                return RevocationStatement.undetermined(source + " is not signed by the issuer");
            }
            if (!RevocationValidity.holds(instant(single.getThisUpdate()), instant(single.getNextUpdate()), at)) {
                return RevocationStatement.undetermined(source + " is outside its validity period");
            }
            RevocationStatement statement = statement(single.getCertStatus(), source);
            return new RevocationStatement(statement.status(), statement.detail(), timestamps(single));
        } catch (IOException
                | OCSPException
                | OperatorCreationException
                | CertificateEncodingException
                | RuntimeException unreadable) {
            // Bouncy Castle throws several unchecked exceptions for malformed structures.
            return RevocationStatement.undetermined(source + " cannot be parsed");
        }
    }

    private static RevocationStatement statement(@Nullable CertificateStatus status, String source) {
        if (status == CertificateStatus.GOOD) {
            return RevocationStatement.good(source);
        }
        return status instanceof RevokedStatus
                ? RevocationStatement.revoked(source)
                : RevocationStatement.undetermined(source + " has the status unknown");
    }

    private static @Nullable SingleResp find(BasicOCSPResp basic, X509Certificate certificate, X509Certificate issuer)
            throws OCSPException, OperatorCreationException, CertificateEncodingException {
        SingleResp[] responses = basic.getResponses();
        X509CertificateHolder holder = new JcaX509CertificateHolder(issuer);
        for (int i = 0; i < Math.min(responses.length, MAX_RESPONSES); i++) {
            CertificateID id = responses[i].getCertID();
            if (id.getSerialNumber().equals(certificate.getSerialNumber()) && id.matchesIssuer(holder, digests())) {
                return responses[i];
            }
        }
        return null;
    }

    private static boolean isSigned(BasicOCSPResp basic, X509Certificate issuer, Instant at) {
        if (isSignedBy(basic, issuer.getPublicKey())) {
            return true;
        }
        X509CertificateHolder[] delegates = basic.getCerts();
        for (int i = 0; i < Math.min(delegates.length, MAX_SIGNERS); i++) {
            PublicKey key = delegateKey(delegates[i], issuer, at);
            if (key != null && isSignedBy(basic, key)) {
                return true;
            }
        }
        return false;
    }

    /**
     * The key of a delegated responder of the issuer (RFC 6960 section 4.2.2.2); null if the certificate is not that of
     * one.
     */
    private static @Nullable PublicKey delegateKey(X509CertificateHolder holder, X509Certificate issuer, Instant at) {
        try {
            ExtendedKeyUsage usage = ExtendedKeyUsage.fromExtensions(holder.getExtensions());
            if (usage == null
                    || !usage.hasKeyPurposeId(KeyPurposeId.id_kp_OCSPSigning)
                    || !holder.isValidOn(Date.from(at))) {
                return null;
            }
            X509Certificate delegate = new JcaX509CertificateConverter().getCertificate(holder);
            return VerifiedSignatures.isSigned(delegate, issuer.getPublicKey()) ? delegate.getPublicKey() : null;
        } catch (GeneralSecurityException | RuntimeException different) {
            return null;
        }
    }

    private static boolean isSignedBy(BasicOCSPResp basic, PublicKey key) {
        byte[] data = basic.getTBSResponseData();
        return PublicKeys.isVerifiable(key)
                && ContentSignature.isValid(
                        basic.getSignatureAlgorithmID(), key, data, 0, data.length, basic.getSignature());
    }

    private static int timestamps(SingleResp single) {
        Extension extension = single.getExtension(TIMESTAMPS);
        return extension == null
                ? 0
                : CertificateExtensions.timestamps(extension.getExtnValue().getOctets());
    }

    private static @Nullable Instant instant(@Nullable Date date) {
        return date == null ? null : date.toInstant();
    }

    private static DigestCalculatorProvider digests() throws OperatorCreationException {
        return new JcaDigestCalculatorProviderBuilder().build();
    }
}
