package dev.plumbline.probe.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.plumbline.budget.MemoryBudget;
import dev.plumbline.budget.MemoryHolder;
import dev.plumbline.check.CheckFailure;
import dev.plumbline.check.OverloadFailure;
import dev.plumbline.check.RequestBudget;
import dev.plumbline.config.Config;
import dev.plumbline.egress.EgressGuard;
import dev.plumbline.lab.HostileHttp2;
import dev.plumbline.lab.HttpFixture;
import dev.plumbline.lab.TlsServers;
import dev.plumbline.probe.http.HttpRequestSpec.Alpn;
import dev.plumbline.result.CheckError;
import dev.plumbline.result.ErrorCode;
import dev.plumbline.support.Await;
import dev.plumbline.support.TestCheckContext;
import dev.plumbline.target.Host;
import dev.plumbline.target.Target;
import dev.plumbline.target.TargetPolicy;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class HttpProbeTest {
    @RegisterExtension
    static final HttpFixture FIXTURE = HttpFixture.start();

    private static final int BODY = 64 * 1024;

    @BeforeAll
    static void start() {
        FIXTURE.dns()
                .address("lab.test", "127.0.0.1")
                .address("wrong.test", "127.0.0.1")
                .address("two.test", "127.0.0.3", "127.0.0.1")
                .address("inside.test", "127.0.0.2")
                .address("mixed.test", "127.0.0.1", "127.0.0.2");
    }

    @ParameterizedTest
    @CsvSource({
        "/ok, 200, 1.1, all is well",
        "/status/204, 204, 1.1, ''",
        "/status/304, 304, 1.1, ''",
        "/status/404, 404, 1.1, status page",
        "/status/599, 599, 1.1, status page",
        "/chunked, 200, 1.1, a needle",
        "/until-closed, 200, 1.0, a needle",
        "/no-reason, 200, 1.1, ''",
        "/bare-line-feeds, 200, 1.1, ''",
        "/early-hints, 200, 1.1, ''",
        "/length/long, 200, 1.1, ok",
        "/redirect/301, 301, 1.1, redirect"
    })
    void readsResponses(String path, int status, String version, String body) {
        HttpExchange response = exchange(get(path));

        assertThat(response.status()).isEqualTo(status);
        assertThat(response.version()).isEqualTo(version);
        assertThat(response.bodyError()).isNull();
        assertThat(response.body().text(null)).isEqualTo(body);
        assertThat(response.body().truncated()).isFalse();
        assertThat(response.ip()).isEqualTo("127.0.0.1");
        HttpExchange head = exchange(HttpRequestSpec.head(url(path)));
        assertThat(head.status()).isEqualTo(status);
        assertThat(head.body().size()).isZero();
    }

    @ParameterizedTest
    @CsvSource({
        "/never, READ_TIMEOUT",
        "/drip/head, READ_TIMEOUT",
        "/endless/header, RESPONSE_TOO_LARGE",
        "/endless/headers, RESPONSE_TOO_LARGE",
        "/endless/status-line, RESPONSE_TOO_LARGE",
        "/endless/new-lines, RESPONSE_TOO_LARGE",
        "/endless/interim, HTTP_PROTOCOL_ERROR",
        "/headers/100000, RESPONSE_TOO_LARGE",
        "/headers/2000, RESPONSE_TOO_LARGE",
        "/length/negative, HTTP_PROTOCOL_ERROR",
        "/length/two, HTTP_PROTOCOL_ERROR",
        "/no-colon, HTTP_PROTOCOL_ERROR",
        "/http-0.9, HTTP_PROTOCOL_ERROR",
        "/ssh, HTTP_PROTOCOL_ERROR",
        "/version, HTTP_PROTOCOL_ERROR",
        "/status, HTTP_PROTOCOL_ERROR",
        "/status-99, HTTP_PROTOCOL_ERROR",
        "/switch, HTTP_PROTOCOL_ERROR",
        "/garbage, HTTP_PROTOCOL_ERROR",
        "/only-interim, CONNECTION_RESET",
        "/half-a-head, CONNECTION_RESET",
        "/closed, CONNECTION_RESET",
        "/reset, CONNECTION_RESET",
        "/reset-in-head, CONNECTION_RESET"
    })
    void rejectsInvalidResponses(String path, ErrorCode code) {
        for (HttpRequestSpec call : List.of(get(path), HttpRequestSpec.head(url(path)))) {
            assertThat(failure(call, 1_000).code()).isEqualTo(code);
        }
    }

    @ParameterizedTest
    @CsvSource({
        "/drip/body, READ_TIMEOUT",
        "/endless/chunk-extensions, RESPONSE_TOO_LARGE",
        "/endless/trailers, RESPONSE_TOO_LARGE",
        "/endless/chunk-extension, RESPONSE_TOO_LARGE",
        "/chunk/malformed, HTTP_PROTOCOL_ERROR",
        "/chunk/huge, HTTP_PROTOCOL_ERROR",
        "/chunk/no-end, CONNECTION_RESET",
        "/length/short, CONNECTION_RESET",
        "/reset-in-body, CONNECTION_RESET"
    })
    void keepsTheHeaderIfTheBodyFails(String path, ErrorCode code) {
        HttpExchange response =
                Await.value(FIXTURE.probe().exchange(TestCheckContext.create().withDeadline(1_500), get(path)));

        assertThat(response.status()).isEqualTo(200);
        assertThat(response.bodyError())
                .isNotNull()
                .extracting(CheckError::code)
                .isEqualTo(code);
        assertThat(response.body().truncated()).isTrue();
    }

    @ParameterizedTest
    @ValueSource(strings = {"/endless/body", "/big", "/bomb/gzip"})
    void stopsReadingAtTheBodyLimit(String path) {
        HttpExchange response = exchange(HttpRequestSpec.get(url(path), 10_000));

        assertThat(response.body().size()).isEqualTo(10_000);
        assertThat(response.body().truncated()).isTrue();
        assertThat(response.bodyError()).isNull();
    }

    /** Reserves all memory except these bytes with small holders, which are permitted to use all of it. */
    private static List<MemoryHolder> reserveAllBut(MemoryBudget budget, long bytes) {
        List<MemoryHolder> holders = new ArrayList<>();
        for (long rest = budget.total() - bytes; rest > 0; rest -= 60 << 10) {
            MemoryHolder holder = budget.open("other", 1 << 20);
            Await.value(holder.reserve(Math.min(rest, 60 << 10)).map(true));
            holders.add(holder);
        }
        return holders;
    }

    @Test
    void waitsForMemoryAndReleasesIt() {
        Vertx vertx = Vertx.vertx();
        MemoryBudget budget = new MemoryBudget(vertx, 1 << 20, 1);
        List<MemoryHolder> others = reserveAllBut(budget, EgressGuard.CONNECTION_BYTES + 5_000);
        MemoryHolder memory = budget.open("a", 1 << 20);

        Future<HttpExchange> big = FIXTURE.probe()
                .exchange(TestCheckContext.create().withMemory(memory), HttpRequestSpec.get(url("/big"), 100_000));
        Await.until(() -> budget.waiting() == 1);
        others.forEach(MemoryHolder::close);

        assertThat(Await.value(big).body().size()).isEqualTo(100_000);
        assertThat(budget.held()).as("body and headers").isBetween(100_000L, 105_000L);
        memory.close();
        assertThat(budget.held()).isZero();
        Await.value(vertx.close());
    }

    @Test
    void failsWithOverloadWithoutMemory() {
        Vertx vertx = Vertx.vertx();
        MemoryBudget budget = new MemoryBudget(vertx, 1 << 20, 1);
        reserveAllBut(budget, EgressGuard.CONNECTION_BYTES + 5_000);
        MemoryHolder memory = budget.open("a", 1 << 20);

        Throwable failure = Await.failure(FIXTURE.probe()
                .exchange(
                        TestCheckContext.create().withMemory(memory), HttpRequestSpec.get(url("/endless/body"), BODY)));

        assertThat(failure).isInstanceOf(OverloadFailure.class);
        assertThat(memory.refused()).isTrue();
        Await.value(vertx.close());
    }

    @Test
    void endsACheckOverItsMemoryLimit() {
        Vertx vertx = Vertx.vertx();
        MemoryHolder memory = new MemoryBudget(vertx, 10 << 20, 1).open("a", 1 << 20);

        Throwable failure = Await.failure(FIXTURE.probe()
                .exchange(
                        TestCheckContext.create().withMemory(memory),
                        HttpRequestSpec.get(url("/endless/body"), 2 << 20)));

        assertThat(failure).isInstanceOfSatisfying(CheckFailure.class, tooLarge -> {
            assertThat(tooLarge.error().code()).isEqualTo(ErrorCode.RESPONSE_TOO_LARGE);
            assertThat(tooLarge.error().message()).contains("1 MiB of memory");
        });
        assertThat(memory.refused()).isFalse();
        Await.value(vertx.close());
    }

    @Test
    void removesControlCharacters() {
        assertThat(exchange(get("/controls")).headers().first("server")).isEqualTo("ab[31mc");
    }

    /** Servers can distinguish these from their percent-decoded or percent-encoded forms. */
    @ParameterizedTest
    @ValueSource(strings = {"/ok?50%off", "/ok?foo%41", "/ok?%c3%a9[]{}|", "/50%off", "/foo%41", "/a%2fb"})
    void sendsThePathAndQueryUnchanged(String path) {
        exchange(get(path));

        assertThat(FIXTURE.lab().requestsFor(path)).isNotEmpty();
    }

    @Test
    void sendsOneRequestWithUserAgentAndVia() {
        exchange(get("/ok?once").with("X-Extra", "1"));

        assertThat(FIXTURE.lab().requestsFor("/ok?once"))
                .singleElement()
                .isEqualTo("GET /ok?once HTTP/1.1\r\nhost: "
                        + FIXTURE.lab().authority()
                        + "\r\nuser-agent: "
                        + HttpFixture.USER_AGENT
                        + "\r\naccept: */*\r\naccept-encoding: identity\r\nvia: 1.1 plumbline\r\nx-extra: "
                        + "1\r\nconnection: close");
    }

    @ParameterizedTest
    @ValueSource(strings = {"a\r\nb: c", "a\nb", "a\u0000", "caf\u00e9"})
    void rejectsControlCharactersInRequestHeaders(String value) {
        assertThatIllegalArgumentException().isThrownBy(() -> get("/ok").with("x", value));
        assertThatIllegalArgumentException().isThrownBy(() -> get("/ok").with(value, "x"));
        Target.Url plain = url("/ok");
        for (Target.Url bad : List.of(
                new Target.Url("http", plain.host(), plain.port(), "/" + value),
                new Target.Url("http", new Host(value, plain.host().literal()), plain.port(), "/"))) {
            assertThat(failure(HttpRequestSpec.head(bad), 1_000).code()).isEqualTo(ErrorCode.INVALID_TARGET);
        }
    }

    @Test
    void measuresEachPhase() {
        HttpTimings plain = exchange(get("/ok")).timings();
        HttpTimings secure = exchange(HttpRequestSpec.get(url(FIXTURE.lab().secure("/ok")), BODY))
                .timings();

        assertThat(plain.tlsMs()).isNull();
        assertThat(secure.tlsMs()).isPositive();
        for (HttpTimings timings : List.of(plain, secure)) {
            assertThat(timings.connectMs()).isPositive();
            assertThat(timings.ttfbMs()).isPositive();
            assertThat(timings.totalMs())
                    .isGreaterThanOrEqualTo(timings.dnsMs() + timings.connectMs() + timings.ttfbMs());
        }
    }

    @Test
    void doesNotMeasureTheWaitForARateLimit() {
        HttpProbe limited =
                FIXTURE.probe(HttpFixture.policy(List.of("127.0.0.1"), List.of("*")), new Config.OutboundLimit(1, 0));
        TestCheckContext context = TestCheckContext.create();

        Await.value(limited.exchange(context, get("/ok")));
        HttpTimings delayed = Await.value(limited.exchange(context, get("/ok"))).timings();

        assertThat(context.budget().limitWaits().total(Long.MAX_VALUE).millis()).isGreaterThan(500);
        assertThat(delayed.totalMs()).isLessThan(500);
    }

    @Test
    void doesNotMeasureTheWaitForTheRateLimitOfDnsQueries() {
        FIXTURE.dns().address("one.paced.test", "127.0.0.1").address("two.paced.test", "127.0.0.1");
        HttpProbe limited = FIXTURE.probe(HttpFixture.policy(List.of("127.0.0.1"), List.of("*")), 2);
        TestCheckContext context = TestCheckContext.create();
        int port = url("/ok").port();

        Await.value(limited.exchange(context, get("http://one.paced.test:" + port + "/ok")));
        HttpTimings delayed = Await.value(limited.exchange(context, get("http://two.paced.test:" + port + "/ok")))
                .timings();

        assertThat(context.budget().limitWaits().total(Long.MAX_VALUE).millis()).isGreaterThan(400);
        assertThat(delayed.dnsMs()).isLessThan(400);
        assertThat(delayed.totalMs()).isLessThan(400);
    }

    @Test
    void usesHttp2IfTheServerSupportsIt() {
        Target.Url url = url(FIXTURE.lab().http2("/ok"));

        HttpExchange second = exchange(HttpRequestSpec.get(url, BODY));
        HttpExchange first = exchange(HttpRequestSpec.get(url, BODY).offering(HttpRequestSpec.Alpn.HTTP1));

        assertThat(second.version()).isEqualTo("2");
        assertThat(second.status()).isEqualTo(200);
        assertThat(second.headers().first("server")).isEqualTo("lab");
        assertThat(second.body().text(null)).isEqualTo("over HTTP/2");
        assertThat(first.version()).isEqualTo("1.1");
        assertThat(exchange(HttpRequestSpec.head(url)).status()).isEqualTo(200);
        assertThat(exchange(HttpRequestSpec.head(url(FIXTURE.lab().http2("/no"))))
                        .status())
                .isEqualTo(404);
    }

    @Test
    void reportsTheNegotiatedProtocol() {
        HttpProbe probe = FIXTURE.probe(HttpFixture.policy(List.of("127.0.0.0/8"), List.of("*")));
        HttpRequestSpec both = HttpRequestSpec.head(url(FIXTURE.lab().http2("/ok")));
        HttpRequestSpec none = HttpRequestSpec.head(url(FIXTURE.lab().secure("/ok")));

        assertThat(exchange(both).alpn()).isEqualTo("h2");
        assertThat(exchange(both.offering(HttpRequestSpec.Alpn.HTTP1)).alpn()).isEqualTo("http/1.1");
        assertThat(exchange(both.offering(Alpn.HTTP2)).version()).isEqualTo("2");
        assertThat(exchange(none).alpn()).isNull();
        assertThat(exchange(get("/ok")).alpn()).isNull();
        assertThat(failure(none.offering(Alpn.HTTP2), 5_000).code()).isEqualTo(ErrorCode.TLS_HANDSHAKE_FAILED);
        assertThat(Await.value(probe.negotiate(TestCheckContext.create(), none.offering(Alpn.HTTP2))))
                .isEmpty();
        assertThat(Await.value(probe.negotiate(TestCheckContext.create(), both.offering(Alpn.HTTP2))))
                .isPresent();
    }

    @Test
    void sendsOptions() {
        HttpExchange plain = exchange(HttpRequestSpec.options(url("/ok")).with("origin", "https://a.test"));

        assertThat(plain.status()).isEqualTo(200);
        assertThat(plain.method()).isEqualTo(HttpRequestSpec.Method.OPTIONS);
        assertThat(plain.body().size()).isZero();
        assertThat(exchange(HttpRequestSpec.options(url(FIXTURE.lab().http2("/ok"))))
                        .version())
                .isEqualTo("2");
    }

    @Test
    void keepsDataReceivedDuringCertificateEvaluation() {
        HttpRequestSpec call = HttpRequestSpec.get(url(FIXTURE.lab().http2("/ok")), BODY);

        for (int i = 0; i < 5; i++) {
            HttpProbe fresh = FIXTURE.probe(HttpFixture.policy(List.of("127.0.0.0/8"), List.of("*")));
            assertThat(Await.value(fresh.exchange(TestCheckContext.create(), call))
                            .version())
                    .isEqualTo("2");
        }
    }

    static List<HostileHttp2> hostileHttp2() {
        return FIXTURE.lab().hostileHttp2();
    }

    @ParameterizedTest
    @MethodSource("hostileHttp2")
    void limitsHostileHttp2Servers(HostileHttp2 server) {
        HttpRequestSpec call = HttpRequestSpec.get(url(server.url()), BODY);

        if (server.name().equals("too_much_data")) {
            HttpExchange response = exchange(call);
            assertThat(response.body().size()).isLessThanOrEqualTo(BODY);
            assertThat(response.body().truncated()).isTrue();
        } else {
            assertThat(failure(call, 5_000).code())
                    .isIn(EnumSet.of(ErrorCode.HTTP_PROTOCOL_ERROR, ErrorCode.RESPONSE_TOO_LARGE));
        }
    }

    @Test
    void distinguishesConnectHandshakeAndTrustErrors() throws IOException {
        int tlsPort = FIXTURE.url(FIXTURE.lab().secure("/")).port();
        Target.Url nobody = url("http://127.0.0.1:" + FIXTURE.closedPort() + "/");
        HttpRequestSpec named = HttpRequestSpec.head(url("https://lab.test:" + tlsPort + "/ok"));
        HttpRequestSpec misnamed = HttpRequestSpec.head(url("https://wrong.test:" + tlsPort + "/ok"));
        HttpRequestSpec notTls =
                HttpRequestSpec.head(url("https://" + FIXTURE.lab().authority() + "/ok"));

        assertThat(exchange(named).status()).isEqualTo(200);
        assertThat(failure(misnamed, 5_000).code()).isEqualTo(ErrorCode.TLS_UNTRUSTED);
        assertThat(exchange(misnamed.verifyingTls(false)).status()).isEqualTo(200);
        HttpProbe anyPort = FIXTURE.probe(HttpFixture.policy(List.of("127.0.0.0/8"), List.of("*")));
        assertThat(Await.failure(anyPort.exchange(TestCheckContext.create(), HttpRequestSpec.head(nobody))))
                .isInstanceOfSatisfying(
                        CheckFailure.class,
                        failure -> assertThat(failure.error().code()).isEqualTo(ErrorCode.CONNECT_REFUSED));
        assertThat(failure(notTls, 5_000).code()).isEqualTo(ErrorCode.TLS_HANDSHAKE_FAILED);
    }

    @Test
    void sendsNoRequestToUntrustedServers() {
        HttpRequestSpec call = HttpRequestSpec.head(
                url("https://wrong.test:" + url(FIXTURE.lab().secure("/")).port() + "/secret"));

        failure(call, 5_000);

        assertThat(FIXTURE.lab().requestsFor("/secret")).isEmpty();
    }

    @Test
    void triesTheNextAddressIfOneRefuses() {
        TargetPolicy policy = HttpFixture.policy(List.of("127.0.0.0/8"), List.of("*"));
        HttpProbe probe = FIXTURE.probe(policy);
        HttpRequestSpec call = HttpRequestSpec.head(url("http://two.test:" + url("/").port() + "/ok"));
        TestCheckContext context = TestCheckContext.create();

        assertThat(Await.value(probe.exchange(context, call)).ip()).isEqualTo("127.0.0.1");

        assertThat(requestsMade(context)).isEqualTo(2);
    }

    private static int requestsMade(TestCheckContext context) {
        int left = 0;
        while (context.budget().take()) {
            left++;
        }
        return RequestBudget.MAX - left;
    }

    @Test
    void formatsAddressesCanonically() {
        FIXTURE.dns().address("six.test", "::1");
        HttpProbe probe = FIXTURE.probe(HttpFixture.policy(List.of("::1/128"), List.of("*")));
        try (TlsServers servers = new TlsServers()) {
            int port = servers.serve(
                    FIXTURE.identity(), TlsServers.ServerOptions.DEFAULT, new InetSocketAddress("::1", 0));
            HttpRequestSpec call = HttpRequestSpec.get(url("https://six.test:" + port + "/"), BODY)
                    .verifyingTls(false);

            assertThat(Await.value(probe.exchange(TestCheckContext.create(), call))
                            .ip())
                    .isEqualTo("::1");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"http://127.0.0.2/", "http://[::1]/", "http://inside.test/", "http://mixed.test/"})
    void rejectsSpecialPurposeAddresses(String target) {
        Target.Url bare = url(target);
        Target.Url url =
                new Target.Url("http", bare.host(), FIXTURE.lab().canary().port(), bare.pathAndQuery());

        assertThat(failure(HttpRequestSpec.head(url), 5_000).code()).isEqualTo(ErrorCode.TARGET_BLOCKED);
    }

    private static HttpRequestSpec get(String path) {
        return HttpRequestSpec.get(url(path), BODY);
    }

    private static Target.Url url(String pathOrUrl) {
        return FIXTURE.url(pathOrUrl);
    }

    private static HttpExchange exchange(HttpRequestSpec call) {
        return Await.value(FIXTURE.probe().exchange(TestCheckContext.create(), call));
    }

    private static CheckError failure(HttpRequestSpec call, long millis) {
        Throwable failure =
                Await.failure(FIXTURE.probe().exchange(TestCheckContext.create().withDeadline(millis), call));
        assertThat(failure).isInstanceOf(CheckFailure.class);
        return ((CheckFailure) failure).error();
    }
}
