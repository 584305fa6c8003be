package dev.plumbline.tls;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.util.List;

/** Reads PEM files with certificates. */
public final class PemCertificates {
    private PemCertificates() {}

    /**
     * Reads a file.
     *
     * @return the certificates in the order of the file, at least one
     * @throws IOException if it cannot be read or contains no certificate; the message is a clause such as "the file
     *     contains no certificate"
     */
    public static List<X509Certificate> read(Path file) throws IOException {
        List<X509Certificate> certificates;
        try (InputStream in = new BufferedInputStream(Files.newInputStream(file))) {
            certificates = CertificateFactory.getInstance("X.509").generateCertificates(in).stream()
                    .map(X509Certificate.class::cast)
                    .toList();
        } catch (GeneralSecurityException broken) {
            throw new IOException("the file contains data that is not a certificate", broken);
        } catch (IOException unreadable) {
            throw new IOException("the file cannot be read (" + unreadable.getMessage() + ")", unreadable);
        }
        if (certificates.isEmpty()) {
            throw new IOException("the file contains no certificate");
        }
        return certificates;
    }
}
