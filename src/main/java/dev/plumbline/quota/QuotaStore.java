package dev.plumbline.quota;

import dev.plumbline.postgres.Database;
import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.Tuple;
import java.util.ArrayList;
import java.util.List;

/** Quotas in PostgreSQL, charged in batches. */
final class QuotaStore {
    private static final String CHARGE =
            """
      select granted, remaining, reset_micros, retry_micros, charged_at
      from charge_quotas($1, $2, $3, $4, $5, null) order by item""";

    private static final String REFUND = "select refund_quotas($1, $2, $3, $4)";

    private static final String PURGE =
            """
      delete from quota_window where (policy, key) in (
        select policy, key from quota_window where expires_at <= statement_timestamp()
        order by expires_at limit $1 for update skip locked)""";

    private final Database database;

    QuotaStore(Database database) {
        this.database = database;
    }

    record Charge(String policy, String key, int cost, int limit, long windowMicros) {}

    /**
     * The outcome of a charge.
     *
     * @param retryMicros time until the same charge can be granted; 0 if it was granted
     * @param chargedAtMicros time of the charge by the database clock, microseconds since 1970
     */
    record ChargeOutcome(boolean granted, int remaining, long resetMicros, long retryMicros, long chargedAtMicros) {}

    record Refund(String policy, String key, int cost, long chargedAtMicros) {}

    /** Executes charges; those of one key in their order. Returns one outcome per charge. */
    Future<List<ChargeOutcome>> charge(List<Charge> charges) {
        int size = charges.size();
        String[] policies = new String[size];
        String[] keys = new String[size];
        Integer[] costs = new Integer[size];
        Integer[] limits = new Integer[size];
        Long[] windows = new Long[size];
        for (int i = 0; i < size; i++) {
            Charge charge = charges.get(i);
            policies[i] = charge.policy;
            keys[i] = charge.key;
            costs[i] = charge.cost;
            limits[i] = charge.limit;
            windows[i] = charge.windowMicros;
        }
        return database.query(CHARGE, Tuple.of(policies, keys, costs, limits, windows))
                .map(rows -> {
                    List<ChargeOutcome> outcomes = new ArrayList<>(size);
                    for (Row row : rows) {
                        outcomes.add(new ChargeOutcome(
                                row.getBoolean(0), row.getInteger(1), row.getLong(2), row.getLong(3), row.getLong(4)));
                    }
                    return outcomes;
                });
    }

    /** Removes charges that are still in their window. */
    Future<Void> refund(List<Refund> refunds) {
        int size = refunds.size();
        String[] policies = new String[size];
        String[] keys = new String[size];
        Integer[] costs = new Integer[size];
        Long[] chargedAt = new Long[size];
        for (int i = 0; i < size; i++) {
            Refund refund = refunds.get(i);
            policies[i] = refund.policy;
            keys[i] = refund.key;
            costs[i] = refund.cost;
            chargedAt[i] = refund.chargedAtMicros;
        }
        return database.query(REFUND, Tuple.of(policies, keys, costs, chargedAt))
                .mapEmpty();
    }

    static Future<Integer> purgeExpired(Database maintenance, int slice) {
        return maintenance.query(PURGE, Tuple.of(slice)).map(rows -> rows.rowCount());
    }
}
