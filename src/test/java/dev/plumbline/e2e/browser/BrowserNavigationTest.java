package dev.plumbline.e2e.browser;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.options.AriaRole;
import com.microsoft.playwright.options.ColorScheme;
import com.microsoft.playwright.options.SelectOption;
import dev.plumbline.account.AccountAdministration;
import dev.plumbline.account.AccountEmail;
import dev.plumbline.account.PasswordHasher;
import dev.plumbline.account.Plan;
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

    private final ChromiumBrowser chromium = new ChromiumBrowser();
    private AccountAdministration accounts;
    private HttpLab lab;
    private ServiceUnderTest service;

    @BeforeAll
    void start() {
        accounts = new AccountAdministration(DATABASE.open(), new PasswordHasher(DATABASE.vertx()));
        lab = Await.value(HttpLab.start(DATABASE.vertx()));
        service = ServiceUnderTest.start(DATABASE.url(), Map.of("HTTP_TRUSTED_PROXIES", "127.0.0.1"));
    }

    @AfterAll
    void stop() {
        chromium.close();
        service.close();
    }

    private String newUser() {
        String email = "walker" + userCount++ + "@plumbline.example";
        Await.value(accounts.create(AccountEmail.parse(email), Plan.PRO, PASSWORD));
        return email;
    }

    /** A quarter of the height of the reference when it was one page. */
    @Test
    void pagesOfTheReferenceAreNotLong() {
        try (BrowserSession visit =
                chromium.visit(service, new ViewportTheme(ViewportTheme.WIDE, ColorScheme.LIGHT, true))) {
            visit.open("/docs");
            List<?> paths = (List<?>) visit.page()
                    .locator("nav[aria-label='API reference'] a")
                    .evaluateAll("links => links.map(link => link.getAttribute('href'))");
            assertThat(paths).hasSizeGreaterThan(5);
            for (Object path : paths) {
                visit.open(path.toString());
                assertThat((Integer) visit.page().evaluate("document.documentElement.scrollHeight"))
                        .as(path.toString())
                        .isLessThanOrEqualTo(43_759 / 4);
            }
        }
    }

    /** Enters the target on the home page and runs the default tool. */
    private static void check(BrowserSession visit, String target) {
        visit.open("/");
        visit.box("Domain, URL, host:port, IP or e-mail").fill(target);
        visit.box("Domain, URL, host:port, IP or e-mail").press("Enter");
    }

    private static void reloadUntilFinished(BrowserSession visit) {
        Await.until(() -> {
            visit.page().reload();
            return visit.page().locator("[data-finished=true]").count() > 0;
        });
    }

    @ParameterizedTest
    @MethodSource("dev.plumbline.e2e.browser.ViewportTheme#withAndWithoutScripts")
    void aCheckRunsFromTheHomePage(ViewportTheme viewport) {
        try (BrowserSession visit = chromium.visit(service, viewport)) {
            String target = lab.http("/ok?" + viewport.hashCode());
            check(visit, target);

            assertThat(visit.page().locator(".verdict .verdict-label")).hasText("Pass.");
            assertThat(visit.page().getByRole(AriaRole.HEADING, new Page.GetByRoleOptions().setLevel(1)))
                    .hasText(target);
            visit.assertFits();
            visit.page().reload();
            assertThat(visit.page().locator(".age")).containsText("Cached");
        }
    }

    @ParameterizedTest
    @MethodSource("dev.plumbline.e2e.browser.ViewportTheme#withAndWithoutScripts")
    void anotherCheckOfTheTargetRunsWithOneClick(ViewportTheme viewport) {
        try (BrowserSession visit = chromium.visit(service, viewport)) {
            check(visit, lab.http("/ok?tabs" + viewport.hashCode()));
            assertThat(visit.page().locator(".tabs [aria-current=page]")).hasText("HTTP status");
            visit.link("SSL certificate").click();

            assertThat(visit.page().locator(".tabs [aria-current=page]")).hasText("SSL certificate");
            assertThat(visit.page().locator(".verdict .verdict-label")).hasText("Fail.");
            visit.assertFits();
        }
    }

    @ParameterizedTest
    @MethodSource("dev.plumbline.e2e.browser.ViewportTheme#withAndWithoutScripts")
    void aToolIsSelectedBeforeTheCheck(ViewportTheme viewport) {
        try (BrowserSession visit = chromium.visit(service, viewport)) {
            visit.open("/");
            visit.box("Domain, URL, host:port, IP or e-mail").fill(lab.http("/ok?before" + viewport.hashCode()));
            visit.box("Tool").selectOption("http-timing");
            visit.button("Run check").click();

            assertThat(visit.page().locator(".tabs [aria-current=page]")).hasText("HTTP timing");
            visit.assertFits();
        }
    }

    @ParameterizedTest
    @MethodSource("dev.plumbline.e2e.browser.ViewportTheme#withAndWithoutScripts")
    void invalidAndForbiddenTargetsAreExplained(ViewportTheme viewport) {
        try (BrowserSession visit = chromium.visit(service, viewport)) {
            check(visit, "two words");
            assertThat(visit.page().getByRole(AriaRole.ALERT)).containsText("two words is not a valid target");
            visit.assertFits();

            check(visit, "http://10.1.2.3/inside");
            assertThat(visit.page().getByRole(AriaRole.ALERT)).containsText("10.1.2.3");
            visit.assertFits();
        }
    }

    @ParameterizedTest
    @MethodSource("dev.plumbline.e2e.browser.ViewportTheme#withAndWithoutScripts")
    void cachedReportsAreAvailableOverTheQuota(ViewportTheme viewport) {
        try (ServiceUnderTest small = ServiceUnderTest.start(
                        DATABASE.url(), Map.of("HTTP_TRUSTED_PROXIES", "127.0.0.1", "LIMITS_FRESH_PER_HOUR", "1"));
                BrowserSession visit = chromium.visit(small, viewport)) {
            String known = lab.http("/ok?known" + viewport.hashCode());
            check(visit, known);
            assertThat(visit.page().locator(".age")).containsText("0 of 1 fresh checks remaining");

            check(visit, lab.http("/ok?one-more" + viewport.hashCode()));
            assertThat(visit.page().getByRole(AriaRole.ALERT)).containsText("minutes");
            visit.assertFits();

            check(visit, known);
            assertThat(visit.page().locator(".verdict .verdict-label")).hasText("Pass.");
        }
    }

    @ParameterizedTest
    @MethodSource("dev.plumbline.e2e.browser.ViewportTheme#withAndWithoutScripts")
    void aToolIsFoundAndRunFromItsPage(ViewportTheme viewport) {
        try (BrowserSession visit = chromium.visit(service, viewport)) {
            visit.open("/");
            visit.page()
                    .getByRole(AriaRole.NAVIGATION)
                    .first()
                    .getByText("Tools")
                    .click();
            visit.box("Search tools").fill("certificate");
            visit.button("Search").click();
            assertThat(visit.page().getByRole(AriaRole.STATUS)).containsText("for certificate");
            visit.assertFits();

            visit.main().locator(".tools a[href$='/ssl-certificate']").click();
            assertThat(visit.page().locator("#fields")).isVisible();
            visit.assertFits();
            visit.page().locator("#check-target").fill(lab.secure("/").replaceFirst("https://([^/]+)/.*", "$1"));
            visit.button("Run check").click();

            assertThat(visit.page().locator(".verdict .verdict-label")).hasText("Fail.");
            assertThat(visit.page().locator(".findings > li").first()).isVisible();
            visit.assertFits();
        }
    }

    @ParameterizedTest
    @MethodSource("dev.plumbline.e2e.browser.ViewportTheme#withAndWithoutScripts")
    void aCheckRunsWithTheKeyboardAlone(ViewportTheme viewport) {
        try (BrowserSession visit = chromium.visit(service, viewport)) {
            visit.open("/tools");
            visit.page().keyboard().press("Tab");
            assertThat(visit.link("Skip to content")).isFocused();
            visit.page().keyboard().press("Enter");
            visit.page().keyboard().press("Tab");
            assertThat(visit.box("Search tools")).isFocused();

            visit.page().keyboard().type("status");
            visit.page().keyboard().press("Enter");
            assertThat(visit.page().getByRole(AriaRole.STATUS)).containsText("for status");
            visit.link("HTTP status").press("Enter");
            assertThat(visit.page().locator("#check-target")).isVisible();
            visit.page().locator("#check-target").focus();
            visit.page().keyboard().type(lab.http("/ok?keys" + viewport.hashCode()));
            visit.page().keyboard().press("Enter");

            assertThat(visit.page().locator(".verdict .verdict-label")).hasText("Pass.");
        }
    }

    @ParameterizedTest
    @MethodSource("dev.plumbline.e2e.browser.ViewportTheme#withAndWithoutScripts")
    void usersSignInAndOut(ViewportTheme viewport) {
        String email = newUser();
        try (BrowserSession visit = chromium.visit(service, viewport)) {
            visit.open("/bulk");
            visit.main()
                    .getByText("Sign in", new Locator.GetByTextOptions().setExact(true))
                    .click();
            visit.box("E-mail").fill(email);
            visit.box("Password").fill("not the password");
            visit.button("Sign in").click();
            assertThat(visit.page().getByRole(AriaRole.ALERT)).containsText("password is incorrect");
            visit.assertFits();

            visit.box("Password").fill(PASSWORD);
            visit.button("Sign in").click();
            visit.page().waitForURL("**/bulk");
            visit.open("/account");
            assertThat(visit.main()).containsText(email);
            visit.button("Sign out").click();

            visit.page().waitForURL(Pattern.compile(".*/(sign-in.*)?$"));
            assertThat(visit.link("Sign in").first()).isVisible();
            visit.open("/account");
            visit.page().waitForURL("**/sign-in?**");
        }
    }

    @ParameterizedTest
    @MethodSource("dev.plumbline.e2e.browser.ViewportTheme#withAndWithoutScripts")
    void aKeyIsCreatedUsedAndRevoked(ViewportTheme viewport) {
        try (BrowserSession visit = chromium.visit(service, viewport)) {
            visit.signIn(newUser(), PASSWORD);
            visit.box("Name").fill("nightly import");
            visit.button("Create key").click();
            String key = visit.page()
                    .locator(".secret")
                    .evaluate("e => e.lastChild.data")
                    .toString();
            visit.assertFits();

            assertThat(service.get("/api/v1/jobs", "X-Api-Key", key).statusCode())
                    .isEqualTo(200);

            visit.link("Done").click();
            assertThat(visit.main()).not().containsText(key);
            visit.assertFits();
            visit.link("Revoke nightly import").click();
            visit.button("Revoke key").click();
            assertThat(visit.page().getByRole(AriaRole.STATUS).first()).isVisible();
            assertThat(visit.link("Revoke nightly import")).hasCount(0);
            Await.until(() -> service.get("/api/v1/jobs", "X-Api-Key", key).statusCode() == 401);
        }
    }

    @ParameterizedTest
    @MethodSource("dev.plumbline.e2e.browser.ViewportTheme#withAndWithoutScripts")
    void aLongJobIsFollowedAndDownloaded(ViewportTheme viewport) {
        CountingTarget target = new CountingTarget(DATABASE.vertx());
        try (BrowserSession visit = chromium.visit(service, viewport)) {
            visit.signIn(newUser(), PASSWORD);
            visit.open("/bulk");
            visit.assertFits();
            visit.box("Targets")
                    .fill(IntStream.range(0, LINES)
                            .mapToObj(i -> target.url((i == 7 ? "/gate/" : i % 5 == 0 ? "/missing/" : "/ok/") + i))
                            .collect(Collectors.joining("\n")));
            visit.button("Run checks").click();
            assertThat(visit.page().locator(".state .badge")).hasText(Pattern.compile("Queued|Running"));
            visit.assertFits();
            target.openGate();

            if (!viewport.scripts()) {
                // Chromium rejects a reload during a navigation
                String url = visit.page().url();
                visit.page().waitForResponse(response -> response.url().equals(url), visit.link("Refresh")::click);
                visit.page().waitForLoadState();
                reloadUntilFinished(visit);
            }
            assertThat(visit.page().locator(".state .now")).containsText("500 of 500 done");
            assertThat(visit.page().locator(".state .badge")).hasText("Completed");
            assertThat(visit.page().locator(".lines tbody tr")).hasCount(50);
            visit.assertFits();

            List<String> csv = visit.download(visit.page().locator("#job-csv"));
            assertThat(csv).hasSize(LINES + 1);
            List<String> rows = visit.download(visit.page().locator("#job-ndjson"));
            assertThat(rows).hasSize(LINES);
            assertThat(new JsonObject(rows.get(0)).getString("input")).isEqualTo(target.url("/missing/0"));

            visit.page().getByLabel("Verdict").selectOption("fail");
            visit.button("Filter").click();
            assertThat(visit.page().locator("#job-lines [role=status]")).containsText("100 of 500 lines");
            visit.open("/jobs");
            assertThat(visit.page().locator(".jobs li")).containsText(new String[] {"500 lines"});
            visit.assertFits();
        }
    }

    @ParameterizedTest
    @MethodSource("dev.plumbline.e2e.browser.ViewportTheme#withAndWithoutScripts")
    void aJobIsCancelled(ViewportTheme viewport) {
        CountingTarget target = new CountingTarget(DATABASE.vertx());
        try (BrowserSession visit = chromium.visit(service, viewport)) {
            visit.signIn(newUser(), PASSWORD);
            visit.open("/bulk");
            visit.box("Targets")
                    .fill(IntStream.range(0, LINES)
                            .mapToObj(i -> target.url("/gate/" + i))
                            .collect(Collectors.joining("\n")));
            visit.button("Run checks").click();
            visit.button("Cancel job").click();
            assertThat(visit.button("Cancel job")).hasCount(0);
            target.openGate();

            if (!viewport.scripts()) {
                reloadUntilFinished(visit);
            }
            assertThat(visit.page().locator(".state .badge")).hasText("Cancelled");
            assertThat(visit.page().locator(".state .now")).containsText("cancelled");
        }
    }

    @Test
    void largeFilesAreRejectedAndManyRowsAreCounted() {
        try (BrowserSession visit = chromium.visit(
                service,
                ViewportTheme.withAndWithoutScripts().stream()
                        .filter(ViewportTheme::scripts)
                        .findFirst()
                        .orElseThrow())) {
            visit.signIn(newUser(), PASSWORD);
            visit.open("/bulk");
            visit.page().locator("#bulk-file").setInputFiles(BrowserSession.file("a.csv", "a\n".repeat(4_194_305)));
            assertThat(visit.page().locator("#bulk-file-state")).containsText("larger than 8 MiB");
            assertThat(visit.page().locator("#bulk-file")).hasValue("");

            visit.page().locator("#bulk-file").setInputFiles(BrowserSession.file("b.csv", "a.b\n".repeat(300_000)));
            assertThat(visit.page().locator("#bulk-preview .counts"))
                    .hasText("300,000 lines, 299,500 more than the maximum of 500 per job");
            assertThat(visit.box("Targets")).hasValue("");
        }
    }

    @Test
    void typedTextIsRestoredAfterAFileReplacedIt() {
        try (BrowserSession visit = chromium.visit(
                service,
                ViewportTheme.withAndWithoutScripts().stream()
                        .filter(ViewportTheme::scripts)
                        .findFirst()
                        .orElseThrow())) {
            visit.signIn(newUser(), PASSWORD);
            visit.open("/bulk");
            visit.drop("#bulk-drop", "first.txt", "a.example");
            assertThat(visit.box("Targets")).hasValue("a.example");
            assertThat(visit.page().locator("#bulk-restore")).isHidden();
            visit.box("Targets").fill("typed.example\n");
            visit.drop("#bulk-drop", "list.csv", "b.example,c.example\n");
            assertThat(visit.box("Targets")).hasValue("b.example,c.example\n");
            assertThat(visit.page().locator("#bulk-column")).hasValue("1");

            visit.button("Restore typed text").click();

            assertThat(visit.box("Targets")).hasValue("typed.example\n");
            assertThat(visit.page().locator("#bulk-restore")).isHidden();
            assertThat(visit.page().locator("#bulk-column")).hasCount(0);
            assertThat(visit.page().locator("#bulk-preview .counts")).hasText("1 valid, 0 invalid, 0 duplicates");
            visit.assertFits();
        }
    }

    @ParameterizedTest
    @MethodSource("dev.plumbline.e2e.browser.ViewportTheme#withAndWithoutScripts")
    void aCsvFileIsDroppedAndItsColumnSelected(ViewportTheme viewport) {
        String table = "name,site,mirror\n\"one, of two\",%s,%s\nother,%s,%s\n"
                .formatted(
                        lab.http("/status/500?" + viewport.hashCode()), lab.http("/ok?1"),
                        lab.http("/status/500?" + viewport.hashCode()), lab.http("/ok?2"));
        try (BrowserSession visit = chromium.visit(service, viewport)) {
            visit.signIn(newUser(), PASSWORD);
            visit.open("/bulk");
            Locator counts = visit.page().locator("#bulk-preview .counts");
            if (viewport.scripts()) {
                visit.drop("#bulk-drop", "\u202egnp.<b>txt", "a.example\nb.example");
                assertThat(visit.page().locator("#bulk-file-state")).hasText("Loaded [U+202E]gnp.<b>txt.");
                visit.drop("#bulk-drop", "list.csv", table);
            } else {
                visit.page().locator("#bulk-file").setInputFiles(BrowserSession.file("list.csv", table));
                visit.button("Run checks").click();
                assertThat(visit.page().locator("#bulk-confirm")).containsText("The job has not been created.");
            }
            assertThat(counts).hasText("1 valid, 0 invalid, 1 duplicate");
            assertThat(visit.box("First row is a header")).isChecked();
            visit.box("Target column").selectOption(new SelectOption().setLabel("Column 3: mirror"));
            if (!viewport.scripts()) {
                visit.button("Preview").click();
            }
            assertThat(counts).hasText("2 valid, 0 invalid, 0 duplicates");
            assertThat(visit.box("Target column")).hasValue("3");
            visit.assertFits();
            visit.button("Run checks").click();
            visit.page().waitForURL("**/jobs/job_*");

            if (!viewport.scripts()) {
                reloadUntilFinished(visit);
            }
            assertThat(visit.page().locator(".lines .input a"))
                    .hasText(new String[] {lab.http("/ok?1"), lab.http("/ok?2")});
            assertThat(visit.page().getByRole(AriaRole.HEADING, new Page.GetByRoleOptions().setLevel(1)))
                    .hasText("HTTP status, 2 targets");
        }
    }

    @ParameterizedTest
    @MethodSource("dev.plumbline.e2e.browser.ViewportTheme#withAndWithoutScripts")
    void failedLinesAreRetried(ViewportTheme viewport) {
        int port = FreePorts.next();
        String down = "http://127.0.0.1:" + port + "/";
        try (BrowserSession visit = chromium.visit(service, viewport)) {
            visit.signIn(newUser(), PASSWORD);
            visit.open("/bulk");
            visit.box("Targets").fill(lab.http("/ok?" + viewport.hashCode()) + "\n" + down);
            visit.box("Name (optional)").fill("Two servers");
            visit.button("Run checks").click();
            visit.page().waitForURL("**/jobs/job_*");
            if (!viewport.scripts()) {
                reloadUntilFinished(visit);
            }
            assertThat(visit.button("Retry 1 check with an error code")).isVisible();
            Await.value(DATABASE.vertx()
                    .createHttpServer()
                    .requestHandler(request -> request.response().end("up again\n"))
                    .listen(port, "127.0.0.1"));
            String before = visit.page().url();
            visit.button("Retry 1 check with an error code").click();
            visit.page().waitForURL(url -> !url.equals(before));

            if (!viewport.scripts()) {
                reloadUntilFinished(visit);
            }
            assertThat(visit.page().locator(".state .badge")).hasText("Completed");
            assertThat(visit.page().locator(".lines .input a")).hasText(new String[] {down});
            assertThat(visit.page().locator(".lines tbody .badge")).hasText("Pass");
            assertThat(visit.page().getByRole(AriaRole.HEADING, new Page.GetByRoleOptions().setLevel(1)))
                    .hasText("1 check with an error code from Two servers");

            visit.page().locator(".lines .input a").click();
            assertThat(visit.page().locator(".verdict .verdict-label")).hasText("Pass.");
            assertThat(visit.link("1 check with an error code from Two servers"))
                    .isVisible();
            visit.assertFits();
        }
    }
}
