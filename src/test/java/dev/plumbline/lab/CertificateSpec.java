package dev.plumbline.lab;

import java.io.IOException;
import java.math.BigInteger;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.bouncycastle.asn1.ASN1Encodable;
import org.bouncycastle.asn1.ASN1Integer;
import org.bouncycastle.asn1.ASN1ObjectIdentifier;
import org.bouncycastle.asn1.DEROctetString;
import org.bouncycastle.asn1.DERSequence;
import org.bouncycastle.asn1.x509.AccessDescription;
import org.bouncycastle.asn1.x509.AuthorityInformationAccess;
import org.bouncycastle.asn1.x509.BasicConstraints;
import org.bouncycastle.asn1.x509.CRLDistPoint;
import org.bouncycastle.asn1.x509.DistributionPoint;
import org.bouncycastle.asn1.x509.DistributionPointName;
import org.bouncycastle.asn1.x509.ExtendedKeyUsage;
import org.bouncycastle.asn1.x509.Extension;
import org.bouncycastle.asn1.x509.GeneralName;
import org.bouncycastle.asn1.x509.GeneralNames;
import org.bouncycastle.asn1.x509.GeneralSubtree;
import org.bouncycastle.asn1.x509.KeyPurposeId;
import org.bouncycastle.asn1.x509.KeyUsage;
import org.bouncycastle.asn1.x509.NameConstraints;
import org.bouncycastle.cert.X509v3CertificateBuilder;
import org.bouncycastle.cert.jcajce.JcaX509ExtensionUtils;
import org.jspecify.annotations.Nullable;

/** The contents of a test certificate. Each method changes this object and returns it. */
public final class CertificateSpec {
    private String subject;
    private final List<GeneralName> names = new ArrayList<>();
    private Instant notBefore = Instant.now().minus(Duration.ofDays(1));
    private Instant notAfter = Instant.now().plus(Duration.ofDays(90));
    private String keyKind = "P-256";
    private @Nullable KeyPair keys;
    private @Nullable String digest;
    private BigInteger serial = TestCa.randomSerial();
    private @Nullable BasicConstraints constraints;
    private int keyUsage = KeyUsage.digitalSignature;
    private @Nullable KeyPurposeId purpose = KeyPurposeId.id_kp_serverAuth;
    private @Nullable NameConstraints nameConstraints;
    private boolean keyIdentifiers = true;
    private boolean mustStaple;
    private int timestamps;
    private @Nullable String ocspUrl;
    private @Nullable String crlUrl;
    private final Map<String, ASN1Encodable> extensions = new LinkedHashMap<>();

    private CertificateSpec(String subject) {
        this.subject = subject;
    }

    /** A valid server certificate: 90 days, P-256. */
    public static CertificateSpec server(String... hosts) {
        CertificateSpec spec = new CertificateSpec("CN=" + hosts[0] + ",O=Plumbline Lab");
        for (String host : hosts) {
            spec.names.add(new GeneralName(GeneralName.dNSName, host));
        }
        return spec;
    }

    /** A server certificate without subject alternative names. */
    public static CertificateSpec commonNameOnly(String host) {
        return new CertificateSpec("CN=" + host + ",O=Plumbline Lab");
    }

    /** A valid CA certificate: ten years, P-256. */
    public static CertificateSpec authority(String name) {
        CertificateSpec spec = new CertificateSpec("CN=" + name + ",O=Plumbline Lab,C=XX");
        spec.notAfter = Instant.now().plus(Duration.ofDays(3650));
        spec.constraints = new BasicConstraints(true);
        spec.keyUsage = KeyUsage.keyCertSign | KeyUsage.cRLSign;
        spec.purpose = null;
        return spec;
    }

    /** Leaves the subject empty (RFC 5280 section 4.1.2.6). */
    public CertificateSpec withoutSubject() {
        subject = "";
        return this;
    }

    public CertificateSpec address(String address) {
        names.add(new GeneralName(GeneralName.iPAddress, address));
        return this;
    }

    public CertificateSpec name(String host) {
        names.add(new GeneralName(GeneralName.dNSName, host));
        return this;
    }

    /** Adds a number of DNS names with one character. */
    public CertificateSpec names(int count) {
        names.addAll(Collections.nCopies(count, new GeneralName(GeneralName.dNSName, "a")));
        return this;
    }

    public CertificateSpec from(Instant time) {
        notBefore = time.truncatedTo(ChronoUnit.SECONDS);
        return this;
    }

    public CertificateSpec until(Instant time) {
        notAfter = time.truncatedTo(ChronoUnit.SECONDS);
        return this;
    }

    /** @param kind for example RSA-2048, P-384 or Ed25519 */
    public CertificateSpec key(String kind) {
        keyKind = kind;
        return this;
    }

    public CertificateSpec keys(KeyPair pair) {
        keys = pair;
        return this;
    }

    /** @param name digest of the signature, for example SHA1 or MD5 */
    public CertificateSpec digest(String name) {
        digest = name;
        return this;
    }

