package dev.plumbline.job.store;

import dev.plumbline.result.ResultLookup;
import dev.plumbline.store.Database;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.JsonObject;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.Tuple;
import java.time.Duration;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The work of jobs in PostgreSQL, as coordinators see it: claims, leases, results. What one that is
 * declared dead still writes has no effect.
 */
public final class WorkStore {
    private static final String REGISTER =
            """
      insert into node (lease_until)
      values (clock_timestamp() + make_interval(secs => $1)) returning id""";

    private static final String RENEW =
            "update node set lease_until = clock_timestamp() + make_interval(secs => $2) where id = $1";

    private static final String CLAIM = "select * from claim_chunks($1, $2, $3, $4, $5, $6)";

    private static final String WRITE =
            """
      select * from write_results(
        $1, make_interval(secs => $2), $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)""";

    private static final String RELEASE = "select release_chunks($1, $2, $3, false)";

    private static final String HELD = "select job_id, number, attempt from job_chunk where owner = $1";

    // What was watched before and is no more has ended, and is not to be blamed for the next crash.
    private static final String WATCH =
            """
      with wanted as (
        select l.job_id, l.number, l.attempt, array_agg(l.index) as watched
        from unnest($2::bigint[], $3::int[], $4::int[], $5::int[]) l(job_id, number, attempt, index)
        group by l.job_id, l.number, l.attempt),
      held as (
        select c.job_id, c.number, c.attempt, w.watched
        from job_chunk c
          left join wanted w
            on w.job_id = c.job_id and w.number = c.number and w.attempt = c.attempt
        where c.owner = $1 and (w.watched is not null or c.watched <> '{}')
        order by c.job_id, c.number for update of c),
      changed as (
        update job_chunk c set watched = coalesce(h.watched, '{}')
        from held h
        where c.job_id = h.job_id and c.number = h.number
          and c.watched <> coalesce(h.watched, '{}'))
      select job_id, number, attempt from held where watched is not null""";

    // A node of another version may know the module, so it is given time to take the job up.
    private static final String GIVE_UP =
            """
      select end_job(j.id, 'failed', make_interval(secs => $2)) from (
        select id from job
        where state in ('queued', 'running') and module <> all($1)
          and created_at < clock_timestamp() - interval '15 minutes'
        order by id limit 100) j""";

    private final Database database;
    private final double keepSeconds;

    /** A claimed chunk: no other claim of it is equal. */
    public record ChunkId(long job, int number, int attempt) {}

    /**
     * A chunk that was claimed.
     *
     * @param options what differs from the module's defaults
     * @param checks indexes of the lines that still have to be checked
     * @param inputs those lines, as they came
     * @param crashes how often a coordinator died that held it
     * @param alone lines during which one died again, among others
     * @param struck a line for each death during which it was alone
     */
    public record Claimed(
            ChunkId id,
            long accountId,
            String module,
            Map<String, Object> options,
            boolean fresh,
            List<Integer> checks,
            List<String> inputs,
            int crashes,
            Set<Integer> alone,
            List<Integer> struck) {}

    /**
     * What a coordinator claims.
     *
     * @param modules only of these
     * @param notOf accounts that get nothing now
     * @param near only what newcomers get
     * @param suspectsNotOf accounts that get no chunks whose coordinator died; null: nobody does
     */
    public record Wanted(
            Collection<String> modules,
            Collection<Long> notOf,
            boolean near,
            @Nullable Collection<Long> suspectsNotOf) {}

    /**
     * The result of a line, to be written.
     *
     * @param body the whole result as a JSON object
     * @param shared how others find it; null: not at all
     */
    public record LineResult(
            ChunkId chunk, int index, String verdict, Buffer body, ResultLookup.@Nullable SharedLine shared) {}

    /**
     * @param keep how long the results of a job are kept after its end
     */
    public WorkStore(Database database, Duration keep) {
        this.database = database;
        this.keepSeconds = keep.toMillis() / 1_000.0;
    }

