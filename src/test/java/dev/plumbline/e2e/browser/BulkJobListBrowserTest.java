package dev.plumbline.e2e.browser;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;

import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.options.AriaRole;
import com.microsoft.playwright.options.ColorScheme;
import dev.plumbline.account.Plan;
import dev.plumbline.account.TestAccounts;
import dev.plumbline.support.BrowserSession;
import dev.plumbline.support.ChromiumBrowser;
import dev.plumbline.support.ServiceUnderTest;
import dev.plumbline.support.TestDatabase;
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

/** Lists of bulk checks with more lines than a job. */
@Tag("integration")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class BulkJobListBrowserTest {
    @RegisterExtension
    static final TestDatabase DATABASE = new TestDatabase();

    private static final String PASSWORD = "a long enough password";

    private static int userCount;

    private TestAccounts accounts;
    private ServiceUnderTest service;

    @BeforeAll
    void start() {
        accounts = new TestAccounts(DATABASE.open());
        service = ServiceUnderTest.start(
                DATABASE.url(), Map.of("HTTP_TRUSTED_PROXIES", "127.0.0.1", "LIMITS_JOBS_PER_HOUR", "5"));
    }

    @AfterAll
    void stop() {
        service.close();
    }

    private String newUser() {
        String email = "lister" + userCount++ + "@plumbline.example";
        accounts.account(email, Plan.PRO, PASSWORD);
        return email;
    }

    /** Targets that are not contacted. */
    private static String lines(int count) {
        return IntStream.range(0, count).mapToObj(i -> "http://10.0.0.1/" + i).collect(Collectors.joining("\n"));
    }

    private static Locator heading(BrowserSession session) {
        return session.page().getByRole(AriaRole.HEADING, new Page.GetByRoleOptions().setLevel(1));
    }

    @ParameterizedTest
    @MethodSource("dev.plumbline.e2e.browser.ViewportTheme#withAndWithoutScripts")
    void aFileWithALongListBecomesJobs(ViewportTheme viewport) {
        try (BrowserSession session = ChromiumBrowser.openSession(service, viewport)) {
            session.signIn(newUser(), PASSWORD);
            session.open("/bulk");
            session.page().locator("#bulk-file").setInputFiles(BrowserSession.file("list.txt", lines(1_100)));
            if (viewport.scripts()) {
                assertThat(session.page().locator("#bulk-preview .help"))
                        .hasText("1,100 lines are split into 3 jobs, because a job can have up to 500 lines.");
            }
            session.box("Name (optional)").fill("nightly");
            session.button("Run checks").click();

            assertThat(heading(session)).hasText("Create 3 jobs");
            assertThat(session.page().locator("#bulk-confirm")).containsText("No jobs have been created yet.");
            session.assertFits();
            session.button("Create 3 jobs").click();

            assertThat(heading(session)).hasText("3 jobs created");
            assertThat(session.page().locator("#created-jobs .quiet"))
                    .hasText(new String[] {"Lines 1 to 500", "Lines 501 to 1,000", "Lines 1,001 to 1,100"});
            session.assertFits();
            session.link("nightly (2 of 3)").click();
            assertThat(heading(session)).hasText("nightly (2 of 3)");
        }
    }

    @Test
    void thePagesAreAccessible() {
        try (BrowserSession session =
                ChromiumBrowser.openSession(service, new ViewportTheme(ViewportTheme.WIDE, ColorScheme.LIGHT, true))) {
            session.signIn(newUser(), PASSWORD);
            session.open("/bulk");
            session.box("Targets").fill(lines(700) + "\nno target\n" + lines(3) + "\n" + "x".repeat(300) + " y");
            assertThat(session.page().locator("#bulk-preview .counts")).hasText("700 valid, 2 invalid, 3 duplicates");
            AccessibilityScan.assertMeetsWcag(session, "bulk-long-list");
            session.button("Run checks").click();
            assertThat(heading(session)).hasText("Create 2 jobs");
            AccessibilityScan.assertMeetsWcag(session, "bulk-confirmation");
            session.button("Edit list").click();
            assertThat(session.box("Targets")).hasValue(Pattern.compile("^http://10.0.0.1/0\n.* y$", Pattern.DOTALL));
            session.button("Run checks").click();
            session.button("Create 2 jobs").click();
            assertThat(heading(session)).hasText("2 jobs created");
            AccessibilityScan.assertMeetsWcag(session, "bulk-created");

            session.open("/bulk");
            session.page().locator("#bulk-file").setInputFiles(BrowserSession.file("list.txt", lines(2_000)));
            session.button("Run checks").click();
            session.button("Create 4 jobs").click();
            assertThat(session.page().getByRole(AriaRole.ALERT))
                    .containsText("this account can create only 3 more jobs on the website at present");
            AccessibilityScan.assertMeetsWcag(session, "bulk-quota-exceeded");

            session.open("/bulk");
            session.page().locator("#bulk-file").setInputFiles(BrowserSession.file("list.txt", lines(2_501)));
            assertThat(session.page().locator("#bulk-preview .counts"))
                    .hasText(
                            "2,501 lines require 6 jobs, but at most 5 jobs with 2,500 lines can be created in 60 minutes");
            AccessibilityScan.assertMeetsWcag(session, "bulk-too-long");
            session.assertNoErrors();
        }
    }
}
