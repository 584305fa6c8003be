package dev.plumbline.dns;

import com.google.common.base.Preconditions;
import com.google.common.net.HostAndPort;
import dev.plumbline.target.IpAddressText;
import io.vertx.core.net.SocketAddress;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** The addresses of the recursive servers in the settings, otherwise those of the system. */
public final class DnsServerList {
    private static final Path RESOLV_CONF = Path.of("/etc/resolv.conf");
    private static final int PORT = 53;

    private DnsServerList() {}

    /**
     * @param configured {@code address}, {@code address:port} or {@code [v6]:port}
     * @throws IllegalArgumentException if one is malformed; the message contains it
     */
    static List<SocketAddress> from(List<String> configured) {
        return configured.isEmpty()
                ? ofSystem(RESOLV_CONF)
                : configured.stream().map(DnsServerList::parse).toList();
    }

    /** The servers of a resolv.conf; 127.0.0.1 if it has none, as in libc. */
    static List<SocketAddress> ofSystem(Path resolvConf) {
        List<SocketAddress> servers = new ArrayList<>();
        for (String line : lines(resolvConf)) {
            String[] words = line.strip().split("\\s+");
            InetAddress address =
                    words.length >= 2 && words[0].equals("nameserver") ? IpAddressText.parse(words[1]) : null;
            if (address != null) {
                servers.add(socketAddress(address, PORT));
            }
        }
        return servers.isEmpty() ? List.of(parse("127.0.0.1")) : List.copyOf(servers);
    }

    private static List<String> lines(Path file) {
        try {
            return Files.readAllLines(file);
        } catch (IOException unreadable) {
            return List.of();
        }
    }

    /**
     * Parses {@code address}, {@code address:port} or {@code [v6]:port}.
     *
     * @throws IllegalArgumentException if the text is malformed; the message contains it
     */
    public static SocketAddress parse(String text) {
        try {
            HostAndPort server = HostAndPort.fromString(text).withDefaultPort(PORT);
            Preconditions.checkArgument(server.getPort() > 0);
            return socketAddress(IpAddressText.of(server.getHost()), server.getPort());
        } catch (IllegalArgumentException malformed) {
            throw new IllegalArgumentException("not an address and port of a DNS server: " + text, malformed);
        }
    }

    private static SocketAddress socketAddress(InetAddress address, int port) {
        return SocketAddress.inetSocketAddress(new InetSocketAddress(address, port));
    }
}
