package dev.plumbline.tls;

/**
 * What a source says about whether a certificate is revoked.
 *
 * @param detail when undetermined: why, in half a sentence; otherwise who said so
 * @param timestamps the signed certificate timestamps that came with it (RFC 6962, section 3.3)
 */
public record RevocationStatement(Status status, String detail, int timestamps) {
    /** What is known. */
    public enum Status {
        GOOD,
        REVOKED,
        UNDETERMINED
    }

    public static RevocationStatement good(String source) {
        return new RevocationStatement(Status.GOOD, source, 0);
    }

    public static RevocationStatement revoked(String source) {
        return new RevocationStatement(Status.REVOKED, source, 0);
    }

    public static RevocationStatement undetermined(String why) {
        return new RevocationStatement(Status.UNDETERMINED, why, 0);
    }

    /** Whether the question is settled. */
    public boolean determined() {
        return status != Status.UNDETERMINED;
    }
}
