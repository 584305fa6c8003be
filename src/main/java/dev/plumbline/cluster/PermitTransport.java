package dev.plumbline.cluster;

import dev.plumbline.bus.PermitMessage;

/** Sends messages about permits to other nodes. */
@FunctionalInterface
interface PermitTransport {

    /**
     * Sends a message; it is lost if the node is not reachable.
     *
     * @param node the name of the receiver
     */
    void send(String node, PermitMessage message);
}
