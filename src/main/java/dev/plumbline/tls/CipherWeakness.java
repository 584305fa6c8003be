package dev.plumbline.tls;

import java.util.Arrays;

/** The reasons why a cipher suite is weak, worst first. */
public enum CipherWeakness {
    /** NULL encryption. */
    NO_ENCRYPTION("_NULL"),
    /** Anonymous key exchange, without a certificate. */
    NO_AUTHENTICATION("_anon_"),
    /** Export-grade key lengths. */
    EXPORT("_EXPORT"),
    RC4("_RC4_"),
    /** Another outdated cipher, most of them with 64-bit blocks. */
    SMALL_BLOCKS("");

    private final String part;

    /** @param part a part of the names of these cipher suites */
    CipherWeakness(String part) {
        this.part = part;
    }

    /** The worst weakness of a weak cipher suite with this name. */
    static CipherWeakness of(String name) {
        return Arrays.stream(values())
                .filter(weakness -> name.contains(weakness.part))
                .findFirst()
                .orElse(SMALL_BLOCKS);
    }
}
