package dev.plumbline.dnssec;

import java.util.List;
import org.xbill.DNS.NSEC3Record;
import org.xbill.DNS.utils.base16;

/**
 * How a zone proves that records do not exist.
 *
 * @param nsec3 whether it uses NSEC3 (RFC 5155), otherwise NSEC (RFC 4034 section 4)
 * @param iterations the additional iterations of the NSEC3 hash; 0 for NSEC
 * @param salt the NSEC3 salt in hexadecimal digits; empty if there is none
 * @param optOut whether one of the records has the NSEC3 flag Opt-Out
 */
public record DenialParameters(boolean nsec3, int iterations, String salt, boolean optOut) {
    private static final DenialParameters NSEC = new DenialParameters(false, 0, "", false);

    static DenialParameters nsec() {
        return NSEC;
    }

    static DenialParameters nsec3(List<NSEC3Record> records) {
        NSEC3Record first = records.get(0);
        byte[] salt = first.getSalt();
        return new DenialParameters(
                true,
                first.getIterations(),
                salt == null ? "" : base16.toString(salt),
                records.stream().anyMatch(record -> (record.getFlags() & 1) != 0));
    }
}
