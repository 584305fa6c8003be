package dev.plumbline.module.web;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.check.ModuleDefinition;
import dev.plumbline.check.SheetModule;
import dev.plumbline.lab.HttpFixture;
import dev.plumbline.lab.ModuleExecution;
import dev.plumbline.probe.http.HttpProbe;
import dev.plumbline.result.CheckResult;
import dev.plumbline.result.ErrorCode;
import dev.plumbline.result.Verdict;
import dev.plumbline.support.Await;
import dev.plumbline.support.TestCheckContext;
import dev.plumbline.target.TargetParser;
import io.vertx.core.Vertx;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Modules that check a domain on the standard ports, with a web server that sends no response. */
class SilentSitesTest {
    @RegisterExtension
    static final HttpFixture FIXTURE = HttpFixture.start();

    private static final long TIMEOUT_MS = 1_000;

    private static Vertx vertx;

    @BeforeAll
    static void start() {
        vertx = Vertx.vertx();
    }

    @AfterAll
    static void stop() {
        Await.value(vertx.close());
    }

    static Stream<Function<WebPorts, ModuleDefinition<?>>> modules() {
        return Stream.of(
                ports -> SheetModule.load(new Hsts(ports)),
                ports -> SheetModule.load(new HttpsRedirect(ports)),
                ports -> SheetModule.load(new SecurityTxt(ports)));
    }

    @Tag("integration")
    @ParameterizedTest
    @MethodSource("modules")
    void silentServerEndsWithinDeadline(Function<WebPorts, ModuleDefinition<?>> load) throws Exception {
        // the kernel accepts connections, but no data is sent
        try (ServerSocket silent = new ServerSocket(0, 100, InetAddress.getLoopbackAddress())) {
            HttpProbe probe = FIXTURE.probe(HttpFixture.policy(List.of("127.0.0.0/8"), List.of("*")));
            ModuleDefinition<?> module = load.apply(new WebPorts(silent.getLocalPort(), silent.getLocalPort()));
            TestCheckContext context = TestCheckContext.of(module.description(), Map.of())
                    .withDeadline(TIMEOUT_MS)
                    .withProbe(HttpProbe.class, probe);

            CheckResult result = Assertions.assertTimeoutPreemptively(
                    Duration.ofSeconds(10),
                    () -> ModuleExecution.run(vertx, module, TargetParser.domainName("lab.test"), context));

            assertThat(result.verdict()).isEqualTo(Verdict.ERROR);
            assertThat(result.error().code()).isIn(ErrorCode.READ_TIMEOUT, ErrorCode.CONNECT_TIMEOUT);
        }
    }
}
