package dev.plumbline.probe.http;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import com.github.benmanes.caffeine.cache.Ticker;
import io.vertx.core.net.SocketAddress;
import java.time.Duration;

/**
 * The UDP ports on which this node recently received a packet of a server, for each IP version. Without one, a firewall
 * of the operator can be the reason why a server does not respond. Thread-safe.
 */
final class QuicReachability {
    static final Duration MAX_AGE = Duration.ofHours(1);
    private static final int MAX_NETWORKS = 1_000;

    private record Network(boolean ipv6, int port) {
        /** @param server an IP address */
        static Network of(SocketAddress server) {
            return new Network(server.host().indexOf(':') >= 0, server.port());
        }
    }

    private final Cache<Network, Boolean> confirmed;

    QuicReachability(Ticker ticker) {
        this.confirmed = Caffeine.newBuilder()
                .maximumSize(MAX_NETWORKS)
                .expireAfterWrite(MAX_AGE)
                .ticker(ticker)
                .executor(Runnable::run)
                .build();
    }

    /** Records a packet of a server. */
    void confirm(SocketAddress server) {
        confirmed.put(Network.of(server), true);
    }

    /** Whether a server of the same IP version responded on the same port in the last hour. */
    boolean isConfirmed(SocketAddress server) {
        return confirmed.getIfPresent(Network.of(server)) != null;
    }
}
