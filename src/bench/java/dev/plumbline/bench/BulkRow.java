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
 * Bulk {@code http-status} jobs, from the first POST to the last stored result, beside curl
 * fetching the same list from the same nginx: one fresh connection for each line.
 */
final class BulkRow implements Row {
    private static final int LEAST_JOBS = 20;
    private static final int MOST_JOBS = 120;
    private static final Duration PATIENCE = Duration.ofMinutes(5);

    private final String id;
    private final String what;
    private final boolean tls;
    private final JsonObject jobOptions;
    private final double goal;
    private final String note;
    private int lists;

    /**
     * @param jobOptions of our jobs
     */
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
     * @param rate right lines per second
     * @param wrong lines that were not fetched over a connection of their own with a good end
     * @param cpuMicros of the process for each line
     * @param databaseMicros of our PostgreSQL for each line
     * @param refusals requests that were answered 503 and made again
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
            List<String> list = list(nginx, jobs * JobsClient.MOST_LINES);
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
        return List.of(line(ours, theirs, jobs * JobsClient.MOST_LINES));
    }

    /** Loads each side as long as asked for; how many jobs fill a round. */
    private int warmUp(BenchStage stage, JobsClient client, CurlRow curl) throws IOException, InterruptedException {
        BenchOptions options = stage.options();
        int jobs = LEAST_JOBS;
        Warmup warmup = new Warmup(stage.service().process(), options.warmup());
        do {
            List<String> list = list(stage.nginx(), jobs * JobsClient.MOST_LINES);
            double rate = ours(stage.service(), client, stage.nginx(), list).rate;
            double wanted = rate * options.round().toSeconds() / JobsClient.MOST_LINES;
            jobs = (int) Math.max(LEAST_JOBS, Math.min(MOST_JOBS, Math.ceil(wanted)));
        } while (!warmup.isOver());
        theirs(curl, stage.nginx(), list(stage.nginx(), jobs * JobsClient.MOST_LINES));
        return jobs;
    }

    /** URLs that nobody has asked for yet. */
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
            JsonObject job = client.awaitEnd(token, PATIENCE);
            Instant finished = JobsClient.finishedAt(job);
            end = finished.isAfter(end) ? finished : end;
            good += job.getJsonObject("counts").getInteger("pass");
        }
        long right = Math.min(good, asked(nginx, before, list));
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
        long right = run.exitCode() == 0 ? asked(nginx, before, list) : 0;
        return new Lap(right / run.seconds(), list.size() - right, run.cpuMillis() * 1e3 / list.size(), 0, 0);
    }

    /** How many lines nginx was asked for, each over a connection of its own. */
    private static long asked(NginxTarget nginx, NginxTarget.Counts before, List<String> list) throws IOException {
        NginxTarget.Counts counts = nginx.counts().since(before);
        // less the one connection that asks for the counts
        long asked = Math.min(counts.connections(), counts.requests()) - 1;
        return Math.min(asked, list.size());
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
                        "%s lines/s, %.0f µs CPU each and %.0f in PostgreSQL",
                        spread(ours, Lap::rate).text(0),
                        spread(ours, Lap::cpuMicros).median(),
                        spread(ours, Lap::databaseMicros).median()),
                String.format(
                        Locale.ROOT,
                        "%s/s, %.0f µs CPU each",
                        spread(theirs, Lap::rate).text(0),
                        spread(theirs, Lap::cpuMicros).median()),
                BulkLine.atLeast(goal, ratio.median()),
                String.format(
                        Locale.ROOT,
                        "ours %,d errors (and %,d requests answered 503 and repeated), theirs %,d, of %,d lines"
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
