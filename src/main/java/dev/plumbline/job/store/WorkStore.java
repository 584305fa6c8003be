package dev.plumbline.job.store;

import dev.plumbline.bus.JobMessage;
import dev.plumbline.postgres.Database;
import dev.plumbline.result.store.ResultCache;
import dev.plumbline.trace.TraceParent;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.JsonArray;
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
import java.util.function.Function;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/** Claims, leases and results of jobs in PostgreSQL. Writes of a node whose lease expired have no effect. */
public final class WorkStore {
    private static final String CLAIM =
            """
      select job_id, number, attempt, account_id, module, options, fresh, checks, inputs, crash_count, suspects,
        job_crash_count, attempts, traceparent
      from claim_job_chunks($1, $2, $3, $4, $5, $6)""";

    private static final String WRITE_RESULTS =
            """
      select job_id, number from write_results(
        $1, make_interval(secs => $2), $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)""";

    private static final String RELEASE = "select release_chunks($1, $2, $3, false)";

    private static final String FIND_CLAIMED = "select job_id, number, attempt from job_chunk where owner = $1";

    // Lines that were in flight and are not any more have completed and cannot cause the next crash. The record must
    // survive a crash of this process, but not of the database.
    private static final String RECORD_IN_FLIGHT =
            """
      with requested as (
        select l.job_id, l.number, l.attempt, array_agg(l.index) as in_flight
        from unnest($2::bigint[], $3::int[], $4::int[], $5::int[]) l(job_id, number, attempt, index)
        group by l.job_id, l.number, l.attempt),
      claimed as (
        select c.job_id, c.number, c.attempt, w.in_flight
        from job_chunk c
          left join requested w
            on w.job_id = c.job_id and w.number = c.number and w.attempt = c.attempt
        where c.owner = $1 and (w.in_flight is not null or c.in_flight <> '{}')
        order by c.job_id, c.number for update of c),
      changed as (
        update job_chunk c set in_flight = coalesce(h.in_flight, '{}')
        from claimed h
        where c.job_id = h.job_id and c.number = h.number
          and c.in_flight <> coalesce(h.in_flight, '{}'))
      select job_id, number, attempt
      from claimed, (select set_config('synchronous_commit', 'off', true)) asynchronous
      where in_flight is not null""";

    // The record need not survive a crash.
    private static final String RECORD_WAITING =
            """
      update node n set waiting = $2
      from (select set_config('synchronous_commit', 'off', true)) asynchronous
      where n.id = $1""";

    // Another node may have a newer version with this module and gets 15 minutes to claim the job.
    private static final String FAIL_UNSUPPORTED =
            """
      select terminate_job(j.id, 'failed', make_interval(secs => $2)) from (
        select id from job
        where state in ('queued', 'running') and module <> all($1)
          and created_at < statement_timestamp() - interval '15 minutes'
        order by id limit 100) j""";

    /** The maximum number of chunks that one statement releases. */
    static final int RELEASE_SLICE = 200;

    private final Database database;
    private final Database maintenance;
    private final double retentionSeconds;

    /** A claim of a chunk; each claim has another attempt number. */
    public record ChunkId(long job, int number, int attempt) {}

    /**
     * A claimed chunk.
     *
     * @param options options that differ from the module's defaults
     * @param checks indexes of the lines without result
     * @param inputs inputs of these lines
     * @param crashCount number of crashes of nodes that held the chunk
     * @param suspects lines that were in flight at a crash, one element per crash
     * @param jobCrashCount number of crashes that lines of the job can have caused
     * @param attempts one element per recorded attempt of a line in an earlier claim
     * @param creation the span in which the job was created; null if its trace is not recorded
     */
    public record ClaimedChunk(
            ChunkId id,
            long accountId,
            String module,
            Map<String, Object> options,
            boolean fresh,
            List<Integer> checks,
            List<String> inputs,
            int crashCount,
            List<Integer> suspects,
            int jobCrashCount,
            List<Integer> attempts,
            @Nullable TraceParent creation) {}

    /**
     * The chunks that a node claims.
     *
     * @param modules modules that the node supports
     * @param excludedAccounts accounts whose chunks are not claimed
     * @param newAccountsOnly only chunks near the virtual time, as those of new accounts
     * @param excludedSuspectAccounts accounts whose crashed chunks are not claimed; null: no crashed chunks
     */
    public record ClaimFilter(
            Collection<String> modules,
            Collection<Long> excludedAccounts,
            boolean newAccountsOnly,
            @Nullable Collection<Long> excludedSuspectAccounts) {

        /** Whether each waiting chunk of the modules is claimed. */
        public boolean includesAll() {
            return excludedAccounts.isEmpty()
                    && !newAccountsOnly
                    && excludedSuspectAccounts != null
                    && excludedSuspectAccounts.isEmpty();
        }
    }

