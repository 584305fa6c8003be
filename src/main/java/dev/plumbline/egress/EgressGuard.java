package dev.plumbline.egress;

import dev.plumbline.check.CheckContext;
import dev.plumbline.check.CheckFailure;
import dev.plumbline.check.Deadline;
import dev.plumbline.check.ErrorCode;
import dev.plumbline.check.Host;
import dev.plumbline.check.IpAddressText;
import dev.plumbline.check.ModuleDescription;
import dev.plumbline.check.TargetPolicy;
import dev.plumbline.concurrent.Scheduler;
import dev.plumbline.config.Config;
import dev.plumbline.dns.DnsResolver;
import dev.plumbline.dns.DnsResponse;
import dev.plumbline.dns.PrivateNameFilter;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.net.SocketAddress;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.xbill.DNS.Type;

/**
 * The only way to a target: names are resolved here, every address is classified, connections are
 * dialled to the classified address under the pace and concurrency caps of its address, network and
 * registrable domain. Shared by all event loops; outcomes are told on the caller's.
 */
public final class EgressGuard {
    private final TargetPolicy policy;
    private final DnsResolver resolver;
    private final TargetRateLimits gates;

    /**
     * @param targets of which the paces are read; the policy knows the rest
     */
    public EgressGuard(Vertx vertx, TargetPolicy policy, DnsResolver resolver, Config.TargetSettings targets) {
        this(policy, resolver, targets, System::nanoTime, Scheduler.of(vertx));
    }

    EgressGuard(
            TargetPolicy policy,
            DnsResolver resolver,
            Config.TargetSettings targets,
            LongSupplier nanoClock,
            Scheduler timers) {
        this.policy = policy;
        this.resolver = resolver;
        this.gates = new TargetRateLimits(targets, nanoClock, timers);
    }

    /**
     * The addresses of a host that may be dialled, in the order to try them: IPv4 first; never empty.
     * The option {@code ip_version} says which family may be dialled, but every address of both
     * families is classified. Fails with {@code target_blocked} when even one address of the name is
     * forbidden, with a {@code dns_*} error when there is none, and with {@link
     * dev.plumbline.check.OverloadFailure} when the resolver's queue is full.
     */
    public Future<List<InetAddress>> resolve(CheckContext context, Host host, int port) {
        IpVersion version = IpVersion.of(context);
        InetAddress literal = host.literal();
        if (literal != null) {
            return ofLiteral(version, literal, port);
        }
        String refusal = policy.refusalOfName(host.name());
        if (refusal != null) {
            return failed(ErrorCode.TARGET_BLOCKED, refusal);
        }
        Deadline deadline = context.deadline();
        Future<DnsResponse> v4 = resolver.query(host.name(), Type.A, deadline);
        Future<DnsResponse> v6 = resolver.query(host.name(), Type.AAAA, deadline);
        return Future.join(v4, v6).transform(both -> judged(version, host, port, v4, v6));
    }

    /**
     * The first of these addresses; more than a few are strangers' that a hostile name points at.
     *
     * @param most how many, at least 1
     */
    public Future<List<InetAddress>> resolve(CheckContext context, Host host, int port, int most) {
        return resolve(context, host, port).map(addresses -> addresses.subList(0, Math.min(addresses.size(), most)));
    }

    private Future<List<InetAddress>> ofLiteral(IpVersion version, InetAddress literal, int port) {
        String refusal = policy.refusalOf(literal, port);
        if (refusal != null) {
            return failed(ErrorCode.TARGET_BLOCKED, refusal);
        }
        return version.mayDial(literal)
                ? Future.succeededFuture(List.of(literal))
                : failed(
                        ErrorCode.INVALID_TARGET,
                        IpAddressText.format(literal)
                                + " is not an "
                                + (version == IpVersion.V4 ? "IPv4" : "IPv6")
                                + " address. Change the option ip_version.");
    }