    /** A coordinator begins to live, under a number that nobody ever had. */
    public Future<Long> register(Duration lease) {
        return database.query(REGISTER, Tuple.of(seconds(lease)))
                .map(rows -> rows.iterator().next().getLong(0));
    }

    /**
     * A coordinator lives on.
     *
     * @return false if it has been declared dead, and what it held is others'
     */
    public Future<Boolean> renew(long owner, Duration lease) {
        return database.query(RENEW, Tuple.of(owner, seconds(lease))).map(rows -> rows.rowCount() > 0);
    }

    /** A coordinator ends; whatever it holds goes back. */
    public Future<Void> end(long owner) {
        return database.query("select end_node($1)", Tuple.of(owner)).mapEmpty();
    }

    /**
     * Declares dead one coordinator that has not renewed its lease.
     *
     * @return false if there is none
     */
    public Future<Boolean> rescue() {
        return database.query("select rescue()")
                .map(rows -> rows.iterator().next().getBoolean(0));
    }

    /** Fails some old jobs for whose module there is no program any more. */
    public Future<Void> giveUp(Collection<String> modules) {
        return database.query(GIVE_UP, Tuple.of(modules.toArray(String[]::new), keepSeconds))
                .mapEmpty();
    }

    /**
     * Claims chunks, those first whose turn it is.
     *
     * @param most how many at most
     */
    public Future<List<Claimed>> claim(long owner, int most, Wanted wanted) {
        return database.query(
                        CLAIM,
                        Tuple.of(
                                owner,
                                most,
                                wanted.modules.toArray(String[]::new),
                                wanted.notOf.toArray(Long[]::new),
                                wanted.near,
                                wanted.suspectsNotOf == null ? null : wanted.suspectsNotOf.toArray(Long[]::new)))
                .map(rows -> {
                    List<Claimed> claimed = new ArrayList<>();
                    rows.forEach(row -> claimed.add(claimed(row)));
                    return claimed;
                });
    }

    private static Claimed claimed(Row row) {
        return new Claimed(
                chunkId(row),
                row.getLong("account_id"),
                row.getString("module"),
                row.get(JsonObject.class, "options").getMap(),
                row.getBoolean("fresh"),
                Arrays.asList(row.getArrayOfIntegers("checks")),
                Arrays.stream(row.getArrayOfBuffers("inputs"))
                        .map(Buffer::toString)
                        .toList(),
                row.getInteger("crashes"),
                Set.copyOf(Arrays.asList(row.getArrayOfIntegers("alone"))),
                Arrays.asList(row.getArrayOfIntegers("struck")));
    }

    /**
     * Writes results; repeating it changes nothing.
     *
     * @param ended chunks that have all their results with these
     * @return the chunks, of those that occur, that are this coordinator's no more
     */
    public Future<List<ChunkId>> write(long owner, List<LineResult> lines, Set<ChunkId> ended) {
        List<ChunkId> chunks = new ArrayList<>(ended);
        lines.stream()
                .map(LineResult::chunk)
                .distinct()
                .filter(chunk -> !ended.contains(chunk))
                .forEach(chunks::add);
        Tuple arguments = Tuple.tuple()
                .addLong(owner)
                .addDouble(keepSeconds)
                .addArrayOfLong(chunks.stream().map(ChunkId::job).toArray(Long[]::new))
                .addArrayOfInteger(chunks.stream().map(ChunkId::number).toArray(Integer[]::new))
                .addArrayOfInteger(chunks.stream().map(ChunkId::attempt).toArray(Integer[]::new))
                .addArrayOfBoolean(chunks.stream().map(ended::contains).toArray(Boolean[]::new));
        addResults(arguments, lines);
        return database.query(WRITE, arguments).map(rows -> {
            List<ChunkId> lost = new ArrayList<>();
            for (Row row : rows) {
                chunks.stream()
                        .filter(c -> c.job == row.getLong(0) && c.number == row.getInteger(1))
                        .forEach(lost::add);
            }
            return lost;
        });
    }

