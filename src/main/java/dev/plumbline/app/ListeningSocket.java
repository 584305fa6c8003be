package dev.plumbline.app;

import dev.plumbline.config.Config;
import dev.plumbline.config.NodeRole;
import dev.plumbline.target.ExceptionMessage;
import dev.plumbline.target.IpAddressText;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.List;

/**
 * A socket on which this node will listen.
 *
 * @param settings the names of the settings of host and port
 */
record ListeningSocket(String settings, InetAddress address, int port) {

    /** The sockets of the roles of this node. */
    static List<ListeningSocket> all(Config config) throws StartException {
        List<ListeningSocket> sockets = new ArrayList<>();
        if (config.cluster().enabled()) {
            InetAddress cluster = address("cluster.host", config.cluster().host());
            sockets.add(new ListeningSocket(
                    "cluster.host, cluster.port", cluster, config.cluster().port()));
            sockets.add(new ListeningSocket(
                    "cluster.host, cluster.port + 1", cluster, config.cluster().busPort()));
        }
        sockets.add(new ListeningSocket(
                "management.host, management.port",
                address("management.host", config.management().host()),
                config.management().port()));
        if (config.node().has(NodeRole.HTTP)) {
            sockets.add(new ListeningSocket(
                    "http.host, http.port",
                    address("http.host", config.http().host()),
                    config.http().port()));
        }
        return sockets;
    }

    static InetAddress address(String setting, String host) throws StartException {
        try {
            return InetAddress.getByName(host);
        } catch (UnknownHostException unknown) {
            throw new StartException(
                    setting + " is \"" + host + "\", which cannot be resolved. Set an IP address.", unknown);
        }
    }

    void requireFree() throws StartException {
        try (ServerSocket socket = new ServerSocket()) {
            socket.bind(new InetSocketAddress(address, port));
        } catch (IOException unavailable) {
            throw new StartException(
                    IpAddressText.format(address) + ":" + port + " (" + settings + "): "
                            + ExceptionMessage.of(unavailable) + ". Stop the other program or set another port.",
                    unavailable);
        }
    }
}
