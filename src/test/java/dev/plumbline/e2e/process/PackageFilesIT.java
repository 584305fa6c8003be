package dev.plumbline.e2e.process;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.Main;
import dev.plumbline.support.DebianTool;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;

/** The manual pages and completion scripts of the build. */
@Tag("integration")
class PackageFilesIT {
    private static final Path FILES = ServiceProcess.JAR.resolveSibling("packaging");

    @Test
    void everyCommandHasAManualPageWithItsOptions() throws IOException {
        Map<String, CommandSpec> commands = new TreeMap<>();
        collect(Main.commandLine(), commands);

        try (Stream<Path> pages = Files.list(FILES.resolve("man/man1"))) {
            assertThat(pages.map(page -> page.getFileName().toString()))
                    .containsExactlyInAnyOrderElementsOf(commands.keySet().stream()
                            .map(PackageFilesIT::fileName)
                            .toList());
        }
        for (String name : commands.keySet()) {
            String text = page(name);
            assertThat(text).startsWith(".TH " + name.toUpperCase(Locale.ROOT) + " 1 20");
            commands.get(name).options().forEach(option -> assertThat(text)
                    .contains("\\fB" + option.longestName().replace("-", "\\-") + "\\fR"));
        }
    }

    private static void collect(CommandLine command, Map<String, CommandSpec> commands) {
        if (!command.getCommandSpec().usageMessage().hidden()) {
            commands.put(command.getCommandSpec().qualifiedName("-"), command.getCommandSpec());
            command.getSubcommands().values().forEach(child -> collect(child, commands));
        }
    }

    private static String fileName(String page) {
        return page + ".1.gz";
    }

    private static String page(String name) throws IOException {
        try (GZIPInputStream in = new GZIPInputStream(
                Files.newInputStream(FILES.resolve("man/man1").resolve(fileName(name))))) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    @Test
    void aPageContainsDescriptionsDefaultsAndExitCodes() throws IOException {
        assertThat(page("plumbline-check"))
                .contains(
                        "plumbline\\-check \\- Checks targets and prints the results, in input order\n",
                        ".TP\n\\fB\\-\\-fail\\-on\\fR=\\fIVERDICT\\fR\nLeast severe verdict",
                        "warn, fail, error",
                        "(default: warn)",
                        "  3  error: a check could not be completed\n",
                        ".SH SEE ALSO\n.BR plumbline (1)\n");
        assertThat(page("plumbline")).contains(".SH ENVIRONMENT\n", ".BR plumbline\\-job (1),\n");
    }

    @Test
    void mandocAcceptsEveryPage() throws Exception {
        String mandoc = DebianTool.require("mandoc").toString();
        try (Stream<Path> pages = Files.list(FILES.resolve("man/man1"))) {
            for (Path page : pages.toList()) {
                assertThat(output(mandoc, "-Tlint", page.toString())).isEmpty();
            }
        }
    }

    @ParameterizedTest
    @CsvSource({"bash", "zsh", "fish"})
    void shellsAcceptTheCompletionScripts(String shell) throws Exception {
        String program = DebianTool.require(shell).toString();

        assertThat(output(program, "-n", completion(shell))).isEmpty();
    }

    @Test
    void fishCompletesCommandsOptionsAndValues() throws Exception {
        assertThat(fish("plumbline job "))
                .contains("create\tCreates a job", "download\t")
                .doesNotContain("check\t");
        assertThat(fish("plumbline --conf a.yaml check --fa")).startsWith("--fail-on\tLeast severe verdict");
        assertThat(fish("plumbline check --fail-on ").lines().map(line -> line.split("\t", -1)[0]))
                .containsExactly("error", "fail", "warn");
        assertThat(fish("plumbline check ssl-cert")).isEqualTo("ssl-certificate");
        assertThat(fish("plumbline check --conf conf/plumb")).contains("conf/plumbline.yaml");
    }

    @Test
    void bashCompletesCommandsOptionsAndValues() throws Exception {
        assertThat(bash("plumbline", "job", "")).contains("create", "download").doesNotContain("check");
        assertThat(bash("plumbline", "check", "--fail-on", "")).containsExactlyInAnyOrder("warn", "fail", "error");
        assertThat(bash("plumbline", "check", "ssl-cert")).containsExactly("ssl-certificate");
    }

    private static String completion(String shell) {
        return FILES.resolve("completion/plumbline." + shell).toString();
    }

    /** Returns the candidates for the end of a command line. */
    private static String fish(String line) throws Exception {
        return output(
                DebianTool.require("fish").toString(),
                "--no-config",
                "-c",
                "source $argv[1]; complete -C $argv[2]",
                completion("fish"),
                line);
    }

    private static List<String> bash(String... words) throws Exception {
        String script =
                """
                source "$1"; shift
                # it fails outside of a completion
                compopt() { :; }
                COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1))
                _complete_plumbline; printf '%s\\n' "${COMPREPLY[@]}"
                """;
        String[] command = Stream.concat(
                        Stream.of(DebianTool.require("bash").toString(), "-c", script, "bash", completion("bash")),
                        Stream.of(words))
                .toArray(String[]::new);
        return output(command).lines().map(String::strip).toList();
    }

    /** Returns stdout and stderr of a command that succeeds. */
    private static String output(String... command) throws IOException, InterruptedException {
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        process.getOutputStream().close();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
        assertThat(process.waitFor()).as(output).isZero();
        return output;
    }
}
