package dev.plumbline.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.lab.DnsLab;
import dev.plumbline.lab.HttpLab;
import dev.plumbline.support.Await;
import dev.plumbline.support.CommandLineRunner;
import dev.plumbline.support.CommandResult;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDate;
import java.time.ZoneOffset;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/** {@code check} with {@code --expect} and {@code --policy}. */
@Tag("integration")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class CheckWithPolicyTest {
    @TempDir
    static Path folder;

    private final Vertx vertx = Vertx.vertx();
    private HttpLab lab;
    private DnsLab dns;
    private Path settings;

    @BeforeAll
    void start() throws IOException {
        lab = Await.value(HttpLab.start(vertx));
        dns = DnsLab.start();
        settings = Files.writeString(
                folder.resolve("settings.yaml"),
                "targets: {allow: [127.0.0.0/8], ports: ['*']}\ndns: {servers: ['" + dns.address() + "']}\n");
    }

    @AfterAll
    void stop() {
        dns.close();
        Await.value(vertx.close());
    }

    private CommandResult check(String path, String... more) {
        return CommandLineRunner.check(settings, "http-status", lab.http(path), more);
    }

    private static String policy(String exceptions) throws IOException {
        return Files.writeString(
                        folder.resolve("mine.yaml"),
                        """
                        name: mine
                        title: Mine
                        version: 1.0
                        source: {title: Our rules, date: 2026-01-31}
                        modules:
                          http-status:
                            rules:
                              - {id: created, title: Status, clause: section 1, expect: status == 201, level: warn,
                                 message: The status is not 201., action: Fix the server.}
                              - {id: no_error, title: No error, clause: section 2, expect: error_code == null,
                                 level: fail, message: The check failed., action: Fix the server.}
                        """
                                + exceptions)
                .toString();
    }

    @Test
    void metExpectationDoesNotChangeTheReport() {
        CommandResult output = check("/ok", "--expect", "status == 200", "--expect", "redirect_count < 3");

        assertThat(output.code()).isZero();
        assertThat(output.out()).startsWith("PASS  ").endsWith("\n  2 of 2 expectations met");
    }

    @Test
    void failedExpectationDeterminesExitCodeAndVerdict() {
        CommandResult output = check("/ok", "--expect", "status == 201", "--expect", "status == 200");

        assertThat(output.code()).isEqualTo(2);
        assertThat(output.out())
                .startsWith("FAIL  ")
                .contains("\nFAIL  The expectation `status == 201` is not met. `status` is 200.\n")
                .endsWith("\n  1 of 2 expectations met");
    }

    @Test
    void jsonContainsThePolicy() throws IOException {
        CommandResult output = check("/ok", "--json", "--policy", policy(""), "--expect", "open == true || 1 == 1");

        assertThat(output.code()).isEqualTo(4);

        output = check("/ok", "--json", "--policy", policy(""), "--expect", "status == 200");

        JsonObject result = new JsonObject(output.out());
        assertThat(output.code()).isEqualTo(1);
        assertThat(result.getString("verdict")).isEqualTo("warn");
        assertThat(result.getJsonObject("policy"))
                .isEqualTo(new JsonObject()
                        .put("name", "mine")
                        .put("version", "1.0")
                        .put("met_count", 2)
                        .put("rule_count", 3));
        JsonObject finding = result.getJsonArray("findings").stream()
                .map(JsonObject.class::cast)
                .filter(found -> found.getString("code").equals("created"))
                .findFirst()
                .orElseThrow();
        assertThat(finding.getString("reference")).isEqualTo("Our rules, section 1");
        assertThat(new JsonObject(check("/ok", "--json").out()).containsKey("policy"))
                .isFalse();
    }

    @Test
    void allFormatsShowTheVerdictWithThePolicy() throws IOException {
        String policy = policy("");

        assertThat(check("/ok", "--policy", policy).out())
                .startsWith("WARN  ")
                .endsWith("\n  policy mine 1.0: 1 of 2 rules met");
        assertThat(check("/ok", "--policy", policy, "--output", "csv").out())
                .contains(",warn,")
                .contains(",policy_name,policy_version,policy_met_count,policy_rule_count,finding_codes,")
                .contains(",mine,1.0,1,2,")
                .contains("created")
                .contains("The status is not 201. `status` is 200. Fix the server.");
        assertThat(check("/ok", "--policy", policy, "--output", "junit").out())
                .contains("failures=\"1\"")
                .contains("<failure type=\"created\" message=\"The status is not 201. `status` is 200.\">");
        assertThat(check("/ok", "--policy", policy, "--output", "nagios").out()).startsWith("PLUMBLINE WARNING");
        assertThat(check("/ok", "--policy", policy, "--output", "markdown").out())
                .contains("| warn |");
    }

    @Test
    void exceptionAcceptsAFindingUntilItsDate() throws IOException {
        LocalDate today = LocalDate.now(ZoneOffset.UTC);
        String exception = "exceptions:\n  - {target: 127.0.0.1, finding: created, reason: Agreed., expires: %s}\n";

        CommandResult valid = check("/ok", "--policy", policy(exception.formatted(today.plusDays(1))));
        CommandResult expired = check("/ok", "--policy", policy(exception.formatted(today.minusDays(1))));

        assertThat(valid.code()).isZero();
        assertThat(valid.out()).contains("INFO  The status is not 201.").endsWith("policy mine 1.0: 1 of 1 rules met");
        assertThat(expired.code()).isEqualTo(1);
        assertThat(expired.out()).contains("INFO  The exception for `created` expired on ");
    }

    @Test
    void compositeShowsTheFailedExpectation() {
        dns.record("policy.test. 60 IN MX 0 .").record("policy.test. 60 IN TXT \"v=spf1 -all\"");

        CommandResult output = CommandLineRunner.check(
                settings, "overview", "policy.test", "-o", "areas=mail,dns", "--expect", "score > 1000");

        assertThat(output.code()).isEqualTo(2);
        assertThat(output.out())
                .contains("\nFAIL  The expectation `score > 1000` is not met. `score` is ")
                .contains("\nFIX FIRST\n")
                .endsWith("0 of 1 expectations met");
    }

    @Test
    void eachLineOfAListIsEvaluated() {
        CommandResult output = CommandLineRunner.run(
                "",
                "check",
                "--conf",
                settings.toString(),
                "http-status",
                lab.http("/ok"),
                lab.http("/status/404"),
                "a b",
                "--output",
                "json",
                "--expect",
                "status == 404");

        JsonArray lines = new JsonArray(output.out());
        assertThat(lines).hasSize(3);
        assertThat(lines.getJsonObject(0).getString("verdict")).isEqualTo("fail");
        assertThat(lines.getJsonObject(0).getJsonObject("policy").getInteger("met_count"))
                .isZero();
        assertThat(lines.getJsonObject(1).getJsonObject("policy").getInteger("met_count"))
                .isEqualTo(1);
        assertThat(lines.getJsonObject(2).getString("verdict")).isEqualTo("error");
        assertThat(lines.getJsonObject(2).getJsonArray("findings")).hasSize(1);
        assertThat(lines.getJsonObject(2)
                        .getJsonArray("findings")
                        .getJsonObject(0)
                        .getString("message"))
                .contains("was not determined");
    }
}
