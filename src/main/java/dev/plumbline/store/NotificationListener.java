package dev.plumbline.store;

import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.internal.VertxInternal;
import io.vertx.pgclient.PgConnectOptions;
import io.vertx.pgclient.PgConnection;
import io.vertx.pgclient.PgNotification;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What other nodes tell through the database (NOTIFY), on one connection that is made again
 * whenever it is lost. News of the time in between are lost, so nobody may rely on them alone.
 */
public final class NotificationListener {
    private static final Logger LOG = LoggerFactory.getLogger(NotificationListener.class);
    private static final Pattern CHANNEL = Pattern.compile("[a-z_]{1,63}");
    private static final long PAUSE_MILLIS = 250;
    private static final long ANSWER_MILLIS = 2_000;
    // a peer that vanished without a word would leave us deaf for hours
    private static final long HEARTBEAT_MILLIS = 5_000;

    private final Context context;
    private final Vertx vertx;
    private final PgConnectOptions options;
    private final Map<String, Consumer<String>> handlers = new LinkedHashMap<>();
    private final Runnable missed;
    private final long heartbeatMillis;

    // of the context's thread
    private @Nullable PgConnection connection;
    private boolean stopped;
    private boolean deaf;

    private volatile boolean listening;

    /**
     * @param url {@code postgresql://user:password@host:port/name}; a direct connection, or through a
     *     pooler that keeps sessions
     * @param missed called whenever the connection stands, the first time too: news may have been
     *     missed
     * @throws StoreException if the url is none
     */
    public NotificationListener(Vertx vertx, String url, Runnable missed) {
        this(vertx, url, missed, HEARTBEAT_MILLIS);
    }

    NotificationListener(Vertx vertx, String url, Runnable missed, long heartbeatMillis) {
        this.heartbeatMillis = heartbeatMillis;
        this.vertx = vertx;
        this.options = DatabaseOptions.of(url);
        this.missed = missed;
        // of nobody's: undeploying a verticle would cancel its timers
        this.context = ((VertxInternal) vertx).createEventLoopContext();
    }

    /**
     * Hears what is told on a channel; to be called before {@link #start}.
     *
     * @param handler given the payload, on a thread of our own; must not block
     */
    public NotificationListener on(String channel, Consumer<String> handler) {
        if (!CHANNEL.matcher(channel).matches()) {
            throw new IllegalArgumentException("no name of a channel: " + channel);
        }
        handlers.put(channel, handler);
        return this;
    }

    /** Begins to listen, and does not give up. */
    public void start() {
        context.runOnContext(begin -> connect());
    }

    private void connect() {
        if (stopped) {
            return;
        }
        Future<PgConnection> attempt = PgConnection.connect(vertx, options);
        attempt.timeout(ANSWER_MILLIS, TimeUnit.MILLISECONDS)
                .onSuccess(this::listen)
                .onFailure(failure -> {
                    attempt.onSuccess(PgConnection::close);
                    again(failure);
                });
    }

    private void listen(PgConnection made) {
        if (stopped) {
            made.close();
            return;
        }
        connection = made;
        made.exceptionHandler(e -> {});
        made.notificationHandler(this::heard);
        made.closeHandler(closed -> lost(made));
        answered(made, "listen " + String.join("; listen ", handlers.keySet())).onSuccess(heard -> {
            if (deaf) {
                LOG.info("database notifications restored");
                deaf = false;
            }
            listening = true;
            missed.run();
            beat(made);
        });
    }

    private void beat(PgConnection made) {
        vertx.setTimer(heartbeatMillis, t -> {
            if (connection == made) {
                answered(made, "select 1").onSuccess(alive -> beat(made));
            }
        });
    }

    private Future<Void> answered(PgConnection made, String sql) {
        return made.query(sql)
                .execute()
                .timeout(ANSWER_MILLIS, TimeUnit.MILLISECONDS)
                .<Void>mapEmpty()
                .onFailure(failure -> {
                    made.close();
                    lost(made);
                });
    }

    private void lost(PgConnection made) {
        if (connection == made) {
            connection = null;
            listening = false;
            again(null);
        }
    }

    private void again(@Nullable Throwable failure) {
        if (stopped) {
            return;
        }
        if (!deaf) {
            deaf = true;
            LOG.atWarn()
                    .addKeyValue("cause", failure == null ? "connection lost" : failure.toString())
                    .log("database notifications lost");
        }
        vertx.setTimer(PAUSE_MILLIS, t -> connect());
    }

    private void heard(PgNotification notification) {
        Consumer<String> handler = handlers.get(notification.getChannel());
        if (handler != null) {
            handler.accept(notification.getPayload());
        }
    }

    /** Whether news are heard just now, as far as is known. */
    public boolean listening() {
        return listening;
    }

    /** Ends listening. */
    public Future<Void> close() {
        Promise<Void> closed = Promise.promise();
        context.runOnContext(end -> {
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
