package dev.plumbline.tls;

import java.util.List;
import java.util.Locale;
import java.util.Map;

/** The key exchange groups by their IANA codes. */
public final class KeyExchangeGroup {
    private static final Map<Integer, String> NAMES = Map.ofEntries(
            Map.entry(0x11eb, "SecP256r1MLKEM768"),
            Map.entry(0x11ec, "X25519MLKEM768"),
            Map.entry(0x11ed, "SecP384r1MLKEM1024"),
            Map.entry(0x6399, "X25519Kyber768Draft00"),
            Map.entry(0x0201, "MLKEM768"),
            Map.entry(0x0202, "MLKEM1024"),
            Map.entry(29, "x25519"),
            Map.entry(30, "x448"),
            Map.entry(23, "secp256r1"),
            Map.entry(24, "secp384r1"),
            Map.entry(25, "secp521r1"),
            Map.entry(31, "brainpoolP256r1tls13"),
            Map.entry(32, "brainpoolP384r1tls13"),
            Map.entry(33, "brainpoolP512r1tls13"),
            Map.entry(256, "ffdhe2048"),
            Map.entry(257, "ffdhe3072"),
            Map.entry(258, "ffdhe4096"),
            Map.entry(259, "ffdhe6144"),
            Map.entry(260, "ffdhe8192"),
            Map.entry(26, "brainpoolP256r1"),
            Map.entry(27, "brainpoolP384r1"),
            Map.entry(28, "brainpoolP512r1"),
            Map.entry(22, "secp256k1"),
            Map.entry(14, "sect571r1"),
            Map.entry(13, "sect571k1"),
            Map.entry(12, "sect409r1"),
            Map.entry(11, "sect409k1"),
            Map.entry(10, "sect283r1"),
            Map.entry(9, "sect283k1"),
            Map.entry(8, "sect239k1"),
            Map.entry(7, "sect233r1"),
            Map.entry(6, "sect233k1"),
            Map.entry(21, "secp224r1"),
            Map.entry(20, "secp224k1"),
            Map.entry(19, "secp192r1"),
            Map.entry(18, "secp192k1"),
            Map.entry(17, "secp160r2"),
            Map.entry(16, "secp160r1"),
            Map.entry(15, "secp160k1"),
            Map.entry(5, "sect193r2"),
            Map.entry(4, "sect193r1"),
            Map.entry(3, "sect163r2"),
            Map.entry(2, "sect163r1"),
            Map.entry(1, "sect163k1"));

    /** The groups of TLS 1.3 (RFC 8446 section 4.2.7, and ML-KEM hybrids), in the order in which they are offered. */
    public static final List<Integer> OF_TLS_1_3 = List.of(
            0x11ec, 0x11eb, 0x11ed, 29, 23, 30, 24, 25, 256, 257, 258, 259, 260, 31, 32, 33, 0x0201, 0x0202, 0x6399);

    /** The curves of TLS 1.2 and earlier (RFC 8422, RFC 4492, RFC 7027), in the order in which they are offered. */
    public static final List<Integer> CURVES = List.of(
            29, 23, 30, 24, 25, 26, 27, 28, 22, 14, 13, 12, 11, 10, 9, 8, 7, 6, 21, 20, 19, 18, 17, 16, 15, 5, 4, 3, 2,
            1);

    private KeyExchangeGroup() {}

    /** The name of a group. An unknown one has its code as name, for example {@code 0xABCD}. */
    public static String name(int code) {
        String known = NAMES.get(code);
        return known == null ? String.format(Locale.ROOT, "0x%04X", code) : known;
    }

    /** Whether a curve provides less than 112 bits of security. */
    public static boolean weak(int code) {
        return code >= 1 && code <= 5 || code >= 15 && code <= 19;
    }
}
