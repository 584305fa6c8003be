package dev.plumbline.store;

import io.vertx.core.http.ConnectionPoolTooBusyException;
import io.vertx.pgclient.PgException;
import io.vertx.sqlclient.DatabaseException;
import java.net.ConnectException;
import java.util.Set;

/** Tells a database that is away from a statement that is wrong. */
final class DatabaseOutage {
    // Classes of Appendix A of PostgreSQL's manual: connection, rollback, resources, operator
    // intervention, system error.
    private static final Set<String> AWAY = Set.of("08", "40", "53", "57", "58");
    // Authorization, catalogue name: whoever asks again at once is refused again.
    private static final Set<String> REFUSED = Set.of("28", "3D");
    private static final String ROLLBACK = "40";
    private static final String READ_ONLY = "25006";
    private static final String STATEMENT_TIMEOUT = "57014";
    private static final String DISK_FULL = "53100";

    private DatabaseOutage() {}

    /** Whether trying the same again later is of use. */
    static boolean isAway(Throwable failure) {
        if (failure instanceof PgException e) {
            return READ_ONLY.equals(e.getSqlState()) || AWAY.contains(category(e)) || isRefused(e);
        }
        return !(failure instanceof DatabaseException
                || failure instanceof IllegalArgumentException
                || failure instanceof NullPointerException
                || failure instanceof ClassCastException
                || failure instanceof StoreException);
    }

    /** Whether the server is there and does not let us in. */
    static boolean isRefused(Throwable failure) {
        return failure instanceof PgException e && REFUSED.contains(category(e));
    }

    /** Whether the server is there and has no room for what is to be written. */
    static boolean isDiskFull(Throwable failure) {
        return failure instanceof PgException e && DISK_FULL.equals(e.getSqlState());
    }

    /** Whether the server itself is there: a statement took too long, or there are too many. */
    static boolean isOverload(Throwable failure) {
        return failure instanceof ConnectionPoolTooBusyException
                || (failure instanceof PgException e
                        && (STATEMENT_TIMEOUT.equals(e.getSqlState())
                                || category(e).equals(ROLLBACK)));
    }

    /**
     * Whether it only means that nothing came: too slow for the one who asked, or a connection that
     * ended. Of a database that answers others at that very moment it is no outage.
     */
    static boolean isSilence(Throwable failure) {
        return !(failure instanceof DatabaseException || failure instanceof ConnectException);
    }

    private static String category(PgException e) {
        String state = e.getSqlState();
        return state == null || state.length() < 2 ? "" : state.substring(0, 2);
    }
}
