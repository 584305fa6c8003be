package dev.plumbline.lab;

import dev.plumbline.signature.RsaKeyPairs;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.math.BigInteger;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.security.spec.ECGenParameterSpec;
import java.util.Base64;
import java.util.Date;
import java.util.List;
import org.bouncycastle.asn1.x500.X500Name;
import org.bouncycastle.asn1.x509.SubjectPublicKeyInfo;
import org.bouncycastle.cert.X509v3CertificateBuilder;
import org.bouncycastle.jce.provider.BouncyCastleProvider;
import org.bouncycastle.operator.OperatorCreationException;
import org.bouncycastle.operator.jcajce.JcaContentSignerBuilder;

/** A certificate authority that issues valid and invalid certificates. */
public final class TestCa {

    /**
     * A certificate and its private key.
     *
     * @param chain the certificate and its issuers, without the root
     */
    public record Identity(X509Certificate certificate, PrivateKey key, List<X509Certificate> chain) {
        /** The same identity with another certificate list. */
        public Identity withChain(X509Certificate... other) {
            return new Identity(certificate, key, List.of(other));
        }

        /** The certificate in PEM. */
        public String pem() {
            return TestCa.pem(certificate);
        }

        /** The key in PEM (PKCS #8). */
        public String keyPem() {
            return block("PRIVATE KEY", key.getEncoded());
        }

        /** Writes the certificate chain to {@code chain.pem} and the key to {@code key.pem}. */
        public void writePem(Path folder) throws IOException {
            Files.writeString(folder.resolve("chain.pem"), TestCa.pem(chain.toArray(new X509Certificate[0])));
            Files.writeString(folder.resolve("key.pem"), keyPem());
        }
    }

    private final X509Certificate certificate;
    private final KeyPair keys;
    private final List<X509Certificate> chain;

    private TestCa(X509Certificate certificate, KeyPair keys, List<X509Certificate> chain) {
        this.certificate = certificate;
        this.keys = keys;
        this.chain = chain;
    }

    /** A self-signed CA. */
    public static TestCa root(String name) {
        return root(CertificateSpec.authority(name));
    }

    public static TestCa root(CertificateSpec spec) {
        KeyPair keys = spec.keys();
        X509Certificate certificate =
                sign(spec, new X500Name(spec.subject()), keys.getPublic(), keys.getPublic(), keys);
        return new TestCa(certificate, keys, List.of());
    }

    /** A subordinate CA. */
    public TestCa authority(String name) {
        return authority(CertificateSpec.authority(name));
    }

    /** A subordinate CA. */
    public TestCa authority(CertificateSpec spec) {
        KeyPair own = spec.keys();
        X509Certificate issued = sign(spec, name(), own.getPublic(), keys.getPublic(), keys);
        return new TestCa(issued, own, prepend(issued, chain));
    }

    /** A cross-signed certificate: name and key of another CA, signed by this CA. */
    public X509Certificate crossSign(TestCa other, CertificateSpec spec) {
        return sign(spec, name(), other.keys.getPublic(), keys.getPublic(), keys);
    }

    public Identity issue(CertificateSpec spec) {
        KeyPair own = spec.keys();
        X509Certificate issued = sign(spec, name(), own.getPublic(), keys.getPublic(), keys);
        return new Identity(issued, own.getPrivate(), prepend(issued, chain));
    }

    /** A self-signed certificate. */
    public static Identity selfSigned(CertificateSpec spec) {
        KeyPair own = spec.keys();
        X509Certificate issued = sign(spec, new X500Name(spec.subject()), own.getPublic(), own.getPublic(), own);
        return new Identity(issued, own.getPrivate(), List.of(issued));
    }

    public X509Certificate certificate() {
        return certificate;
    }

    public PrivateKey key() {
        return keys.getPrivate();
    }

    private X500Name name() {
        return X500Name.getInstance(certificate.getSubjectX500Principal().getEncoded());
    }

    private static List<X509Certificate> prepend(X509Certificate first, List<X509Certificate> rest) {
        List<X509Certificate> all = new java.util.ArrayList<>();
        all.add(first);
        all.addAll(rest);
        return List.copyOf(all);
    }

    private static X509Certificate sign(
            CertificateSpec spec, X500Name issuer, PublicKey subjectKey, PublicKey issuerKey, KeyPair by) {
        try {
            X509v3CertificateBuilder builder = new X509v3CertificateBuilder(
                    issuer,
                    spec.serial(),
                    Date.from(spec.notBefore()),
                    Date.from(spec.notAfter()),
                    new X500Name(spec.subject()),
                    SubjectPublicKeyInfo.getInstance(subjectKey.getEncoded()));
            spec.addExtensions(builder, subjectKey, issuerKey);
            byte[] der = builder.build(
                            new JcaContentSignerBuilder(spec.signatureFor(by.getPrivate())).build(by.getPrivate()))
                    .getEncoded();
            return parse(der);
        } catch (IOException | GeneralSecurityException | OperatorCreationException impossible) {
            throw new IllegalStateException(impossible);
        }
    }

    /** The JDK rejects some certificates that other clients accept. */
    private static X509Certificate parse(byte[] der) throws CertificateException {
        try {
            return (X509Certificate)
                    CertificateFactory.getInstance("X.509").generateCertificate(new ByteArrayInputStream(der));
        } catch (CertificateException rejected) {
            return (X509Certificate) CertificateFactory.getInstance("X.509", new BouncyCastleProvider())
                    .generateCertificate(new ByteArrayInputStream(der));
        }
    }

    /** @param kind for example RSA-2048, P-256 or Ed25519 */
    static KeyPair generate(String kind) {
        try {
            if (kind.startsWith("RSA-")) {
                return RsaKeyPairs.generate(Integer.parseInt(kind.substring(4)));
            }
            if (kind.startsWith("P-")) {
                KeyPairGenerator generator = KeyPairGenerator.getInstance("EC");
                generator.initialize(new ECGenParameterSpec("secp" + kind.substring(2) + "r1"));
                return generator.generateKeyPair();
            }
            return KeyPairGenerator.getInstance(kind).generateKeyPair();
        } catch (GeneralSecurityException unknown) {
            throw new IllegalArgumentException(kind, unknown);
        }
    }

    static BigInteger randomSerial() {
        return new BigInteger(120, new java.security.SecureRandom()).setBit(119);
    }

    /** Concatenated certificates in PEM. */
    public static String pem(X509Certificate... certificates) {
        StringWriter out = new StringWriter();
        try {
            for (X509Certificate each : certificates) {
                out.write(block("CERTIFICATE", each.getEncoded()));
            }
        } catch (GeneralSecurityException impossible) {
            throw new UncheckedIOException(new IOException(impossible));
        }
        return out.toString();
    }

    private static String block(String label, byte[] der) {
        return "-----BEGIN "
                + label
                + "-----\n"
                + Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(der)
                + "\n-----END "
                + label
                + "-----\n";
    }
}
