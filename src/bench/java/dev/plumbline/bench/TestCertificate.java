package dev.plumbline.bench;

import java.io.IOException;
import java.io.Writer;
import java.math.BigInteger;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.PrivateKey;
import java.security.cert.X509Certificate;
import java.security.interfaces.ECPrivateKey;
import java.security.spec.ECGenParameterSpec;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Date;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import org.bouncycastle.asn1.x500.X500Name;
import org.bouncycastle.asn1.x509.BasicConstraints;
import org.bouncycastle.asn1.x509.Extension;
import org.bouncycastle.asn1.x509.GeneralName;
import org.bouncycastle.asn1.x509.GeneralNames;
import org.bouncycastle.cert.CertIOException;
import org.bouncycastle.cert.jcajce.JcaX509CertificateConverter;
import org.bouncycastle.cert.jcajce.JcaX509v3CertificateBuilder;
import org.bouncycastle.openssl.jcajce.JcaPEMWriter;
import org.bouncycastle.operator.OperatorCreationException;
import org.bouncycastle.operator.jcajce.JcaContentSignerBuilder;
import org.bouncycastle.util.io.pem.PemObject;

/** Certificates for 127.0.0.1 and names, issued by a root that is created for each run. */
final class TestCertificate {
    private static final X500Name ROOT_NAME = new X500Name("CN=Plumbline bench root");
    private static final X500Name LEAF_NAME = new X500Name("CN=127.0.0.1");
    private static final AtomicLong SERIAL_NUMBERS = new AtomicLong(System.currentTimeMillis());

    private final Path folder;
    private final KeyPair rootKey;
    private final KeyPair leafKey;
    private final Map<Signer, Authority> authorities = new EnumMap<>(Signer.class);

    /**
     * Writes {@code certificate.pem} (the leaf), {@code key.pem} and {@code root.pem}, and a certificate with the same
     * key for each host of an MTA-STS policy in the folder {@code policy-hosts}. All keys are EC P-256.
     */
    TestCertificate(Path folder) throws IOException {
        this.folder = folder;
        try {
            rootKey = Signer.P256.keyPair();
            leafKey = Signer.P256.keyPair();
            List<String> names = List.of("*." + TargetNames.ZONE, "*." + TargetNames.SITES, "*." + TargetNames.DOMAINS);
            Path policyHosts = Files.createDirectory(folder.resolve("policy-hosts"));
            for (int i = 0; i < TargetNames.DOMAIN_COUNT; i++) {
                String host = "mta-sts.m" + i + "." + TargetNames.DOMAINS;
                pem(policyHosts.resolve(host), certificate(LEAF_NAME, ROOT_NAME, leafKey, rootKey, List.of(host)));
            }
            Files.createDirectory(folder.resolve("distinct"));
            pem(folder.resolve("certificate.pem"), certificate(LEAF_NAME, ROOT_NAME, leafKey, rootKey, names));
            pem(
                    folder.resolve("key.pem"),
                    new PemObject("PRIVATE KEY", leafKey.getPrivate().getEncoded()));
            pem(root(), certificate(ROOT_NAME, ROOT_NAME, rootKey, rootKey, List.of()));
        } catch (GeneralSecurityException | OperatorCreationException impossible) {
            throw new IllegalStateException(impossible);
        }
    }

    Path root() {
        return folder.resolve("root.pem");
    }

    /**
     * Writes a certificate for the host, with the intermediate certificate that issued it, in the folder
     * {@code distinct}.
     */
    void writeDistinct(Signer signer, String host) throws IOException {
        try {
            Authority authority = authorities.get(signer);
            if (authority == null) {
                X500Name name = new X500Name("CN=Plumbline bench " + signer);
                KeyPair key = signer.keyPair();
                authority = new Authority(name, key, certificate(name, ROOT_NAME, key, rootKey, List.of()));
                authorities.put(signer, authority);
            }
            pem(
                    folder.resolve("distinct").resolve(host),
                    certificate(LEAF_NAME, authority.name, leafKey, authority.key, List.of(host)),
                    authority.certificate);
        } catch (GeneralSecurityException | OperatorCreationException impossible) {
            throw new IllegalStateException(impossible);
        }
    }

    /** An intermediate certificate. */
    private record Authority(X500Name name, KeyPair key, X509Certificate certificate) {}

    /** The key types of the intermediate certificates. */
    enum Signer {
        P256,
        P384,
        RSA;

        KeyPair keyPair() throws GeneralSecurityException {
            KeyPairGenerator generator = KeyPairGenerator.getInstance(this == RSA ? "RSA" : "EC");
            switch (this) {
                case P256 -> generator.initialize(new ECGenParameterSpec("secp256r1"));
                case P384 -> generator.initialize(new ECGenParameterSpec("secp384r1"));
                case RSA -> generator.initialize(2048);
            }
            return generator.generateKeyPair();
        }

        /** The signature algorithm that certification authorities use with such a key. */
        static String algorithm(PrivateKey key) {
            if (key instanceof ECPrivateKey ec) {
                return ec.getParams().getCurve().getField().getFieldSize() > 256
                        ? "SHA384withECDSA"
                        : "SHA256withECDSA";
            }
            return "SHA256withRSA";
        }
    }

    /** @param names subject alternative names; empty for a certification authority */
    private static X509Certificate certificate(
            X500Name subject, X500Name issuer, KeyPair key, KeyPair signer, List<String> names)
            throws GeneralSecurityException, OperatorCreationException, CertIOException {
        Instant now = Instant.now();
        boolean authority = names.isEmpty();
        JcaX509v3CertificateBuilder builder = new JcaX509v3CertificateBuilder(
                issuer,
                BigInteger.valueOf(SERIAL_NUMBERS.incrementAndGet()),
                Date.from(now.minus(Duration.ofDays(1))),
                Date.from(now.plus(Duration.ofDays(90))),
                subject,
                key.getPublic());
        builder.addExtension(Extension.basicConstraints, true, new BasicConstraints(authority));
        if (!authority) {
            List<GeneralName> alternatives =
                    new ArrayList<>(List.of(new GeneralName(GeneralName.iPAddress, "127.0.0.1")));
            names.forEach(name -> alternatives.add(new GeneralName(GeneralName.dNSName, name)));
            builder.addExtension(
                    Extension.subjectAlternativeName,
                    false,
                    new GeneralNames(alternatives.toArray(GeneralName[]::new)));
        }
        return new JcaX509CertificateConverter()
                .getCertificate(builder.build(
                        new JcaContentSignerBuilder(Signer.algorithm(signer.getPrivate())).build(signer.getPrivate())));
    }

    private static Path pem(Path file, Object... objects) throws IOException {
        try (Writer writer = Files.newBufferedWriter(file);
                JcaPEMWriter pem = new JcaPEMWriter(writer)) {
            for (Object object : objects) {
                pem.writeObject(object);
            }
        }
        return file;
    }
}
