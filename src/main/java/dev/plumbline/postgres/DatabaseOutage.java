package dev.plumbline.postgres;

import com.google.common.base.Strings;
import io.vertx.core.VertxException;
import io.vertx.core.http.ConnectionPoolTooBusyException;
import io.vertx.pgclient.PgException;
import io.vertx.sqlclient.ClosedConnectionException;
import java.io.IOException;
import java.nio.channels.ClosedChannelException;
import java.util.Set;
import java.util.concurrent.TimeoutException;
import java.util.regex.Pattern;

/** Classifies failures: outage, overload, or error in a statement or its caller. */
final class DatabaseOutage {
    // SQLSTATE classes (PostgreSQL manual, appendix A): connection, rollback, resources, operator intervention, system
    // error.
    private static final Set<String> UNAVAILABLE = Set.of("08", "40", "53", "57", "58");
    // Authorization and catalog name: a retry fails again.
    private static final Set<String> ACCESS_DENIED = Set.of("28", "3D");
    private static final String ROLLBACK = "40";
    private static final String READ_ONLY = "25006";
    private static final String STATEMENT_TIMEOUT = "57014";
    private static final String LOCK_TIMEOUT = "55P03";
    private static final String PLAN_INVALID = "0A000";
    private static final String DISK_FULL = "53100";

    private static final Pattern TIMEOUT = Pattern.compile("Timeout( waiting for connection)?$");
    private static final Pattern CLOSED = Pattern.compile("Connection was closed|Connection is not active now"
            + "|Pending requests failed to be sent due to connection has been closed|Pool closed");

    private DatabaseOutage() {}

    /** Whether the database is known to be the cause and a later retry can succeed. */
    static boolean isUnavailable(Throwable failure) {
        if (failure instanceof PgException e) {
            return READ_ONLY.equals(e.getSqlState())
                    || LOCK_TIMEOUT.equals(e.getSqlState())
                    || UNAVAILABLE.contains(sqlStateClass(e))
                    || isAccessDenied(e);
        }
        return failure instanceof IOException
                || failure instanceof TimeoutException
                || failure instanceof ConnectionPoolTooBusyException
                || isConnectionClosed(failure)
                || hasMessage(failure, TIMEOUT);
    }

    /** Whether the connection was closed before a response was received. */
    static boolean isConnectionClosed(Throwable failure) {
        return failure instanceof ClosedConnectionException
                || failure instanceof ClosedChannelException
                || hasMessage(failure, CLOSED);
    }

    // The client reports these failures, and errors of the caller, as VertxException. Only the message differs.
    private static boolean hasMessage(Throwable failure, Pattern messages) {
        return failure instanceof VertxException
                && messages.matcher(Strings.nullToEmpty(failure.getMessage())).lookingAt();
    }

    /** Whether the server rejects the credentials or the database name. */
    static boolean isAccessDenied(Throwable failure) {
        return failure instanceof PgException e && ACCESS_DENIED.contains(sqlStateClass(e));
    }

    /** Whether a prepared statement must be prepared again, because its result type has changed. */
    static boolean isPlanInvalid(Throwable failure) {
        return failure instanceof PgException e && PLAN_INVALID.equals(e.getSqlState());
    }

    static boolean isDiskFull(Throwable failure) {
        return failure instanceof PgException e && DISK_FULL.equals(e.getSqlState());
    }

    /** Whether the server is reachable but overloaded: statement or lock timeout, or too many requests. */
    static boolean isOverload(Throwable failure) {
        return failure instanceof ConnectionPoolTooBusyException
                || (failure instanceof PgException e
                        && (STATEMENT_TIMEOUT.equals(e.getSqlState())
                                || LOCK_TIMEOUT.equals(e.getSqlState())
                                || sqlStateClass(e).equals(ROLLBACK)));
    }

    /**
     * Whether the operation timed out, possibly while it waited for a connection. Not an outage if the database
     * responds to other operations.
     */
    static boolean isTimeout(Throwable failure) {
        return failure instanceof TimeoutException || hasMessage(failure, TIMEOUT);
    }

    /** Whether the failure is the response of a server that executes statements. */
    static boolean isResponse(Throwable failure) {
        return failure instanceof PgException && (isOverload(failure) || !isUnavailable(failure));
    }

    private static String sqlStateClass(PgException e) {
        String state = e.getSqlState();
        return state == null || state.length() < 2 ? "" : state.substring(0, 2);
    }
}
