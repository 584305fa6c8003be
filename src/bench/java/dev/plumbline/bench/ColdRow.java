package dev.plumbline.bench;

import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.IntStream;

/**
 * The CPU time of the first lines of a new process, each with another target. Most of it is used by the JIT compiler
 * and by code that is not compiled yet.
 */
final class ColdRow implements Row {
    private static final Duration TIMEOUT = Duration.ofMinutes(2);

    /** The CPU time of the end of the start is not part of the first lines. */
    private static final long SETTLE_MS = 1_500;

    private static final int COMPOSITES = 10;

    /** The module, its targets, and the numbers of lines of consecutive jobs. */
    private record Load(String module, ModuleRow.Targets targets, List<Integer> lines) {}

    @Override
    public String id() {
        return "cold";
    }

    @Override
    public List<BulkLine> measure(BenchStage stage) throws IOException, InterruptedException {
        List<Integer> thousand = List.of(100, 450, 450);
        List<Load> loads = List.of(
                new Load("http-status", ModuleRow.pages(false, "/"), thousand),
                new Load("ssl-certificate", ModuleRow.servers(), thousand),
                new Load("overview", ModuleRow.mailDomains("m"), List.of(1, COMPOSITES)));
        List<BulkLine> lines = new ArrayList<>();
        for (Load load : loads) {
            lines.add(measure(stage, load));
        }
        return lines;
    }

    private static BulkLine measure(BenchStage stage, Load load) throws IOException, InterruptedException {
        StringBuilder times = new StringBuilder();
        try (ServiceUnderLoad service = stage.anotherResolving("cold-" + load.module)) {
            Thread.sleep(SETTLE_MS);
            JobsClient jobs = new JobsClient(service, service.tenants().newKey());
            int from = 1;
            for (int lines : load.lines) {
                long before = service.process().cpuMillis();
                run(stage, jobs, load, from, lines);
                double each = (service.process().cpuMillis() - before) / (double) lines;
                times.append(times.isEmpty() ? "" : ", ")
                        .append(String.format(Locale.ROOT, "%d to %d: %.2f ms", from, from + lines - 1, each));
                from += lines;
            }
        }
        return new BulkLine(
                "CPU time per line of a new process, " + load.module,
                times.toString(),
                "",
                "",
                "",
                "Java " + Runtime.version() + ", jobs with fresh");
    }

    private static void run(BenchStage stage, JobsClient jobs, Load load, int from, int lines)
            throws IOException, InterruptedException {
        List<String> items = new ArrayList<>();
        for (int number : IntStream.range(from, from + lines).toArray()) {
            items.add(load.targets.of(stage, "cold-" + number));
        }
        JsonObject options = new JsonObject().put("fresh", true);
        for (String token : jobs.createAll(JobsClient.bodies(load.module, items, options))) {
            JsonObject job = jobs.awaitEnd(token, TIMEOUT);
            if (job.getJsonObject("counts").getInteger("error") > 0) {
                throw new IOException("errors in a job of " + load.module + ": " + jobs.firstError(token));
            }
        }
    }
}
