package dev.plumbline.tls;

/**
 * The revocation status of a certificate by one source.
 *
 * @param detail if undetermined: the reason, as a clause; otherwise the source
 * @param timestamps the number of signed certificate timestamps in the response (RFC 6962 section 3.3)
 */
public record RevocationStatement(Status status, String detail, int timestamps) {
    /** The status. */
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

    public static RevocationStatement undetermined(String reason) {
        return new RevocationStatement(Status.UNDETERMINED, reason, 0);
    }

    public boolean determined() {
        return status != Status.UNDETERMINED;
    }
}
