package dev.plumbline.e2e.api;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.account.TestAccounts;
import dev.plumbline.lab.DnsLab;
import dev.plumbline.lab.FreePorts;
import dev.plumbline.support.ClientTools;
import dev.plumbline.support.CookieClient;
import dev.plumbline.support.ServiceUnderTest;
import dev.plumbline.support.SignInAccounts;
import dev.plumbline.support.TestDatabase;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * Schemathesis generates valid and invalid requests from openapi.json. No response is an internal error, and each one
 * has a documented status, header, media type and body; 503 is the response of a machine under load. Connections to
 * targets are not allowed, and all names are resolved by a local nameserver.
 */
@Tag("scenario")
class SchemathesisScenario {
    @RegisterExtension
    static final TestDatabase DATABASE = new TestDatabase();

    /** The cookie of the contract is that of HTTPS. */
    private static final String PUBLIC_URL = "https://checks.example.org";

    private static DnsLab dns;
    private static ServiceUnderTest service;
    private static CookieClient browser;
    private static String key;
    private static Path directory;

    @BeforeAll
    static void start() throws IOException {
        String unused = "127.0.0.1:" + FreePorts.next();
        dns = DnsLab.start();
        service = ServiceUnderTest.start(
                DATABASE.url(),
                Map.ofEntries(
                        Map.entry("HTTP_PUBLIC_URL", PUBLIC_URL),
                        Map.entry("TARGETS_ALLOW", ""),
                        Map.entry("TARGETS_DENY", "0.0.0.0/0,::/0"),
                        Map.entry("DNS_SERVERS", dns.address()),
                        Map.entry("DNS_PROPAGATION", "lab=" + dns.address()),
                        Map.entry("RDAP_BOOTSTRAP", "https://" + unused + "/dns.json"),
                        Map.entry("WHOIS_SERVER", "127.0.0.1"),
                        Map.entry("REGISTRIES_PER_SERVER_PER_SECOND", "0"),
                        Map.entry("REGISTRIES_PER_SERVER_CONCURRENT", "0"),
                        Map.entry("LIMITS_FRESH_PER_HOUR", "0"),
                        Map.entry("LIMITS_JOBS_PER_HOUR", "0"),
                        Map.entry("LIMITS_JOBS_PER_HOUR_ACCOUNT", "0"),
                        Map.entry("ACCOUNTS_SIGNUP", "open")));
        directory = ClientTools.emptyDirectory("schemathesis");
        Files.writeString(
                directory.resolve("openapi.json"),
                withOtherContent(service.get("/openapi.json").body()));
        SignInAccounts accounts = new SignInAccounts(DATABASE);
        browser = new CookieClient(service, PUBLIC_URL);
        assertThat(browser.signIn(accounts.create(), SignInAccounts.PASSWORD).statusCode())
                .isEqualTo(200);
        key = new TestAccounts(DATABASE.open()).key().secret();
        Files.writeString(
                directory.resolve("schemathesis.toml"),
                """
                [auth.openapi.bearerKey]
                bearer = "%1$s"
                [auth.openapi.headerKey]
                api_key = "%1$s"
                [auth.openapi.session]
                api_key = "%2$s"
                [checks.not_a_server_error]
                expected-statuses = ["2xx", "3xx", "4xx", "503"]
                # the default, and 414: a parameter that is too long can exceed the request line
                [checks.negative_data_rejection]
                expected-statuses = ["400", "401", "403", "404", "405", "406", "409", "414", "415", "422", "428", "429", "5xx"]
                """
                        .formatted(key, browser.token()));
    }

    /** Generators of clients read only the JSON of an operation with several media types. */
    private static String withOtherContent(String contract) {
        JsonObject document = new JsonObject(contract);
        JsonObject read = document.getJsonObject("paths")
                .getJsonObject("/api/v1/jobs/{token}")
                .getJsonObject("get")
                .getJsonObject("responses")
                .getJsonObject("200");
        read.getJsonObject("content").mergeIn(read.getJsonObject("x-other-content"));
        return document.encode();
    }

    @AfterAll
    static void stop() {
        if (service != null) {
            service.close();
            dns.close();
        }
    }

    @Test
    void responsesMatchTheContract() throws IOException {
        run("--exclude-operation-id=signOut", "--exclude-operation-id=signOutEverywhere");

        assertThat(new JsonObject(browser.get("/api/v1/keys").body()).getJsonArray("keys"))
                .as("created with the session")
                .isNotEmpty();
        assertThat(new JsonObject(service.get("/api/v1/jobs", "X-Api-Key", key).body()).getJsonArray("jobs"))
                .as("created with the key")
                .isNotEmpty();

        // last, because they end the session
        run("--include-operation-id=signOut", "--include-operation-id=signOutEverywhere");
    }

    /** A valid request may have a target that is not valid, so requests may be rejected. */
    private static void run(String... options) throws IOException {
        String base = service.uri("").toString();
        List<String> command = new ArrayList<>(List.of(
                ClientTools.schemathesis(),
                "--config-file=schemathesis.toml",
                "run",
                "openapi.json",
                "--url=" + base,
                "--header=Origin: " + PUBLIC_URL,
                "--workers=2",
                "--max-examples=10",
                "--generation-deterministic",
                // DELETE of a job cancels it
                "--exclude-checks=positive_data_acceptance,use_after_free",
                "--continue-on-failure",
                "--no-color"));
        command.addAll(List.of(options));
        String output = ClientTools.run(directory, command.toArray(String[]::new));
        assertThat(output).containsPattern("Tested: +[1-9]");
    }
}
