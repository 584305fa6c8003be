package dev.plumbline.lab.domain;

import dev.plumbline.lab.SignedZone;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.spec.ECGenParameterSpec;
import org.xbill.DNS.DNSSEC;

/** The keys of the root zone and of the zone {@code test}, which are the same for all domains of the lab. */
final class ParentZones {
    private static final int ALGORITHM = DNSSEC.Algorithm.ECDSAP256SHA256;

    private final KeyPair rootKey = key();
    private final KeyPair testKey = key();

    private static KeyPair key() {
        try {
            KeyPairGenerator generator = KeyPairGenerator.getInstance("EC");
            generator.initialize(new ECGenParameterSpec("secp256r1"));
            return generator.generateKeyPair();
        } catch (GeneralSecurityException unavailable) {
            throw new IllegalStateException(unavailable);
        }
    }

    private static SignedZone zone(String origin, KeyPair key) {
        return new SignedZone(origin, ALGORITHM, key).denial(SignedZone.Denial.NSEC3_OPT_OUT, 0, "");
    }

    /** The root zone with a delegation of {@code test}. */
    SignedZone root(SignedZone test) {
        return zone(".", rootKey).delegate(test);
    }

    /** The zone {@code test} without delegations. */
    SignedZone test() {
        return zone("test.", testKey);
    }

    /** The DS record of the root zone in the format of {@code dns.trust_anchors}. */
    String trustAnchor() {
        return zone(".", rootKey).ds(DNSSEC.Digest.SHA256).toString().replaceAll("\\s+", " ");
    }
}
