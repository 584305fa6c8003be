package dev.plumbline.result.store;

import static dev.plumbline.support.TestDatabase.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.plumbline.postgres.Database;
import dev.plumbline.postgres.DatabaseUnavailableException;
import dev.plumbline.result.RenderedResult;
import dev.plumbline.result.store.ResultStore.Entry;
import dev.plumbline.support.TestDatabase;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

@Tag("integration")
class ResultStoreTest {
    @RegisterExtension
    static final TestDatabase DATABASE = new TestDatabase();

    private static ResultStore store;
    private final Instant now = Instant.now().truncatedTo(ChronoUnit.MICROS);
    private final String key = UUID.randomUUID().toString();

    @BeforeAll
    static void open() {
        store = new ResultStore(DATABASE.vertx(), DATABASE.open());
    }

    private Entry entry(String key, String body, Instant checkedAt) {
        return new Entry(key, Buffer.buffer(body), checkedAt, checkedAt.plusSeconds(600));
    }

    private static String text(RenderedResult found) {
        return new String(found.result(), StandardCharsets.UTF_8);
    }

    @Test
    void resultsAreSharedByAllNodes() {
        await(store.store(entry(key, "body", now)));
        ResultStore other = new ResultStore(DATABASE.vertx(), DATABASE.open());
        RenderedResult found = await(other.find(key));
        assertThat(text(found)).isEqualTo("body");
        assertThat(found.checkedAt()).isEqualTo(now);
        assertThat(found.expiresAt()).isEqualTo(now.plusSeconds(600));
        assertThat(await(other.find(key + "?"))).isNull();
    }

    /** A job with composite checks looks up thousands of parts at once. */
    @Test
    void lookupsForJobsDoNotFillTheQueueOfThePool() {
        await(store.store(entry(key, "body", now)));
        Database jobs = DATABASE.open();
        ResultStore node = new ResultStore(DATABASE.vertx(), DATABASE.open(), jobs);
        List<Future<RenderedResult>> lookups = new ArrayList<>();
        for (int i = 0; i < 2_000; i++) {
            lookups.add(node.findForJob(i % 2 == 0 ? key : key + i));
        }

        // the same pool reads the results of jobs
        await(jobs.query("select 1"));
        for (int i = 0; i < lookups.size(); i++) {
            RenderedResult found = await(lookups.get(i));
            assertThat(found == null ? null : text(found)).isEqualTo(i % 2 == 0 ? "body" : null);
        }
    }

    @Test
    void expiredResultsAreNotReturned() {
        await(store.store(entry(key, "old", now.minusSeconds(600))));
        assertThat(await(store.find(key))).isNull();
    }

    @Test
    void theNewerResultIsKept() {
        await(store.store(entry(key, "new", now)));
        await(store.store(entry(key, "old", now.minusSeconds(1))));
        assertThat(text(await(store.find(key)))).isEqualTo("new");

        List<Future<Void>> together = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            together.add(store.store(entry(key, "body " + i % 50, now.plusSeconds(i % 50))));
        }
        together.forEach(TestDatabase::await);
        assertThat(text(await(store.find(key)))).isEqualTo("body 49");
    }

    @Test
    void concurrentReadsReturnTheirOwnResult() {
        List<Future<Void>> stores = new ArrayList<>();
        for (int i = 0; i < 2_000; i++) {
            stores.add(store.store(entry(key + i, "body " + i, now)));
        }
        stores.forEach(TestDatabase::await);
        List<Future<RenderedResult>> finds = new ArrayList<>();
        for (int i = 0; i < 2_000; i++) {
            finds.add(store.find(key + i));
            finds.add(store.find(key + i + "?"));
        }
        for (int i = 0; i < 2_000; i++) {
            assertThat(text(await(finds.get(2 * i)))).isEqualTo("body " + i);
            assertThat(await(finds.get(2 * i + 1))).isNull();
        }
    }

    @Test
    void flushCompletesAfterAllWrites() {
        for (int i = 0; i < 1_000; i++) {
            store.store(entry(key + i, "body", now));
        }
        await(store.flush());
        ResultStore other = new ResultStore(DATABASE.vertx(), DATABASE.open());
        for (int i = 0; i < 1_000; i += 111) {
            assertThat(await(other.find(key + i))).isNotNull();
        }
    }

    @Test
    void pendingWritesAreLimitedInBytes() {
        long lost = store.lostWrites();
        String large = "x".repeat(64 << 10);
        List<Future<Void>> stores = new ArrayList<>();
        for (int i = 0; i < 2_000; i++) {
            stores.add(store.store(entry(key + i, large, now)));
        }
        await(Future.join(stores).otherwiseEmpty());
        assertThat(stores).filteredOn(Future::failed).isNotEmpty();
        assertThat(stores).filteredOn(Future::succeeded).hasSizeGreaterThan(200);
        assertThat(store.lostWrites() - lost)
                .isEqualTo(stores.stream().filter(Future::failed).count());
        await(store.store(entry(key, large, now)));
    }

    @Test
    void expiredResultsAreDeleted() {
        await(store.store(entry(key, "old", now.minusSeconds(600))));
        await(store.store(entry(key + "new", "new", now)));
        while (await(ResultStore.purgeExpired(DATABASE.open(), 100)) > 0) {}
        assertThat(await(store.find(key + "new"))).isNotNull();
    }

    @Test
    void operationsFailAtOnceDuringAnOutage() {
        Database closed = DATABASE.open();
        ResultStore without = new ResultStore(DATABASE.vertx(), closed);
        await(closed.close());
        assertThatThrownBy(() -> await(without.find(key))).isInstanceOf(DatabaseUnavailableException.class);
        assertThatThrownBy(() -> await(without.store(entry(key, "body", now))))
                .isInstanceOf(DatabaseUnavailableException.class);
        await(without.flush());
    }
}
