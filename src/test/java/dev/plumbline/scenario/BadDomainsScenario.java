package dev.plumbline.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Page;
import com.microsoft.playwright.options.BoundingBox;
import com.microsoft.playwright.options.ColorScheme;
import dev.plumbline.e2e.browser.ViewportTheme;
import dev.plumbline.lab.domain.DomainLab;
import dev.plumbline.lab.domain.DomainSpec;
import dev.plumbline.lab.domain.FaultCatalogue;
import dev.plumbline.support.BrowserSession;
import dev.plumbline.support.ChromiumBrowser;
import dev.plumbline.support.ServiceUnderTest;
import dev.plumbline.support.TestDatabase;
import io.vertx.core.json.JsonObject;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The overview pages of domains with one serious fault and several small ones. Writes the first screen and the full
 * page to {@code target/screenshots}, for a desktop computer and a phone.
 */
@Tag("scenario")
class BadDomainsScenario {
    @RegisterExtension
    static final TestDatabase DATABASE = new TestDatabase();

    private static final Path SCREENSHOTS = Path.of("target", "screenshots");
    private static final Map<Integer, Integer> HEIGHT_BY_WIDTH = Map.of(1280, 800, 390, 844);
    private static DomainLab lab;
    private static ServiceUnderTest service;

    /**
     * A domain.
     *
     * @param number its addresses
     * @param serious name of the serious fault in the catalogue
     * @param small names of other faults
     */
    record BadDomain(int number, String name, String serious, List<String> small) {
        @Override
        public String toString() {
            return name + ": " + serious;
        }
    }

    static List<BadDomain> domains() {
        return List.of(
                new BadDomain(
                        1,
                        "bakery-verde.test",
                        "certificate expired 3 days ago",
                        List.of("no DKIM key", "no TLS-RPT record", "zone not signed")),
                new BadDomain(
                        2,
                        "hotel-seeblick.test",
                        "certificate of another host",
                        List.of("DMARC policy none", "no MTA-STS record", "nameserver without TCP")),
                new BadDomain(
                        3,
                        "bikes-and-more.test",
                        "port 443 closed",
                        List.of("no PTR record", "zone not signed", "no TLS-RPT record")),
                new BadDomain(
                        4,
                        "museum-north.test",
                        "status 500",
                        List.of("no security.txt", "TLS 1.0 enabled", "short DKIM key", "zone expires after a day")),
                new BadDomain(
                        5,
                        "clinic-rosen.test",
                        "no address of the website",
                        List.of("DMARC without reports", "registration expires in 10 days", "no MTA-STS record")),
                new BadDomain(
                        6,
                        "choir-aurora.test",
                        "DNSSEC signatures expired",
                        List.of("registration expires in 10 days")),
                new BadDomain(
                        7,
                        "law-office-bell.test",
                        "mail server without address",
                        List.of("no CSP", "no HSTS", "no HTTP/2", "DMARC policy none")),
                new BadDomain(
                        8,
                        "garden-shop.test",
                        "SPF allows everyone",
                        List.of("no AAAA record", "no viewport", "no security.txt", "no conditional responses")),
                new BadDomain(
                        9,
                        "ferry-lines.test",
                        "registration on hold",
                        List.of("no CSP", "no compression", "no DKIM key", "short HSTS")),
                new BadDomain(
                        10,
                        "robot-club.test",
                        "redirect loop",
                        List.of("nameserver removed from both", "certificate expires in 10 days", "no PTR record")));
    }

    @BeforeAll
    static void start(@TempDir Path folder) throws Exception {
        lab = new DomainLab(folder);
        Map<String, String> settings = new HashMap<>(lab.settings());
        settings.put("LIMITS_FRESH_PER_HOUR", "0");
        settings.put("HTTP_TRUSTED_PROXIES", "127.0.0.0/8");
        service = ServiceUnderTest.start(DATABASE.url(), settings);
    }

    @AfterAll
    static void stop() {
        if (service != null) {
            service.close();
        }
        if (lab != null) {
            lab.close();
        }
    }

    @ParameterizedTest
    @MethodSource("domains")
    void theSeriousFaultIsTheFirstCause(BadDomain domain) {
        DomainSpec spec = new DomainSpec(domain.name(), domain.number());
        FaultCatalogue.fault(domain.serious()).accept(spec);
        domain.small().forEach(fault -> FaultCatalogue.fault(fault).accept(spec));
        lab.serve(spec);
        JsonObject overview =
                new JsonObject(service.instant("overview", domain.name()).body());
        Map<String, Object> first = overview.getJsonObject("fields")
                .getJsonArray("fix_first")
                .getJsonObject(0)
                .getMap();
        assertThat(FaultCatalogue.fault(domain.serious()).causes(first))
                .as(first.toString())
                .isTrue();

        HEIGHT_BY_WIDTH.forEach((width, height) -> {
            try (BrowserSession session =
                    ChromiumBrowser.openSession(service, new ViewportTheme(width, ColorScheme.LIGHT, true))) {
                open(session, domain.name(), width, height);
                String name = "bad-%02d-%s-%d".formatted(domain.number(), domain.name(), width);
                save(session.page(), name, false);
                save(session.page(), name + "-full", true);
                BoundingBox action = session.page()
                        .locator("#field-fix_first .action")
                        .first()
                        .boundingBox();
                assertThat(action.y + action.height).as("end of the repair").isLessThan(height);
            }
        });
    }

    @Test
    void aHealthyDomainIsAtMostTwoScreens() {
        String name = "healthy.test";
        lab.serve(new DomainSpec(name, 11));
        HEIGHT_BY_WIDTH.forEach((width, height) -> {
            try (BrowserSession session =
                    ChromiumBrowser.openSession(service, new ViewportTheme(width, ColorScheme.LIGHT, true))) {
                open(session, name, width, height);
                assertThat(session.page().locator(".grade").first().innerText()).contains("A+");
                save(session.page(), "healthy-" + width, true);
                assertThat((Integer) session.page().evaluate("document.documentElement.scrollHeight"))
                        .isLessThanOrEqualTo(2 * height);
            }
        });
    }

    private static void open(BrowserSession session, String domain, int width, int height) {
        session.page().setViewportSize(width, height);
        session.open("/check/overview/" + domain);
        session.page().locator("article.report").waitFor();
        session.assertFits();
    }

    private static void save(Page page, String name, boolean full) {
        page.screenshot(new Page.ScreenshotOptions()
                .setPath(SCREENSHOTS.resolve(name + ".png"))
                .setFullPage(full));
    }
}
