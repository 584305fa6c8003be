package dev.plumbline.tls;

import java.util.function.Predicate;

/** Why a cipher suite is weak, the worst first. */
public enum CipherWeakness {
    /** No encryption. */
    NO_ENCRYPTION(name -> name.contains("_NULL")),
    /** The server is not authenticated. */
    NO_AUTHENTICATION(name -> name.contains("_anon_")),
    /** Export-grade keys. */
    EXPORT(name -> name.contains("_EXPORT")),
    RC4(name -> name.contains("_RC4_")),
    /** An obsolete cipher, usually with 64-bit blocks. */
    SMALL_BLOCKS(name -> true);

    private final Predicate<String> predicate;

    CipherWeakness(Predicate<String> predicate) {
        this.predicate = predicate;
    }

    /** The worst weakness of a weak suite. */
    static CipherWeakness of(String name) {
        for (CipherWeakness weakness : values()) {
            if (weakness.predicate.test(name)) {
                return weakness;
            }
        }
        return SMALL_BLOCKS;
    }
}
