package dev.plumbline.quota;

import dev.plumbline.bus.Message.ChargeQuota;
import dev.plumbline.bus.Message.RefundQuota;
import dev.plumbline.postgres.Database;
import io.vertx.core.Future;
import io.vertx.sqlclient.Tuple;
import java.util.List;
import java.util.function.Function;
import java.util.function.IntFunction;

/** Quotas in PostgreSQL, charged in batches. */
public final class QuotaStore {
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

    record Charge(ChargeQuota request, QuotaPolicy policy) {}

    /**
     * The outcome of a charge.
     *
     * @param retryMicros time until the same charge can be granted; 0 if it was granted
     * @param chargedAtMicros time of the charge by the database clock, microseconds since 1970
     */
    record ChargeOutcome(boolean granted, int remaining, long resetMicros, long retryMicros, long chargedAtMicros) {}

    /** Executes charges; those of one key in their order. Returns one outcome per charge. */
    Future<List<ChargeOutcome>> charge(List<Charge> charges) {
        Tuple columns = Tuple.of(
                array(charges, charge -> charge.request.policy(), String[]::new),
                array(charges, charge -> charge.request.key(), String[]::new),
                array(charges, charge -> charge.request.cost(), Integer[]::new),
                array(charges, charge -> charge.policy.limit(), Integer[]::new),
                array(charges, charge -> charge.policy.windowMicros(), Long[]::new));
        return database.query(CHARGE, columns).map(rows -> rows.stream()
                .map(row -> new ChargeOutcome(
                        row.getBoolean(0), row.getInteger(1), row.getLong(2), row.getLong(3), row.getLong(4)))
                .toList());
    }

    private static <T, C> C[] array(List<T> items, Function<T, C> column, IntFunction<C[]> type) {
        return items.stream().map(column).toArray(type);
    }

    /** Removes charges that are still in their window. */
    Future<Void> refund(List<RefundQuota> refunds) {
        Tuple columns = Tuple.of(
                array(refunds, RefundQuota::policy, String[]::new),
                array(refunds, RefundQuota::key, String[]::new),
                array(refunds, RefundQuota::cost, Integer[]::new),
                array(refunds, RefundQuota::chargedAtMicros, Long[]::new));
        return database.query(REFUND, columns).mapEmpty();
    }

    public static Future<Integer> purgeExpired(Database maintenance, int slice) {
        return maintenance.query(PURGE, Tuple.of(slice)).map(rows -> rows.rowCount());
    }
}
