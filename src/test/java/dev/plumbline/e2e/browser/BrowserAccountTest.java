package dev.plumbline.e2e.browser;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Locator;
import com.microsoft.playwright.options.AriaRole;
import dev.plumbline.account.AccountAdministration;
import dev.plumbline.account.AccountEmail;
import dev.plumbline.account.PasswordHasher;
import dev.plumbline.account.Plan;
import dev.plumbline.support.Await;
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

    private final ChromiumBrowser chromium = new ChromiumBrowser();
    private AccountAdministration accounts;
    private ServiceUnderTest service;

    @BeforeAll
    void start() {
        accounts = new AccountAdministration(DATABASE.open(), new PasswordHasher(DATABASE.vertx()));
        service = ServiceUnderTest.start(
                DATABASE.url(), Map.of("HTTP_TRUSTED_PROXIES", "127.0.0.1", "ACCOUNTS_SIGNUP", "open"));
    }

    @AfterAll
    void stop() {
        chromium.close();
        service.close();
    }

    private String newUser() {
        String email = "keeper" + userCount++ + "@plumbline.example";
        Await.value(accounts.create(AccountEmail.parse(email), Plan.PRO, PASSWORD));
        return email;
    }

    private static void isSignedOut(BrowserSession visit) {
        visit.open("/account");
        visit.page().waitForURL("**/sign-in?**");
    }

    @ParameterizedTest
    @MethodSource("dev.plumbline.e2e.browser.ViewportTheme#withAndWithoutScripts")
    void usersCreateAnAccount(ViewportTheme viewport) {
        String email = "new" + userCount++ + "@plumbline.example";
        try (BrowserSession visit = chromium.visit(service, viewport)) {
            visit.open("/sign-in");
            visit.link("Create account").click();
            visit.box("E-mail").fill(email);
            visit.box("Password").fill("too short");
            visit.button("Create account").click();
            assertThat(visit.page().locator("#password-error")).containsText("at least 12 characters");
            assertThat(visit.box("E-mail")).hasValue(email);
            visit.assertFits();

            visit.box("Password").fill(PASSWORD);
            visit.button("Create account").click();

            visit.page().waitForURL("**/account");
            assertThat(visit.main()).containsText(email);
            visit.assertFits();
        }
    }

    @ParameterizedTest
    @MethodSource("dev.plumbline.e2e.browser.ViewportTheme#withAndWithoutScripts")
    void aNewPasswordTakesEffectImmediately(ViewportTheme viewport) {
        String email = newUser();
        try (BrowserSession elsewhere = chromium.visit(service, viewport);
                BrowserSession visit = chromium.visit(service, viewport)) {
            elsewhere.signIn(email, PASSWORD);
            visit.signIn(email, PASSWORD);
            visit.box("Current password").fill("not the password");
            visit.box("New password").fill(NEXT);
            visit.button("Change password").click();
            assertThat(visit.page().locator("#current-error")).containsText("is incorrect");
            assertThat(visit.box("Current password")).isFocused();
            visit.assertFits();

            visit.box("Current password").fill(PASSWORD);
            visit.box("New password").fill(NEXT);
            visit.button("Change password").click();
            assertThat(visit.page().getByRole(AriaRole.STATUS)).containsText("Password changed");
            visit.assertFits();

            isSignedOut(elsewhere);
            visit.button("Sign out").click();
            visit.page().waitForURL("**/sign-in");
            visit.signIn(email, NEXT);
        }
    }

    @ParameterizedTest
    @MethodSource("dev.plumbline.e2e.browser.ViewportTheme#withAndWithoutScripts")
    void signOutOfAllSessions(ViewportTheme viewport) {
        String email = newUser();
        try (BrowserSession elsewhere = chromium.visit(service, viewport);
                BrowserSession visit = chromium.visit(service, viewport)) {
            elsewhere.signIn(email, PASSWORD);
            visit.signIn(email, PASSWORD);
            assertThat(visit.page().locator(".sessions > li")).hasCount(2);
            visit.button("Sign out of all sessions").click();

            visit.page().waitForURL("**/sign-in");
            isSignedOut(elsewhere);
            isSignedOut(visit);
        }
    }

    @ParameterizedTest
    @MethodSource("dev.plumbline.e2e.browser.ViewportTheme#withAndWithoutScripts")
    void signOutOfAnotherSession(ViewportTheme viewport) {
        String email = newUser();
        try (BrowserSession elsewhere = chromium.visit(service, viewport);
                BrowserSession visit = chromium.visit(service, viewport)) {
            elsewhere.signIn(email, PASSWORD);
            visit.signIn(email, PASSWORD);
            visit.button("End session").click();

            assertThat(visit.page().getByRole(AriaRole.STATUS)).containsText("has been ended");
            assertThat(visit.page().locator(".sessions > li")).hasCount(1);
            visit.assertFits();
            isSignedOut(elsewhere);
        }
    }

    @ParameterizedTest
    @MethodSource("dev.plumbline.e2e.browser.ViewportTheme#withAndWithoutScripts")
    void aNewKeyIsCopiedWithOneClick(ViewportTheme viewport) {
        try (BrowserSession visit = chromium.visit(service, viewport)) {
            visit.page().context().grantPermissions(List.of("clipboard-read", "clipboard-write"));
            visit.signIn(newUser(), PASSWORD);
            visit.box("Name").fill("pasted elsewhere");
            visit.button("Create key").click();
            Locator copy = visit.page().locator(".secret button");
            if (!viewport.scripts()) {
                assertThat(visit.page().locator(".secret")).containsText("plk_");
                assertThat(copy).hasCount(0);
                return;
            }
            copy.click();
            assertThat(copy).hasText("Copied");
            String key = visit.page()
                    .evaluate("() => navigator.clipboard.readText()")
                    .toString();

            assertThat(service.get("/api/v1/jobs", "X-Api-Key", key).statusCode())
                    .isEqualTo(200);
        }
    }
}
