package dev.plumbline.check;

/**
 * Why an exchange did not complete.
 *
 * @param message one sentence for a person, without secrets and without anything of our inside
 */
public record CheckError(ErrorCode code, String message) {

    /** Whether the same check may well end differently a little later. */
    public boolean retryable() {
        return code.retryable();
    }
}
