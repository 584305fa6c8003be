package dev.plumbline.e2e.api;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.lab.DnsLab;
import dev.plumbline.lab.HostileTargets;
import dev.plumbline.support.ServiceUnderTest;
import dev.plumbline.support.TestDatabase;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.SocketTimeoutException;
import java.net.http.HttpResponse;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Spellings of internal addresses are rejected without a connection. */
@Tag("integration")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class HostileTargetsApiTest {
    @RegisterExtension
    static final TestDatabase DATABASE = new TestDatabase();

    private ServerSocket canary;
    private DnsLab dns;
    private ServiceUnderTest service;

    @BeforeAll
    void start() throws IOException {
        canary = new ServerSocket(0, 50, InetAddress.getByName("::"));
        dns = DnsLab.start();
        service = ServiceUnderTest.start(
                DATABASE.url(),
                Map.of(
                        "TARGETS_ALLOW",
                        "",
                        "TARGETS_PORTS",
                        "80,443," + canary.getLocalPort(),
                        "LIMITS_FRESH_PER_HOUR",
                        "0",
                        "DNS_SERVERS",
                        dns.address()));
    }

    @AfterAll
    void stop() throws IOException {
        service.close();
        dns.close();
        canary.close();
    }

    Stream<HostileTargets.Case> cases() {
        return Stream.concat(
                HostileTargets.rejectedBeforeLookup(canary.getLocalPort()).stream(),
                HostileTargets.rejectedAfterLookup(dns, canary.getLocalPort()).stream());
    }

    @ParameterizedTest
    @MethodSource("cases")
    void hostileTargetIsRejected(HostileTargets.Case hostile) throws IOException {
        HttpResponse<String> response = service.instant("http-status", hostile.target());

        JsonObject body = new JsonObject(response.body());
        switch (hostile.rejection()) {
            case INVALID -> {
                assertThat(response.statusCode()).isEqualTo(422);
                assertThat(body.getString("code")).isEqualTo("invalid-target");
            }
            case FORBIDDEN -> {
                assertThat(response.statusCode()).isEqualTo(422);
                assertThat(body.getString("code")).isEqualTo("target-not-allowed");
            }
            case BLOCKED -> {
                assertThat(response.statusCode()).isEqualTo(200);
                assertThat(body.getString("verdict")).isEqualTo("error");
                assertThat(body.getJsonObject("error").getString("code")).isEqualTo("target_blocked");
            }
        }
        assertCanaryUntouched();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "127.0.0.1",
                "::1",
                "10.0.0.1",
                "169.254.169.254",
                "::ffff:127.0.0.1",
                "localhost",
                "metadata.google.internal"
            })
    void chosenHostIsRejectedLikeATarget(String address) throws IOException {
        for (String check : List.of(
                "ssl-certificate/example.com%3A",
                "starttls-certificate/example.com%3A",
                "tls-protocols/example.com%3A",
                "http-status/http%3A%2F%2Fexample.com%3A",
                "security-headers/http%3A%2F%2Fexample.com%3A")) {
            HttpResponse<String> response = service.get(
                    "/api/v1/instant/" + check + canary.getLocalPort() + "?connect_to=" + address.replace(":", "%3A"));

            assertThat(response.statusCode()).isEqualTo(422);
            JsonObject problem = new JsonObject(response.body());
            assertThat(problem.getString("code")).isEqualTo("target-not-allowed");
            assertThat(problem.getJsonArray("errors").getJsonObject(0).getString("parameter"))
                    .isEqualTo("connect_to");
        }
        assertCanaryUntouched();
    }

    @ParameterizedTest
    @CsvSource({
        "tls-protocols, starttls=smtp, 25",
        "tls-protocols, starttls=imap, 143",
        "tls-protocols, starttls=ldap, 389",
        "tls-protocols, starttls=postgresql, 5432",
        "starttls-certificate, protocol=mysql, 3306",
        "starttls-certificate, protocol=smtp, 25",
    })
    void portOfTheProtocolIsNotAllowed(String module, String option, int port) throws IOException {
        HttpResponse<String> response = service.get("/api/v1/instant/" + module + "/example.com?" + option);

        assertThat(response.statusCode()).isEqualTo(422);
        assertThat(new JsonObject(response.body()).getString("detail"))
                .contains("Port " + port + " is not allowed.", "`targets.ports`");
    }

    private void assertCanaryUntouched() throws IOException {
        canary.setSoTimeout(1);
        try (var caller = canary.accept()) {
            throw new AssertionError("the canary was called by " + caller);
        } catch (SocketTimeoutException nobody) {
            assertThat(nobody).isNotNull();
        }
    }
}
