package dev.plumbline.check;

/**
 * How a probe says that an exchange did not complete. It carries no stack trace: it is an outcome,
 * not a fault of ours, and hostile targets cause thousands of them.
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