    /**
     * A result to write.
     *
     * @param body the result as a JSON object
     * @param cacheEntry null if the result is not cacheable
     */
    public record LineResult(
            ChunkId chunk, int index, String verdict, Buffer body, ResultCache.@Nullable LineCacheEntry cacheEntry) {}

    /**
     * @param maintenance a pool with a timeout for slow statements
     * @param retention how long results are kept after the end of a job
     */
    public WorkStore(Database database, Database maintenance, Duration retention) {
        this.database = database;
        this.maintenance = maintenance;
        this.retentionSeconds = retention.toMillis() / 1_000.0;
    }

    /**
     * A part of the chunks of a node whose lease expired.
     *
     * @param complete whether no more are left
     */
    public record ReapedChunks(long node, int chunks, boolean complete) {}

    /**
     * Releases up to 200 chunks of one node whose lease expired.
     *
     * @return null if there is none
     */
    public Future<@Nullable ReapedChunks> reapExpiredNode() {
        return maintenance
                .query("select expired_node, chunks from reap_expired_node($1)", Tuple.of(RELEASE_SLICE))
                .map(rows -> {
                    if (rows.size() == 0) {
                        return null;
                    }
                    Row row = rows.iterator().next();
                    int chunks = row.getInteger("chunks");
                    return new ReapedChunks(row.getLong("expired_node"), chunks, chunks < RELEASE_SLICE);
                });
    }

    /** Fails up to 100 old jobs of modules that are not in the list. */
    public Future<Void> failUnsupportedJobs(Collection<String> modules) {
        return maintenance
                .query(FAIL_UNSUPPORTED, Tuple.of(modules.toArray(String[]::new), retentionSeconds))
                .mapEmpty();
    }

    /** Claims chunks in fair order. */
    public Future<List<ClaimedChunk>> claim(long owner, int maxChunks, ClaimFilter filter) {
        return database.query(
                        CLAIM,
                        Tuple.of(
                                owner,
                                maxChunks,
                                filter.modules.toArray(String[]::new),
                                filter.excludedAccounts.toArray(Long[]::new),
                                filter.newAccountsOnly,
                                filter.excludedSuspectAccounts == null
                                        ? null
                                        : filter.excludedSuspectAccounts.toArray(Long[]::new)))
                .map(rows -> {
                    List<ClaimedChunk> claimed = new ArrayList<>();
                    rows.forEach(row -> claimed.add(claimed(row)));
                    return claimed;
                });
    }

    private static ClaimedChunk claimed(Row row) {
        return new ClaimedChunk(
                chunkId(row),
                row.getLong("account_id"),
                row.getString("module"),
                row.get(JsonObject.class, "options").getMap(),
                row.getBoolean("fresh"),
                Arrays.asList(row.getArrayOfIntegers("checks")),
                Arrays.stream(row.getArrayOfBuffers("inputs"))
                        .map(Buffer::toString)
                        .toList(),
                row.getInteger("crash_count"),
                Arrays.asList(row.getArrayOfIntegers("suspects")),
                row.getInteger("job_crash_count"),
                Arrays.asList(row.getArrayOfIntegers("attempts")),
                TraceParent.parse(row.getString("traceparent")));
    }

