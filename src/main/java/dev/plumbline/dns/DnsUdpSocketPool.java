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
 * What one event loop asks over UDP: from few ports, only so many questions at once that no server
 * can have read yet, and with one timer for all of them. Used on this loop only.
 */
final class DnsUdpSocketPool {
    /** How late a question may be repeated or given up. */
    private static final long TICK_MS = 20;

    private final EventLoop loop;
    private final int mostUnread;
    private final AtomicInteger asking;
    private final Function<SocketAddress, DnsUdpSocket> opener;
    private final Map<SocketAddress, DnsUdpSocket> ports = new HashMap<>();
    private final Set<DnsQuery> open = new LinkedHashSet<>();
    private final Queue<DnsQuery> waiting = new ArrayDeque<>();
    private int unread;
    private boolean ticking;

    /**
     * @param mostUnread how many may be on their way, from all loops together
     * @param asking counts the loops that have questions open; each has an equal part
     * @param opener makes a port from which a server is asked; throws when there is no socket
     */
    DnsUdpSocketPool(
            EventLoop loop, int mostUnread, AtomicInteger asking, Function<SocketAddress, DnsUdpSocket> opener) {
        this.loop = loop;
        this.mostUnread = mostUnread;
        this.asking = asking;
        this.opener = opener;
    }

    /** Asks as soon as the server can be taken to have read most of what was asked before. */
    void ask(DnsQuery query) {
        if (open.isEmpty()) {
            asking.incrementAndGet();
        }
        open.add(query);
        if (hasRoom()) {
            send(query);
        } else {
            waiting.add(query);
        }
        tick();
    }

    /** Nobody waits for a question any more. */
    void left(DnsQuery query) {
        open.remove(query);
        if (open.isEmpty()) {
            asking.decrementAndGet();
        }
    }

    /** A question that was on its way has been read, or never will be. */
    void read() {
        unread--;
        while (hasRoom()) {
            DnsQuery next = waiting.poll();
            if (next == null) {
                return;
            }
            if (!next.isOver()) {
                send(next);
            }
        }
    }

    private boolean hasRoom() {
        return unread < Math.max(1, mostUnread / Math.max(1, asking.get()));
    }

    private void send(DnsQuery query) {
        unread++;
        query.admitted(System.nanoTime());
        try {
            port(query.question().server()).ask(query);
        } catch (RuntimeException noSocket) {
            // Later, because whoever hears of it may ask the next at once.
            loop.execute(() -> query.fail(DnsTransport.failed("The DNS query could not be sent.")));
        }
    }

    private DnsUdpSocket port(SocketAddress server) {
        DnsUdpSocket port = ports.get(server);
        if (port == null || !port.mayAsk()) {
            port = opener.apply(server);
            ports.put(server, port);
        }
        return port;
    }

    private void tick() {
        if (!ticking) {
            ticking = true;
            loop.schedule(this::strike, TICK_MS, TimeUnit.MILLISECONDS);
        }
    }

    private void strike() {
        ticking = false;
        long now = System.nanoTime();
        List.copyOf(open).forEach(query -> query.strike(now));
        if (!open.isEmpty()) {
            tick();
        }
    }
}
