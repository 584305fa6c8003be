package dev.plumbline.probe.dns;

import dev.plumbline.target.Host;
import java.net.InetAddress;

/**
 * One address of a DNS server that is queried directly.
 *
 * @param host the name or address of the server
 */
public record NameserverAddress(Host host, InetAddress address, int port) {
    public static final int PORT = 53;

    public NameserverAddress(Host host, InetAddress address) {
        this(host, address, PORT);
    }
}
