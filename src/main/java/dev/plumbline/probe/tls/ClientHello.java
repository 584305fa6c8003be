package dev.plumbline.probe.tls;

import dev.plumbline.tls.CipherSuite;
import dev.plumbline.tls.KeyExchangeGroup;
import dev.plumbline.tls.TlsVersion;
import io.vertx.core.buffer.Buffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;

/**
 * A question to a TLS server: the first message of a client (RFC 8446, section 4.1.2; RFC 5246,
 * section 7.4.1.2; RFC 6101, section 5.6.1.2), written by ourselves because no engine offers what
 * nobody should use any more. Nothing follows it, so none of its values needs to be secret.
 *
 * @param version the one version that TLS 1.3 is asked for by, or the highest of the older ones
 * @param ciphers numbers of cipher suites in the order of our preference
 * @param groups numbers of key exchange groups in the order of our preference
 * @param alpn application protocols in the order of our preference; empty to say nothing of them
 * @param serverName null to send none
 * @param shares whether TLS 1.3 is offered keys at once; without, the server asks for one (RFC
 *     8446, section 4.1.4) and thereby says which group it wants
 */
record ClientHello(
        TlsVersion version,
        List<Integer> ciphers,
        List<Integer> groups,
        List<String> alpn,
        @Nullable String serverName,
        boolean shares) {
    /** Says that we know of RFC 5746, as an extension would, which SSL 3.0 has none of. */
    private static final int SECURE_RENEGOTIATION = 0x00ff;

    /** Every algorithm that a certificate may be signed with, old and new. */
    private static final int[] SIGNATURES = {
        0x0403, 0x0503, 0x0603, 0x0804, 0x0805, 0x0806, 0x0807, 0x0808, 0x0809, 0x080a, 0x080b, 0x081a,
        0x081b, 0x081c, 0x0401, 0x0501, 0x0601, 0x0402, 0x0502, 0x0602, 0x0303, 0x0301, 0x0302, 0x0203,
        0x0201, 0x0202, 0x0101
    };

    /** Some servers hang on a message of 256 to 511 bytes (RFC 7685). */
    private static final int HANGS_FROM = 256;

    private static final int HANGS_BELOW = 512;

    /** The generator of P-256: a valid public key, if not one to keep secrets by. */
    private static final byte[] P256_POINT = HexFormat.of()
            .parseHex("046b17d1f2e12c4247f8bce6e563a440f277037d812deb33a0f4a13945d898c296"
                    + "4fe342e2fe1a7f9b8ee7eb4a7c0f9e162bce33576b315ececbb6406837bf51f5");

    ClientHello {
        ciphers = List.copyOf(ciphers);
        groups = List.copyOf(groups);
        alpn = List.copyOf(alpn);
    }

    /** A question with every suite and group of a version. */
    static ClientHello of(TlsVersion version, @Nullable String serverName) {
        return new ClientHello(
                version,
                CipherSuite.of(version).stream().map(CipherSuite::code).toList(),
                version == TlsVersion.TLS_1_3 ? KeyExchangeGroup.OF_TLS_1_3 : KeyExchangeGroup.CURVES,
                List.of(),
                serverName,
                false);
    }

    ClientHello withCiphers(List<Integer> others) {
        return new ClientHello(version, others, groups, alpn, serverName, shares);
    }

    ClientHello withGroups(List<Integer> others) {
        return new ClientHello(version, ciphers, others, alpn, serverName, shares);
    }

    ClientHello withAlpn(List<String> protocols) {
        return new ClientHello(version, ciphers, groups, protocols, serverName, shares);
    }

    ClientHello withShares() {
        return new ClientHello(version, ciphers, groups, alpn, serverName, true);
    }

    /** The message in its record, with a random of its own. */
    Buffer bytes() {
        Buffer body = Buffer.buffer();
        body.appendUnsignedShort(Math.min(version.code(), TlsVersion.TLS_1_2.code()));
        body.appendBytes(random(32));
        boolean tls13 = version == TlsVersion.TLS_1_3;
        // with a session id TLS 1.3 looks like a resumption to what stands between (RFC 8446, D.4)
        body.appendUnsignedByte((short) (tls13 ? 32 : 0)).appendBytes(random(tls13 ? 32 : 0));
        body.appendUnsignedShort(2 * ciphers.size() + (tls13 ? 0 : 2));
        ciphers.forEach(body::appendUnsignedShort);
        if (!tls13) {
            body.appendUnsignedShort(SECURE_RENEGOTIATION);
        }
        body.appendUnsignedByte((short) 1).appendUnsignedByte((short) 0);
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
            // uncompressed and both compressed forms of points
            extension(all, 11, Buffer.buffer(new byte[] {3, 0, 1, 2}));
        }
        if (version.code() >= TlsVersion.TLS_1_2.code()) {
            Buffer signatures = Buffer.buffer();
            Arrays.stream(SIGNATURES).forEach(signatures::appendUnsignedShort);
            extension(all, 13, sized(signatures));
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
     * @param before what precedes the extensions in the message
     */
    private static Buffer padded(Buffer extensions, int before) {
        int length = before + extensions.length();
        if (length >= HANGS_FROM && length < HANGS_BELOW) {
            extension(extensions, 21, Buffer.buffer(new byte[Math.max(1, HANGS_BELOW - length - 4)]));
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
