package dev.plumbline.bench;

import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.ToDoubleFunction;
import java.util.stream.IntStream;

/**
 * Bulk {@code http-status} jobs, from the first POST to the last stored result, compared with curl, which fetches the
 * same list from the same nginx. Each line uses a new connection.
 */
final class BulkRow implements Row {
    private static final int MIN_JOBS = 20;
    private static final int MAX_JOBS = 120;
    private static final Duration TIMEOUT = Duration.ofMinutes(5);

    private final String id;
    private final String what;
    private final boolean tls;
    private final JsonObject jobOptions;
    private final double goal;
    private final String note;
    private int lists;

    /** @param jobOptions options of the jobs */
    BulkRow(String id, String what, boolean tls, JsonObject jobOptions, double goal, String note) {
        this.id = id;
        this.what = what;
        this.tls = tls;
        this.jobOptions = jobOptions;
        this.goal = goal;
        this.note = note;
    }

    /**
     * One side of a round.
     *
     * @param rate correct lines per second
     * @param wrong lines that failed or were not fetched over their own connection
     * @param cpuMicros CPU time of the process per line
     * @param databaseMicros CPU time of PostgreSQL per line
     * @param refusals requests that received 503 and were retried
     */
    private record Lap(double rate, long wrong, double cpuMicros, double databaseMicros, long refusals) {}

    @Override
    public String id() {
        return id;
    }

    @Override
    public List<BulkLine> measure(BenchStage stage) throws IOException, InterruptedException {
        CurlRow curl = new CurlRow(stage.folder());
        NginxTarget nginx = stage.nginx();
        ServiceUnderLoad service = stage.service();
        JobsClient client = new JobsClient(service, service.tenants().newKey());
        BenchOptions options = stage.options();
        stage.setLoaded();
        int jobs = warmUp(stage, client, curl);
        List<Lap> ours = new ArrayList<>();
        List<Lap> theirs = new ArrayList<>();
        for (int round = 1; round <= options.rounds(); round++) {
            List<String> list = list(nginx, jobs * JobsClient.MAX_LINES);
            Lap a = ours(service, client, nginx, list);
            Lap b = theirs(curl, nginx, list);
            ours.add(a);
            theirs.add(b);
            System.out.printf(
                    Locale.ROOT,
                    "  %s, round %d: %,d lines, %,.0f/s (%.0f + %.0f µs) and %,.0f/s (%.0f µs), ratio %.2f;"
                            + " errors %d and %d%n",
                    id,
                    round,
                    list.size(),
                    a.rate,
                    a.cpuMicros,
                    a.databaseMicros,
                    b.rate,
                    b.cpuMicros,
                    a.rate / b.rate,
                    a.wrong,
                    b.wrong);
        }
        return List.of(line(ours, theirs, jobs * JobsClient.MAX_LINES));
    }

    /** Warms up each side and returns the number of jobs that fill a round. */
    private int warmUp(BenchStage stage, JobsClient client, CurlRow curl) throws IOException, InterruptedException {
        BenchOptions options = stage.options();
        int jobs = MIN_JOBS;
        Warmup warmup = new Warmup(stage.service().process(), options);
        do {
            List<String> list = list(stage.nginx(), jobs * JobsClient.MAX_LINES);
            double rate = ours(stage.service(), client, stage.nginx(), list).rate;
            double wanted = rate * options.round().toSeconds() / JobsClient.MAX_LINES;
            jobs = (int) Math.max(MIN_JOBS, Math.min(MAX_JOBS, Math.ceil(wanted)));
        } while (!warmup.isOver());
        theirs(curl, stage.nginx(), list(stage.nginx(), jobs * JobsClient.MAX_LINES));
        return jobs;
    }

    /** URLs that have not been requested yet. */
    private List<String> list(NginxTarget nginx, int lines) {
        String before = nginx.site(tls) + "/" + id + "-" + ++lists + "-";
        return IntStream.range(0, lines).mapToObj(i -> before + i).toList();
    }

    private Lap ours(ServiceUnderLoad service, JobsClient client, NginxTarget nginx, List<String> list)
            throws IOException, InterruptedException {
        List<String> bodies = JobsClient.bodies("http-status", list, jobOptions);
        long cpu = service.process().cpuMillis();
        long databaseCpu = service.postgres().cpuMillis();
        long refusals = client.refusals();
        NginxTarget.Counts before = nginx.counts();
        Instant began = Instant.now();
        List<String> tokens = client.createAll(bodies);
        Instant end = began;
        int good = 0;
        for (String token : tokens) {
            JsonObject job = client.awaitEnd(token, TIMEOUT);
            Instant finished = JobsClient.finishedAt(job);
            end = finished.isAfter(end) ? finished : end;
            good += job.getJsonObject("counts").getInteger("pass");
        }
        long right = Math.min(good, received(nginx, before, list));
        return new Lap(
                right / (Duration.between(began, end).toNanos() / 1e9),
                list.size() - right,
                (service.process().cpuMillis() - cpu) * 1e3 / list.size(),
                (service.postgres().cpuMillis() - databaseCpu) * 1e3 / list.size(),
                client.refusals() - refusals);
    }

    private Lap theirs(CurlRow curl, NginxTarget nginx, List<String> list) throws IOException, InterruptedException {
        NginxTarget.Counts before = nginx.counts();
        ProgramRun run = curl.fetch(list);
        long right = run.exitCode() == 0 ? received(nginx, before, list) : 0;
        return new Lap(right / run.seconds(), list.size() - right, run.cpuMillis() * 1e3 / list.size(), 0, 0);
    }

    /** The number of lines that nginx received, each over its own connection. */
    private static long received(NginxTarget nginx, NginxTarget.Counts before, List<String> list) throws IOException {
        NginxTarget.Counts counts = nginx.counts().since(before);
        // without the connection that reads the counters
        long received = Math.min(counts.connections(), counts.requests()) - 1;
        return Math.min(received, list.size());
    }

    private BulkLine line(List<Lap> ours, List<Lap> theirs, int lines) {
        List<Double> ratios = new ArrayList<>();
        for (int i = 0; i < ours.size(); i++) {
            ratios.add(ours.get(i).rate / theirs.get(i).rate);
        }
        Distribution ratio = Distribution.of(ratios);
        return new BulkLine(
                what,
                ratio.text(2),
                String.format(
                        Locale.ROOT,
                        "%s lines/s, %.0f µs CPU + %.0f in PostgreSQL",
                        spread(ours, Lap::rate).text(0),
                        spread(ours, Lap::cpuMicros).median(),
                        spread(ours, Lap::databaseMicros).median()),
                String.format(
                        Locale.ROOT,
                        "%s/s, %.0f µs CPU",
                        spread(theirs, Lap::rate).text(0),
                        spread(theirs, Lap::cpuMicros).median()),
                BulkLine.atLeast(goal, ratio.median()),
                String.format(
                        Locale.ROOT,
                        "Plumbline %,d errors (%,d requests retried after 503), reference %,d, of %,d lines"
                                + " in each of %d rounds; %s",
                        wrong(ours),
                        ours.stream().mapToLong(Lap::refusals).sum(),
                        wrong(theirs),
                        lines,
                        ours.size(),
                        note));
    }

    private static long wrong(List<Lap> laps) {
        return laps.stream().mapToLong(Lap::wrong).sum();
    }

    private static Distribution spread(List<Lap> laps, ToDoubleFunction<Lap> figure) {
        return Distribution.of(laps.stream().mapToDouble(figure).boxed().toList());
    }
}