    /** Sets a serial number of this size. RFC 5280 section 4.1.2.2 allows at most 20 bytes. */
    public CertificateSpec serialOfBytes(int bytes) {
        serial = BigInteger.ONE.shiftLeft(8 * bytes - 2);
        return this;
    }

    public CertificateSpec serial(long number) {
        serial = BigInteger.valueOf(number);
        return this;
    }

    public CertificateSpec pathLength(int max) {
        constraints = new BasicConstraints(max);
        return this;
    }

    public CertificateSpec withoutBasicConstraints() {
        constraints = null;
        return this;
    }

    public CertificateSpec keyUsage(int bits) {
        keyUsage = bits;
        return this;
    }

    public CertificateSpec purpose(KeyPurposeId id) {
        purpose = id;
        return this;
    }

    public CertificateSpec permittedSubtree(String domain) {
        nameConstraints = new NameConstraints(
                new GeneralSubtree[] {new GeneralSubtree(new GeneralName(GeneralName.dNSName, domain))}, null);
        return this;
    }

    public CertificateSpec nameConstraints(NameConstraints value) {
        nameConstraints = value;
        return this;
    }

    public CertificateSpec withoutKeyIdentifiers() {
        keyIdentifiers = false;
        return this;
    }

    public CertificateSpec mustStaple() {
        mustStaple = true;
        return this;
    }

    public CertificateSpec timestamps(int count) {
        timestamps = count;
        return this;
    }

    public CertificateSpec ocsp(String url) {
        ocspUrl = url;
        return this;
    }

    public CertificateSpec crl(String url) {
        crlUrl = url;
        return this;
    }

    /** Adds another extension. */
    public CertificateSpec extension(String oid, ASN1Encodable value) {
        extensions.put(oid, value);
        return this;
    }

    String subject() {
        return subject;
    }

    Instant notBefore() {
        return notBefore;
    }

    Instant notAfter() {
        return notAfter;
    }

    BigInteger serial() {
        return serial;
    }

    KeyPair keys() {
        return keys == null ? TestCa.generate(keyKind) : keys;
    }

    String signatureFor(PrivateKey signer) {
        String algorithm = signer.getAlgorithm();
        if (algorithm.startsWith("Ed")) {
            return "Ed25519";
        }
        return (digest == null ? "SHA256" : digest) + "with" + (algorithm.equals("EC") ? "ECDSA" : algorithm);
    }

    void addExtensions(X509v3CertificateBuilder to, PublicKey own, PublicKey issuer)
            throws IOException, GeneralSecurityException {
        JcaX509ExtensionUtils utils = new JcaX509ExtensionUtils();
        if (keyIdentifiers) {
            to.addExtension(Extension.subjectKeyIdentifier, false, utils.createSubjectKeyIdentifier(own));
            to.addExtension(Extension.authorityKeyIdentifier, false, utils.createAuthorityKeyIdentifier(issuer));
        }
        to.addExtension(Extension.keyUsage, true, new KeyUsage(keyUsage));
        if (constraints != null) {
            to.addExtension(Extension.basicConstraints, true, constraints);
        }
        if (purpose != null) {
            to.addExtension(Extension.extendedKeyUsage, false, new ExtendedKeyUsage(purpose));
        }
        if (!names.isEmpty()) {
            to.addExtension(
                    Extension.subjectAlternativeName, false, new GeneralNames(names.toArray(new GeneralName[0])));
        }
        if (nameConstraints != null) {
            to.addExtension(Extension.nameConstraints, true, nameConstraints);
        }
        if (mustStaple) {
            to.addExtension(new ASN1ObjectIdentifier("1.3.6.1.5.5.7.1.24"), false, new DERSequence(new ASN1Integer(5)));
        }
        if (timestamps > 0) {
            to.addExtension(new ASN1ObjectIdentifier("1.3.6.1.4.1.11129.2.4.2"), false, timestampList(timestamps));
        }
        if (ocspUrl != null) {
            to.addExtension(
                    Extension.authorityInfoAccess,
                    false,
                    new AuthorityInformationAccess(new AccessDescription(
                            AccessDescription.id_ad_ocsp,
                            new GeneralName(GeneralName.uniformResourceIdentifier, ocspUrl))));
        }
        for (Map.Entry<String, ASN1Encodable> extension : extensions.entrySet()) {
            to.addExtension(new ASN1ObjectIdentifier(extension.getKey()), false, extension.getValue());
        }
        if (crlUrl != null) {
            to.addExtension(Extension.cRLDistributionPoints, false, new CRLDistPoint(new DistributionPoint[] {
                new DistributionPoint(
                        new DistributionPointName(
                                new GeneralNames(new GeneralName(GeneralName.uniformResourceIdentifier, crlUrl))),
                        null,
                        null)
            }));
        }
    }

    /** A list of SCTs without a known log (RFC 6962 section 3.3), 47 bytes each. */
    public static ASN1Encodable timestampList(int count) {
        byte[] list = new byte[2 + count * 49];
        list[0] = (byte) (count * 49 >> 8);
        list[1] = (byte) (count * 49);
        for (int i = 0; i < count; i++) {
            list[2 + i * 49 + 1] = 47;
        }
        return new DEROctetString(list);
    }
}
