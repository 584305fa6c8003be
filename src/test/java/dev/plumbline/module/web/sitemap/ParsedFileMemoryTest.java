package dev.plumbline.module.web.sitemap;

import static dev.plumbline.lab.VirtualHosts.responding;
import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.budget.MemoryBudget;
import dev.plumbline.budget.MemoryHolder;
import dev.plumbline.check.CheckFailure;
import dev.plumbline.check.ModuleDefinition;
import dev.plumbline.check.SheetModule;
import dev.plumbline.lab.HttpFixture;
import dev.plumbline.lab.VirtualHosts;
import dev.plumbline.module.web.RobotsTxt;
import dev.plumbline.probe.http.HttpProbe;
import dev.plumbline.result.ErrorCode;
import dev.plumbline.support.Await;
import dev.plumbline.support.TestCheckContext;
import dev.plumbline.target.Target;
import dev.plumbline.target.TargetParser;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Files whose parsed content uses much more memory than their text. */
class ParsedFileMemoryTest {
    @RegisterExtension
    static final HttpFixture FIXTURE = HttpFixture.start();

    private static final int LINES = 10_000;

    private static Vertx vertx;
    private static HttpProbe probe;
    private static VirtualHosts sites;

    @BeforeAll
    static void start() {
        vertx = Vertx.vertx();
        probe = FIXTURE.probe(HttpFixture.policy(List.of("127.0.0.0/8"), List.of("*")));
        String listed = IntStream.range(0, LINES)
                .mapToObj(i -> "Sitemap:http://a/" + i + "\n")
                .collect(Collectors.joining());
        String index = IntStream.range(0, 1_000)
                .mapToObj(i -> "<sitemap><loc>INDEX/" + i + "/" + "x".repeat(1_900) + "</loc></sitemap>")
                .collect(Collectors.joining(
                        "", "<sitemapindex xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\">", "</sitemapindex>"));
        sites = Await.value(VirtualHosts.start(
                vertx,
                FIXTURE.dns(),
                Map.of(
                        "groups", responding(200, "text/plain", "User-agent: a\nAllow: /\n".repeat(LINES)),
                        "listed", responding(200, "text/plain", listed),
                        "index",
                                request -> request.response()
                                        .putHeader("content-type", "application/xml")
                                        .end(
                                                request.path().equals("/index.xml")
                                                        ? index.replace("INDEX", sites.url("index", ""))
                                                        : ""))));
    }

    @AfterAll
    static void stop() {
        Await.value(vertx.close());
    }

    @ParameterizedTest
    @CsvSource({"robots-txt, groups, /, 2, 1", "sitemap, listed, /, 2, 8", "sitemap, index, /index.xml, 5, 6"})
    void parsedContentIsReserved(String module, String site, String path, int tooSmallMib, int heldMib)
            throws Exception {
        MemoryBudget budget = new MemoryBudget(vertx, MemoryBudget.CHECK_BYTES, 1);
        try (MemoryHolder memory = budget.open("a", MemoryBudget.CHECK_BYTES)) {
            Await.value(collect(module, site, path, memory));
            assertThat(budget.held()).isGreaterThan((long) heldMib << 20);
        }
        assertThat(budget.held()).isZero();

        try (MemoryHolder memory = budget.open("a", (long) tooSmallMib << 20)) {
            assertThat(Await.failure(collect(module, site, path, memory)))
                    .matches(failure -> CheckFailure.hasCode(failure, ErrorCode.RESPONSE_TOO_LARGE));
        }
        assertThat(budget.held()).isZero();
    }

    private static Future<Boolean> collect(String name, String site, String path, MemoryHolder memory)
            throws Exception {
        ModuleDefinition<?> module =
                name.equals("sitemap") ? SheetModule.load(new Sitemap()) : SheetModule.load(new RobotsTxt());
        Target target = TargetParser.parse(module.description(), sites.url(site, path));
        TestCheckContext context = TestCheckContext.of(module.description(), Map.of())
                .withDeadline(20_000)
                .withProbe(HttpProbe.class, probe)
                .withMemory(memory);
        return Await.onLoop(vertx, () -> module.collect(target, context).map(true));
    }
}
