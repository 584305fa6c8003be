package dev.plumbline.store;

import dev.plumbline.config.Config;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.net.NetClientOptions;
import io.vertx.pgclient.PgBuilder;
import io.vertx.pgclient.PgConnectOptions;
import io.vertx.sqlclient.Pool;
import io.vertx.sqlclient.PoolOptions;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.RowSet;
import io.vertx.sqlclient.SqlConnection;
import io.vertx.sqlclient.Tuple;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The pool of connections to PostgreSQL. Whatever happens to the database, a caller has an answer
 * or a {@link DatabaseUnavailableException} within the configured time; while the database is known
 * to be away, at once. It comes back by itself.
 */
public final class Database {
    private static final Logger LOG = LoggerFactory.getLogger(Database.class);
    private static final int WAITING_PER_CONNECTION = 32;
    private static final long PROBE_PAUSE_MILLIS = 100;
    private static final int PREPARED_STATEMENTS = 128;
    private static final long FULL_MILLIS = 5_000;
    private static final Duration SILENCE = Duration.ofSeconds(10);

    private final Vertx vertx;
    private final Pool pool;
    private final String name;
    private final String host;
    private final int port;
    private final long timeoutMillis;
    private final AtomicBoolean away = new AtomicBoolean();
    private volatile long heardNanos = System.nanoTime() - Long.MAX_VALUE / 2;
    private final AtomicBoolean full = new AtomicBoolean();
    private volatile long fullNanos;
    private volatile boolean closed;

    /**
     * @param url {@code postgresql://user:password@host:port/name}
     * @param timeout of one query, with all waiting
     * @throws StoreException if the url is none
     */
    public Database(Vertx vertx, String url, int poolSize, Duration timeout) {
        this(vertx, url, poolSize, timeout, SILENCE);
    }

    /**
     * @param silence after which a connection on which nothing comes or goes is closed; an idle one
     *     is opened again when it is needed, one whose peer vanished would block the pool for hours
     */
    Database(Vertx vertx, String url, int poolSize, Duration timeout, Duration silence) {
        this.vertx = vertx;
        this.timeoutMillis = timeout.toMillis();
        PgConnectOptions options = DatabaseOptions.of(url)
                .setCachePreparedStatements(true)
                .setPreparedStatementCacheMaxSize(PREPARED_STATEMENTS)
                // Sooner than our own deadline, so that a slow statement is not taken for an outage.
                .addProperty("statement_timeout", Long.toString(Math.max(1, timeoutMillis * 4 / 5)))
                .addProperty("idle_in_transaction_session_timeout", Long.toString(5 * timeoutMillis));
        this.name = DatabaseOptions.describe(options);
        this.host = options.getHost();
        this.port = options.getPort();
        this.pool = PgBuilder.pool()
                .with(new PoolOptions()
                        .setMaxSize(poolSize)
                        .setMaxWaitQueueSize(poolSize * WAITING_PER_CONNECTION)
                        .setConnectionTimeout((int) Math.max(1, timeout.toMillis()))
                        .setConnectionTimeoutUnit(TimeUnit.MILLISECONDS))
                .with(new NetClientOptions()
                        .setConnectTimeout((int) Math.max(1, timeout.toMillis()))
                        .setTcpNoDelay(true)
                        .setTcpKeepAlive(true)
                        .setIdleTimeout((int) silence.toMillis())
                        .setIdleTimeoutUnit(TimeUnit.MILLISECONDS))
                .connectingTo(options)
                .using(vertx)
                .build();
    }

    /** The configured database, or else the embedded one at that address. */
    public static Database open(Vertx vertx, Config.DatabaseSettings config, String embeddedUrl) {
        String configured = config.url();
        return configured == null
                ? new Database(
                        vertx, embeddedUrl, Math.min(config.poolSize(), EmbeddedPostgres.CONNECTIONS), config.timeout())
                : new Database(vertx, configured, config.poolSize(), config.timeout());
    }

    /** The name or address of the server. */
    public String host() {
        return host;
    }

    public int port() {
        return port;
    }

    /** Whether the last that was heard of it was good. */
    public boolean available() {
        return !away.get() && !closed;
    }

    /** Whether nothing of the last five seconds failed because the database's disk is full. */
    public boolean hasRoom() {
        return !full.get();
    }

    /**
     * Runs one statement, prepared once on each connection.
     *
     * @return fails with {@link DatabaseUnavailableException} if the database is away, and as the
     *     client says if the statement is wrong
     */
    public Future<RowSet<Row>> query(String sql, Tuple arguments) {
        if (!available()) {
            return Future.failedFuture(unavailable());
        }
        return guarded(pool.preparedQuery(sql).execute(arguments));
    }

