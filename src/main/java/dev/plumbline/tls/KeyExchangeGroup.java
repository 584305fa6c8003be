package dev.plumbline.tls;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

/** The key exchange groups by their IANA codes. */
public final class KeyExchangeGroup {
    private static final Map<Integer, String> NAMES = Arrays.stream(
                    """
            4587=SecP256r1MLKEM768 4588=X25519MLKEM768 4589=SecP384r1MLKEM1024 25497=X25519Kyber768Draft00
            513=MLKEM768 514=MLKEM1024 29=x25519 30=x448 23=secp256r1 24=secp384r1 25=secp521r1
            31=brainpoolP256r1tls13 32=brainpoolP384r1tls13 33=brainpoolP512r1tls13 256=ffdhe2048 257=ffdhe3072
            258=ffdhe4096 259=ffdhe6144 260=ffdhe8192 26=brainpoolP256r1 27=brainpoolP384r1 28=brainpoolP512r1
            22=secp256k1 14=sect571r1 13=sect571k1 12=sect409r1 11=sect409k1 10=sect283r1 9=sect283k1
            8=sect239k1 7=sect233r1 6=sect233k1 21=secp224r1 20=secp224k1 19=secp192r1 18=secp192k1 17=secp160r2
            16=secp160r1 15=secp160k1 5=sect193r2 4=sect193r1 3=sect163r2 2=sect163r1 1=sect163k1"""
                            .split("\\s+"))
            .map(entry -> entry.split("="))
            .collect(Collectors.toUnmodifiableMap(entry -> Integer.valueOf(entry[0]), entry -> entry[1]));

    /** The groups of TLS 1.3 (RFC 8446 section 4.2.7, and ML-KEM hybrids), in the order in which they are offered. */
    public static final List<Integer> TLS_1_3 = List.of(
            0x11ec, 0x11eb, 0x11ed, 29, 23, 30, 24, 25, 256, 257, 258, 259, 260, 31, 32, 33, 0x0201, 0x0202, 0x6399);

    /** The curves of TLS 1.2 and earlier (RFC 8422, RFC 4492, RFC 7027), in the order in which they are offered. */
    public static final List<Integer> CURVES = List.of(
            29, 23, 30, 24, 25, 26, 27, 28, 22, 14, 13, 12, 11, 10, 9, 8, 7, 6, 21, 20, 19, 18, 17, 16, 15, 5, 4, 3, 2,
            1);

    private KeyExchangeGroup() {}

    /** The name of a group. An unknown one has its code as name, for example {@code 0xABCD}. */
    public static String name(int code) {
        String name = NAMES.get(code);
        return name == null ? String.format(Locale.ROOT, "0x%04X", code) : name;
    }

    /** Whether a group is ML-KEM, Kyber, or a hybrid of one with a curve. */
    public static boolean postQuantum(int code) {
        return code >= 0x11eb && code <= 0x11ed || code == 0x0201 || code == 0x0202 || code == 0x6399;
    }

    /** The size of the prime of a finite field group (RFC 7919) in bits; 0 for other groups. */
    public static int primeBits(int code) {
        return switch (code) {
            case 256 -> 2048;
            case 257 -> 3072;
            case 258 -> 4096;
            case 259 -> 6144;
            case 260 -> 8192;
            default -> 0;
        };
    }

    /** Whether a curve provides less than 112 bits of security. */
    public static boolean weak(int code) {
        return code >= 1 && code <= 5 || code >= 15 && code <= 19;
    }
}
