package dev.plumbline.tls;

import com.google.common.net.InternetDomainName;
import java.net.InetAddress;
import java.security.cert.CertificateParsingException;
import java.security.cert.X509Certificate;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;
import org.bouncycastle.asn1.ASN1OctetString;
import org.bouncycastle.asn1.x509.Extension;
import org.bouncycastle.asn1.x509.GeneralName;
import org.bouncycastle.asn1.x509.GeneralNames;
import org.jspecify.annotations.Nullable;

/**
 * Matches a certificate against a host (RFC 9525 section 6). Only the subject alternative names are used, not the
 * common name. A wildcard matches exactly one label, the left-most one, and not in a name below which registries sell
 * names (Baseline Requirements section 3.2.2.6).
 */
public final class CertificateHostnames {
    private static final int DNS_NAME = 2;

    private CertificateHostnames() {}

    /**
     * @param name lower-case A-labels; ignored if there is an address
     * @param address the address if the host is an IP address, else null
     */
    public static boolean matches(X509Certificate certificate, String name, @Nullable InetAddress address) {
        if (address != null) {
            return addresses(certificate).stream().anyMatch(entry -> Arrays.equals(entry, address.getAddress()));
        }
        return dnsNames(certificate).stream().anyMatch(pattern -> matches(pattern, name));
    }

    /** The DNS names, unchanged. */
    public static List<String> dnsNames(X509Certificate certificate) {
        try {
            return Stream.ofNullable(certificate.getSubjectAlternativeNames())
                    .flatMap(Collection::stream)
                    .filter(entry -> entry.get(0).equals(DNS_NAME))
                    .map(entry -> (String) entry.get(1))
                    .toList();
        } catch (CertificateParsingException unreadable) {
            return List.of();
        }
    }

    private static List<byte[]> addresses(X509Certificate certificate) {
        return CertificateExtensions.read(
                certificate, Extension.subjectAlternativeName.getId(), List.of(), value -> Arrays.stream(
                                GeneralNames.getInstance(value).getNames())
                        .filter(name -> name.getTagNo() == GeneralName.iPAddress)
                        .map(name -> ASN1OctetString.getInstance(name.getName()).getOctets())
                        .toList());
    }

    static boolean matches(String pattern, String name) {
        String entry = pattern.toLowerCase(Locale.ROOT);
        if (!entry.startsWith("*.")) {
            return entry.equals(name);
        }
        String below = entry.substring(1);
        int dot = name.indexOf('.');
        return dot > 0
                && below.indexOf('*') < 0
                && below.indexOf('.', 1) > 0
                && name.substring(dot).equals(below)
                && !isRegistrySuffix(below.substring(1));
    }

    /** Whether registries sell names below this one, for example {@code co.uk}. */
    private static boolean isRegistrySuffix(String name) {
        return InternetDomainName.isValid(name) && InternetDomainName.from(name).isRegistrySuffix();
    }
}
