package dev.plumbline.probe.tls;

import dev.plumbline.tls.CipherSuite;
import dev.plumbline.tls.KeyExchangeGroup;
import dev.plumbline.tls.TlsVersion;
import io.vertx.core.buffer.Buffer;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;

/**
 * The first message of a TLS client (RFC 8446 section 4.1.2; RFC 5246 section 7.4.1.2; RFC 6101 section 5.6.1.2).
 * Encoded here, because no TLS engine offers obsolete versions and algorithms. No handshake follows, so its values need
 * not be secret.
 *
 * @param version the only version of a TLS 1.3 hello; otherwise the highest version
 * @param ciphers codes of cipher suites by preference
 * @param groups codes of key exchange groups by preference
 * @param signatures codes of signature schemes by preference
 * @param alpn application protocols by preference; empty to omit the extension
 * @param serverName null to omit the extension
 * @param shares whether to send TLS 1.3 key shares; without them, the server requests one (RFC 8446 section 4.1.4),
 *     which reveals its preferred group
 */
record ClientHello(
        TlsVersion version,
        List<Integer> ciphers,
        List<Integer> groups,
        List<Integer> signatures,
        List<String> alpn,
        @Nullable String serverName,
        boolean shares) {
    /** TLS_EMPTY_RENEGOTIATION_INFO_SCSV (RFC 5746), used instead of an extension, which SSL 3.0 lacks. */
    private static final int SECURE_RENEGOTIATION = 0x00ff;

    /** TLS_FALLBACK_SCSV (RFC 7507). */
    static final int FALLBACK = 0x5600;

    /** All signature schemes, including obsolete ones, which come last. */
    private static final List<Integer> SIGNATURES = List.of(
            0x0403, 0x0503, 0x0603, 0x0804, 0x0805, 0x0806, 0x0807, 0x0808, 0x0809, 0x080a, 0x080b, 0x081a, 0x081b,
            0x081c, 0x0401, 0x0501, 0x0601, 0x0402, 0x0502, 0x0602, 0x0303, 0x0301, 0x0302, 0x0203, 0x0201, 0x0202,
            0x0101);

    /** DEFLATE (RFC 3749), then none. */
    private static final byte[] COMPRESSION = {2, 1, 0};

    private static final byte[] NO_COMPRESSION = {1, 0};

    /** Some servers hang on a ClientHello of 256 to 511 bytes (RFC 7685). */
    private static final int PADDING_FROM = 256;

    private static final int PADDING_TO = 512;

    /** The generator of P-256: a valid but not secret public key. */
    private static final byte[] P256_POINT = HexFormat.of()
            .parseHex("046b17d1f2e12c4247f8bce6e563a440f277037d812deb33a0f4a13945d898c296"
                    + "4fe342e2fe1a7f9b8ee7eb4a7c0f9e162bce33576b315ececbb6406837bf51f5");

    /** A hello with all suites and groups of a version. */
    static ClientHello of(TlsVersion version, @Nullable String serverName) {
        return new ClientHello(
                version,
                CipherSuite.of(version).stream().map(CipherSuite::code).toList(),
                version == TlsVersion.TLS_1_3 ? KeyExchangeGroup.TLS_1_3 : KeyExchangeGroup.CURVES,
                SIGNATURES,
                List.of(),
                serverName,
                false);
    }

    ClientHello withCiphers(List<Integer> replacement) {
        return new ClientHello(version, replacement, groups, signatures, alpn, serverName, shares);
    }

    ClientHello withGroups(List<Integer> replacement) {
        return new ClientHello(version, ciphers, replacement, signatures, alpn, serverName, shares);
    }

    ClientHello withSignatures(List<Integer> replacement) {
        return new ClientHello(version, ciphers, groups, replacement, alpn, serverName, shares);
    }

    ClientHello withAlpn(List<String> protocols) {
        return new ClientHello(version, ciphers, groups, signatures, protocols, serverName, shares);
    }

    ClientHello withShares() {
        return new ClientHello(version, ciphers, groups, signatures, alpn, serverName, true);
    }

    /** Encodes the message in a record, with a new random. */
    Buffer bytes() {
        Buffer body = Buffer.buffer();
        body.appendUnsignedShort(Math.min(version.code(), TlsVersion.TLS_1_2.code()));
        body.appendBytes(random(32));
        boolean tls13 = version == TlsVersion.TLS_1_3;
        // middlebox compatibility mode (RFC 8446 appendix D.4)
        body.appendUnsignedByte((short) (tls13 ? 32 : 0)).appendBytes(random(tls13 ? 32 : 0));
        body.appendUnsignedShort(2 * ciphers.size() + (tls13 ? 0 : 2));
        ciphers.forEach(body::appendUnsignedShort);
        if (!tls13) {
            body.appendUnsignedShort(SECURE_RENEGOTIATION);
        }
        body.appendBytes(tls13 || version == TlsVersion.SSL_3 ? NO_COMPRESSION : COMPRESSION);
        if (version != TlsVersion.SSL_3) {
            Buffer extensions = padded(extensions(), body.length() + 2 + 4);
            body.appendUnsignedShort(extensions.length()).appendBuffer(extensions);
        }
        int record = Math.min(version.code(), TlsVersion.TLS_1_0.code());
        return Buffer.buffer()
                .appendUnsignedByte((short) 22)
                .appendUnsignedShort(record)
                .appendUnsignedShort(body.length() + 4)
                .appendUnsignedByte((short) 1)
                .appendMedium(body.length())
                .appendBuffer(body);
    }

    private Buffer extensions() {
        Buffer all = Buffer.buffer();
        if (serverName != null) {
            Buffer name = Buffer.buffer(serverName.getBytes(StandardCharsets.US_ASCII));
            Buffer entry = Buffer.buffer().appendUnsignedByte((short) 0).appendBuffer(sized(name));
            extension(all, 0, sized(entry));
        }
        Buffer named = Buffer.buffer();
        groups.forEach(named::appendUnsignedShort);
        extension(all, 10, sized(named));
        if (version != TlsVersion.TLS_1_3) {
            // uncompressed and both compressed point formats
            extension(all, 11, Buffer.buffer(new byte[] {3, 0, 1, 2}));
            // extended master secret, and support of session tickets
            extension(all, 23, Buffer.buffer());
            extension(all, 35, Buffer.buffer());
        }
        if (version.code() >= TlsVersion.TLS_1_2.code()) {
            Buffer schemes = Buffer.buffer();
            signatures.forEach(schemes::appendUnsignedShort);
            extension(all, 13, sized(schemes));
        }
        if (!alpn.isEmpty()) {
            Buffer protocols = Buffer.buffer();
            for (String protocol : alpn) {
                byte[] name = protocol.getBytes(StandardCharsets.US_ASCII);
                protocols.appendUnsignedByte((short) name.length).appendBytes(name);
            }
            extension(all, 16, sized(protocols));
        }
        if (version == TlsVersion.TLS_1_3) {
            extension(all, 43, Buffer.buffer(new byte[] {2, 3, 4}));
            extension(all, 45, Buffer.buffer(new byte[] {1, 1}));
            extension(all, 51, sized(shares ? keyShares() : Buffer.buffer()));
        }
        return all;
    }

    private static Buffer keyShares() {
        return Buffer.buffer()
                .appendUnsignedShort(29)
                .appendBuffer(sized(Buffer.buffer(random(32))))
                .appendUnsignedShort(23)
                .appendBuffer(sized(Buffer.buffer(P256_POINT)));
    }

    /**
     * Adds the padding extension if needed.
     *
     * @param precedingLength the length of the message before the extensions
     */
    private static Buffer padded(Buffer extensions, int precedingLength) {
        int length = precedingLength + extensions.length();
        if (length >= PADDING_FROM && length < PADDING_TO) {
            extension(extensions, 21, Buffer.buffer(new byte[Math.max(1, PADDING_TO - length - 4)]));
        }
        return extensions;
    }

    private static void extension(Buffer all, int type, Buffer data) {
        all.appendUnsignedShort(type).appendBuffer(sized(data));
    }

    private static Buffer sized(Buffer data) {
        return Buffer.buffer(2 + data.length())
                .appendUnsignedShort(data.length())
                .appendBuffer(data);
    }

    private static byte[] random(int length) {
        byte[] bytes = new byte[length];
        ThreadLocalRandom.current().nextBytes(bytes);
        return bytes;
    }
}
