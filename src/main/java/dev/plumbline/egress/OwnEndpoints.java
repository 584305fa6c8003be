package dev.plumbline.egress;

import java.net.InetAddress;
import java.net.InterfaceAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.Collection;
import java.util.Collections;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BiPredicate;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;

/**
 * The listening sockets of this service, which are never targets: a connection from inside would bypass network access
 * controls.
 */
public final class OwnEndpoints implements BiPredicate<InetAddress, Integer> {
    /** A listening socket. */
    public record Socket(InetAddress address, int port) {}

    private static final long CURRENT = Long.MIN_VALUE;

    private final LongSupplier nanoClock;

    /** The sockets of all nodes and the time at which they were removed, or {@link #CURRENT}. */
    private final Map<Socket, Long> nodes = new ConcurrentHashMap<>();

    /** Ports of nodes on this machine. */
    private volatile Set<Integer> localNodePorts = Set.of();

    private final Set<Integer> localPorts = ConcurrentHashMap.newKeySet();
    private final Set<Socket> remotes = ConcurrentHashMap.newKeySet();
    private final Set<InetAddress> localAddresses = localAddresses();

    public OwnEndpoints() {
        this(System::nanoTime);
    }

    OwnEndpoints(LongSupplier nanoClock) {
        this.nanoClock = nanoClock;
    }

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
                remotes.add(new Socket(address, port));
                if (isLocal(address)) {
                    localPorts.add(port);
                }
            }
        } catch (UnknownHostException unknown) {
            // A name that does not exist cannot be a target.
        }
    }

    /**
     * Replaces the sockets of the nodes of the cluster.
     *
     * @param retention the time for which sockets that are not included stay denied: the lease of a node
     */
    public void setNodes(Collection<Socket> sockets, Duration retention) {
        long now = nanoClock.getAsLong();
        sockets.forEach(socket -> nodes.put(socket, CURRENT));
        Set<Socket> current = Set.copyOf(sockets);
        nodes.replaceAll((socket, removed) -> removed != CURRENT || current.contains(socket) ? removed : now);
        nodes.values().removeIf(removed -> removed != CURRENT && now - removed > retention.toNanos());
        localNodePorts = nodes.keySet().stream()
                .filter(socket -> isLocal(socket.address()))
                .map(Socket::port)
                .collect(Collectors.toUnmodifiableSet());
    }

    @Override
    public boolean test(InetAddress address, Integer port) {
        return (localPorts.contains(port) || localNodePorts.contains(port)) && isLocal(address)
                || !remotes.isEmpty() && remotes.contains(new Socket(address, port))
                || !nodes.isEmpty() && nodes.containsKey(new Socket(address, port));
    }

    /** All addresses on which a socket listens that is bound to the address. */
    public Set<InetAddress> listeningAddresses(InetAddress bound) {
        return bound.isAnyLocalAddress() ? localAddresses : Set.of(bound);
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
