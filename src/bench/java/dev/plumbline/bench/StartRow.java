package dev.plumbline.bench;

import java.io.IOException;
import java.net.http.HttpClient;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** From the start of the process to the first response, with an existing database. */
final class StartRow implements Row {
    private static final String WHAT = "Start until the first response, existing embedded database";
    private static final double GOAL_MS = 3_000;
    private static final int STARTS = 5;
    private static final long GIVE_UP_SECONDS = 60;
    private static final long POLL_MS = 5;

    private final HttpClient client = HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .connectTimeout(Duration.ofSeconds(5))
            .build();

    @Override
    public String id() {
        return "start";
    }

    @Override
    public List<BulkLine> measure(BenchStage stage) throws IOException, InterruptedException {
        Path data = stage.folder().resolve("start-data");
        Start first = startOnce(stage, data);
        List<Double> times = new ArrayList<>();
        List<Double> cpu = new ArrayList<>();
        for (int i = 0; i < STARTS; i++) {
            Start start = startOnce(stage, data);
            times.add(start.millis());
            cpu.add(start.cpuMillis());
        }
        Distribution spread = Distribution.of(times);
        return List.of(new BulkLine(
                WHAT,
                spread.text(0) + " ms",
                "",
                "",
                BulkLine.atMost(GOAL_MS, "ms", spread.median()),
                String.format(
                        Locale.ROOT,
                        "%d starts, %s ms of CPU time of the JVM; the first start, which creates the"
                                + " database, took %,.0f ms",
                        STARTS,
                        Distribution.of(cpu).text(0),
                        first.millis())));
    }

    private record Start(double millis, double cpuMillis) {}

    private Start startOnce(BenchStage stage, Path data) throws IOException, InterruptedException {
        int port = ServiceUnderLoad.freePort();
        String url = "http://127.0.0.1:" + port + "/api/v1/tools";
        long began = System.nanoTime();
        try (ChildProcess child = ServiceUnderLoad.launch(stage.options(), stage.folder(), data, port, Map.of())) {
            long end = began + TimeUnit.SECONDS.toNanos(GIVE_UP_SECONDS);
            child.awaitPort(port, GIVE_UP_SECONDS);
            while (System.nanoTime() < end) {
                if (responds(url)) {
                    return new Start((System.nanoTime() - began) / 1e6, child.cpuMillis());
                }
                Thread.sleep(POLL_MS);
            }
            throw new IOException("no response within " + GIVE_UP_SECONDS + " s of the start");
        }
    }

    private boolean responds(String url) throws InterruptedException {
        try {
            HttpResponse<byte[]> response = ServiceUnderLoad.get(client, url);
            return response.statusCode() == 200;
        } catch (IOException notYet) {
            return false;
        }
    }
}
