package dev.plumbline.module.dns.nameservers;

import dev.plumbline.check.CheckContext;
import dev.plumbline.check.CheckFailure;
import dev.plumbline.module.dns.nameservers.NameserverEvidence.Server;
import dev.plumbline.probe.dns.HostAddresses;
import dev.plumbline.probe.dns.HostAddresses.State;
import dev.plumbline.probe.dns.NameserverAddress;
import dev.plumbline.probe.dns.NameserverProbe;
import dev.plumbline.result.ErrorCode;
import dev.plumbline.target.Host;
import dev.plumbline.target.InvalidTargetException;
import dev.plumbline.target.Target;
import dev.plumbline.target.TargetParser;
import io.vertx.core.Future;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import org.xbill.DNS.Name;
import org.xbill.DNS.TextParseException;

/**
 * The servers of the option {@code servers}: hostnames or addresses, port 53. The port cannot be selected, because a
 * query to another port can be a request of another protocol.
 */
public final class NamedServers {
    /** The maximum number of addresses of one server. */
    public static final int MAX_ADDRESSES = 4;

    private NamedServers() {}

    /**
     * Resolves the servers. Fails with {@code invalid_target} if a text is neither a hostname nor an address, and as
     * {@link NameserverProbe#addresses} does: all servers are classified before the first query.
     */
    public static Future<List<Server>> resolve(CheckContext context, List<String> named) {
        List<Future<Server>> servers = new ArrayList<>();
        for (String text : new LinkedHashSet<>(named)) {
            servers.add(resolve(context, text));
        }
        return Future.all(servers).map(all -> all.list());
    }

    private static Future<Server> resolve(CheckContext context, String text) {
        Host host;
        Name name;
        try {
            Target.HostPort endpoint = TargetParser.endpoint(text, NameserverAddress.PORT);
            host = endpoint.host();
            name = host.literal() == null ? Name.fromString(host.name(), Name.root) : null;
        } catch (InvalidTargetException | TextParseException invalid) {
            return Future.failedFuture(
                    new CheckFailure(ErrorCode.INVALID_TARGET, "Option servers: " + invalid.getMessage()));
        }
        Host server = host;
        Name serverName = name;
        return context.probe(NameserverProbe.class)
                .addresses(context, server, MAX_ADDRESSES)
                .map(addresses -> new Server(server.name(), serverName, found(addresses), List.of(), List.of()));
    }

    private static HostAddresses found(List<InetAddress> addresses) {
        return new HostAddresses(State.FOUND, addresses, false, null);
    }
}
