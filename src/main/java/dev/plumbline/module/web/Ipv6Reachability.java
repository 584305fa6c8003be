package dev.plumbline.module.web;

import dev.plumbline.check.CheckContext;
import dev.plumbline.check.CheckFailure;
import dev.plumbline.concurrent.ContextFutures;
import dev.plumbline.module.dns.record.DnsRecordRow;
import dev.plumbline.module.dns.record.ServerHosts;
import dev.plumbline.probe.dns.NameserverAddress;
import dev.plumbline.probe.dns.NameserverProbe;
import dev.plumbline.probe.tcp.TcpProbe;
import dev.plumbline.result.CheckError;
import dev.plumbline.result.ErrorCode;
import dev.plumbline.target.Host;
import io.vertx.core.Future;
import java.net.Inet4Address;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.util.List;
import java.util.function.BiFunction;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.xbill.DNS.Name;
import org.xbill.DNS.Type;

/**
 * Whether the nameservers or the mail servers of a domain respond over IPv6.
 *
 * @param attempts one for each server with an IPv6 address, at most {@value #MAX_SERVERS}
 * @param portBlocked whether the network of this service may block the port, because it timed out over IPv4, too
 */
public record Ipv6Reachability(List<Attempt> attempts, boolean portBlocked) {
    /** Each server is one request, so that the request budget of the check leaves enough for the website. */
    static final int MAX_SERVERS = 4;

    private static final int CONNECT_MS = 3_000;

    /** @param error why the first IPv6 address of the server did not respond; null if it did */
    public record Attempt(String host, @Nullable CheckError error) {
        private String text() {
            return error == null ? host : host + " (" + error.message().replaceFirst("\\.$", "") + ")";
        }
    }

    /** Queries the SOA record of the domain. Any DNS response counts, including NXDOMAIN. */
    static Future<Ipv6Reachability> nameservers(CheckContext context, ServerHosts servers, String domain, int port) {
        Name name = DnsRecordRow.name(domain);
        return test(servers, (host, address) -> context.probe(NameserverProbe.class)
                .query(
                        context,
                        new NameserverAddress(host, address, port),
                        NameserverProbe.Query.iterative(name, Type.SOA))
                .<@Nullable CheckError>map(response -> null)
                .recover(CheckFailure.otherwise(Ipv6Reachability::ofNameserver)));
    }

    private static @Nullable CheckError ofNameserver(CheckError error) {
        return switch (error.code()) {
            // the query was not sent to a resolver, so that the server is the cause
            case DNS_TIMEOUT -> new CheckError(ErrorCode.READ_TIMEOUT, error.message());
            // a malformed response
            case DNS_SERVFAIL -> null;
            default -> error;
        };
    }

    /** Opens and closes a connection. */
    static Future<Ipv6Reachability> mailServers(CheckContext context, ServerHosts servers, int port) {
        return test(servers, (host, address) -> connect(context, host, address, port))
                .compose(tested -> {
                    boolean noResponse = !tested.attempts.isEmpty()
                            && tested.attempts.stream().allMatch(attempt -> isTimeout(attempt.error));
                    return noResponse
                            ? isBlocked(context, servers, port)
                                    .map(blocked -> new Ipv6Reachability(tested.attempts, blocked))
                            : Future.succeededFuture(tested);
                });
    }

    /** Whether the network of this service may block the port: no server with both families responds over IPv4. */
    private static Future<Boolean> isBlocked(CheckContext context, ServerHosts servers, int port) {
        return servers.servers().stream()
                .filter(server -> server.hasIpv6() && server.hasIpv4())
                .findFirst()
                .map(server -> connect(context, host(server), first(server, Inet4Address.class::isInstance), port)
                        .map(error -> error != null && !isResponse(error)))
                .orElse(Future.succeededFuture(true));
    }

    private static Future<@Nullable CheckError> connect(
            CheckContext context, Host host, InetAddress address, int port) {
        return context.probe(TcpProbe.class)
                .exchange(context, host, address, port, CONNECT_MS, 1, TcpProbe.Script.NONE)
                .<@Nullable CheckError>map(open -> null)
                .recover(CheckFailure.otherwise(error -> error));
    }

    private static Future<Ipv6Reachability> test(
            ServerHosts servers, BiFunction<Host, InetAddress, Future<@Nullable CheckError>> exchange) {
        List<ServerHosts.Server> tested = servers.servers().stream()
                .filter(ServerHosts.Server::hasIpv6)
                .limit(MAX_SERVERS)
                .toList();
        return ContextFutures.all(
                        tested, server -> exchange.apply(host(server), first(server, Inet6Address.class::isInstance))
                                .map(error -> new Attempt(server.host(), error)))
                .map(attempts -> new Ipv6Reachability(attempts, false));
    }

    private static Host host(ServerHosts.Server server) {
        return new Host(server.host(), null);
    }

    private static InetAddress first(ServerHosts.Server server, Predicate<InetAddress> family) {
        return server.addresses().ips().stream().filter(family).findFirst().orElseThrow();
    }

    private static boolean isTimeout(@Nullable CheckError error) {
        return error != null && error.code() == ErrorCode.CONNECT_TIMEOUT;
    }

    private static boolean isResponse(CheckError error) {
        return error.code() == ErrorCode.CONNECT_REFUSED || error.code() == ErrorCode.CONNECTION_RESET;
    }

    /**
     * Whether the cause can be this service, its network or a limit instead of the target. A host that is not connected
     * to IPv6 does not have a route.
     */
    static boolean isUndetermined(CheckError error) {
        return error.code() == ErrorCode.CONNECT_UNREACHABLE || !error.code().targetFault();
    }

    /** Whether all of these servers respond; null if that is unknown, or without servers. */
    @Nullable
    Boolean responds() {
        if (!failed().isEmpty()) {
            return false;
        }
        return attempts.isEmpty() || !undetermined().isEmpty() ? null : (Boolean) true;
    }

    /** The servers that do not respond, with the reason. */
    List<String> failed() {
        return texts(error -> !portBlocked && !isUndetermined(error));
    }

    /** The servers for which that was not determined, with the reason. */
    List<String> undetermined() {
        return texts(error -> portBlocked || isUndetermined(error));
    }

    private List<String> texts(Predicate<CheckError> condition) {
        return attempts.stream()
                .filter(attempt -> attempt.error != null && condition.test(attempt.error))
                .map(Attempt::text)
                .toList();
    }
}
