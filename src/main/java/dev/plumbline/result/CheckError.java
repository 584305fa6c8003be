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

    public boolean retryable() {
        return code.retryable();
    }
}
