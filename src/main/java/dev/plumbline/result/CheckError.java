package dev.plumbline.result;

/**
 * The reason why a check could not be completed.
 *
 * @param message one sentence for the user, without secrets or internal details
 */
public record CheckError(ErrorCode code, String message) {
    /** A failure of this service. */
    public static final CheckError INTERNAL =
            new CheckError(ErrorCode.INTERNAL, "The check failed because of an internal error.");

    /** The name does not exist in the DNS. The same text everywhere, because reports merge equal errors. */
    public static CheckError nameNotFound(String name) {
        return new CheckError(ErrorCode.DNS_NXDOMAIN, "The name " + name + " does not exist (NXDOMAIN).");
    }

    public boolean retryable() {
        return code.retryable();
    }
}
