package dev.plumbline.postgres;

import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.pgclient.PgConnectOptions;
import io.vertx.pgclient.PgConnection;
import io.vertx.pgclient.PgException;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.SqlConnection;
import io.vertx.sqlclient.Tuple;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/**
 * Migrates the schema of a database, then creates the functions that have changed. An advisory lock serializes nodes.
 * Each migration is a transaction, and so are the functions.
 */
public final class SchemaMigrator {
    // "plumb" in ASCII
    private static final long LOCK = 0x70_6c_75_6d_62L;
    private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(6);
    private static final long RETRY_MILLIS = 200;
    private static final long CONNECT_MILLIS = 2_000;
    private static final long MAX_CONNECT_MILLIS = 30_000;

    private final Vertx vertx;
    private final PgConnectOptions options;
    private final List<Migration> migrations;
    private final List<SchemaFunction> functions;
    private final Duration connectTimeout;
    private final BooleanSupplier starting;

    SchemaMigrator(
            Vertx vertx,
            String url,
            List<Migration> migrations,
            List<SchemaFunction> functions,
            Duration connectTimeout,
            BooleanSupplier starting) {
        this.vertx = vertx;
        this.options = DatabaseOptions.of(url).addProperty("lock_timeout", "120000");
        this.migrations = migrations;
        this.functions = functions;
        this.connectTimeout = connectTimeout;
        this.starting = starting;
    }

    /**
     * Applies missing migrations.
     *
     * @return fails with {@link PostgresException} if the database is not reachable or its schema is newer or has been
     *     modified
     * @throws PostgresException if the URL is not valid
     */
    public static Future<Void> run(Vertx vertx, String url) {
        return run(vertx, url, () -> false);
    }

    /**
     * Like {@link #run(Vertx, String)}, without a time limit while the database is starting.
     *
     * @param starting called on an event loop, at most five times per second
     */
    public static Future<Void> run(Vertx vertx, String url, BooleanSupplier starting) {
        return new SchemaMigrator(vertx, url, Migration.all(), SchemaFunction.all(), CONNECT_TIMEOUT, starting).run();
    }

    Future<Void> run() {
        return connect(System.nanoTime(), CONNECT_MILLIS)
                .compose(connection -> withLock(connection).eventually(connection::close))
                .recover(e -> Future.failedFuture(
                        e instanceof PostgresException
                                ? e
                                : new PostgresException(
                                        "The database schema cannot be migrated: " + reason(e) + ".", e)));
    }

    // the database may be starting; on a loaded machine, an attempt can need more time than the one before
    private Future<SqlConnection> connect(long since, long attemptMillis) {
        Future<PgConnection> attempt = PgConnection.connect(vertx, options);
        return attempt.<SqlConnection>map(connection -> {
                    // failures also fail a statement; the default handler prints a stack trace
                    connection.exceptionHandler(e -> {});
                    return connection;
                })
                .timeout(attemptMillis, TimeUnit.MILLISECONDS)
                .recover(e -> {
                    attempt.onSuccess(SqlConnection::close);
                    boolean tooLate = System.nanoTime() - since > connectTimeout.toNanos() && !starting.getAsBoolean();
                    if (tooLate || !DatabaseOutage.isUnavailable(e) || DatabaseOutage.isAccessDenied(e)) {
                        return Future.failedFuture(new PostgresException(
                                "The database " + DatabaseOptions.describe(options) + " cannot be reached: " + reason(e)
                                        + ".",
                                e));
                    }
                    return vertx.timer(RETRY_MILLIS)
                            .compose(t -> connect(since, Math.min(MAX_CONNECT_MILLIS, 2 * attemptMillis)));
                });
    }

    private static String reason(Throwable e) {
        if (e instanceof PgException pg) {
            return pg.getErrorMessage();
        }
        if (e instanceof TimeoutException) {
            return "no response";
        }
        return e.getMessage() == null ? e.getClass().getSimpleName() : e.getMessage();
    }