    private static void addResults(Tuple arguments, List<LineResult> lines) {
        int size = lines.size();
        Long[] jobs = new Long[size];
        Integer[] numbers = new Integer[size];
        Integer[] indexes = new Integer[size];
        String[] verdicts = new String[size];
        Buffer[] bodies = new Buffer[size];
        @Nullable String[] sharedKeys = new String[size];
        @Nullable OffsetDateTime[] sharedAt = new OffsetDateTime[size];
        @Nullable OffsetDateTime[] sharedUntil = new OffsetDateTime[size];
        for (int i = 0; i < size; i++) {
            LineResult line = lines.get(i);
            jobs[i] = line.chunk.job;
            numbers[i] = line.chunk.number;
            indexes[i] = line.index;
            verdicts[i] = line.verdict;
            bodies[i] = line.body;
            if (line.shared != null) {
                sharedKeys[i] = line.shared.storedKey();
                sharedAt[i] = line.shared.checkedAt().atOffset(ZoneOffset.UTC);
                sharedUntil[i] = line.shared.expiresAt().atOffset(ZoneOffset.UTC);
            }
        }
        arguments
                .addArrayOfLong(jobs)
                .addArrayOfInteger(numbers)
                .addArrayOfInteger(indexes)
                .addArrayOfString(verdicts)
                .addArrayOfBuffer(bodies)
                .addArrayOfString(sharedKeys)
                .addArrayOfOffsetDateTime(sharedAt)
                .addArrayOfOffsetDateTime(sharedUntil);
    }

    /** Puts chunks back in their line, as if they had not been claimed. */
    public Future<Void> release(long owner, Collection<ChunkId> chunks) {
        return database.query(
                        RELEASE,
                        Tuple.of(
                                owner,
                                chunks.stream().map(ChunkId::job).toArray(Long[]::new),
                                chunks.stream().map(ChunkId::number).toArray(Integer[]::new)))
                .mapEmpty();
    }

    /** Every chunk that a coordinator holds. */
    public Future<List<ChunkId>> held(long owner) {
        return database.query(HELD, Tuple.of(owner)).map(rows -> {
            List<ChunkId> held = new ArrayList<>();
            rows.forEach(row -> held.add(chunkId(row)));
            return held;
        });
    }

    private static ChunkId chunkId(Row row) {
        return new ChunkId(row.getLong("job_id"), row.getInteger("number"), row.getInteger("attempt"));
    }

    /**
     * Remembers what is being checked, and nothing else, in case it is the death of this coordinator.
     *
     * @param lines indexes of the lines that are being checked, or about to be, by their chunks
     * @return the chunks, of these, that are still this coordinator's
     */
    public Future<Set<ChunkId>> watch(long owner, Map<ChunkId, List<Integer>> lines) {
        List<Long> jobs = new ArrayList<>();
        List<Integer> numbers = new ArrayList<>();
        List<Integer> attempts = new ArrayList<>();
        List<Integer> indexes = new ArrayList<>();
        lines.forEach((chunk, ofChunk) -> {
            jobs.addAll(Collections.nCopies(ofChunk.size(), chunk.job));
            numbers.addAll(Collections.nCopies(ofChunk.size(), chunk.number));
            attempts.addAll(Collections.nCopies(ofChunk.size(), chunk.attempt));
            indexes.addAll(ofChunk);
        });
        return database.query(
                        WATCH,
                        Tuple.of(
                                owner,
                                jobs.toArray(Long[]::new),
                                numbers.toArray(Integer[]::new),
                                attempts.toArray(Integer[]::new),
                                indexes.toArray(Integer[]::new)))
                .map(rows -> {
                    Set<ChunkId> held = new HashSet<>();
                    rows.forEach(row -> held.add(chunkId(row)));
                    return held;
                });
    }

    private static double seconds(Duration duration) {
        return duration.toMillis() / 1_000.0;
    }
}
