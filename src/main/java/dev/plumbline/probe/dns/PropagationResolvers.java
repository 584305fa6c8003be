package dev.plumbline.probe.dns;

import dev.plumbline.dns.DnsServerList;
import dev.plumbline.target.Host;
import dev.plumbline.target.IpAddressText;
import io.vertx.core.net.SocketAddress;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * The public resolvers of {@code dns.propagation}, whose responses are compared.
 *
 * @param all in the order of the setting
 */
public record PropagationResolvers(List<Resolver> all) {

    /** @param name the name in the setting, with the address if it is not unique */
    public record Resolver(String name, NameserverAddress address) {}

    /**
     * The resolvers of a setting.
     *
     * @param setting addresses with ports by name
     */
    public static PropagationResolvers of(Map<String, List<String>> setting) {
        List<Resolver> resolvers = new ArrayList<>();
        setting.forEach((name, servers) -> {
            for (String server : servers) {
                SocketAddress socket = DnsServerList.parse(server);
                InetAddress address = IpAddressText.of(socket.hostAddress());
                String text = IpAddressText.format(address);
                resolvers.add(new Resolver(
                        servers.size() == 1 ? name : name + " " + text,
                        new NameserverAddress(new Host(text, address), address, socket.port())));
            }
        });
        return new PropagationResolvers(List.copyOf(resolvers));
    }
}
