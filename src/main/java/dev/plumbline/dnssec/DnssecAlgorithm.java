package dev.plumbline.dnssec;

import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.xbill.DNS.DNSSEC;

/** The supported signature algorithms and DS digest types (IANA registries of DNSSEC). */
public final class DnssecAlgorithm {
    private static final Map<Integer, String> SIGNATURES = Map.of(
            DNSSEC.Algorithm.RSASHA1, "SHA1withRSA",
            DNSSEC.Algorithm.RSA_NSEC3_SHA1, "SHA1withRSA",
            DNSSEC.Algorithm.RSASHA256, "SHA256withRSA",
            DNSSEC.Algorithm.RSASHA512, "SHA512withRSA",
            DNSSEC.Algorithm.ECDSAP256SHA256, "SHA256withECDSAinP1363Format",
            DNSSEC.Algorithm.ECDSAP384SHA384, "SHA384withECDSAinP1363Format",
            DNSSEC.Algorithm.ED25519, "Ed25519",
            DNSSEC.Algorithm.ED448, "Ed448");

    private static final Map<Integer, String> DIGESTS =
            Map.of(DNSSEC.Digest.SHA1, "SHA-1", DNSSEC.Digest.SHA256, "SHA-256", DNSSEC.Digest.SHA384, "SHA-384");

    private DnssecAlgorithm() {}

    /** The name of a digest type, or its number. */
    public static String digestName(int digestType) {
        return DIGESTS.getOrDefault(digestType, Integer.toString(digestType));
    }

    /**
     * Whether RFC 9905 deprecates the signature algorithm. It is validated nevertheless: BIND and Unbound in current
     * distributions do so, and an expired signature would remain unreported.
     */
    public static boolean usesSha1(int algorithm) {
        return algorithm == DNSSEC.Algorithm.RSASHA1 || algorithm == DNSSEC.Algorithm.RSA_NSEC3_SHA1;
    }

    static boolean isRsa(int algorithm) {
        String name = signature(algorithm);
        return name != null && name.endsWith("withRSA");
    }

    /** The name of the signature algorithm in the JDK; null if it is not supported. */
    static @Nullable String signature(int algorithm) {
        return SIGNATURES.get(algorithm);
    }

    /** The name of the digest in the JDK; null if it is not supported. */
    static @Nullable String digest(int digestType) {
        return DIGESTS.get(digestType);
    }
}
