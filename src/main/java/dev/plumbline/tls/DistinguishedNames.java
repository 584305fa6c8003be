package dev.plumbline.tls;

import java.security.cert.X509Certificate;
import java.util.Arrays;
import javax.security.auth.x500.X500Principal;
import org.bouncycastle.asn1.ASN1ObjectIdentifier;
import org.bouncycastle.asn1.x500.X500Name;
import org.bouncycastle.asn1.x500.style.BCStyle;
import org.bouncycastle.asn1.x500.style.IETFUtils;
import org.jspecify.annotations.Nullable;

/** Reads distinguished names. */
public final class DistinguishedNames {
    private static final int MAX_LENGTH = 120;

    private DistinguishedNames() {}

    /** The whole name in the string representation of RFC 4514. */
    public static String text(X500Principal name) {
        return name.getName(X500Principal.RFC2253);
    }

    public static @Nullable String commonName(X500Principal name) {
        return attribute(name, BCStyle.CN);
    }

    public static @Nullable String organization(X500Principal name) {
        return attribute(name, BCStyle.O);
    }

    /** A short name for messages: of the subject, else the first alternative name, else the serial number. */
    static String display(X509Certificate certificate) {
        String subject = shortText(certificate.getSubjectX500Principal());
        if (!subject.isEmpty()) {
            return subject;
        }
        String first = AlternativeNames.first(certificate);
        return truncated(first != null ? first : CertificateReport.serial(certificate.getSerialNumber()));
    }

    /** The common name, or the whole name if there is none, truncated to 120 characters. */
    static String shortText(X500Principal name) {
        String common = commonName(name);
        return truncated(common == null ? text(name) : common);
    }

    private static String truncated(String text) {
        return text.length() <= MAX_LENGTH ? text : text.substring(0, MAX_LENGTH) + "…";
    }

    static boolean selfIssued(X509Certificate certificate) {
        return certificate.getSubjectX500Principal().equals(certificate.getIssuerX500Principal());
    }

    private static @Nullable String attribute(X500Principal name, ASN1ObjectIdentifier type) {
        try {
            // The last one is the most specific (RFC 4514 section 2.1).
            return Arrays.stream(X500Name.getInstance(name.getEncoded()).getRDNs(type))
                    .reduce((other, last) -> last)
                    .stream()
                    .flatMap(last -> Arrays.stream(last.getTypesAndValues()))
                    .filter(value -> value.getType().equals(type))
                    .map(value -> IETFUtils.valueToString(value.getValue()).replace("\\", ""))
                    .findFirst()
                    .orElse(null);
        } catch (IllegalArgumentException | IllegalStateException unreadable) {
            return null;
        }
    }
}
