package dev.plumbline.probe.tls;

import dev.plumbline.tls.CertificateParser;
import java.security.cert.X509Certificate;
import java.util.List;

/** The heap that the certificates of a peer occupy, in bytes. */
public final class CertificateMemory {
    /** The memory of the objects of a certificate without those of its names, as a multiple of its size. */
    private static final int OBJECT_FACTOR = 6;

    /**
     * The memory of a subject alternative name of the JDK's certificates, parsed and in the list of names, in bytes. A
     * certificate of 93 KB with 31,000 names holds 5.3 MB.
     */
    private static final int NAME_BYTES = 168;

    /** The size of a subject alternative name with one character. */
    private static final int MIN_ENCODED_NAME_BYTES = 3;

    private CertificateMemory() {}

    static long bytesOf(List<X509Certificate> certificates) {
        return OBJECT_FACTOR * encodedBytes(certificates)
                + NAME_BYTES
                        * certificates.stream()
                                .mapToLong(CertificateParser::nameCount)
                                .sum();
    }

    /**
     * The most memory that certificates can occupy while they are evaluated. 0 for a chain of usual size, which the
     * memory of its connection includes.
     */
    public static long maxBytesOf(List<X509Certificate> certificates) {
        return CertificateParser.isCheap(certificates)
                ? 0
                : encodedBytes(certificates) * (OBJECT_FACTOR + NAME_BYTES / MIN_ENCODED_NAME_BYTES);
    }

    private static long encodedBytes(List<X509Certificate> certificates) {
        return certificates.stream()
                .mapToLong(certificate -> CertificateParser.encoded(certificate).length)
                .sum();
    }
}
