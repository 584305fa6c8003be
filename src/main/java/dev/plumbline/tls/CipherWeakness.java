package dev.plumbline.tls;

import java.util.function.Predicate;

/** The reasons why a cipher suite is weak, worst first. */
public enum CipherWeakness {
    /** NULL encryption. */
    NO_ENCRYPTION(name -> name.contains("_NULL")),
    /** Anonymous key exchange, without a certificate. */
    NO_AUTHENTICATION(name -> name.contains("_anon_")),
    /** Export-grade key lengths. */
    EXPORT(name -> name.contains("_EXPORT")),
    RC4(name -> name.contains("_RC4_")),
    /** Another outdated cipher, most of them with 64-bit blocks. */
    SMALL_BLOCKS(name -> true);

    private final Predicate<String> sign;

    CipherWeakness(Predicate<String> sign) {
        this.sign = sign;
    }

    /** The worst weakness of a weak cipher suite with this name. */
    static CipherWeakness of(String name) {
        for (CipherWeakness each : values()) {
            if (each.sign.test(name)) {
                return each;
            }
        }
        return SMALL_BLOCKS;
    }
}
