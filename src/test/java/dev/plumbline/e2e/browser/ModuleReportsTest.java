package dev.plumbline.e2e.browser;

import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Locator;
import com.microsoft.playwright.options.ColorScheme;
import dev.plumbline.check.ModuleCatalogue;
import dev.plumbline.lab.FreePorts;
import dev.plumbline.lab.Lab;
import dev.plumbline.lab.LabPorts;
import dev.plumbline.lab.LabTarget;
import dev.plumbline.sheet.ModuleDescription;
import dev.plumbline.support.BrowserSession;
import dev.plumbline.support.ChromiumBrowser;
import dev.plumbline.support.ServiceUnderTest;
import dev.plumbline.support.TestDatabase;
import java.io.IOException;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The report of each module in a browser. */
@Tag("integration")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class ModuleReportsTest {
    @RegisterExtension
    static final TestDatabase DATABASE = new TestDatabase();

    /**
     * Modules that use the ports 53, 80 and 443, which a test cannot open without root. Their reports have no own form.
     */
    private static final Set<String> ON_DEFAULT_PORTS =
            Set.of("hsts", "https-redirect", "mail-health", "nameservers", "overview", "security-txt");

    private Lab lab;
    private List<LabTarget> targets;
    private ServiceUnderTest service;
    private BrowserSession session;

    @BeforeAll
    void start(@TempDir Path folder) throws IOException {
        lab = new Lab(LabPorts.free());
        targets = lab.targets();
        Path roots = Files.writeString(folder.resolve("root.pem"), lab.rootPem());
        Map<String, String> settings = new HashMap<>();
        for (String setting : lab.environment(roots)) {
            int equals = setting.indexOf('=');
            settings.put(setting.substring("PLUMBLINE_".length(), equals), setting.substring(equals + 1));
        }
        // without port 53, because names of the lab have public nameservers
        settings.put("TARGETS_PORTS", "1-52,54-65535");
        service = ServiceUnderTest.start(DATABASE.url(), settings);
        session = ChromiumBrowser.openSession(service, new ViewportTheme(ViewportTheme.PHONE, ColorScheme.DARK, true));
    }

    @AfterAll
    void stop() {
        if (session != null) {
            session.close();
        }
        service.close();
        lab.close();
    }

    /** The target of a module in the lab whose address or expectation contains the text. */
    private String target(String module, String text) {
        return targets.stream()
                .filter(target -> target.module().equals(module))
                .filter(target ->
                        target.target().contains(text) || target.expectation().contains(text))
                .map(LabTarget::target)
                .findFirst()
                .orElseThrow();
    }

    /** @param target with options after a question mark if it is not a URL */
    private static String path(String module, String target) {
        int end = target.contains("://") || target.indexOf('?') < 0 ? target.length() : target.indexOf('?');
        return "/check/" + module + "/" + URLEncoder.encode(target.substring(0, end), StandardCharsets.UTF_8)
                + target.substring(end);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "http-status | /redirect/301 | 301 → 200, [0-9.]+ m?s",
                "http-status | /status/404 | 404, [0-9.]+ m?s",
                "http-timing | bytes=11 | [0-9.]+ m?s, time to first byte [0-9.]+ m?s",
                "page-metadata | title_length=14 | .+",
                "page-metadata | not_a_page | Not an HTML page",
                "cookies | /cookies/good | 1 cookie",
                "cookies | /cookies/weak | 1 cookie",
                "cors | /cors/reflect-credentials | Any origin, with credentials",
                "cors | /cors/none | CORS not enabled",
                "http-caching | /cache/max-age | Fresh for 60 s",
                "http-compression | /ok | Small response, not compressed",
                "http-headers | /ok | HTTP 200, [0-9]+ bytes of headers",
                "http-versions | http2=true | HTTP/2",
                "indexability | indexable=true | Indexable",
                "indexability | /indexing/noindex | Not indexable: .+",
                "mixed-content | verdict=fail | Blocked resources: [0-9]+",
                "page-links | /links | Links: 3",
                "dns-propagation | full.lab.test | 100(.0)? % of the resolvers agree",
                "soa | soa.lab.test | Serial 7",
                "redirect-chain | hop_count=3 | 302 → 302 → 302 → 200",
                "redirect-chain | redirect_loop | Redirect loop",
                "robots-txt | allowed=true | Crawling allowed",
                "robots-txt | allowed=false | Crawling disallowed",
                "security-headers | score=100 | A\\+, score 100 of 100",
                "security-headers | score=0 | F, score 0 of 100",
                "sitemap | /sitemaps/index.xml | [0-9]+ sitemaps, 3 URLs read",
                "sitemap | /sitemaps/broken.xml | .+",
                "websocket | /websocket/frames | Upgraded, [0-9.]+ m?s",
                "websocket | /websocket/wrong-accept | Invalid handshake",
                "ssl-certificate | valid.tls | Valid until [0-9]+ [A-Z][a-z]+ [0-9]{4}, [0-9]+ days left",
                "ssl-certificate | expired.tls | Expired [0-9]+ days ago",
                "ssl-certificate | not-yet-valid.tls | Not yet valid",
                "ssl-certificate | wrong-name.tls | Hostname mismatch, expires in [0-9]+ days",
                "ssl-certificate | expired-intermediate.tls | Expired intermediate certificate",
                "starttls-certificate | problem=none | Valid until [0-9]+ [A-Z][a-z]+ [0-9]{4}, [0-9]+ days left",
                "smtp-tls | tls13=true | TLSv1.2, TLSv1.3.*",
                "tls-protocols | tls13=true | TLSv1.2, TLSv1.3.*",
                "tls-protocols | legacy_enabled=true | SSLv3, TLSv1, weak cipher suites: [0-9]+",
                "dns-records | full.lab.test | [0-9]+ A, .*[0-9]+ TXT.*",
                "dns-records | dangling.lab.test | CNAME target does not exist",
                "dns-records | no-such-name.lab.test | NXDOMAIN",
                "dane-tlsa | ok.dane.test | Certificate matches",
                "dane-tlsa | wrong.dane.test | Certificate does not match",
                "dnssec | secure.test | Secure, ECDSAP256SHA256",
                "dnssec | expired.test | Bogus: signature expired",
                "dnssec | full.lab.test | Not signed",
                "caa | www.caa.lab.test | ca1.example.net",
                "caa | no-caa.lab.test | No CAA records: any CA can issue",
                "caa | bad-caa.lab.test | No CA authorized",
                "rpki | rpki.lab.test | All routes valid",
                "rpki | hijacked.lab.test | Invalid route",
                "reverse-dns | forward_confirmed=true | mail.reverse.lab.test",
                "reverse-dns | 93.184.216.2 | mail.reverse.lab.test, not forward-confirmed",
                "reverse-dns | no PTR record | No PTR record",
                "ipv6-readiness | v4.lab.test | No IPv6 for the website",
                "ipv6-readiness | dns6.lab.test | No website",
                "mx | full.lab.test | .+lab.test.*",
                "mx | nullmx.lab.test | Null MX, no mail accepted",
                "spf | full.lab.test | [-~]all, DNS lookups: [0-9]+ of 10",
                "spf | spfloop.lab.test | Permerror, DNS lookups: [0-9]+ of 10",
                "dmarc | full.lab.test | p=[a-z]+.*",
                "dmarc | nullmx.lab.test | No DMARC record",
                "tls-rpt | policies.lab.test | mailto:.+",
                "tls-rpt | nopolicies.lab.test | No TLSRPT record",
                "dnsbl | 93.184.216.34 | Not listed, blocklists: 1",
                "dnsbl | listed.lab.test | Blocklists with an entry: 1",
                "email-address | jane@full.lab.test | Valid, domain has MX records",
                "email-address | jane..doe@full.lab.test | Invalid syntax",
                "smtp | verdict=pass; STARTTLS | STARTTLS, greeting after [0-9.]+ m?s",
                "smtp | verdict=warn; no STARTTLS | No STARTTLS",
                "dkim | policies.lab.test | Keys: google",
                "dkim | nopolicies.lab.test | No DKIM key",
                "bimi | policies.lab.test | Logo without mark certificate",
                "bimi | verdict=fail | Invalid logo",
                "mta-sts | nomail.lab.test | No MTA-STS record, no mail accepted",
                "mta-sts | badpolicies.lab.test | Several MTA-STS records",
                "domain-registration | good.lab-registry | Expires in [0-9]+ years",
                "domain-registration | unregistered.lab-registry | Not registered",
                "ip-registration | 9.0.0.1 | Lab Inc.",
                "ip-registration | 2620::1 | Lab GmbH, DE",
                "ip-registration | not registered | Not registered",
                "tcp-port | open | Open, [0-9.]+ ms",
                "tcp-port | closed | Closed",
            })
    void startsWithTheKeyValueAndFitsOnAPhone(String module, String text, String headline) {
        String target = module.equals("tcp-port") ? port(text.equals("open")) : target(module, text);
        session.open(path(module, target));

        assertThat(session.page().locator(".verdict .headline").textContent()).matches(headline);
        assertThat(session.page().locator("time").allTextContents()).allMatch(time -> time.endsWith(" UTC"));
        Screenshots.saveAll(session.page(), module + "-" + text);
        expand(session);
        session.assertFits();
        assertThat(clipped(session)).isEmpty();
        assertThat(AccessibilityScan.violations(session.page())).isEmpty();
        session.assertNoErrors();
    }

    private String port(boolean open) {
        String url = lab.http().http("/");
        return open ? url.replaceFirst("http://([^/]+)/.*", "$1") : "127.0.0.1:" + FreePorts.next();
    }

    private static void expand(BrowserSession session) {
        session.page().locator("main details").evaluateAll("all => all.forEach(d => d.open = true)");
    }

    /** The elements whose content is wider than they are. */
    private static List<?> clipped(BrowserSession session) {
        return (List<?>) session.page()
                .evaluate("() => [...document.querySelectorAll('article :not(thead, thead *, input)')]"
                        + ".filter(e => e.scrollWidth > e.clientWidth + 1 && e.clientWidth > 1"
                        + " && getComputedStyle(e).display !== 'inline')"
                        + ".map(e => e.outerHTML.slice(0, 200))");
    }

    @Test
    void nullOfAnErrorIsNotReportedAsAbsence() {
        try (BrowserSession withoutScripts =
                ChromiumBrowser.openSession(service, new ViewportTheme(ViewportTheme.WIDE, ColorScheme.LIGHT, false))) {
            withoutScripts.open(path("tcp-port", port(false)));

            assertThat(withoutScripts
                            .page()
                            .locator("#details ~ .note")
                            .textContent()
                            .strip())
                    .matches("Not determined because of the error:\\s+Connect time,\\s+Banner,\\s+IP address\\.");
            assertThat(withoutScripts.main().textContent()).doesNotContain("Nothing received");

            withoutScripts.open(path("http-status", target("http-status", "/status/404")));

            assertThat(withoutScripts
                            .page()
                            .locator("#field-contains_matched dd")
                            .textContent()
                            .strip())
                    .isEqualTo("Not tested");
        }
    }

    @Test
    void longValuesAreCollapsedAndRowsAreCards() {
        try (BrowserSession withoutScripts = ChromiumBrowser.openSession(
                service, new ViewportTheme(ViewportTheme.PHONE, ColorScheme.LIGHT, false))) {
            withoutScripts.open(path("dns-records", target("dns-records", "full.lab.test")));

            Locator records = withoutScripts.page().locator("#field-records");
            assertThat(records.locator("details:not([open]) > summary").allTextContents())
                    .containsExactly("3035 characters", "3000 characters");
            Locator row = records.locator("tbody tr").first();
            assertThat(row.evaluate("row => getComputedStyle(row).display")).isEqualTo("block");
            assertThat(row.locator("td").first().getAttribute("data-label")).isEqualTo("Name");
            assertThat(row.evaluate("row => row.getBoundingClientRect().right <= innerWidth"))
                    .isEqualTo(true);

            withoutScripts.open(path("ssl-certificate", target("ssl-certificate", "valid.tls")));

            assertThat(withoutScripts.page().locator("#details ~ h3").allTextContents())
                    .containsExactly("Validity", "Certificate", "Chain", "Connection", "Revocation and transparency");
            assertThat(withoutScripts.page().locator("#field-not_after dd").textContent())
                    .containsPattern("\\(in \\d+ days\\)");
        }
    }

    @Test
    void everyModuleHasACase() throws NoSuchMethodException {
        CsvSource cases = getClass()
                .getDeclaredMethod("startsWithTheKeyValueAndFitsOnAPhone", String.class, String.class, String.class)
                .getAnnotation(CsvSource.class);

        assertThat(List.of(cases.value()).stream()
                        .map(line -> line.substring(0, line.indexOf(' ')))
                        .collect(Collectors.toSet()))
                .containsAll(ModuleCatalogue.load().descriptions().stream()
                        .map(ModuleDescription::module)
                        .filter(module -> !ON_DEFAULT_PORTS.contains(module))
                        .toList());
    }
}
