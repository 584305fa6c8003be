package dev.plumbline.dnssec;

import dev.plumbline.signature.VerifiedSignatures;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.security.GeneralSecurityException;
import java.security.PublicKey;
import java.time.Instant;
import java.util.Arrays;
import org.xbill.DNS.DNSKEYRecord;
import org.xbill.DNS.DNSSEC;
import org.xbill.DNS.Name;
import org.xbill.DNS.RRSIGRecord;
import org.xbill.DNS.Record;

/** The verification of one signature (RFC 4034 section 3.1.8.1). */
final class RrsetSignature {
    private static final int FIXED_BYTES = 18;
    private static final int OWNER_SUFFIX_BYTES = 8;

    private RrsetSignature() {}

    static boolean matches(SignedSet set, RRSIGRecord signature, DNSKEYRecord key) {
        String algorithm = DnssecAlgorithm.signature(signature.getAlgorithm());
        if (algorithm == null) {
            return false;
        }
        try {
            PublicKey publicKey = key.getPublicKey();
            return VerifiedSignatures.isValid(
                    algorithm, publicKey, signedData(set, signature), signature.getSignature());
        } catch (DNSSEC.DNSSECException | GeneralSecurityException | RuntimeException malformedKeyOrSignature) {
            return false;
        }
    }

    /** The number of labels without the root and a wildcard label, as in the field Labels of a signature. */
    static int labels(Name name) {
        return name.labels() - 1 - (name.isWild() ? 1 : 0);
    }

    /** The owner of the signed records: a wildcard name if the records were synthesized (RFC 4035 section 5.3.2). */
    static Name signedOwner(Name owner, RRSIGRecord signature) {
        int extra = owner.labels() - 1 - signature.getLabels();
        return extra <= 0 || owner.isWild() && extra == 1 ? owner : owner.wild(extra);
    }

    private static byte[] signedData(SignedSet set, RRSIGRecord signature) {
        byte[] signer = signature.getSigner().toWireCanonical();
        ByteArrayOutputStream data = new ByteArrayOutputStream();
        data.writeBytes(ByteBuffer.allocate(FIXED_BYTES)
                .putShort((short) signature.getTypeCovered())
                .put((byte) signature.getAlgorithm())
                .put((byte) signature.getLabels())
                .putInt((int) signature.getOrigTTL())
                .putInt(seconds(signature.getExpire()))
                .putInt(seconds(signature.getTimeSigned()))
                .putShort((short) signature.getFootprint())
                .array());
        data.writeBytes(signer);
        byte[] owner = signedOwner(set.name(), signature).toWireCanonical();
        byte[] prefix = ByteBuffer.allocate(owner.length + OWNER_SUFFIX_BYTES)
                .put(owner)
                .putShort((short) set.type())
                .putShort((short) set.records().get(0).getDClass())
                .putInt((int) signature.getOrigTTL())
                .array();
        byte[][] contents = set.records().stream()
                .map(Record::rdataToWireCanonical)
                .sorted(Arrays::compareUnsigned)
                .toArray(byte[][]::new);
        for (int i = 0; i < contents.length; i++) {
            if (i == 0 || !Arrays.equals(contents[i], contents[i - 1])) {
                data.writeBytes(prefix);
                data.write(contents[i].length >> 8);
                data.write(contents[i].length);
                data.writeBytes(contents[i]);
            }
        }
        return data.toByteArray();
    }

    private static int seconds(Instant instant) {
        return (int) instant.getEpochSecond();
    }
}
