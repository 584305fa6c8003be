package dev.plumbline.limit;

import dev.plumbline.store.Database;
import dev.plumbline.store.RetentionTask;
import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.Tuple;
import java.util.ArrayList;
import java.util.List;

/** Rate limits in PostgreSQL, in batches. */
final class QuotaStore {
    private static final String TAKE =
            """
      select granted, remaining, reset_micros, retry_micros, taken_at
      from take_quotas($1, $2, $3, $4, $5, null) order by item""";

    private static final String REFUND = "select refund_quotas($1, $2, $3, $4)";

    private static final String PURGE =
            """
      delete from quota_window where (policy, key) in (
        select policy, key from quota_window where expires_at <= clock_timestamp()
        order by expires_at limit $1 for update skip locked)""";

    private final Database database;

    QuotaStore(Database database) {
        this.database = database;
    }

    record Take(String policy, String key, int cost, int limit, long windowMicros) {}

    /**
     * The result of a take.
     *
     * @param retryMicros the time until the same take can be granted; 0 if it was granted
     * @param takenAtMicros microseconds since 1970, by the clock of the database
     */
    record Taken(boolean granted, int remaining, long resetMicros, long retryMicros, long takenAtMicros) {}

    record Refund(String policy, String key, int cost, long takenAtMicros) {}

    /** Processes takes, those of one key in their order. Returns one result per take. */
    Future<List<Taken>> take(List<Take> takes) {
        int size = takes.size();
        String[] policies = new String[size];
        String[] keys = new String[size];
        Integer[] costs = new Integer[size];
        Integer[] limits = new Integer[size];
        Long[] windows = new Long[size];
        for (int i = 0; i < size; i++) {
            Take take = takes.get(i);
            policies[i] = take.policy;
            keys[i] = take.key;
            costs[i] = take.cost;
            limits[i] = take.limit;
            windows[i] = take.windowMicros;
        }
        return database.query(TAKE, Tuple.of(policies, keys, costs, limits, windows))
                .map(rows -> {
                    List<Taken> results = new ArrayList<>(size);
                    for (Row row : rows) {
                        results.add(new Taken(
                                row.getBoolean(0), row.getInteger(1), row.getLong(2), row.getLong(3), row.getLong(4)));
                    }
                    return results;
                });
    }

    /** Refunds takes that are still in their window. */
    Future<Void> refund(List<Refund> refunds) {
        int size = refunds.size();
        String[] policies = new String[size];
        String[] keys = new String[size];
        Integer[] costs = new Integer[size];
        Long[] takenAt = new Long[size];
        for (int i = 0; i < size; i++) {
            Refund refund = refunds.get(i);
            policies[i] = refund.policy;
            keys[i] = refund.key;
            costs[i] = refund.cost;
            takenAt[i] = refund.takenAtMicros;
        }
        return database.query(REFUND, Tuple.of(policies, keys, costs, takenAt)).mapEmpty();
    }

    /** Deletes up to {@link RetentionTask#SLICE} expired rows. */
    Future<Integer> purgeSlice() {
        return database.query(PURGE, Tuple.of(RetentionTask.SLICE)).map(rows -> rows.rowCount());
    }
}
