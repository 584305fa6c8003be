package dev.plumbline.dns;

import io.netty.channel.EventLoop;
import io.vertx.core.net.SocketAddress;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;

/**
 * The UDP sockets and running queries of one event loop. Limits the number of queries that the servers may not have
 * read yet, and uses one timer for all queries. A window as in TCP cannot distinguish a lost query from a slow
 * nameserver. Confined to its event loop.
 */
final class DnsUdpSocketPool {
    /** The interval of retransmission and timeout checks. */
    private static final long TICK_MS = 20;

    private final EventLoop loop;
    private final int maxUnread;
    private final AtomicInteger activePools;
    private final Function<SocketAddress, DnsUdpSocket> opener;
    private final Map<SocketAddress, DnsUdpSocket> sockets = new HashMap<>();
    private final Set<DnsQuery> open = new LinkedHashSet<>();
    private final Queue<DnsQuery> queue = new ArrayDeque<>();
    private int unread;
    private boolean ticking;

    /**
     * @param maxUnread the maximum number of unread queries of all pools together
     * @param activePools the number of pools with running queries, which share the maximum equally
     * @param opener opens a socket to a server; throws if the system provides none
     */
    DnsUdpSocketPool(
            EventLoop loop, int maxUnread, AtomicInteger activePools, Function<SocketAddress, DnsUdpSocket> opener) {
        this.loop = loop;
        this.maxUnread = maxUnread;
        this.activePools = activePools;
        this.opener = opener;
    }

    /** Sends a query now, or when enough earlier ones have been read. */
    void submit(DnsQuery query) {
        if (open.isEmpty()) {
            activePools.incrementAndGet();
        }
        open.add(query);
        if (hasCapacity()) {
            send(query);
        } else {
            queue.add(query);
        }
        schedule();
    }

    /** Removes a query that has ended, and its socket if it was the last one. */
    void remove(DnsQuery query) {
        open.remove(query);
        sockets.computeIfPresent(query.question().server(), (server, socket) -> socket.isOpen() ? socket : null);
        if (open.isEmpty()) {
            activePools.decrementAndGet();
        }
    }

    /** Records that a query was read or is lost, and sends queued ones. */
    void onRead() {
        unread--;
        while (hasCapacity() && !queue.isEmpty()) {
            DnsQuery next = queue.remove();
            if (!next.isDone()) {
                send(next);
            }
        }
    }

    private boolean hasCapacity() {
        return unread < Math.max(1, maxUnread / Math.max(1, activePools.get()));
    }

    private void send(DnsQuery query) {
        unread++;
        query.sending(System.nanoTime());
        try {
            socket(query.question().server()).send(query);
        } catch (RuntimeException unavailable) {
            // Not now, because the callback may submit the next query at once.
            loop.execute(() -> query.fail(query.question().unreachable()));
        }
    }

    private DnsUdpSocket socket(SocketAddress server) {
        DnsUdpSocket socket = sockets.get(server);
        if (socket == null || !socket.hasCapacity()) {
            socket = opener.apply(server);
            sockets.put(server, socket);
        }
        return socket;
    }

    private void schedule() {
        if (!ticking) {
            ticking = true;
            loop.schedule(this::onTick, TICK_MS, TimeUnit.MILLISECONDS);
        }
    }

    private void onTick() {
        ticking = false;
        long now = System.nanoTime();
        List.copyOf(open).forEach(query -> query.tick(now));
        if (!open.isEmpty()) {
            schedule();
        }
    }
}
