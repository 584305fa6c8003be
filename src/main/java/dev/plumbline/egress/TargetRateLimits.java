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

/** The three gates before a target: its address, its network, its registrable domain. */
final class TargetRateLimits {
    /** What a wait leaves of a check's time, at most: a connection wants some, too. */
    private static final long LEFT_MILLIS = 250;

    private static final Future<Runnable> OPEN = Future.succeededFuture(TargetRateLimits::nothing);

    private final KeyedRateLimiter<InetAddress> addresses;
    private final KeyedRateLimiter<Long> networks;
    private final KeyedRateLimiter<String> domains;
    private final RegistrableDomains registrable = new RegistrableDomains();
    private final boolean open;

    TargetRateLimits(Config.TargetSettings targets, LongSupplier nanoClock, Scheduler timers) {
        addresses = new KeyedRateLimiter<>(targets.perIp(), nanoClock, timers);
        networks = new KeyedRateLimiter<>(targets.perNetwork(), nanoClock, timers);
        domains = new KeyedRateLimiter<>(targets.perDomain(), nanoClock, timers);
        open = addresses.isOpen() && networks.isOpen() && domains.isOpen();
    }

    /**
     * Passes all three, the narrowest first, so that nobody holds a place in the wide ones while
     * waiting for the narrow. The outcome is what gives the places back, to be run once.
     */
    Future<Runnable> enter(Host host, InetAddress address, Deadline deadline) {
        if (open) {
            return OPEN;
        }
        return pass(addresses, address, deadline, TargetRateLimits::nothing)
                .compose(back -> pass(networks, network(address), deadline, back))
                .compose(back -> host.literal() != null || domains.isOpen()
                        ? Future.succeededFuture(back)
                        : pass(domains, registrable.of(host.name()), deadline, back));
    }

    int size() {
        return addresses.size() + networks.size() + domains.size();
    }

    private static <K> Future<Runnable> pass(KeyedRateLimiter<K> gate, K key, Deadline deadline, Runnable back) {
        if (gate.isOpen()) {
            return Future.succeededFuture(back);
        }
        long remaining = deadline.remainingMillis();
        return ContextFutures.onCallerContext(gate.enter(key, remaining - Math.min(LEFT_MILLIS, remaining / 4)))
                .transform(outcome -> {
                    if (outcome.failed()) {
                        back.run();
                        return Future.failedFuture(outcome.cause());
                    }
                    return Future.succeededFuture(() -> {
                        gate.leave(key);
                        back.run();
                    });
                });
    }

    /** The /24 of an IPv4 address, the /48 of an IPv6 one; the sign keeps them apart. */
    private static Long network(InetAddress address) {
        ByteBuffer bytes = ByteBuffer.wrap(address.getAddress());
        return bytes.remaining() == 4 ? -1L - (bytes.getInt() >>> 8) : bytes.getLong() >>> 16;
    }

    private static void nothing() {}
}
