package dev.plumbline.e2e.browser;

import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.assertions.PlaywrightAssertions;
import com.microsoft.playwright.options.AriaRole;
import com.microsoft.playwright.options.ColorScheme;
import dev.plumbline.account.Plan;
import dev.plumbline.account.TestAccounts;
import dev.plumbline.lab.FreePorts;
import dev.plumbline.lab.HttpLab;
import dev.plumbline.support.Await;
import dev.plumbline.support.BrowserSession;
import dev.plumbline.support.ChromiumBrowser;
import dev.plumbline.support.CountingTarget;
import dev.plumbline.support.SampleModule;
import dev.plumbline.support.ServiceUnderTest;
import dev.plumbline.support.TestDatabase;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** All pages pass the WCAG 2.2 AA rules of axe-core, in both themes, narrow and wide. */
@Tag("integration")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class AccessibilityTest {
    @RegisterExtension
    static final TestDatabase DATABASE = new TestDatabase();

    private static final String PASSWORD = "a long enough password";
    private static final String EMAIL = "axe@plumbline.example";
    private static final ViewportTheme VIEWPORT = new ViewportTheme(ViewportTheme.WIDE, ColorScheme.LIGHT, true);

    private final Screenshots screenshots = new Screenshots();
    private HttpLab lab;
    private ServiceUnderTest service;
    private BrowserSession visitor;

    @BeforeAll
    void start(@TempDir Path folder) {
        TestAccounts accounts = new TestAccounts(DATABASE.open());
        accounts.account(EMAIL, Plan.PRO, PASSWORD);
        lab = Await.value(HttpLab.start(DATABASE.vertx()));
        service = SampleModule.startBehindProxy(folder, DATABASE);
        visitor = ChromiumBrowser.openSession(service, VIEWPORT);
    }

    @AfterAll
    void stop() {
        if (visitor != null) {
            visitor.close();
        }
        service.close();
    }

    private void assertAccessible(BrowserSession session) {
        AccessibilityScan.assertMeetsWcag(session, screenshots.name(session.page()));
    }

    private static String report(String module, String target) {
        return "/check/" + module + "/" + URLEncoder.encode(target, StandardCharsets.UTF_8);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/",
                "/check?target=two+words",
                "/check?target=example.com&tool=tcp-port",
                "/tools",
                "/tools?q=certificate",
                "/tools?q=nothing+of+the+kind",
                "/tools/http-status",
                "/policies",
                "/policies/mozilla-intermediate",
                "/tools/ssl-certificate",
                "/docs",
                "/docs/jobs",
                "/docs/modules",
                "/docs/jobs/schemas",
                "/docs/search?q=limit",
                "/docs/search?q=nothing+of+the+kind",
                "/sign-in",
                "/sign-up",
                "/bulk",
                "/jobs",
                "/nowhere"
            })
    void publicPages(String path) {
        visitor.open(path);

        assertAccessible(visitor);
        visitor.assertNoErrors();
    }

    @Test
    void reportsOfEveryVerdictAndRejections() {
        try (BrowserSession session = ChromiumBrowser.openSession(service, VIEWPORT)) {
            for (String path : List.of(
                    report("http-status", lab.http("/ok")),
                    report("http-status", lab.http("/redirect/to-https")),
                    report("http-status", lab.http("/status/404")),
                    report("http-status", "http://127.0.0.1:" + FreePorts.next() + "/"),
                    report("ssl-certificate", lab.secure("/").replaceFirst("https://([^/]+)/.*", "$1")),
                    report("http-status", "two words"),
                    report("http-status", "http://10.1.2.3/"))) {
                session.open(path);
                expand(session);

                assertAccessible(session);
            }
        }
    }

    /** Every option and field type, with hostile values. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "/tools/sample-module",
                "/check/sample-module/bad.example",
                "/check/sample-module/good.example",
                "/check/sample-module/good.example?wait_seconds=1000"
            })
    void pagesOfAGenericModule(String path) {
        visitor.open(path);
        expand(visitor);

        assertAccessible(visitor);
        visitor.assertNoErrors();
    }

    private static void expand(BrowserSession session) {
        session.page().locator("main details").evaluateAll("all => all.forEach(d => d.open = true)");
    }

    @Test
    void accountPages() {
        try (BrowserSession session = ChromiumBrowser.openSession(service, VIEWPORT)) {
            session.open("/sign-in");
            session.box("E-mail").fill(EMAIL);
            session.box("Password").fill("not the password");
            session.button("Sign in").click();
            session.page().getByRole(AriaRole.ALERT).waitFor();
            assertAccessible(session);
            session.signIn(EMAIL, PASSWORD);
            assertAccessible(session);
            session.box("Name").fill("nightly import");
            session.button("Create key").click();
            session.page().locator(".secret").waitFor();
            assertAccessible(session);
            session.link("Done").click();
            session.page().waitForURL("**/account**");
            expand(session);
            assertAccessible(session);
            session.link("Revoke nightly import").click();
            session.button("Revoke key").waitFor();
            assertAccessible(session);
        }
    }

    @Test
    void jobsBeforeDuringAndAfterTheirRun() {
        CountingTarget target = new CountingTarget(DATABASE.vertx());
        try (BrowserSession session = ChromiumBrowser.openSession(service, VIEWPORT)) {
            session.signIn(EMAIL, PASSWORD);
            session.open("/jobs");
            assertAccessible(session);
            session.open("/bulk");
            session.box("Targets").fill("two words\n" + "x".repeat(3000));
            session.page().locator("#bulk-preview .invalid-lines").waitFor();
            assertAccessible(session);
            session.button("Run checks").click();
            session.page().locator("#form-error").waitFor();
            assertAccessible(session);
            session.box("Targets")
                    .fill(String.join(
                            "\n",
                            SampleModule.HOSTILE,
                            target.url("/ok/1"),
                            target.url("/missing/1"),
                            target.url("/gate/1")));
            PlaywrightAssertions.assertThat(session.page().locator("#bulk-preview .counts"))
                    .containsText("3 valid");
            assertAccessible(session);
            session.button("Run checks").click();
            session.page().locator("[data-finished=false]").waitFor();
            assertAccessible(session);
            String job = session.page().url();
            session.page().navigate(job + "/lines/3");
            assertAccessible(session);
            session.page().navigate(job);
            target.openGate();
            session.page().locator("[data-finished=true]").waitFor();
            assertAccessible(session);
            for (int line : List.of(0, 2)) {
                session.page().navigate(job + "/lines/" + line);
                assertAccessible(session);
            }
            assertThat(session.page().navigate(job + "/lines/4").status()).isEqualTo(404);
            assertAccessible(session);
            for (String query :
                    List.of("?verdict=fail&fields=text&fields=rows&finding=no_such_finding", "?verdict=maybe")) {
                session.page().navigate(job + query);
                expand(session);
                assertAccessible(session);
            }
            session.open("/bulk");
            session.box("Targets").fill(SampleModule.HOSTILE + "\n" + target.url("/ok/2"));
            session.button("Run checks").click();
            session.page()
                    .locator("#bulk-confirm, [data-finished=true]")
                    .first()
                    .waitFor();
            if (session.page().locator("#bulk-confirm").count() > 0) {
                session.button("Run checks").click();
            }
            session.page().locator("[data-finished=true]").waitFor();
            session.button("Compare").click();
            session.page().locator(".changes").waitFor();
            expand(session);
            assertAccessible(session);
            session.open("/jobs");
            assertAccessible(session);
        }
    }
}
