package dev.plumbline.e2e.browser;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Page;
import com.microsoft.playwright.assertions.PlaywrightAssertions;
import com.microsoft.playwright.options.ColorScheme;
import dev.plumbline.check.ModuleCatalogue;
import dev.plumbline.lab.CertificateSpec;
import dev.plumbline.lab.DnsLab;
import dev.plumbline.lab.TestCa;
import dev.plumbline.support.BrowserSession;
import dev.plumbline.support.ChromiumBrowser;
import dev.plumbline.support.NginxServer;
import dev.plumbline.support.ServiceUnderTest;
import dev.plumbline.support.TestDatabase;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** A domain is entered on the home page, and its overview links to the cached report of each part. */
@Tag("integration")
class OverviewPageTest {
    @RegisterExtension
    static final TestDatabase DATABASE = new TestDatabase();

    private static final String DOMAIN = "site.pages.test";
    private static final String ADDRESS = "127.15.2.1";
    private static final int PHONE = 390;
    private static final int PHONE_HEIGHT = 844;

    private static NginxServer nginx;
    private static DnsLab dns;
    private static ServiceUnderTest service;

    @BeforeAll
    static void start(@TempDir Path folder) throws Exception {
        PlaywrightAssertions.setDefaultAssertionTimeout(40_000);
        TestCa root = TestCa.root("Overview Pages Root");
        nginx = NginxServer.start(
                folder,
                root.issue(CertificateSpec.server(DOMAIN)),
                """
                return 421; }
                server { listen %1$s:80; server_name %2$s; return 301 https://$host$request_uri; }
                server {
                  listen %1$s:443 ssl http2; server_name %2$s;
                  ssl_certificate FOLDER/chain.pem; ssl_certificate_key FOLDER/key.pem;
                  default_type text/html;
                  location = / { return 200 '<!doctype html><html lang="en"><title>Site</title><h1>Site</h1></html>'; }
                  location / { return 404 'not found'; }
                """
                        .formatted(ADDRESS, DOMAIN));
        dns = DnsLab.start();
        dns.address(DOMAIN, ADDRESS).record(DOMAIN + ". 60 IN MX 0 .").record(DOMAIN + ". 60 IN TXT \"v=spf1 -all\"");
        service = ServiceUnderTest.start(
                DATABASE.url(),
                Map.of(
                        "DNS_SERVERS",
                        dns.address(),
                        "TLS_EXTRA_ROOTS",
                        Files.writeString(folder.resolve("root.pem"), TestCa.pem(root.certificate()))
                                .toString(),
                        "HTTP_TRUSTED_PROXIES",
                        "127.0.0.0/8"));
    }

    @AfterAll
    static void stop() {
        if (nginx != null) {
            nginx.close();
        }
        if (service != null) {
            service.close();
            dns.close();
        }
    }

    @Test
    void aDomainEnteredOnTheHomePageReceivesACompleteReport() {
        try (BrowserSession session =
                ChromiumBrowser.openSession(service, new ViewportTheme(ViewportTheme.WIDE, ColorScheme.LIGHT, true))) {
            Page page = session.page();
            session.open("/");
            session.box("Domain, URL, host:port, IP or e-mail").fill(DOMAIN);
            session.box("Domain, URL, host:port, IP or e-mail").press("Enter");

            assertThat(page.locator("article.report .verdict h1")).hasText(DOMAIN);
            assertThat(page).hasURL(service.uri("/check/overview/" + DOMAIN).toString());
            assertThat(page.locator(".tabs [aria-current=page]")).hasText("Domain overview");
            assertThat(page.locator(".areas li")).hasCount(5);
            List<String> parts = page.locator("#field-parts .parts .name").allTextContents();
            assertThat(parts)
                    .hasSizeGreaterThan(20)
                    .doesNotHaveDuplicates()
                    .contains(ModuleCatalogue.load()
                            .find("http-status")
                            .description()
                            .title());
            assertAccessible(session);

            page.locator("#field-parts .parts a[href*='/security-headers/']").click();
            assertThat(page.locator(".verdict h1")).hasText("https://" + DOMAIN + "/");
            assertThat(page.locator(".age")).containsText("Cached");
        }
    }

    private static void assertAccessible(BrowserSession session) {
        session.page().setViewportSize(PHONE, PHONE_HEIGHT);
        assertThat((Integer) session.page().evaluate("document.documentElement.scrollHeight"))
                .isLessThanOrEqualTo(4 * PHONE_HEIGHT);
        AccessibilityScan.assertAccessible(session, "overview");
    }
}
