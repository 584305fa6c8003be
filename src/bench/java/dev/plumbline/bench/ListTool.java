package dev.plumbline.bench;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** A reference program that checks a list with its default concurrency. */
final class ListTool {
    /** Processes of delv at once. It waits for responses most of the time. */
    private static final int DELV_PROCESSES = 16;

    private final Path list;
    private final Path output;
    private final String right;
    private final List<String> command;

    /**
     * @param right text in an output line of a successful check
     * @param option before the file with the list
     */
    private ListTool(
            String name, BenchStage stage, String right, List<String> program, String option, List<String> arguments) {
        this.list = stage.folder().resolve(name + "-list");
        this.output = stage.folder().resolve(name + "-output");
        this.right = right;
        this.command = new ArrayList<>(program);
        this.command.addAll(List.of(option, list.toString()));
        this.command.addAll(arguments);
    }

    private static ListTool ofProjectDiscovery(String name, BenchStage stage, String right, List<String> options)
            throws IOException, InterruptedException {
        String program = ProgramFinder.requireOfGo(name, "github.com/projectdiscovery/" + name);
        List<String> arguments = new ArrayList<>(options);
        arguments.addAll(List.of("-r", stage.names().address(), "-json", "-silent", "-nc", "-duc"));
        return new ListTool(name, stage, right, List.of(program), "-l", arguments);
    }

    /** Queries the default types of {@code dns-records} except HTTPS, which dnsx does not support. */
    static ListTool dnsx(BenchStage stage) throws IOException, InterruptedException {
        return ofProjectDiscovery(
                "dnsx",
                stage,
                "\"a\":",
                List.of("-a", "-aaaa", "-cname", "-mx", "-ns", "-txt", "-soa", "-caa", "-srv", "-omit-raw"));
    }

    /** Reads certificates and checks name, validity and self-signature. */
    static ListTool tlsx(BenchStage stage) throws IOException, InterruptedException {
        return ofProjectDiscovery("tlsx", stage, "\"probe_status\":true", List.of());
    }

    /** Validates one name per process; each process validates the chain of trust again. */
    static ListTool delv(BenchStage stage) throws IOException, InterruptedException {
        String delv = ProgramFinder.require("delv", "bind9-dnsutils");
        return new ListTool(
                "delv",
                stage,
                "; fully validated",
                List.of(ProgramFinder.require("xargs", "findutils"), "-n", "1", "-P", "" + DELV_PROCESSES),
                "-a",
                List.of(
                        delv,
                        "-a",
                        stage.names().anchors().toString(),
                        "+root=.",
                        "-p",
                        "" + stage.names().port(),
                        "@127.0.0.1"));
    }

    /**
     * The result of a run.
     *
     * @param right number of successful lines
     */
    record Run(ProgramRun program, long right) {}

    Run check(List<String> targets) throws IOException, InterruptedException {
        Files.write(list, targets, StandardCharsets.US_ASCII);
        ProgramRun run = ProgramRun.of(command, output.toFile());
        try (var lines = Files.lines(output, StandardCharsets.UTF_8)) {
            return new Run(run, lines.filter(line -> line.contains(right)).count());
        }
    }
}
