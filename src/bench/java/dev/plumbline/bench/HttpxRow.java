package dev.plumbline.bench;

import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * 10,000 URLs of the nginx: {@code check} of the distribution (the whole process, with its AOT cache), jobs on a warm
 * service, and httpx. All send GET with 64 connections at a time, each line over a new connection.
 */
final class HttpxRow implements Row {
    private static final int LINES = 10_000;
    private static final double CHECK_GOAL = 2;
    private static final double JOB_GOAL = 7;
    private static final Duration TIMEOUT = Duration.ofMinutes(5);
    private static final String CONCURRENCY = Integer.toString(BenchOptions.CONNECTIONS);

    /** Without rate limit (the default is 150 per second) and without a retry over HTTPS. */
    private static final List<String> HTTPX = List.of("-t", CONCURRENCY, "-nfs", "-rl", "0", "-silent", "-nc", "-duc");

    private static final List<String> COLUMNS = List.of("-sc", "-cl", "-ct", "-title", "-server", "-rt", "-location");

    private int lists;

    /** @param right lines with status 200 */
    private record Lap(double rate, long right, double cpuMicros) {
        long wrong() {
            return LINES - right;
        }
    }

    @Override
    public String id() {
        return "httpx";
    }

    @Override
    public List<BulkLine> measure(BenchStage stage) throws IOException, InterruptedException {
        String httpx = ProgramFinder.requireOfGo("httpx", "github.com/projectdiscovery/httpx");
        List<String> check = check(stage);
        stage.setLoaded();
        ServiceUnderLoad service = stage.service();
        JobsClient client = new JobsClient(service, service.tenants().newKey());
        Warmup warmup = new Warmup(service.process(), stage.options());
        do {
            job(service, client, urls(stage));
        } while (!warmup.isOver());
        List<Lap> checks = new ArrayList<>();
        List<Lap> jobs = new ArrayList<>();
        List<Lap> json = new ArrayList<>();
        List<Lap> text = new ArrayList<>();
        for (int round = 1; round <= stage.options().rounds(); round++) {
            checks.add(run(stage, check, "--input", List.of("--output", "ndjson"), "\"status\":200"));
            json.add(run(stage, command(httpx), "-l", List.of("-json"), "\"status_code\":200"));
            text.add(run(stage, command(httpx), "-l", COLUMNS, "[200]"));
            jobs.add(job(service, client, urls(stage)));
            System.out.printf(
                    Locale.ROOT,
                    "  httpx, round %d: check %,.0f/s, job %,.0f/s, httpx -json %,.0f/s, httpx with columns %,.0f/s%n",
                    round,
                    checks.get(round - 1).rate,
                    jobs.get(round - 1).rate,
                    json.get(round - 1).rate,
                    text.get(round - 1).rate);
        }
        return List.of(
                line("`check` of 10,000 URLs, whole process ÷ httpx -json", checks, json, CHECK_GOAL),
                line("`check` of 10,000 URLs, whole process ÷ httpx with text columns", checks, text, 0),
                line("Jobs with the same URLs, warm service ÷ httpx -json", jobs, json, JOB_GOAL),
                line("Jobs with the same URLs, warm service ÷ httpx with text columns", jobs, text, 0));
    }

    private static List<String> command(String httpx) {
        return Stream.concat(Stream.of(httpx), HTTPX.stream()).toList();
    }

