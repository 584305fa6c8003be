package dev.plumbline.cli;

import io.vertx.core.buffer.Buffer;
import io.vertx.core.net.PemKeyCertOptions;
import java.io.IOException;
import java.io.StringWriter;
import java.math.BigInteger;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.spec.ECGenParameterSpec;
import java.time.Duration;
import java.time.Instant;
import java.util.Date;
import org.bouncycastle.asn1.x500.X500Name;
import org.bouncycastle.asn1.x509.BasicConstraints;
import org.bouncycastle.asn1.x509.Extension;
import org.bouncycastle.asn1.x509.GeneralName;
import org.bouncycastle.asn1.x509.GeneralNames;
import org.bouncycastle.cert.X509CertificateHolder;
import org.bouncycastle.cert.jcajce.JcaX509v3CertificateBuilder;
import org.bouncycastle.operator.OperatorCreationException;
import org.bouncycastle.operator.jcajce.JcaContentSignerBuilder;
import org.bouncycastle.util.io.pem.PemObject;
import org.bouncycastle.util.io.pem.PemWriter;

/** A certificate for the names of a domain and the root certificate that issued it, with EC P-256 keys. */
record TrainingCertificate(String rootPem, String leafPem, String keyPem) {
    private static final Duration VALIDITY = Duration.ofDays(2);

    /** @param domain its subdomains have the certificate */
    static TrainingCertificate create(String domain) throws IOException {
        try {
            KeyPairGenerator generator = KeyPairGenerator.getInstance("EC");
            generator.initialize(new ECGenParameterSpec("secp256r1"));
            KeyPair rootKey = generator.generateKeyPair();
            KeyPair leafKey = generator.generateKeyPair();
            X500Name issuer = new X500Name("CN=Training root");
            JcaX509v3CertificateBuilder root = builder(issuer, issuer, rootKey, 1);
            root.addExtension(Extension.basicConstraints, true, new BasicConstraints(true));
            JcaX509v3CertificateBuilder leaf = builder(issuer, new X500Name("CN=" + domain), leafKey, 2);
            leaf.addExtension(
                    Extension.subjectAlternativeName,
                    false,
                    new GeneralNames(new GeneralName(GeneralName.dNSName, "*." + domain)));
            return new TrainingCertificate(
                    pem("CERTIFICATE", sign(root, rootKey)),
                    pem("CERTIFICATE", sign(leaf, rootKey)),
                    pem("PRIVATE KEY", leafKey.getPrivate().getEncoded()));
        } catch (GeneralSecurityException | OperatorCreationException missingAlgorithm) {
            throw new IllegalStateException(missingAlgorithm);
        }
    }

    PemKeyCertOptions keyCertOptions() {
        return new PemKeyCertOptions().setCertValue(Buffer.buffer(leafPem)).setKeyValue(Buffer.buffer(keyPem));
    }

    private static JcaX509v3CertificateBuilder builder(X500Name issuer, X500Name subject, KeyPair key, long serial) {
        Instant now = Instant.now();
        return new JcaX509v3CertificateBuilder(
                issuer,
                BigInteger.valueOf(serial),
                Date.from(now.minus(VALIDITY)),
                Date.from(now.plus(VALIDITY)),
                subject,
                key.getPublic());
    }

    private static byte[] sign(JcaX509v3CertificateBuilder certificate, KeyPair issuer)
            throws IOException, OperatorCreationException {
        X509CertificateHolder signed =
                certificate.build(new JcaContentSignerBuilder("SHA256withECDSA").build(issuer.getPrivate()));
        return signed.getEncoded();
    }

    private static String pem(String type, byte[] content) throws IOException {
        StringWriter text = new StringWriter();
        try (PemWriter pem = new PemWriter(text)) {
            pem.writeObject(new PemObject(type, content));
        }
        return text.toString();
    }
}
