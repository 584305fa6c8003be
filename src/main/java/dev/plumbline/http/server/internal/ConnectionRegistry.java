package dev.plumbline.http.server.internal;

import dev.plumbline.budget.MemoryBudget;
import dev.plumbline.budget.MemoryHolder;
import dev.plumbline.config.Config;
import dev.plumbline.http.ClientAddress;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler.Sharable;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.util.AttributeKey;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.http.HttpConnection;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.core.http.HttpVersion;
import io.vertx.core.net.impl.ConnectionBase;
import io.vertx.core.transport.Transport;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Collections;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/**
 * The accepted connections of the HTTP server of this process: enforces the connection limits and the header timeout,
 * and drains the server.
 */
@Sharable
public final class ConnectionRegistry extends ChannelInboundHandlerAdapter {
    private static final AttributeKey<AcceptedConnection> CONNECTION =
            AttributeKey.valueOf(AcceptedConnection.class, "connection");

    /** The assumed size of the unread rest of a response that was sent in parts, in bytes. */
    private static final long STREAMED_BYTES = 64 << 10;

    /** The maximum number of rejected connections that wait for their first byte, to which 503 is the response. */
    private static final int MAX_REJECTED = 256;

    private final Config.HttpSettings config;
    private final HttpServerOptions options;
    private final ClientAddress addresses;
    private final AtomicInteger open = new AtomicInteger();
    private final AtomicInteger admitted = new AtomicInteger();
    private final LongAdder rejections = new LongAdder();
    private final Set<AcceptedConnection> connections = ConcurrentHashMap.newKeySet();
    private final Map<String, Integer> openByClient = new ConcurrentHashMap<>();

    /** The admitted connections that have not sent a byte, oldest first. */
    private final Set<AcceptedConnection> silent = Collections.synchronizedSet(new LinkedHashSet<>());

    private final Promise<Void> drained = Promise.promise();

    private volatile @Nullable MemoryBudget unreadResponses;
    private volatile @Nullable Channel listener;
    private volatile boolean draining;
    private volatile long drainMillis;

    public ConnectionRegistry(Config.HttpSettings config, HttpServerOptions options) {
        this.config = config;
        this.options = options;
        this.addresses = new ClientAddress(config.trustedProxies());
    }

    /** Limits the memory of responses that clients do not read. Must be called before the server starts. */
    public void limitUnreadResponses(MemoryBudget budget) {
        unreadResponses = budget;
    }

    /**
     * The memory for the responses of a connection. Each client address has a share of it, and each connection of a
     * trusted proxy, whose other connections belong to other clients.
     */
    MemoryHolder responseMemory(Channel channel) {
        MemoryBudget budget = unreadResponses;
        if (budget == null) {
            return MemoryHolder.unlimited();
        }
        String client = clientOf(channel);
        return budget.open(client == null ? channel.id().asLongText() : client, budget.total());
    }

    /** The response to an HTTP/2 request has ended, but the client may not have read it. */
    public static void responseEnded(HttpServerRequest request) {
        AcceptedConnection accepted = request.version() == HttpVersion.HTTP_2 ? accepted(request.connection()) : null;
        if (accepted != null) {
            accepted.responseEnded(request.response().streamId(), bodyBytes(request.response()));
        }
    }

    private static long bodyBytes(HttpServerResponse response) {
        String length = response.headers().get(HttpHeaders.CONTENT_LENGTH);
        return length == null ? STREAMED_BYTES : Long.parseLong(length);
    }

    /** The transport with which Vert.x must be built. */
    public Transport transport() {
        return AcceptTransport.of(config.port(), this);
    }

    /** The connection handler that the HTTP server must have. */
    public static void configured(HttpConnection connection) {
        AcceptedConnection accepted = accepted(connection);
        if (accepted != null) {
            accepted.configured(connection);
        }
    }

    private static @Nullable AcceptedConnection accepted(HttpConnection connection) {
        return connection instanceof ConnectionBase base
                ? base.channel().attr(CONNECTION).get()
                : null;
    }

    public int open() {
        return open.get();
    }

    /** The number of admitted connections that have not sent a byte. */
    int silent() {
        return silent.size();
    }

    /** The number of connections that were rejected or closed because of a connection limit. */
    public long rejections() {
        return rejections.sum();
    }

