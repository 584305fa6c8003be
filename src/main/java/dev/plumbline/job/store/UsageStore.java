package dev.plumbline.job.store;

import dev.plumbline.bus.JobMessage.Usage;
import dev.plumbline.bus.JobMessage.UsageDay;
import dev.plumbline.postgres.Database;
import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.Tuple;
import java.util.ArrayList;
import java.util.List;

/** The usage of accounts. It is counted from the jobs, because a counter would be one more write per job. */
public final class UsageStore {
    /** Maximum number of jobs that are counted. */
    private static final int MAX_JOBS = 20_000;

    // IDs ascend in the order of creation, except for concurrent creations.
    private static final String USAGE =
            """
      with latest as (
        select created_at, total from job where account_id = $1 order by id desc limit $2)
      select date_trunc('day', created_at, 'UTC') as day, count(*)::int as jobs,
        sum(total)::bigint as lines,
        (count(*) filter (where created_at > clock_timestamp() - interval '1 hour'))::int as hour,
        (select count(*) from latest) < $2 as complete
      from latest where created_at > clock_timestamp() - interval '30 days'
      group by 1 order by 1""";

    private final Database database;

    public UsageStore(Database database) {
        this.database = database;
    }

    /** The account's usage in the last 30 days. */
    public Future<Usage> of(long accountId) {
        return database.read(USAGE, Tuple.of(accountId, MAX_JOBS)).map(rows -> {
            List<UsageDay> days = new ArrayList<>();
            int lastHour = 0;
            boolean complete = true;
            for (Row row : rows) {
                days.add(new UsageDay(
                        row.getOffsetDateTime("day").toInstant(), row.getInteger("jobs"), row.getLong("lines")));
                lastHour += row.getInteger("hour");
                complete = row.getBoolean("complete");
            }
            return new Usage(days, lastHour, complete);
        });
    }
}
