package dev.plumbline.tls;

import dev.plumbline.target.IpAddressText;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import org.bouncycastle.asn1.ASN1Encodable;
import org.bouncycastle.asn1.ASN1OctetString;
import org.bouncycastle.asn1.x509.Extension;
import org.bouncycastle.asn1.x509.GeneralName;
import org.bouncycastle.asn1.x509.GeneralNames;
import org.jspecify.annotations.Nullable;

/**
 * The subject alternative names of a certificate. A certificate can have 85,000; only those that a result can contain
 * are kept.
 *
 * @param listed in order. Names that are neither hostnames nor IP addresses have their type as prefix.
 * @param wildcard whether the certificate has a wildcard name
 */
public record AlternativeNames(List<String> listed, boolean wildcard) {
    /** More than a result can contain, so that it reports the list as truncated. */
    private static final int MAX_LISTED_BYTES = 65 * 1024;

    /** The quotes and the comma of a name in JSON. */
    private static final int SYNTAX_BYTES = 3;

    private static final AlternativeNames NONE = new AlternativeNames(List.of(), false);

    /** Blocks for milliseconds if there are thousands of names. */
    public static AlternativeNames of(X509Certificate certificate) {
        return CertificateExtensions.read(certificate, Extension.subjectAlternativeName.getId(), NONE, value -> {
            List<String> listed = new ArrayList<>();
            boolean wildcard = false;
            int bytes = 0;
            for (GeneralName name : GeneralNames.getInstance(value).getNames()) {
                String text = text(name);
                wildcard |= text.startsWith("*.");
                bytes += text.length() + SYNTAX_BYTES;
                if (bytes <= MAX_LISTED_BYTES || listed.isEmpty()) {
                    listed.add(text);
                }
            }
            return new AlternativeNames(List.copyOf(listed), wildcard);
        });
    }

    /** The first name; null if there is none. */
    static @Nullable String first(X509Certificate certificate) {
        return CertificateExtensions.readOrNull(certificate, Extension.subjectAlternativeName.getId(), value -> {
            DerReader names = new DerReader(value, 0, value.length)
                    .next(DerReader.SEQUENCE)
                    .content();
            return names.atEnd()
                    ? null
                    : text(GeneralName.getInstance(names.next().copy(value.length)));
        });
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
}
