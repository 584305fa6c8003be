package dev.plumbline.tls;

import java.util.function.Predicate;

/** Why a cipher suite is weak, the worst first. */
public enum CipherWeakness {
    /** It does not encrypt. */
    NO_ENCRYPTION(name -> name.contains("_NULL")),
    /** The server needs no certificate. */
    NO_AUTHENTICATION(name -> name.contains("_anon_")),
    /** Its keys were shortened for export. */
    EXPORT(name -> name.contains("_EXPORT")),
    RC4(name -> name.contains("_RC4_")),
    /** An old cipher, most with blocks of 64 bits. */
    SMALL_BLOCKS(name -> true);

    private final Predicate<String> sign;

    CipherWeakness(Predicate<String> sign) {
        this.sign = sign;
    }

    /** The worst of a weak suite of this name. */
    static CipherWeakness of(String name) {
        for (CipherWeakness each : values()) {
            if (each.sign.test(name)) {
                return each;
            }
        }
        return SMALL_BLOCKS;
    }
}