    /**
     * Writes results. Idempotent.
     *
     * @param completed chunks whose results are complete with these
     * @return the chunks that the node no longer holds
     */
    public Future<List<ChunkId>> writeResults(long owner, List<LineResult> lines, Set<ChunkId> completed) {
        List<ChunkId> chunks = new ArrayList<>(completed);
        lines.stream()
                .map(LineResult::chunk)
                .distinct()
                .filter(chunk -> !completed.contains(chunk))
                .forEach(chunks::add);
        Tuple arguments = Tuple.tuple()
                .addLong(owner)
                .addDouble(retentionSeconds)
                .addArrayOfLong(array(chunks, ChunkId::job, Long[]::new))
                .addArrayOfInteger(array(chunks, ChunkId::number, Integer[]::new))
                .addArrayOfInteger(array(chunks, ChunkId::attempt, Integer[]::new))
                .addArrayOfBoolean(array(chunks, completed::contains, Boolean[]::new));
        addResults(arguments, lines);
        return database.query(WRITE_RESULTS, arguments).map(rows -> {
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
        arguments
                .addArrayOfLong(array(lines, line -> line.chunk.job, Long[]::new))
                .addArrayOfInteger(array(lines, line -> line.chunk.number, Integer[]::new))
                .addArrayOfInteger(array(lines, LineResult::index, Integer[]::new))
                .addArrayOfString(array(lines, LineResult::verdict, String[]::new))
                .addArrayOfBuffer(array(lines, LineResult::body, Buffer[]::new))
                .addArrayOfString(cached(lines, ResultCache.LineCacheEntry::storedKey, String[]::new))
                .addArrayOfOffsetDateTime(
                        cached(lines, entry -> entry.checkedAt().atOffset(ZoneOffset.UTC), OffsetDateTime[]::new))
                .addArrayOfOffsetDateTime(
                        cached(lines, entry -> entry.expiresAt().atOffset(ZoneOffset.UTC), OffsetDateTime[]::new));
    }

    private static <T, V> V[] array(Collection<T> items, Function<T, V> value, IntFunction<V[]> array) {
        return items.stream().map(value).toArray(array);
    }

    /** The values of the cache entries; null for lines whose result is not cacheable. */
    private static <V> V[] cached(
            List<LineResult> lines, Function<ResultCache.LineCacheEntry, V> value, IntFunction<V[]> array) {
        return lines.stream()
                .map(line -> line.cacheEntry == null ? null : value.apply(line.cacheEntry))
                .toArray(array);
    }

    /** Returns chunks to the queue. */
    public Future<Void> release(long owner, Collection<ChunkId> chunks) {
        return database.query(
                        RELEASE,
                        Tuple.of(
                                owner,
                                array(chunks, ChunkId::job, Long[]::new),
                                array(chunks, ChunkId::number, Integer[]::new)))
                .mapEmpty();
    }

    /** All chunks that a node holds. */
    public Future<List<ChunkId>> findClaimed(long owner) {
        return database.readAll(FIND_CLAIMED, Tuple.of(owner), WorkStore::chunkId);
    }

    private static ChunkId chunkId(Row row) {
        return new ChunkId(row.getLong("job_id"), row.getInteger("number"), row.getInteger("attempt"));
    }

    /**
     * Records the lines in progress, to find the line that causes a crash, or the attempts before the chunks are
     * released. Replaces the previous record of all chunks of the owner.
     *
     * @param lines indexes of the lines by chunk, one element per attempt
     * @return the chunks, of these, that the node still holds
     */
    public Future<Set<ChunkId>> recordInFlight(long owner, Map<ChunkId, ? extends Collection<Integer>> lines) {
        List<Long> jobs = new ArrayList<>();
        List<Integer> numbers = new ArrayList<>();
        List<Integer> attempts = new ArrayList<>();
        List<Integer> indexes = new ArrayList<>();
        lines.forEach((chunk, chunkLines) -> {
            jobs.addAll(Collections.nCopies(chunkLines.size(), chunk.job));
            numbers.addAll(Collections.nCopies(chunkLines.size(), chunk.number));
            attempts.addAll(Collections.nCopies(chunkLines.size(), chunk.attempt));
            indexes.addAll(chunkLines);
        });
        return database.query(
                        RECORD_IN_FLIGHT,
                        Tuple.of(
                                owner,
                                jobs.toArray(Long[]::new),
                                numbers.toArray(Integer[]::new),
                                attempts.toArray(Integer[]::new),
                                indexes.toArray(Integer[]::new)))
                .map(rows -> {
                    Set<ChunkId> claimed = new HashSet<>();
                    rows.forEach(row -> claimed.add(chunkId(row)));
                    return claimed;
                });
    }

    /**
     * Records the lines of a node that wait for limits of targets. Replaces its previous record.
     *
     * @param waiting lines by job
     */
    public Future<Void> recordWaiting(long owner, Map<Long, List<JobMessage.WaitingLines>> waiting) {
        JsonObject jobs = new JsonObject();
        waiting.forEach((job, lines) -> {
            JsonArray limits = new JsonArray();
            for (JobMessage.WaitingLines limit : lines) {
                limits.add(new JsonObject()
                        .put("target_address", limit.targetAddress())
                        .put("limit", limit.limit())
                        .put("per_second", limit.perSecond())
                        .put("lines", limit.lines()));
            }
            jobs.put(Long.toString(job), limits);
        });
        return database.query(RECORD_WAITING, Tuple.of(owner, jobs)).mapEmpty();
    }
}
