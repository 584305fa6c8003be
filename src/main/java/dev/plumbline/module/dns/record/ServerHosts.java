package dev.plumbline.module.dns.record;

import dev.plumbline.check.CheckContext;
import dev.plumbline.dns.DnsResolver;
import dev.plumbline.probe.dns.DnsLookupResult;
import dev.plumbline.probe.dns.DnsProbe;
import dev.plumbline.probe.dns.HostAddresses;
import dev.plumbline.probe.dns.HostAddresses.State;
import dev.plumbline.result.CheckError;
import dev.plumbline.result.ErrorCode;
import io.vertx.core.Future;
import java.net.Inet4Address;
import java.net.Inet6Address;
import java.util.List;
import java.util.Objects;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.xbill.DNS.Name;
import org.xbill.DNS.Record;

/**
 * The nameservers or mail servers of a domain and their addresses.
 *
 * @param servers by name; at most {@value #MAX_SERVERS}
 * @param error why they are unknown; null if they are known
 */
public record ServerHosts(List<Server> servers, @Nullable CheckError error) {
    public static final int MAX_SERVERS = 20;

    /** @param host in lower case without the final dot */
    public record Server(String host, HostAddresses addresses) {
        public boolean hasIpv6() {
            return addresses.ips().stream().anyMatch(Inet6Address.class::isInstance);
        }

        public boolean hasIpv4() {
            return addresses.ips().stream().anyMatch(Inet4Address.class::isInstance);
        }

        /** Whether the host has a public IPv6 address; null if that is unknown. */
        public @Nullable Boolean knownIpv6() {
            boolean known = addresses.state() != State.FAILED && addresses.state() != State.PARTIAL;
            return hasIpv6() ? Boolean.TRUE : known ? Boolean.FALSE : null;
        }
    }

    /** The servers of the NS records of the zone of a domain. */
    public static Future<ServerHosts> nameservers(CheckContext context, String domain) {
        return context.probe(DnsProbe.class).lookup(context, domain, "NS").compose(lookup -> {
            boolean apex = lookup.aliases().isEmpty() && !lookup.records().isEmpty();
            if (apex || lookup.error() != null) {
                return servers(context, lookup);
            }
            // a registrable domain can be a name in the zone of its public suffix, such as name.github.io
            return domain.indexOf('.') == domain.lastIndexOf('.')
                    ? Future.succeededFuture(new ServerHosts(
                            List.of(),
                            new CheckError(ErrorCode.DNS_NO_DATA, "No NS record was found for " + domain + ".")))
                    : nameservers(context, domain.substring(domain.indexOf('.') + 1));
        });
    }

    /** The servers of the MX records; empty without MX records and for a null MX record. */
    public static Future<ServerHosts> mailServers(CheckContext context, String domain) {
        return context.probe(DnsProbe.class).lookup(context, domain, "MX").compose(lookup -> servers(context, lookup));
    }

    private static Future<ServerHosts> servers(CheckContext context, DnsLookupResult lookup) {
        if (lookup.error() != null) {
            return Future.succeededFuture(new ServerHosts(List.of(), lookup.error()));
        }
        List<Future<Server>> servers = lookup.records().stream()
                .map(Record::getAdditionalName)
                .filter(name -> !name.equals(Name.root))
                .map(DnsResolver::text)
                .distinct()
                .sorted()
                .limit(MAX_SERVERS)
                .map(host -> context.probe(DnsProbe.class)
                        .addresses(context, host)
                        .map(addresses -> new Server(host, addresses)))
                .toList();
        return Future.all(servers).map(all -> new ServerHosts(all.<Server>list(), null));
    }

    /** Whether a server has an IPv6 address; null if that is unknown. */
    public @Nullable Boolean anyIpv6() {
        if (!withIpv6().isEmpty()) {
            return true;
        }
        return error == null && unknown().isEmpty() ? (Boolean) false : null;
    }

    /** The number of servers with an IPv6 address; null if a lookup failed. */
    public @Nullable Integer ipv6Count() {
        return error == null && unknown().isEmpty() ? (Integer) withIpv6().size() : null;
    }

    /** Why it is unknown whether a server has an IPv6 address; null if that is known. */
    public @Nullable CheckError unknownCause() {
        return anyIpv6() != null
                ? null
                : error != null
                        ? error
                        : servers.stream()
                                .map(server -> server.addresses().error())
                                .filter(Objects::nonNull)
                                .findFirst()
                                .orElse(null);
    }

    public List<String> names() {
        return names(server -> true);
    }

    public List<String> withIpv6() {
        return names(Server::hasIpv6);
    }

    public List<String> withoutIpv6() {
        return names(server -> Boolean.FALSE.equals(server.knownIpv6()));
    }

    /** The servers whose lookup failed. */
    public List<String> unknown() {
        return names(server -> server.knownIpv6() == null);
    }

    private List<String> names(Predicate<Server> condition) {
        return servers.stream().filter(condition).map(Server::host).toList();
    }
}
