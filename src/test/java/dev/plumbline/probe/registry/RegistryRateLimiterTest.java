package dev.plumbline.probe.registry;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.check.CheckContext;
import dev.plumbline.check.CheckFailure;
import dev.plumbline.check.OverloadFailure;
import dev.plumbline.concurrent.Scheduler;
import dev.plumbline.config.Config;
import dev.plumbline.egress.RateLimiterFactory;
import dev.plumbline.result.ErrorCode;
import dev.plumbline.result.LimiterKind;
import dev.plumbline.support.Await;
import dev.plumbline.support.TestCheckContext;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import java.util.function.LongSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class RegistryRateLimiterTest {
    private Vertx vertx;
    private RegistryRateLimiter rateLimiter;

    @BeforeEach
    void start() {
        vertx = Vertx.vertx();
        rateLimiter = limiter(System::nanoTime);
    }

    private RegistryRateLimiter limiter(LongSupplier nanoClock) {
        return new RegistryRateLimiter(
                RateLimiterFactory.local(nanoClock, Scheduler.of(vertx)),
                LimiterKind.WHOIS_SERVER,
                new Config.OutboundLimit(0, 1),
                nanoClock);
    }

    @AfterEach
    void stop() {
        Await.value(vertx.close());
    }

    @Test
    void runsQueriesToOneServerInSequence() {
        Promise<String> first = Promise.promise();
        AtomicInteger queries = new AtomicInteger();
        Future<String> one = rateLimiter.run(TestCheckContext.create(), "a", share -> first.future());
        Future<String> other = rateLimiter.run(TestCheckContext.create(), "a", share -> {
            queries.incrementAndGet();
            return Future.succeededFuture("second");
        });
        assertThat(respond(rateLimiter, "b", 1))
                .as("each server has its own rate limit")
                .isEqualTo(1);
        assertThat(queries).hasValue(0);

        first.complete("first");

        assertThat(Await.value(one)).isEqualTo("first");
        assertThat(Await.value(other)).isEqualTo("second");
    }

    @Test
    void failsWithOverloadIfThePermitComesTooLate() {
        Promise<String> never = Promise.promise();
        Future<String> first = rateLimiter.run(TestCheckContext.create(), "a", share -> never.future());

        Throwable refused = Await.failure(rateLimiter.run(
                TestCheckContext.create().withDeadline(100), "a", share -> Future.succeededFuture("late")));

        assertThat(refused).isInstanceOf(OverloadFailure.class);
        assertThat(first.isComplete()).isFalse();
    }

    @Test
    void releasesThePermitIfTheQueryThrows() {
        Await.failure(rateLimiter.run(TestCheckContext.create(), "a", share -> {
            throw new IllegalStateException("broken");
        }));

        assertThat(respond(rateLimiter, "a", 1)).isEqualTo(1);
    }

    @Test
    void limitsTheDurationOfAQuery() {
        Long left = Await.value(rateLimiter.run(
                TestCheckContext.create().withDeadline(60_000),
                "a",
                share -> Future.succeededFuture(share.deadline().remainingMillis())));

        assertThat(left).isLessThanOrEqualTo(RegistryRateLimiter.MAX_QUERY_MILLIS);
    }

    @Test
    void givesInstantChecksPriority() {
        Promise<String> first = Promise.promise();
        List<String> order = new CopyOnWriteArrayList<>();
        Future<String> inside = rateLimiter.run(TestCheckContext.create(), "a", share -> first.future());
        Future<Boolean> line = rateLimiter.run(
                TestCheckContext.create().account(1), "a", share -> Future.succeededFuture(order.add("line")));
        Future<Boolean> instant =
                rateLimiter.run(TestCheckContext.create(), "a", share -> Future.succeededFuture(order.add("instant")));

        first.complete("done");

        Await.value(Future.all(inside, line, instant));
        assertThat(order).containsExactly("instant", "line");
    }

    @Test
    void backsOffAfterRepeatedTimeouts() {
        AtomicLong clock = new AtomicLong();
        AtomicInteger queries = new AtomicInteger();
        RegistryRateLimiter timed = limiter(clock::get);
        Function<CheckContext, Future<String>> silent = share -> {
            queries.incrementAndGet();
            clock.addAndGet(TimeUnit.MILLISECONDS.toNanos(RegistryRateLimiter.MAX_QUERY_MILLIS));
            return Future.failedFuture(new CheckFailure(ErrorCode.READ_TIMEOUT, "No response."));
        };
        for (int i = 0; i < 5; i++) {
            Await.failure(timed.run(TestCheckContext.create(), "a", silent));
        }
        assertThat(queries).hasValue(RegistryRateLimiter.MAX_TIMEOUTS);
        Throwable alone = Await.failure(timed.run(TestCheckContext.create(), "a", silent));
        assertThat(alone).isInstanceOf(CheckFailure.class).hasMessageContaining("Queries to it are paused");
        assertThat(respond(timed, "b", "well")).isEqualTo("well");

        clock.addAndGet(TimeUnit.MILLISECONDS.toNanos(RegistryRateLimiter.BACKOFF_MILLIS));

        assertThat(respond(timed, "a", "well")).isEqualTo("well");
        Await.failure(timed.run(TestCheckContext.create(), "a", silent));
        assertThat(respond(timed, "a", "well"))
                .as("a timeout after a response is the first in a row")
                .isEqualTo("well");
    }

    @Test
    void ignoresTimeoutsOfChecksWithLittleTime() {
        Function<CheckContext, Future<String>> timeout =
                share -> Future.failedFuture(new CheckFailure(ErrorCode.READ_TIMEOUT, "No response."));
        for (int i = 0; i < 5; i++) {
            Await.failure(rateLimiter.run(TestCheckContext.create(), "a", timeout));
        }

        assertThat(respond(rateLimiter, "a", "well")).isEqualTo("well");
    }

    @Test
    void aTimeoutAfterAWaitForAPermitIsNotAnErrorOfTheServer() {
        Function<CheckContext, Future<String>> timeout =
                share -> Future.failedFuture(new CheckFailure(ErrorCode.READ_TIMEOUT, "No response."));
        Promise<String> first = Promise.promise();
        Future<String> inside = rateLimiter.run(TestCheckContext.create(), "a", share -> first.future());
        Future<String> shortened = rateLimiter.run(TestCheckContext.create().withDeadline(1_500), "a", timeout);
        Future<String> patient = rateLimiter.run(TestCheckContext.create().withDeadline(60_000), "a", timeout);

        first.complete("done");

        Await.value(inside);
        assertThat(code(shortened)).isEqualTo(ErrorCode.DEADLINE_EXCEEDED);
        assertThat(code(patient)).isEqualTo(ErrorCode.REGISTRY_UNAVAILABLE);
        assertThat(code(rateLimiter.run(TestCheckContext.create().withDeadline(1_500), "a", timeout)))
                .as("without a wait")
                .isEqualTo(ErrorCode.REGISTRY_UNAVAILABLE);
    }

    private static ErrorCode code(Future<String> query) {
        return ((CheckFailure) Await.failure(query)).error().code();
    }

    private static <T> T respond(RegistryRateLimiter rateLimiter, String server, T value) {
        Future<T> queries = rateLimiter.run(TestCheckContext.create(), server, share -> Future.succeededFuture(value));
        return Await.value(queries);
    }
}
