package dev.plumbline.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.Main;
import dev.plumbline.support.CommandLineRunner;
import dev.plumbline.support.CommandResult;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

/** Commands that need neither a server nor targets. */
class CommandLineTest {
    @TempDir
    static Path folder;

    static Stream<List<String>> commands() {
        return paths(Main.commandLine(), List.of()).stream();
    }

    private static List<List<String>> paths(CommandLine command, List<String> path) {
        List<List<String>> all = new ArrayList<>(List.of(path));
        command.getSubcommands().forEach((name, child) -> {
            List<String> deeper = new ArrayList<>(path);
            deeper.add(name);
            all.addAll(paths(child, deeper));
        });
        return all;
    }

    @ParameterizedTest
    @MethodSource("commands")
    void everyCommandHasHelp(List<String> path) {
        List<String> arguments = new ArrayList<>(path);
        arguments.add("--help");

        CommandResult result = CommandLineRunner.run("", arguments.toArray(String[]::new));

        assertThat(result.code()).isZero();
        assertThat(result.out()).startsWith("Usage: " + String.join(" ", prefixed(path)));
    }

    private static List<String> prefixed(List<String> path) {
        List<String> all = new ArrayList<>(List.of("plumbline"));
        all.addAll(path);
        return all;
    }

    @ParameterizedTest
    @CsvSource({"chek, check", "jobs, job", "tool, tools", "confg, config"})
    void anUnknownCommandIsAnErrorWithASuggestion(String typed, String meant) {
        CommandResult result = CommandLineRunner.run("", typed, "http-status");

        assertThat(result.code()).isEqualTo(4);
        assertThat(result.err().lines())
                .containsExactly(
                        "plumbline: Unknown command '" + typed + "'. Did you mean '" + meant + "'?",
                        "Run 'plumbline --help' for usage.");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "--fail-no | error | Unknown option '--fail-no'. Did you mean '--fail-on'?",
                "--fail-on | WARN | Invalid value for option '--fail-on': must be one of warn, fail, error, not 'WARN'",
            })
    void aUsageErrorIsTwoLines(String option, String value, String message) {
        CommandResult result = CommandLineRunner.run("", "check", "http-status", "a.example", option, value);

        assertThat(result.code()).isEqualTo(4);
        assertThat(result.err().lines())
                .containsExactly("plumbline: " + message, "Run 'plumbline check --help' for usage.");
    }

    @ParameterizedTest
    @ValueSource(strings = {"-1", "80", "1023", "65337"})
    void thePortsOfTheLaboratoryAreThoseOfAnOrdinaryUser(String base) {
        CommandResult result = CommandLineRunner.run("", "lab", "--port-base", base);

        assertThat(result.code()).isEqualTo(4);
        assertThat(result.err().lines())
                .containsExactly(
                        "plumbline: Invalid value for option '--port-base': must be 0 or from 1024 to 65336, not "
                                + base,
                        "Run 'plumbline lab --help' for usage.");
    }

    @ParameterizedTest
    @MethodSource("commands")
    void everyUsageErrorHasTheSameExitCode(List<String> path) {
        List<String> arguments = new ArrayList<>(path);
        arguments.add("--no-such-option");

        CommandResult result = CommandLineRunner.run("", arguments.toArray(String[]::new));

        assertThat(result.code()).isEqualTo(4);
        assertThat(result.err()).startsWith("plumbline: ");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "\n", " \r\n\t\n\n", "# a comment\n"})
    void anInputWithoutTargetsIsAnError(String input) throws IOException {
        Path file = Files.writeString(folder.resolve("empty"), input);
        String message = " contains no targets. Add one target per line.";

        CommandResult ofFile =
                CommandLineRunner.run("", "check", "http-status", "--input", file.toString(), "--output", "csv");
        CommandResult ofStdin = CommandLineRunner.run(input, "check", "http-status", "--input", "-");
        CommandResult nagios =
                CommandLineRunner.run(input, "check", "http-status", "--input", "-", "--output", "nagios");

        assertThat(ofFile).isEqualTo(new CommandResult(4, "", "plumbline: File '" + file + "'" + message));
        assertThat(ofStdin).isEqualTo(new CommandResult(4, "", "plumbline: stdin" + message));
        assertThat(nagios.code()).isEqualTo(3);
        assertThat(nagios.out()).contains("UNKNOWN", "stdin contains no targets.");
    }

    @ParameterizedTest
    @ValueSource(strings = {"check", "job create --server http://127.0.0.1:1 --key-file"})
    void anInputThatIsADirectoryIsAnError(String command) throws IOException {
        List<String> arguments = new ArrayList<>(List.of(command.split(" ")));
        if (arguments.size() > 1) {
            arguments.add(Files.writeString(folder.resolve("key"), "plk_key").toString());
        }
        arguments.addAll(List.of("http-status", "--input", folder.toString()));

        CommandResult result = CommandLineRunner.run("", arguments.toArray(String[]::new));

        assertThat(result)
                .isEqualTo(new CommandResult(4, "", "plumbline: File '" + folder + "' is a directory. Check --input."));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "http://[::1",
                "http://127.0.0.1:99999",
                "http://127.0.0.1:0",
                "http://127.0.0.1:x",
                "http://:80",
                "http://a\u001bb",
                "http://a\u202eb",
                "http://a..b",
                "http://a b",
                "ftp://a.test"
            })
    void anInvalidServerIsAUsageError(String server) {
        CommandResult result = CommandLineRunner.run("", "job", "list", "--server", server);

        assertThat(result.code()).isEqualTo(4);
        assertThat(result.err()).startsWith("plumbline: Invalid server '").hasLineCount(2);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "check|tcp-port|--input|dd/e%\nname.missing",
                "check|tcp-port|a.test|-o|%a=b",
                "check|tcp-port|a.test|--%",
                "check|tcp-port|a.test|--conf|%",
                "job|create|tcp-port|--key-file|KEY|--input|dd/e%\nname.missing",
                "job|watch|--key-file|KEY|job_%",
                "job|list|--key-file|%",
                "job|list|--server|%",
                "config|--conf|%",
                "tools|%",
                "%chek"
            })
    void messagesDoNotControlTheTerminal(String command) throws IOException {
        String key = Files.writeString(folder.resolve("key"), "plk_key").toString();

        CommandResult result = CommandLineRunner.run(
                "",
                command.replace("KEY", key)
                        .replace("%", "\u001b[31m\u202e\u009b")
                        .split("\\|"));

        assertThat(result.code()).isPositive();
        assertThat(result.err()).contains("\ufffd[31m\ufffd\ufffd").doesNotContainPattern("[\\p{Cc}\\p{Cf}&&[^\n]]");
    }

    @Test
    void aMissingTargetIsNamed() {
        CommandResult result = CommandLineRunner.run("", "check");

        assertThat(result.code()).isEqualTo(4);
        assertThat(result.err()).isEqualTo("plumbline: No target is given. Add a target, for example example.com.");
        assertThat(CommandLineRunner.run("a.example", "check", "--input", "-").err())
                .startsWith("plumbline: No module is given. Add a module, for example http-status.");
    }

    @Test
    void helpPrintsTheUsage() {
        CommandResult help = CommandLineRunner.run("", "help");

        assertThat(help.code()).isZero();
        assertThat(help).isEqualTo(CommandLineRunner.run("", "--help"));
        assertThat(CommandLineRunner.run("", "help", "job", "create"))
                .isEqualTo(CommandLineRunner.run("", "job", "create", "--help"));
        assertThat(CommandLineRunner.run("", "help", "chek").err()).startsWith("plumbline: Unknown command 'chek'.");
    }

    @Test
    void aTargetWithoutModuleIsCheckedByTheDefaultModuleOfItsType() {
        CommandResult address = CommandLineRunner.run("", "check", "192.0.2.1");

        assertThat(address.err().lines().toList()).hasSize(2);
        assertThat(address.err().lines().findFirst().orElseThrow())
                .startsWith("Default tool: ip-registration. Other modules for this target, with plumbline check MODULE"
                        + " 192.0.2.1: ")
                .contains(" reverse-dns,", " ssl-certificate,", " http-status,")
                .doesNotContain(" overview", " spf", " ip-registration,");
        assertThat(address.err()).contains("\nplumbline: 192.0.2.1 is ", "which is not allowed");
        assertThat(address.code()).isEqualTo(4);
        assertThat(CommandLineRunner.run("", "check", "https://localhost/").err())
                .startsWith("Default tool: http-status.");
        assertThat(CommandLineRunner.run("", "check", "a.localhost").err()).startsWith("Default tool: overview.");
        assertThat(CommandLineRunner.run("", "check", "example..com").err())
                .startsWith("plumbline: ")
                .hasLineCount(1);
        assertThat(CommandLineRunner.run("", "check", "http-stats", "example.com")
                        .err())
                .startsWith("plumbline: Unknown module 'http-stats'");
    }

    @Test
    void toolsAreListedAndDescribed() {
        assertThat(CommandLineRunner.run("", "tools").out())
                .startsWith("CATEGORY")
                .containsPattern("(?m)^web +http-status +url +HTTP status$");
        assertThat(CommandLineRunner.run("", "tools", "http-status").out())
                .contains("plumbline check http-status https://example.com/")
                .containsPattern("(?m)^max_redirects +\\d+ ")
                .containsPattern("(?m)^content_type +string\\? ")
                .containsPattern("(?m)^info +recommended +served_over_http1 +Served over HTTP/1\\.x$");
        CommandResult unknown = CommandLineRunner.run("", "tools", "http-stats");
        assertThat(unknown.code()).isEqualTo(4);
        assertThat(unknown.err()).contains("Unknown module 'http-stats'", "http-status");
    }

    @ParameterizedTest
    @CsvSource({
        "4, --help",
        "4, tools",
        "4, tools http-status",
        "4, config",
        "4, completion bash",
        "4, key generate",
        "4, check tcp-port a_b!.test c_d!.test",
        "4, check tcp-port a_b!.test c_d!.test --output csv",
        "4, check tcp-port a_b!.test c_d!.test --output json",
        "4, check tcp-port a_b!.test c_d!.test --output junit",
        "3, check tcp-port a_b!.test c_d!.test --output nagios",
    })
    void outputToAFullDiskIsAnError(int code, String command) throws IOException {
        try (OutputStream full = new FileOutputStream("/dev/full")) {
            CommandResult result = CommandLineRunner.run("", full, command.split(" "));

            assertThat(result)
                    .isEqualTo(new CommandResult(
                            code,
                            "",
                            "plumbline: stdout cannot be written: No space left on device. Redirect it to a writable"
                                    + " file."));
        }
    }

    @Test
    void aClosedPipeIsNotReported() {
        OutputStream closed = new OutputStream() {
            @Override
            public void write(int b) throws IOException {
                throw new IOException("Broken pipe");
            }
        };

        assertThat(CommandLineRunner.run("", closed, "tools")).isEqualTo(new CommandResult(0, "", ""));
        assertThat(CommandLineRunner.run("", closed, "check", "tcp-port", "a_b!.test", "c_d!.test"))
                .isEqualTo(new CommandResult(4, "", ""));
    }

    @Test
    void configPrintsValuesAndSourcesWithoutSecrets() throws IOException {
        Path file = Files.writeString(
                folder.resolve("own.yaml"),
                "http: {port: 1234}\nsession: {secret: 'a secret of at least 32 characters'}\n"
                        + "targets: {allow: [127.0.0.0/8, 10.0.0.0/8]}\n");

        CommandResult result = CommandLineRunner.run("", "config", "--conf", file.toString());

        assertThat(result.code()).isZero();
        assertThat(result.out())
                .containsPattern("(?m)^http.port +1234 +\\Q" + file + "\\E$")
                .containsPattern("(?m)^http.host +127.0.0.1 +default$")
                .containsPattern("(?m)^targets.allow +127.0.0.0/8,10.0.0.0/8 +\\Q" + file + "\\E$")
                .containsPattern("(?m)^session.secret +\\(hidden\\) ")
                .containsPattern("(?m)^database.url +\\(empty\\) +default$")
                .doesNotContain("a secret of");
    }

    @Test
    void aMisspelledSettingHasASuggestion() throws IOException {
        Path file = Files.writeString(folder.resolve("wrong.yaml"), "htp: {port: 1}\n");

        CommandResult result = CommandLineRunner.run("", "config", "--conf", file.toString());

        assertThat(result.code()).isEqualTo(1);
        assertThat(result.err()).contains("htp.port is not a setting. Did you mean http.port?");
    }

    @ParameterizedTest
    @CsvSource({"bash", "zsh"})
    void completionContainsCommandsAndOptions(String shell) {
        assertThat(CommandLineRunner.run("", "completion", shell).out())
                .contains("plumbline")
                .contains("--fail-on")
                .contains("(\"warn\" \"fail\" \"error\")", "(\"csv\" \"ndjson\" \"json\" \"xlsx\")")
                .contains("(\"jobs:read\" \"jobs:write\" \"probe\")", "(\"free\" \"pro\")")
                .doesNotContain("WARN", "NDJSON", "JOBS_READ", "PRO\"")
                .contains("download");
    }

    @Test
    void completionOfFishContainsCommandsOptionsAndValues() {
        assertThat(CommandLineRunner.run("", "completion", "fish").out())
                .contains(
                        "-n '__plumbline_at plumbline' -a 'check' -d 'Checks targets and prints the results, in input order'\n",
                        "-n '__plumbline_at plumbline job' -a 'download' -d ",
                        "-n '__plumbline_at plumbline check' -l fail-on -x -a 'warn fail error' -d ",
                        "-n '__plumbline_at plumbline check' -s i -l input -r -F -d ",
                        "-n '__plumbline_at plumbline check' -l json -d 'Same as --output json'\n",
                        "-n '__plumbline_at plumbline restore' -F\n",
                        "-n '__plumbline_at plumbline completion' -a 'bash zsh fish'\n",
                        "-n '__plumbline_at plumbline key create' -l scopes -x -a 'jobs:read jobs:write probe' -d ",
                        "-n '__plumbline_at plumbline account set-plan' -l plan -x -a 'free pro' -d ")
                .doesNotContain("aot-training", "${");
    }
}
