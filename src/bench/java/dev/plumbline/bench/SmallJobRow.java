package dev.plumbline.bench;

import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** A one-line job with a million waiting lines of another account, from POST to result. */
final class SmallJobRow implements Row {
    private static final double GOAL_MS = 2_000;
    private static final int JOBS = 20;
    private static final long PAUSE_MS = 500;
    private static final long POLL_MS = 10;

    @Override
    public String id() {
        return "small-job";
    }

    @Override
    public List<BulkLine> measure(BenchStage stage) throws IOException, InterruptedException {
        Backlog backlog = stage.backlog();
        backlog.fill();
        JobsClient client =
                new JobsClient(backlog.service(), backlog.service().tenants().newKey());
        List<Double> waits = new ArrayList<>();
        for (int i = 0; i < JOBS; i++) {
            Thread.sleep(PAUSE_MS);
            waits.add(wait(client, stage.nginx().site(false) + "/small-" + i));
        }
        long left = backlog.mustWait();
        Distribution spread = Distribution.of(waits);
        return List.of(new BulkLine(
                "One-line job with 1,000,000 waiting lines of another account, from POST to result",
                spread.text(0) + " ms",
                "",
                "",
                BulkLine.atMost(GOAL_MS, "ms", spread.max()),
                String.format(
                        Locale.ROOT,
                        "the maximum counts; %d jobs, polled every %d ms; at least %,d lines"
                                + " waiting and in progress",
                        JOBS,
                        POLL_MS,
                        left)));
    }

    private static double wait(JobsClient client, String url) throws IOException, InterruptedException {
        String body = JobsClient.body(List.of(url), new JsonObject());
        long began = System.nanoTime();
        String token = client.create(body);
        JsonObject counts = client.head(token).getJsonObject("counts");
        while (counts.getInteger("done") == 0) {
            Thread.sleep(POLL_MS);
            counts = client.head(token).getJsonObject("counts");
        }
        double millis = (System.nanoTime() - began) / 1e6;
        if (counts.getInteger("pass") != 1) {
            throw new IOException("not a pass: " + counts);
        }
        return millis;
    }
}
