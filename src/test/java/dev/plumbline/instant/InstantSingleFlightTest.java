package dev.plumbline.instant;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.bus.Message;
import dev.plumbline.support.Await;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.internal.VertxInternal;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Callers who want the same at once share one run; a refusal is its leader's own. */
class InstantSingleFlightTest {
    private static final InstantOutcome REFUSED = new InstantOutcome.OverQuota(new Message.Denied(30, 0, 60));
    private static final InstantOutcome SHARED = new InstantOutcome.InvalidTarget("shared by all");

    private final VertxInternal vertx = (VertxInternal) Vertx.vertx();
    private final InstantSingleFlight flights = new InstantSingleFlight(vertx);
    private final List<Integer> led = Collections.synchronizedList(new ArrayList<>());
    private final List<Context> loops =
            List.of(vertx.createEventLoopContext(), vertx.createEventLoopContext(), vertx.createEventLoopContext());

    @AfterEach
    void close() {
        Await.value(vertx.close());
    }

    /** A caller, on an event loop of its own choice; its future is told there. */
    private Future<InstantOutcome> join(String key, int who, Future<InstantOutcome> end) {
        Promise<InstantOutcome> told = Promise.promise();
        loops.get(who % loops.size()).runOnContext(ignored -> flights.join(key, () -> {
                    led.add(who);
                    return end;
                })
                .onComplete(told));
        return told.future();
    }

    /** Comes back when every event loop has done what it was given so far. */
    private void settle() {
        for (int round = 0; round < 3; round++) {
            for (Context loop : loops) {
                Promise<Void> turn = Promise.promise();
                loop.runOnContext(ignored -> turn.complete());
                Await.value(turn.future());
            }
        }
    }

    @Test
    void theFirstLeadsAndAllAreToldTheSame() {
        Promise<InstantOutcome> end = Promise.promise();
        Future<InstantOutcome> first = join("key", 0, end.future());
        settle();
        Future<InstantOutcome> second = join("key", 1, Future.succeededFuture(REFUSED));
        Future<InstantOutcome> other = join("another key", 2, Future.succeededFuture(SHARED));
        settle();

        assertThat(Await.value(other)).isEqualTo(SHARED);
        assertThat(first.isComplete()).isFalse();
        end.complete(SHARED);
        assertThat(Await.value(first)).isEqualTo(SHARED);
        assertThat(Await.value(second)).isEqualTo(SHARED);
        assertThat(led).containsExactly(0, 2);
    }

    @Test
    void whenTheLeaderIsRefusedTheNextLeads() {
        List<Promise<InstantOutcome>> ends = new ArrayList<>();
        List<Future<InstantOutcome>> told = new ArrayList<>();
        for (int who = 0; who < 4; who++) {
            ends.add(Promise.promise());
            told.add(join("key", who, ends.get(who).future()));
            settle();
        }

        ends.get(0).complete(REFUSED);
        settle();
        ends.get(1).complete(new InstantOutcome.Loop());
        settle();
        assertThat(told.get(2).isComplete()).isFalse();
        ends.get(2).complete(SHARED);

        assertThat(told).extracting(Await::value).containsExactly(REFUSED, new InstantOutcome.Loop(), SHARED, SHARED);
        assertThat(led).containsExactly(0, 1, 2);
    }

    @Test
    void aFailureIsToldToAll() {
        Promise<InstantOutcome> end = Promise.promise();
        List<Future<InstantOutcome>> told = new ArrayList<>();
        for (int who = 0; who < 3; who++) {
            told.add(join("key", who, end.future()));
            settle();
        }

        end.fail(new IllegalStateException("a fault"));

        assertThat(told).extracting(Await::value).hasOnlyElementsOfType(InstantOutcome.Unavailable.class);
        assertThat(led).containsExactly(0);
    }

    @Test
    void whenAllHaveLandedTheNextIsAFirstAgain() {
        assertThat(Await.value(join("key", 0, Future.succeededFuture(REFUSED)))).isEqualTo(REFUSED);
        assertThat(Await.value(join("key", 1, Future.succeededFuture(SHARED)))).isEqualTo(SHARED);
        assertThat(Await.value(join("key", 2, Future.succeededFuture(SHARED)))).isEqualTo(SHARED);
        assertThat(led).containsExactly(0, 1, 2);
    }

    /** Leaders end on any event loop, at any moment, in any way, while others join. */
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10})
    void noCallerIsLost(long seed) {
        Random random = new Random(seed);
        int callers = 3_000;
        AtomicInteger answered = new AtomicInteger();
        List<Future<?>> told = new ArrayList<>();
        for (int who = 0; who < callers; who++) {
            Promise<InstantOutcome> end = Promise.promise();
            InstantOutcome outcome = random.nextInt(3) == 0 ? SHARED : REFUSED;
            boolean fails = random.nextInt(20) == 0;
            Context where = loops.get(random.nextInt(loops.size()));
            int turns = random.nextInt(4);
            int key = random.nextInt(3);
            told.add(join("key" + key, who, end.future()).onSuccess(ignored -> answered.incrementAndGet()));
            after(turns, where, () -> {
                if (fails) {
                    end.fail(new IllegalStateException("a fault"));
                } else {
                    end.complete(outcome);
                }
            });
        }

        Await.value(Future.all(told));

        assertThat(answered).hasValue(callers);
        assertThat(led).doesNotHaveDuplicates().hasSizeLessThanOrEqualTo(callers);
    }

    private static void after(int turns, Context where, Runnable then) {
        if (turns == 0) {
            then.run();
        } else {
            where.runOnContext(ignored -> after(turns - 1, where, then));
        }
    }
}
