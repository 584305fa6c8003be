package dev.plumbline.store;

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

/**
 * Brings the schema of a database to what this program needs. Several nodes may do so at once: one
 * works, the others wait. A migration counts as a whole or not at all.
 */
public final class SchemaMigrator {
    // "plumb" in ASCII: nobody else's advisory lock is likely to have it.
    private static final long LOCK = 0x70_6c_75_6d_62L;
    private static final Duration PATIENCE = Duration.ofSeconds(6);
    private static final long PAUSE_MILLIS = 200;
    private static final int CONNECT_MILLIS = 2_000;

    private final Vertx vertx;
    private final PgConnectOptions options;
    private final List<Migration> known;
    private final Duration patience;

    private SchemaMigrator(Vertx vertx, PgConnectOptions options, List<Migration> known, Duration patience) {
        this.vertx = vertx;
        this.options = options;
        this.known = known;
        this.patience = patience;
    }

    /**
     * Applies what is missing.
     *
     * @return fails with a {@link StoreException}, a sentence for the operator, if the database is
     *     not reachable within some seconds, or if its schema is none that this program can work with
     */
    public static Future<Void> run(Vertx vertx, String url) {
        return run(vertx, url, Migration.all(), PATIENCE);
    }

    static Future<Void> run(Vertx vertx, String url, List<Migration> known, Duration patience) {
        PgConnectOptions options;
        try {
            options = DatabaseOptions.of(url).addProperty("lock_timeout", "120000");
        } catch (StoreException e) {
            return Future.failedFuture(e);
        }
        return new SchemaMigrator(vertx, options, known, patience).run();
    }

    private Future<Void> run() {
        return connect(System.nanoTime())
                .compose(connection -> locked(connection).eventually(connection::close))
                .recover(e -> Future.failedFuture(explained(e)));
    }

    // A database that is just starting is worth a moment's wait.
    private Future<SqlConnection> connect(long since) {
        Future<PgConnection> attempt = PgConnection.connect(vertx, options);
        return attempt.<SqlConnection>map(connection -> {
                    // What goes wrong also fails a statement; the default is a trace on stderr.
                    connection.exceptionHandler(e -> {});
                    return connection;
                })
                .timeout(CONNECT_MILLIS, TimeUnit.MILLISECONDS)
                .recover(e -> {
                    attempt.onSuccess(SqlConnection::close);
                    boolean tooLate = System.nanoTime() - since > patience.toNanos();
                    if (tooLate || !DatabaseOutage.isAway(e) || DatabaseOutage.isRefused(e)) {
                        return Future.failedFuture(unreachable(e));
                    }
                    return vertx.timer(PAUSE_MILLIS).compose(t -> connect(since));
                });
    }

    private StoreException unreachable(Throwable e) {
        return new StoreException(
                "The database " + DatabaseOptions.describe(options) + " cannot be reached: " + reason(e) + ".", e);
    }

    private static StoreException explained(Throwable e) {
        if (e instanceof StoreException known) {
            return known;
        }
        return new StoreException("The schema of the database could not be brought up to date: " + reason(e) + ".", e);
    }

    private static String reason(Throwable e) {
        if (e instanceof PgException pg) {
            return pg.getErrorMessage();
        }
        if (e instanceof TimeoutException) {
            return "it does not answer";
        }
        return e.getMessage() == null ? e.getClass().getSimpleName() : e.getMessage();
    }

    // The lock belongs to the connection: when this node dies, it is free.
    private Future<Void> locked(SqlConnection connection) {
        return connection
                .preparedQuery("select pg_advisory_lock($1)")
                .execute(Tuple.of(LOCK))
                .compose(l -> applied(connection))
                .compose(applied -> apply(connection, applied))
                .eventually(() -> connection
                        .preparedQuery("select pg_advisory_unlock($1)")
                        .execute(Tuple.of(LOCK))
                        .otherwiseEmpty());
    }

    private Future<Map<Integer, String>> applied(SqlConnection connection) {
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
        int newest = known.stream().mapToInt(Migration::version).max().orElse(0);
        int found = applied.keySet().stream().mapToInt(Integer::intValue).max().orElse(0);
        if (found > newest) {
            return Future.failedFuture(new StoreException("The database has schema version "
                    + found
                    + ", this program knows only "
                    + newest
                    + ": it is too old for this database."));
        }
        Future<Void> done = Future.succeededFuture();
        for (Migration migration : known) {
            String checksum = applied.get(migration.version());
            if (checksum == null) {
                done = done.compose(v -> apply(connection, migration));
            } else if (!checksum.equals(migration.checksum())) {
                return Future.failedFuture(new StoreException("The migration "
                        + migration.name()
                        + " is not the one that this database was made with:"
                        + " it was changed afterwards."));
            }
        }
        return done;
    }

    private static Future<Void> apply(SqlConnection connection, Migration migration) {
        return connection.begin().compose(transaction -> connection
                .query(migration.sql())
                .execute()
                .compose(r -> connection
                        .preparedQuery(
                                "insert into schema_migration (version, name, checksum)" + " values ($1, $2, $3)")
                        .execute(Tuple.of(migration.version(), migration.name(), migration.checksum())))
                .compose(r -> transaction.commit())
                .recover(e -> transaction.rollback().otherwiseEmpty().compose(v -> Future.failedFuture(e))));
    }
}
