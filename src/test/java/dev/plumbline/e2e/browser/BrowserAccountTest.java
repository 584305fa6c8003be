package dev.plumbline.e2e.browser;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Locator;
import com.microsoft.playwright.options.AriaRole;
import dev.plumbline.account.Plan;
import dev.plumbline.account.TestAccounts;
import dev.plumbline.support.BrowserSession;
import dev.plumbline.support.ChromiumBrowser;
import dev.plumbline.support.ServiceUnderTest;
import dev.plumbline.support.TestDatabase;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Accounts, sessions and keys in Chromium. */
@Tag("integration")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class BrowserAccountTest {
    @RegisterExtension
    static final TestDatabase DATABASE = new TestDatabase();

    private static final String PASSWORD = "a long enough password";
    private static final String NEXT = "another one, longer still";

    private static int userCount;

    private TestAccounts accounts;
    private ServiceUnderTest service;

    @BeforeAll
    void start() {
        accounts = new TestAccounts(DATABASE.open());
        service = ServiceUnderTest.start(
                DATABASE.url(), Map.of("HTTP_TRUSTED_PROXIES", "127.0.0.1", "ACCOUNTS_SIGNUP", "open"));
    }

    @AfterAll
    void stop() {
        service.close();
    }

    private String newUser() {
        String email = "user" + userCount++ + "@plumbline.example";
        accounts.account(email, Plan.PRO, PASSWORD);
        return email;
    }

    private static void isSignedOut(BrowserSession session) {
        session.open("/account");
        session.page().waitForURL("**/sign-in?**");
    }

    @ParameterizedTest
    @MethodSource("dev.plumbline.e2e.browser.ViewportTheme#withAndWithoutScripts")
    void usersCreateAnAccount(ViewportTheme viewport) {
        String email = "new" + userCount++ + "@plumbline.example";
        try (BrowserSession session = ChromiumBrowser.openSession(service, viewport)) {
            session.open("/sign-in");
            session.link("Create account").click();
            session.box("E-mail").fill(email);
            session.box("Password").fill("too short");
            session.button("Create account").click();
            assertThat(session.page().locator("#password-error")).containsText("at least 12 characters");
            assertThat(session.box("E-mail")).hasValue(email);
            session.assertFits();

            session.box("Password").fill(PASSWORD);
            session.button("Create account").click();

            session.page().waitForURL("**/account");
            assertThat(session.main()).containsText(email);
            session.assertFits();
        }
    }

    @ParameterizedTest
    @MethodSource("dev.plumbline.e2e.browser.ViewportTheme#withAndWithoutScripts")
    void aNewPasswordTakesEffectImmediately(ViewportTheme viewport) {
        String email = newUser();
        try (BrowserSession elsewhere = ChromiumBrowser.openSession(service, viewport);
                BrowserSession session = ChromiumBrowser.openSession(service, viewport)) {
            elsewhere.signIn(email, PASSWORD);
            session.signIn(email, PASSWORD);
            session.box("Current password").fill("not the password");
            session.box("New password").fill(NEXT);
            session.button("Change password").click();
            assertThat(session.page().locator("#current-error")).containsText("is incorrect");
            assertThat(session.box("Current password")).isFocused();
            session.assertFits();

            session.box("Current password").fill(PASSWORD);
            session.box("New password").fill(NEXT);
            session.button("Change password").click();
            assertThat(session.page().getByRole(AriaRole.STATUS)).containsText("Password changed");
            session.assertFits();

            isSignedOut(elsewhere);
            session.button("Sign out").click();
            session.page().waitForURL("**/sign-in");
            session.signIn(email, NEXT);
        }
    }

    @ParameterizedTest
    @MethodSource("dev.plumbline.e2e.browser.ViewportTheme#withAndWithoutScripts")
    void signOutOfAllSessions(ViewportTheme viewport) {
        String email = newUser();
        try (BrowserSession elsewhere = ChromiumBrowser.openSession(service, viewport);
                BrowserSession session = ChromiumBrowser.openSession(service, viewport)) {
            elsewhere.signIn(email, PASSWORD);
            session.signIn(email, PASSWORD);
            assertThat(session.page().locator(".sessions > li")).hasCount(2);
            session.button("Sign out of all sessions").click();

            session.page().waitForURL("**/sign-in");
            isSignedOut(elsewhere);
            isSignedOut(session);
        }
    }

    @ParameterizedTest
    @MethodSource("dev.plumbline.e2e.browser.ViewportTheme#withAndWithoutScripts")
    void signOutOfAnotherSession(ViewportTheme viewport) {
        String email = newUser();
        try (BrowserSession elsewhere = ChromiumBrowser.openSession(service, viewport);
                BrowserSession session = ChromiumBrowser.openSession(service, viewport)) {
            elsewhere.signIn(email, PASSWORD);
            session.signIn(email, PASSWORD);
            session.button("End session").click();

            assertThat(session.page().getByRole(AriaRole.STATUS)).containsText("has been ended");
            assertThat(session.page().locator(".sessions > li")).hasCount(1);
            session.assertFits();
            isSignedOut(elsewhere);
        }
    }

    @ParameterizedTest
    @MethodSource("dev.plumbline.e2e.browser.ViewportTheme#withAndWithoutScripts")
    void aNewKeyIsCopiedWithOneClick(ViewportTheme viewport) {
        try (BrowserSession session = ChromiumBrowser.openSession(service, viewport)) {
            session.page().context().grantPermissions(List.of("clipboard-read", "clipboard-write"));
            session.signIn(newUser(), PASSWORD);
            session.box("Name").fill("pasted elsewhere");
            session.button("Create key").click();
            Locator copy = session.page().locator(".secret button");
            if (!viewport.scripts()) {
                assertThat(session.page().locator(".secret")).containsText("plk_");
                assertThat(copy).hasCount(0);
                return;
            }
            copy.click();
            assertThat(copy).hasText("Copied");
            String key = session.page()
                    .evaluate("() => navigator.clipboard.readText()")
                    .toString();

            assertThat(service.get("/api/v1/jobs", "X-Api-Key", key).statusCode())
                    .isEqualTo(200);
        }
    }
}
