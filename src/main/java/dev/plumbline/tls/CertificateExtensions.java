package dev.plumbline.tls;

import java.security.cert.X509Certificate;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Stream;
import org.bouncycastle.asn1.ASN1Integer;
import org.bouncycastle.asn1.ASN1OctetString;
import org.bouncycastle.asn1.ASN1Sequence;
import org.bouncycastle.asn1.x509.AccessDescription;
import org.bouncycastle.asn1.x509.AuthorityInformationAccess;
import org.bouncycastle.asn1.x509.AuthorityKeyIdentifier;
import org.bouncycastle.asn1.x509.CRLDistPoint;
import org.bouncycastle.asn1.x509.DistributionPoint;
import org.bouncycastle.asn1.x509.DistributionPointName;
import org.bouncycastle.asn1.x509.Extension;
import org.bouncycastle.asn1.x509.GeneralName;
import org.bouncycastle.asn1.x509.GeneralNames;
import org.bouncycastle.asn1.x509.SubjectKeyIdentifier;
import org.jspecify.annotations.Nullable;

/** Reads the extensions of a certificate. A malformed extension reads as absent. */
public final class CertificateExtensions {
    /** Embedded signed certificate timestamps (RFC 6962, section 3.3). */
    private static final String EMBEDDED_SCTS = "1.3.6.1.4.1.11129.2.4.2";

    /** TLS features (RFC 7633). */
    private static final String TLS_FEATURE = "1.3.6.1.5.5.7.1.24";

    /** The extensions of RFC 5280, those of Netscape and OCSP for CA certificates included. */
    private static final Set<String> KNOWN = Set.of(
            Extension.subjectKeyIdentifier.getId(),
            Extension.keyUsage.getId(),
            Extension.privateKeyUsagePeriod.getId(),
            Extension.subjectAlternativeName.getId(),
            Extension.issuerAlternativeName.getId(),
            Extension.basicConstraints.getId(),
            Extension.nameConstraints.getId(),
            Extension.cRLDistributionPoints.getId(),
            Extension.certificatePolicies.getId(),
            Extension.policyMappings.getId(),
            Extension.authorityKeyIdentifier.getId(),
            Extension.policyConstraints.getId(),
            Extension.extendedKeyUsage.getId(),
            Extension.freshestCRL.getId(),
            Extension.inhibitAnyPolicy.getId(),
            Extension.authorityInfoAccess.getId(),
            Extension.subjectInfoAccess.getId(),
            "1.3.6.1.5.5.7.48.1.5",
            "2.16.840.1.113730.1.1");

    private static final int STATUS_REQUEST = 5;
    private static final int MAX_URLS = 8;

    private CertificateExtensions() {}

    /** The identifier of the key that signed the certificate; null if it is not stated. */
    static byte @Nullable [] authorityKeyId(X509Certificate certificate) {
        return readOrNull(
                certificate,
                Extension.authorityKeyIdentifier.getId(),
                value -> AuthorityKeyIdentifier.getInstance(value).getKeyIdentifierOctets());
    }

    /** The identifier of the key of the certificate; null if it is not stated. */
    static byte @Nullable [] subjectKeyId(X509Certificate certificate) {
        return readOrNull(
                certificate, Extension.subjectKeyIdentifier.getId(), value -> SubjectKeyIdentifier.getInstance(value)
                        .getKeyIdentifier());
    }

    public static int embeddedTimestamps(X509Certificate certificate) {
        return read(certificate, EMBEDDED_SCTS, 0, CertificateExtensions::timestamps);
    }

    /** The number of timestamps in an OCTET STRING with a SignedCertificateTimestampList (RFC 6962 section 3.3). */
    static int timestamps(byte[] octetString) {
        byte[] list;
        try {
            list = ASN1OctetString.getInstance(octetString).getOctets();
        } catch (IllegalArgumentException | IllegalStateException unreadable) {
            return 0;
        }
        if (list.length < 2 || length(list, 0) != list.length - 2) {
            return 0;
        }
        int count = 0;
        int position = 2;
        while (position + 2 <= list.length) {
            position += 2 + length(list, position);
            if (position > list.length) {
                return count;
            }
            count++;
        }
        return count;
    }

    private static int length(byte[] bytes, int position) {
        return (bytes[position] & 0xff) << 8 | bytes[position + 1] & 0xff;
    }

