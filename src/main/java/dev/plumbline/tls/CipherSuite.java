package dev.plumbline.tls;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A TLS cipher suite.
 *
 * @param code the IANA code
 * @param name the IANA name, for example {@code TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256}
 */
public record CipherSuite(int code, String name) {
    /** Cipher suites that RFC 9325 section 4.1 forbids or does not recommend. */
    private static final Pattern WEAK =
            Pattern.compile("_NULL(_|$)|_anon_|_EXPORT|_RC4_|_RC2_|_DES_|_DES40_|_3DES_|_IDEA_|_MD5$");

    /** Cipher suites that require TLS 1.2: authenticated encryption, or a MAC with SHA-2. */
    private static final Pattern TLS_1_2_ONLY =
            Pattern.compile("_GCM_|_CCM(_8)?$|_CHACHA20_|_SHA(256|384)$|_SHA256_|KUZNYECHIK");

    private static final List<CipherSuite> ALL = read();
    private static final Map<Integer, CipherSuite> BY_CODE =
            ALL.stream().collect(Collectors.toUnmodifiableMap(CipherSuite::code, Function.identity()));

    /** All cipher suites of servers with certificates, strongest first. */
    public static List<CipherSuite> all() {
        return ALL;
    }

    /** The cipher suites of a TLS version, strongest first. */
    public static List<CipherSuite> of(TlsVersion version) {
        return ALL.stream().filter(suite -> suite.supports(version)).toList();
    }

    /** The cipher suite with this code. An unknown one has its code as name, for example {@code 0xABCD}. */
    public static CipherSuite of(int code) {
        CipherSuite suite = BY_CODE.get(code);
        return suite == null ? new CipherSuite(code, String.format(Locale.ROOT, "0x%04X", code)) : suite;
    }

    /** Whether it is broken or outdated. */
    public boolean weak() {
        return isWeak(name);
    }

    static boolean isWeak(String name) {
        return WEAK.matcher(name).find();
    }

    /** The worst weakness; null if it is not weak. */
    public @Nullable CipherWeakness weakness() {
        return weak() ? CipherWeakness.of(name) : null;
    }

    public boolean forwardSecret() {
        return isTls13() || name.startsWith("TLS_ECDHE_") || name.startsWith("TLS_DHE_");
    }

    /** Whether the key exchange uses the static key of the server certificate. */
    public boolean staticKey() {
        return !forwardSecret() && !name.contains("_anon_");
    }

    /** Whether the key exchange is ephemeral elliptic-curve Diffie-Hellman. */
    public boolean ecdhe() {
        return name.startsWith("TLS_ECDHE_") || name.startsWith("TLS_ECDH_anon_");
    }

    /** Whether it requires an ECDSA certificate. */
    public boolean ecdsa() {
        return name.contains("_ECDSA_");
    }

    /** Whether the key exchange is ephemeral finite-field Diffie-Hellman. */
    public boolean dhe() {
        return name.startsWith("TLS_DHE_") || name.startsWith("TLS_DH_anon_");
    }

    public boolean cbc() {
        return name.contains("_CBC_");
    }

    /** Whether its MAC is HMAC-SHA1. */
    public boolean sha1Mac() {
        return name.endsWith("_SHA");
    }

    /** Whether it uses ChaCha20, which some servers select only if the client prefers it. */
    public boolean chaCha() {
        return name.contains("CHACHA20");
    }

    private boolean isTls13() {
        return code >> 8 == 0x13 || name.startsWith("TLS_SM4_");
    }

    private boolean supports(TlsVersion version) {
        if (isTls13() || version == TlsVersion.TLS_1_3) {
            return isTls13() && version == TlsVersion.TLS_1_3;
        }
        return version == TlsVersion.TLS_1_2 || !TLS_1_2_ONLY.matcher(name).find();
    }

    private static List<CipherSuite> read() {
        try (InputStream in = Objects.requireNonNull(CipherSuite.class.getResourceAsStream("/tls/cipher-suites.txt"))) {
            return new String(in.readAllBytes(), StandardCharsets.US_ASCII)
                    .lines()
                    .filter(line -> !line.startsWith("#"))
                    .map(line -> new CipherSuite(Integer.parseInt(line.substring(0, 4), 16), line.substring(5)))
                    .toList();
        } catch (IOException broken) {
            throw new UncheckedIOException(broken);
        }
    }
}
