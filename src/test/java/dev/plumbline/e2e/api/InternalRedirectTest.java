package dev.plumbline.e2e.api;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.lab.DnsLab;
import dev.plumbline.lab.HttpLab;
import dev.plumbline.lab.LabTarget;
import dev.plumbline.support.Await;
import dev.plumbline.support.CommandLineRunner;
import dev.plumbline.support.CommandResult;
import dev.plumbline.support.ServiceUnderTest;
import dev.plumbline.support.TestDatabase;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.net.Socket;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Redirects to internal addresses are blocked without a connection. */
@Tag("integration")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class InternalRedirectTest {
    @RegisterExtension
    static final TestDatabase DATABASE = new TestDatabase();

    @TempDir
    static Path folder;

    private HttpLab lab;
    private DnsLab dns;
    private ServiceUnderTest service;
    private Path settings;

    @BeforeAll
    void start() throws IOException {
        lab = Await.value(HttpLab.start(DATABASE.vertx()));
        dns = DnsLab.start().address(HttpLab.INTERNAL_NAME, HttpLab.CANARY_ADDRESS);
        String ports = lab.ports().stream().map(String::valueOf).collect(Collectors.joining(","));
        service = ServiceUnderTest.start(
                DATABASE.url(),
                Map.of(
                        "TARGETS_ALLOW",
                        HttpLab.ALLOW,
                        "TARGETS_PORTS",
                        ports,
                        "LIMITS_FRESH_PER_HOUR",
                        "0",
                        "DNS_SERVERS",
                        dns.address()));
        settings = Files.writeString(
                folder.resolve("settings.yaml"),
                "targets: {allow: ["
                        + HttpLab.ALLOW
                        + "], ports: ["
                        + ports
                        + "]}\ndns: {servers: ['"
                        + dns.address()
                        + "']}\n");
    }

    @AfterAll
    void stop() throws IOException {
        service.close();
        dns.close();
        canaryCountsConnections();
    }

    private void canaryCountsConnections() throws IOException {
        try (Socket caller = new Socket(HttpLab.CANARY_ADDRESS, lab.canary().port())) {
            assertThat(caller.getInputStream().read()).isPositive();
        }
        assertThat(lab.canaryConnections()).isEqualTo(1);
    }

    @AfterEach
    void canaryWasNotContacted() {
        assertThat(lab.canaryConnections()).isZero();
    }

    List<String> redirects() {
        return lab.targets().stream()
                .filter(target -> target.expectation().equals("redirect_blocked"))
                .map(LabTarget::target)
                .toList();
    }

    /** Every internal address by one kind of redirect, and every kind of redirect to one address. */
    Stream<String> someRedirects() {
        return redirects().stream()
                .filter(target -> !target.matches(".*/blocked/30[1378]/.*") || target.endsWith("/canary"));
    }

    @Test
    void allRedirectKindsAreCovered() {
        assertThat(redirects()).hasSizeGreaterThan(80);
        for (int status : new int[] {301, 302, 303, 307, 308}) {
            assertThat(redirects()).contains(lab.http("/redirect/blocked/" + status + "/canary"));
        }
        assertThat(someRedirects()).hasSizeBetween(20, 40);
    }

    @ParameterizedTest
    @MethodSource("redirects")
    void apiFollowsNoInternalRedirect(String target) {
        HttpResponse<String> response = service.instant("http-status", target);

        assertThat(response.statusCode()).isEqualTo(200);
        assertBlocked(new JsonObject(response.body()));
    }

    @ParameterizedTest
    @MethodSource("someRedirects")
    void commandFollowsNoInternalRedirect(String target) {
        CommandResult ended = CommandLineRunner.check(settings, "http-status", target, "--json");

        assertThat(ended.code()).isEqualTo(3);
        assertBlocked(new JsonObject(ended.out()));
    }

    private static void assertBlocked(JsonObject result) {
        assertThat(result.getString("verdict")).isEqualTo("error");
        assertThat(result.getJsonObject("error").getString("code")).isEqualTo("redirect_blocked");
    }

    @ParameterizedTest
    @ValueSource(strings = {"head", "get"})
    void refreshHeaderIsNotFollowed(String method) {
        String target = lab.http("/refresh");

        HttpResponse<String> response =
                service.get(ServiceUnderTest.instantPath("http-status", target) + "?method=" + method);
        CommandResult ended =
                CommandLineRunner.check(settings, "http-status", target, "--json", "-o", "method=" + method);

        assertThat(ended.code()).isZero();
        for (String text : List.of(response.body(), ended.out())) {
            JsonObject result = new JsonObject(text);
            assertThat(result.getString("verdict")).isEqualTo("pass");
            assertThat(result.getJsonObject("fields").getInteger("status")).isEqualTo(200);
            assertThat(result.getJsonObject("fields").getString("final_url")).isEqualTo(target);
        }
    }
}
