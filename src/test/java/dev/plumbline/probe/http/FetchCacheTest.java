package dev.plumbline.probe.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.budget.MemoryBudget;
import dev.plumbline.budget.MemoryHolder;
import dev.plumbline.check.CheckContext;
import dev.plumbline.check.Deadline;
import dev.plumbline.check.OverloadFailure;
import dev.plumbline.check.RequestBudget;
import dev.plumbline.lab.HttpFixture;
import dev.plumbline.result.CheckError;
import dev.plumbline.result.ErrorCode;
import dev.plumbline.sheet.Options;
import dev.plumbline.support.Await;
import dev.plumbline.support.ModuleDescriptionBuilder;
import dev.plumbline.support.TestCheckContext;
import dev.plumbline.target.Target;
import dev.plumbline.target.TargetParser;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class FetchCacheTest {
    private final AtomicLong now = new AtomicLong();
    private final Vertx vertx = Vertx.vertx();
    private final FetchCache fetches =
            new FetchCache(vertx, now::get, HttpProbe.MAX_CACHED_BYTES, MemoryHolder.unlimited());
    private final Queue<Promise<RedirectTrace>> asked = new ConcurrentLinkedQueue<>();

    @AfterEach
    void close() {
        Await.value(vertx.close());
    }

    @Test
    void sharesARunningFetch() {
        Future<RedirectTrace> first = get(TestCheckContext.create(), "https://a.test/");
        Future<RedirectTrace> second = get(TestCheckContext.create(), "https://a.test/");
        Future<RedirectTrace> other = get(TestCheckContext.create(), "https://a.test/other");
        RedirectTrace trace = journey(10);

        assertThat(asked).hasSize(2);
        asked.remove().complete(trace);

        assertThat(Await.value(first)).isSameAs(trace);
        assertThat(Await.value(second)).isSameAs(trace);
        assertThat(other.isComplete()).isFalse();
    }

    @Test
    void expiresResultsAfterTheTtl() {
        get(TestCheckContext.create(), "https://a.test/");
        asked.remove().complete(journey(10));
        now.addAndGet(FetchCache.TTL.toNanos() - 1);
        assertThat(get(TestCheckContext.create(), "https://a.test/").isComplete())
                .isTrue();
        assertThat(asked).isEmpty();

        now.addAndGet(1);
        get(TestCheckContext.create(), "https://a.test/");

        assertThat(asked).hasSize(1);
    }

    @Test
    void separatesIpVersions() {
        get(TestCheckContext.create(), "https://a.test/");
        get(TestCheckContext.overIp("4"), "https://a.test/");
        get(TestCheckContext.overIp("6"), "https://a.test/");

        assertThat(asked).hasSize(3);
    }

    @Test
    void doesNotWaitForAFetchWithALaterDeadline() {
        get(TestCheckContext.create().withDeadline(30_000), "https://a.test/");
        get(TestCheckContext.create().withDeadline(1_000), "https://a.test/");

        assertThat(asked).hasSize(2);
    }

    @ParameterizedTest
    @EnumSource(
            value = ErrorCode.class,
            names = {"READ_TIMEOUT", "DNS_TIMEOUT", "REQUEST_LIMIT", "RESPONSE_TOO_LARGE", "CONNECTION_RESET"})
    void doesNotShareFailuresOfOneCheck(ErrorCode code) {
        Future<RedirectTrace> first = get(TestCheckContext.create(), "https://a.test/");
        Future<RedirectTrace> second = get(TestCheckContext.create().withDeadline(20_000), "https://a.test/");
        RedirectTrace broken =
                new RedirectTrace(List.of(), url("https://a.test/"), new CheckError(code, "Connection was closed."));

        asked.remove().complete(broken);

        assertThat(Await.value(first)).isSameAs(broken);
        Await.until(() -> asked.size() == 1);
        asked.remove().complete(journey(1));
        assertThat(Await.value(second).error()).isNull();
    }

    /** Its own fetch would fail because of its deadline, as if not the target were the reason. */
    @ParameterizedTest
    @EnumSource(
            value = ErrorCode.class,
            names = {"READ_TIMEOUT", "CONNECT_TIMEOUT"})
    void sharesTimeoutsWithChecksThatHaveLessTimeLeft(ErrorCode code) {
        get(TestCheckContext.create().withDeadline(500), "https://a.test/");
        Future<RedirectTrace> late = get(TestCheckContext.create().withDeadline(520), "https://a.test/");
        Future<RedirectTrace> early = get(TestCheckContext.create().withDeadline(60_000), "https://a.test/");
        RedirectTrace timeout =
                new RedirectTrace(List.of(), url("https://a.test/"), new CheckError(code, "The server sent no data."));

        Await.value(vertx.timer(400, TimeUnit.MILLISECONDS));
        asked.remove().complete(timeout);

        assertThat(Await.value(late)).isSameAs(timeout);
        Await.until(() -> asked.size() == 1);
        asked.remove().complete(journey(1));
        assertThat(Await.value(early).error()).isNull();
    }

    @Test
    void doesNotShareOverload() {
        Future<RedirectTrace> first = get(TestCheckContext.create(), "https://a.test/");
        Future<RedirectTrace> second = get(TestCheckContext.create().withDeadline(20_000), "https://a.test/");

        asked.remove().fail(new OverloadFailure("The memory is exhausted.", Duration.ofSeconds(1)));

        assertThat(first.failed()).isTrue();
        Await.until(() -> asked.size() == 1);
        asked.remove().complete(journey(1));
        assertThat(Await.value(second).error()).isNull();
    }

    @Test
    void sharesPermanentFailures() {
        get(TestCheckContext.create(), "https://a.test/");
        asked.remove()
                .complete(new RedirectTrace(
                        List.of(),
                        url("https://a.test/"),
                        new CheckError(ErrorCode.DNS_NXDOMAIN, "The name does not exist.")));

        assertThat(get(TestCheckContext.create(), "https://a.test/").isComplete())
                .isTrue();
    }

    @Test
    void limitsTheCachedBytes() {
        int size = 512 * 1024;
        int kept = 0;
        for (int i = 0; i < 100; i++) {
            get(TestCheckContext.create(), "https://a.test/" + i);
            asked.remove().complete(journey(size));
        }
        for (int i = 0; i < 100; i++) {
            kept += get(TestCheckContext.create(), "https://a.test/" + i).isComplete() ? 1 : 0;
        }

        assertThat(kept).isBetween(1, HttpProbe.MAX_CACHED_BYTES / size);
    }

    @Test
    void limitsTheNumberOfSmallEntries() {
        int kept = 0;
        for (int i = 0; i < 3_000; i++) {
            get(TestCheckContext.create(), "https://a.test/" + i);
            asked.remove().complete(journey(0));
        }
        for (int i = 0; i < 3_000; i++) {
            kept += get(TestCheckContext.create(), "https://a.test/" + i).isComplete() ? 1 : 0;
        }

        assertThat(kept).isBetween(1, HttpProbe.MAX_CACHED_BYTES / FetchCache.MIN_ENTRY_BYTES);
    }

    @Test
    void reservesTheMemoryOfResultsThatAreKept() throws Exception {
        MemoryBudget budget = new MemoryBudget(vertx, 1 << 20, 1);
        MemoryHolder memory = budget.open("a", 200_000);
        FetchCache limited = new FetchCache(vertx, now::get, 1 << 20, memory);
        for (int i = 0; i < 3; i++) {
            get(limited, TestCheckContext.create(), "https://a.test/" + i);
            asked.remove().complete(journey(80_000));
        }

        assertThat(budget.held()).isEqualTo(2 * (80_000 + FetchCache.MIN_ENTRY_BYTES));
        assertThat(get(limited, TestCheckContext.create(), "https://a.test/1").isComplete())
                .isTrue();
        assertThat(get(limited, TestCheckContext.create(), "https://a.test/2").isComplete())
                .isFalse();

        now.addAndGet(FetchCache.TTL.toNanos());
        get(limited, TestCheckContext.create(), "https://a.test/3");
        asked.forEach(request -> request.tryComplete(journey(1)));
        assertThat(budget.held()).isLessThanOrEqualTo(2 * (1 + FetchCache.MIN_ENTRY_BYTES));
        memory.close();
        assertThat(budget.held()).isZero();
    }

    @Test
    void sendsOneRequestForSeveralChecksOfAPage() {
        try (HttpFixture fixture = HttpFixture.start()) {
            Target.Url page = fixture.url("/ok?shared");

            Await.value(Future.all(
                    fixture.probe().page(TestCheckContext.create(), page),
                    fixture.probe().page(TestCheckContext.create(), page)));
            Await.value(fixture.probe().page(TestCheckContext.create(), page));
            assertThat(fixture.lab().requestsFor("/ok?shared")).hasSize(1);

            Await.value(fixture.probe().page(fresh(), page));
            assertThat(fixture.lab().requestsFor("/ok?shared")).hasSize(2);

            HttpProbe elsewhere = fixture.probe(HttpFixture.policy(List.of("127.0.0.0/8"), List.of("*")));
            Await.value(elsewhere.page(TestCheckContext.create(), page));
            assertThat(fixture.lab().requestsFor("/ok?shared")).hasSize(3);
        }
    }

    private Future<RedirectTrace> get(CheckContext context, String url) {
        return get(fetches, context, url);
    }

    private Future<RedirectTrace> get(FetchCache from, CheckContext context, String url) {
        return from.get(context, HttpRequestSpec.get(url(url), 100), 10, () -> {
            Promise<RedirectTrace> promise = Promise.promise();
            asked.add(promise);
            return promise.future();
        });
    }

    private static CheckContext fresh() {
        return new Fresh(TestCheckContext.create());
    }

    private record Fresh(CheckContext any) implements CheckContext {
        @Override
        public boolean fresh() {
            return true;
        }

        @Override
        public Options options() {
            return any.options();
        }

        @Override
        public Deadline deadline() {
            return any.deadline();
        }

        @Override
        public Clock clock() {
            return any.clock();
        }

        @Override
        public RequestBudget budget() {
            return any.budget();
        }

        @Override
        public <P> P probe(Class<P> type) {
            return any.probe(type);
        }
    }

    private static RedirectTrace journey(int bytes) {
        HttpExchange page = new HttpExchange(
                url("https://a.test/"),
                HttpRequestSpec.Method.GET,
                200,
                "",
                "1.1",
                null,
                ResponseHeaders.NONE,
                new HttpBody(new byte[bytes], false),
                "192.0.2.1",
                new HttpTimings(0, 0, null, 0, 0, 0),
                null);
        return new RedirectTrace(List.of(page), page.url(), null);
    }

    private static Target.Url url(String text) {
        try {
            return (Target.Url) TargetParser.parse(
                    ModuleDescriptionBuilder.of("any", "Any", dev.plumbline.target.InputType.URL)
                            .build(),
                    text);
        } catch (dev.plumbline.target.InvalidTargetException invalid) {
            throw new AssertionError(invalid);
        }
    }
}
