package dev.plumbline.tls;

import java.io.IOException;
import java.math.BigInteger;
import java.security.PublicKey;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import javax.security.auth.x500.X500Principal;
import org.bouncycastle.asn1.ASN1ObjectIdentifier;
import org.bouncycastle.asn1.ASN1Primitive;
import org.bouncycastle.asn1.x509.AlgorithmIdentifier;
import org.bouncycastle.asn1.x509.DistributionPointName;
import org.bouncycastle.asn1.x509.Extension;
import org.bouncycastle.asn1.x509.GeneralName;
import org.bouncycastle.asn1.x509.GeneralNames;
import org.bouncycastle.asn1.x509.IssuingDistributionPoint;
import org.bouncycastle.asn1.x509.Time;
import org.jspecify.annotations.Nullable;

/**
 * Reads certificate revocation lists (RFC 5280 section 5). A CRL can have hundreds of thousands of entries, so its
 * signature is verified first, and its entries are read in place: the memory use does not depend on the size of the
 * CRL.
 */
public final class RevocationList {
    private static final String SOURCE = "the CRL";
    private static final int MAX_ELEMENT_BYTES = 64 * 1024;
    private static final int EXTENSIONS = 0xa0;

    /** The supported critical extensions. Any other critical extension may change the meaning of the CRL. */
    private static final Set<ASN1ObjectIdentifier> SUPPORTED_EXTENSIONS = Set.of(
            Extension.deltaCRLIndicator,
            Extension.issuingDistributionPoint,
            Extension.cRLNumber,
            Extension.authorityKeyIdentifier);

    private RevocationList() {}

    /**
     * Reads a CRL. It is accepted only if the issuer of the certificate signed it, if it is within its validity period,
     * and if it covers the certificate. Not for an event loop: a large CRL takes long.
     */
    public static RevocationStatement read(
            byte[] list, X509Certificate certificate, X509Certificate issuer, Instant at) {
        if (!PublicKeys.isVerifiable(issuer.getPublicKey())) {
            return RevocationStatement.undetermined(SOURCE + " cannot be verified");
        }
        try {
            DerReader outer =
                    new DerReader(list, 0, list.length).next(DerReader.SEQUENCE).content();
            DerReader signed = outer.next(DerReader.SEQUENCE).content();
            return isSignedBy(issuer.getPublicKey(), list, outer)
                    ? read(list, signed, certificate, at)
                    : RevocationStatement.undetermined(SOURCE + " cannot be parsed or verified");
        } catch (IOException | RuntimeException unreadable) {
            // Providers and parsers throw unchecked exceptions for some malformed content.
            return RevocationStatement.undetermined(SOURCE + " cannot be parsed or verified");
        }
    }

    /** @param outer positioned before the signed part */
    private static boolean isSignedBy(PublicKey key, byte[] list, DerReader outer) {
        int from = outer.start();
        int length = outer.to() - from;
        byte[] algorithm = outer.next(DerReader.SEQUENCE).copy(MAX_ELEMENT_BYTES);
        outer.next(DerReader.BIT_STRING);
        if (!outer.atEnd() || outer.from() == outer.to() || list[outer.from()] != 0) {
            return false;
        }
        byte[] signature = Arrays.copyOfRange(list, outer.from() + 1, outer.to());
        if (signature.length > MAX_ELEMENT_BYTES) {
            return false;
        }
        return ContentSignature.isValid(AlgorithmIdentifier.getInstance(algorithm), key, list, from, length, signature);
    }

