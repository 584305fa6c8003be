package dev.plumbline.bench;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The load generator wrk of Debian. A generator in Java would need a warm-up of its own. */
final class Wrk {
    private static final Pattern REPORT =
            Pattern.compile("BENCH requests=(\\d+) micros=(\\d+) socket=(\\d+) wrong=(\\d+) p50=(\\d+) p99=(\\d+)");
    private static final Pattern EXAMPLE = Pattern.compile("EXAMPLE (.*)");

    private final String program;
    private final Path same;
    private final Path checks;
    private final Path creations;
    private final AtomicInteger runs = new AtomicInteger();

    Wrk(Path folder) throws IOException {
        this.program = ProgramFinder.require("wrk", "wrk");
        this.same = script(folder, "same.lua");
        this.checks = script(folder, "responses.lua", "checks.lua");
        this.creations = script(folder, "responses.lua", "creations.lua");
    }

    /**
     * The result of a run of wrk.
     *
     * @param rate correct responses per second
     * @param errors incorrect responses and failed connections
     * @param p99Millis 99th percentile of the latency
     * @param cpuMicros CPU time of the server per response
     * @param example the first incorrect response; empty: none
     */
    record Load(
            double rate,
            long requests,
            long errors,
            double p50Millis,
            double p99Millis,
            double cpuMicros,
            String example) {}

    /** Requests one path repeatedly. */
    Load same(ChildProcess server, String address, String path, Duration duration)
            throws IOException, InterruptedException {
        return same(server, address, path, List.of(), duration);
    }

    /**
     * Requests one path repeatedly.
     *
     * @param headers lines, for example {@code X-Api-Key: …}
     */
    Load same(ChildProcess server, String address, String path, List<String> headers, Duration duration)
            throws IOException, InterruptedException {
        return run(server, duration, BenchOptions.CONNECTIONS, same, address + path, headers, List.of());
    }

    /**
     * Requests a different path each time.
     *
     * @param before the path before the unique part
     * @param after the path after the unique part
     * @param right text in a correct response
     */
    Load checks(ChildProcess server, String address, String before, String after, String right, Duration duration)
            throws IOException, InterruptedException {
        String prefix = before + Long.toString(System.nanoTime(), 36) + runs.incrementAndGet() + "-";
        return run(
                server,
                duration,
                BenchOptions.CONNECTIONS,
                checks,
                address + "/",
                List.of(),
                List.of(prefix, after, right));
    }

    /**
     * Creates jobs with alternating keys.
     *
     * @param keys file with one key per line
     * @param body file with the request body
     */
    Load creations(ChildProcess server, String address, Path keys, Path body, int connections, Duration duration)
            throws IOException, InterruptedException {
        return run(
                server,
                duration,
                connections,
                creations,
                address + "/api/v1/jobs",
                List.of("Content-Type: application/json"),
                List.of(keys.toString(), body.toString()));
    }

    private Load run(
            ChildProcess server,
            Duration duration,
            int connections,
            Path script,
            String url,
            List<String> headers,
            List<String> arguments)
            throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of(
                program,
                "-t1",
                "-c" + connections,
                "-d" + duration.toSeconds() + "s",
                "--timeout",
                "15s",
                "-s",
                script.toString()));
        headers.forEach(header -> command.addAll(List.of("-H", header)));
        command.addAll(List.of(url, "--"));
        command.addAll(arguments);
        long cpuBefore = server.cpuMillis();
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String output;
        try {
            output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            process.waitFor();
        } finally {
            process.destroyForcibly();
        }
        Matcher report = REPORT.matcher(output);
        if (!report.find()) {
            throw new IOException("wrk: " + output.strip());
        }
        long requests = Long.parseLong(report.group(1));
        long wrong = Long.parseLong(report.group(4));
        Matcher example = EXAMPLE.matcher(output);
        return new Load(
                (requests - wrong) * 1e6 / Long.parseLong(report.group(2)),
                requests,
                Long.parseLong(report.group(3)) + wrong,
                Long.parseLong(report.group(5)) / 1e3,
                Long.parseLong(report.group(6)) / 1e3,
                (server.cpuMillis() - cpuBefore) * 1e3 / Math.max(1, requests),
                example.find() ? example.group(1) : "");
    }

    private static Path script(Path folder, String... parts) throws IOException {
        Path script = folder.resolve(parts[parts.length - 1]);
        try (OutputStream out = Files.newOutputStream(script)) {
            for (String part : parts) {
                try (InputStream in = Wrk.class.getResourceAsStream("/bench/" + part)) {
                    if (in == null) {
                        throw new IllegalStateException(part + " is missing from the bench");
                    }
                    in.transferTo(out);
                }
            }
        }
        return script;
    }
}
