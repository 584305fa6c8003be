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
 * The connection pool of PostgreSQL. Operations complete or fail with {@link DatabaseUnavailableException} within the
 * timeout; during a detected outage they fail at once. Recovery is automatic.
 */
public final class Database {
    private static final Logger LOG = LoggerFactory.getLogger(Database.class);
    private static final int QUEUED_PER_CONNECTION = 32;
    private static final long RETRY_MILLIS = 100;
    private static final int PREPARED_STATEMENTS = 128;
    private static final long DISK_FULL_MILLIS = 5_000;
    private static final Duration IDLE_TIMEOUT = Duration.ofSeconds(10);

    private final Vertx vertx;
    private final Pool pool;
    private final String name;
    private final String host;
    private final int port;
    private final long timeoutMillis;
    private final AtomicBoolean unavailable = new AtomicBoolean();
    private volatile long lastResponseNanos = System.nanoTime() - Long.MAX_VALUE / 2;
    private final AtomicBoolean diskFull = new AtomicBoolean();
    private volatile long diskFullNanos;
    private volatile boolean closed;

    /**
     * @param url {@code postgresql://user:password@host:port/name}
     * @param timeout of a query, including time in the queue
     * @throws StoreException if the URL is not valid
     */
    public Database(Vertx vertx, String url, int poolSize, Duration timeout) {
        this(vertx, url, poolSize, timeout, IDLE_TIMEOUT);
    }

    /**
     * @param idleTimeout after which a connection without traffic is closed, so that unreachable peers do not block the
     *     pool
     */
    Database(Vertx vertx, String url, int poolSize, Duration timeout, Duration idleTimeout) {
        this.vertx = vertx;
        this.timeoutMillis = timeout.toMillis();
        PgConnectOptions options = DatabaseOptions.of(url)
                .setCachePreparedStatements(true)
                .setPreparedStatementCacheMaxSize(PREPARED_STATEMENTS)
                // shorter than the client timeout, so that a slow statement is not classified as an outage
                .addProperty("statement_timeout", Long.toString(Math.max(1, timeoutMillis * 4 / 5)))
                .addProperty("idle_in_transaction_session_timeout", Long.toString(5 * timeoutMillis));
        this.name = DatabaseOptions.describe(options);
        this.host = options.getHost();
        this.port = options.getPort();
        this.pool = PgBuilder.pool()
                .with(new PoolOptions()
                        .setMaxSize(poolSize)
                        .setMaxWaitQueueSize(poolSize * QUEUED_PER_CONNECTION)
                        .setConnectionTimeout((int) Math.max(1, timeout.toMillis()))
                        .setConnectionTimeoutUnit(TimeUnit.MILLISECONDS)
                        // The pool removes an unused connection before its socket is closed. The socket's timeout
                        // alone would also close a connection at the moment in which it is used again.
                        .setIdleTimeout((int) (idleTimeout.toMillis() / 2))
                        .setIdleTimeoutUnit(TimeUnit.MILLISECONDS)
                        .setPoolCleanerPeriod((int) (idleTimeout.toMillis() / 10)))
                .with(new NetClientOptions()
                        .setConnectTimeout((int) Math.max(1, timeout.toMillis()))
                        .setTcpNoDelay(true)
                        .setTcpKeepAlive(true)
                        .setIdleTimeout((int) idleTimeout.toMillis())
                        .setIdleTimeoutUnit(TimeUnit.MILLISECONDS))
                .connectingTo(options)
                .using(vertx)
                .build();
    }

    /** The configured database or the embedded one. */
    public static Database open(Vertx vertx, Config.DatabaseSettings config, String embeddedUrl) {
        String configured = config.url();
        return configured == null
                ? new Database(
                        vertx, embeddedUrl, Math.min(config.poolSize(), EmbeddedPostgres.CONNECTIONS), config.timeout())
                : new Database(vertx, configured, config.poolSize(), config.timeout());
    }

    /** Hostname or address of the server. */
    public String host() {
        return host;
    }

    public int port() {
        return port;
    }

    /** Whether no outage is detected. */
    public boolean available() {
        return !unavailable.get() && !closed;
    }

    /** Whether no operation of the last 5 seconds failed with a full disk. */
    public boolean hasDiskSpace() {
        return !diskFull.get();
    }

    /**
     * Executes a prepared statement.
     *
     * @return fails with {@link DatabaseUnavailableException} during an outage, and with the failure of the client if
     *     the statement is not valid
     */
    public Future<RowSet<Row>> query(String sql, Tuple arguments) {
        if (!available()) {
            return Future.failedFuture(unavailableException());
        }
        return withOutageDetection(pool.preparedQuery(sql).execute(arguments));
    }

