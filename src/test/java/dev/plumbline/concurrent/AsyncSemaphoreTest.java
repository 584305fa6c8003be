package dev.plumbline.concurrent;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.support.Await;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class AsyncSemaphoreTest {
    private static final long LONG = 60_000;

    private final Vertx vertx = Vertx.vertx();
    private final List<Promise<String>> working = new ArrayList<>();
    private final AsyncSemaphore semaphore = new AsyncSemaphore(vertx, 2, 2);

    @AfterEach
    void close() {
        Await.value(vertx.close());
    }

    private Future<String> take(long millis) {
        return semaphore.withPermit(
                millis,
                () -> {
                    Promise<String> work = Promise.promise();
                    working.add(work);
                    return work.future();
                },
                () -> Future.succeededFuture("late"));
    }

    @Test
    void concurrencyIsLimited() {
        List<Future<String>> all = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            all.add(take(LONG));
        }
        assertThat(working).hasSize(2);
        assertThat(Await.value(all.get(4))).isEqualTo("late");
        working.get(1).complete("second");
        assertThat(working).hasSize(3);
        working.get(0).fail("broken");
        assertThat(working).hasSize(4);
        working.get(2).complete("third");
        working.get(3).complete("fourth");
        assertThat(Await.failure(all.get(0))).hasMessage("broken");
        assertThat(Await.value(all.get(1))).isEqualTo("second");
        assertThat(Await.value(all.get(2))).isEqualTo("third");
        assertThat(Await.value(all.get(3))).isEqualTo("fourth");
        take(LONG);
        take(LONG);
        assertThat(working).hasSize(6);
    }

    @Test
    void theTimeoutLimitsTheTimeInTheQueue() {
        take(LONG);
        take(LONG);
        assertThat(Await.value(take(1))).isEqualTo("late");
        assertThat(Await.value(take(0))).isEqualTo("late");
        Future<String> patient = take(LONG);
        working.get(0).complete("done");
        assertThat(working).hasSize(3);
        working.get(2).complete("in time");
        assertThat(Await.value(patient)).isEqualTo("in time");
    }

    @Test
    void clientsAreServedInTurn() {
        AsyncSemaphore fair = new AsyncSemaphore(vertx, 1, 10, 3);
        List<String> started = new ArrayList<>();
        Promise<String> first = Promise.promise();
        for (String client : List.of("a", "a", "a", "a", "a", "b")) {
            fair.withPermit(
                    client,
                    LONG,
                    () -> {
                        started.add(client);
                        return started.size() == 1 ? first.future() : Future.succeededFuture(client);
                    },
                    () -> {
                        started.add("rejected");
                        return Future.succeededFuture("rejected");
                    });
        }
        first.complete("done");

        assertThat(started).containsExactly("a", "rejected", "a", "b", "a", "a");
    }

    @Test
    void thePermitIsReleasedIfTheTaskThrows() {
        for (int i = 0; i < 3; i++) {
            Future<String> broken = semaphore.withPermit(
                    LONG,
                    () -> {
                        throw new IllegalStateException("broken");
                    },
                    () -> Future.succeededFuture("late"));
            assertThat(Await.failure(broken)).hasMessage("broken");
        }
    }

    @Test
    void waitingWorkStartsOnTheContextOfItsCaller() {
        take(LONG);
        take(LONG);
        Context context = vertx.getOrCreateContext();
        Promise<Boolean> sameContext = Promise.promise();
        Promise<Void> queued = Promise.promise();
        context.runOnContext(now -> {
            semaphore.withPermit(
                    LONG,
                    () -> {
                        sameContext.complete(Vertx.currentContext() == context);
                        return Future.succeededFuture();
                    },
                    () -> Future.failedFuture("late"));
            queued.complete();
        });
        Await.value(queued.future());

        working.get(0).complete("done");

        assertThat(Await.value(sameContext.future())).isTrue();
    }
}
