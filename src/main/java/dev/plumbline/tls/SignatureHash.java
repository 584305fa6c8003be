package dev.plumbline.tls;

import org.jspecify.annotations.Nullable;

/** The hash function of a signature in a TLS handshake, weakest first. */
public enum SignatureHash {
    MD5("MD5"),
    SHA_1("SHA-1"),
    SHA_224("SHA-224"),
    SHA_256("SHA-256"),
    SHA_384("SHA-384"),
    SHA_512("SHA-512"),
    SHAKE_256("SHAKE256");

    private final String title;

    SignatureHash(String title) {
        this.title = title;
    }

    /** The hash function of a signature scheme (RFC 8446 section 4.2.3); null if it is unknown. */
    public static @Nullable SignatureHash of(int scheme) {
        return switch (scheme) {
            case 0x0804, 0x0809, 0x081a -> SHA_256;
            case 0x0805, 0x080a, 0x081b -> SHA_384;
            // Ed25519 is 0x0807 and Ed448 is 0x0808
            case 0x0806, 0x080b, 0x081c, 0x0807 -> SHA_512;
            case 0x0808 -> SHAKE_256;
            default -> ofCode(scheme >> 8);
        };
    }

    /** The hash function with this code (RFC 5246 section 7.4.1.4.1); null if it is unknown. */
    private static @Nullable SignatureHash ofCode(int code) {
        return switch (code) {
            case 1 -> MD5;
            case 2 -> SHA_1;
            case 3 -> SHA_224;
            case 4 -> SHA_256;
            case 5 -> SHA_384;
            case 6 -> SHA_512;
            default -> null;
        };
    }

    /** The name, for example {@code SHA-256}. */
    public String title() {
        return title;
    }

    /** Whether collisions can be found (RFC 9155). */
    public boolean broken() {
        return this == MD5 || this == SHA_1;
    }
}