    @Override
    public void channelActive(ChannelHandlerContext ctx) {
        listener = ctx.channel();
        ctx.fireChannelActive();
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
        if (message instanceof Channel channel) {
            AcceptedConnection connection = new AcceptedConnection(this, channel);
            channel.attr(CONNECTION).set(connection);
            connections.add(connection);
            open.incrementAndGet();
            String client = config.maxConnectionsPerClient() > 0 ? clientOf(channel) : null;
            boolean admits = admit(client);
            channel.closeFuture().addListener(closed -> closed(connection, client, admits));
            if (admits) {
                connection.accept();
            } else {
                rejections.increment();
                connection.reject(!isTls() && open.get() - admitted.get() <= MAX_REJECTED);
            }
        }
        ctx.fireChannelRead(message);
    }

    /** Returns the key of the client; null for a trusted proxy. */
    private @Nullable String clientOf(Channel channel) {
        return channel.remoteAddress() instanceof InetSocketAddress remote
                ? addresses.connectionKey(remote.getAddress())
                : null;
    }

    private boolean admit(@Nullable String client) {
        if (client != null && openByClient.merge(client, 1, Integer::sum) > config.maxConnectionsPerClient()) {
            release(client);
            return false;
        }
        if (admitted.incrementAndGet() > config.maxConnections() && !closeSilent()) {
            admitted.decrementAndGet();
            release(client);
            return false;
        }
        return true;
    }

    /** Closes the oldest connection that has not sent a byte. Returns false if there is none. */
    private boolean closeSilent() {
        AcceptedConnection oldest;
        synchronized (silent) {
            Iterator<AcceptedConnection> all = silent.iterator();
            if (!all.hasNext()) {
                return false;
            }
            oldest = all.next();
            all.remove();
        }
        rejections.increment();
        oldest.close();
        return true;
    }

    private void release(@Nullable String client) {
        if (client != null) {
            openByClient.computeIfPresent(client, (key, count) -> count == 1 ? null : count - 1);
        }
    }

    /** An admitted connection is active and has not sent a byte. */
    void addSilent(AcceptedConnection connection) {
        silent.add(connection);
    }

    /** A connection has sent a byte or is closed. */
    void removeSilent(AcceptedConnection connection) {
        silent.remove(connection);
    }

    private void closed(AcceptedConnection connection, @Nullable String client, boolean wasAdmitted) {
        connections.remove(connection);
        silent.remove(connection);
        if (wasAdmitted) {
            admitted.decrementAndGet();
            release(client);
        }
        open.decrementAndGet();
        completeIfDrained();
    }

    private void completeIfDrained() {
        Channel listening = listener;
        if (draining && open.get() == 0 && (listening == null || !listening.isOpen())) {
            drained.tryComplete();
        }
    }

    boolean isDraining() {
        return draining;
    }

    boolean isTls() {
        return options.isSsl();
    }

    long headerTimeoutMillis() {
        return config.headerTimeout().toMillis();
    }

    /** How long requests in progress may take after the start of a drain, in milliseconds. */
    long drainMillis() {
        return drainMillis;
    }

    StrictRequestDecoder newDecoder() {
        return new StrictRequestDecoder(options);
    }

    /**
     * Completes requests in progress, then closes all connections. For one second, new connections are accepted and
     * idle ones stay open; each response closes its connection. Then the listening socket is closed. Vert.x stops its
     * event loops while it still accepts connections, and closes idle connections on which a request can be in transit.
     *
     * @param timeout the time limit for requests in progress
     * @return completes when no connection is left, or at the time limit; never fails
     */
    public Future<Void> drain(Duration timeout) {
        Channel listening = listener;
        if (listening == null || !listening.isOpen()) {
            return Future.succeededFuture();
        }
        drainMillis = timeout.toMillis();
        draining = true;
        connections.forEach(AcceptedConnection::drain);
        listening
                .eventLoop()
                .schedule(
                        () -> listening.close(),
                        Math.min(AcceptedConnection.DRAIN_GRACE_MS, drainMillis / 2),
                        TimeUnit.MILLISECONDS);
        listening.eventLoop().schedule(() -> drained.tryComplete(), Math.max(1, drainMillis), TimeUnit.MILLISECONDS);
        listening.closeFuture().addListener(closed -> completeIfDrained());
        return drained.future();
    }
}
