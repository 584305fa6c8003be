package dev.plumbline.bench;

import java.io.BufferedWriter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** {@code plumbline diff} of two files with the options of the start script. One of 100 targets is worse. */
final class DiffRow implements Row {
    private static final int LINES = 200_000;
    private static final int WORSE_EVERY = 100;
    private static final double GOAL_SECONDS = 20;
    private static final double GOAL_MIB = 400;
    private static final long POLL_MS = 20;
    private static final int EXIT_CODE_WORSE = 1;

    private static final String FINDING = "{\"level\":\"fail\",\"code\":\"status_client_error\",\"field\":\"status\","
            + "\"message\":\"The status code is 404.\",\"action\":\"Restore the page or fix the link.\","
            + "\"reference\":\"RFC 9110 section 15.5\"},";

    private record Run(double seconds, double peakMib) {}

    @Override
    public String id() {
        return "diff";
    }

    @Override
    public List<BulkLine> measure(BenchStage stage) throws IOException, InterruptedException {
        Path before = write(stage.folder().resolve("before.ndjson"), false);
        Path after = write(stage.folder().resolve("after.ndjson"), true);
        List<Double> seconds = new ArrayList<>();
        List<Double> mib = new ArrayList<>();
        for (int i = 0; i < stage.options().rounds(); i++) {
            Run run = diff(stage.options().jar(), before, after);
            seconds.add(run.seconds());
            mib.add(run.peakMib());
        }
        Distribution times = Distribution.of(seconds);
        Distribution peaks = Distribution.of(mib);
        String note = String.format(Locale.ROOT, "two files of %,d lines and %,d MiB", LINES, Files.size(after) >> 20);
        return List.of(
                new BulkLine(
                        "diff of two files with 200,000 http-status lines each",
                        times.text(1) + " s",
                        "",
                        "",
                        BulkLine.atMost(GOAL_SECONDS, "s", times.median()),
                        note),
                new BulkLine(
                        "Same, peak resident memory",
                        peaks.text(0) + " MiB",
                        "",
                        "",
                        BulkLine.atMost(GOAL_MIB, "MiB", peaks.median()),
                        note));
    }

    private static Path write(Path file, boolean later) throws IOException {
        try (BufferedWriter out = Files.newBufferedWriter(file)) {
            for (int i = 0; i < LINES; i++) {
                boolean worse = later && i % WORSE_EVERY == 0;
                int millis = 10 + (i * (later ? 31 : 17)) % 500;
                out.write(line(i, worse, millis));
            }
        }
        return file;
    }

    /** A result of http-status. */
    private static String line(int index, boolean worse, int millis) {
        return String.format(
                Locale.ROOT,
                "{\"index\":%1$d,\"input\":\"https://www.host-%1$d.example/path\","
                        + "\"module\":\"http-status\",\"target\":\"https://www.host-%1$d.example/path\",\"verdict\":\"%3$s\","
                        + "\"fields\":{\"status\":%2$d,\"status_text\":null,\"ok\":%6$b,"
                        + "\"final_url\":\"https://www.host-%1$d.example/path/\",\"redirect_count\":1,\"redirects\":["
                        + "{\"url\":\"https://www.host-%1$d.example/path\",\"status\":301,\"location\":\"/path/\",\"time_ms\":%5$d}],"
                        + "\"response_time_ms\":%5$d,\"http_version\":\"2\",\"content_type\":\"text/html; charset=utf-8\","
                        + "\"content_length\":%5$d,\"server\":\"nginx\",\"ip\":\"192.0.2.17\",\"method_used\":\"head\","
                        + "\"attempts\":1,\"blocked_suspected\":false,\"soft_404_suspected\":false,\"contains_matched\":null},"
                        + "\"findings\":[%4$s{\"level\":\"info\",\"code\":\"redirected\",\"field\":\"redirects\","
                        + "\"message\":\"The URL redirects to https://www.host-%1$d.example/path/.\","
                        + "\"action\":\"Use https://www.host-%1$d.example/path/ in links.\",\"reference\":\"RFC 9110\"}],"
                        + "\"truncated\":[],\"error\":null,\"checked_at\":\"2026-11-20T10:00:00.123Z\",\"duration_ms\":%5$d,"
                        + "\"waited_ms\":0}\n",
                index,
                worse ? 404 : 200,
                worse ? "fail" : "pass",
                worse ? FINDING : "",
                millis,
                !worse);
    }

    private static Run diff(Path jar, Path before, Path after) throws IOException, InterruptedException {
        List<String> command = List.of(
                ServiceUnderLoad.java(),
                "-XX:+UseSerialGC",
                "-Xmx256m",
                "-XX:TieredStopAtLevel=1",
                "-jar",
                jar.toString(),
                "diff",
                before.toString(),
                after.toString());
        long began = System.nanoTime();
        Process process = new ProcessBuilder(command)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        long peakKib = 0;
        while (process.isAlive()) {
            try {
                peakKib = Math.max(peakKib, ProcFiles.kib(process.pid(), "status", "VmHWM:"));
            } catch (IOException ended) {
                break;
            }
            Thread.sleep(POLL_MS);
        }
        int code = process.waitFor();
        double seconds = (System.nanoTime() - began) / 1e9;
        if (code != EXIT_CODE_WORSE) {
            throw new IOException("plumbline diff ended with " + code);
        }
        return new Run(seconds, peakKib / 1024.0);
    }
}
