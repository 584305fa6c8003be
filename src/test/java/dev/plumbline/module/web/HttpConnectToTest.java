package dev.plumbline.module.web;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.check.ModuleCatalogue;
import dev.plumbline.check.ModuleDefinition;
import dev.plumbline.check.SheetModule;
import dev.plumbline.lab.FreePorts;
import dev.plumbline.lab.HttpFixture;
import dev.plumbline.lab.TestCa;
import dev.plumbline.module.web.caching.HttpCaching;
import dev.plumbline.module.web.cookies.Cookies;
import dev.plumbline.module.web.indexability.Indexability;
import dev.plumbline.module.web.sitemap.Sitemap;
import dev.plumbline.probe.http.HttpProbe;
import dev.plumbline.result.CheckResult;
import dev.plumbline.result.ErrorCode;
import dev.plumbline.sheet.ModuleDescription;
import dev.plumbline.support.Await;
import dev.plumbline.target.Target;
import dev.plumbline.target.TargetParser;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.net.PemKeyCertOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
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
    private static final Pattern DOCUMENTED_ROW =
            Pattern.compile("(?m)^\\| (`[a-z0-9-]+`(?:, `[a-z0-9-]+`)*) \\| (?:.+) \\|$");

    private final HttpProbe probe = FIXTURE.probe(HttpFixture.policy(List.of("127.0.0.0/8"), List.of("*")));
    private final int port = FreePorts.next();
    private final int securePort = FreePorts.next();
    private final List<String> hosts = new CopyOnWriteArrayList<>();
    private final List<HttpServer> servers = new CopyOnWriteArrayList<>();

    @BeforeAll
    void start() {
        TestCa.Identity identity = FIXTURE.identity("future.test", "moving.test");
        HttpServerOptions secure = new HttpServerOptions()
                .setSsl(true)
                .setUseAlpn(true)
                .setKeyCertOptions(new PemKeyCertOptions()
                        .addCertValue(Buffer.buffer(identity.pem()))
                        .addKeyValue(Buffer.buffer(identity.keyPem())));
        for (Map.Entry<String, String> server :
                Map.of("127.0.0.1", "old", CHOSEN, "chosen").entrySet()) {
            servers.add(start(server.getKey(), port, server.getValue(), new HttpServerOptions()));
            servers.add(start(server.getKey(), securePort, server.getValue(), secure));
        }
        FIXTURE.dns()
                .address("moving.test", "127.0.0.1")
                .address("elsewhere.test", "127.0.0.1")
                .address("edge.cdn.test", CHOSEN)
                .alias("customer.cdn.test", "edge.cdn.test")
                .address("inside.cdn.test", "10.0.0.1");
    }

    private HttpServer start(String address, int on, String name, HttpServerOptions options) {
        return Await.value(FIXTURE.vertx()
                .createHttpServer(options)
                .requestHandler(request -> {
                    hosts.add(name + " " + request.authority().host());
                    request.response().putHeader("x-frame-options", name.equals("old") ? "DENY" : "SAMEORIGIN");
                    if (request.path().equals("/leave")) {
                        request.response().setStatusCode(302).putHeader("location", "http://elsewhere.test:" + port);
                    } else if (request.path().equals("/stay")) {
                        request.response().setStatusCode(302).putHeader("location", "/");
                    }
                    request.response()
                            .putHeader("content-type", "text/html; charset=utf-8")
                            .end("<!DOCTYPE html><title>Server</title><p>hello <a href=\"/linked\">link</a>");
                })
                .listen(on, address));
    }

    /** The modules that request a URL. */
    static Stream<ModuleDefinition<?>> modules() {
        return Stream.of(
                SheetModule.load(new HttpStatus()),
                SheetModule.load(new HttpHeaders()),
                SheetModule.load(new HttpTiming()),
                SheetModule.load(new HttpVersions()),
                SheetModule.load(new HttpCompression()),
                SheetModule.load(new HttpCaching()),
                SheetModule.load(new RedirectChain()),
                SheetModule.load(new SecurityHeaders()),
                SheetModule.load(new Cookies()),
                SheetModule.load(new Cors()),
                SheetModule.load(new MixedContent()),
                SheetModule.load(new PageLinks()),
                SheetModule.load(new PageMetadata()),
                SheetModule.load(new Indexability()),
                SheetModule.load(new RobotsTxt()),
                SheetModule.load(new Sitemap()));
    }

    /** The modules that request the website of a domain. */
    Stream<ModuleDefinition<?>> domainModules() {
        WebPorts ports = new WebPorts(port, securePort);
        return Stream.of(
                SheetModule.load(new Hsts(ports)),
                SheetModule.load(new HttpsRedirect(ports)),
                SheetModule.load(new SecurityTxt(ports)));
    }

    @ParameterizedTest
    @MethodSource("modules")
    void connectsToTheChosenAddressOfANameWithoutRecords(ModuleDefinition<?> module) {
        hosts.clear();
        CheckResult result = check(module, "future.test", "/", "connect_to=" + CHOSEN);

        assertThat(result.error()).isNull();
        assertThat(hosts).isNotEmpty().containsOnly("chosen future.test");
        if (result.fields().containsKey("ip")) {
            assertThat(result.fields()).containsEntry("ip", CHOSEN);
        }
    }

    @ParameterizedTest
    @MethodSource("domainModules")
    void domainModulesConnectToTheChosenAddress(ModuleDefinition<?> module) {
        hosts.clear();
        CheckResult result = FIXTURE.checkDomain(module, probe, "future.test", "connect_to=" + CHOSEN);

        assertThat(result.error()).isNull();
        assertThat(hosts).isNotEmpty().containsOnly("chosen future.test");
    }

    @Test
    void usesTheHostnameOfTheTargetForTls() {
        hosts.clear();
        CheckResult result = FIXTURE.check(
                SheetModule.load(new HttpVersions()),
                probe,
                "https://future.test:" + securePort + "/",
                "connect_to=" + CHOSEN);

        assertThat(result.error()).isNull();
        assertThat(result.fields()).containsEntry("http1", true).containsEntry("http2", true);
        assertThat(hosts).containsOnly("chosen future.test");
    }

    @Test
    void webSocketsAndLinksUseTheChosenAddress() {
        hosts.clear();
        Target.Url socket = Objects.requireNonNull(TargetParser.tryUrl("ws://future.test:" + port + "/", "ws"));
        FIXTURE.check(SheetModule.load(new Websocket()), probe, socket, "connect_to=" + CHOSEN);
        CheckResult links =
                check(SheetModule.load(new PageLinks()), "future.test", "/", "check=true&connect_to=" + CHOSEN);

        assertThat(links.fields()).containsEntry("broken_count", 0);
        assertThat(hosts).hasSizeGreaterThan(2).containsOnly("chosen future.test");
    }

    @ParameterizedTest
    @CsvSource({
        "edge.cdn.test, ",
        "customer.cdn.test, ",
        "unknown.cdn.test, DNS_NXDOMAIN",
        "inside.cdn.test, TARGET_BLOCKED"
    })
    void connectsToTheAddressesOfTheChosenHostname(String chosen, @Nullable ErrorCode code) {
        hosts.clear();
        CheckResult result = check(SheetModule.load(new HttpStatus()), "moving.test", "/", "connect_to=" + chosen);

        if (code == null) {
            assertThat(result.error()).isNull();
            assertThat(result.fields()).containsEntry("ip", CHOSEN);
            assertThat(hosts).isNotEmpty().containsOnly("chosen moving.test");
        } else {
            assertThat(Objects.requireNonNull(result.error()).code()).isEqualTo(code);
            assertThat(result.error().message()).doesNotContain("10.0.0.1");
            assertThat(hosts).isEmpty();
        }
    }

    /** Each module that opens connections has the option, or the documentation states why not. */
    @Test
    void modulesWithoutTheOptionAreDocumented() throws IOException {
        String section = Files.readString(Path.of("src/docs/command-line.md"))
                .replaceFirst("(?s).*\n### Servers before a DNS change\n(.*?)\n##.*", "$1");
        List<String> documented = DOCUMENTED_ROW
                .matcher(section)
                .results()
                .flatMap(row -> Stream.of(row.group(1).replace("`", "").split(", ")))
                .toList();
        List<String> without = ModuleCatalogue.load().descriptions().stream()
                .filter(module -> module.option(ModuleDescription.CONNECT_TO) == null)
                .filter(module -> module.option(ModuleDescription.IP_VERSION) != null
                        || module.composite()
                        || Set.of("ipv6-readiness", "mx").contains(module.module()))
                .map(ModuleDescription::module)
                .toList();

        assertThat(documented).containsExactlyInAnyOrderElementsOf(without);
    }

    @Test
    void redirectsToOtherHostsUseDns() {
        hosts.clear();
        ModuleDefinition<?> module = SheetModule.load(new HttpStatus());

        assertThat(check(module, "moving.test", "/stay", "connect_to=" + CHOSEN).fields())
                .containsEntry("ip", CHOSEN);
        assertThat(hosts).containsOnly("chosen moving.test");
        assertThat(check(module, "moving.test", "/leave", "connect_to=" + CHOSEN)
                        .fields())
                .containsEntry("ip", "127.0.0.1");
        assertThat(hosts).endsWith("old elsewhere.test");
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
