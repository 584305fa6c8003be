package dev.plumbline.app;

import dev.plumbline.config.Config;
import dev.plumbline.config.ConfigException;
import dev.plumbline.target.ExceptionMessage;
import dev.plumbline.tls.PemCertificates;
import io.vertx.core.Vertx;
import io.vertx.core.net.PemKeyCertOptions;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.Signature;
import java.security.cert.X509Certificate;
import java.util.List;
import javax.net.ssl.X509KeyManager;
import org.jspecify.annotations.Nullable;

/** Validates the files of the TLS settings at start, so that an error is reported with the name of its setting. */
final class TlsFiles {
    private TlsFiles() {}

    static void validate(Config config, Vertx vertx) throws ConfigException {
        validate("http", config.http().tlsCertificate(), config.http().tlsKey(), vertx);
        if (config.cluster().enabled()) {
            Config.ClusterSettings cluster = config.cluster();
            validate("cluster", cluster.tlsCertificate(), cluster.tlsKey(), vertx);
            if (cluster.tlsCa() != null) {
                certificates(
                        "cluster.tls_ca",
                        cluster.tlsCa(),
                        "the path of a PEM file with the certificates of the authorities that sign the certificates of the nodes");
            }
        }
    }

    private static void validate(String section, @Nullable Path certificate, @Nullable Path key, Vertx vertx)
            throws ConfigException {
        if (certificate == null || key == null) {
            return;
        }
        String setting = section + ".tls_certificate";
        PublicKey publicKey = certificates(
                        setting, certificate, "the path of a PEM file with the certificate chain, leaf first")
                .get(0)
                .getPublicKey();
        String problem;
        try {
            problem = matches(publicKey, privateKey(certificate, key, publicKey.getAlgorithm(), vertx))
                    ? null
                    : "the private key does not match the certificate in " + setting;
        } catch (Exception invalid) {
            problem = "the file does not contain a usable private key (" + ExceptionMessage.of(invalid) + ")";
        }
        if (problem != null) {
            throw ConfigException.ofFile(
                    section + ".tls_key",
                    key,
                    problem,
                    "the path of a PEM file with the private key of " + setting + " without a passphrase");
        }
    }

    private static List<X509Certificate> certificates(String setting, Path file, String expected)
            throws ConfigException {
        try {
            return PemCertificates.read(file);
        } catch (IOException invalid) {
            throw ConfigException.ofFile(setting, file, ExceptionMessage.of(invalid), expected);
        }
    }

    /**
     * Reads a key as the server will.
     *
     * @return null if it has another algorithm than the certificate
     */
    private static @Nullable PrivateKey privateKey(Path certificate, Path key, String algorithm, Vertx vertx)
            throws Exception {
        PemKeyCertOptions options =
                new PemKeyCertOptions().setCertPath(certificate.toString()).setKeyPath(key.toString());
        X509KeyManager keys =
                (X509KeyManager) options.getKeyManagerFactory(vertx).getKeyManagers()[0];
        String[] aliases = keys.getServerAliases(algorithm, null);
        return aliases == null ? null : keys.getPrivateKey(aliases[0]);
    }

    private static boolean matches(PublicKey publicKey, @Nullable PrivateKey privateKey)
            throws GeneralSecurityException {
        if (privateKey == null || !privateKey.getAlgorithm().equals(publicKey.getAlgorithm())) {
            return false;
        }
        String algorithm = privateKey.getAlgorithm();
        Signature signature = Signature.getInstance(
                switch (algorithm) {
                    case "RSA" -> "SHA256withRSA";
                    case "EC" -> "SHA256withECDSA";
                    default -> algorithm;
                });
        byte[] message = "plumbline".getBytes(StandardCharsets.US_ASCII);
        signature.initSign(privateKey);
        signature.update(message);
        byte[] signed = signature.sign();
        signature.initVerify(publicKey);
        signature.update(message);
        return signature.verify(signed);
    }
}
