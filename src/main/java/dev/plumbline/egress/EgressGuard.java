package dev.plumbline.egress;

import com.google.common.base.Strings;
import dev.plumbline.check.CheckContext;
import dev.plumbline.check.CheckFailure;
import dev.plumbline.check.Deadline;
import dev.plumbline.check.OverloadFailure;
import dev.plumbline.concurrent.ContextFutures;
import dev.plumbline.concurrent.CurrentSpan;
import dev.plumbline.concurrent.VertxInternals;
import dev.plumbline.config.Config;
import dev.plumbline.dns.DnsQueryPermits;
import dev.plumbline.dns.DnsResolver;
import dev.plumbline.dns.DnsResponse;
import dev.plumbline.dns.PrivateNameFilter;
import dev.plumbline.result.ErrorCode;
import dev.plumbline.target.Host;
import dev.plumbline.target.IpAddressText;
import dev.plumbline.target.TargetPolicy;
import dev.plumbline.trace.Span;
import io.netty.channel.Channel;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.net.ConnectOptions;
import io.vertx.core.net.NetClient;
import io.vertx.core.net.NetSocket;
import io.vertx.core.net.SocketAddress;
import java.net.Inet4Address;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.xbill.DNS.Type;

/**
 * The only code that connects to targets: resolves names, classifies every address, and connects to a classified
 * address within the rate and concurrency limits of its address, network and registrable domain. Shared by all event
 * loops; futures complete on the caller's context.
 */
public final class EgressGuard {
    /** The memory that is reserved for each connection: one read. */
    public static final int CONNECTION_BYTES = 16 * 1024;

    private static final String CONNECT = "TCP connect";

    private final TargetPolicy policy;
    private final DnsResolver resolver;
    private final DnsQueryLimits dnsLimits;
    private final TargetRateLimits rateLimits;

    /** @param targets supplies the limits; the policy has the other settings */
    public EgressGuard(
            TargetPolicy policy,
            DnsResolver resolver,
            DnsQueryLimits dnsLimits,
            Config.TargetSettings targets,
            RateLimiterFactory limiters) {
        this.policy = policy;
        this.resolver = resolver;
        this.dnsLimits = dnsLimits;
        this.rateLimits = new TargetRateLimits(targets, limiters);
    }

    /**
     * Resolves the addresses of a host to connect to, in the order of attempts: IPv4 first, never empty. IPv4 is first,
     * because this order does not depend on the network of this service and works without IPv6. The option
     * {@code ip_version} selects the family, but the addresses of both families are classified. The option
     * {@code connect_to} replaces the host of the target, but not other hosts. Fails with {@code target_blocked} if any
     * address of the name is forbidden, with a {@code dns_*} error if there is none, and with
     * {@link dev.plumbline.check.OverloadFailure} if the queue of the resolver is full, or as
     * {@link DnsQueryPermits#acquire} does.
     */
    public Future<List<InetAddress>> resolve(CheckContext context, Host requested, int port) {
        IpVersion version = IpVersion.of(context);
        Host host = connectHost(context, requested);
        InetAddress literal = host.literal();
        if (literal != null) {
            return resolveLiteral(version, literal, port);
        }
        String refusal = policy.refusalOfName(host.name());
        if (refusal != null) {
            return failed(ErrorCode.TARGET_BLOCKED, refusal);
        }
        Deadline deadline = context.deadline();
        DnsQueryPermits permits = dnsLimits.permits(context);
        Future<DnsResponse> v4 = resolver.query(host.name(), Type.A, deadline, permits);
        Future<DnsResponse> v6 = resolver.query(host.name(), Type.AAAA, deadline, permits);
        return Future.join(v4, v6).transform(done -> {
            context.budget().recordEnd(v4.cause());
            context.budget().recordEnd(v6.cause());
            return evaluate(version, host, port, v4, v6);
        });
    }

