package dev.plumbline.postgres;

import dev.plumbline.concurrent.VertxInternals;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.pgclient.PgConnectOptions;
import io.vertx.pgclient.PgConnection;
import io.vertx.pgclient.PgNotification;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Receives the notifications (LISTEN) of all channels of a node on one connection, which is re-established after a
 * failure. Notifications in the meantime are lost.
 */
public final class NotificationListener {
    private static final Logger LOG = LoggerFactory.getLogger(NotificationListener.class);
    private static final Pattern CHANNEL = Pattern.compile("[a-z_]{1,63}");
    private static final long RECONNECT_MILLIS = 250;
    private static final long TIMEOUT_MILLIS = 2_000;
    // detects unreachable peers
    private static final long HEARTBEAT_MILLIS = 5_000;

    private final Context context;
    private final Vertx vertx;
    private final PgConnectOptions options;
    private final Map<String, Consumer<String>> handlers = new LinkedHashMap<>();
    private final List<Runnable> connectedHandlers = new ArrayList<>();
    private final long heartbeatMillis;

    // confined to the context
    private @Nullable PgConnection connection;
    private boolean stopped;
    private boolean disconnected;

    private volatile boolean listening;

    /**
     * @param url {@code postgresql://user:password@host:port/name}; a direct connection or a pooler in session mode
     * @throws PostgresException if the URL is not valid
     */
    public NotificationListener(Vertx vertx, String url) {
        this(vertx, url, HEARTBEAT_MILLIS);
    }

    NotificationListener(Vertx vertx, String url, long heartbeatMillis) {
        this.heartbeatMillis = heartbeatMillis;
        this.vertx = vertx;
        this.options = DatabaseOptions.of(url);
        this.context = VertxInternals.createContext(vertx);
    }

    /**
     * Registers a handler that is called after each connection, because notifications may have been lost before; call
     * before {@link #start}.
     *
     * @param handler called on an event loop; must not block
     */
    public NotificationListener onConnected(Runnable handler) {
        connectedHandlers.add(handler);
        return this;
    }

    /**
     * Registers the handler of a channel; call before {@link #start}.
     *
     * @param handler receives the payload on an event loop; must not block
     */
    public NotificationListener on(String channel, Consumer<String> handler) {
        if (!CHANNEL.matcher(channel).matches()) {
            throw new IllegalArgumentException("invalid channel name: " + channel);
        }
        handlers.put(channel, handler);
        return this;
    }

    /** Connects and reconnects until {@link #close}. */
    public void start() {
        context.runOnContext(ignored -> connect());
    }

    private void connect() {
        if (stopped) {
            return;
        }
        Future<PgConnection> attempt = PgConnection.connect(vertx, options);
        attempt.timeout(TIMEOUT_MILLIS, TimeUnit.MILLISECONDS)
                .onSuccess(this::listen)
                .onFailure(failure -> {
                    attempt.onSuccess(PgConnection::close);
                    reconnect(failure);
                });
    }

    private void listen(PgConnection connected) {
        if (stopped) {
            connected.close();
            return;
        }
        connection = connected;
        connected.exceptionHandler(e -> {});
        connected.notificationHandler(this::handle);
        connected.closeHandler(closed -> connectionLost(connected));
        query(connected, "listen " + String.join("; listen ", handlers.keySet()))
                .onSuccess(subscribed -> {
                    if (disconnected) {
                        LOG.info("database notifications restored");
                        disconnected = false;
                    }
                    listening = true;
                    connectedHandlers.forEach(Runnable::run);
                    scheduleHeartbeat(connected);
                });
    }

    private void scheduleHeartbeat(PgConnection connected) {
        vertx.setTimer(heartbeatMillis, t -> {
            if (connection == connected) {
                query(connected, "select 1").onSuccess(rows -> scheduleHeartbeat(connected));
            }
        });
    }

    private Future<Void> query(PgConnection connected, String sql) {
        return connected
                .query(sql)
                .execute()
                .timeout(TIMEOUT_MILLIS, TimeUnit.MILLISECONDS)
                .<Void>mapEmpty()
                .onFailure(failure -> {
                    connected.close();
                    connectionLost(connected);
                });
    }

    private void connectionLost(PgConnection connected) {
        if (connection == connected) {
            connection = null;
            listening = false;
            reconnect(null);
        }
    }

    private void reconnect(@Nullable Throwable failure) {
        if (stopped) {
            return;
        }
        if (!disconnected) {
            disconnected = true;
            LOG.atWarn()
                    .addKeyValue("cause", failure == null ? "connection lost" : failure.toString())
                    .log("database notifications lost");
        }
        vertx.setTimer(RECONNECT_MILLIS, t -> connect());
    }

    private void handle(PgNotification notification) {
        Consumer<String> handler = handlers.get(notification.getChannel());
        if (handler != null) {
            handler.accept(notification.getPayload());
        }
    }

    public boolean listening() {
        return listening;
    }

    public Future<Void> close() {
        Promise<Void> closed = Promise.promise();
        context.runOnContext(ignored -> {
            stopped = true;
            PgConnection open = connection;
            connection = null;
            if (open == null) {
                closed.complete();
            } else {
                open.close().onComplete(closed);
            }
        });
        return closed.future();
    }
}
