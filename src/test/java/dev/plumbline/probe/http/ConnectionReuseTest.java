package dev.plumbline.probe.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.budget.MemoryBudget;
import dev.plumbline.budget.MemoryHolder;
import dev.plumbline.check.CheckFailure;
import dev.plumbline.check.OverloadFailure;
import dev.plumbline.check.RequestBudget;
import dev.plumbline.config.Config;
import dev.plumbline.lab.HttpFixture;
import dev.plumbline.lab.TestCa;
import dev.plumbline.result.ErrorCode;
import dev.plumbline.support.Await;
import dev.plumbline.support.TestCheckContext;
import dev.plumbline.target.Target;
import dev.plumbline.target.TargetPolicy;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpConnection;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.net.PemKeyCertOptions;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The parts of a composite check use HTTP/2 connections in turn. */
class ConnectionReuseTest {
    @RegisterExtension
    static final HttpFixture FIXTURE = HttpFixture.start();

    private static final Context LOOP = FIXTURE.vertx().getOrCreateContext();
    private static final TargetPolicy OPEN = HttpFixture.policy(List.of("127.0.0.0/8"), List.of("*"));

    private final Vertx vertx = Vertx.vertx();
    private final MemoryBudget budget = new MemoryBudget(vertx, 8 << 20, 1);
    private final MemoryHolder memory = budget.open("a", 4 << 20);
    private final RequestBudget requests = new RequestBudget(200);

    /** The number of requests of each connection. */
    private final Map<HttpConnection, AtomicInteger> connections = new ConcurrentHashMap<>();

    private final Set<HttpConnection> open = ConcurrentHashMap.newKeySet();
    private final Queue<HttpServerRequest> waiting = new ConcurrentLinkedQueue<>();
    private HttpServer server;

    @BeforeEach
    void start() {
        TestCa.Identity identity = FIXTURE.identity();
        server = Await.value(vertx.createHttpServer(new HttpServerOptions()
                        .setSsl(true)
                        .setUseAlpn(true)
                        .setKeyCertOptions(new PemKeyCertOptions()
                                .addCertValue(Buffer.buffer(identity.pem()))
                                .addKeyValue(Buffer.buffer(identity.keyPem()))))
                .connectionHandler(connection -> {
                    open.add(connection);
                    connection.closeHandler(closed -> open.remove(connection));
                })
                .requestHandler(this::respond)
                .listen(0, "127.0.0.1"));
    }

    @AfterEach
    void close() {
        Await.value(vertx.close());
    }

    private void respond(HttpServerRequest request) {
        int number = connections
                .computeIfAbsent(request.connection(), first -> new AtomicInteger())
                .incrementAndGet();
        switch (request.path()) {
            case "/large" -> request.response().end(Buffer.buffer(new byte[300_000]));
            case "/once" -> {
                if (number > 1) {
                    request.connection().close();
                } else {
                    request.response().end("first");
                }
            }
            case "/rejected" -> {
                if (number > 1) {
                    request.connection().goAway(0, 1);
                } else {
                    request.response().end("accepted");
                }
            }
            case "/half" -> {
                if (number > 1) {
                    request.response().putHeader("content-length", "10").write("half");
                    request.response().reset();
                } else {
                    request.response().end("0123456789");
                }
            }
            case "/wait" -> waiting.add(request);
            case "/flood" -> {
                request.response().end("flood");
                for (int i = 0; i < 10_000; i++) {
                    request.connection().ping(Buffer.buffer(8).appendLong(i));
                }
            }
            case "/broken" -> request.connection().close();
            case "/leave" -> {
                request.response().end("last");
                request.connection().goAway(0);
            }
            default -> request.response().end(request.path());
        }
    }

    /** The context of a new part of the composite check. */
    private TestCheckContext part() {
        return TestCheckContext.create()
                .withBudget(new RequestBudget(RequestBudget.MAX, requests))
                .withMemory(memory.part());
    }

    private HttpRequestSpec get(String path) {
        return HttpRequestSpec.get(url(path), 1_000);
    }

