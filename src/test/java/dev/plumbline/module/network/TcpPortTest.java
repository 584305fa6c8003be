package dev.plumbline.module.network;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.check.ModuleDefinition;
import dev.plumbline.check.SheetModule;
import dev.plumbline.egress.LabEgressGuard;
import dev.plumbline.lab.DnsLab;
import dev.plumbline.lab.FreePorts;
import dev.plumbline.lab.HttpFixture;
import dev.plumbline.lab.ModuleExecution;
import dev.plumbline.probe.tcp.ConnectAttempts;
import dev.plumbline.probe.tcp.TcpProbe;
import dev.plumbline.result.CheckError;
import dev.plumbline.result.CheckResult;
import dev.plumbline.result.ErrorCode;
import dev.plumbline.result.Evaluation;
import dev.plumbline.result.Finding;
import dev.plumbline.result.Verdict;
import dev.plumbline.sheet.Options;
import dev.plumbline.support.Await;
import dev.plumbline.support.Canary;
import dev.plumbline.support.DebianTool;
import dev.plumbline.support.NamedServer;
import dev.plumbline.support.TestCheckContext;
import dev.plumbline.target.IpAddressText;
import dev.plumbline.target.TargetParser;
import dev.plumbline.target.TargetPolicy;
import io.vertx.core.Handler;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.net.NetSocket;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TcpPortTest {
    private static final ModuleDefinition<ConnectAttempts> MODULE = SheetModule.load(new TcpPort());
    private static Vertx vertx;
    private static DnsLab dns;

    @BeforeAll
    static void start() {
        vertx = Vertx.vertx();
        dns = DnsLab.start();
        dns.address("one.test", "127.0.0.1")
                .address("two.test", "127.0.0.2", "127.0.0.1")
                .address("inside.test", "127.0.0.1", "10.1.2.3");
    }

    @AfterAll
    static void stop() {
        Await.value(vertx.close());
        dns.close();
    }

    private static CheckResult check(String target, Map<String, String> options) {
        return check(target, options, "127.0.0.0/8");
    }

    private static CheckResult check(String target, Map<String, String> options, String... allow) {
        TargetPolicy policy = HttpFixture.policy(List.of(allow), List.of("*"));
        try {
            return ModuleExecution.run(
                    vertx,
                    MODULE,
                    TargetParser.parse(MODULE.description(), target),
                    TestCheckContext.of(MODULE.description(), options)
                            .withDeadline(Long.parseLong(options.getOrDefault("timeout_ms", "10000")))
                            .withProbe(TcpProbe.class, new TcpProbe(vertx, LabEgressGuard.of(vertx, policy, dns))));
        } catch (dev.plumbline.target.InvalidTargetException invalid) {
            throw new AssertionError(target, invalid);
        }
    }

    private static int serve(Handler<NetSocket> handler) {
        return Await.value(vertx.createNetServer().connectHandler(handler).listen(0, "127.0.0.1"))
                .actualPort();
    }

    private static int closedPort() {
        return FreePorts.next();
    }

    @Test
    void reportsAnOpenPort() {
        int port = serve(socket -> socket.write("hello\r\n"));

        CheckResult result = check("one.test:" + port, Map.of());

        assertThat(result.verdict()).isEqualTo(Verdict.PASS);
        assertThat(result.fields())
                .containsEntry("open", true)
                .containsEntry("ip", "127.0.0.1")
                .containsEntry("banner", null)
                .containsEntry("all_ips", List.of("127.0.0.1"));
        assertThat((Double) result.fields().get("connect_ms")).isPositive();
    }

    @Test
    void readsTheBannerIfTheOptionIsSet() {
        int port = serve(socket -> socket.write("220-wait\r\n").onSuccess(x -> socket.write("220 hi\r\n")));
        int silentPort = serve(socket -> socket.end());
        Map<String, String> banner = Map.of("read_banner", "true");

        assertThat(check("127.0.0.1:" + port, banner).fields()).containsEntry("banner", "220-wait\n220 hi");
        CheckResult silent = check("127.0.0.1:" + silentPort, banner);
        assertThat(silent.fields()).containsEntry("banner", null).containsEntry("open", true);
        assertThat(codes(silent.findings())).containsExactly("no_banner");
        assertThat(silent.verdict()).isEqualTo(Verdict.PASS);
    }

    @Test
    void reportsAClosedPort() throws IOException {
        CheckResult result = check("one.test:" + closedPort(), Map.of());

        assertThat(result.verdict()).isEqualTo(Verdict.FAIL);
        assertThat(result.error().code()).isEqualTo(ErrorCode.CONNECT_REFUSED);
        assertThat(result.fields())
                .containsEntry("open", false)
                .containsEntry("connect_ms", null)
                .containsEntry("all_ips", List.of("127.0.0.1"));
        assertThat(codes(result.findings())).containsExactly("port_refused");
    }

    @Test
    void triesEachAddressUntilOneAccepts() {
        int port = serve(socket -> {});

        CheckResult result = check("two.test:" + port, Map.of());

        assertThat(result.fields())
                .containsEntry("ip", "127.0.0.1")
                .containsEntry("all_ips", List.of("127.0.0.2", "127.0.0.1"));
        assertThat(result.verdict()).isEqualTo(Verdict.WARN);
        assertThat(result.findings())
                .extracting(Finding::message)
                .containsExactly("The port is open on 127.0.0.1 but not on 127.0.0.2.");
    }

    @Test
    void rejectsSpecialPurposeAddresses() {
        Canary canary = Await.value(Canary.listen(vertx, "127.0.0.1", 0));

        for (String host : List.of("127.0.0.1", "one.test")) {
            CheckResult result = check(host + ":" + canary.port(), Map.of(), new String[0]);
            assertThat(result.error().code()).isEqualTo(ErrorCode.TARGET_BLOCKED);
            assertThat(result.verdict()).isEqualTo(Verdict.ERROR);
        }
        CheckResult mixed = check("inside.test:" + canary.port(), Map.of());
        assertThat(mixed.error().code()).isEqualTo(ErrorCode.TARGET_BLOCKED);
        assertThat(mixed.toString()).doesNotContain("10.1.2.3");
        assertThat(canary.connections()).isZero();
    }

    @Test
    void reportsAMissingNameAsFailure() {
        CheckResult result = check("missing.test:80", Map.of());

        assertThat(result.error().code()).isEqualTo(ErrorCode.DNS_NXDOMAIN);
        assertThat(result.verdict()).isEqualTo(Verdict.FAIL);
    }

    @ParameterizedTest
    @CsvSource({
        "CONNECT_REFUSED, CONNECT_REFUSED, port_refused",
        "CONNECT_TIMEOUT, CONNECT_TIMEOUT, port_filtered",
        "CONNECT_UNREACHABLE, CONNECT_UNREACHABLE, host_unreachable",
        "CONNECT_UNREACHABLE CONNECT_TIMEOUT, CONNECT_TIMEOUT, port_filtered",
        "CONNECT_TIMEOUT CONNECT_REFUSED, CONNECT_REFUSED, port_refused",
        "CONNECTION_RESET, CONNECTION_RESET, port_refused",
        "REQUEST_LIMIT, REQUEST_LIMIT, ''"
    })
    void reportsTheMostSpecificConnectError(String failures, ErrorCode error, String code) {
        List<CheckError> errors = Arrays.stream(failures.split(" "))
                .map(each -> new CheckError(ErrorCode.valueOf(each), each))
                .toList();

        Evaluation evaluation = evaluate(new ConnectAttempts(ADDRESSES, errors, null, null), false);

        assertThat(evaluation.error().code()).isEqualTo(error);
        assertThat(codes(evaluation.findings())).isEqualTo(code.isEmpty() ? List.of() : List.of(code));
    }

    private static final List<InetAddress> ADDRESSES =
            List.of(IpAddressText.parse("192.0.2.1"), IpAddressText.parse("192.0.2.2"));

    @Test
    void reportsASlowConnection() {
        ConnectAttempts evidence = new ConnectAttempts(
                List.of(IpAddressText.parse("192.0.2.1")),
                List.of(),
                IpAddressText.parse("192.0.2.1"),
                new TcpProbe.Exchange(1000.1, Buffer.buffer(), TcpProbe.End.SCRIPT));

        assertThat(codes(evaluate(evidence, false).findings())).containsExactly("slow_connect");
    }

    private static Evaluation evaluate(ConnectAttempts evidence, boolean banner) {
        return MODULE.evaluate(
                evidence,
                Options.parse(MODULE.description(), Map.of("read_banner", "" + banner))
                        .options());
    }

    private static List<String> codes(List<Finding> findings) {
        return findings.stream().map(Finding::code).toList();
    }

    @Tag("integration")
    @Test
    void agreesWithCurlOnABindServer(@TempDir Path folder) throws Exception {
        try (NamedServer named = NamedServer.start(folder, Map.of("zone.test", ""))) {
            for (int port : List.of(named.port(), closedPort())) {
                CheckResult result = check("127.0.0.1:" + port, Map.of());

                assertThat((boolean) result.fields().get("open")).isEqualTo(opensForCurl(port));
            }
        }
    }

    /** The exit status of curl is 7 if the connection failed. */
    private static boolean opensForCurl(int port) throws IOException, InterruptedException {
        Process process = new ProcessBuilder(
                        DebianTool.require("curl").toString(),
                        "--silent",
                        "--noproxy",
                        "*",
                        "--max-time",
                        "1",
                        "telnet://127.0.0.1:" + port)
                .redirectInput(ProcessBuilder.Redirect.PIPE)
                .redirectErrorStream(true)
                .start();
        process.getOutputStream().close();
        process.getInputStream().readAllBytes();
        return process.waitFor() != 7;
    }
}
