package dev.plumbline.store;

import io.vertx.core.http.ConnectionPoolTooBusyException;
import io.vertx.pgclient.PgException;
import io.vertx.sqlclient.DatabaseException;
import java.util.Set;

/** Tells a database that is away from a statement that is wrong. */
final class Outage {
  // Appendix A of PostgreSQL's manual: connection, resources, operator intervention, system error.
  private static final Set<String> AWAY = Set.of("08", "53", "57", "58");
  private static final String READ_ONLY = "25006";
  private static final String STATEMENT_TIMEOUT = "57014";

  private Outage() {}

  /** Whether trying the same again later is of use. */
  static boolean isAway(Throwable failure) {
    if (failure instanceof PgException e) {
      String state = e.getSqlState();
      return state != null
          && (state.equals(READ_ONLY)
              || (state.length() == 5 && AWAY.contains(state.substring(0, 2))));
    }
    return !(failure instanceof DatabaseException
        || failure instanceof IllegalArgumentException
        || failure instanceof NullPointerException
        || failure instanceof ClassCastException
        || failure instanceof StoreException);
  }

  /** Whether the server itself is there: a statement took too long, or there are too many. */
  static boolean isOverload(Throwable failure) {
    return failure instanceof ConnectionPoolTooBusyException
        || (failure instanceof PgException e && STATEMENT_TIMEOUT.equals(e.getSqlState()));
  }
}
