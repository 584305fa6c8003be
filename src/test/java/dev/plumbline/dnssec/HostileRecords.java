package dev.plumbline.dnssec;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.lab.SignedZone;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.xbill.DNS.DClass;
import org.xbill.DNS.DNSKEYRecord;
import org.xbill.DNS.RRSIGRecord;
import org.xbill.DNS.Record;
import org.xbill.DNS.Type;

/** Records that make validation expensive. */
final class HostileRecords {
    /** The exponent at the start of an RSA key stays unchanged. */
    private static final int UNCHANGED_BYTES = 4;

    private HostileRecords() {}

    /** Keys with the same key tag: an exchange of two 16-bit words does not change the sum. */
    static List<Record> collidingKeys(DNSKEYRecord key, int count) {
        List<Record> keys = new ArrayList<>();
        Random random = new Random(1);
        while (keys.size() < count) {
            byte[] bytes = key.getKey().clone();
            int words = (bytes.length - UNCHANGED_BYTES) / 2;
            int first = UNCHANGED_BYTES + 2 * random.nextInt(words);
            int second = UNCHANGED_BYTES + 2 * random.nextInt(words);
            for (int i = 0; i < 2; i++) {
                byte swapped = bytes[first + i];
                bytes[first + i] = bytes[second + i];
                bytes[second + i] = swapped;
            }
            DNSKEYRecord collision =
                    new DNSKEYRecord(key.getName(), DClass.IN, 300, key.getFlags(), 3, key.getAlgorithm(), bytes);
            assertThat(collision.getFootprint()).isEqualTo(key.getFootprint());
            keys.add(collision);
        }
        return keys;
    }

    /** Replaces each signature of a type by signatures that do not match. */
    static void forgeSignatures(SignedZone zone, int type, int count) {
        zone.rewrite(section -> {
            List<Record> changed = new ArrayList<>();
            for (Record record : section) {
                if (record instanceof RRSIGRecord signature && signature.getTypeCovered() == type) {
                    for (int i = 0; i < count; i++) {
                        changed.add(forged(signature, i));
                    }
                } else {
                    changed.add(record);
                }
            }
            return changed;
        });
    }

    private static Record forged(RRSIGRecord signature, int number) {
        byte[] data = signature.rdataToWireCanonical();
        data[data.length - 1] ^= (byte) (number + 1);
        data[data.length - 2] ^= (byte) (number + 1 >> 8);
        return Record.newRecord(signature.getName(), Type.RRSIG, DClass.IN, 300, data);
    }
}
