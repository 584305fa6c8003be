package dev.plumbline.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.support.Await;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * 32 event loops and 500 of 512 permits held by silent targets. The other permits are usable, whichever event loop a
 * request arrives at.
 */
@Tag("scenario")
class NodeCapacityScenario {
    private static final int PERMITS = 512;
    private static final int SILENT = 500;
    private static final int FAST = 500;
    private static final int FAST_CONNECTIONS = 8;
    private static final double MAX_DELAY_MS = 20;

    private final Vertx vertx = Vertx.vertx();

    @Test
    void silentTargetsDoNotDelayFastOnes() throws Exception {
        try (HostileSite site = HostileSite.start(Path.of("target", "scenario"));
                ScenarioService service = ScenarioService.start(
                        "capacity", Map.of("CHECKS_CONCURRENT", "" + PERMITS), "-XX:ActiveProcessorCount=32");
                CheckClient silent = new CheckClient(vertx, service.address(), "127.0.1.1", SILENT);
                CheckClient fast = new CheckClient(vertx, service.address(), "127.0.1.2", FAST_CONNECTIONS)) {
            checkFast(fast, site, "warmup");
            checkFast(fast, site, "warmup-again");
            List<CheckClient.Response> alone = checkFast(fast, site, "alone");
            List<Future<CheckClient.Response>> held = new ArrayList<>();
            for (int i = 0; i < SILENT; i++) {
                held.add(silent.check("http-status", site.url("/silent/" + i), "?timeout_ms=30000"));
            }
            Await.until(() -> service.metric("plumbline_checks_running") >= SILENT
                    || held.stream().anyMatch(Future::isComplete));
            double running = service.metric("plumbline_checks_running");
            List<CheckClient.Response> beside = checkFast(fast, site, "beside");
            Map<String, Integer> ends = new TreeMap<>();
            held.forEach(each -> ends.merge(Await.value(each).summary(), 1, Integer::sum));
            System.out.printf(
                    Locale.ROOT,
                    "capacity: running=%.0f silent=%s fast=%s%nempty service p50=%.1f ms p99=%.1f ms, beside %d silent"
                            + " targets p50=%.1f ms p99=%.1f ms%n",
                    running,
                    ends,
                    outcomes(beside),
                    millis(alone, 0.5),
                    millis(alone, 0.99),
                    SILENT,
                    millis(beside, 0.5),
                    millis(beside, 0.99));
            service.assertAlive();
            assertThat(running).as("running checks").isGreaterThanOrEqualTo(SILENT);
            assertThat(ends.keySet()).allMatch(end -> end.startsWith("200"));
            assertThat(outcomes(beside)).containsOnlyKeys("200");
            assertThat(millis(beside, 0.5) - millis(alone, 0.5)).isLessThanOrEqualTo(MAX_DELAY_MS);
            assertThat(millis(beside, 0.99) - millis(alone, 0.99)).isLessThanOrEqualTo(MAX_DELAY_MS);
        } finally {
            Await.value(vertx.close());
        }
    }

    private static List<CheckClient.Response> checkFast(CheckClient client, HostileSite site, String name) {
        List<Future<CheckClient.Response>> responses = new ArrayList<>();
        for (int connection = 0; connection < FAST_CONNECTIONS; connection++) {
            for (int i = connection; i < FAST; i += FAST_CONNECTIONS) {
                String url = site.url("/ok/" + name + i);
                responses.add(
                        i < FAST_CONNECTIONS
                                ? client.check("http-status", url, "")
                                : responses
                                        .get(responses.size() - 1)
                                        .compose(previous -> client.check("http-status", url, "")));
            }
        }
        return responses.stream().map(Await::value).toList();
    }

    private static Map<String, Integer> outcomes(List<CheckClient.Response> responses) {
        Map<String, Integer> outcomes = new TreeMap<>();
        responses.forEach(response -> outcomes.merge(response.summary(), 1, Integer::sum));
        return outcomes;
    }

    private static double millis(List<CheckClient.Response> responses, double quantile) {
        List<Long> sorted =
                responses.stream().map(CheckClient.Response::nanos).sorted().toList();
        return sorted.get((int) Math.min(sorted.size() - 1L, (long) (quantile * sorted.size()))) / 1e6;
    }
}