    private Future<List<InetAddress>> judged(
            IpVersion version, Host host, int port, Future<DnsResponse> v4, Future<DnsResponse> v6) {
        List<InetAddress> usable = new ArrayList<>();
        for (Future<DnsResponse> lookup : List.of(v4, v6)) {
            if (lookup.failed()) {
                if (blocked(lookup.cause())) {
                    return Future.failedFuture(lookup.cause());
                }
                continue;
            }
            if (PrivateNameFilter.hides(policy, lookup.result())) {
                return Future.failedFuture(PrivateNameFilter.inside(host.name()));
            }
            String refusal = refusalOf(lookup.result(), port);
            if (refusal != null) {
                return failed(ErrorCode.TARGET_BLOCKED, refusal);
            }
            for (InetAddress address : lookup.result().addresses()) {
                if (version.mayDial(address)) {
                    usable.add(address);
                }
            }
        }
        return usable.isEmpty()
                ? Future.failedFuture(version.noAddress(host.name(), v4, v6))
                : Future.succeededFuture(List.copyOf(usable));
    }

    private static boolean blocked(Throwable cause) {
        return cause instanceof CheckFailure failure && failure.error().code() == ErrorCode.TARGET_BLOCKED;
    }

    private @Nullable String refusalOf(DnsResponse answer, int port) {
        for (InetAddress address : answer.addresses()) {
            String refusal = policy.refusalOf(address, port);
            if (refusal != null) {
                return refusal;
            }
        }
        return null;
    }

    /**
     * Runs one exchange with one address, holding its permits until the exchange has ended. The
     * address is classified once more, the check's request budget is charged. Fails with {@code
     * target_blocked}, {@code deadline_exceeded}, {@code request_limit}, and {@link
     * dev.plumbline.check.OverloadFailure} when a permit would come too late.
     *
     * @param host the host in whose name the address is dialled, for the cap per registrable domain
     * @param exchange opens the connection to the given, pinned address and ends when it is closed
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
        if (!context.budget().take()) {
            return failed(ErrorCode.REQUEST_LIMIT, "The check exceeded its limit of outbound requests.");
        }
        SocketAddress pinned = SocketAddress.inetSocketAddress(new InetSocketAddress(address, port));
        return gates.enter(host, address, context.deadline().atMost(context.patienceMs()))
                .compose(back -> run(exchange, pinned, back));
    }

    private static <T> Future<T> run(Function<SocketAddress, Future<T>> exchange, SocketAddress pinned, Runnable back) {
        Future<T> running;
        try {
            running = Objects.requireNonNull(exchange.apply(pinned), "no exchange");
        } catch (RuntimeException | Error thrown) {
            running = Future.failedFuture(thrown);
        }
        return running.onComplete(done -> back.run());
    }

    /**
     * Throws when a connection's peer is not the address that was classified: something between us
     * and the socket has taken another way.
     *
     * @throws IllegalStateException then
     */
    public void assertPeer(SocketAddress peer, InetAddress pinned, int port) {
        InetAddress actual =
                peer.isInetSocket() && peer.hostAddress() != null ? IpAddressText.parse(peer.hostAddress()) : null;
        if (!pinned.equals(actual) || peer.port() != port) {
            throw new IllegalStateException("connected to " + peer + " instead of " + pinned + ":" + port);
        }
    }

    private static <T> Future<T> failed(ErrorCode code, String message) {
        return Future.failedFuture(new CheckFailure(code, message));
    }

    /** Which addresses may be dialled. */
    private enum IpVersion {
        AUTO,
        V4,
        V6;

        static IpVersion of(CheckContext context) {
            String wanted = context.options().text(ModuleDescription.IP_VERSION);
            if (wanted == null) {
                return AUTO;
            }
            return switch (wanted) {
                case "4" -> V4;
                case "6" -> V6;
                default -> AUTO;
            };
        }

        boolean mayDial(InetAddress address) {
            return this == AUTO || (this == V4) == (address instanceof Inet4Address);
        }

        /**
         * A look-up that failed may have hidden an address: only two answers say that there is none.
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
