package dev.plumbline.module.network;

import dev.plumbline.check.CheckContext;
import dev.plumbline.concurrent.ContextFutures;
import dev.plumbline.module.dns.record.ServerHosts;
import dev.plumbline.module.dns.record.ServerHosts.Server;
import dev.plumbline.probe.dns.DnsProbe;
import dev.plumbline.probe.dns.HostAddresses;
import dev.plumbline.probe.dns.HostAddresses.State;
import dev.plumbline.result.CheckError;
import io.vertx.core.Future;
import java.net.InetAddress;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * The hosts of a domain whose routes are validated.
 *
 * @param hosts with at least one public address, each name once, by first role and name
 * @param unknown the names whose addresses or servers are not completely known
 * @param error why one of them is unknown; null if all are known
 */
public record RoutedHosts(List<RoutedHost> hosts, List<String> unknown, @Nullable CheckError error) {

    /** What a host is used for. */
    public enum Role {
        WEB,
        MAIL,
        NAMESERVER,
        /** A nameserver of the domain of a mail server. */
        MAIL_NAMESERVER
    }

    /** @param roles at least one, in order */
    public record RoutedHost(String name, List<Role> roles, List<InetAddress> addresses) {
        List<String> roleNames() {
            return roles.stream()
                    .map(role -> role.name().toLowerCase(Locale.ROOT))
                    .toList();
        }
    }

    /** The addresses of all hosts in order, without duplicates. */
    Set<InetAddress> addresses() {
        Set<InetAddress> addresses = new LinkedHashSet<>();
        hosts.forEach(host -> addresses.addAll(host.addresses()));
        return addresses;
    }

    static Future<RoutedHosts> lookup(CheckContext context, String domain) {
        DnsProbe dns = context.probe(DnsProbe.class);
        Future<HostAddresses> web = dns.addresses(context, domain);
        String wwwHost = "www." + domain;
        Future<HostAddresses> www = domain.startsWith("www.")
                ? Future.succeededFuture(HostAddresses.NOT_CHECKED)
                : dns.addresses(context, wwwHost);
        Future<ServerHosts> nameservers = ServerHosts.nameservers(context, domain);
        Future<ServerHosts> mail = ServerHosts.mailServers(context, domain);
        Future<List<Map.Entry<String, ServerHosts>>> mailNameservers =
                mail.compose(servers -> nameserversOf(context, servers.servers()));
        return Future.all(web, www, nameservers, mail, mailNameservers).map(all -> {
            Collector collector = new Collector();
            collector.add(Role.WEB, new Server(domain, web.result()));
            collector.add(Role.WEB, new Server(wwwHost, www.result()));
            collector.add(Role.MAIL, domain, mail.result());
            collector.add(Role.NAMESERVER, domain, nameservers.result());
            mailNameservers
                    .result()
                    .forEach(zone -> collector.add(Role.MAIL_NAMESERVER, zone.getKey(), zone.getValue()));
            return new RoutedHosts(collector.hosts(), List.copyOf(collector.unknown), collector.error);
        });
    }

    /** The nameservers of the zones of mail servers, by zone. */
    private static Future<List<Map.Entry<String, ServerHosts>>> nameserversOf(
            CheckContext context, List<Server> mailServers) {
        List<Future<String>> zones = mailServers.stream()
                .map(server -> context.probe(DnsProbe.class)
                        .lookup(context, server.host(), "NS")
                        .map(lookup -> zone(
                                server.host(),
                                lookup.succeeded() && lookup.records().isEmpty())))
                .toList();
        return Future.all(zones)
                .compose(all -> ContextFutures.all(
                        new TreeSet<>(all.<String>list()),
                        zone -> ServerHosts.nameservers(context, zone).map(servers -> Map.entry(zone, servers))));
    }

    /** The parent of a host that is not a zone, so that several hosts of one domain need one lookup. */
    private static String zone(String host, boolean inParent) {
        String parent = host.substring(host.indexOf('.') + 1);
        return inParent && parent.indexOf('.') > 0 ? parent : host;
    }

    /** Collects hosts in the order of their roles. */
    private static final class Collector {
        private final Map<String, Set<Role>> roles = new LinkedHashMap<>();
        private final Map<String, List<InetAddress>> ips = new HashMap<>();
        private final Set<String> unknown = new LinkedHashSet<>();
        private @Nullable CheckError error;

        /** @param zone of the servers */
        void add(Role role, String zone, ServerHosts servers) {
            if (servers.error() != null) {
                fail(zone, servers.error());
            }
            servers.servers().forEach(server -> add(role, server));
        }

        void add(Role role, Server server) {
            HostAddresses addresses = server.addresses();
            if (addresses.state() == State.PARTIAL || addresses.state() == State.FAILED) {
                fail(server.host(), addresses.error());
            }
            if (!addresses.ips().isEmpty()) {
                roles.computeIfAbsent(server.host(), first -> EnumSet.noneOf(Role.class))
                        .add(role);
                ips.putIfAbsent(server.host(), addresses.ips());
            }
        }

        List<RoutedHost> hosts() {
            return roles.entrySet().stream()
                    .map(host -> new RoutedHost(
                            host.getKey(), List.copyOf(host.getValue()), ips.getOrDefault(host.getKey(), List.of())))
                    .toList();
        }

        private void fail(String name, @Nullable CheckError cause) {
            unknown.add(name);
            error = error == null ? cause : error;
        }
    }
}