    /** The command of the start script, after it has created its cache. */
    private static List<String> check(BenchStage stage) throws IOException, InterruptedException {
        Path target = stage.options().jar().getParent();
        Path script;
        try (Stream<Path> files = Files.list(target)) {
            script = files.map(file -> file.resolve("bin/plumbline"))
                    .filter(Files::isExecutable)
                    .findFirst()
                    .orElseThrow(() -> new IOException("no distribution in " + target));
        }
        List<String> start = List.of(
                "env",
                "JAVA_HOME=" + System.getProperty("java.home"),
                "PLUMBLINE_TARGETS_ALLOW=127.0.0.0/8",
                "PLUMBLINE_TARGETS_PORTS=*",
                "PLUMBLINE_TARGETS_PER_IP_PER_SECOND=0",
                "PLUMBLINE_TARGETS_PER_IP_CONCURRENT=0",
                script.toString());
        List<String> cache = new ArrayList<>(start);
        cache.add("aot-cache");
        ProgramRun created =
                ProgramRun.of(cache, stage.folder().resolve("aot-cache").toFile());
        if (created.exitCode() != 0) {
            throw new IOException("the AOT cache could not be created");
        }
        List<String> command = new ArrayList<>(start);
        command.addAll(List.of("check", "http-status", "-o", "method=get", "--concurrency", CONCURRENCY));
        return command;
    }

    /** URLs that have not been requested yet. */
    private List<String> urls(BenchStage stage) throws IOException, InterruptedException {
        String before = stage.nginx().site(false) + "/httpx-" + ++lists + "-";
        return IntStream.range(0, LINES).mapToObj(i -> before + i).toList();
    }

    private Lap run(BenchStage stage, List<String> program, String inputOption, List<String> arguments, String right)
            throws IOException, InterruptedException {
        Path list = Files.write(stage.folder().resolve("httpx-list"), urls(stage), StandardCharsets.US_ASCII);
        Path output = stage.folder().resolve("httpx-output");
        List<String> command = new ArrayList<>(program);
        command.addAll(List.of(inputOption, list.toString()));
        command.addAll(arguments);
        ProgramRun run = ProgramRun.of(command, output.toFile());
        try (Stream<String> lines = Files.lines(output, StandardCharsets.UTF_8)) {
            long count = lines.filter(line -> line.contains(right)).count();
            return new Lap(count / run.seconds(), count, run.cpuMillis() * 1e3 / LINES);
        }
    }

    private static Lap job(ServiceUnderLoad service, JobsClient client, List<String> urls)
            throws IOException, InterruptedException {
        List<String> bodies = JobsClient.bodies("http-status", urls, new JsonObject().put("method", "get"));
        long cpu = service.process().cpuMillis();
        Instant began = Instant.now();
        Instant end = began;
        long right = 0;
        for (String token : client.createAll(bodies)) {
            JsonObject job = client.awaitEnd(token, TIMEOUT);
            Instant finished = JobsClient.finishedAt(job);
            end = finished.isAfter(end) ? finished : end;
            right += job.getJsonObject("counts").getInteger("pass");
        }
        double micros = (service.process().cpuMillis() - cpu) * 1e3 / LINES;
        return new Lap(right / (Duration.between(began, end).toNanos() / 1e9), right, micros);
    }

    /** @param goal minimum ratio; 0 for none */
    private static BulkLine line(String what, List<Lap> ours, List<Lap> theirs, double goal) {
        List<Double> ratios = IntStream.range(0, ours.size())
                .mapToObj(i -> ours.get(i).rate / theirs.get(i).rate)
                .toList();
        Distribution ratio = Distribution.of(ratios);
        long wrong = ours.stream().mapToLong(Lap::wrong).sum();
        long theirWrong = theirs.stream().mapToLong(Lap::wrong).sum();
        return new BulkLine(
                what,
                ratio.text(2),
                side(ours),
                side(theirs),
                goal == 0 ? "" : BulkLine.atLeast(goal, ratio.median()),
                "errors " + wrong + " and " + theirWrong + "; Java "
                        + Runtime.version().feature() + "; CPU of the database is not included");
    }

    private static String side(List<Lap> laps) {
        return Distribution.of(laps.stream().map(Lap::rate).toList()).text(0) + "/s, "
                + Distribution.of(laps.stream().map(Lap::cpuMicros).toList()).text(0) + " µs CPU";
    }
}
