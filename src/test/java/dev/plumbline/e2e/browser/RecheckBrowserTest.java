package dev.plumbline.e2e.browser;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Locator;
import com.microsoft.playwright.options.ColorScheme;
import dev.plumbline.account.Plan;
import dev.plumbline.account.TestAccounts;
import dev.plumbline.support.BrowserSession;
import dev.plumbline.support.ChromiumBrowser;
import dev.plumbline.support.CountingTarget;
import dev.plumbline.support.ServiceUnderTest;
import dev.plumbline.support.TestDatabase;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** New checks before the cached result expires, and the page of an exceeded quota, with and without JavaScript. */
@Tag("integration")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class RecheckBrowserTest {
    @RegisterExtension
    static final TestDatabase DATABASE = new TestDatabase();

    private static final String PASSWORD = "a long enough password";
    /** A check that does not time out during the analysis of its page. */
    private static final String OPTIONS = "?timeout_ms=30000";

    private TestAccounts accounts;
    private CountingTarget target;
    private ServiceUnderTest service;

    @BeforeAll
    void start() {
        accounts = new TestAccounts(DATABASE.open());
        target = new CountingTarget(DATABASE.vertx());
        service = ServiceUnderTest.start(
                DATABASE.url(), Map.of("LIMITS_FRESH_PER_HOUR", "8", "HTTP_TRUSTED_PROXIES", "127.0.0.0/8"));
    }

    @AfterAll
    void stop() {
        service.close();
    }

    private static String path(String url) {
        return "/check/http-status/" + URLEncoder.encode(url, StandardCharsets.UTF_8);
    }

    private BrowserSession visit(boolean scripts) {
        return ChromiumBrowser.openSession(service, new ViewportTheme(ViewportTheme.WIDE, ColorScheme.LIGHT, scripts));
    }

    private void signIn(BrowserSession session, String name) {
        String email = name + "@plumbline.example";
        accounts.account(email, Plan.PRO, PASSWORD);
        session.signIn(email, PASSWORD);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void newCheckEndsAtTheReport(boolean scripts) {
        try (BrowserSession session = visit(scripts)) {
            signIn(session, "again-" + scripts);
            String url = target.url("/slow/again-" + scripts);
            session.open(path(url));
            Locator recheck = session.page().locator(".recheck");
            assertThat(recheck)
                    .containsText(
                            scripts
                                    ? Pattern.compile("possible at .+ UTC\\s+\\(in [89] min [0-9]+ s\\)")
                                    : Pattern.compile("possible at .+ UTC\\s+\\(in 10 minutes\\)"));
            if (scripts) {
                AccessibilityScan.assertAccessible(session, "recheck-pro");
            }
            int before = target.requests("/slow/again-" + scripts);

            session.button("Check again now").click();

            session.page().waitForURL("**" + path(url));
            assertThat(session.page().locator(".verdict .verdict-label")).hasText("Pass.");
            assertThat(target.requests("/slow/again-" + scripts)).isGreaterThan(before);
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void pageWaitsForALongCheck(boolean scripts) {
        CountingTarget slow = new CountingTarget(DATABASE.vertx());
        try (BrowserSession session = visit(scripts)) {
            signIn(session, "long-" + scripts);
            session.open(path(slow.url("/ok/long-" + scripts)) + OPTIONS);
            String url = slow.url("/gate/long-" + scripts);
            session.page().locator(".recheck form").evaluate("(form, path) => form.action = path", path(url) + OPTIONS);

            if (scripts) {
                session.button("Check again now").dblclick();
            } else {
                session.button("Check again now").click();
            }

            assertThat(session.main()).containsText("The check is in progress.");
            assertThat(slow.requests("/gate/long-" + scripts)).isEqualTo(1);
            if (scripts) {
                // a page that is stopped before it has loaded never has the state that the analysis requires
                session.page().waitForLoadState();
                // without the reload during the analysis
                session.page().evaluate("() => window.stop()");
                AccessibilityScan.assertAccessible(session, "recheck-waiting");
                slow.openGate();
                session.page().reload();
            } else {
                slow.openGate();
            }

            session.page().waitForURL(Pattern.compile(".*/check/http-status/.*"));
            // a response that takes long is a warning
            assertThat(session.page().locator(".verdict .verdict-label")).hasText(Pattern.compile("Pass|Warning"));
        }
    }

    @Test
    void commandAndExceededQuotaAreShown() {
        try (BrowserSession session = visit(true)) {
            // its quota is not that of the other tests
            session.page().setExtraHTTPHeaders(Map.of("X-Forwarded-For", "203.0.113.9"));
            session.open("/");
            AccessibilityScan.assertAccessible(session, "home-quota");
            String url = target.url("/ok/command");
            session.open(path(url));
            assertThat(session.page().locator(".recheck code")).hasText("plumbline check http-status " + url);
            AccessibilityScan.assertAccessible(session, "recheck-command");

            int status = 200;
            for (int i = 0; i < 9 && status == 200; i++) {
                status = session.open(path(target.url("/ok/over-" + i + "?a=1&b=2")));
            }

            assertThat(status).isEqualTo(429);
            assertThat(session.page().locator(".quota-options")).containsText("possible in 60 minutes");
            AccessibilityScan.assertAccessible(session, "quota-exceeded");
        }
    }
}
