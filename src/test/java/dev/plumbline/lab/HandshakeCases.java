package dev.plumbline.lab;

import static dev.plumbline.lab.TlsLab.spec;

import dev.plumbline.lab.TlsServers.Manner;
import java.nio.charset.StandardCharsets;
import java.time.Duration;

/** Servers of the lab that differ in how they speak TLS, if they do. */
final class HandshakeCases {
    private final TlsLab lab;
    private final TestCa root;
    private final TestCa issuer;

    HandshakeCases(TlsLab lab) {
        this.lab = lab;
        this.root = lab.root();
        this.issuer = lab.issuer();
    }

    void all() {
        manners();
        hostile();
    }

    private void manners() {
        TestCa rsa =
                root.authority(CertificateSpec.authority("Lab RSA Issuer 2").key("RSA-2048"));
        lab.shows("tls-1.0", "none", rsa.issue(spec("tls-1.0").key("RSA-2048")), Manner.PLAIN.protocols("TLSv1"), "");
        lab.shows("tls-1.2", "none", issuer.issue(spec("tls-1.2")), Manner.PLAIN.protocols("TLSv1.2"), "");
        lab.shows("tls-1.3", "none", issuer.issue(spec("tls-1.3")), Manner.PLAIN.protocols("TLSv1.3"), "");
        lab.shows(
                "client-certificate",
                "none",
                issuer.issue(spec("client-certificate")),
                Manner.PLAIN.protocols("TLSv1.3").askingForCertificates(),
                "");
        lab.fails(
                "client-certificate-1.2",
                "tls_handshake_failed",
                issuer.issue(spec("client-certificate-1.2")),
                Manner.PLAIN.protocols("TLSv1.2").askingForCertificates());
    }

    private void hostile() {
        byte[] page = ascii("HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n");
        lab.fails("plain-http", "tls_handshake_failed", lab.tcp().answer(page));
        lab.fails("garbage", "tls_handshake_failed", lab.tcp().answer(ascii("\u0001\u0002garbage, no TLS")));
        lab.fails("smtp", "tls_handshake_failed", lab.tcp().greet(ascii("220 lab.test ESMTP\r\n")));
        lab.fails("silent", "read_timeout", lab.tcp().silent());
        lab.fails("resetting", "connection_reset", lab.tcp().resetting());
        lab.fails("closing", "tls_handshake_failed", lab.tcp().closing());
        // Warning alerts, which a client may pass over, without end.
        lab.fails(
                "endless-alerts",
                "tls_handshake_failed",
                lab.tcp().repeating(new byte[] {21, 3, 3, 0, 2, 1, 112}, Duration.ofMillis(1)));
        // A handshake message of 16 MiB that never ends.
        byte[] record = new byte[5 + 16384];
        record[0] = 22;
        record[1] = 3;
        record[2] = 3;
        record[3] = 64;
        record[5] = 2;
        record[6] = (byte) 255;
        lab.fails("endless-message", "tls_handshake_failed", lab.tcp().repeating(record, Duration.ofMillis(1)));
        // A handshake record, one byte a second.
        lab.fails("dripping", "read_timeout", lab.tcp().dripping(record, Duration.ofSeconds(1)));
    }

    private static byte[] ascii(String text) {
        return text.getBytes(StandardCharsets.ISO_8859_1);
    }
}
