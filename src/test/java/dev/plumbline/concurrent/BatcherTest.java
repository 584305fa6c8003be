package dev.plumbline.concurrent;

import static dev.plumbline.support.TestDatabase.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.plumbline.postgres.DatabaseOverloadedException;
import dev.plumbline.postgres.DatabaseUnavailableException;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

class BatcherTest {
    private record Sent(List<Integer> questions, Promise<List<String>> answers) {
        void answer() {
            answers.complete(questions.stream().map(q -> "answer " + q).toList());
        }
    }

    private final ConcurrentLinkedQueue<Sent> sent = new ConcurrentLinkedQueue<>();
    private Vertx vertx;

    @BeforeEach
    void open() {
        vertx = Vertx.vertx();
    }

    @AfterEach
    void close() {
        await(vertx.close());
    }

    private Batcher<Integer, String> batcher(int batch, int queued, int underWay) {
        return new Batcher<>(
                vertx,
                new Batcher.Limits(batch, queued, underWay),
                DatabaseOverloadedException::queueFull,
                questions -> {
                    Sent next = new Sent(questions, Promise.promise());
                    sent.add(next);
                    return next.answers.future();
                });
    }

    private static List<Future<String>> ask(Batcher<Integer, String> batcher, int count) {
        List<Future<String>> asked = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            asked.add(batcher.submit(i));
        }
        return asked;
    }

    @Test
    void requestsAreBatchedWhileABatchIsInFlight() {
        Batcher<Integer, String> batcher = batcher(3, 100, 1);
        List<Future<String>> asked = ask(batcher, 6);
        assertThat(sent.element().questions).containsExactly(0);
        sent.remove().answer();
        assertThat(sent.element().questions).containsExactly(1, 2, 3);
        sent.remove().answer();
        assertThat(sent.element().questions).containsExactly(4, 5);
        Future<Void> drained = batcher.drain();
        assertThat(drained.isComplete()).isFalse();
        sent.remove().answer();
        await(drained);
        for (int i = 0; i < 6; i++) {
            assertThat(await(asked.get(i))).isEqualTo("answer " + i);
        }
        await(batcher.drain());
    }

    @Test
    void aFullQueueRejectsRequests() {
        Batcher<Integer, String> batcher = batcher(10, 2, 2);
        List<Future<String>> asked = ask(batcher, 5);
        assertThat(sent).hasSize(2);
        assertThat(batcher.queued()).isEqualTo(2);
        assertThatThrownBy(() -> await(asked.get(4))).isInstanceOf(DatabaseUnavailableException.class);
        sent.remove().answer();
        assertThat(await(asked.get(0))).isEqualTo("answer 0");
    }

    @Test
    void aFailedBatchFailsOnlyItsRequests() {
        Batcher<Integer, String> batcher = batcher(2, 10, 1);
        List<Future<String>> asked = ask(batcher, 5);
        sent.remove().answer();
        sent.remove().answers.fail(new DatabaseUnavailableException("away"));
        sent.remove().answer();
        assertThat(await(asked.get(0))).isEqualTo("answer 0");
        assertThatThrownBy(() -> await(asked.get(1))).hasMessage("away");
        assertThatThrownBy(() -> await(asked.get(2))).hasMessage("away");
        assertThat(await(asked.get(3))).isEqualTo("answer 3");
    }

    @Test
    void expiredRequestsAreNotSent() {
        AtomicLong now = new AtomicLong();
        Batcher<Integer, String> batcher = new Batcher<>(
                vertx,
                new Batcher.Limits(10, 10, 1).expiringAfter(1_500),
                DatabaseOverloadedException::queueFull,
                questions -> {
                    Sent next = new Sent(questions, Promise.promise());
                    sent.add(next);
                    return next.answers.future();
                },
                now::get);
        Future<String> first = batcher.submit(0);
        Future<String> late = batcher.submit(1);
        now.set(TimeUnit.MILLISECONDS.toNanos(1_400));
        Future<String> early = batcher.submit(2);
        now.set(TimeUnit.MILLISECONDS.toNanos(1_600));
        sent.remove().answer();

        assertThat(await(first)).isEqualTo("answer 0");
        assertThatThrownBy(() -> await(late)).isInstanceOf(DatabaseUnavailableException.class);
        assertThat(sent.element().questions).containsExactly(2);
        now.set(TimeUnit.MILLISECONDS.toNanos(9_000));
        Future<String> last = batcher.submit(3);
        now.set(TimeUnit.MILLISECONDS.toNanos(11_000));
        sent.remove().answer();
        assertThat(await(early)).isEqualTo("answer 2");
        assertThatThrownBy(() -> await(last)).isInstanceOf(DatabaseUnavailableException.class);
        assertThat(sent).isEmpty();
        await(batcher.drain());
    }

    @Test
    void anExceptionFailsTheBatch() {
        Batcher<Integer, String> batcher = new Batcher<>(
                vertx, new Batcher.Limits(1, 10, 1), DatabaseOverloadedException::queueFull, questions -> {
                    throw new IllegalStateException("broken");
                });
        for (int i = 0; i < 3; i++) {
            Future<String> asked = batcher.submit(i);
            assertThatThrownBy(() -> await(asked)).hasMessage("broken");
        }
        await(batcher.drain());
    }

    @Tag("integration")
    @Test
    void synchronousFailuresDoNotOverflowTheStack() {
        Promise<List<String>> first = Promise.promise();
        Batcher<Integer, String> batcher = new Batcher<>(
                vertx,
                new Batcher.Limits(1, 100_000, 1),
                DatabaseOverloadedException::queueFull,
                questions -> questions.get(0) == 0
                        ? first.future()
                        : Future.failedFuture(new DatabaseUnavailableException("away")));
        List<Future<String>> asked = ask(batcher, 100_000);
        first.fail("gone");
        for (Future<String> each : asked) {
            assertThatThrownBy(() -> await(each)).isInstanceOf(Exception.class);
        }
    }

    @Test
    void futuresCompleteOnTheContextOfTheCaller() {
        Batcher<Integer, String> batcher = batcher(10, 10, 1);
        Context context = vertx.getOrCreateContext();
        Promise<Context> answeredOn = Promise.promise();
        context.runOnContext(v -> {
            batcher.submit(1).onComplete(a -> answeredOn.complete(Vertx.currentContext()));
            new Thread(() -> sent.remove().answer()).start();
        });
        assertThat(await(answeredOn.future())).isSameAs(context);
    }
}
