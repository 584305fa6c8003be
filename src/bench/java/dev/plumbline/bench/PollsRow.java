package dev.plumbline.bench;

import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * Polls of a running job of 500 lines. 450 lines have a result and the others wait for a silent server, so that the job
 * does not change during the measurement.
 */
final class PollsRow implements Row {
    private static final int DONE = 450;
    private static final int WAITING = JobsClient.MAX_LINES - DONE;
    private static final int CHECK_TIMEOUT_MS = 30_000;
    private static final Duration SETTLED = Duration.ofSeconds(60);
    private static final long LOOK_MS = 50;

    private int jobs;

    private enum Kind {
        HEAD("Poll of a running job, results=false", "?results=false", false),
        HEAD_SAME("Same, not modified (304)", "?results=false", true),
        ALL("Poll of a running job with 500 lines, 450 done", "", false),
        ALL_SAME("Same, not modified (304)", "", true);

        private final String what;
        private final String query;
        private final boolean conditional;

        Kind(String what, String query, boolean conditional) {
            this.what = what;
            this.query = query;
            this.conditional = conditional;
        }
    }

    @Override
    public String id() {
        return "polls";
    }

    @Override
    public List<BulkLine> measure(BenchStage stage) throws IOException, InterruptedException {
        List<BulkLine> lines = new ArrayList<>();
        try (SilentServer silent = new SilentServer()) {
            for (Kind kind : Kind.values()) {
                lines.add(measure(stage, silent, kind));
            }
        }
        return lines;
    }

    private BulkLine measure(BenchStage stage, SilentServer silent, Kind kind)
            throws IOException, InterruptedException {
        Wrk wrk = stage.wrk();
        ServiceUnderLoad service = stage.service();
        String key = service.tenants().newKey();
        JobsClient client = new JobsClient(service, key);
        BenchOptions options = stage.options();
        stage.setLoaded();
        List<Wrk.Load> loads = new ArrayList<>();
        List<Double> databaseCpu = new ArrayList<>();
        int bytes = 0;
        Duration warmup = options.warmup();
        for (int round = 0; round <= options.rounds(); round++) {
            String token = runningJob(stage, silent, client);
            HttpResponse<String> before = client.read(token, kind.query);
            String tag = before.headers().firstValue("ETag").orElse("");
            List<String> headers = new ArrayList<>(List.of("X-Api-Key: " + key));
            if (kind.conditional) {
                headers.add("If-None-Match: " + tag);
            }
            long databaseBefore = service.postgres().cpuMillis();
            // the job must still run after the warm-up
            Duration most = Duration.ofMillis(CHECK_TIMEOUT_MS * 2L / 3);
            Duration duration = round == 0 && warmup.compareTo(most) > 0 ? most : warmup;
            Wrk.Load load = wrk.same(
                    service.process(),
                    service.address(),
                    JobsClient.path(token) + kind.query,
                    headers,
                    round == 0 ? duration : options.round());
            double database = (service.postgres().cpuMillis() - databaseBefore) * 1e3 / Math.max(1, load.requests());
            mustBeAsItWas(client, token, kind, tag);
            client.cancel(token);
            if (round > 0) {
                loads.add(load);
                databaseCpu.add(database);
                bytes = kind.conditional ? 0 : before.body().length();
                System.out.printf(
                        Locale.ROOT,
                        "  polls, %s, round %d: %,.0f/s; errors %d%n",
                        kind,
                        round,
                        load.rate(),
                        load.errors());
            }
        }
        return line(kind, loads, databaseCpu, bytes);
    }

    private String runningJob(BenchStage stage, SilentServer silent, JobsClient client)
            throws IOException, InterruptedException {
        String good = stage.nginx().site(false) + "/polls-" + ++jobs + "-";
        String endless = silent.site() + "/polls-" + jobs + "-";
        List<String> items = Stream.concat(
                        IntStream.range(0, DONE).mapToObj(i -> good + i),
                        IntStream.range(0, WAITING).mapToObj(i -> endless + i))
                .toList();
        String token = client.create(JobsClient.body(items, new JsonObject().put("timeout_ms", CHECK_TIMEOUT_MS)));
        long end = System.nanoTime() + SETTLED.toNanos();
        while (System.nanoTime() < end) {
            JsonObject counts = client.head(token).getJsonObject("counts");
            if (counts.getInteger("done") == DONE && counts.getInteger("running") == WAITING) {
                return token;
            }
            Thread.sleep(LOOK_MS);
        }
        throw new IOException("unexpected state of the job: " + client.head(token));
    }

    private static void mustBeAsItWas(JobsClient client, String token, Kind kind, String tag)
            throws IOException, InterruptedException {
        HttpResponse<String> after = client.read(token, kind.query, "If-None-Match", tag);
        if (after.statusCode() != 304) {
            throw new IOException("the job changed during the measurement: " + after.statusCode());
        }
    }

    private static BulkLine line(Kind kind, List<Wrk.Load> loads, List<Double> databaseCpu, int bytes) {
        long errors = loads.stream().mapToLong(Wrk.Load::errors).sum();
        long requests = loads.stream().mapToLong(Wrk.Load::requests).sum();
        return new BulkLine(
                kind.what,
                Distribution.of(loads.stream().map(Wrk.Load::rate).toList()).text(0) + "/s",
                String.format(
                        Locale.ROOT,
                        "p99 %.1f ms, %.0f µs CPU + %.0f in PostgreSQL",
                        Distribution.of(loads.stream().map(Wrk.Load::p99Millis).toList())
                                .median(),
                        Distribution.of(loads.stream().map(Wrk.Load::cpuMicros).toList())
                                .median(),
                        Distribution.of(databaseCpu).median()),
                "",
                "",
                String.format(
                        Locale.ROOT,
                        "%,d errors of %,d; one job%s",
                        errors,
                        requests,
                        bytes == 0 ? "" : String.format(Locale.ROOT, "; %,d-byte body", bytes)));
    }
}
