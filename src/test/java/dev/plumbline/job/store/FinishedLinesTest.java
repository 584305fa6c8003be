package dev.plumbline.job.store;

import static dev.plumbline.support.TestDatabase.await;
import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.bus.JobMessage.FinishedLine;
import dev.plumbline.bus.JobMessage.JobSnapshot;
import dev.plumbline.bus.JobMessage.ListFinishedLines;
import dev.plumbline.bus.JobMessage.ReadResults;
import dev.plumbline.bus.JobMessage.ResultLine;
import dev.plumbline.job.store.WorkStore.ClaimedChunk;
import dev.plumbline.job.store.WorkStore.LineResult;
import dev.plumbline.postgres.Database;
import dev.plumbline.support.TestDatabase;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Lines in the order in which they finish, also while results are written. */
@Tag("integration")
class FinishedLinesTest {
    @RegisterExtension
    static final TestDatabase DATABASE = new TestDatabase();

    private static final int LINES = 500;
    private static final int WRITERS = 6;
    private static final int READERS = 2;
    private static final ExecutorService THREADS = Executors.newFixedThreadPool(WRITERS + READERS);

    private final JobTables tables = new JobTables(DATABASE.open());
    private final JobStore store = new JobStore(DATABASE.open(), JobTables.KEEP, new JobStore.Quotas(0, 0));

    @AfterAll
    static void close() {
        THREADS.shutdownNow();
    }

    /** A reader that continues after the version of the job that it has read receives each line once. */
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    void eachLineIsListedOnceWhileResultsAreWritten(long seed) throws Exception {
        long job = tables.job(tables.account(), LINES, withRepeats());
        String token = tables.text("select token from job where id = $1", job);
        List<Callable<List<Integer>>> readers = new ArrayList<>();
        for (int i = 0; i < READERS; i++) {
            Database database = DATABASE.open();
            JobStateStore states = new JobStateStore(DATABASE.vertx(), database);
            JobStore results = new JobStore(database, JobTables.KEEP, new JobStore.Quotas(0, 0));
            readers.add(() -> read(states, results, token));
        }

        List<Future<List<Integer>>> reading = new ArrayList<>();
        for (Callable<List<Integer>> reader : readers) {
            reading.add(THREADS.submit(reader));
        }
        List<Future<?>> writing = new ArrayList<>();
        long owner = await(tables.nodes().register(Duration.ofMinutes(10)));
        List<ClaimedChunk> chunks = claimAll(owner);
        for (int i = 0; i < WRITERS; i++) {
            int first = i;
            WorkStore work = JobTables.work(DATABASE.open());
            List<ClaimedChunk> own = IntStream.range(0, chunks.size())
                    .filter(chunk -> chunk % WRITERS == first)
                    .mapToObj(chunks::get)
                    .toList();
            writing.add(THREADS.submit(() -> write(work, owner, own, new Random(seed * WRITERS + first))));
        }

        for (Future<?> writer : writing) {
            writer.get(1, TimeUnit.MINUTES);
        }
        for (Future<List<Integer>> reader : reading) {
            assertThat(reader.get(1, TimeUnit.MINUTES))
                    .hasSize(LINES)
                    .doesNotHaveDuplicates()
                    .isEqualTo(finished(job, 0, List.of()));
        }
        await(tables.nodes().deregister(owner));
    }

    private static List<Integer> read(JobStateStore states, JobStore results, String token) {
        List<Integer> lines = new ArrayList<>();
        long seen = 0;
        JobSnapshot job;
        do {
            job = await(states.find(token)).head();
            await(results.finishedLines(new ListFinishedLines(job.id(), seen + 1, job.version(), List.of())))
                    .lines()
                    .forEach(line -> lines.add(line.index()));
            seen = job.version();
        } while (!job.state().isFinal());
        return lines;
    }

    /** Writes one line at a time, of any of the chunks. */
    private static void write(WorkStore work, long owner, List<ClaimedChunk> chunks, Random random) {
        List<LineResult> lines = new ArrayList<>();
        chunks.forEach(chunk -> lines.addAll(JobTables.lines(chunk, "pass", "{}")));
        Collections.shuffle(lines, random);
        for (LineResult line : lines) {
            await(work.writeResults(owner, List.of(line), Set.of()));
        }
        chunks.forEach(chunk -> await(work.writeResults(owner, List.of(), Set.of(chunk.id()))));
    }

    private List<ClaimedChunk> claimAll(long owner) {
        WorkStore work = JobTables.work(DATABASE.open());
        List<ClaimedChunk> all = new ArrayList<>();
        List<ClaimedChunk> claimed;
        do {
            claimed = await(work.claim(owner, 20, JobTables.wanted(JobTables.MODULES, Set.of(), false)));
            all.addAll(claimed);
        } while (!claimed.isEmpty());
        return all;
    }

    private static Integer[] withRepeats() {
        Integer[] firstIndexes = new Integer[LINES];
        for (int i = 0; i < LINES; i++) {
            firstIndexes[i] = i % 5 == 4 ? i - 4 : i;
        }
        return firstIndexes;
    }

    private List<Integer> finished(long job, long fromVersion, List<String> verdicts) {
        return await(store.finishedLines(new ListFinishedLines(job, fromVersion, Long.MAX_VALUE, verdicts)))
                .lines()
                .stream()
                .map(FinishedLine::index)
                .toList();
    }

    @Test
    void finishedLinesAreFilteredByVersionAndVerdict() {
        long job = tables.job(tables.account(), 4, new Integer[] {0, 1, 0, 3});
        long owner = await(tables.nodes().register(Duration.ofMinutes(10)));
        ClaimedChunk chunk = claimAll(owner).get(0);
        WorkStore work = JobTables.work(DATABASE.open());
        await(work.writeResults(owner, List.of(JobTables.line(chunk.id(), 3, "fail", "{}")), Set.of()));
        long before = tables.job(job).getLong("version");
        await(work.writeResults(owner, List.of(JobTables.line(chunk.id(), 0, "warn", "{}")), Set.of()));

        assertThat(finished(job, 0, List.of())).containsExactly(3, 0, 2);
        assertThat(finished(job, before + 1, List.of())).containsExactly(0, 2);
        assertThat(finished(job, 0, List.of("fail", "pass"))).containsExactly(3);
        assertThat(finished(job, 0, List.of("error"))).isEmpty();
        assertThat(await(store.finishedLines(new ListFinishedLines(job, 0, before, List.of())))
                        .lines())
                .containsExactly(new FinishedLine(3, before));
        await(tables.nodes().deregister(owner));
    }

    @Test
    void linesAreReadInTheRequestedOrder() {
        long job = tables.job(tables.account(), 120, null);

        List<ResultLine> lines = await(store.results(new ReadResults(job, Long.MAX_VALUE, List.of(119, 3, 60, 1, 200))))
                .lines();

        assertThat(lines)
                .extracting(line -> line.index() + " " + line.input())
                .containsExactly("119 line-119.test", "3 line-3.test", "60 line-60.test", "1 line-1.test");
        assertThat(lines).allMatch(line -> line.result() == null);
    }
}
