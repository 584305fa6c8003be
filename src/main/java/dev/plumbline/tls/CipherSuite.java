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
 * A set of algorithms by which a connection may be encrypted.
 *
 * @param code the number that IANA gave it
 * @param name the name that IANA gave it, for example {@code TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256}
 */
public record CipherSuite(int code, String name) {
    /** What RFC 9325, section 4.2.1 forbids, or advises against for having too small a key. */
    private static final Pattern WEAK =
            Pattern.compile("_NULL(_|$)|_anon_|_EXPORT|_RC4_|_RC2_|_DES_|_DES40_|_3DES_|_IDEA_|_MD5$");

    /** What only TLS 1.2 can do: authenticated encryption, and SHA-2 for the MAC. */
    private static final Pattern OF_TLS_1_2 =
            Pattern.compile("_GCM_|_CCM(_8)?$|_CHACHA20_|_SHA(256|384)$|_SHA256_|KUZNYECHIK");

    private static final List<CipherSuite> ALL = read();
    private static final Map<Integer, CipherSuite> BY_CODE =
            ALL.stream().collect(Collectors.toUnmodifiableMap(CipherSuite::code, Function.identity()));

    /** Every suite of servers with certificates, the better ones first. */
    public static List<CipherSuite> all() {
        return ALL;
    }

    /** The suites that this version can use, in the same order. */
    public static List<CipherSuite> of(TlsVersion version) {
        return ALL.stream().filter(suite -> suite.worksWith(version)).toList();
    }

    /** The suite of this number; one that is called by it where nobody else knows it. */
    public static CipherSuite of(int code) {
        CipherSuite known = BY_CODE.get(code);
        return known == null ? new CipherSuite(code, String.format(Locale.ROOT, "0x%04X", code)) : known;
    }

    /** Whether it can be broken, or tampered with, by those who care to. */
    public boolean weak() {
        return WEAK.matcher(name).find();
    }

    /** The worst that can be said of it; null when it is not weak. */
    public @Nullable CipherWeakness weakness() {
        return weak() ? CipherWeakness.of(name) : null;
    }

    /** Whether what was sent stays secret when the server's key is stolen later. */
    public boolean forwardSecret() {
        return ofTls13() || name.startsWith("TLS_ECDHE_") || name.startsWith("TLS_DHE_");
    }

    /** Whether the server proves by its key alone that it can read: no key is made anew. */
    public boolean staticKey() {
        return !forwardSecret() && !name.contains("_anon_");
    }

    /** Whether the key exchange is a Diffie-Hellman one over an elliptic curve, made anew. */
    public boolean ecdhe() {
        return name.startsWith("TLS_ECDHE_") || name.startsWith("TLS_ECDH_anon_");
    }

    /** Whether the server's key is on an elliptic curve. */
    public boolean keyOnCurve() {
        return name.contains("_ECDSA_");
    }

    /** Whether the key exchange is a Diffie-Hellman one over a prime field, made anew. */
    public boolean dhe() {
        return name.startsWith("TLS_DHE_") || name.startsWith("TLS_DH_anon_");
    }

    /** Whether it encrypts block by block in the old way that has been attacked most (CBC). */
    public boolean cbc() {
        return name.contains("_CBC_");
    }

    /** Whether it encrypts with ChaCha20, which some servers prefer when clients do. */
    public boolean chaCha() {
        return name.contains("CHACHA20");
    }

    private boolean ofTls13() {
        return code >> 8 == 0x13 || name.startsWith("TLS_SM4_");
    }

    private boolean worksWith(TlsVersion version) {
        if (ofTls13() || version == TlsVersion.TLS_1_3) {
            return ofTls13() && version == TlsVersion.TLS_1_3;
        }
        return version == TlsVersion.TLS_1_2 || !OF_TLS_1_2.matcher(name).find();
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
