package dev.plumbline.probe.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.budget.MemoryBudget;
import dev.plumbline.budget.MemoryHolder;
import dev.plumbline.check.CheckFailure;
import dev.plumbline.check.RequestBudget;
import dev.plumbline.lab.HttpFixture;
import dev.plumbline.result.ErrorCode;
import dev.plumbline.support.Await;
import dev.plumbline.support.TestCheckContext;
import dev.plumbline.target.Target;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The parts of a composite check share equal exchanges. */
class SharedExchangesTest {
    @RegisterExtension
    static final HttpFixture FIXTURE = HttpFixture.start();

    private final Vertx vertx = Vertx.vertx();
    private final MemoryBudget budget = new MemoryBudget(vertx, 8 << 20, 1);
    private final MemoryHolder memory = budget.open("a", 4 << 20);
    private final RequestBudget requests = new RequestBudget(200);

    @AfterEach
    void close() {
        Await.value(vertx.close());
    }

    /** The context of a new part of the composite check. */
    private TestCheckContext part() {
        return TestCheckContext.create()
                .withBudget(new RequestBudget(RequestBudget.MAX, requests))
                .withMemory(memory.part());
    }

    private static Target.Url url(String path) {
        return FIXTURE.url(path);
    }

    private static int requestsFor(String path) {
        return FIXTURE.lab().requestsFor(path).size();
    }

    @Test
    void sendsEqualRequestsOfSeveralPartsOnce() {
        HttpProbe probe = FIXTURE.probe();
        HttpRequestSpec request = HttpRequestSpec.get(url("/ok?parts"), 100);
        TestCheckContext second = part();

        Future<HttpExchange> first = probe.exchange(part(), request);
        Future<HttpExchange> concurrent = probe.exchange(second, request);
        HttpExchange exchange = Await.value(first);

        assertThat(Await.value(concurrent)).isSameAs(exchange);
        assertThat(Await.value(probe.exchange(part(), request))).isSameAs(exchange);
        assertThat(requestsFor("/ok?parts")).isEqualTo(1);
        assertThat(second.budget().used()).isFalse();
    }

    @Test
    void separatesDifferentRequestsAndRepetitions() {
        HttpProbe probe = FIXTURE.probe();
        HttpRequestSpec request = HttpRequestSpec.get(url("/ok?different"), 100);

        Await.value(probe.exchange(part(), request));
        Await.value(probe.exchange(part(), request.with("accept", "text/plain")));
        Await.value(probe.exchange(part().overIpVersion("4"), request));
        Await.value(probe.exchange(part(), HttpRequestSpec.get(url("/ok?different"), 50)));
        assertThat(requestsFor("/ok?different")).isEqualTo(4);

        Await.value(probe.send(part(), request));
        assertThat(requestsFor("/ok?different")).isEqualTo(5);
    }

    /** Only parts of the same composite share exchanges. */
    @Test
    void doesNotShareTheExchangesOfOtherChecks() {
        HttpProbe probe = FIXTURE.probe();
        HttpRequestSpec request = HttpRequestSpec.get(url("/ok?checks"), 100);

        Await.value(probe.exchange(part(), request));
        Await.value(probe.exchange(
                TestCheckContext.create().withBudget(new RequestBudget(25, new RequestBudget(200))), request));
        Await.value(probe.exchange(TestCheckContext.create(), request));
        Await.value(probe.exchange(TestCheckContext.create(), request));

        assertThat(requestsFor("/ok?checks")).isEqualTo(4);
    }

    /** Without a body, nothing is read of a redirect either. */
    @Test
    void sharesTheHeadOfARedirect() {
        HttpProbe probe = FIXTURE.probe();
        HttpRequestSpec request = HttpRequestSpec.get(url("/redirect/chain/1?shared"), 0);

        HttpExchange exchange = Await.value(probe.exchange(part(), request));
        RedirectTrace trace = Await.value(probe.follow(part(), request, 3));

        assertThat(trace.hops().get(0)).isSameAs(exchange);
        assertThat(requestsFor("/redirect/chain/1?shared")).isEqualTo(1);
    }

    @Test
    void doesNotShareATimeoutOfOnePart() {
        HttpProbe probe = FIXTURE.probe();
        HttpRequestSpec request = HttpRequestSpec.get(url("/drip/body?deadline"), 100);
        TestCheckContext early = part().withDeadline(500).withBudget(new RequestBudget(25, requests));
        TestCheckContext late = part().withDeadline(1_500).withBudget(new RequestBudget(25, requests));

        Future<HttpExchange> first = probe.exchange(early, request);
        Future<HttpExchange> second = probe.exchange(late, request);

        assertThat(Await.value(first).bodyError().code()).isEqualTo(ErrorCode.READ_TIMEOUT);
        assertThat(early.budget().timedOut()).isTrue();
        assertThat(second.isComplete()).isFalse();
        Await.value(second);
        assertThat(requestsFor("/drip/body?deadline")).isEqualTo(2);
    }

    @Test
    void sharesAPermanentFailure() {
        HttpProbe probe = FIXTURE.probe(HttpFixture.policy(List.of(), List.of("*")));
        HttpRequestSpec request = HttpRequestSpec.get(url("/ok?blocked"), 100);

        Throwable first = Await.failure(probe.exchange(part(), request));
        Throwable second = Await.failure(probe.exchange(part(), request));

        assertThat(((CheckFailure) second).error()).isEqualTo(((CheckFailure) first).error());
        assertThat(((CheckFailure) second).error().code()).isEqualTo(ErrorCode.TARGET_BLOCKED);
    }

    @Test
    void countsTheMemoryOfTheBodyForEachPartAndForTheComposite() {
        HttpProbe probe = FIXTURE.probe();
        HttpRequestSpec request = HttpRequestSpec.get(url("/big?memory"), 100_000);
        TestCheckContext first = part();
        TestCheckContext second = part();

        Await.value(probe.exchange(first, request));
        first.memory().close();
        assertThat(budget.held()).as("kept for other parts").isBetween(100_000L, 130_000L);

        Await.value(probe.exchange(second, request));
        assertThat(budget.held()).isBetween(200_000L, 240_000L);
        second.memory().close();
        memory.close();
        assertThat(budget.held()).isZero();
        assertThat(requestsFor("/big?memory")).isEqualTo(1);
    }

    @Test
    void doesNotKeepExchangesOverTheLimit() {
        HttpProbe probe = FIXTURE.probe();
        TestCheckContext first = part();
        HttpRequestSpec request = HttpRequestSpec.get(url("/big?limit"), 3 << 20);

        for (int i = 0; i < 2; i++) {
            TestCheckContext next = part();
            Await.value(probe.exchange(next, request));
            next.memory().close();
        }

        assertThat(budget.held()).isLessThan(HttpProbe.MAX_COMPOSITE_BYTES);
        first.memory().close();
        memory.close();
        assertThat(budget.held()).isZero();
    }
}
