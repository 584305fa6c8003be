package dev.plumbline.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.support.Await;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpMethod;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.IntFunction;

/**
 * Measures the latency of checks of a healthy site while another client overloads the service: cached and fresh checks
 * of {@code http-status}, and fresh checks of {@code page-metadata}, one at a time. The latency of a request without a
 * verdict is infinite. Direct requests to the site measure the latency without the service.
 */
final class LatencyMonitor implements AutoCloseable {
    private static final String ADDRESS = "127.0.2.1";
    private static final long PAUSE_MS = 20;
    private static final long CACHED_P99_MS = 50;
    private static final long FRESH_P99_MS = 1_000;

    private final Vertx vertx;
    private final List<CheckClient> clients = new ArrayList<>();
    private final List<Series> series = new ArrayList<>();
    private final Series cached;
    private final Series fresh;
    private final Series metadata;
    private volatile boolean stopped;

    /** Requests of one kind. */
    private static final class Series {
        final String name;
        final List<Long> nanos = new ArrayList<>();
        final Map<String, Integer> failures = new TreeMap<>();

        Series(String name) {
            this.name = name;
        }

        synchronized void add(CheckClient.Response response) {
            boolean good = response.summary().equals("200");
            nanos.add(good ? response.nanos() : Long.MAX_VALUE);
            if (!good) {
                failures.merge(response.summary(), 1, Integer::sum);
            }
        }

        synchronized double millis(double quantile) {
            List<Long> sorted = nanos.stream().sorted().toList();
            long value = sorted.get((int) Math.min(sorted.size() - 1L, (long) Math.ceil(quantile * sorted.size())));
            return value == Long.MAX_VALUE ? Double.POSITIVE_INFINITY : value / 1e6;
        }

        synchronized String summary() {
            return String.format(
                    Locale.ROOT,
                    "%-15s n=%d p50=%.1f ms p99=%.1f ms max=%.1f ms failures=%s",
                    name,
                    nanos.size(),
                    millis(0.5),
                    millis(0.99),
                    millis(1),
                    failures);
        }
    }

    private LatencyMonitor(Vertx vertx, ScenarioService service, HostileSite site) {
        this.vertx = vertx;
        String known = site.url("/ok/known");
        this.cached = start(service, "cached", i -> new CheckLoad.Check("http-status", known, ""));
        this.fresh = start(service, "http-status", i -> new CheckLoad.Check("http-status", site.url("/ok/" + i), ""));
        this.metadata =
                start(service, "page-metadata", i -> new CheckLoad.Check("page-metadata", site.url("/ok/" + i), ""));
        CheckClient direct = client(site.url(""));
        repeat(new Series("without service"), i -> direct.send(HttpMethod.GET, "/ok/direct", "", ""));
    }

    private CheckClient client(String address) {
        CheckClient client = new CheckClient(vertx, address, ADDRESS, 1);
        clients.add(client);
        return client;
    }

    /** Starts the requests after a warm-up of the service. */
    static LatencyMonitor start(Vertx vertx, ScenarioService service, HostileSite site) {
        try (CheckClient warmup = new CheckClient(vertx, service.address(), ADDRESS, 4)) {
            for (String module : List.of("http-status", "page-metadata")) {
                List<Future<CheckClient.Response>> responses = new ArrayList<>();
                for (int i = 0; i < 400; i++) {
                    responses.add(warmup.check(module, site.url("/ok/warmup" + i), ""));
                }
                responses.add(warmup.check(module, site.url("/ok/known"), ""));
                responses.forEach(Await::value);
            }
        }
        return new LatencyMonitor(vertx, service, site);
    }

    private Series start(ScenarioService service, String name, IntFunction<CheckLoad.Check> check) {
        CheckClient client = client(service.address());
        return repeat(new Series(name), i -> {
            CheckLoad.Check each = check.apply(i);
            return client.check(each.module(), each.target(), each.query());
        });
    }

    private Series repeat(Series one, IntFunction<Future<CheckClient.Response>> request) {
        series.add(one);
        repeat(one, request, 0);
        return one;
    }

    private void repeat(Series one, IntFunction<Future<CheckClient.Response>> request, int number) {
        if (stopped) {
            return;
        }
        request.apply(number).onSuccess(response -> {
            if (!stopped) {
                one.add(response);
                vertx.setTimer(PAUSE_MS, later -> repeat(one, request, number + 1));
            }
        });
    }

    /** Ends the requests and prints their times. */
    String stop() {
        stopped = true;
        return String.join("\n", series.stream().map(Series::summary).toList());
    }

    /** Fails if requests were slower than permitted or had no verdict. */
    void assertLatency() {
        assertThat(cached.millis(0.99)).as("p99 of a cached check, ms").isLessThanOrEqualTo(CACHED_P99_MS);
        assertThat(fresh.millis(0.99)).as("p99 of a fresh http-status, ms").isLessThanOrEqualTo(FRESH_P99_MS);
    }

    /** Fails if a check of a page had no verdict. */
    void assertPagesChecked() {
        assertThat(metadata.failures).as("page-metadata without a verdict").isEmpty();
    }

    @Override
    public void close() {
        stopped = true;
        clients.forEach(CheckClient::close);
    }
}
