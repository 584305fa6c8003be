package dev.plumbline.http.server;

import io.netty.channel.Channel;
import io.netty.channel.ChannelOption;
import io.netty.channel.unix.IntegerUnixChannelOption;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Ends the traffic of a server without dropping a request. For a moment everything goes on, but
 * each answer is the last of its connection; then no new connection begins, those that have begun
 * are accepted, and the server stops listening; then what is under way is answered.
 *
 * <p>The kernel completes connections by itself and resets those that nobody has accepted when the
 * server stops listening. So before that, it is told to pass over the packets that would begin a
 * connection: who sent one tries again a second later, and is then refused.
 */
public final class GracefulShutdown {
    /** How long a connection is kept open for a request that may be on its way already. */
    static final long GRACE_MS = 1_000;

    private static final long SETTLE_MS = 100;

    /**
     * Only packets that have passed no router and were sent with the largest hop limit; hardly any
     * system sends them so. By number, since Java has no names for these options of Linux: IP_MINTTL
     * and IPV6_MINHOPCOUNT.
     */
    private static final int HIGHEST_HOP_LIMIT = 255;

    private static final List<ChannelOption<Integer>> LEAST_HOP_LIMIT = List.of(
            new IntegerUnixChannelOption("IP_MINTTL", 0, 21), new IntegerUnixChannelOption("IPV6_MINHOPCOUNT", 41, 73));

    private GracefulShutdown() {}

    /**
     * Undoes on a connection what it may have inherited from an acceptor that lets nobody begin: its
     * handshake was half done then.
     */
    static void hearAgain(Channel accepted) {
        limitHops(accepted, 0);
    }

    /**
     * Drains the server whose connections are guarded.
     *
     * @param atMost how long requests that are under way are waited for
     * @return ends when no connection is left, or when the time is up
     */
    public static Future<Void> of(ConnectionLimitHandler guard, Duration atMost) {
        Channel acceptor = guard.acceptor();
        if (acceptor == null || !acceptor.isOpen()) {
            return Future.succeededFuture();
        }
        long millis = atMost.toMillis();
        Promise<Void> ended = Promise.promise();
        acceptor.eventLoop().schedule(() -> ended.tryComplete(), Math.max(1, millis), TimeUnit.MILLISECONDS);
        guard.drain(millis);
        acceptor.eventLoop()
                .schedule(() -> letNobodyBegin(acceptor), Math.min(GRACE_MS, millis / 2), TimeUnit.MILLISECONDS);
        acceptor.closeFuture().addListener(closed -> guard.whenEmpty(() -> ended.tryComplete()));
        return ended.future();
    }

    private static void letNobodyBegin(Channel acceptor) {
        limitHops(acceptor, HIGHEST_HOP_LIMIT);
        acceptor.eventLoop().schedule(() -> acceptor.close(), SETTLE_MS, TimeUnit.MILLISECONDS);
    }

    private static void limitHops(Channel channel, int least) {
        for (ChannelOption<Integer> option : LEAST_HOP_LIMIT) {
            try {
                channel.config().setOption(option, least);
            } catch (RuntimeException notHere) {
                // another system, or no such protocol: then the moment of closing may reset a connection
            }
        }
    }
}
