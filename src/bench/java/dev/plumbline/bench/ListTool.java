package dev.plumbline.bench;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** A reference program that checks a list with its default concurrency. */
final class ListTool {
    private final String program;
    private final Path list;
    private final Path output;
    private final String right;
    private final List<String> arguments;

    /** @param right text in an output line of a successful check */
    private ListTool(String program, String module, BenchStage stage, String right, List<String> arguments)
            throws IOException {
        this.program = ProgramFinder.requireOfGo(program, module);
        this.list = stage.folder().resolve(program + "-list");
        this.output = stage.folder().resolve(program + "-output");
        this.right = right;
        this.arguments = new ArrayList<>(arguments);
        this.arguments.addAll(List.of("-r", stage.names().address(), "-json", "-silent", "-nc", "-duc"));
    }

    /** Queries the default types of {@code dns-records} except HTTPS, which dnsx does not support. */
    static ListTool dnsx(BenchStage stage) throws IOException {
        return new ListTool(
                "dnsx",
                "github.com/projectdiscovery/dnsx",
                stage,
                "\"a\":",
                List.of("-a", "-aaaa", "-cname", "-mx", "-ns", "-txt", "-soa", "-caa", "-srv", "-omit-raw"));
    }

    /** Reads certificates and checks name, validity and self-signature. */
    static ListTool tlsx(BenchStage stage) throws IOException {
        return new ListTool("tlsx", "github.com/projectdiscovery/tlsx", stage, "\"probe_status\":true", List.of());
    }

    /**
     * The result of a run.
     *
     * @param right number of successful lines
     */
    record Run(ProgramRun program, long right) {}

    Run check(List<String> targets) throws IOException, InterruptedException {
        Files.write(list, targets, StandardCharsets.US_ASCII);
        List<String> command = new ArrayList<>(List.of(program, "-l", list.toString()));
        command.addAll(arguments);
        ProgramRun run = ProgramRun.of(command, output.toFile());
        try (var lines = Files.lines(output, StandardCharsets.UTF_8)) {
            return new Run(run, lines.filter(line -> line.contains(right)).count());
        }
    }
}