    /** Whether the certificate requires OCSP stapling (must-staple). */
    public static boolean mustStaple(X509Certificate certificate) {
        return read(certificate, TLS_FEATURE, false, value -> Arrays.stream(
                        ASN1Sequence.getInstance(value).toArray())
                .anyMatch(feature -> ASN1Integer.getInstance(feature).hasValue(STATUS_REQUEST)));
    }

    /** Whether the Authority Information Access extension is malformed or critical (RFC 5280 section 4.2.2.1). */
    static boolean hasInvalidInformationAccess(X509Certificate certificate) {
        String oid = Extension.authorityInfoAccess.getId();
        if (!has(certificate, oid)) {
            return false;
        }
        Set<String> critical = certificate.getCriticalExtensionOIDs();
        return critical.contains(oid)
                || read(certificate, oid, 0, value -> AuthorityInformationAccess.getInstance(value)
                                .getAccessDescriptions()
                                .length)
                        == 0;
    }

    public static List<String> ocspResponders(X509Certificate certificate) {
        return read(
                certificate,
                Extension.authorityInfoAccess.getId(),
                List.of(),
                value -> urls(Arrays.stream(
                                AuthorityInformationAccess.getInstance(value).getAccessDescriptions())
                        .filter(access -> access.getAccessMethod().equals(AccessDescription.id_ad_ocsp))
                        .map(AccessDescription::getAccessLocation)));
    }

    /** The URLs of the certificate revocation lists (CRL). */
    public static List<String> revocationLists(X509Certificate certificate) {
        return read(
                certificate,
                Extension.cRLDistributionPoints.getId(),
                List.of(),
                value -> urls(Arrays.stream(CRLDistPoint.getInstance(value).getDistributionPoints())
                        // A CRL by another issuer, or for some reasons only, cannot prove that a certificate is not
                        // revoked.
                        .filter(point -> point.getCRLIssuer() == null && point.getReasons() == null)
                        .map(DistributionPoint::getDistributionPoint)
                        .filter(name -> name != null && name.getType() == DistributionPointName.FULL_NAME)
                        .flatMap(name -> Arrays.stream(
                                GeneralNames.getInstance(name.getName()).getNames()))));
    }

    private static List<String> urls(Stream<GeneralName> locations) {
        return locations
                .filter(location -> location.getTagNo() == GeneralName.uniformResourceIdentifier)
                .limit(MAX_URLS)
                .map(location -> location.getName().toString())
                .toList();
    }

    /** The decoded value of an extension; the default if it is absent or malformed. */
    static <T> T read(X509Certificate certificate, String oid, T absent, Function<byte[], T> decoder) {
        return Objects.requireNonNullElse(readOrNull(certificate, oid, decoder), absent);
    }

    /** The decoded value of an extension; null if it is absent or malformed. */
    static <T> @Nullable T readOrNull(X509Certificate certificate, String oid, Function<byte[], @Nullable T> decoder) {
        try {
            byte[] value = value(certificate, oid);
            return value == null ? null : decoder.apply(value);
        } catch (IllegalArgumentException | IllegalStateException malformed) {
            return null;
        }
    }

    /**
     * Whether a certificate has an extension. Call it before reading the extension: if there is none, the JDK throws
     * and catches two exceptions, which takes longer than a signature check.
     */
    static boolean has(X509Certificate certificate, String oid) {
        Set<String> critical = certificate.getCriticalExtensionOIDs();
        Set<String> nonCritical = certificate.getNonCriticalExtensionOIDs();
        return critical != null && critical.contains(oid) || nonCritical != null && nonCritical.contains(oid);
    }

    /** Whether the certificate has a critical extension that is not among those that this package or the JDK know. */
    static boolean hasUnknownCritical(X509Certificate certificate) {
        Set<String> critical = certificate.getCriticalExtensionOIDs();
        return critical != null && !KNOWN.containsAll(critical);
    }

    /**
     * The encoded value of an extension; null if it is absent.
     *
     * @throws IllegalArgumentException or IllegalStateException if it is not an OCTET STRING
     */
    static byte @Nullable [] value(X509Certificate certificate, String oid) {
        if (!has(certificate, oid)) {
            return null;
        }
        byte[] extension = certificate.getExtensionValue(oid);
        return extension == null ? null : ASN1OctetString.getInstance(extension).getOctets();
    }
}
