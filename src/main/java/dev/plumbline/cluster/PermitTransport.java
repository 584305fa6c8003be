package dev.plumbline.cluster;

import dev.plumbline.bus.BusAddresses;
import dev.plumbline.bus.MessageBus;
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

    static PermitTransport of(MessageBus bus) {
        return (node, message) -> bus.sendNode(node, addressOf(message), message);
    }

    private static String addressOf(PermitMessage message) {
        if (message instanceof PermitMessage.PermitRequests) {
            return BusAddresses.PERMIT_REQUEST;
        }
        return message instanceof PermitMessage.PermitDecisions
                ? BusAddresses.PERMIT_DECISION
                : BusAddresses.PERMIT_RELEASE;
    }
}
