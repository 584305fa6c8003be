package dev.plumbline.e2e.api;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.account.TestAccounts;
import dev.plumbline.lab.FreePorts;
import dev.plumbline.lab.HttpLab;
import dev.plumbline.support.Await;
import dev.plumbline.support.ClientTools;
import dev.plumbline.support.ServiceUnderTest;
import dev.plumbline.support.TestDatabase;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The official conformance suite for servers of the Model Context Protocol, and a client with the reference SDK. */
@Tag("scenario")
class McpScenario {
    private static final List<String> PASSED =
            List.of("server-initialize", "ping", "tools-list", "resources-list", "dns-rebinding-protection");

    private static final String FIXTURE_TOOL = "calls a tool that only the test server of the suite has";
    private static final String FIXTURE_RESOURCE = "reads a resource that only the test server of the suite has";
    private static final String NO_PROMPTS = "the service does not offer prompts";
    private static final String NO_EVENT_STREAMS = "the service does not send event streams";

    /** The scenarios that do not apply to this service, with the reasons. */
    private static final Map<String, String> NOT_APPLICABLE = Map.ofEntries(
            Map.entry("logging-set-level", "the service does not offer logging"),
            Map.entry("completion-complete", "the service does not offer completion"),
            Map.entry("tools-call-simple-text", FIXTURE_TOOL),
            Map.entry("tools-call-image", FIXTURE_TOOL),
            Map.entry("tools-call-audio", FIXTURE_TOOL),
            Map.entry("tools-call-embedded-resource", FIXTURE_TOOL),
            Map.entry("tools-call-mixed-content", FIXTURE_TOOL),
            Map.entry("tools-call-with-logging", FIXTURE_TOOL),
            Map.entry("tools-call-error", FIXTURE_TOOL),
            Map.entry("tools-call-with-progress", FIXTURE_TOOL),
            Map.entry("tools-call-sampling", FIXTURE_TOOL),
            Map.entry("tools-call-elicitation", FIXTURE_TOOL),
            Map.entry("json-schema-2020-12", FIXTURE_TOOL),
            Map.entry("elicitation-sep1034-defaults", FIXTURE_TOOL),
            Map.entry("elicitation-sep1330-enums", FIXTURE_TOOL),
            Map.entry("server-sse-polling", NO_EVENT_STREAMS),
            Map.entry("server-sse-multiple-streams", NO_EVENT_STREAMS),
            Map.entry("resources-read-text", FIXTURE_RESOURCE),
            Map.entry("resources-read-binary", FIXTURE_RESOURCE),
            Map.entry("resources-templates-read", FIXTURE_RESOURCE),
            Map.entry("resources-subscribe", "the service does not offer subscriptions"),
            Map.entry("resources-unsubscribe", "the service does not offer subscriptions"),
            Map.entry("prompts-list", NO_PROMPTS),
            Map.entry("prompts-get-simple", NO_PROMPTS),
            Map.entry("prompts-get-with-args", NO_PROMPTS),
            Map.entry("prompts-get-embedded-resource", NO_PROMPTS),
            Map.entry("prompts-get-with-image", NO_PROMPTS));

    @RegisterExtension
    static final TestDatabase DATABASE = new TestDatabase();

    private static HttpLab lab;
    private static ServiceUnderTest service;
    private static String key;
    private static Path directory;

    @BeforeAll
    static void start() throws IOException {
        lab = Await.value(HttpLab.start(DATABASE.vertx()));
        key = new TestAccounts(DATABASE.open()).key().secret();
        service = ServiceUnderTest.start(DATABASE.url(), Map.of("MCP_ENABLED", "true"));
        directory = ClientTools.emptyDirectory("mcp");
        ClientTools.linkNpmPackages(directory);
    }

    @AfterAll
    static void stop() {
        service.close();
    }

    static List<String> passed() {
        return PASSED;
    }

    private static String conformance(String... arguments) throws IOException {
        String[] command = new String[arguments.length + 1];
        command[0] = ClientTools.npmProgram("conformance");
        System.arraycopy(arguments, 0, command, 1, arguments.length);
        return ClientTools.run(directory, command);
    }

    @Test
    void eachScenarioOfTheSuitePassesOrHasAReason() throws IOException {
        Set<String> known = new HashSet<>(PASSED);
        known.addAll(NOT_APPLICABLE.keySet());

        assertThat(conformance("list", "--server")
                        .lines()
                        .filter(line -> line.startsWith("  - "))
                        .map(line -> line.substring(4))
                        .collect(Collectors.toSet()))
                .isEqualTo(known);
    }

    @ParameterizedTest
    @MethodSource("passed")
    void scenarioPasses(String scenario) throws IOException {
        String output = conformance("server", "--url", service.uri("/mcp").toString(), "--scenario", scenario);

        assertThat(output).contains("0 failed, 0 warnings").doesNotContain("Passed: 0/");
    }

    @Test
    void referenceSdk() throws IOException {
        ClientTools.copy("mcp_client.mjs", directory);
        String base = service.uri("/").toString();

        String output = ClientTools.run(
                directory,
                "node",
                "mcp_client.mjs",
                base.substring(0, base.length() - 1),
                key,
                lab.http("/ok"),
                "http://127.0.0.1:" + FreePorts.next() + "/");

        assertThat(output.lines())
                .containsExactly(
                        "server plumbline 2025-11-25",
                        "tools true false",
                        "check pass 200 1",
                        "refused fail connect_refused",
                        "invalid error A hostname must not contain a space.",
                        "without key error Send an API key as Authorization: Bearer KEY or X-Api-Key: KEY. Create a key on"
                                + " the account page.",
                        "resource http-status",
                        "job tools 6",
                        "job completed 2",
                        "jobs 1 true null",
                        "line pass 2 true",
                        "summary 2",
                        "changes 2 0");
    }
}