    /**
     * As {@link #resolve(CheckContext, Host, int)}, limited to the first addresses, because a hostile name can list
     * addresses of others.
     *
     * @param max the maximum number of addresses, at least 1
     */
    public Future<List<InetAddress>> resolve(CheckContext context, Host host, int port, int max) {
        return resolve(context, host, port).map(addresses -> addresses.subList(0, Math.min(addresses.size(), max)));
    }

    private static Host connectHost(CheckContext context, Host requested) {
        Host chosen = context.connectTo();
        Host target = context.budget().target();
        return chosen != null && (target == null || requested.equals(target)) ? chosen : requested;
    }

    private Future<List<InetAddress>> resolveLiteral(IpVersion version, InetAddress literal, int port) {
        String refusal = policy.refusalOf(literal, port);
        if (refusal != null) {
            return failed(ErrorCode.TARGET_BLOCKED, refusal);
        }
        return version.allows(literal)
                ? Future.succeededFuture(List.of(literal))
                : failed(
                        ErrorCode.INVALID_TARGET,
                        "%s is not an IP%s address. Change the option ip_version."
                                .formatted(IpAddressText.format(literal), version == IpVersion.V4 ? "v4" : "v6"));
    }

    private Future<List<InetAddress>> evaluate(
            IpVersion version, Host host, int port, Future<DnsResponse> v4, Future<DnsResponse> v6) {
        List<InetAddress> usable = new ArrayList<>();
        for (Future<DnsResponse> lookup : List.of(v4, v6)) {
            if (lookup.failed()) {
                if (CheckFailure.hasCode(lookup.cause(), ErrorCode.TARGET_BLOCKED)) {
                    return Future.failedFuture(lookup.cause());
                }
                continue;
            }
            if (PrivateNameFilter.isPrivate(policy, lookup.result())) {
                return Future.failedFuture(PrivateNameFilter.failure(host.name()));
            }
            String refusal = refusalOf(lookup.result(), port);
            if (refusal != null) {
                return failed(ErrorCode.TARGET_BLOCKED, refusal);
            }
            for (InetAddress address : lookup.result().addresses()) {
                if (version.allows(address)) {
                    usable.add(address);
                }
            }
        }
        return usable.isEmpty()
                ? Future.failedFuture(version.noAddress(host.name(), v4, v6))
                : Future.succeededFuture(List.copyOf(usable));
    }

    private @Nullable String refusalOf(DnsResponse response, int port) {
        for (InetAddress address : response.addresses()) {
            String refusal = policy.refusalOf(address, port);
            if (refusal != null) {
                return refusal;
            }
        }
        return null;
    }

    /**
     * Runs one exchange with one address and holds its permits until the exchange has ended. Classifies the address
     * again and charges the request budget of the check. Reserves the memory of a connection. Fails with
     * {@code target_blocked}, {@code deadline_exceeded}, {@code request_limit}, and
     * {@link dev.plumbline.check.OverloadFailure} if a permit would not be available in time.
     *
     * @param host the host for the limit per registrable domain
     * @param exchange connects to the given address; its future completes when the connection is closed
     */
    public <T> Future<T> dial(
            CheckContext context,
            Host host,
            InetAddress address,
            int port,
            Function<SocketAddress, Future<T>> exchange) {
        String refusal = policy.refusalOf(address, port);
        if (refusal != null) {
            return failed(ErrorCode.TARGET_BLOCKED, refusal);
        }
        if (context.deadline().passed()) {
            return failed(ErrorCode.DEADLINE_EXCEEDED, "The check exceeded its time limit.");
        }
        SocketAddress pinned = SocketAddress.inetSocketAddress(new InetSocketAddress(address, port));
        Span span = span(context, host, address, port);
        Future<T> dialed = CurrentSpan.with(span, () -> rateLimits.acquire(context, host, address))
                .compose(release -> context.reserve(CONNECTION_BYTES)
                        .compose(reserved -> {
                            // not before, because a check that has not contacted the target can be repeated
                            Future<T> result = context.budget().take()
                                    ? CurrentSpan.with(span, () -> ContextFutures.call(() -> exchange.apply(pinned)))
                                    : failed(
                                            ErrorCode.REQUEST_LIMIT,
                                            "The check exceeded its limit of outbound requests.");
                            return result.onComplete(done -> {
                                context.budget().recordEnd(done.cause());
                                if (done.cause() instanceof OverloadFailure) {
                                    // not the rate limit of the target, but a limit of this node
                                    context.memory().refuse();
                                }
                                context.memory().release(CONNECTION_BYTES);
                            });
                        })
                        .onComplete(done -> release.run()));
        return span.recorded() ? dialed.onComplete((value, failure) -> CurrentSpan.end(span, failure)) : dialed;
    }

