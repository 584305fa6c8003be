package dev.plumbline.lab;

import static dev.plumbline.lab.TlsLab.spec;

import dev.plumbline.lab.TlsServers.ServerOptions;
import java.nio.charset.StandardCharsets;
import java.time.Duration;

/** Servers with different TLS versions, client authentication and broken handshakes. */
final class HandshakeCases {
    private final TlsLab lab;
    private final TestCa root;
    private final TestCa issuer;

    HandshakeCases(TlsLab lab) {
        this.lab = lab;
        this.root = lab.root();
        this.issuer = lab.issuer();
    }

    void addAll() {
        versions();
        hostile();
    }

    private void versions() {
        TestCa rsa =
                root.authority(CertificateSpec.authority("Lab RSA Issuer 2").key("RSA-2048"));
        lab.addServer(
                "tls-1.0",
                "none",
                rsa.issue(spec("tls-1.0").key("RSA-2048")),
                ServerOptions.DEFAULT.protocols("TLSv1"),
                "");
        lab.addServer("tls-1.2", "none", issuer.issue(spec("tls-1.2")), ServerOptions.DEFAULT.protocols("TLSv1.2"), "");
        lab.addServer("tls-1.3", "none", issuer.issue(spec("tls-1.3")), ServerOptions.DEFAULT.protocols("TLSv1.3"), "");
        lab.addServer(
                "client-certificate",
                "none",
                issuer.issue(spec("client-certificate")),
                ServerOptions.DEFAULT.protocols("TLSv1.3").requiringClientCertificate(),
                "");
        lab.addFailing(
                "client-certificate-1.2",
                "tls_handshake_failed",
                issuer.issue(spec("client-certificate-1.2")),
                ServerOptions.DEFAULT.protocols("TLSv1.2").requiringClientCertificate());
    }

    private void hostile() {
        byte[] page = ascii("HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n");
        lab.addFailing("plain-http", "tls_handshake_failed", lab.tcp().respond(page));
        lab.addFailing("garbage", "tls_handshake_failed", lab.tcp().respond(ascii("\u0001\u0002garbage, not TLS")));
        lab.addFailing("smtp", "tls_handshake_failed", lab.tcp().sendOnConnect(ascii("220 lab.test ESMTP\r\n")));
        lab.addFailing("silent", "read_timeout", lab.tcp().silent());
        lab.addFailing("resetting", "connection_reset", lab.tcp().resetting());
        lab.addFailing("closing", "tls_handshake_failed", lab.tcp().closing());
        // An endless sequence of warning alerts, which a client can ignore.
        lab.addFailing(
                "endless-alerts",
                "tls_handshake_failed",
                lab.tcp().repeating(new byte[] {21, 3, 3, 0, 2, 1, 112}, Duration.ofMillis(1)));
        // A handshake message of 16 MiB that is never completed.
        byte[] record = new byte[5 + 16384];
        record[0] = 22;
        record[1] = 3;
        record[2] = 3;
        record[3] = 64;
        record[5] = 2;
        record[6] = (byte) 255;
        lab.addFailing("endless-message", "tls_handshake_failed", lab.tcp().repeating(record, Duration.ofMillis(1)));
        // A handshake record, one byte per second.
        lab.addFailing("dripping", "read_timeout", lab.tcp().dripping(record, Duration.ofSeconds(1)));
    }

    private static byte[] ascii(String text) {
        return text.getBytes(StandardCharsets.ISO_8859_1);
    }
}
