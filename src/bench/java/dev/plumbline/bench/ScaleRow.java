package dev.plumbline.bench;

import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.nio.file.Files;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * Bulk {@code http-status} jobs of targets that take a second, on one, two and four run nodes of a cluster, from the
 * first POST to the last stored result. The number of lines per run node is constant.
 */
final class ScaleRow implements Row {
    private static final int CONCURRENT = 256;

    /** Lines per second of a node, of which 168 are checked at the same time. */
    private static final int LINES_PER_SECOND = 168;

    /** A round is longer than with other rows, because the last second of a job has free permits. */
    private static final int SECONDS_PER_ROUND_SECOND = 4;

    /** The processes use little CPU time, so the share of the JIT compiler does not show when it has finished. */
    private static final int MAX_WARM_UP_LAPS = 2;

    private static final Duration TIMEOUT = Duration.ofMinutes(3);
    private static final Map<Integer, Double> GOALS = Map.of(2, 1.9, 4, 3.6);

    private final String id;
    private final String what;
    private final boolean allRoles;

    /** @param allRoles whether each run node also has the other roles; otherwise a further node has them */
    ScaleRow(String id, String what, boolean allRoles) {
        this.id = id;
        this.what = what;
        this.allRoles = allRoles;
    }

    private record Lap(double rate, long wrong, double cpuMicros) {}

    @Override
    public String id() {
        return id;
    }

    @Override
    public List<BulkLine> measure(BenchStage stage) throws IOException, InterruptedException {
        List<BulkLine> lines = new ArrayList<>();
        double single = Double.NaN;
        try (SlowTargets targets = stage.opened(SlowTargets.start(Files.createTempDirectory(stage.folder(), id)))) {
            // a single cold round of five processes on two cores would measure their JIT compilers
            for (int nodes : stage.options().rounds() == 1 ? new int[] {1, 2} : new int[] {1, 2, 4}) {
                List<Lap> laps = laps(stage, targets, nodes);
                Distribution rate = Distribution.of(laps.stream().map(Lap::rate).toList());
                single = nodes == 1 ? rate.median() : single;
                int count = lines(stage.options(), nodes);
                lines.add(line(nodes, count, laps, rate, rate.median() / single));
            }
        }
        return lines;
    }

    private List<Lap> laps(BenchStage stage, SlowTargets targets, int nodes) throws IOException, InterruptedException {
        Map<String, String> settings = Map.of(
                "PLUMBLINE_CHECKS_CONCURRENT",
                Integer.toString(CONCURRENT),
                "PLUMBLINE_DNS_SERVERS",
                targets.nameserver(),
                // the default limits
                "PLUMBLINE_TARGETS_PER_IP_PER_SECOND",
                "20",
                "PLUMBLINE_TARGETS_PER_IP_CONCURRENT",
                "8");
        List<Lap> laps = new ArrayList<>();
        try (ClusterUnderLoad cluster =
                stage.opened(new ClusterUnderLoad(stage.options(), Files.createTempDirectory(stage.folder(), id)))) {
            ServiceUnderLoad front = null;
            for (int i = 0; i < nodes; i++) {
                ServiceUnderLoad node = cluster.start(allRoles ? "http,run,coordinate" : "run", settings);
                front = allRoles && front == null ? node : front;
            }
            // ready after all run nodes are known
            front = front == null ? cluster.start("http,coordinate", settings) : front;
            JobsClient client = new JobsClient(front, cluster.tenants().newKey());
            int lines = lines(stage.options(), nodes);
            for (int lap = 0; lap < Math.min(MAX_WARM_UP_LAPS, stage.options().rounds() - 1); lap++) {
                lap(cluster, client, targets, lines);
            }
            for (int round = 1; round <= stage.options().rounds(); round++) {
                Lap lap = lap(cluster, client, targets, lines);
                laps.add(lap);
                System.out.printf(
                        Locale.ROOT,
                        "  %s, %d run nodes, round %d: %,.0f lines/s, %.0f µs CPU per line, errors %d%n",
                        id,
                        nodes,
                        round,
                        lap.rate,
                        lap.cpuMicros,
                        lap.wrong);
            }
        }
        return laps;
    }

    /** The number of lines of a round, in complete jobs. */
    private static int lines(BenchOptions options, int nodes) {
        double perNode = (double) options.round().toSeconds() * SECONDS_PER_ROUND_SECOND * LINES_PER_SECOND;
        return nodes * (int) Math.ceil(perNode / JobsClient.MAX_LINES) * JobsClient.MAX_LINES;
    }

    private static Lap lap(ClusterUnderLoad cluster, JobsClient client, SlowTargets targets, int count)
            throws IOException, InterruptedException {
        List<String> bodies = JobsClient.bodies("http-status", targets.urls(count), new JsonObject());
        long cpu = cpuMillis(cluster);
        long before = targets.responses();
        Instant began = Instant.now();
        Instant end = began;
        int good = 0;
        for (String token : client.createAll(bodies)) {
            JsonObject job = client.awaitEnd(token, TIMEOUT);
            Instant finished = JobsClient.finishedAt(job);
            end = finished.isAfter(end) ? finished : end;
            good += job.getJsonObject("counts").getInteger("pass");
        }
        long right = Math.min(good, targets.responses() - before);
        return new Lap(
                right / (Duration.between(began, end).toNanos() / 1e9),
                count - right,
                (cpuMillis(cluster) - cpu) * 1e3 / count);
    }

    private static long cpuMillis(ClusterUnderLoad cluster) throws IOException {
        long sum = 0;
        for (ServiceUnderLoad node : cluster.nodes()) {
            sum += node.process().cpuMillis();
        }
        return sum;
    }

    private BulkLine line(int nodes, int count, List<Lap> laps, Distribution rate, double ratio) {
        Double goal = GOALS.get(nodes);
        return new BulkLine(
                what + ", run nodes: " + nodes,
                String.format(Locale.ROOT, "%.2f", ratio),
                String.format(
                        Locale.ROOT,
                        "%s lines/s, %.0f µs CPU",
                        rate.text(0),
                        Distribution.of(laps.stream().map(Lap::cpuMicros).toList())
                                .median()),
                "",
                goal == null ? "" : BulkLine.atLeast(goal, ratio),
                String.format(
                        Locale.ROOT,
                        "%,d errors of %,d lines in each of %d rounds; checks.concurrent=%d",
                        laps.stream().mapToLong(Lap::wrong).sum(),
                        count,
                        laps.size(),
                        CONCURRENT));
    }
}
