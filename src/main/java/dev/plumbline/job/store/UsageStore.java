package dev.plumbline.job.store;

import dev.plumbline.bus.JobMessage.Usage;
import dev.plumbline.bus.JobMessage.UsageDay;
import dev.plumbline.store.Database;
import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.Tuple;
import java.util.ArrayList;
import java.util.List;

/** What accounts have had checked, in PostgreSQL. */
public final class UsageStore {
    /** The query reads no more jobs than these, however many an account has. */
    private static final int MOST_COUNTED = 20_000;

    // Ids are given in the order of creation, but for those that are created at once.
    private static final String USAGE =
            """
      with latest as (
        select created_at, total from job where account_id = $1 order by id desc limit $2)
      select date_trunc('day', created_at, 'UTC') as day, count(*)::int as jobs,
        sum(total)::bigint as lines,
        (count(*) filter (where created_at > clock_timestamp() - interval '1 hour'))::int as hour,
        (select count(*) from latest) < $2 as whole
      from latest where created_at > clock_timestamp() - interval '30 days'
      group by 1 order by 1""";

    private final Database database;

    public UsageStore(Database database) {
        this.database = database;
    }

    /** The account's usage in the last 30 days. */
    public Future<Usage> of(long accountId) {
        return database.query(USAGE, Tuple.of(accountId, MOST_COUNTED)).map(rows -> {
            List<UsageDay> days = new ArrayList<>();
            int lastHour = 0;
            boolean whole = true;
            for (Row row : rows) {
                days.add(new UsageDay(
                        row.getOffsetDateTime("day").toInstant(), row.getInteger("jobs"), row.getLong("lines")));
                lastHour += row.getInteger("hour");
                whole = row.getBoolean("whole");
            }
            return new Usage(days, lastHour, whole);
        });
    }
}
