package dev.plumbline.bench;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.IntStream;

/**
 * Filters, expectations, summary and comparison of jobs with 500 large results. In a round, the job is read without
 * them before each of them. A comparison reads two jobs.
 */
final class PortfolioRow implements Row {
    private static final Duration TIMEOUT = Duration.ofMinutes(2);
    private static final int MIN_BYTES = 28_000_000;
    private static final int WARMUP_READS = 5;

    private enum View {
        FINDING("finding that no line has", "?limit=500&finding=dangling_alias", 1),
        TEXT("q that no line contains", "?limit=500&q=nowhere", 1),
        FIELDS("fields=records", "?limit=500&fields=records", 1),
        SUMMARY("summary", "/summary", 1),
        EXPECTATION("expectation on a small field", "?limit=500&expect=error_code%20%3D%3D%20null", 1, 1.2),
        LARGE_EXPECTATION("expectation on records", "?limit=500&expect=size%28records%29%20%3E%200", 1, 1.2),
        DIFF("diff, per job", "/diff?limit=1&against=", 2);

        private final String what;
        private final String suffix;
        private final int jobs;
        private final double goal;

        View(String what, String suffix, int jobs) {
            this(what, suffix, jobs, 1.5);
        }

        View(String what, String suffix, int jobs, double goal) {
            this.what = what;
            this.suffix = suffix;
            this.jobs = jobs;
            this.goal = goal;
        }
    }

    @Override
    public String id() {
        return "portfolio";
    }

    @Override
    public List<BulkLine> measure(BenchStage stage) throws IOException, InterruptedException {
        ServiceUnderLoad service = stage.resolving();
        JobsClient client = new JobsClient(service, service.tenants().newKey());
        List<String> items = IntStream.range(0, JobsClient.MAX_LINES)
                .mapToObj(i -> "n" + i + "." + TargetNames.LARGE)
                .toList();
        JsonObject options =
                new JsonObject().put("types", new JsonArray().add("TXT")).put("fresh", true);
        List<String> tokens = new ArrayList<>();
        for (int i = 0; i < 2; i++) {
            String token = client.create(JobsClient.body("dns-records", items, options));
            client.awaitEnd(token, TIMEOUT);
            tokens.add(token);
        }
        String error = client.firstError(tokens.get(0));
        if (!error.isEmpty()) {
            throw new IOException("dns-records: " + error);
        }
        List<BulkLine> lines = new ArrayList<>();
        for (View view : View.values()) {
            lines.add(measure(stage, client, view, tokens));
        }
        return lines;
    }

    private static BulkLine measure(BenchStage stage, JobsClient client, View view, List<String> tokens)
            throws IOException, InterruptedException {
        String token = tokens.get(1);
        String suffix = view == View.DIFF ? view.suffix + tokens.get(0) : view.suffix;
        List<Double> ratios = new ArrayList<>();
        List<Double> plain = new ArrayList<>();
        List<Double> viewed = new ArrayList<>();
        int rounds = WARMUP_READS + stage.options().rounds();
        for (int round = 0; round < rounds; round++) {
            double reading = 0;
            for (int job = 0; job < view.jobs; job++) {
                reading += read(client, tokens.get(job), "?limit=500", MIN_BYTES);
            }
            double viewing = read(client, token, suffix, 0);
            if (round >= WARMUP_READS) {
                ratios.add(viewing / reading);
                plain.add(reading);
                viewed.add(viewing);
            }
        }
        Distribution ratio = Distribution.of(ratios);
        System.out.printf(Locale.ROOT, "  portfolio, %s: ratio %s%n", view.what, ratio.text(2));
        return new BulkLine(
                "Job of 500 results of 60 KB: " + view.what + " ÷ reading " + (view.jobs == 1 ? "it" : "both"),
                ratio.text(2),
                Distribution.of(viewed).text(0) + " ms",
                Distribution.of(plain).text(0) + " ms",
                BulkLine.atMost(view.goal, ratio.median()),
                "");
    }

    /** Returns the duration in milliseconds. */
    private static double read(JobsClient client, String token, String suffix, int minBytes)
            throws IOException, InterruptedException {
        long began = System.nanoTime();
        HttpResponse<String> response = client.read(token, suffix);
        double millis = (System.nanoTime() - began) / 1e6;
        if (response.statusCode() != 200 || response.body().length() < minBytes) {
            throw new IOException(suffix + ": status " + response.statusCode() + ", "
                    + response.body().length() + " bytes");
        }
        return millis;
    }
}
