package dev.plumbline.job.api;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.ImmutableClassToInstanceMap;
import dev.plumbline.bus.JobMessage;
import dev.plumbline.bus.JobState;
import dev.plumbline.check.ModuleCatalogue;
import dev.plumbline.egress.LabEgressGuard;
import dev.plumbline.job.store.JobTables;
import dev.plumbline.lab.DnsLab;
import dev.plumbline.lab.HttpFixture;
import dev.plumbline.probe.http.HttpProbe;
import dev.plumbline.support.Await;
import dev.plumbline.support.TestDatabase;
import dev.plumbline.target.TargetPolicy;
import dev.plumbline.tls.TrustRoots;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Lines of jobs whose target responds with 429 or 503 and Retry-After. */
@Tag("integration")
class RetryAfterJobTest {
    @RegisterExtension
    static final TestDatabase DATABASE = new TestDatabase();

    private static final JobNodeSettings SETTINGS =
            new JobNodeSettings(64, 0, Duration.ofSeconds(3), Duration.ofMillis(200), Duration.ofMillis(50));
    private static final Instant NOW = Instant.parse("1999-12-31T23:59:58Z");

    private static final Vertx VERTX = Vertx.vertx();
    private static final Map<String, List<Long>> REQUESTS = new ConcurrentHashMap<>();
    private static DnsLab dns;
    private static String server;
    private static JobTables tables;

    @BeforeAll
    static void start() {
        dns = DnsLab.start();
        HttpServer http = Await.value(VERTX.createHttpServer()
                .requestHandler(RetryAfterJobTest::respond)
                .listen(0, "127.0.0.1"));
        server = "http://127.0.0.1:" + http.actualPort();
        tables = new JobTables(DATABASE.open());
    }

    @AfterAll
    static void stop() {
        Await.value(VERTX.close());
        dns.close();
    }

    /** The path contains the value of Retry-After. With {@code once}, the second response is 200. */
    private static void respond(HttpServerRequest request) {
        List<Long> requests = REQUESTS.computeIfAbsent(request.path(), first -> new ArrayList<>());
        synchronized (requests) {
            requests.add(System.nanoTime());
        }
        String[] path = request.path().split("/", -1);
        boolean recovered = path[1].equals("once") && requests.size() > 1;
        if (!recovered && !path[2].isEmpty()) {
            request.response().putHeader("Retry-After", path[2].replace('_', ' '));
        }
        request.response()
                .setStatusCode(recovered || path[1].equals("ok") ? 200 : Integer.parseInt(path[3]))
                .end();
    }

    private static JobNode node(String module, Clock clock, JobNodeSettings settings) {
        TargetPolicy policy = HttpFixture.policy(List.of("127.0.0.1"), List.of("*"));
        return new JobNode(
                DATABASE.url(),
                new JobNode.Checks(
                        ModuleCatalogue.load().find(module),
                        policy,
                        vertx -> ImmutableClassToInstanceMap.of(
                                HttpProbe.class,
                                new HttpProbe(
                                        vertx,
                                        LabEgressGuard.of(vertx, policy, dns),
                                        new TrustRoots(List.of(), List.of()),
                                        policy,
                                        "test")),
                        clock),
                settings);
    }

    private static JobNode node() {
        return node("http-status", Clock.systemUTC(), SETTINGS);
    }

    /** The seconds between the first requests for a path. */
    private static List<Double> delays(String path) {
        List<Long> requests = REQUESTS.getOrDefault(path, List.of());
        List<Double> delays = new ArrayList<>();
        for (int i = 1; i < requests.size(); i++) {
            delays.add((requests.get(i) - requests.get(i - 1)) / 1e9);
        }
        return delays;
    }

    private static List<String> urls(String... paths) {
        return Stream.of(paths).map(path -> server + path).toList();
    }

    /** The verdict and the codes of the findings of each line. */
    private static List<String> outcomes(JobNode node, JobMessage.JobSnapshot job) {
        return node.results(job).stream()
                .map(line -> new JsonObject(new String(line.result(), StandardCharsets.UTF_8)))
                .map(result -> result.getString("verdict") + " " + firstCode(result.getJsonArray("findings")))
                .toList();
    }

    private static String firstCode(JsonArray findings) {
        return findings.isEmpty() ? "" : findings.getJsonObject(0).getString("code");
    }

