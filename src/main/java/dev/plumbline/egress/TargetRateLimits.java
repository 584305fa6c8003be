package dev.plumbline.egress;

import dev.plumbline.check.CheckContext;
import dev.plumbline.check.Deadline;
import dev.plumbline.config.Config;
import dev.plumbline.result.LimiterKind;
import dev.plumbline.target.Host;
import dev.plumbline.target.IpAddressText;
import io.vertx.core.Future;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.util.function.Function;

/** The rate limits of a target: per address, per network and per registrable domain. */
final class TargetRateLimits {
    /** The time that a wait leaves for the connection, at most. */
    private static final long MAX_RESERVE_MILLIS = 250;

    @SuppressWarnings("UnnecessaryLambda") // it is compared by identity
    private static final Runnable NOTHING = () -> {};

    private static final Future<Runnable> UNLIMITED = Future.succeededFuture(NOTHING);

    private final CheckRateLimiter<InetAddress> addresses;
    private final CheckRateLimiter<Long> networks;
    private final CheckRateLimiter<String> domains;
    private final RegistrableDomains registrable = new RegistrableDomains();
    private final boolean unlimited;

    TargetRateLimits(Config.TargetSettings targets, RateLimiterFactory limiters) {
        addresses = new CheckRateLimiter<>(
                limiters, LimiterKind.ADDRESS, targets.perIp(), IpAddressText::format, IpAddressText::format);
        networks = new CheckRateLimiter<>(
                limiters,
                LimiterKind.NETWORK,
                targets.perNetwork(),
                network -> Long.toString(network),
                TargetRateLimits::cidr);
        domains = new CheckRateLimiter<>(
                limiters, LimiterKind.DOMAIN, targets.perDomain(), Function.identity(), Function.identity());
        unlimited = addresses.isUnlimited() && networks.isUnlimited() && domains.isUnlimited();
    }

    /**
     * Acquires a permit of each limiter, the narrowest first, so that no permit of a wide one is held while waiting for
     * a narrow one.
     *
     * @return releases the permits; to be run once
     */
    Future<Runnable> acquire(CheckContext context, Host host, InetAddress address) {
        if (unlimited) {
            return UNLIMITED;
        }
        PermitAcquisition acquisition =
                new PermitAcquisition(context, context.deadline().atMost(context.patienceMs()));
        return acquisition
                .acquire(addresses, address, NOTHING)
                .compose(release -> acquisition.acquire(networks, network(address), release))
                .compose(release -> host.literal() != null || domains.isUnlimited()
                        ? Future.succeededFuture(release)
                        : acquisition.acquire(domains, registrable.of(host.name()), release));
    }

    /** @param patience when the wait ends */
    private record PermitAcquisition(CheckContext context, Deadline patience) {

        <K> Future<Runnable> acquire(CheckRateLimiter<K> limiter, K key, Runnable release) {
            if (limiter.isUnlimited()) {
                return Future.succeededFuture(release);
            }
            long remaining = context.deadline().remainingMillis();
            long maxWaitMillis =
                    Math.min(patience.remainingMillis(), remaining - Math.min(MAX_RESERVE_MILLIS, remaining / 4));
            Future<Runnable> acquired = limiter.acquire(context, key, maxWaitMillis, context.deadline());
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
    static Long network(InetAddress address) {
        ByteBuffer bytes = ByteBuffer.wrap(address.getAddress());
        return bytes.remaining() == 4 ? -1L - (bytes.getInt() >>> 8) : bytes.getLong() >>> 16;
    }

    /** The notation of a {@link #network}, for example {@code 192.0.2.0/24}. */
    static String cidr(Long network) {
        boolean v4 = network < 0;
        ByteBuffer bytes = ByteBuffer.allocate(v4 ? 4 : 16);
        if (v4) {
            bytes.putInt((int) (-1L - network) << 8);
        } else {
            bytes.putLong(network << 16);
        }
        try {
            return IpAddressText.format(InetAddress.getByAddress(bytes.array())) + (v4 ? "/24" : "/48");
        } catch (UnknownHostException impossible) {
            throw new IllegalStateException(impossible);
        }
    }
}
