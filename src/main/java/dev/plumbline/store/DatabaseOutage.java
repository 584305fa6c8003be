package dev.plumbline.store;

import io.vertx.core.http.ConnectionPoolTooBusyException;
import io.vertx.pgclient.PgException;
import io.vertx.sqlclient.DatabaseException;
import java.net.ConnectException;
import java.util.Set;

/** Classifies failures: outage, overload, or invalid statement. */
final class DatabaseOutage {
    // SQLSTATE classes (PostgreSQL manual, appendix A): connection, rollback, resources, operator intervention, system
    // error.
    private static final Set<String> UNAVAILABLE = Set.of("08", "40", "53", "57", "58");
    // Authorization and catalog name: a retry fails again.
    private static final Set<String> ACCESS_DENIED = Set.of("28", "3D");
    private static final String ROLLBACK = "40";
    private static final String READ_ONLY = "25006";
    private static final String STATEMENT_TIMEOUT = "57014";
    private static final String DISK_FULL = "53100";

    private DatabaseOutage() {}

    /** Whether a later retry can succeed. */
    static boolean isUnavailable(Throwable failure) {
        if (failure instanceof PgException e) {
            return READ_ONLY.equals(e.getSqlState()) || UNAVAILABLE.contains(sqlStateClass(e)) || isAccessDenied(e);
        }
        return !(failure instanceof DatabaseException
                || failure instanceof IllegalArgumentException
                || failure instanceof NullPointerException
                || failure instanceof ClassCastException
                || failure instanceof StoreException);
    }

    /** Whether the server rejects the credentials or the database name. */
    static boolean isAccessDenied(Throwable failure) {
        return failure instanceof PgException e && ACCESS_DENIED.contains(sqlStateClass(e));
    }

    /** Whether the disk of the server is full. */
    static boolean isDiskFull(Throwable failure) {
        return failure instanceof PgException e && DISK_FULL.equals(e.getSqlState());
    }

    /** Whether the server is reachable but overloaded: statement timeout or too many requests. */
    static boolean isOverload(Throwable failure) {
        return failure instanceof ConnectionPoolTooBusyException
                || (failure instanceof PgException e
                        && (STATEMENT_TIMEOUT.equals(e.getSqlState())
                                || sqlStateClass(e).equals(ROLLBACK)));
    }

    /**
     * Whether the operation timed out or its connection was closed. Not an outage if the database responds to other
     * operations.
     */
    static boolean isTimeout(Throwable failure) {
        return !(failure instanceof DatabaseException || failure instanceof ConnectException);
    }

    private static String sqlStateClass(PgException e) {
        String state = e.getSqlState();
        return state == null || state.length() < 2 ? "" : state.substring(0, 2);
    }
}
