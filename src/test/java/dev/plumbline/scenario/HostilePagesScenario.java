package dev.plumbline.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.support.Await;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.IntFunction;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Pages whose processing takes much memory or CPU time, requested by one client and by eight clients, 100 times as
 * often as it takes to end a process without budgets. The process survives, each response is a result or 503, and the
 * checks of another monitor go on.
 */
@Tag("scenario")
class HostilePagesScenario {
    private static final int TIMEOUT_SECONDS = 300;
    private static final int WARMUP_REQUESTS = 100;
    private static final Vertx VERTX = Vertx.vertx();

    private static HostileSite site;

    @BeforeAll
    static void startSite() throws IOException {
        site = HostileSite.start(Path.of("target", "scenario"));
    }

    @AfterAll
    static void stopSite() {
        site.close();
        Await.value(VERTX.close());
    }

    @ParameterizedTest(name = "{0} client(s)")
    @CsvSource({"1, 600", "8, 600"})
    void longLinksOfSilentTargets(int clients, int requests) throws Exception {
        attack(
                "links-" + clients,
                clients,
                requests,
                6,
                i -> new CheckLoad.Check("page-links", site.url("/links/" + i), "?check=true"));
    }

    @ParameterizedTest(name = "{0} client(s)")
    @CsvSource({"1, 2000", "8, 2000"})
    void longUrlsOfResources(int clients, int requests) throws Exception {
        attack(
                "images-" + clients,
                clients,
                requests,
                20,
                i -> new CheckLoad.Check("mixed-content", site.secureUrl("/images/" + i), ""));
    }

    @ParameterizedTest(name = "{0} client(s)")
    @CsvSource({"1, 3000", "8, 3000"})
    void slowBrotli(int clients, int requests) throws Exception {
        attack(
                "brotli-" + clients,
                clients,
                requests,
                30,
                i -> new CheckLoad.Check("http-compression", site.url("/brotli/" + i), ""));
    }

    @ParameterizedTest(name = "{0} client(s), {1} requests")
    @CsvSource({"1, 27", "1, 100", "1, 2700", "8, 2700"})
    void slowBrotliInGzip(int clients, int requests) throws Exception {
        attack(
                "gzip-brotli-" + clients + "-" + requests,
                clients,
                requests,
                27,
                i -> new CheckLoad.Check("http-compression", site.url("/gzip-brotli/" + i), ""));
    }

    private static void attack(String name, int clients, int requests, int results, IntFunction<CheckLoad.Check> check)
            throws Exception {
        try (ScenarioService service = start(name)) {
            // the times are those of compiled code
            new CheckLoad(VERTX).send(service, 1, WARMUP_REQUESTS, i -> check.apply(requests + i), TIMEOUT_SECONDS);
            attack(service, name, clients, requests, results, check);
        }
    }

    private static void attack(
            ScenarioService service,
            String name,
            int clients,
            int requests,
            int results,
            IntFunction<CheckLoad.Check> check)
            throws Exception {
        try (LatencyMonitor monitor = LatencyMonitor.start(VERTX, service, site)) {
            long start = System.nanoTime();
            Map<String, Integer> outcomes =
                    new CheckLoad(VERTX).send(service, clients, requests, check, TIMEOUT_SECONDS);
            String times = monitor.stop();
            System.out.printf(
                    "%s: %d requests of %d client(s) in %d s%n%s%npeak heap after a collection: %d MiB%n%s%n",
                    name,
                    requests,
                    clients,
                    TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - start),
                    outcomes,
                    service.peakLiveHeap(0),
                    times);
            service.assertAlive();
            assertThat(outcomes.keySet()).allMatch(outcome -> outcome.matches("200.*|503 .*"));
            assertThat(outcomes.entrySet().stream()
                            .filter(outcome -> outcome.getKey().startsWith("200"))
                            .mapToInt(Map.Entry::getValue)
                            .sum())
                    .as("results")
                    .isGreaterThanOrEqualTo(results);
            assertThat(outcomes.keySet())
                    .as("errors of the service, not of the target")
                    .doesNotContain("200 deadline_exceeded", "200 connect_timeout", "200 dns_timeout", "200 internal");
            monitor.assertLatency();
            monitor.assertPagesChecked();
        }
    }

    private static ScenarioService start(String name) throws IOException {
        return ScenarioService.start(
                name, Map.of("TLS_EXTRA_ROOTS", site.roots().toAbsolutePath().toString()));
    }

    /** A job with 60 lines, which a restarted service would run again. */
    @Test
    void jobOfLongLinksEnds() throws Exception {
        try (ScenarioService service = start("links-job");
                BulkJobClient client = new BulkJobClient(VERTX, service);
                LatencyMonitor monitor = LatencyMonitor.start(VERTX, service, site)) {
            String token = client.create(
                    "page-links",
                    IntStream.range(0, 60)
                            .mapToObj(i -> site.url("/links/job" + i))
                            .toList(),
                    new JsonObject().put("check", true));
            Map<String, Integer> outcomes = client.awaitOutcomes(token, TIMEOUT_SECONDS);
            System.out.printf(
                    "links-job: %s%npeak heap after a collection: %d MiB%n%s%n",
                    outcomes, service.peakLiveHeap(0), monitor.stop());
            service.assertAlive();
            assertThat(outcomes.values().stream().mapToInt(Integer::intValue).sum())
                    .isEqualTo(60);
            assertThat(outcomes.getOrDefault("none", 0)).isGreaterThanOrEqualTo(50);
            assertThat(outcomes.keySet()).isSubsetOf("none", "internal");
            monitor.assertLatency();
        }
    }
}