    private Target.Url url(String path) {
        return FIXTURE.url("https://lab.test:" + server.actualPort() + path);
    }

    /** Runs on one event loop, as the parts of a composite check. */
    private static <T> Future<T> onLoop(Supplier<Future<T>> work) {
        Promise<T> outcome = Promise.promise();
        LOOP.runOnContext(loop -> work.get().onComplete(outcome));
        return outcome.future();
    }

    private static HttpExchange exchange(HttpProbe probe, TestCheckContext context, HttpRequestSpec request) {
        return Await.value(onLoop(() -> probe.exchange(context, request)));
    }

    @Test
    void sendsRequestsInTurnOverOneConnection() {
        HttpProbe probe = FIXTURE.probe(OPEN);

        HttpExchange first = exchange(probe, part(), get("/a"));
        HttpExchange second = exchange(probe, part(), get("/b"));
        HttpExchange head = exchange(probe, part(), HttpRequestSpec.head(url("/c")));

        assertThat(second.body().text(null)).isEqualTo("/b");
        assertThat(head.status()).isEqualTo(200);
        assertThat(second.alpn()).isEqualTo("h2");
        assertThat(connections).hasSize(1);
        assertThat(second.timings().connectMs()).isEqualTo(first.timings().connectMs());
        assertThat(second.timings().tlsMs()).isEqualTo(first.timings().tlsMs());
        assertThat(second.timings().totalMs())
                .isGreaterThan(first.timings().connectMs() + first.timings().tlsMs());
    }

    /** The rest of a response that is not read does not belong to the next one. */
    @Test
    void reusesAConnectionAfterAnIncompleteBody() {
        HttpProbe probe = FIXTURE.probe(OPEN);

        assertThat(exchange(probe, part(), HttpRequestSpec.get(url("/large"), 0))
                        .status())
                .isEqualTo(200);
        assertThat(exchange(probe, part(), get("/large")).body().size()).isEqualTo(1_000);
        assertThat(exchange(probe, part(), get("/next")).body().text(null)).isEqualTo("/next");
        assertThat(exchange(probe, part(), HttpRequestSpec.get(url("/large"), 1 << 20))
                        .body()
                        .size())
                .isEqualTo(300_000);
        assertThat(connections).hasSize(1);
    }

    @Test
    void opensAConnectionForConcurrentAndDifferentRequests() {
        HttpProbe probe = FIXTURE.probe(OPEN);

        Future<HttpExchange> first = onLoop(() -> probe.exchange(part(), get("/a")));
        Future<HttpExchange> concurrent = onLoop(() -> probe.exchange(part(), get("/b")));
        Await.value(Future.all(first, concurrent));
        assertThat(connections).hasSize(2);

        exchange(probe, part(), get("/c").verifyingTls(false));
        exchange(probe, part(), get("/c").offering(HttpRequestSpec.Alpn.HTTP1));
        assertThat(connections).hasSize(4);
        Await.value(onLoop(() -> probe.send(part(), get("/c"))));
        assertThat(connections).hasSize(5);
    }

    @Test
    void doesNotUseConnectionsOfOtherChecks() {
        HttpProbe probe = FIXTURE.probe(OPEN);

        exchange(probe, part(), get("/a"));
        exchange(probe, TestCheckContext.create(), get("/b"));
        exchange(probe, TestCheckContext.create().withBudget(new RequestBudget(25, new RequestBudget(200))), get("/c"));

        assertThat(connections).hasSize(3);
    }