    // a session-level lock: it is released if the node terminates
    private Future<Void> withLock(SqlConnection connection) {
        return connection
                .preparedQuery("select pg_advisory_lock($1)")
                .execute(Tuple.of(LOCK))
                .compose(l -> readApplied(connection))
                .compose(applied -> apply(connection, applied))
                .compose(migrated -> functions.isEmpty() ? Future.succeededFuture() : createFunctions(connection))
                .eventually(() -> connection
                        .preparedQuery("select pg_advisory_unlock($1)")
                        .execute(Tuple.of(LOCK))
                        .otherwiseEmpty());
    }

    private Future<Map<Integer, String>> readApplied(SqlConnection connection) {
        return connection
                .query(
                        """
            create table if not exists schema_migration (
              version integer primary key,
              name text not null,
              checksum text not null,
              applied_at timestamptz not null default now())""")
                .execute()
                .compose(t -> connection
                        .query("select version, checksum from schema_migration")
                        .execute())
                .map(rows -> {
                    Map<Integer, String> applied = new HashMap<>();
                    for (Row row : rows) {
                        applied.put(row.getInteger(0), row.getString(1));
                    }
                    return applied;
                });
    }

    private Future<Void> apply(SqlConnection connection, Map<Integer, String> applied) {
        int newest = migrations.stream().mapToInt(Migration::version).max().orElse(0);
        int current =
                applied.keySet().stream().mapToInt(Integer::intValue).max().orElse(0);
        if (current > newest) {
            return Future.failedFuture(new PostgresException("The database has schema version " + current
                    + ", but this version of Plumbline supports " + newest + " at most. Use a newer version."));
        }
        Future<Void> done = Future.succeededFuture();
        for (Migration migration : migrations) {
            String checksum = applied.get(migration.version());
            if (checksum == null) {
                done = done.compose(v -> apply(connection, migration));
            } else if (!checksum.equals(migration.checksum())) {
                return Future.failedFuture(new PostgresException(
                        "The migration " + migration.name() + " was modified after it was applied to this database."));
            }
        }
        return done;
    }

    private static Future<Void> apply(SqlConnection connection, Migration migration) {
        return inTransaction(
                connection, () -> connection.query(migration.sql()).execute().compose(r -> connection
                        .preparedQuery("insert into schema_migration (version, name, checksum) values ($1, $2, $3)")
                        .execute(Tuple.of(migration.version(), migration.name(), migration.checksum()))
                        .mapEmpty()));
    }

    private Future<Void> createFunctions(SqlConnection connection) {
        return connection
                .query("select name, checksum from schema_function")
                .execute()
                .compose(rows -> {
                    Map<String, String> created = new HashMap<>();
                    rows.forEach(row -> created.put(row.getString(0), row.getString(1)));
                    List<SchemaFunction> changed = functions.stream()
                            .filter(function -> !function.checksum().equals(created.get(function.name())))
                            .toList();
                    return changed.isEmpty()
                            ? Future.succeededFuture()
                            : inTransaction(connection, () -> create(connection, changed));
                });
    }

    private static Future<Void> create(SqlConnection connection, List<SchemaFunction> changed) {
        Future<Void> done = Future.succeededFuture();
        for (SchemaFunction function : changed) {
            done = done.compose(v -> connection.query(function.sql()).execute()).compose(r -> connection
                    .preparedQuery(
                            """
                    insert into schema_function (name, checksum) values ($1, $2)
                    on conflict (name) do update set checksum = excluded.checksum, created_at = now()""")
                    .execute(Tuple.of(function.name(), function.checksum()))
                    .mapEmpty());
        }
        return done;
    }

    private static Future<Void> inTransaction(SqlConnection connection, Supplier<Future<Void>> statements) {
        return connection.begin().compose(transaction -> statements
                .get()
                .compose(v -> transaction.commit())
                .recover(e -> transaction.rollback().otherwiseEmpty().compose(v -> Future.failedFuture(e))));
    }
}
