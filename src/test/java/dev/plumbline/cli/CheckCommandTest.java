package dev.plumbline.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.lab.DnsLab;
import dev.plumbline.lab.HostileTargets;
import dev.plumbline.lab.HttpLab;
import dev.plumbline.support.Await;
import dev.plumbline.support.CommandLineRunner;
import dev.plumbline.support.CommandResult;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.SocketTimeoutException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** {@code check MODULE TARGET}. */
@Tag("integration")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class CheckCommandTest {
    @TempDir
    static Path folder;

    private final Vertx vertx = Vertx.vertx();
    private HttpLab lab;
    private DnsLab dns;
    private ServerSocket canary;
    private Path open;
    private Path closed;

    @BeforeAll
    void start() throws IOException {
        lab = Await.value(HttpLab.start(vertx));
        dns = DnsLab.start();
        canary = new ServerSocket(0, 50, InetAddress.getByName("::"));
        open = Files.writeString(
                folder.resolve("open.yaml"),
                "targets: {allow: [127.0.0.0/8], ports: ['*']}\ndns: {servers: ['" + dns.address() + "']}\n");
        closed = Files.writeString(
                folder.resolve("closed.yaml"),
                "targets: {ports: [80, 443, "
                        + canary.getLocalPort()
                        + "]}\ndns: {servers: ['"
                        + dns.address()
                        + "']}\n");
    }

    @AfterAll
    void stop() throws IOException {
        canary.close();
        dns.close();
        Await.value(vertx.close());
    }

    @Test
    void aTextReportIsPrinted() {
        CommandResult output = CommandLineRunner.check(open, "http-status", lab.http("/ok"));

        assertThat(output.code()).isZero();
        assertThat(output.out())
                .startsWith("PASS  HTTP status for " + lab.http("/ok"))
                .containsPattern("\n  200, [0-9.]+ m?s\n")
                .containsPattern("status +200\n")
                .containsPattern("contains_matched +[(]no value[)]\n")
                .contains("checked 20");
        assertThat(output.err()).isEmpty();
    }

    @Test
    void aCompositeRunsItsPartsWithoutADatabase() {
        dns.record("cli.test. 60 IN MX 0 .").record("cli.test. 60 IN TXT \"v=spf1 -all\"");

        CommandResult output = CommandLineRunner.check(open, "overview", "cli.test", "-o", "areas=mail,dns");

        assertThat(output.code()).isEqualTo(2);
        assertThat(output.out())
                .startsWith("FAIL  Domain overview for cli.test")
                .containsPattern("\nFIX FIRST\n +Security risk: No DMARC record applies to cli.test")
                .containsPattern("\n +pass +caa +No CAA records")
                .containsPattern("\n +pass +spf +-all")
                .containsPattern("\n +fail +dmarc +No DMARC record\n")
                .doesNotContain(" smtp ", "http-status");
        assertThat(output.err()).isEmpty();
    }

    @Test
    void jsonIsPrinted() {
        CommandResult output =
                CommandLineRunner.check(open, "http-status", lab.http("/status/500"), "--json", "-o", "method=get");

        JsonObject result = new JsonObject(output.out());
        assertThat(output.code()).isEqualTo(2);
        assertThat(result.getString("verdict")).isEqualTo("fail");
        assertThat(result.getJsonObject("fields").getInteger("status")).isEqualTo(500);
        assertThat(result.getJsonObject("fields").getString("method_used")).isEqualTo("get");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "no-such | example.com | Unknown module 'no-such'. Modules: ",
                "http-status | http://a b/ | must not contain a space",
                "http-status | http://127.0.0.1/ | loopback",
                "http-status | localhost | localhost",
            })
    void aRejectedTargetIsReportedOnOneLine(String module, String target, String words) {
        CommandResult output = CommandLineRunner.check(closed, module, target);

        assertThat(output.code()).isEqualTo(4);
        assertThat(output.out()).isEmpty();
        assertThat(output.err()).startsWith("plumbline: ").contains(words).hasLineCount(1);
    }

    @Test
    void aMissingTargetIsInvalidUsage() {
        assertThat(CommandLineRunner.check(open, "http-status", "--json").code())
                .isEqualTo(4);
        assertThat(CommandLineRunner.check(open, "http-status", "example.com", "--nonsense")
                        .code())
                .isEqualTo(4);
    }

    @Test
    void anInvalidOptionIsNamed() {
        CommandResult output = CommandLineRunner.check(open, "http-status", "example.com", "-o", "max_redirects=99");

        assertThat(output.code()).isEqualTo(4);
        assertThat(output.err())
                .contains("Invalid option 'max_redirects=99': max_redirects must be an integer from 0 to 20.");
    }

    Stream<HostileTargets.Case> hostile() {
        return Stream.concat(
                HostileTargets.rejectedBeforeLookup(canary.getLocalPort()).stream(),
                HostileTargets.rejectedAfterLookup(dns, canary.getLocalPort()).stream());
    }

    @ParameterizedTest
    @MethodSource("hostile")
    void blockedTargetsAreNotContacted(HostileTargets.Case hostile) throws IOException {
        CommandResult output = CommandLineRunner.check(closed, "http-status", hostile.target(), "--json");

        if (hostile.rejection() == HostileTargets.Rejection.BLOCKED) {
            assertThat(output.code()).isEqualTo(3);
            assertThat(new JsonObject(output.out()).getJsonObject("error").getString("code"))
                    .isEqualTo("target_blocked");
        } else {
            assertThat(output.code()).isEqualTo(4);
            assertThat(output.err()).startsWith("plumbline: ");
        }
        canary.setSoTimeout(1);
        try (var caller = canary.accept()) {
            throw new AssertionError("the canary was called by " + caller);
        } catch (SocketTimeoutException nobody) {
            assertThat(nobody).isNotNull();
        }
    }
}