    @Test
    void aLineIsRetriedOnceAfterTheDelay() {
        long account = tables.account();
        List<String> lines = urls(
                "/once/1/429",
                "/always/1/429",
                "/always/2/503",
                "/always/61/429",
                "/always//429",
                "/ok//",
                "/once/1/429");
        try (JobNode node = node()) {
            JobMessage.JobSnapshot job =
                    node.ended(account, node.create(account, lines).token());

            assertThat(outcomes(node, job))
                    .containsExactly(
                            "pass plain_http",
                            "warn rate_limited",
                            "warn temporarily_unavailable",
                            "warn rate_limited",
                            "fail status_client_error",
                            "pass plain_http",
                            "pass plain_http");
            assertThat(job.pass() + job.warn() + job.fail()).isEqualTo(lines.size());
            assertThat(delays("/once/1/429")).singleElement().satisfies(delay -> assertThat(delay)
                    .isGreaterThanOrEqualTo(1));
            assertThat(delays("/always/1/429")).singleElement().satisfies(delay -> assertThat(delay)
                    .isGreaterThanOrEqualTo(1));
            assertThat(delays("/always/2/503")).singleElement().satisfies(delay -> assertThat(delay)
                    .isGreaterThanOrEqualTo(2));
            assertThat(delays("/always/61/429")).isEmpty();
            assertThat(delays("/always//429")).isEmpty();

            JobMessage.JobSnapshot again = node.ended(
                    account,
                    node.create(account, urls("/once/1/429", "/always/1/429", "/always/61/429"))
                            .token());

            assertThat(outcomes(node, again))
                    .containsExactly("pass plain_http", "warn rate_limited", "warn rate_limited");
            assertThat(delays("/once/1/429"))
                    .as("the result of the retry is cached")
                    .hasSize(1);
            assertThat(delays("/always/1/429"))
                    .as("a temporary result is not cached")
                    .hasSize(3);
            assertThat(delays("/always/61/429")).as("a final result is cached").isEmpty();
        }
    }

    @Test
    void aDateIsComparedWithTheClockOfTheCheck() {
        long account = tables.account();
        // two seconds and 64 seconds after the time of the clock
        List<String> lines = urls("/once/Sat,_01_Jan_2000_00:00:00_GMT/503", "/once/Sat,_01_Jan_2000_00:01:02_GMT/503");
        try (JobNode node = node("redirect-chain", Clock.fixed(NOW, ZoneOffset.UTC), SETTINGS)) {
            JobMessage.JobSnapshot job =
                    node.ended(account, node.create(account, lines).token());

            assertThat(outcomes(node, job)).containsExactly("pass ", "warn temporarily_unavailable");
            assertThat(delays("/once/Sat,_01_Jan_2000_00:00:00_GMT/503"))
                    .singleElement()
                    .satisfies(delay -> assertThat(delay).isGreaterThanOrEqualTo(2));
        }
    }

    @Test
    void aWaitingLineHoldsNoPermitAndIsCancelledWithItsJob() {
        long account = tables.account();
        JobNodeSettings onePermit = new JobNodeSettings(1, 1, SETTINGS.lease(), SETTINGS.renewal(), SETTINGS.poll());
        try (JobNode node = node("http-status", Clock.systemUTC(), onePermit)) {
            JobMessage.JobSnapshot created =
                    node.create(account, urls("/cancelled/60/429", "/ok//1", "/ok//2", "/ok//3"));
            Await.until(() -> node.read(account, created.token()).done() == 3);
            assertThat(node.running()).isZero();
            assertThat(node.waiting()).isEqualTo(1);
            assertThat(node.read(account, created.token()).state()).isEqualTo(JobState.RUNNING);

            JobMessage.JobSnapshot cancelled = node.cancel(account, created.token());

            assertThat(cancelled.state()).isEqualTo(JobState.CANCELLED);
            assertThat(cancelled.pass()).isEqualTo(3);
            assertThat(cancelled.cancelled()).isEqualTo(1);
            assertThat(delays("/cancelled/60/429")).isEmpty();
        }
        tables.assertCountsAreConsistent();
    }

    @Test
    void aNodeCompletesTheWaitingLinesOfACrashedNode() {
        long account = tables.account();
        JobNode crashed = node();
        JobMessage.JobSnapshot created = crashed.create(account, urls("/crash/60/429", "/ok//4"));
        Await.until(() -> crashed.read(account, created.token()).done() == 1);
        crashed.close();

        assertOtherNodeCompletes(account, created, "/crash/60/429");
    }

    @Test
    void aNodeCompletesTheWaitingLinesOfAStoppedNode() {
        long account = tables.account();
        try (JobNode stopped = node()) {
            JobMessage.JobSnapshot created = stopped.create(account, urls("/stop/60/503", "/ok//5"));
            Await.until(() -> stopped.read(account, created.token()).done() == 1);
            stopped.drain();

            assertOtherNodeCompletes(account, created, "/stop/60/503");
        }
    }

    /** Without another retry, because the line had an attempt before. */
    private static void assertOtherNodeCompletes(long account, JobMessage.JobSnapshot created, String path) {
        try (JobNode other = node()) {
            JobMessage.JobSnapshot job = other.ended(account, created.token());

            assertThat(job.state()).isEqualTo(JobState.COMPLETED);
            assertThat(job.pass()).isEqualTo(1);
            assertThat(job.warn()).isEqualTo(1);
            assertThat(delays(path)).hasSize(1);
        }
        tables.assertCountsAreConsistent();
    }
}