    /** Like {@link #query(String, Tuple)}, without arguments. */
    public Future<RowSet<Row>> query(String sql) {
        return query(sql, Tuple.tuple());
    }

    /**
     * Executes statements in a transaction.
     *
     * @return fails like {@link #query(String, Tuple)} and with the failure of the function. After a
     *     {@link DatabaseUnavailableException} the transaction may have been committed
     */
    public <T> Future<T> inTransaction(Function<SqlConnection, Future<T>> statements) {
        if (!available()) {
            return Future.failedFuture(unavailableException());
        }
        return withOutageDetection(pool.withTransaction(connection -> {
            // failures also fail a statement; the default handler prints a stack trace
            connection.exceptionHandler(e -> {});
            return statements.apply(connection);
        }));
    }

    /**
     * Repeats an operation during an outage.
     *
     * @param work idempotent, because a failed attempt may have been committed
     * @return fails with {@link DatabaseUnavailableException} after the timeout
     */
    public <T> Future<T> retryWhileUnavailable(Duration timeout, Supplier<Future<T>> work) {
        return retryWhileUnavailable(System.nanoTime() + timeout.toNanos(), work);
    }

    private <T> Future<T> retryWhileUnavailable(long deadlineNanos, Supplier<Future<T>> work) {
        return work.get().recover(failure -> {
            if (!(failure instanceof DatabaseUnavailableException) || System.nanoTime() - deadlineNanos >= 0) {
                return Future.failedFuture(failure);
            }
            Promise<T> later = Promise.promise();
            vertx.setTimer(RETRY_MILLIS, again -> retryWhileUnavailable(deadlineNanos, work)
                    .onComplete(later));
            return later.future();
        });
    }

    /** Queries the database, also during a detected outage. */
    public Future<Void> ping() {
        return withDeadline(pool.query("select 1").execute())
                .<Void>mapEmpty()
                .recover(e -> Future.failedFuture(unavailableException()))
                .onSuccess(v -> markAvailable());
    }

    private <T> Future<T> withOutageDetection(Future<T> operation) {
        return withDeadline(operation)
                .onSuccess(rows -> lastResponseNanos = System.nanoTime())
                .recover(this::classify);
    }

    private boolean respondedRecently() {
        return System.nanoTime() - lastResponseNanos < TimeUnit.MILLISECONDS.toNanos(timeoutMillis);
    }

    private <T> Future<T> withDeadline(Future<T> operation) {
        return operation.timeout(timeoutMillis, TimeUnit.MILLISECONDS);
    }

    private <T> Future<T> classify(Throwable failure) {
        if (!closed && !DatabaseOutage.isUnavailable(failure)) {
            return Future.failedFuture(failure);
        }
        if (DatabaseOutage.isDiskFull(failure)) {
            markDiskFull(failure);
        } else if (!DatabaseOutage.isOverload(failure) && !(DatabaseOutage.isTimeout(failure) && respondedRecently())) {
            markUnavailable(failure);
        }
        return Future.failedFuture(new DatabaseUnavailableException("The database is not available: " + failure));
    }

    private void markDiskFull(Throwable failure) {
        diskFullNanos = System.nanoTime();
        if (!closed && diskFull.compareAndSet(false, true)) {
            LOG.atError()
                    .addKeyValue("database", name)
                    .addKeyValue("cause", failure.toString())
                    .log("database disk full");
            awaitDiskSpace(DISK_FULL_MILLIS);
        }
    }

    private void awaitDiskSpace(long millis) {
        vertx.setTimer(millis, later -> {
            long since = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - diskFullNanos);
            if (since < DISK_FULL_MILLIS) {
                awaitDiskSpace(DISK_FULL_MILLIS - since);
            } else {
                diskFull.set(false);
                LOG.atInfo().addKeyValue("database", name).log("database disk space restored");
            }
        });
    }

    private void markUnavailable(Throwable failure) {
        if (!closed && unavailable.compareAndSet(false, true)) {
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
        ping().onFailure(e -> vertx.setTimer(RETRY_MILLIS, t -> probe()));
    }

    private void markAvailable() {
        if (unavailable.compareAndSet(true, false)) {
            LOG.atInfo().addKeyValue("database", name).log("database connection restored");
        }
    }

    private static DatabaseUnavailableException unavailableException() {
        return new DatabaseUnavailableException("The database is not available.");
    }

    /** Completes running operations and closes the connections. */
    public Future<Void> close() {
        closed = true;
        return pool.close();
    }
}