    /** The span of a connection and of its exchange, including the wait for the rate limits of the target. */
    private static Span span(CheckContext context, Host host, InetAddress address, int port) {
        return context.span().recorded()
                ? context.span()
                        .child("connection", Span.Kind.CLIENT)
                        .set("server.port", port)
                        .setTarget("server.address", host.name())
                        .setTarget("network.peer.address", IpAddressText.format(address))
                : Span.NONE;
    }

    /**
     * Opens a connection to a classified address and verifies the peer. Fails with {@code connect_*} if it does not
     * open, and with {@code deadline_exceeded} if the timeout is not positive.
     */
    public Future<NetSocket> connect(NetClient client, SocketAddress remote, InetAddress pinned, long timeoutMillis) {
        if (timeoutMillis <= 0) {
            return failed(ErrorCode.DEADLINE_EXCEEDED, "The check exceeded its time limit.");
        }
        ConnectOptions options = new ConnectOptions().setRemoteAddress(remote).setTimeout((int) timeoutMillis);
        return CurrentSpan.record(CONNECT, Span.Kind.CLIENT, () -> client.connect(options))
                .recover(cause -> Future.failedFuture(ConnectErrors.of(cause, remote)))
                .compose(socket -> {
                    try {
                        assertPeer(socket.remoteAddress(), pinned, remote.port());
                        return Future.succeededFuture(socket);
                    } catch (RuntimeException wrongPeer) {
                        return socket.close().transform(closed -> Future.failedFuture(wrongPeer));
                    }
                });
    }

    /**
     * Opens a channel to a classified address and verifies the peer, as {@link #connect} does. The channel has no
     * handlers and is not read before the handlers of the returned future have run. Sets no socket options but
     * TCP_NODELAY, because a connection of one exchange needs no others.
     *
     * @return completes on the context of the caller, which is on the event loop of the channel
     */
    public Future<Channel> open(Vertx vertx, InetAddress pinned, int port, long timeoutMillis) {
        if (timeoutMillis <= 0) {
            return failed(ErrorCode.DEADLINE_EXCEEDED, "The check exceeded its time limit.");
        }
        InetSocketAddress remote = new InetSocketAddress(pinned, port);
        Promise<Channel> opened = VertxInternals.contextPromise(vertx);
        Context context = vertx.getOrCreateContext();
        return CurrentSpan.record(CONNECT, Span.Kind.CLIENT, () -> {
            VertxInternals.emit(context, ignored -> open(vertx, context, remote, (int) timeoutMillis, opened));
            return opened.future();
        });
    }

    private static void open(
            Vertx vertx, Context context, InetSocketAddress remote, int timeoutMillis, Promise<Channel> opened) {
        Channel channel;
        try {
            channel = VertxInternals.tcpChannel(vertx);
        } catch (RuntimeException noSocket) {
            opened.fail(ConnectErrors.of(noSocket, SocketAddress.inetSocketAddress(remote)));
            return;
        }
        channel.config().setConnectTimeoutMillis(timeoutMillis);
        VertxInternals.eventLoop(context).register(channel);
        channel.connect(remote).addListener(connected -> {
            if (!connected.isSuccess()) {
                channel.close();
                opened.fail(ConnectErrors.of(connected.cause(), SocketAddress.inetSocketAddress(remote)));
            } else if (remote.equals(channel.remoteAddress())) {
                opened.complete(channel);
            } else {
                channel.close();
                opened.fail(wrongPeer(String.valueOf(channel.remoteAddress()), remote));
            }
        });
    }

