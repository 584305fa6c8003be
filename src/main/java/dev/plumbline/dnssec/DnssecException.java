package dev.plumbline.dnssec;

/** Ends a validation that did not succeed. */
final class DnssecException extends Exception {
    private static final long serialVersionUID = 1L;

    private final transient DnssecFailure failure;

    DnssecException(DnssecFailure failure) {
        super(failure.toString(), null, false, false);
        this.failure = failure;
    }

    DnssecFailure failure() {
        return failure;
    }
}
