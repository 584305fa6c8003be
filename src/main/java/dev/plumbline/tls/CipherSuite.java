package dev.plumbline.tls;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A TLS cipher suite.
 *
 * @param code the IANA code point
 * @param name the IANA name, for example {@code TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256}
 */
public record CipherSuite(int code, String name) {
    /** Suites that RFC 9325 section 4.2.1 forbids or discourages. */
    private static final Pattern WEAK =
            Pattern.compile("_NULL(_|$)|_anon_|_EXPORT|_RC4_|_RC2_|_DES_|_DES40_|_3DES_|_IDEA_|_MD5$");

    /** Suites with AEAD or a SHA-2 MAC, which need TLS 1.2. */
    private static final Pattern TLS_1_2_ONLY =
            Pattern.compile("_GCM_|_CCM(_8)?$|_CHACHA20_|_SHA(256|384)$|_SHA256_|KUZNYECHIK");

    private static final List<CipherSuite> ALL = read();
    private static final Map<Integer, CipherSuite> BY_CODE =
            ALL.stream().collect(Collectors.toUnmodifiableMap(CipherSuite::code, Function.identity()));

    /** All suites for servers with certificates, the better ones first. */
    public static List<CipherSuite> all() {
        return ALL;
    }

    /** The suites of this version, in the same order. */
    public static List<CipherSuite> of(TlsVersion version) {
        return ALL.stream().filter(suite -> suite.supports(version)).toList();
    }

    /** The suite with this code. The name of an unknown suite is its code. */
    public static CipherSuite of(int code) {
        CipherSuite suite = BY_CODE.get(code);
        return suite == null ? new CipherSuite(code, String.format(Locale.ROOT, "0x%04X", code)) : suite;
    }

    /** Whether the suite is insecure. */
    public boolean weak() {
        return WEAK.matcher(name).find();
    }

    /** The worst weakness; null if the suite is not weak. */
    public @Nullable CipherWeakness weakness() {
        return weak() ? CipherWeakness.of(name) : null;
    }

    /** Whether the suite has forward secrecy. */
    public boolean forwardSecret() {
        return isTls13() || name.startsWith("TLS_ECDHE_") || name.startsWith("TLS_DHE_");
    }

    /** Whether the key exchange uses the static key of the server. */
    public boolean staticKey() {
        return !forwardSecret() && !name.contains("_anon_");
    }

    /** Whether the key exchange is ephemeral elliptic-curve Diffie-Hellman. */
    public boolean ecdhe() {
        return name.startsWith("TLS_ECDHE_") || name.startsWith("TLS_ECDH_anon_");
    }

    /** Whether the certificate has an ECDSA key. */
    public boolean ecdsa() {
        return name.contains("_ECDSA_");
    }

    /** Whether the key exchange is ephemeral finite-field Diffie-Hellman. */
    public boolean dhe() {
        return name.startsWith("TLS_DHE_") || name.startsWith("TLS_DH_anon_");
    }

    /** Whether the cipher uses CBC mode. */
    public boolean cbc() {
        return name.contains("_CBC_");
    }

    /** Whether the cipher is ChaCha20, which some servers prefer if the client does. */
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
        List<CipherSuite> suites = new ArrayList<>();
        try (InputStream in = CipherSuite.class.getResourceAsStream("/tls/cipher-suites.txt")) {
            if (in == null) {
                throw new IllegalStateException("cipher-suites.txt is missing from the program");
            }
            BufferedReader lines = new BufferedReader(new InputStreamReader(in, StandardCharsets.US_ASCII));
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                if (!line.startsWith("#")) {
                    suites.add(new CipherSuite(Integer.parseInt(line.substring(0, 4), 16), line.substring(5)));
                }
            }
        } catch (IOException broken) {
            throw new UncheckedIOException(broken);
        }
        return List.copyOf(suites);
    }
}
