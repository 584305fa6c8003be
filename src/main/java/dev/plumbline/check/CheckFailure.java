package dev.plumbline.check;

/**
 * A probe could not complete an exchange with a target. It has no stack trace, because it is an
 * expected and frequent outcome.
 */
public final class CheckFailure extends Exception {
    private final transient CheckError error;

    public CheckFailure(ErrorCode code, String message) {
        super(message, null, false, false);
        this.error = new CheckError(code, message);
    }

    public CheckError error() {
        return error;
    }
}
