package dev.plumbline.store;

import static dev.plumbline.support.TestDatabase.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class RetentionTaskTest {
    private Vertx vertx;

    @BeforeEach
    void open() {
        vertx = Vertx.vertx();
    }

    @AfterEach
    void close() {
        await(vertx.close());
    }

    @Test
    void deletesBatchesUntilOneIsNotFullAndContinuesAfterFailures() {
        AtomicInteger left = new AtomicInteger(3 * RetentionTask.BATCH_SIZE + 5);
        Promise<Void> clean = Promise.promise();
        AtomicInteger rounds = new AtomicInteger();
        RetentionTask cleaner = new RetentionTask(
                vertx,
                Duration.ofMillis(10),
                List.of(
                        () -> {
                            if (rounds.incrementAndGet() == 1) {
                                return Future.failedFuture(new DatabaseUnavailableException("away"));
                            }
                            int slice = Math.min(left.get(), RetentionTask.BATCH_SIZE);
                            left.addAndGet(-slice);
                            return Future.succeededFuture(slice);
                        },
                        () -> {
                            clean.tryComplete();
                            return Future.succeededFuture(0);
                        }));
        await(clean.future());
        assertThat(left).hasValue(0);
        cleaner.stop();
    }
}
