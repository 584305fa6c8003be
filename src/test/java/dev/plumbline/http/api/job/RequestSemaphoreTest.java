package dev.plumbline.http.api.job;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.support.Await;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class RequestSemaphoreTest {
    private static final long LONG_MS = 60_000;

    private Vertx vertx;

    @BeforeAll
    void start() {
        vertx = Vertx.vertx();
    }

    @AfterAll
    void stop() {
        Await.value(vertx.close());
    }

    @Test
    void whoComesTooManyWaitsInTheirOrder() {
        RequestSemaphore turns = new RequestSemaphore(2, 2, LONG_MS);
        List<Future<Void>> taken = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            taken.add(turns.take(vertx));
        }

        assertThat(taken).extracting(Future::succeeded).startsWith(true, true, false, false);
        assertThat(taken.get(4).cause()).isInstanceOf(RequestSemaphore.QueueFullException.class);
        turns.over();
        Await.value(taken.get(2));
        assertThat(taken.get(3).isComplete()).isFalse();
        turns.over();
        Await.value(taken.get(3));
        turns.over();
        turns.over();
        assertThat(turns.take(vertx).succeeded()).isTrue();
        assertThat(turns.take(vertx).succeeded()).isTrue();
        assertThat(turns.take(vertx).isComplete()).isFalse();
    }

    @Test
    void nobodyWaitsLongAndWhoHasGivenUpTakesNoTurn() {
        RequestSemaphore turns = new RequestSemaphore(1, 2, 1);
        Await.value(turns.take(vertx));

        assertThat(Await.failure(turns.take(vertx))).isInstanceOf(RequestSemaphore.QueueFullException.class);

        turns.over();
        assertThat(turns.take(vertx).succeeded()).isTrue();
    }

    @Test
    void aTurnIsTakenOnTheContextOfWhoWaits() {
        RequestSemaphore turns = new RequestSemaphore(1, 1, LONG_MS);
        Await.value(turns.take(vertx));
        Promise<Boolean> asExpected = Promise.promise();
        var context = vertx.getOrCreateContext();
        Promise<Void> waits = Promise.promise();
        context.runOnContext(now -> {
            turns.take(vertx).onComplete(turn -> asExpected.complete(Vertx.currentContext() == context));
            waits.complete();
        });
        Await.value(waits.future());

        turns.over();

        assertThat(Await.value(asExpected.future())).isTrue();
    }
}
