package dev.plumbline.bench;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The maximum query rate of the nameserver of the benchmark, measured with dnsperf of Debian. */
final class DnsperfRow implements Row {
    private static final Pattern RATE = Pattern.compile("Queries per second:\\s+([0-9.]+)");

    @Override
    public String id() {
        return "dnsperf";
    }

    @Override
    public List<BulkLine> measure(BenchStage stage) throws IOException, InterruptedException {
        String program = ProgramFinder.require("dnsperf", "dnsperf");
        BenchOptions options = stage.options();
        StringBuilder queries = new StringBuilder();
        for (int i = 0; i < 10_000; i++) {
            queries.append("d").append(i).append('.').append(TargetNames.ZONE).append(" A\n");
        }
        Path file = Files.writeString(stage.folder().resolve("queries"), queries);
        List<Double> rates = new ArrayList<>();
        for (int round = 0; round < options.rounds(); round++) {
            Process process = new ProcessBuilder(
                            program,
                            "-s",
                            "127.0.0.1",
                            "-p",
                            Integer.toString(stage.names().port()),
                            "-d",
                            file.toString(),
                            "-l",
                            Long.toString(options.round().toSeconds()),
                            "-c",
                            Integer.toString(BenchOptions.CONNECTIONS))
                    .redirectErrorStream(true)
                    .start();
            String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            Matcher rate = RATE.matcher(output);
            if (!rate.find()) {
                throw new IOException("dnsperf: " + output.strip());
            }
            rates.add(Double.parseDouble(rate.group(1)));
        }
        return List.of(new BulkLine(
                "dnsperf, nameserver of the benchmark",
                Distribution.of(rates).text(0) + " queries/s",
                "",
                "",
                "",
                "one query each; a line of dns-records requires ten or more"));
    }
}
