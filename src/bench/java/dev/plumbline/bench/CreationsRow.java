package dev.plumbline.bench;

import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.IntStream;

/**
 * Job creations of 500 lines each, with many keys. First measurement: all check permits are in use by lines that wait
 * for a silent server. Second measurement: the lines run at the same time; they are fast, because their address is
 * blocked.
 */
final class CreationsRow implements Row {
    private static final int KEYS = 50;
    private static final int CONNECTIONS = 32;

    @Override
    public String id() {
        return "creations";
    }

    @Override
    public List<BulkLine> measure(BenchStage stage) throws IOException, InterruptedException {
        try (SilentServer silent = new SilentServer();
                ServiceUnderLoad alone = stage.another("creations-alone", Map.of());
                ServiceUnderLoad running = stage.another("creations-running", Map.of())) {
            Wrk wrk = stage.wrk();
            List<String> endless = lines(silent.site());
            JsonObject patient = new JsonObject().put("timeout_ms", 30_000);
            BulkLine quiet = measure(
                    stage,
                    wrk,
                    alone,
                    JobsClient.body(endless, patient),
                    "Job creations, 500 lines each, all check permits in use",
                    "each running line waits 30 s for a silent server");
            BulkLine busy = measure(
                    stage,
                    wrk,
                    running,
                    JobsClient.body(lines("http://10.0.0.1"), new JsonObject()),
                    "Same, while lines run",
                    "each line is a blocked address");
            return List.of(quiet, busy);
        }
    }

    private static List<String> lines(String site) {
        return IntStream.range(0, JobsClient.MAX_LINES)
                .mapToObj(i -> site + "/" + i)
                .toList();
    }

    private BulkLine measure(
            BenchStage stage, Wrk wrk, ServiceUnderLoad service, String request, String what, String note)
            throws IOException, InterruptedException {
        Path keys = Files.createTempFile(stage.folder(), "keys", "");
        Files.write(keys, service.tenants().newKeys(KEYS));
        Path body = Files.createTempFile(stage.folder(), "job", ".json");
        Files.writeString(body, request);
        BenchOptions options = stage.options();
        wrk.creations(service.process(), service.address(), keys, body, CONNECTIONS, options.warmup());
        List<Double> rates = new ArrayList<>();
        List<Double> cpu = new ArrayList<>();
        List<Double> databaseCpu = new ArrayList<>();
        List<Double> done = new ArrayList<>();
        List<Double> p99 = new ArrayList<>();
        long requests = 0;
        long errors = 0;
        String example = "";
        for (int round = 1; round <= options.rounds(); round++) {
            long databaseBefore = service.postgres().cpuMillis();
            long claimedBefore = service.tenants().claimedLines();
            Wrk.Load load =
                    wrk.creations(service.process(), service.address(), keys, body, CONNECTIONS, options.round());
            long created = load.requests() - load.errors();
            long claimed = service.tenants().claimedLines() - claimedBefore;
            rates.add(load.rate());
            cpu.add(load.cpuMicros());
            databaseCpu.add((service.postgres().cpuMillis() - databaseBefore) * 1e3 / Math.max(1, load.requests()));
            done.add(claimed * load.rate() / Math.max(1, created));
            p99.add(load.p99Millis());
            requests += load.requests();
            errors += load.errors();
            example = example.isEmpty() ? load.example() : example;
            System.out.printf(
                    Locale.ROOT,
                    "  creations, round %d: %,.0f/s, p99 %.0f ms, %,d lines claimed; errors %d %s%n",
                    round,
                    load.rate(),
                    load.p99Millis(),
                    claimed,
                    load.errors(),
                    load.example());
        }
        return new BulkLine(
                what,
                Distribution.of(rates).text(0) + "/s",
                String.format(
                        Locale.ROOT,
                        "p99 %.0f ms, %,.0f µs CPU + %,.0f in PostgreSQL",
                        Distribution.of(p99).median(),
                        Distribution.of(cpu).median(),
                        Distribution.of(databaseCpu).median()),
                "",
                "",
                String.format(
                        Locale.ROOT,
                        "%,d errors of %,d%s; %d keys, one per account, %d connections; %s; %,.0f lines/s"
                                + " claimed at the same time",
                        errors,
                        requests,
                        example.isEmpty() ? "" : " (the first: " + example + ")",
                        KEYS,
                        CONNECTIONS,
                        note,
                        Distribution.of(done).median()));
    }
}
