package dev.plumbline.probe.http;

import dev.plumbline.budget.LimitExceededException;
import dev.plumbline.budget.MemoryHolder;
import dev.plumbline.check.RequestBudget;
import dev.plumbline.concurrent.AsyncSemaphore;
import dev.plumbline.egress.EgressGuard;
import dev.plumbline.target.Host;
import io.netty.channel.Channel;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import java.net.InetAddress;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The idle HTTP/2 connections of one composite check, which its parts use in turn. A connection has one request at a
 * time, and is used on its event loop only. Thread-safe.
 */
final class ConnectionPool implements RequestBudget.ClosingCounter {
    static final int MAX_IDLE = 4;

    /** The maximum number of concurrent requests to one server, as far as they do not wait {@link #MAX_WAIT_MS}. */
    static final int MAX_CONCURRENT = 3;

    private static final long MAX_WAIT_MS = 500;

    /** Shorter than the timeouts of servers and firewalls for idle connections. */
    private static final long MAX_IDLE_NANOS = TimeUnit.SECONDS.toNanos(2);

    private final Vertx vertx;
    private final MemoryHolder memory;
    private final LongSupplier nanos;

    /** The one that was used last is the last. */
    private final Deque<OpenConnection> idle = new ArrayDeque<>();

    private final Map<Key, Server> servers = new ConcurrentHashMap<>();

    private boolean closed;

    /** Requests with equal keys can use the same connection. */
    record Key(
            Host host,
            int port,
            InetAddress address,
            HttpRequestSpec.Alpn alpn,
            boolean verifyTls,
            HttpTlsOptions engine) {}

    /**
     * A connection without a request.
     *
     * @param connectNanos the duration of the TCP connect
     * @param tlsNanos the duration of the TLS handshake
     * @param usedNanos the {@link System#nanoTime()} at the end of the last request
     */
    record OpenConnection(Key key, Channel channel, long connectNanos, long tlsNanos, long usedNanos) {}

    private static final class Server {
        private final AsyncSemaphore permits;
        private final Promise<Void> unlimited = Promise.promise();

        Server(Vertx vertx) {
            // the parts of a composite limit the queue
            permits = new AsyncSemaphore(vertx, MAX_CONCURRENT, Integer.MAX_VALUE);
        }
    }

    /**
     * @param memory from which each idle connection is reserved
     * @param nanos as {@link System#nanoTime()}
     */
    ConnectionPool(Vertx vertx, MemoryHolder memory, LongSupplier nanos) {
        this.vertx = vertx;
        this.memory = memory;
        this.nanos = nanos;
    }

    /**
     * Starts a request, now or when another one to the same server has ended. A request waits at most
     * {@link #MAX_WAIT_MS}, so that a slow response does not delay the others for long.
     */
    <T> Future<T> limited(Key key, Supplier<Future<T>> request) {
        Server server = server(key);
        if (server.unlimited.future().isComplete()) {
            return request.get();
        }
        Promise<T> result = Promise.promise();
        Supplier<Future<T>> start = () -> request.get().onComplete(result);
        server.permits.<Object>withPermit(
                MAX_WAIT_MS,
                () -> Future.any(start.get().otherwiseEmpty(), server.unlimited.future())
                        .mapEmpty(),
                () -> start.get().mapEmpty());
        return result.future();
    }

    /** The server does not select HTTP/2, so that requests need not wait for its connections. */
    void removeLimit(Key key) {
        server(key).unlimited.tryComplete();
    }

    private Server server(Key key) {
        return servers.computeIfAbsent(key, first -> new Server(vertx));
    }

    /** Removes a connection that the current event loop can use. Returns null if there is none. */
    @Nullable
    OpenConnection poll(Key key) {
        List<OpenConnection> expired = new ArrayList<>();
        OpenConnection found = null;
        synchronized (this) {
            long now = nanos.getAsLong();
            for (OpenConnection each : List.copyOf(idle)) {
                if (now - each.usedNanos > MAX_IDLE_NANOS || !each.channel.isActive()) {
                    expired.add(each);
                } else if (each.key.equals(key) && each.channel.eventLoop().inEventLoop()) {
                    found = each;
                }
            }
            expired.forEach(this::remove);
            if (found != null) {
                remove(found);
            }
        }
        expired.forEach(each -> HttpConnection.close(each.channel));
        return found;
    }

    /**
     * Adds a connection after a complete response. If there are too many, the one that has been idle longest is closed.
     *
     * @return false if it is not kept, so that the caller must close it
     */
    boolean offer(OpenConnection connection) {
        OpenConnection replaced = null;
        synchronized (this) {
            if (closed || !connection.channel.isActive()) {
                return false;
            }
            if (idle.size() == MAX_IDLE) {
                replaced = idle.getFirst();
                remove(replaced);
            }
            if (!tryReserve()) {
                return false;
            }
            idle.add(connection);
        }
        if (replaced != null) {
            HttpConnection.close(replaced.channel);
        }
        return true;
    }

    private boolean tryReserve() {
        try {
            return memory.tryReserve(EgressGuard.CONNECTION_BYTES);
        } catch (LimitExceededException full) {
            return false;
        }
    }

    private void remove(OpenConnection connection) {
        idle.remove(connection);
        memory.release(EgressGuard.CONNECTION_BYTES);
    }

    /** Closes the idle connections. Later ones are not kept. */
    @Override
    public void close() {
        List<OpenConnection> all;
        synchronized (this) {
            closed = true;
            all = List.copyOf(idle);
            all.forEach(this::remove);
        }
        all.forEach(each -> HttpConnection.close(each.channel));
    }
}
