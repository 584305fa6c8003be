package dev.plumbline.e2e.browser;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.options.AriaRole;
import com.microsoft.playwright.options.ColorScheme;
import com.microsoft.playwright.options.SelectOption;
import dev.plumbline.account.Plan;
import dev.plumbline.account.TestAccounts;
import dev.plumbline.lab.FreePorts;
import dev.plumbline.lab.HttpLab;
import dev.plumbline.support.Await;
import dev.plumbline.support.BrowserSession;
import dev.plumbline.support.ChromiumBrowser;
import dev.plumbline.support.CountingTarget;
import dev.plumbline.support.ServiceUnderTest;
import dev.plumbline.support.TestDatabase;
import io.vertx.core.json.JsonObject;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** User journeys in Chromium. */
@Tag("integration")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class BrowserNavigationTest {
    @RegisterExtension
    static final TestDatabase DATABASE = new TestDatabase();

    private static final String PASSWORD = "a long enough password";
    private static final int LINES = 500;

    private static int userCount;

    private TestAccounts accounts;
    private HttpLab lab;
    private ServiceUnderTest service;

    @BeforeAll
    void start() {
        accounts = new TestAccounts(DATABASE.open());
        lab = Await.value(HttpLab.start(DATABASE.vertx()));
        service = ServiceUnderTest.start(DATABASE.url(), Map.of("HTTP_TRUSTED_PROXIES", "127.0.0.1"));
    }

    @AfterAll
    void stop() {
        service.close();
    }

    private String newUser() {
        String email = "walker" + userCount++ + "@plumbline.example";
        accounts.account(email, Plan.PRO, PASSWORD);
        return email;
    }

    /** A quarter of the height of the reference when it was one page. */
    @Test
    void pagesOfTheReferenceAreNotLong() {
        try (BrowserSession session =
                ChromiumBrowser.openSession(service, new ViewportTheme(ViewportTheme.WIDE, ColorScheme.LIGHT, true))) {
            session.open("/docs");
            List<?> paths = (List<?>) session.page()
                    .locator("nav[aria-label='API reference'] a")
                    .evaluateAll("links => links.map(link => link.getAttribute('href'))");
            assertThat(paths).hasSizeGreaterThan(5);
            for (Object path : paths) {
                session.open(path.toString());
                assertThat((Integer) session.page().evaluate("document.documentElement.scrollHeight"))
                        .as(path.toString())
                        .isLessThanOrEqualTo(43_759 / 4);
            }
        }
    }

    /** Enters the target on the home page and runs the default tool. */
    private static void check(BrowserSession session, String target) {
        session.open("/");
        session.box("Domain, URL, host:port, IP or e-mail").fill(target);
        session.box("Domain, URL, host:port, IP or e-mail").press("Enter");
    }

    private static void reloadUntilFinished(BrowserSession session) {
        Await.until(() -> {
            session.page().reload();
            return session.page().locator("[data-finished=true]").count() > 0;
        });
    }

    @ParameterizedTest
    @MethodSource("dev.plumbline.e2e.browser.ViewportTheme#withAndWithoutScripts")
    void aCheckRunsFromTheHomePage(ViewportTheme viewport) {
        try (BrowserSession session = ChromiumBrowser.openSession(service, viewport)) {
            String target = lab.http("/ok?" + viewport.hashCode());
            check(session, target);

            assertThat(session.page().locator(".verdict .verdict-label")).hasText("Pass.");
            assertThat(session.page().getByRole(AriaRole.HEADING, new Page.GetByRoleOptions().setLevel(1)))
                    .hasText(target);
            session.assertFits();
            session.page().reload();
            assertThat(session.page().locator(".age")).containsText("Cached");
        }
    }

    @ParameterizedTest
    @MethodSource("dev.plumbline.e2e.browser.ViewportTheme#withAndWithoutScripts")
    void anotherCheckOfTheTargetRunsWithOneClick(ViewportTheme viewport) {
        try (BrowserSession session = ChromiumBrowser.openSession(service, viewport)) {
            check(session, lab.http("/ok?tabs" + viewport.hashCode()));
            assertThat(session.page().locator(".tabs [aria-current=page]")).hasText("HTTP status");
            session.link("SSL certificate").click();

            assertThat(session.page().locator(".tabs [aria-current=page]")).hasText("SSL certificate");
            assertThat(session.page().locator(".verdict .verdict-label")).hasText("Fail.");
            session.assertFits();
        }
    }

    @ParameterizedTest
    @MethodSource("dev.plumbline.e2e.browser.ViewportTheme#withAndWithoutScripts")
    void aToolIsSelectedBeforeTheCheck(ViewportTheme viewport) {
        try (BrowserSession session = ChromiumBrowser.openSession(service, viewport)) {
            session.open("/");
            session.box("Domain, URL, host:port, IP or e-mail").fill(lab.http("/ok?before" + viewport.hashCode()));
            session.box("Tool").selectOption("http-timing");
            session.button("Run check").click();

            assertThat(session.page().locator(".tabs [aria-current=page]")).hasText("HTTP timing");
            session.assertFits();
        }
    }

    @ParameterizedTest
    @MethodSource("dev.plumbline.e2e.browser.ViewportTheme#withAndWithoutScripts")
    void invalidAndForbiddenTargetsAreExplained(ViewportTheme viewport) {
        try (BrowserSession session = ChromiumBrowser.openSession(service, viewport)) {
            check(session, "two words");
            assertThat(session.page().getByRole(AriaRole.ALERT)).containsText("two words is not a valid target");
            session.assertFits();

            check(session, "http://10.1.2.3/inside");
            assertThat(session.page().getByRole(AriaRole.ALERT)).containsText("10.1.2.3");
            session.assertFits();
        }
    }

    @ParameterizedTest
    @MethodSource("dev.plumbline.e2e.browser.ViewportTheme#withAndWithoutScripts")
    void cachedReportsAreAvailableOverTheQuota(ViewportTheme viewport) {
        try (ServiceUnderTest small = ServiceUnderTest.start(
                        DATABASE.url(), Map.of("HTTP_TRUSTED_PROXIES", "127.0.0.1", "LIMITS_FRESH_PER_HOUR", "1"));
                BrowserSession session = ChromiumBrowser.openSession(small, viewport)) {
            String known = lab.http("/ok?known" + viewport.hashCode());
            check(session, known);
            assertThat(session.page().locator(".age")).containsText("0 of 1 fresh checks remaining");

            check(session, lab.http("/ok?one-more" + viewport.hashCode()));
            assertThat(session.page().getByRole(AriaRole.ALERT)).containsText("minutes");
            session.assertFits();

            check(session, known);
            assertThat(session.page().locator(".verdict .verdict-label")).hasText("Pass.");
        }
    }

    @ParameterizedTest
    @MethodSource("dev.plumbline.e2e.browser.ViewportTheme#withAndWithoutScripts")
    void aToolIsFoundAndRunFromItsPage(ViewportTheme viewport) {
        try (BrowserSession session = ChromiumBrowser.openSession(service, viewport)) {
            session.open("/");
            session.page()
                    .getByRole(AriaRole.NAVIGATION)
                    .first()
                    .getByText("Tools")
                    .click();
            session.box("Search tools").fill("certificate");
            session.button("Search").click();
            assertThat(session.page().getByRole(AriaRole.STATUS)).containsText("for certificate");
            session.assertFits();

            session.main().locator(".tools a[href$='/ssl-certificate']").click();
            assertThat(session.page().locator("#fields")).isVisible();
            session.assertFits();
            session.page().locator("#check-target").fill(lab.secure("/").replaceFirst("https://([^/]+)/.*", "$1"));
            session.button("Run check").click();

            assertThat(session.page().locator(".verdict .verdict-label")).hasText("Fail.");
            assertThat(session.page().locator(".findings > li").first()).isVisible();
            session.assertFits();
        }
    }

    @ParameterizedTest
    @MethodSource("dev.plumbline.e2e.browser.ViewportTheme#withAndWithoutScripts")
    void aCheckRunsWithTheKeyboardAlone(ViewportTheme viewport) {
        try (BrowserSession session = ChromiumBrowser.openSession(service, viewport)) {
            session.open("/tools");
            session.page().keyboard().press("Tab");
            assertThat(session.link("Skip to content")).isFocused();
            session.page().keyboard().press("Enter");
            session.page().keyboard().press("Tab");
            assertThat(session.box("Search tools")).isFocused();

            session.page().keyboard().type("status");
            session.page().keyboard().press("Enter");
            assertThat(session.page().getByRole(AriaRole.STATUS)).containsText("for status");
            session.link("HTTP status").press("Enter");
            assertThat(session.page().locator("#check-target")).isVisible();
            session.page().locator("#check-target").focus();
            session.page().keyboard().type(lab.http("/ok?keys" + viewport.hashCode()));
            session.page().keyboard().press("Enter");

            assertThat(session.page().locator(".verdict .verdict-label")).hasText("Pass.");
        }
    }

    @ParameterizedTest
    @MethodSource("dev.plumbline.e2e.browser.ViewportTheme#withAndWithoutScripts")
    void usersSignInAndOut(ViewportTheme viewport) {
        String email = newUser();
        try (BrowserSession session = ChromiumBrowser.openSession(service, viewport)) {
            session.open("/bulk");
            session.main()
                    .getByText("Sign in", new Locator.GetByTextOptions().setExact(true))
                    .click();
            session.box("E-mail").fill(email);
            session.box("Password").fill("not the password");
            session.button("Sign in").click();
            assertThat(session.page().getByRole(AriaRole.ALERT)).containsText("Incorrect e-mail address or password");
            session.assertFits();

            session.box("Password").fill(PASSWORD);
            session.button("Sign in").click();
            session.page().waitForURL("**/bulk");
            session.open("/account");
            assertThat(session.main()).containsText(email);
            session.button("Sign out").click();

            session.page().waitForURL(Pattern.compile(".*/(sign-in.*)?$"));
            assertThat(session.link("Sign in").first()).isVisible();
            session.open("/account");
            session.page().waitForURL("**/sign-in?**");
        }
    }

    @ParameterizedTest
    @MethodSource("dev.plumbline.e2e.browser.ViewportTheme#withAndWithoutScripts")
    void aKeyIsCreatedUsedAndRevoked(ViewportTheme viewport) {
        try (BrowserSession session = ChromiumBrowser.openSession(service, viewport)) {
            session.signIn(newUser(), PASSWORD);
            session.box("Name").fill("nightly import");
            session.button("Create key").click();
            String key = session.page()
                    .locator(".secret")
                    .evaluate("e => e.lastChild.data")
                    .toString();
            session.assertFits();

            assertThat(service.get("/api/v1/jobs", "X-Api-Key", key).statusCode())
                    .isEqualTo(200);

            session.link("Done").click();
            assertThat(session.main()).not().containsText(key);
            session.assertFits();
            session.link("Revoke nightly import").click();
            session.button("Revoke key").click();
            assertThat(session.page().getByRole(AriaRole.STATUS).first()).isVisible();
            assertThat(session.link("Revoke nightly import")).hasCount(0);
            Await.until(() -> service.get("/api/v1/jobs", "X-Api-Key", key).statusCode() == 401);
        }
    }

    @ParameterizedTest
    @MethodSource("dev.plumbline.e2e.browser.ViewportTheme#withAndWithoutScripts")
    void aLongJobIsFollowedAndDownloaded(ViewportTheme viewport) {
        CountingTarget target = new CountingTarget(DATABASE.vertx());
        try (BrowserSession session = ChromiumBrowser.openSession(service, viewport)) {
            session.signIn(newUser(), PASSWORD);
            session.open("/bulk");
            session.assertFits();
            session.box("Targets")
                    .fill(IntStream.range(0, LINES)
                            .mapToObj(i -> target.url((i == 7 ? "/gate/" : i % 5 == 0 ? "/missing/" : "/ok/") + i))
                            .collect(Collectors.joining("\n")));
            session.button("Run checks").click();
            assertThat(session.page().locator(".state .badge")).hasText(Pattern.compile("Queued|Running"));
            session.assertFits();
            target.openGate();

            if (!viewport.scripts()) {
                // Chromium rejects a reload during a navigation
                String url = session.page().url();
                session.page().waitForResponse(response -> response.url().equals(url), session.link("Refresh")::click);
                session.page().waitForLoadState();
                reloadUntilFinished(session);
            }
            assertThat(session.page().locator(".state .now")).containsText("500 of 500 done");
            assertThat(session.page().locator(".state .badge")).hasText("Completed");
            assertThat(session.page().locator(".lines tbody tr")).hasCount(50);
            session.assertFits();

            List<String> csv = session.download(session.page().locator("#job-csv"));
            assertThat(csv).hasSize(LINES + 1);
            List<String> rows = session.download(session.page().locator("#job-ndjson"));
            assertThat(rows).hasSize(LINES);
            assertThat(new JsonObject(rows.get(0)).getString("input")).isEqualTo(target.url("/missing/0"));

            session.box("Fail").check();
            session.button("Filter").click();
            assertThat(session.page().locator("#job-lines [role=status]")).containsText("100 of 500 lines match");
            session.link("Next").click();
            assertThat(session.page().locator(".pages")).containsText("Lines 51 to 100 of 100");
            assertThat(session.box("Fail")).isChecked();
            assertThat(session.box("Pass")).not().isChecked();
            session.assertFits();
            assertThat(session.download(session.page().locator("#job-csv"))).hasSize(101);
            session.open("/jobs");
            assertThat(session.page().locator(".jobs li")).containsText(new String[] {"500 lines"});
            session.assertFits();
        }
    }

    @ParameterizedTest
    @MethodSource("dev.plumbline.e2e.browser.ViewportTheme#withAndWithoutScripts")
    void aFindingIsSelectedAndTwoJobsAreCompared(ViewportTheme viewport) {
        String fixed = lab.http("/ok?diff" + viewport.hashCode());
        try (BrowserSession session = ChromiumBrowser.openSession(service, viewport)) {
            session.signIn(newUser(), PASSWORD);
            run(session, "Shops", fixed, lab.http("/missing"), lab.http("/status/500"));
            run(session, "Shops", fixed, lab.http("/missing"), lab.http("/ok"));

            session.page().locator(".finding-counts a").first().click();
            assertThat(session.page().locator("#job-lines [role=status]")).containsText("1 of 3 lines match");
            assertThat(session.page().locator(".lines .input a")).hasText(new String[] {lab.http("/missing")});
            assertThat(session.box("Finding")).hasValue("status_client_error");
            session.page().locator("summary").getByText("Columns").click();
            session.box("Content-Type").check();
            session.button("Filter").click();
            assertThat(session.page().locator(".lines th")).hasCount(5);
            session.assertFits();
            session.page().locator("#job-values > summary").click();
            assertThat(session.page().locator("#job-values dl")).isVisible();
            session.assertFits();

            session.button("Compare").click();
            session.page().waitForURL("**/diff?against=job_*");
            assertThat(session.page().locator(".changes tbody tr")).hasCount(2);
            session.assertFits();
            session.page().locator(".pill").getByText("New").click();
            assertThat(session.page().locator(".pill[aria-current]")).hasText("New 1");
            assertThat(session.page().locator(".changes .input a")).hasText(new String[] {lab.http("/ok")});
            session.page().locator(".changes .input a").click();
            assertThat(session.page().locator(".verdict .verdict-label")).hasText("Pass.");
        }
    }

    private static void run(BrowserSession session, String name, String... lines) {
        session.open("/bulk");
        session.box("Targets").fill(String.join("\n", lines));
        session.box("Name (optional)").fill(name);
        session.button("Run checks").click();
        session.page().waitForURL("**/jobs/job_*");
        if (session.viewport().scripts()) {
            session.page().locator("[data-finished=true]").waitFor();
        } else {
            reloadUntilFinished(session);
        }
    }

    @ParameterizedTest
    @MethodSource("dev.plumbline.e2e.browser.ViewportTheme#withAndWithoutScripts")
    void aJobIsCancelled(ViewportTheme viewport) {
        CountingTarget target = new CountingTarget(DATABASE.vertx());
        try (BrowserSession session = ChromiumBrowser.openSession(service, viewport)) {
            session.signIn(newUser(), PASSWORD);
            session.open("/bulk");
            session.box("Targets")
                    .fill(IntStream.range(0, LINES)
                            .mapToObj(i -> target.url("/gate/" + i))
                            .collect(Collectors.joining("\n")));
            session.button("Run checks").click();
            session.button("Cancel job").click();
            assertThat(session.button("Cancel job")).hasCount(0);
            target.openGate();

            if (!viewport.scripts()) {
                reloadUntilFinished(session);
            }
            assertThat(session.page().locator(".state .badge")).hasText("Cancelled");
            assertThat(session.page().locator(".state .now")).containsText("cancelled");
        }
    }

    @Test
    void largeFilesAreRejectedAndManyRowsAreCounted() {
        try (BrowserSession session = ChromiumBrowser.openSession(
                service,
                ViewportTheme.withAndWithoutScripts().stream()
                        .filter(ViewportTheme::scripts)
                        .findFirst()
                        .orElseThrow())) {
            session.signIn(newUser(), PASSWORD);
            session.open("/bulk");
            session.page().locator("#bulk-file").setInputFiles(BrowserSession.file("a.csv", "a\n".repeat(4_194_305)));
            assertThat(session.page().locator("#bulk-file-state")).containsText("larger than 8 MiB");
            assertThat(session.page().locator("#bulk-file")).hasValue("");

            session.page().locator("#bulk-file").setInputFiles(BrowserSession.file("b.csv", "a.b\n".repeat(300_000)));
            assertThat(session.page().locator("#bulk-preview .counts"))
                    .hasText(
                            "300,000 lines require 600 jobs, but at most 60 jobs with 30,000 lines can be created in 60"
                                    + " minutes");
            assertThat(session.box("Targets")).hasValue("");
        }
    }

    @Test
    void typedTextIsRestoredAfterAFileReplacedIt() {
        try (BrowserSession session = ChromiumBrowser.openSession(
                service,
                ViewportTheme.withAndWithoutScripts().stream()
                        .filter(ViewportTheme::scripts)
                        .findFirst()
                        .orElseThrow())) {
            session.signIn(newUser(), PASSWORD);
            session.open("/bulk");
            session.drop("#bulk-drop", "first.txt", "a.example");
            assertThat(session.box("Targets")).hasValue("a.example");
            assertThat(session.page().locator("#bulk-restore")).isHidden();
            session.box("Targets").fill("typed.example\n");
            session.drop("#bulk-drop", "list.csv", "b.example,c.example\n");
            assertThat(session.box("Targets")).hasValue("b.example,c.example\n");
            assertThat(session.page().locator("#bulk-column")).hasValue("1");

            session.button("Restore typed text").click();

            assertThat(session.box("Targets")).hasValue("typed.example\n");
            assertThat(session.page().locator("#bulk-restore")).isHidden();
            assertThat(session.page().locator("#bulk-column")).hasCount(0);
            assertThat(session.page().locator("#bulk-preview .counts")).hasText("1 valid, 0 invalid, 0 duplicates");
            session.assertFits();
        }
    }

    @ParameterizedTest
    @MethodSource("dev.plumbline.e2e.browser.ViewportTheme#withAndWithoutScripts")
    void aCsvFileIsDroppedAndItsColumnSelected(ViewportTheme viewport) {
        String table = "name,site,mirror\n\"one, of two\",%s,%s\nother,%s,%s\n"
                .formatted(
                        lab.http("/status/500?" + viewport.hashCode()), lab.http("/ok?1"),
                        lab.http("/status/500?" + viewport.hashCode()), lab.http("/ok?2"));
        try (BrowserSession session = ChromiumBrowser.openSession(service, viewport)) {
            session.signIn(newUser(), PASSWORD);
            session.open("/bulk");
            Locator counts = session.page().locator("#bulk-preview .counts");
            if (viewport.scripts()) {
                session.drop("#bulk-drop", "\u202egnp.<b>txt", "a.example\nb.example");
                assertThat(session.page().locator("#bulk-file-state")).hasText("Loaded [U+202E]gnp.<b>txt.");
                session.drop("#bulk-drop", "list.csv", table);
            } else {
                session.page().locator("#bulk-file").setInputFiles(BrowserSession.file("list.csv", table));
                session.button("Run checks").click();
                assertThat(session.page().locator("#bulk-confirm")).containsText("The job has not been created.");
            }
            assertThat(counts).hasText("1 valid, 0 invalid, 1 duplicate");
            assertThat(session.box("First row is a header")).isChecked();
            session.box("Target column").selectOption(new SelectOption().setLabel("Column 3: mirror"));
            if (!viewport.scripts()) {
                session.button("Preview").click();
            }
            assertThat(counts).hasText("2 valid, 0 invalid, 0 duplicates");
            assertThat(session.box("Target column")).hasValue("3");
            session.assertFits();
            session.button("Run checks").click();
            session.page().waitForURL("**/jobs/job_*");

            if (!viewport.scripts()) {
                reloadUntilFinished(session);
            }
            assertThat(session.page().locator(".lines .input a"))
                    .hasText(new String[] {lab.http("/ok?1"), lab.http("/ok?2")});
            assertThat(session.page().getByRole(AriaRole.HEADING, new Page.GetByRoleOptions().setLevel(1)))
                    .hasText("HTTP status, 2 targets");
        }
    }

    @ParameterizedTest
    @MethodSource("dev.plumbline.e2e.browser.ViewportTheme#withAndWithoutScripts")
    void failedLinesAreRetried(ViewportTheme viewport) {
        int port = FreePorts.next();
        String down = "http://127.0.0.1:" + port + "/";
        try (BrowserSession session = ChromiumBrowser.openSession(service, viewport)) {
            session.signIn(newUser(), PASSWORD);
            session.open("/bulk");
            session.box("Targets").fill(lab.http("/ok?" + viewport.hashCode()) + "\n" + down);
            session.box("Name (optional)").fill("Two servers");
            session.button("Run checks").click();
            session.page().waitForURL("**/jobs/job_*");
            if (!viewport.scripts()) {
                reloadUntilFinished(session);
            }
            assertThat(session.button("Retry 1 check with an error code")).isVisible();
            Await.value(DATABASE.vertx()
                    .createHttpServer()
                    .requestHandler(request -> request.response().end("up again\n"))
                    .listen(port, "127.0.0.1"));
            String before = session.page().url();
            session.button("Retry 1 check with an error code").click();
            session.page().waitForURL(url -> !url.equals(before));

            if (!viewport.scripts()) {
                reloadUntilFinished(session);
            }
            assertThat(session.page().locator(".state .badge")).hasText("Completed");
            assertThat(session.page().locator(".lines .input a")).hasText(new String[] {down});
            assertThat(session.page().locator(".lines tbody .badge")).hasText("Pass");
            assertThat(session.page().getByRole(AriaRole.HEADING, new Page.GetByRoleOptions().setLevel(1)))
                    .hasText("1 check with an error code from Two servers");

            session.page().locator(".lines .input a").click();
            assertThat(session.page().locator(".verdict .verdict-label")).hasText("Pass.");
            assertThat(session.link("1 check with an error code from Two servers"))
                    .isVisible();
            session.assertFits();
        }
    }
}
