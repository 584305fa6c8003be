package dev.plumbline.tls;

import dev.plumbline.check.IpAddressText;
import java.io.IOException;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;
import org.bouncycastle.asn1.ASN1Encodable;
import org.bouncycastle.asn1.ASN1Integer;
import org.bouncycastle.asn1.ASN1OctetString;
import org.bouncycastle.asn1.ASN1Primitive;
import org.bouncycastle.asn1.ASN1Sequence;
import org.bouncycastle.asn1.x509.AccessDescription;
import org.bouncycastle.asn1.x509.AuthorityInformationAccess;
import org.bouncycastle.asn1.x509.CRLDistPoint;
import org.bouncycastle.asn1.x509.DistributionPoint;
import org.bouncycastle.asn1.x509.DistributionPointName;
import org.bouncycastle.asn1.x509.Extension;
import org.bouncycastle.asn1.x509.GeneralName;
import org.bouncycastle.asn1.x509.GeneralNames;
import org.jspecify.annotations.Nullable;

/** Reads the extensions of a certificate. A malformed extension reads as absent. */
public final class CertificateExtensions {
    /** Embedded signed certificate timestamps (RFC 6962, section 3.3). */
    private static final String EMBEDDED_SCTS = "1.3.6.1.4.1.11129.2.4.2";

    /** TLS features (RFC 7633). */
    private static final String TLS_FEATURE = "1.3.6.1.5.5.7.1.24";

    private static final int STATUS_REQUEST = 5;
    private static final int MOST_URLS = 8;

    private CertificateExtensions() {}

    /** The subject alternative names. Names that are neither hostnames nor IP addresses have their type as prefix. */
    public static List<String> alternativeNames(X509Certificate certificate) {
        byte[] value = value(certificate, Extension.subjectAlternativeName.getId());
        if (value == null) {
            return List.of();
        }
        List<String> names = new ArrayList<>();
        try {
            for (GeneralName name : GeneralNames.getInstance(value).getNames()) {
                names.add(text(name));
            }
        } catch (IllegalArgumentException | IllegalStateException unreadable) {
            return List.of();
        }
        return names;
    }

    private static String text(GeneralName name) {
        return switch (name.getTagNo()) {
            case GeneralName.dNSName -> name.getName().toString();
            case GeneralName.iPAddress -> address(name.getName());
            case GeneralName.rfc822Name -> "email:" + name.getName();
            case GeneralName.uniformResourceIdentifier -> "uri:" + name.getName();
            case GeneralName.directoryName -> "dirname:" + name.getName();
            default -> "other";
        };
    }

    private static String address(ASN1Encodable value) {
        byte[] bytes = ASN1OctetString.getInstance(value).getOctets();
        return bytes.length == 4 || bytes.length == 16
                ? IpAddressText.format(IpAddressText.of(bytes))
                : "address:" + HexFormat.of().formatHex(bytes);
    }

    /** The number of signed certificate timestamps embedded in the certificate. */
    public static int embeddedTimestamps(X509Certificate certificate) {
        byte[] value = value(certificate, EMBEDDED_SCTS);
        return value == null ? 0 : timestamps(value);
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
        byte[] value = value(certificate, TLS_FEATURE);
        if (value == null) {
            return false;
        }
        try {
            for (ASN1Encodable feature : ASN1Sequence.getInstance(value)) {
                if (ASN1Integer.getInstance(feature).hasValue(STATUS_REQUEST)) {
                    return true;
                }
            }
        } catch (IllegalArgumentException | IllegalStateException unreadable) {
            return false;
        }
        return false;
    }

    /** The URLs of the OCSP responders. */
    public static List<String> ocspResponders(X509Certificate certificate) {
        byte[] value = value(certificate, Extension.authorityInfoAccess.getId());
        if (value == null) {
            return List.of();
        }
        List<String> urls = new ArrayList<>();
        try {
            for (AccessDescription access :
                    AuthorityInformationAccess.getInstance(value).getAccessDescriptions()) {
                if (access.getAccessMethod().equals(AccessDescription.id_ad_ocsp)) {
                    addUrl(urls, access.getAccessLocation());
                }
            }
        } catch (IllegalArgumentException | IllegalStateException unreadable) {
            return List.of();
        }
        return urls;
    }

    /** The URLs of the certificate revocation lists (CRL). */
    public static List<String> revocationLists(X509Certificate certificate) {
        byte[] value = value(certificate, Extension.cRLDistributionPoints.getId());
        if (value == null) {
            return List.of();
        }
        List<String> urls = new ArrayList<>();
        try {
            for (DistributionPoint point : CRLDistPoint.getInstance(value).getDistributionPoints()) {
                DistributionPointName name = point.getDistributionPoint();
                // A CRL by another issuer, or for some reasons only, cannot prove that a certificate is not revoked.
                if (name != null
                        && name.getType() == DistributionPointName.FULL_NAME
                        && point.getCRLIssuer() == null
                        && point.getReasons() == null) {
                    for (GeneralName location :
                            GeneralNames.getInstance(name.getName()).getNames()) {
                        addUrl(urls, location);
                    }
                }
            }
        } catch (IllegalArgumentException | IllegalStateException unreadable) {
            return List.of();
        }
        return urls;
    }

    private static void addUrl(List<String> urls, GeneralName location) {
        if (location.getTagNo() == GeneralName.uniformResourceIdentifier && urls.size() < MOST_URLS) {
            urls.add(location.getName().toString());
        }
    }

    /**
     * Whether a certificate has an extension. Call it before reading the extension: if there is
     * none, the JDK throws and catches two exceptions, which takes longer than a signature check.
     */
    static boolean has(X509Certificate certificate, String oid) {
        Set<String> critical = certificate.getCriticalExtensionOIDs();
        Set<String> others = certificate.getNonCriticalExtensionOIDs();
        return critical != null && critical.contains(oid) || others != null && others.contains(oid);
    }

    private static byte @Nullable [] value(X509Certificate certificate, String oid) {
        if (!has(certificate, oid)) {
            return null;
        }
        byte[] extension = certificate.getExtensionValue(oid);
        if (extension == null) {
            return null;
        }
        try {
            return ASN1OctetString.getInstance(ASN1Primitive.fromByteArray(extension))
                    .getOctets();
        } catch (IOException | IllegalArgumentException | IllegalStateException unreadable) {
            return null;
        }
    }
}
