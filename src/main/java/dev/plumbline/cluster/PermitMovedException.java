package dev.plumbline.cluster;

/** The owner of a key changed before it decided about a request, so the next owner must decide. */
final class PermitMovedException extends Exception {
    private static final long serialVersionUID = 1;

    @SuppressWarnings("StaticAssignmentOfThrowable") // it has no stack trace
    static final PermitMovedException INSTANCE = new PermitMovedException();

    private PermitMovedException() {
        super("the owner of the key changed", null, false, false);
    }
}
