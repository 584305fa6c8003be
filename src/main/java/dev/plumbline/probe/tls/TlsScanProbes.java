package dev.plumbline.probe.tls;

/**
 * The probes of a TLS scan.
 *
 * @param clientHello sends single messages
 * @param handshakes tests application protocols of TLS 1.3, which need full handshakes
 */
record TlsScanProbes(
        ClientHelloProbe clientHello,
        TlsProbe handshakes,
        EncryptedMessagesProbe encryptedMessages,
        RenegotiationProbe renegotiation) {}
