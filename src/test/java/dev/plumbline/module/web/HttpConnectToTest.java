package dev.plumbline.module.web;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.check.ModuleDefinition;
import dev.plumbline.check.SheetModule;
import dev.plumbline.lab.FreePorts;
import dev.plumbline.lab.HttpFixture;
import dev.plumbline.probe.http.HttpProbe;
import dev.plumbline.result.CheckResult;
import dev.plumbline.result.ErrorCode;
import dev.plumbline.support.Await;
import io.vertx.core.http.HttpServer;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** The option {@code connect_to} of the HTTP modules. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class HttpConnectToTest {
    @RegisterExtension
    static final HttpFixture FIXTURE = HttpFixture.start();

    private static final String CHOSEN = "127.0.0.8";

    private final HttpProbe probe = FIXTURE.probe(HttpFixture.policy(List.of("127.0.0.0/8"), List.of("*")));
    private final int port = FreePorts.next();
    private final List<String> hosts = new CopyOnWriteArrayList<>();
    private final List<HttpServer> servers = new CopyOnWriteArrayList<>();

    @BeforeAll
    void start() {
        servers.add(start("127.0.0.1", "old"));
        servers.add(start(CHOSEN, "chosen"));
        FIXTURE.dns().address("moving.test", "127.0.0.1").address("elsewhere.test", "127.0.0.1");
    }

    private HttpServer start(String address, String name) {
        return Await.value(FIXTURE.vertx()
                .createHttpServer()
                .requestHandler(request -> {
                    hosts.add(name + " " + request.authority());
                    request.response().putHeader("x-frame-options", name.equals("old") ? "DENY" : "SAMEORIGIN");
                    if (request.path().equals("/leave")) {
                        request.response().setStatusCode(302).putHeader("location", "http://elsewhere.test:" + port);
                    } else if (request.path().equals("/stay")) {
                        request.response().setStatusCode(302).putHeader("location", "/");
                    }
                    request.response().end("hello");
                })
                .listen(port, address));
    }

    Stream<ModuleDefinition<?>> modules() {
        return Stream.of(
                SheetModule.load(new HttpStatus()),
                SheetModule.load(new HttpHeaders()),
                SheetModule.load(new HttpTiming()),
                SheetModule.load(new RedirectChain()),
                SheetModule.load(new SecurityHeaders()));
    }

    @ParameterizedTest
    @MethodSource("modules")
    void connectsToTheChosenAddressOfANameWithoutRecords(ModuleDefinition<?> module) {
        hosts.clear();
        CheckResult result = check(module, "future.test", "/", "connect_to=" + CHOSEN);

        assertThat(result.error()).isNull();
        assertThat(hosts).isNotEmpty().containsOnly("chosen future.test:" + port);
        if (result.fields().containsKey("ip")) {
            assertThat(result.fields()).containsEntry("ip", CHOSEN);
        }
    }

    @Test
    void redirectsToOtherHostsUseDns() {
        hosts.clear();
        ModuleDefinition<?> module = SheetModule.load(new HttpStatus());

        assertThat(check(module, "moving.test", "/stay", "connect_to=" + CHOSEN).fields())
                .containsEntry("ip", CHOSEN);
        assertThat(hosts).containsOnly("chosen moving.test:" + port);
        assertThat(check(module, "moving.test", "/leave", "connect_to=" + CHOSEN)
                        .fields())
                .containsEntry("ip", "127.0.0.1");
        assertThat(hosts).endsWith("old elsewhere.test:" + port);
    }

    @Test
    void pagesOfTheChosenAddressAreNotShared() {
        ModuleDefinition<?> module = SheetModule.load(new SecurityHeaders());
        for (String options : List.of("", "connect_to=" + CHOSEN, "")) {
            assertThat(check(module, "moving.test", "/", options).fields())
                    .containsEntry("x_frame_options", options.isEmpty() ? "DENY" : "SAMEORIGIN");
        }
    }

    @ParameterizedTest
    @CsvSource({"10.0.0.1", "169.254.169.254", "::ffff:10.0.0.1"})
    void targetPolicyAppliesToTheChosenAddress(String address) {
        CheckResult result = check(SheetModule.load(new HttpStatus()), "moving.test", "/", "connect_to=" + address);
        assertThat(Objects.requireNonNull(result.error()).code()).isEqualTo(ErrorCode.TARGET_BLOCKED);
    }

    private CheckResult check(ModuleDefinition<?> module, String host, String path, String options) {
        return FIXTURE.check(module, probe, "http://" + host + ":" + port + path, options);
    }
}
