package dev.plumbline.concurrent;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.support.Await;
import io.vertx.core.AsyncResult;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.internal.VertxInternal;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongPredicate;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class SingleFlightTest {
    private static final String REJECTED = "rejected";
    private static final String OTHER_REJECTED = "rejected: other reason";
    private static final String SHARED = "shared";

    private final VertxInternal vertx = (VertxInternal) Vertx.vertx();
    private final SingleFlight<String, String> singleFlight = new SingleFlight<>(vertx, SingleFlightTest::isShareable);
    private final List<Integer> executed = Collections.synchronizedList(new ArrayList<>());
    private final List<Context> loops =
            List.of(vertx.createEventLoopContext(), vertx.createEventLoopContext(), vertx.createEventLoopContext());

    @AfterEach
    void close() {
        Await.value(vertx.close());
    }

    private static boolean isShareable(AsyncResult<String> outcome) {
        return outcome.failed() || !outcome.result().startsWith(REJECTED);
    }

    private Future<String> run(SingleFlight.Limits limits, Future<String> end, int caller) {
        return singleFlight.run("key", limits, () -> {
            executed.add(caller);
            return end;
        });
    }

    /** Calls {@link SingleFlight#run} on one of the event loops. */
    private Future<String> join(String key, int caller, Future<String> end) {
        Promise<String> outcome = Promise.promise();
        loops.get(caller % loops.size()).runOnContext(ignored -> singleFlight
                .run(key, () -> {
                    executed.add(caller);
                    return end;
                })
                .onComplete(outcome));
        return outcome.future();
    }

    /** Waits until all event loops have executed their pending tasks. */
    private void settle() {
        for (int round = 0; round < 3; round++) {
            for (Context loop : loops) {
                Promise<Void> done = Promise.promise();
                loop.runOnContext(ignored -> done.complete());
                Await.value(done.future());
            }
        }
    }

    @Test
    void concurrentCallersShareOneExecution() {
        Promise<String> end = Promise.promise();
        Future<String> first = join("key", 0, end.future());
        settle();
        Future<String> second = join("key", 1, Future.succeededFuture(REJECTED));
        Future<String> other = join("another key", 2, Future.succeededFuture(SHARED));
        settle();

        assertThat(Await.value(other)).isEqualTo(SHARED);
        assertThat(first.isComplete()).isFalse();
        end.complete(SHARED);
        assertThat(Await.value(first)).isEqualTo(SHARED);
        assertThat(Await.value(second)).isEqualTo(SHARED);
        assertThat(executed).containsExactly(0, 2);
    }

    @Test
    void theNextCallerExecutesIfTheOutcomeIsNotShareable() {
        List<Promise<String>> ends = new ArrayList<>();
        List<Future<String>> futures = new ArrayList<>();
        for (int caller = 0; caller < 4; caller++) {
            ends.add(Promise.promise());
            futures.add(join("key", caller, ends.get(caller).future()));
            settle();
        }

        ends.get(0).complete(REJECTED);
        settle();
        ends.get(1).complete(OTHER_REJECTED);
        settle();
        assertThat(futures.get(2).isComplete()).isFalse();
        ends.get(2).complete(SHARED);

        assertThat(futures).extracting(Await::value).containsExactly(REJECTED, OTHER_REJECTED, SHARED, SHARED);
        assertThat(executed).containsExactly(0, 1, 2);
    }

    @Test
    void callersForTheSameClientShareAnOutcomeThatOthersDoNot() {
        SingleFlight<String, String> flight =
                new SingleFlight<>(vertx, SingleFlightTest::isShareable, REJECTED::equals);
        Promise<String> end = Promise.promise();
        List<Future<String>> ofFirst = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            ofFirst.add(flight.run("key", "first", end::future));
        }
        Future<String> ofOther = flight.run("key", "other", () -> Future.succeededFuture(SHARED));

        end.complete(REJECTED);

        assertThat(ofFirst).extracting(Await::value).containsOnly(REJECTED);
        assertThat(Await.value(ofOther)).isEqualTo(SHARED);
    }

    @Test
    void aFailureIsShared() {
        Promise<String> end = Promise.promise();
        List<Future<String>> futures = new ArrayList<>();
        for (int caller = 0; caller < 3; caller++) {
            futures.add(join("key", caller, end.future()));
            settle();
        }

        end.fail(new IllegalStateException("failure"));

        assertThat(futures).extracting(Await::failure).hasOnlyElementsOfType(IllegalStateException.class);
        assertThat(executed).containsExactly(0);
    }

    @Test
    void aCallerWaitsUntilItsDeadlineOnly() {
        SingleFlight.Limits limits = new SingleFlight.Limits(50, 0, end -> true);
        Promise<String> end = Promise.promise();
        Future<String> first = join("key", 0, end.future());
        settle();

        assertThat(Await.failure(run(limits, end.future(), 1))).isInstanceOf(TimeoutException.class);

        end.complete(REJECTED);
        assertThat(Await.value(first)).isEqualTo(REJECTED);
        settle();
        assertThat(executed).as("a caller after its deadline is not executed").containsExactly(0);
    }

    @Test
    void callersJoinOnlyExecutionsThatEndInTime() {
        LongPredicate joins = end -> end <= 10;
        Promise<String> late = Promise.promise();
        Promise<String> early = Promise.promise();
        Future<String> first = run(new SingleFlight.Limits(5_000, 20, joins), late.future(), 0);
        Future<String> second = run(new SingleFlight.Limits(5_000, 10, joins), early.future(), 1);
        Future<String> third = run(new SingleFlight.Limits(5_000, 10, joins), early.future(), 2);
        assertThat(executed).containsExactly(0, 1);

        late.complete(REJECTED);
        assertThat(Await.value(first)).isEqualTo(REJECTED);
        assertThat(second.isComplete()).isFalse();
        early.complete(SHARED);

        assertThat(List.of(second, third)).extracting(Await::value).containsOnly(SHARED);
        assertThat(executed).containsExactly(0, 1);
    }

    @Test
    void callersThatCannotJoinTheNextExecutionAreExecutedSeparately() {
        Promise<String> first = Promise.promise();
        Promise<String> second = Promise.promise();
        run(new SingleFlight.Limits(5_000, 10, end -> true), first.future(), 0);
        Future<String> slow = run(new SingleFlight.Limits(5_000, 20, end -> true), second.future(), 1);
        Future<String> fast =
                run(new SingleFlight.Limits(5_000, 10, end -> end <= 10), Future.succeededFuture(SHARED), 2);

        first.complete(REJECTED);

        assertThat(Await.value(fast)).isEqualTo(SHARED);
        second.complete(OTHER_REJECTED);
        assertThat(Await.value(slow)).isEqualTo(OTHER_REJECTED);
    }

    static Stream<Supplier<Future<String>>> operationsWithoutAFuture() {
        return Stream.of(
                () -> {
                    throw new IllegalStateException("exception");
                },
                () -> {
                    throw new StackOverflowError("error");
                },
                () -> null);
    }

    @ParameterizedTest
    @MethodSource("operationsWithoutAFuture")
    void anOperationWithoutAFutureLeavesNoKeyInPlace(Supplier<Future<String>> operation) {
        assertThat(singleFlight.run("key", operation).failed()).isTrue();
        assertThat(Await.value(join("key", 1, Future.succeededFuture(SHARED)))).isEqualTo(SHARED);
    }

    @Test
    void aCallAfterCompletionExecutesAgain() {
        assertThat(Await.value(join("key", 0, Future.succeededFuture(REJECTED))))
                .isEqualTo(REJECTED);
        assertThat(Await.value(join("key", 1, Future.succeededFuture(SHARED)))).isEqualTo(SHARED);
        assertThat(Await.value(join("key", 2, Future.succeededFuture(SHARED)))).isEqualTo(SHARED);
        assertThat(executed).containsExactly(0, 1, 2);
    }

    /** Executions complete on random event loops, with success or failure, while other callers join. */
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10})
    void everyCallerReceivesAnOutcome(long seed) {
        Random random = new Random(seed);
        int callers = 3_000;
        AtomicInteger completed = new AtomicInteger();
        List<Future<?>> futures = new ArrayList<>();
        for (int caller = 0; caller < callers; caller++) {
            Promise<String> end = Promise.promise();
            String outcome = random.nextInt(3) == 0 ? SHARED : REJECTED;
            boolean fails = random.nextInt(20) == 0;
            Context where = loops.get(random.nextInt(loops.size()));
            int hops = random.nextInt(4);
            int key = random.nextInt(3);
            futures.add(join("key" + key, caller, end.future())
                    .otherwise("failed")
                    .onSuccess(ignored -> completed.incrementAndGet()));
            after(hops, where, () -> {
                if (fails) {
                    end.fail(new IllegalStateException("failure"));
                } else {
                    end.complete(outcome);
                }
            });
        }

        Await.value(Future.all(futures));

        assertThat(completed).hasValue(callers);
        assertThat(executed).doesNotHaveDuplicates().hasSizeLessThanOrEqualTo(callers);
    }

    private static void after(int hops, Context where, Runnable then) {
        if (hops == 0) {
            then.run();
        } else {
            where.runOnContext(ignored -> after(hops - 1, where, then));
        }
    }
}