    /** @param signed the signed part */
    private static RevocationStatement read(byte[] list, DerReader signed, X509Certificate certificate, Instant at)
            throws IOException {
        if (signed.at(DerReader.INTEGER)) {
            signed.next();
        }
        signed.next(DerReader.SEQUENCE);
        X500Principal issuer = new X500Principal(signed.next(DerReader.SEQUENCE).copy(MAX_ELEMENT_BYTES));
        if (!issuer.equals(certificate.getIssuerX500Principal())) {
            return RevocationStatement.undetermined(SOURCE + " was issued by another certificate authority");
        }
        Instant from = time(signed);
        boolean hasNextUpdate = signed.at(DerReader.UTC_TIME) || signed.at(DerReader.GENERALIZED_TIME);
        Instant until = hasNextUpdate ? time(signed) : null;
        if (!RevocationValidity.holds(from, until, at)) {
            return RevocationStatement.undetermined(SOURCE + " is outside its validity period");
        }
        boolean revoked =
                signed.at(DerReader.SEQUENCE) && contains(list, signed.next().content(), certificate.getSerialNumber());
        if (signed.at(EXTENSIONS) && !covers(signed.next().content(), certificate)) {
            return RevocationStatement.undetermined(SOURCE + " does not cover the certificate");
        }
        if (!signed.atEnd()) {
            return RevocationStatement.undetermined(SOURCE + " cannot be parsed or verified");
        }
        return revoked ? RevocationStatement.revoked(SOURCE) : RevocationStatement.good(SOURCE);
    }

    private static Instant time(DerReader signed) throws IOException {
        byte[] encoded = signed.next().copy(MAX_ELEMENT_BYTES);
        return Time.getInstance(ASN1Primitive.fromByteArray(encoded)).getDate().toInstant();
    }

    private static boolean contains(byte[] list, DerReader entries, BigInteger serialNumber) {
        byte[] serial = serialNumber.toByteArray();
        while (!entries.atEnd()) {
            DerReader entry = entries.next(DerReader.SEQUENCE).content().next(DerReader.INTEGER);
            int from = significant(list, entry.from(), entry.to());
            if (Arrays.equals(list, from, entry.to(), serial, 0, serial.length)) {
                return true;
            }
        }
        return false;
    }

    /** The offset of a number without redundant sign octets. */
    private static int significant(byte[] list, int from, int to) {
        int first = from;
        while (first < to - 1
                && (list[first] == 0 && list[first + 1] >= 0 || list[first] == -1 && list[first + 1] < 0)) {
            first++;
        }
        return first;
    }

    /**
     * Whether the scope of the CRL includes the certificate: it is not a delta CRL, not limited to some reasons or to
     * CA certificates, and for its distribution point (RFC 5280 section 6.3.3 (b)(2)(i)).
     */
    private static boolean covers(DerReader reader, X509Certificate certificate) {
        org.bouncycastle.asn1.x509.Extensions extensions = org.bouncycastle.asn1.x509.Extensions.getInstance(
                reader.next(DerReader.SEQUENCE).copy(MAX_ELEMENT_BYTES));
        for (ASN1ObjectIdentifier critical : extensions.getCriticalExtensionOIDs()) {
            if (!SUPPORTED_EXTENSIONS.contains(critical)) {
                return false;
            }
        }
        if (extensions.getExtension(Extension.deltaCRLIndicator) != null) {
            return false;
        }
        Extension extension = extensions.getExtension(Extension.issuingDistributionPoint);
        if (extension == null) {
            return true;
        }
        IssuingDistributionPoint point =
                IssuingDistributionPoint.getInstance(extension.getExtnValue().getOctets());
        return !point.onlyContainsCACerts()
                && !point.onlyContainsAttributeCerts()
                && !point.isIndirectCRL()
                && point.getOnlySomeReasons() == null
                && matches(point.getDistributionPoint(), CertificateExtensions.revocationLists(certificate));
    }

    private static boolean matches(@Nullable DistributionPointName point, List<String> ofCertificate) {
        if (point == null) {
            return true;
        }
        if (point.getType() != DistributionPointName.FULL_NAME) {
            return false;
        }
        for (GeneralName name : GeneralNames.getInstance(point.getName()).getNames()) {
            if (name.getTagNo() == GeneralName.uniformResourceIdentifier
                    && ofCertificate.contains(name.getName().toString())) {
                return true;
            }
        }
        return false;
    }
}
