package dev.plumbline.postgres;

import io.vertx.core.Future;
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
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
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
    private static final long READ_RETRY_MILLIS = 5;
    private static final int PREPARED_STATEMENTS = 128;
    private static final Duration IDLE_TIMEOUT = Duration.ofSeconds(10);

    private final Vertx vertx;
    private final Pool pool;
    private final String name;
    private final String poolName;
    private final String host;
    private final int port;
    private final long timeoutMillis;
    private final AtomicBoolean unavailable = new AtomicBoolean();
    private final AtomicInteger planGeneration = new AtomicInteger();
    private volatile long lastResponseNanos = System.nanoTime() - Long.MAX_VALUE / 2;
    private final DiskSpaceMonitor disk;
    private volatile boolean closed;

    /**
     * @param name in the log
     * @param timeout of a query, including the wait for a connection
     * @param idleTimeout after which a connection without traffic is closed, so that unreachable peers do not block the
     *     pool
     */
    public record PoolSettings(String name, int size, Duration timeout, Duration idleTimeout) {
        // a connection has no traffic while it executes a statement
        public PoolSettings(String name, int size, Duration timeout) {
            this(name, size, timeout, timeout.compareTo(IDLE_TIMEOUT) < 0 ? IDLE_TIMEOUT : timeout.multipliedBy(2));
        }
    }

    /**
     * @param url {@code postgresql://user:password@host:port/name}
     * @param timeout of a query, including the wait for a connection
     * @throws PostgresException if the URL is not valid
     */
    public Database(Vertx vertx, String url, int poolSize, Duration timeout) {
        this(vertx, url, new PoolSettings("default", poolSize, timeout), new DiskSpaceMonitor(vertx));
    }

    public Database(Vertx vertx, String url, PoolSettings settings, DiskSpaceMonitor disk) {
        Duration timeout = settings.timeout;
        Duration idleTimeout = settings.idleTimeout;
        // a pool with slow statements does not keep unused connections longer than the others
        long unusedMillis = Math.min(idleTimeout.toMillis(), IDLE_TIMEOUT.toMillis());
        this.disk = disk;
        this.poolName = settings.name;
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
                        .setMaxSize(settings.size)
                        .setMaxWaitQueueSize(settings.size * QUEUED_PER_CONNECTION)
                        .setConnectionTimeout((int) Math.max(1, timeout.toMillis()))
                        .setConnectionTimeoutUnit(TimeUnit.MILLISECONDS)
                        // The pool removes an unused connection before its socket is closed. The socket's timeout
                        // alone would also close a connection at the moment in which it is used again.
                        .setIdleTimeout((int) (unusedMillis / 2))
                        .setIdleTimeoutUnit(TimeUnit.MILLISECONDS)
                        .setPoolCleanerPeriod((int) (unusedMillis / 10)))
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
        return disk.hasSpace();
    }

    /**
     * Executes a prepared statement.
     *
     * @return fails with {@link DatabaseUnavailableException} during an outage, and with the failure of the client if
     *     the statement is not valid
     */
    public Future<RowSet<Row>> query(String sql, Tuple arguments) {
        return withOutageDetection(() -> execute(sql, arguments));
    }

    /** Like {@link #query(String, Tuple)}, for a statement without effects: repeated if its connection was closed. */
    public Future<RowSet<Row>> read(String sql, Tuple arguments) {
        return withOutageDetection(() -> execute(sql, arguments)
                .recover(failure -> DatabaseOutage.isConnectionClosed(failure)
                        // the pool removes the closed connection after the statement has failed
                        ? vertx.timer(READ_RETRY_MILLIS).compose(later -> execute(sql, arguments))
                        : Future.failedFuture(failure)));
    }

    /** Executes a statement, and repeats it if its plan became invalid. The new text is prepared on each connection. */
    private Future<RowSet<Row>> execute(String sql, Tuple arguments) {
        int before = planGeneration.get();
        return pool.preparedQuery(withGeneration(sql, before))
                .execute(arguments)
                .recover(failure -> {
                    if (!DatabaseOutage.isPlanInvalid(failure)) {
                        return Future.failedFuture(failure);
                    }
                    planGeneration.compareAndSet(before, before + 1);
                    return pool.preparedQuery(withGeneration(sql, planGeneration.get()))
                            .execute(arguments);
                });
    }

    private static String withGeneration(String sql, int generation) {
        return generation == 0 ? sql : sql + " -- " + generation;
    }

    /** As {@link #read}, with the rows mapped. */
    public <T> Future<List<T>> readAll(String sql, Tuple arguments, Function<Row, T> mapper) {
        return read(sql, arguments).map(rows -> {
            List<T> values = new ArrayList<>();
            rows.forEach(row -> values.add(mapper.apply(row)));
            return values;
        });
    }

    /** Reads a value for each key, in the order of the keys; null without a row. */
    public <K, T> Future<List<@Nullable T>> readByKey(
            String sql, Tuple arguments, List<K> keys, Function<Row, K> key, Function<Row, @Nullable T> mapper) {
        return read(sql, arguments).map(rows -> {
            Map<K, @Nullable T> found = new HashMap<>();
            rows.forEach(row -> found.put(key.apply(row), mapper.apply(row)));
            List<@Nullable T> values = new ArrayList<>();
            keys.forEach(each -> values.add(found.get(each)));
            return values;
        });
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
        return withOutageDetection(() -> pool.withTransaction(connection -> {
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
            return vertx.timer(RETRY_MILLIS).compose(again -> retryWhileUnavailable(deadlineNanos, work));
        });
    }

    /** Queries the database, also during a detected outage. */
    public Future<Void> ping() {
        return withDeadline(pool.query("select 1").execute())
                .<Void>mapEmpty()
                .recover(e -> Future.failedFuture(unavailableException()))
                .onSuccess(v -> markAvailable());
    }

    private <T> Future<T> withOutageDetection(Supplier<Future<T>> work) {
        if (!available()) {
            return Future.failedFuture(unavailableException());
        }
        Future<T> operation = work.get();
        // before the deadline is added, because a response after the deadline also shows that the database is available
        operation.onComplete((result, failure) -> {
            if (failure == null || DatabaseOutage.isResponse(failure)) {
                lastResponseNanos = System.nanoTime();
            }
        });
        return withDeadline(operation).recover(this::classify);
    }

    private boolean respondedRecently() {
        return System.nanoTime() - lastResponseNanos < TimeUnit.MILLISECONDS.toNanos(timeoutMillis);
    }

    private <T> Future<T> withDeadline(Future<T> operation) {
        return operation.timeout(timeoutMillis, TimeUnit.MILLISECONDS);
    }

    private <T> Future<T> classify(Throwable failure) {
        if (closed) {
            return Future.failedFuture(unavailableException());
        }
        if (!DatabaseOutage.isUnavailable(failure)) {
            return Future.failedFuture(failure);
        }
        if (DatabaseOutage.isDiskFull(failure)) {
            disk.markFull(name, failure);
        } else if (DatabaseOutage.isOverload(failure) || DatabaseOutage.isTimeout(failure) && respondedRecently()) {
            return Future.failedFuture(new DatabaseOverloadedException("The database is overloaded: " + failure));
        } else if (!(DatabaseOutage.isConnectionClosed(failure) && respondedRecently())) {
            markUnavailable(failure);
        }
        return Future.failedFuture(new DatabaseUnavailableException("The database is not available: " + failure));
    }

    private void markUnavailable(Throwable failure) {
        if (unavailable.compareAndSet(false, true)) {
            LOG.atWarn()
                    .addKeyValue("database", name)
                    .addKeyValue("pool", poolName)
                    .addKeyValue("cause", failure.toString())
                    .log("database unavailable");
            probe();
        }
    }

    private void probe() {
        if (!closed) {
            ping().onFailure(e -> vertx.setTimer(RETRY_MILLIS, t -> probe()));
        }
    }

    private void markAvailable() {
        if (unavailable.compareAndSet(true, false)) {
            LOG.atInfo()
                    .addKeyValue("database", name)
                    .addKeyValue("pool", poolName)
                    .log("database connection restored");
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
