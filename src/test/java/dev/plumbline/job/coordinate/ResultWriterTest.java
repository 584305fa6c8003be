package dev.plumbline.job.coordinate;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.job.store.JobTables;
import dev.plumbline.job.store.WorkStore;
import dev.plumbline.sheet.ModuleDescription;
import dev.plumbline.sheet.Options;
import dev.plumbline.support.Await;
import dev.plumbline.support.TestDatabase;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Results that the database rejects. */
@Tag("integration")
class ResultWriterTest {
    @RegisterExtension
    static final TestDatabase DATABASE = new TestDatabase();

    private static final ModuleDescription MODULE = new ScriptedModule().description();
    private static final String GOOD = "{\"good\":true}";
    private static final String REJECTED = "{\"rejected\":true}";
    private static final String INTERNAL = "{\"internal\":true}";

    private final Vertx vertx = Vertx.vertx();
    private final List<WorkStore.ChunkId> released = Collections.synchronizedList(new ArrayList<>());
    private final Map<Long, Chunk> chunks = new HashMap<>();
    private JobTables tables;
    private ResultWriter writer;

    @BeforeEach
    void open() {
        tables = new JobTables(DATABASE.open());
        tables.sql("alter table job_result drop constraint if exists test");
        writer = new ResultWriter(
                vertx,
                JobTables.work(DATABASE.open()),
                (chunk, index) -> new WorkStore.LineResult(chunk.id(), index, "error", Buffer.buffer(INTERNAL), null),
                released::add);
    }

    @AfterEach
    void close() {
        Await.value(vertx.close());
    }

    private void reject(String pattern) {
        tables.sql("alter table job_result add constraint test check (convert_from(body, 'UTF8') not like '%" + pattern
                + "%') not valid");
    }

    /** Creates jobs with one chunk and claims them. */
    private List<Long> claim(int... lines) {
        List<Long> jobs = new ArrayList<>();
        for (int count : lines) {
            jobs.add(tables.job(tables.account(), count));
        }
        WorkStore store = JobTables.work(DATABASE.open());
        long owner = Await.value(tables.nodes().register(Duration.ofMinutes(10)));
        writer.startLease(owner);
        while (chunks.size() < jobs.size()) {
            Await.value(store.claim(owner, 8, JobTables.wanted(JobTables.MODULES, Set.of(), false)))
                    .forEach(claimed ->
                            chunks.put(claimed.id().job(), new Chunk(claimed, MODULE, Options.defaults(MODULE), 0)));
        }
        return jobs;
    }

    private void add(long job, String... bodies) {
        Await.value(Await.onLoop(vertx, () -> {
            for (int i = 0; i < bodies.length; i++) {
                writer.add(chunks.get(job), i, "pass", Buffer.buffer(bodies[i]), null);
            }
            return Future.succeededFuture();
        }));
    }

    private List<String> bodies(long job) {
        return tables.texts("select convert_from(body, 'UTF8') from job_result where job_id = $1 order by index", job);
    }

    private boolean completed(long job) {
        return tables.job(job).getString("state").equals("completed");
    }

    @Test
    void aRejectedResultIsReplacedByAnInternalError() {
        List<Long> jobs = claim(3, 2);
        reject("rejected");

        add(jobs.get(0), GOOD, REJECTED, GOOD);
        add(jobs.get(1), REJECTED, REJECTED);
        Await.value(Await.onLoop(vertx, writer::drain));

        assertThat(bodies(jobs.get(0))).containsExactly(GOOD, INTERNAL, GOOD);
        assertThat(bodies(jobs.get(1))).containsExactly(INTERNAL, INTERNAL);
        assertThat(jobs).allMatch(this::completed);
        assertThat(tables.job(jobs.get(0)).getInteger("error")).isEqualTo(1);
        assertThat(released).hasSize(2);
        assertThat(writer.pendingBytes()).isZero();
        tables.assertCountsAreConsistent();
    }

    @Test
    void writesOfAChunkAreDeferredIfTheDatabaseRejectsAllItsResults() {
        List<Long> jobs = claim(3, 1);
        tables.sql("alter table job_result add constraint test check (job_id <> " + jobs.get(0) + ") not valid");

        add(jobs.get(0), GOOD, GOOD);
        add(jobs.get(1), GOOD);
        Await.value(Await.onLoop(vertx, writer::drain));
        assertThat(completed(jobs.get(1))).isTrue();
        assertThat(writer.pendingLines()).isEqualTo(2);
        assertThat(writer.pendingBytes()).isEqualTo(2L * GOOD.length());

        Await.value(Await.onLoop(vertx, () -> {
            writer.add(chunks.get(jobs.get(0)), 2, "pass", Buffer.buffer(GOOD), null);
            return Future.succeededFuture();
        }));
        tables.sql("alter table job_result drop constraint test");
        Await.until(() -> completed(jobs.get(0)));

        assertThat(bodies(jobs.get(0))).containsExactly(GOOD, GOOD, GOOD);
        tables.assertCountsAreConsistent();
    }
}
