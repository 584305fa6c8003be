package dev.plumbline.egress;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.check.OverloadFailure;
import dev.plumbline.check.RequestBudget;
import dev.plumbline.config.Config;
import dev.plumbline.result.LimitWait;
import dev.plumbline.result.LimiterKind;
import dev.plumbline.result.TargetLimit;
import dev.plumbline.support.Await;
import dev.plumbline.support.FakeTime;
import dev.plumbline.support.TestCheckContext;
import io.vertx.core.Future;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class CheckRateLimiterTest {
    private static final TargetLimit RATE =
            new TargetLimit("a.test", "3 connections per second", "targets.per_domain_per_second", 3);
    private static final TargetLimit CONCURRENCY =
            new TargetLimit("a.test", "1 concurrent connection", "targets.per_domain_concurrent", 0);

    private final FakeTime time = new FakeTime();
    private final TestCheckContext context = TestCheckContext.create();

    private CheckRateLimiter<String> limiter(int perSecond, int concurrent) {
        return new CheckRateLimiter<>(
                RateLimiterFactory.local(time::nanos, time),
                LimiterKind.DOMAIN,
                new Config.OutboundLimit(perSecond, concurrent),
                Function.identity(),
                Function.identity());
    }

    private Future<Runnable> acquire(CheckRateLimiter<String> limiter, long maxWaitMillis) {
        return limiter.acquire(context, "a.test", maxWaitMillis, context.deadline());
    }

    private LimitWait waited() {
        return context.budget().limitWaits().total(Long.MAX_VALUE);
    }

    @Test
    void aPermitThatIsAvailableAtOnceIsNotAWait() {
        assertThat(acquire(limiter(3, 1), 1_000).succeeded()).isTrue();

        assertThat(waited()).isEqualTo(LimitWait.NONE);
    }

    @Test
    void theLimitOfAWaitIsNamed() {
        CheckRateLimiter<String> limiter = limiter(3, 1);
        Future<Runnable> first = acquire(limiter, 1_000);
        Future<Runnable> second = acquire(limiter, 1_000);
        assertThat(second.isComplete()).isFalse();

        first.result().run();

        assertThat(second.succeeded()).isTrue();
        assertThat(waited().limit()).isEqualTo(CONCURRENCY);
    }

    @Test
    void theLimitThatRejectsIsNamed() {
        CheckRateLimiter<String> rate = limiter(3, 0);
        for (int i = 0; i < 3; i++) {
            assertThat(acquire(rate, 0).succeeded()).isTrue();
        }
        CheckRateLimiter<String> concurrency = limiter(3, 1);
        assertThat(acquire(concurrency, 0).succeeded()).isTrue();
        Future<Runnable> waiting = acquire(concurrency, 2_000);
        time.advance(3_000);

        assertThat(acquire(rate, 0).succeeded()).isTrue();
        assertThat(acquire(rate, 0).succeeded()).isTrue();
        assertThat(acquire(rate, 0).succeeded()).isTrue();
        assertThat(acquire(rate, 0).cause())
                .isInstanceOfSatisfying(OverloadFailure.class, overload -> assertThat(overload.limit())
                        .isEqualTo(RATE))
                .hasMessage("The limit of 3 connections per second to a.test would delay the check too long.");
        assertThat(waiting.cause())
                .isInstanceOfSatisfying(OverloadFailure.class, overload -> assertThat(overload.limit())
                        .isEqualTo(CONCURRENCY));
    }

    @Test
    void concurrentWaitsCountOnce() {
        RequestBudget part = new RequestBudget(RequestBudget.MAX, context.budget());
        CheckRateLimiter<String> limiter = limiter(0, 1);
        Future<Runnable> held = acquire(limiter, 60_000);
        long start = System.nanoTime();
        Future<Runnable> first = acquire(limiter, 60_000);
        Future<Runnable> second = limiter.acquire(context.withBudget(part), "a.test", 60_000, context.deadline());
        Await.until(() -> System.nanoTime() - start > TimeUnit.MILLISECONDS.toNanos(50));
        LimitWait inProgress = waited();

        held.result().run();
        first.result().run();
        second.result().run();
        long elapsedMs = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start);

        assertThat(inProgress.millis()).isGreaterThanOrEqualTo(50);
        assertThat(waited().millis()).isBetween(inProgress.millis(), elapsedMs);
        assertThat(part.limitWaits().total(Long.MAX_VALUE).millis()).isBetween(1L, waited().millis());
        assertThat(context.budget().limitWaits().total(20).millis())
                .as("at most the duration of the check")
                .isEqualTo(20);
    }

    @ParameterizedTest
    @CsvSource({"192.0.2.7, 192.0.2.0/24", "255.255.255.255, 255.255.255.0/24", "2001:db8:1:2::3, 2001:db8:1::/48"})
    void networksAreNamedInCidrNotation(String address, String cidr) throws UnknownHostException {
        assertThat(TargetRateLimits.cidr(TargetRateLimits.network(InetAddress.getByName(address))))
                .isEqualTo(cidr);
    }
}
