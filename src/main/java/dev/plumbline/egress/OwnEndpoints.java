package dev.plumbline.egress;

import java.net.InetAddress;
import java.net.InterfaceAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.net.UnknownHostException;
import java.util.Collections;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BiPredicate;

/**
 * The service's own listening sockets, which are never targets: an attacker who could reach them
 * from inside would be past everything that stands outside.
 */
public final class OwnEndpoints implements BiPredicate<InetAddress, Integer> {
    private record Remote(InetAddress address, int port) {}

    private final Set<Integer> localPorts = ConcurrentHashMap.newKeySet();
    private final Set<Remote> remotes = ConcurrentHashMap.newKeySet();
    private final Set<InetAddress> localAddresses = localAddresses();

    /** A port that this process, or its embedded database, listens on. */
    public void addLocal(int port) {
        localPorts.add(port);
    }

    /**
     * A socket that belongs to the service on whatever machine, for example its database.
     *
     * @param host a name or an address; looked up here, so not for an event loop
     */
    public void add(String host, int port) {
        try {
            for (InetAddress address : InetAddress.getAllByName(host)) {
                remotes.add(new Remote(address, port));
                if (isLocal(address)) {
                    localPorts.add(port);
                }
            }
        } catch (UnknownHostException unknown) {
            // nobody can be sent to a name that does not exist
        }
    }

    @Override
    public boolean test(InetAddress address, Integer port) {
        return (localPorts.contains(port) && isLocal(address))
                || (!remotes.isEmpty() && remotes.contains(new Remote(address, port)));
    }

    private boolean isLocal(InetAddress address) {
        return address.isLoopbackAddress() || address.isAnyLocalAddress() || localAddresses.contains(address);
    }

    private static Set<InetAddress> localAddresses() {
        Set<InetAddress> found = new HashSet<>();
        try {
            for (NetworkInterface card : Collections.list(NetworkInterface.getNetworkInterfaces())) {
                for (InterfaceAddress address : card.getInterfaceAddresses()) {
                    found.add(address.getAddress());
                }
            }
        } catch (SocketException unreadable) {
            // loopback is known without asking
        }
        return found;
    }
}
