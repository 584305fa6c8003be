package dev.plumbline.module.web;

import dev.plumbline.module.dns.record.ServerHosts;
import dev.plumbline.probe.dns.HostAddresses;
import dev.plumbline.probe.dns.HostAddresses.State;
import dev.plumbline.result.CheckError;
import java.net.Inet4Address;
import java.net.Inet6Address;
import java.util.List;
import java.util.Objects;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The nameservers or mail servers of a domain and their addresses.
 *
 * @param error why they are unknown; null if they are known
 */
record Ipv6Hosts(List<Server> servers, @Nullable CheckError error) {
    record Server(String host, HostAddresses addresses) {
        boolean hasIpv6() {
            return addresses.ips().stream().anyMatch(Inet6Address.class::isInstance);
        }

        boolean hasIpv4() {
            return addresses.ips().stream().anyMatch(Inet4Address.class::isInstance);
        }

        /** Whether the host has a public IPv6 address; null if that is unknown. */
        @Nullable
        Boolean knownIpv6() {
            boolean known = addresses.state() != State.FAILED && addresses.state() != State.PARTIAL;
            return hasIpv6() ? Boolean.TRUE : known ? Boolean.FALSE : null;
        }
    }

    static Ipv6Hosts of(ServerHosts hosts) {
        return new Ipv6Hosts(
                hosts.servers().stream()
                        .map(server -> new Server(server.host(), server.addresses()))
                        .toList(),
                hosts.error());
    }

    /** Whether a server has an IPv6 address; null if that is unknown. */
    @Nullable
    Boolean anyIpv6() {
        if (!withIpv6().isEmpty()) {
            return true;
        }
        return error == null && unknown().isEmpty() ? (Boolean) false : null;
    }

    /** Why it is unknown whether a server has an IPv6 address; null if that is known. */
    @Nullable
    CheckError unknownCause() {
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

    List<String> names() {
        return names(server -> true);
    }

    List<String> withIpv6() {
        return names(Server::hasIpv6);
    }

    List<String> withoutIpv6() {
        return names(server -> Boolean.FALSE.equals(server.knownIpv6()));
    }

    /** The servers whose lookup failed. */
    List<String> unknown() {
        return names(server -> server.knownIpv6() == null);
    }

    private List<String> names(Predicate<Server> condition) {
        return servers.stream().filter(condition).map(Server::host).toList();
    }
}
