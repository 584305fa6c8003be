package dev.plumbline.bench;

import java.io.IOException;
import java.io.Writer;
import java.math.BigInteger;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.cert.X509Certificate;
import java.security.spec.ECGenParameterSpec;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Date;
import java.util.List;
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

/** A chain of two EC P-256 certificates for 127.0.0.1 and names, created for each run. */
final class TestCertificate {
    private TestCertificate() {}

    /**
     * Writes {@code certificate.pem} (the leaf), {@code key.pem} and {@code root.pem}, and a certificate with the same
     * key for each host of an MTA-STS policy in the folder {@code policy-hosts}.
     *
     * @return root.pem
     */
    static Path write(Path folder) throws IOException {
        try {
            KeyPair rootKey = keyPair();
            KeyPair leafKey = keyPair();
            X500Name rootName = new X500Name("CN=Plumbline bench root");
            X509Certificate root = certificate(rootName, rootName, rootKey, rootKey, List.of());
            X500Name leafName = new X500Name("CN=127.0.0.1");
            List<String> names = List.of("*." + TargetNames.ZONE, "*." + TargetNames.SITES, "*." + TargetNames.DOMAINS);
            X509Certificate leaf = certificate(leafName, rootName, leafKey, rootKey, names);
            Path policyHosts = Files.createDirectory(folder.resolve("policy-hosts"));
            for (int i = 0; i < TargetNames.DOMAIN_COUNT; i++) {
                String host = "mta-sts.m" + i + "." + TargetNames.DOMAINS;
                pem(policyHosts.resolve(host), certificate(leafName, rootName, leafKey, rootKey, List.of(host)));
            }
            pem(folder.resolve("certificate.pem"), leaf);
            pem(
                    folder.resolve("key.pem"),
                    new PemObject("PRIVATE KEY", leafKey.getPrivate().getEncoded()));
            return pem(folder.resolve("root.pem"), root);
        } catch (GeneralSecurityException | OperatorCreationException impossible) {
            throw new IllegalStateException(impossible);
        }
    }

    private static KeyPair keyPair() throws GeneralSecurityException {
        KeyPairGenerator generator = KeyPairGenerator.getInstance("EC");
        generator.initialize(new ECGenParameterSpec("secp256r1"));
        return generator.generateKeyPair();
    }

    /** @param names of the leaf; empty: the root */
    private static X509Certificate certificate(
            X500Name subject, X500Name issuer, KeyPair key, KeyPair signer, List<String> names)
            throws GeneralSecurityException, OperatorCreationException, CertIOException {
        Instant now = Instant.now();
        boolean authority = names.isEmpty();
        JcaX509v3CertificateBuilder builder = new JcaX509v3CertificateBuilder(
                issuer,
                BigInteger.valueOf(now.toEpochMilli() + (authority ? 0 : 1)),
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
                .getCertificate(
                        builder.build(new JcaContentSignerBuilder("SHA256withECDSA").build(signer.getPrivate())));
    }

    private static Path pem(Path file, Object what) throws IOException {
        try (Writer writer = Files.newBufferedWriter(file);
                JcaPEMWriter pem = new JcaPEMWriter(writer)) {
            pem.writeObject(what);
        }
        return file;
    }
}
