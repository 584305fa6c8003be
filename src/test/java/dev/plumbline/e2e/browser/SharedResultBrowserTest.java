package dev.plumbline.e2e.browser;

import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.options.ColorScheme;
import com.microsoft.playwright.options.Media;
import dev.plumbline.account.Plan;
import dev.plumbline.account.TestAccounts;
import dev.plumbline.support.BrowserSession;
import dev.plumbline.support.ChromiumBrowser;
import dev.plumbline.support.CountingTarget;
import dev.plumbline.support.SampleModule;
import dev.plumbline.support.ServiceUnderTest;
import dev.plumbline.support.TestDatabase;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Shared results in a browser: accessible, usable without scripts, and printed without navigation and cut tables. */
@Tag("integration")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class SharedResultBrowserTest {
    @RegisterExtension
    static final TestDatabase DATABASE = new TestDatabase();

    private static final String PASSWORD = "a long enough password";
    private static final String EMAIL = "shared@plumbline.example";
    private static final ViewportTheme WIDE = new ViewportTheme(ViewportTheme.WIDE, ColorScheme.LIGHT, true);

    private static final double JOB_TIMEOUT_MS = 60_000;
    private final Screenshots screenshots = new Screenshots();
    private ServiceUnderTest service;
    private CountingTarget target;

    @BeforeAll
    void start(@TempDir Path folder) {
        TestAccounts accounts = new TestAccounts(DATABASE.open());
        accounts.account(EMAIL, Plan.PRO, PASSWORD);
        target = new CountingTarget(DATABASE.vertx());
        service = SampleModule.startBehindProxy(folder, DATABASE);
    }

    @AfterAll
    void stop() {
        service.close();
    }

    /** Shares the report of a path; returns the path of the shared result. */
    private static String shareReport(BrowserSession session, String path) {
        session.open(path);
        session.button("Share this result").click();
        return created(session);
    }

    private static String created(BrowserSession session) {
        session.link("Open shared result").waitFor();
        return session.link("Open shared result").getAttribute("href");
    }

    /** Creates and shares a job of this number of lines. */
    private String shareJob(BrowserSession session, int lines) {
        session.open("/bulk");
        session.box("Targets")
                .fill(IntStream.range(0, lines)
                        .mapToObj(i -> target.url(
                                (i % 3 == 0 ? "/missing/" : "/ok/") + lines + "/" + "long-segment-".repeat(6) + i))
                        .collect(Collectors.joining("\n")));
        session.button("Run checks").click();
        session.page().locator("[data-finished=true]").waitFor(new Locator.WaitForOptions().setTimeout(JOB_TIMEOUT_MS));
        session.button("Share").click();
        return created(session);
    }

    @ParameterizedTest
    @MethodSource("dev.plumbline.e2e.browser.ViewportTheme#withAndWithoutScripts")
    void reportIsSharedAndDeleted(ViewportTheme viewport) {
        try (BrowserSession session = ChromiumBrowser.openSession(service, viewport)) {
            String path = shareReport(session, "/check/sample-module/bad.example");
            String token = session.page().locator("input[name=delete_token]").inputValue();

            session.open(path);
            assertThat(session.main().textContent()).contains("This is a copy of the result and is not updated.");
            session.page()
                    .locator("summary", new Page.LocatorOptions().setHasText("Delete this shared result"))
                    .click();
            session.box("Delete token").fill(token);
            session.button("Delete shared result").click();
            session.page().waitForURL("**/delete");

            assertThat(session.page().locator("h1").textContent()).isEqualTo("Shared result deleted");
            assertThat(session.open(path)).isEqualTo(404);
        }
    }

    @Test
    void pagesOfASharedCheckAreAccessible() {
        try (BrowserSession session = ChromiumBrowser.openSession(service, WIDE)) {
            String path = shareReport(session, "/check/sample-module/bad.example");
            AccessibilityScan.assertMeetsWcag(session, "shared-created");
            session.open(path);
            session.page().locator("main details").evaluateAll("all => all.forEach(d => d.open = true)");
            AccessibilityScan.assertMeetsWcag(session, "shared-check");
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 50, 500})
    void pagesOfASharedJobAreAccessible(int lines) {
        try (BrowserSession session = ChromiumBrowser.openSession(service, WIDE)) {
            session.signIn(EMAIL, PASSWORD);
            String path = shareJob(session, lines);
            AccessibilityScan.assertMeetsWcag(session, "shared-job-created-" + lines);
            session.open("/results");
            AccessibilityScan.assertMeetsWcag(session, "shared-results-" + lines);
            try (BrowserSession visitor = ChromiumBrowser.openSession(service, WIDE)) {
                visitor.open(path);
                AccessibilityScan.assertMeetsWcag(visitor, "shared-job-" + lines);
                visitor.open(path + "/lines/0");
                AccessibilityScan.assertMeetsWcag(visitor, "shared-line-" + lines);
            }
        }
    }

    @Test
    void sharedPagesArePrintedWithoutNavigationAndCutTables() {
        try (BrowserSession session = ChromiumBrowser.openSession(service, WIDE)) {
            session.signIn(EMAIL, PASSWORD);
            String job = shareJob(session, 60);
            session.open(job);
            Locator allLines = session.page().locator("p.print");
            assertThat(allLines.isVisible()).isFalse();
            session.page().emulateMedia(new Page.EmulateMediaOptions().setMedia(Media.PRINT));
            assertThat(allLines.isVisible()).isTrue();
            session.page().emulateMedia(new Page.EmulateMediaOptions().setMedia(null));
            for (String path : List.of(
                    shareReport(session, "/check/sample-module/bad.example"),
                    shareReport(session, "/check/sample-module/good.example"),
                    job,
                    job + "?lines=all",
                    job + "/lines/0")) {
                session.open(path);
                PrintedPage.assertPrintsWell(session.page(), screenshots.name(session.page()));
            }
        }
    }
}