    /**
     * Opens a UDP socket that is connected to a classified address, so that the system discards packets of other
     * senders and reports ICMP errors. The channel has no handlers. Fails with {@code internal}.
     *
     * @return completes on the context of the caller, which is on the event loop of the channel
     */
    public Future<Channel> openUdp(Vertx vertx, InetAddress pinned, int port) {
        InetSocketAddress remote = new InetSocketAddress(pinned, port);
        Promise<Channel> opened = VertxInternals.contextPromise(vertx);
        Context context = vertx.getOrCreateContext();
        VertxInternals.emit(context, ignored -> openUdp(vertx, context, remote, opened));
        return opened.future();
    }

    private static void openUdp(Vertx vertx, Context context, InetSocketAddress remote, Promise<Channel> opened) {
        Channel channel;
        try {
            channel = VertxInternals.datagramChannel(vertx, remote.getAddress() instanceof Inet6Address);
        } catch (RuntimeException noSocket) {
            opened.fail(ConnectErrors.ofUdp(noSocket, SocketAddress.inetSocketAddress(remote)));
            return;
        }
        VertxInternals.eventLoop(context).register(channel);
        channel.connect(remote).addListener(connected -> {
            if (connected.isSuccess()) {
                opened.complete(channel);
            } else {
                channel.close();
                opened.fail(ConnectErrors.ofUdp(connected.cause(), SocketAddress.inetSocketAddress(remote)));
            }
        });
    }

    private static IllegalStateException wrongPeer(String peer, InetSocketAddress pinned) {
        return new IllegalStateException("connected to " + peer + " instead of " + pinned);
    }

    /**
     * Verifies that a connection leads to the classified address.
     *
     * @throws IllegalStateException if it does not
     */
    void assertPeer(SocketAddress peer, InetAddress pinned, int port) {
        InetAddress actual =
                peer.isInetSocket() && peer.hostAddress() != null ? IpAddressText.parse(peer.hostAddress()) : null;
        if (!pinned.equals(actual) || peer.port() != port) {
            throw wrongPeer(peer.toString(), new InetSocketAddress(pinned, port));
        }
    }

    private static <T> Future<T> failed(ErrorCode code, String message) {
        return Future.failedFuture(new CheckFailure(code, message));
    }

    /** The address family of the option {@code ip_version}. */
    private enum IpVersion {
        AUTO,
        V4,
        V6;

        static IpVersion of(CheckContext context) {
            return switch (Strings.nullToEmpty(context.ipVersion())) {
                case "4" -> V4;
                case "6" -> V6;
                default -> AUTO;
            };
        }

        boolean allows(InetAddress address) {
            return this == AUTO || (this == V4) == (address instanceof Inet4Address);
        }

        /**
         * The error if no address was found. A failed lookup can hide an address, so both lookups must succeed before
         * an absence is reported.
         */
        Throwable noAddress(String name, Future<DnsResponse> v4, Future<DnsResponse> v6) {
            Future<DnsResponse> decisive = this == V6 || this == AUTO && v4.succeeded() ? v6 : v4;
            if (decisive.failed()) {
                return decisive.cause();
            }
            if (this != AUTO) {
                return DnsResolver.noAddress(name, decisive.result());
            }
            return v4.result().nxdomain()
                    ? DnsResolver.noAddress(name, v6.result().nxdomain() ? v4.result() : v6.result())
                    : new CheckFailure(ErrorCode.DNS_NO_DATA, "No A or AAAA record for " + name + ".");
        }
    }
}