    /** So the result cannot depend on the reuse. */
    @Test
    void repeatsAFailedRequestOverANewConnection() {
        HttpProbe probe = FIXTURE.probe(OPEN);
        exchange(probe, part(), get("/a"));

        assertThat(exchange(probe, part(), get("/once")).body().text(null)).isEqualTo("first");
        assertThat(connections).hasSize(2);

        HttpExchange complete = exchange(probe, part(), get("/half"));
        assertThat(complete.bodyError()).isNull();
        assertThat(complete.body().text(null)).isEqualTo("0123456789");
        assertThat(connections).hasSize(3);

        assertThat(exchange(probe, part(), get("/rejected")).body().text(null)).isEqualTo("accepted");
        assertThat(connections).hasSize(4);

        TestCheckContext last = part();
        CheckFailure failure = (CheckFailure) Await.failure(onLoop(() -> probe.exchange(last, get("/broken"))));
        assertThat(failure.error().code()).isIn(ErrorCode.CONNECTION_RESET, ErrorCode.HTTP_PROTOCOL_ERROR);
        assertThat(connections.values()).extracting(AtomicInteger::get).contains(1);
        assertThat(connections).hasSize(5);
    }

    @Test
    void doesNotUseAConnectionThatTheServerCloses() {
        HttpProbe probe = FIXTURE.probe(OPEN);

        exchange(probe, part(), get("/leave"));
        assertThat(exchange(probe, part(), get("/a")).body().text(null)).isEqualTo("/a");

        assertThat(connections).hasSize(2);
    }

    @Test
    void closesIdleConnectionsAtTheEndOfTheCheck() {
        HttpProbe probe = FIXTURE.probe(OPEN);
        TestCheckContext part = part();
        exchange(probe, part, get("/a"));
        part.memory().close();
        assertThat(open).hasSize(1);
        long held = budget.held();

        requests.close();
        Await.until(open::isEmpty);
        assertThat(budget.held()).isLessThanOrEqualTo(held - 16 * 1024);

        exchange(probe, part(), get("/b"));
        Await.until(open::isEmpty);
    }

    @Test
    void closesAnIdleConnectionThatReceivesTooMuch() {
        HttpProbe probe = FIXTURE.probe(OPEN);

        exchange(probe, part(), get("/flood"));
        Await.until(open::isEmpty);
        assertThat(exchange(probe, part(), get("/a")).body().text(null)).isEqualTo("/a");
    }

    /** An idle connection does not hold a permit of the target, but each request does. */
    @Test
    void eachRequestHasAPermitOfTheTarget() {
        HttpProbe probe = FIXTURE.probe(OPEN, new Config.OutboundLimit(0, 1));
        exchange(probe, part(), get("/a"));
        Future<HttpExchange> inProgress = onLoop(() -> probe.exchange(part(), get("/wait")));
        Await.until(() -> !waiting.isEmpty());

        TestCheckContext impatient = part().maxWait(0);
        assertThat(Await.failure(onLoop(() -> probe.exchange(impatient, get("/b")))))
                .isInstanceOf(OverloadFailure.class);
        waiting.forEach(request -> request.response().end("late"));
        assertThat(Await.value(inProgress).body().text(null)).isEqualTo("late");
        assertThat(connections).hasSize(1);
    }

    /** A timeout is not repeated, because there is no time left. */
    @Test
    void aRequestEndsAtTheDeadlineOfItsPart() {
        HttpProbe probe = FIXTURE.probe(OPEN);
        exchange(probe, part(), get("/a"));

        RequestBudget budget = new RequestBudget(RequestBudget.MAX, requests);
        TestCheckContext part = part().withDeadline(1_000).withBudget(budget);
        CheckFailure failure = (CheckFailure) Await.failure(onLoop(() -> probe.exchange(part, get("/wait"))));

        assertThat(failure.error().code()).isEqualTo(ErrorCode.READ_TIMEOUT);
        assertThat(budget.timedOut()).isTrue();
        assertThat(waiting).hasSize(1);
        Await.until(open::isEmpty);
    }

    /** Otherwise the next operations of a part could run on other event loops. */
    @Test
    void completesOnTheContextOfTheCaller() {
        HttpProbe probe = FIXTURE.probe(OPEN);

        for (TestCheckContext context : List.of(part(), part())) {
            Future<Boolean> onLoop = onLoop(() -> probe.exchange(context, get("/a?" + context.hashCode()))
                    .map(exchange -> Vertx.currentContext() == LOOP));
            assertThat(Await.value(onLoop)).isTrue();
        }
    }
}