    /** As {@link #query(String, Tuple)}, without arguments. */
    public Future<RowSet<Row>> query(String sql) {
        return query(sql, Tuple.tuple());
    }

    /**
     * Runs several statements, of which all count or none.
     *
     * @return as {@link #query(String, Tuple)}; also fails with what the function fails with. After a
     *     {@link DatabaseUnavailableException} the statements may still have counted
     */
    public <T> Future<T> inTransaction(Function<SqlConnection, Future<T>> statements) {
        if (!available()) {
            return Future.failedFuture(unavailable());
        }
        return guarded(pool.withTransaction(connection -> {
            // What goes wrong also fails a statement; the default is a trace on stderr.
            connection.exceptionHandler(e -> {});
            return statements.apply(connection);
        }));
    }

    /**
     * Does something again and again while the database is away, for what cannot be left undone.
     *
     * @param work may count although it failed, so that it has to be right the second time, too
     * @return fails with {@link DatabaseUnavailableException} after that long
     */
    public <T> Future<T> persistently(Duration most, Supplier<Future<T>> work) {
        return persistently(System.nanoTime() + most.toNanos(), work);
    }

    private <T> Future<T> persistently(long untilNanos, Supplier<Future<T>> work) {
        return work.get().recover(failure -> {
            if (!(failure instanceof DatabaseUnavailableException) || System.nanoTime() - untilNanos >= 0) {
                return Future.failedFuture(failure);
            }
            Promise<T> later = Promise.promise();
            vertx.setTimer(
                    PROBE_PAUSE_MILLIS, again -> persistently(untilNanos, work).onComplete(later));
            return later.future();
        });
    }

    /** Asks the database whether it is there, known outage or not. */
    public Future<Void> ping() {
        return withDeadline(pool.query("select 1").execute())
                .<Void>mapEmpty()
                .recover(e -> Future.failedFuture(unavailable()))
                .onSuccess(v -> isBack());
    }

    private <T> Future<T> guarded(Future<T> answer) {
        return withDeadline(answer)
                .onSuccess(rows -> heardNanos = System.nanoTime())
                .recover(this::evaluate);
    }

    private boolean heardLately() {
        return System.nanoTime() - heardNanos < TimeUnit.MILLISECONDS.toNanos(timeoutMillis);
    }

    private <T> Future<T> withDeadline(Future<T> answer) {
        return answer.timeout(timeoutMillis, TimeUnit.MILLISECONDS);
    }

    private <T> Future<T> evaluate(Throwable failure) {
        if (!DatabaseOutage.isAway(failure)) {
            return Future.failedFuture(failure);
        }
        if (DatabaseOutage.isDiskFull(failure)) {
            isFull(failure);
        } else if (!DatabaseOutage.isOverload(failure) && !(DatabaseOutage.isSilence(failure) && heardLately())) {
            isAway(failure);
        }
        return Future.failedFuture(unavailable());
    }

    private void isFull(Throwable failure) {
        fullNanos = System.nanoTime();
        if (!closed && full.compareAndSet(false, true)) {
            LOG.atError()
                    .addKeyValue("database", name)
                    .addKeyValue("cause", failure.toString())
                    .log("database disk full");
            awaitRoom(FULL_MILLIS);
        }
    }

    private void awaitRoom(long millis) {
        vertx.setTimer(millis, later -> {
            long since = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - fullNanos);
            if (since < FULL_MILLIS) {
                awaitRoom(FULL_MILLIS - since);
            } else {
                full.set(false);
                LOG.atInfo().addKeyValue("database", name).log("database disk space restored");
            }
        });
    }

    private void isAway(Throwable failure) {
        if (!closed && away.compareAndSet(false, true)) {
            LOG.atWarn()
                    .addKeyValue("database", name)
                    .addKeyValue("cause", failure.toString())
                    .log("database unavailable");
            probe();
        }
    }

    private void probe() {
        if (closed) {
            return;
        }
        ping().onFailure(e -> vertx.setTimer(PROBE_PAUSE_MILLIS, t -> probe()));
    }

    private void isBack() {
        if (away.compareAndSet(true, false)) {
            LOG.atInfo().addKeyValue("database", name).log("database connection restored");
        }
    }

    private static DatabaseUnavailableException unavailable() {
        return new DatabaseUnavailableException("The database is not available.");
    }

    /** Lets what is under way end and closes the connections. */
    public Future<Void> close() {
        closed = true;
        return pool.close();
    }
}
