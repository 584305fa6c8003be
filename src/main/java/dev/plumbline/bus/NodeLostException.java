package dev.plumbline.bus;

/** A node left the cluster before it replied. It may have contacted the target. */
public final class NodeLostException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** @param node the name of the node */
    public NodeLostException(String node) {
        // expected in operation, and its stack trace has no information
        super("node " + node + " left the cluster", null, false, false);
    }
}
