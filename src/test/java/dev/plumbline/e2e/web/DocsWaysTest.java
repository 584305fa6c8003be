package dev.plumbline.e2e.web;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.account.TestAccounts;
import dev.plumbline.lab.DnsLab;
import dev.plumbline.support.ClientTools;
import dev.plumbline.support.DebianTool;
import dev.plumbline.support.ServiceUnderTest;
import dev.plumbline.support.TestDatabase;
import io.vertx.core.json.JsonObject;
import java.io.File;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.jsoup.Jsoup;
import org.jsoup.nodes.Document;
import org.jsoup.nodes.Element;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** The examples on {@code /docs} are executed as they are. All names are resolved by a local nameserver. */
@Tag("integration")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class DocsWaysTest {
    @RegisterExtension
    static final TestDatabase DATABASE = new TestDatabase();

    private Path folder;
    private DnsLab dns;
    private ServiceUnderTest service;
    private String key;
    private Document page;

    @BeforeAll
    void start(@TempDir Path directory) throws IOException {
        folder = directory;
        dns = DnsLab.start();
        service = ServiceUnderTest.start(
                DATABASE.url(), Map.of("DNS_SERVERS", dns.address(), "MCP_ENABLED", "true", "PROBE_ENABLED", "true"));
        key = new TestAccounts(DATABASE.open()).key().secret();
        page = Jsoup.parse(service.page("/docs").body(), service.uri("/docs").toString());
        Path program = Files.writeString(
                folder.resolve("plumbline"),
                "#!/bin/sh\nexec '%s' -cp '%s' dev.plumbline.Main \"$@\"\n"
                        .formatted(
                                Path.of(System.getProperty("java.home"), "bin/java"),
                                System.getProperty("java.class.path")));
        assertThat(program.toFile().setExecutable(true)).isTrue();
    }

    @AfterAll
    void stop() {
        service.close();
        dns.close();
    }

    @Test
    void everyWayHasAnExample() {
        assertThat(page.select("h2#ways ~ section > h3[id^=way-]").eachText())
                .containsExactly(
                        "Web pages",
                        "curl",
                        "Command line",
                        "Generated client",
                        "Prometheus",
                        "Model Context Protocol (MCP)");
        for (Element title : page.select("h3[id^=way-]")) {
            assertThat(title.parent().select("pre")).as(title.text()).isNotEmpty();
        }
    }

    @Test
    void pageIsAReport() {
        URI uri = URI.create(example("page", 0));
        assertThat(uri.toString()).startsWith(service.uri("/").toString());
        String report =
                service.page(uri.getPath()).headers().firstValue("Location").orElseThrow();

        assertThat(report).isEqualTo("/check/overview/example.com");
        assertThat(service.page(report).statusCode()).isEqualTo(200);
    }

    @Test
    void curlReturnsAResult() throws Exception {
        DebianTool.require("curl");

        JsonObject result = new JsonObject(bash(example("curl", 0)));

        assertThat(result.getString("module")).isEqualTo("ssl-certificate");
        assertThat(result.getString("target")).isEqualTo("example.com");
        assertThat(result.getString("verdict")).isEqualTo("fail");
    }

    @Test
    void curlCreatesAJob() throws Exception {
        DebianTool.require("curl");

        JsonObject job = new JsonObject(bash(example("curl", 1)));

        assertThat(job.getString("module")).isEqualTo("ssl-certificate");
        assertThat(job.getJsonObject("counts").getInteger("total")).isEqualTo(2);
    }

    @Test
    void commandLineChecksTheTarget() throws Exception {
        // the exit code of the verdict "fail"
        assertThat(bash(example("command-line", 0) + " || [ $? = 2 ]")).contains("example.com", "does not exist");
    }

    @Test
    void commandLineCreatesAJobOnThisService() throws Exception {
        String csv = bash(example("command-line", 1) + " || [ $? = 2 ]");

        assertThat(csv.lines().filter(line -> line.contains(",dns_nxdomain,")))
                .hasSize(2)
                .allSatisfy(line -> assertThat(line).contains("example."));
    }

    @Test
    void generatedClientRunsACheck() throws Exception {
        ClientTools.linkNpmPackages(folder);
        String install = example("client", 0).lines().findFirst().orElseThrow();
        assertThat(install).startsWith("npm install ");
        for (String library : install.substring("npm install ".length()).split(" ", -1)) {
            assertThat(folder.resolve("node_modules").resolve(library)).isDirectory();
        }

        bash(example("client", 0).lines().skip(1).findFirst().orElseThrow());
        Files.writeString(folder.resolve("check.mts"), example("client", 1));

        assertThat(bash(example("client", 2)).strip()).isEqualTo("fail null undefined");
    }

    @Test
    void prometheusReadsTheConfiguration() throws Exception {
        DebianTool.require("promtool");
        Files.writeString(folder.resolve("prometheus.yml"), example("prometheus", 0));
        Files.writeString(folder.resolve("plumbline-key"), key);

        assertThat(bash("promtool check config prometheus.yml")).contains("SUCCESS");
        assertThat(example("prometheus", 0))
                .contains("replacement: '" + service.uri("").getRawAuthority() + "'");
    }

    @Test
    void probeReturnsMetrics() throws Exception {
        assertThat(bash(example("prometheus", 1))).contains("\nprobe_success 0");
    }

    @Test
    void mcpListsTheTools() throws Exception {
        DebianTool.require("curl");
        JsonObject configuration = new JsonObject(example("mcp", 0));

        JsonObject response = new JsonObject(bash(example("mcp", 1)));

        JsonObject server = configuration.getJsonObject("mcpServers").getJsonObject("plumbline");
        assertThat(server.getString("url")).isEqualTo(service.uri("/mcp").toString());
        assertThat(server.getJsonObject("headers").getString("Authorization")).startsWith("Bearer plk_");
        assertThat(response.getJsonObject("result").getJsonArray("tools"))
                .extracting(tool -> ((JsonObject) tool).getString("name"))
                .contains("ssl-certificate", "create_job");
    }

    @Test
    void quotaOfProbesIsListed() {
        assertThat(page.select("section[aria-labelledby=quotas] tr:contains(probes_per_minute)")
                        .text())
                .isEqualTo("Fresh checks of probes per API key, or per client IP address (IPv6: per /64) without a key,"
                        + " in any 60 seconds 600 limits.probes_per_minute");
    }

    @Test
    void interfacesThatAreNotEnabledAreMarked() {
        try (ServiceUnderTest other = ServiceUnderTest.start(DATABASE.url(), Map.of())) {
            Document docs = Jsoup.parse(other.page("/docs").body());

            assertThat(docs.select("section:has(> #way-prometheus) .note").text())
                    .contains("probe.enabled");
            assertThat(docs.select("section:has(> #way-mcp) .note").text()).contains("mcp.enabled");
            assertThat(docs.text()).doesNotContain("probes_per_minute");
        }
        assertThat(page.select("section:has(> h3[id^=way-]) .note")).isEmpty();
    }

    /** Returns the text of an example as a browser copies it. */
    private String example(String way, int index) {
        return page.getElementById("way-" + way)
                .parent()
                .select("pre")
                .get(index)
                .wholeText();
    }

    /** Runs a command that must succeed, and returns its output. */
    private String bash(String script) throws IOException, InterruptedException {
        ProcessBuilder builder = new ProcessBuilder(List.of("bash", "-euc", script))
                .directory(folder.toFile())
                .redirectError(folder.resolve("stderr").toFile());
        Map<String, String> environment = builder.environment();
        environment.keySet().removeIf(name -> name.startsWith("PLUMBLINE_"));
        environment.put("PATH", folder + File.pathSeparator + environment.get("PATH"));
        environment.put("PLUMBLINE_KEY", key);
        environment.put("PLUMBLINE_DNS_SERVERS", dns.address());
        environment.put("PLUMBLINE_TARGETS_ALLOW", "127.0.0.0/8");
        environment.put("no_proxy", "*");
        environment.put("npm_config_offline", "true");
        Process process = builder.start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor())
                .as(script + "\n" + output + Files.readString(folder.resolve("stderr")))
                .isZero();
        return output;
    }
}
