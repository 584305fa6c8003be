package dev.plumbline.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.support.CommandLineRunner;
import dev.plumbline.support.CommandResult;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code policy test} and the invalid values of {@code --policy} and {@code --expect}. */
class PolicyCommandTest {
    private static final String YAML =
            """
            name: mine
            title: Mine
            version: 2
            source: {title: Our rules, date: 2026-01-31}
            modules:
              http-status:
                rules:
                  - {id: status_ok, title: Status, clause: '1', expect: status == 200, level: fail,
                     message: The status is not 200., action: Fix the server.}
            examples:
              - title: Good
                module: http-status
                fields: {status: 200}
                expected: {verdict: pass}
              - title: Bad
                module: http-status
                fields: {status: 500}
                expected: {verdict: fail, findings: [status_ok]}
            """;

    @TempDir
    Path folder;

    private String file(String yaml) throws IOException {
        return Files.writeString(folder.resolve("mine.yaml"), yaml).toString();
    }

    @Test
    void validPolicyPassesItsExamples() throws IOException {
        CommandResult output = CommandLineRunner.run("", "policy", "test", file(YAML));

        assertThat(output.code()).isZero();
        assertThat(output.out()).isEqualTo("mine 2: 1 rules for http-status, 2 of 2 examples passed");
        assertThat(output.err()).isEmpty();
    }

    @Test
    void exampleWithAnotherResultFails() throws IOException {
        String file = file(YAML.replace("{status: 500}", "{status: 200}"));

        CommandResult output = CommandLineRunner.run("", "policy", "test", file);

        assertThat(output.code()).isEqualTo(1);
        assertThat(output.out()).endsWith("1 of 2 examples passed");
        assertThat(output.err()).isEqualTo(file + ":15: Bad: The verdict is pass, not fail. The findings are empty.");
    }

    @Test
    void invalidPolicyIsReportedWithFileAndLine() throws IOException {
        String file = file(YAML.replace("status == 200", "stauts == 200"));

        CommandResult output = CommandLineRunner.run("", "policy", "test", file);

        assertThat(output.code()).isEqualTo(4);
        assertThat(output.err())
                .isEqualTo("plumbline: " + file + ":8: The expression of the rule 'status_ok' is not valid. Column 1:"
                        + " 'stauts' is not a field of http-status. Did you mean 'status'?");
    }

    @Test
    void builtInPolicyIsFoundByItsName() {
        CommandResult output = CommandLineRunner.run("", "policy", "test", "mozilla-intermediate");

        assertThat(output.code()).isZero();
        assertThat(output.out())
                .startsWith("mozilla-intermediate 5.8: 12 rules for tls-protocols, ssl-certificate, hsts,");
    }

    @Test
    void unknownPolicyIsReported() {
        CommandResult output =
                CommandLineRunner.run("", "check", "http-status", "example.test", "--policy", "mozilla-intermediat");

        assertThat(output.code()).isEqualTo(4);
        assertThat(output.err())
                .isEqualTo("plumbline: The policy 'mozilla-intermediat' does not exist. Did you mean"
                        + " 'mozilla-intermediate'? Use a file, or a built-in policy: internet-nl-mail,"
                        + " internet-nl-website, mozilla-intermediate,"
                        + " mozilla-modern, mozilla-old, ncsc-nl-good, ncsc-nl-phase-out,"
                        + " ncsc-nl-sufficient, strict-headers.");
    }

    @Test
    void policyWithoutRulesForTheModuleIsReported() {
        CommandResult output =
                CommandLineRunner.run("", "check", "http-status", "example.test", "--policy", "mozilla-intermediate");

        assertThat(output.code()).isEqualTo(4);
        assertThat(output.err())
                .isEqualTo("plumbline: The policy 'mozilla-intermediate' does not apply to http-status. Its modules:"
                        + " tls-protocols, ssl-certificate, hsts.");
    }

    @Test
    void invalidExpectationIsReportedWithItsPosition() {
        CommandResult output = CommandLineRunner.run(
                "", "check", "http-status", "example.test", "--expect", "status == 200 && stauts > 1");

        assertThat(output.code()).isEqualTo(4);
        assertThat(output.err())
                .isEqualTo("plumbline: Invalid expectation 'status == 200 && stauts > 1': Column 18: 'stauts' is not a"
                        + " field of http-status. Did you mean 'status'?");
    }

    @Test
    void moreThan20ExpectationsAreRejected() {
        String[] arguments = new String[3 + 2 * 21];
        arguments[0] = "check";
        arguments[1] = "http-status";
        arguments[2] = "example.test";
        for (int i = 3; i < arguments.length; i += 2) {
            arguments[i] = "--expect";
            arguments[i + 1] = "status == 200";
        }

        assertThat(CommandLineRunner.run("", arguments).err())
                .isEqualTo("plumbline: 21 expectations are given; at most 20 are allowed.");
    }
}
