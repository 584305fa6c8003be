package dev.plumbline.dnssec;

import org.xbill.DNS.NSEC3Record;
import org.xbill.DNS.utils.base16;

/**
 * How a zone proves that records do not exist.
 *
 * @param nsec3 whether it uses NSEC3 (RFC 5155), otherwise NSEC (RFC 4034 section 4)
 * @param iterations the additional iterations of the NSEC3 hash; 0 for NSEC
 * @param salt the NSEC3 salt in hexadecimal digits; empty if there is none
 */
public record DenialParameters(boolean nsec3, int iterations, String salt) {
    static final DenialParameters NSEC = new DenialParameters(false, 0, "");

    static DenialParameters nsec3(NSEC3Record record) {
        byte[] salt = record.getSalt();
        return new DenialParameters(true, record.getIterations(), salt == null ? "" : base16.toString(salt));
    }
}
