package dev.plumbline.egress;

import dev.plumbline.check.Deadline;
import dev.plumbline.check.Host;
import dev.plumbline.check.IpAddressText;
import dev.plumbline.concurrent.ContextFutures;
import dev.plumbline.config.Config;
import dev.plumbline.model.LimiterKind;
import io.vertx.core.Future;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.util.function.Function;

/** The rate limits of a target: per address, per network and per registrable domain. */
final class TargetRateLimits {
    /** The time that a wait leaves for the connection, at most. */
    private static final long MAX_RESERVE_MILLIS = 250;

    private static final Runnable NOTHING = () -> {};
    private static final Future<Runnable> UNLIMITED = Future.succeededFuture(NOTHING);

    private final RateLimiter<InetAddress> addresses;
    private final RateLimiter<Long> networks;
    private final RateLimiter<String> domains;
    private final RegistrableDomains registrable = new RegistrableDomains();
    private final boolean unlimited;

    TargetRateLimits(Config.TargetSettings targets, RateLimiterFactory limiters) {
        addresses = limiters.create(LimiterKind.ADDRESS, targets.perIp(), IpAddressText::format);
        networks = limiters.create(LimiterKind.NETWORK, targets.perNetwork(), network -> Long.toString(network));
        domains = limiters.create(LimiterKind.DOMAIN, targets.perDomain(), Function.identity());
        unlimited = addresses.isUnlimited() && networks.isUnlimited() && domains.isUnlimited();
    }

    /**
     * Acquires a permit of each limiter, the narrowest first, so that no permit of a wide one is held while waiting for
     * a narrow one.
     *
     * @param patience when the wait ends, at most {@code end}
     * @param account as in {@link RateLimiter#acquire}
     * @param end when the exchange ends at the latest
     * @return releases the permits; to be run once
     */
    Future<Runnable> acquire(Host host, InetAddress address, Deadline patience, long account, Deadline end) {
        if (unlimited) {
            return UNLIMITED;
        }
        Waiter waiter = new Waiter(patience, account, end);
        return waiter.acquire(addresses, address, NOTHING)
                .compose(release -> waiter.acquire(networks, network(address), release))
                .compose(release -> host.literal() != null || domains.isUnlimited()
                        ? Future.succeededFuture(release)
                        : waiter.acquire(domains, registrable.of(host.name()), release));
    }

    private record Waiter(Deadline patience, long account, Deadline end) {

        <K> Future<Runnable> acquire(RateLimiter<K> limiter, K key, Runnable release) {
            if (limiter.isUnlimited()) {
                return Future.succeededFuture(release);
            }
            long remaining = patience.remainingMillis();
            long maxWaitMillis = remaining - Math.min(MAX_RESERVE_MILLIS, remaining / 4);
            Future<Runnable> acquired =
                    ContextFutures.onCallerContext(limiter.acquire(key, maxWaitMillis, account, end));
            return release == NOTHING
                    ? acquired
                    : acquired.transform(outcome -> {
                        if (outcome.failed()) {
                            release.run();
                            return Future.failedFuture(outcome.cause());
                        }
                        return Future.succeededFuture(() -> {
                            outcome.result().run();
                            release.run();
                        });
                    });
        }
    }

    /** The /24 network of an IPv4 address (negative) or the /48 network of an IPv6 address. */
    private static Long network(InetAddress address) {
        ByteBuffer bytes = ByteBuffer.wrap(address.getAddress());
        return bytes.remaining() == 4 ? -1L - (bytes.getInt() >>> 8) : bytes.getLong() >>> 16;
    }
}
