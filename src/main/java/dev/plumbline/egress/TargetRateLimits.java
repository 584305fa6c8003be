package dev.plumbline.egress;

import dev.plumbline.check.Deadline;
import dev.plumbline.check.Host;
import dev.plumbline.concurrent.ContextFutures;
import dev.plumbline.concurrent.Scheduler;
import dev.plumbline.config.Config;
import io.vertx.core.Future;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.util.function.LongSupplier;

/** The rate limits of a target: per address, per network and per registrable domain. */
final class TargetRateLimits {
    /** The time that a wait leaves for the connection, at most. */
    private static final long MAX_RESERVE_MILLIS = 250;

    private static final Future<Runnable> UNLIMITED = Future.succeededFuture(TargetRateLimits::nothing);

    private final KeyedRateLimiter<InetAddress> addresses;
    private final KeyedRateLimiter<Long> networks;
    private final KeyedRateLimiter<String> domains;
    private final RegistrableDomains registrable = new RegistrableDomains();
    private final boolean unlimited;

    TargetRateLimits(Config.TargetSettings targets, LongSupplier nanoClock, Scheduler scheduler) {
        addresses = new KeyedRateLimiter<>(targets.perIp(), nanoClock, scheduler);
        networks = new KeyedRateLimiter<>(targets.perNetwork(), nanoClock, scheduler);
        domains = new KeyedRateLimiter<>(targets.perDomain(), nanoClock, scheduler);
        unlimited = addresses.isUnlimited() && networks.isUnlimited() && domains.isUnlimited();
    }

    /**
     * Acquires a permit of each limiter, the narrowest first, so that no permit of a wide one is held while waiting for
     * a narrow one.
     *
     * @param account as in {@link KeyedRateLimiter#acquire}
     * @return releases the permits; to be run once
     */
    Future<Runnable> acquire(Host host, InetAddress address, Deadline deadline, long account) {
        if (unlimited) {
            return UNLIMITED;
        }
        return acquireFrom(addresses, address, deadline, account, TargetRateLimits::nothing)
                .compose(release -> acquireFrom(networks, network(address), deadline, account, release))
                .compose(release -> host.literal() != null || domains.isUnlimited()
                        ? Future.succeededFuture(release)
                        : acquireFrom(domains, registrable.of(host.name()), deadline, account, release));
    }

    private static <K> Future<Runnable> acquireFrom(
            KeyedRateLimiter<K> limiter, K key, Deadline deadline, long account, Runnable release) {
        if (limiter.isUnlimited()) {
            return Future.succeededFuture(release);
        }
        long remaining = deadline.remainingMillis();
        return ContextFutures.onCallerContext(
                        limiter.acquire(key, remaining - Math.min(MAX_RESERVE_MILLIS, remaining / 4), account))
                .transform(outcome -> {
                    if (outcome.failed()) {
                        release.run();
                        return Future.failedFuture(outcome.cause());
                    }
                    return Future.succeededFuture(() -> {
                        limiter.release(key, account);
                        release.run();
                    });
                });
    }

    /** The /24 network of an IPv4 address (negative) or the /48 network of an IPv6 address. */
    private static Long network(InetAddress address) {
        ByteBuffer bytes = ByteBuffer.wrap(address.getAddress());
        return bytes.remaining() == 4 ? -1L - (bytes.getInt() >>> 8) : bytes.getLong() >>> 16;
    }

    private static void nothing() {}
}
