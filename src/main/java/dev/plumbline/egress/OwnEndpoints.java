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
 * The listening sockets of this service, which are never targets: a connection from inside would bypass network access
 * controls.
 */
public final class OwnEndpoints implements BiPredicate<InetAddress, Integer> {
    private record Remote(InetAddress address, int port) {}

    private final Set<Integer> localPorts = ConcurrentHashMap.newKeySet();
    private final Set<Remote> remotes = ConcurrentHashMap.newKeySet();
    private final Set<InetAddress> localAddresses = localAddresses();

    /** Adds a port on which this process or its embedded database listens. */
    public void addLocal(int port) {
        localPorts.add(port);
    }

    /**
     * Adds a socket of the service on any machine, for example its database.
     *
     * @param host a name or an address; blocks for its lookup
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
            // A name that does not exist cannot be a target.
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
        Set<InetAddress> addresses = new HashSet<>();
        try {
            for (NetworkInterface networkInterface : Collections.list(NetworkInterface.getNetworkInterfaces())) {
                for (InterfaceAddress address : networkInterface.getInterfaceAddresses()) {
                    addresses.add(address.getAddress());
                }
            }
        } catch (SocketException unreadable) {
            // Loopback addresses are known without the interfaces.
        }
        return addresses;
    }
}
