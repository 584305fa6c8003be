package dev.plumbline.support;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.account.AccountAdministration;
import dev.plumbline.account.AccountEmail;
import dev.plumbline.account.PasswordHasher;
import dev.plumbline.account.Plan;

/** Accounts of the Pro plan with the same password. */
public final class SignInAccounts {
    public static final String PASSWORD = "a long enough password";

    private final AccountAdministration accounts;
    private int count;

    public SignInAccounts(TestDatabase database) {
        accounts = new AccountAdministration(database.open(), new PasswordHasher(database.vertx()));
    }

    public AccountAdministration accounts() {
        return accounts;
    }

    /** Creates an account and returns its e-mail address. */
    public String create() {
        String email = "person" + count++ + "@plumbline.example";
        Await.value(accounts.create(AccountEmail.parse(email), Plan.PRO, PASSWORD));
        return email;
    }

    /** Returns a signed-in browser with its own client address. */
    public CookieClient signedIn(ServiceUnderTest service, String email) {
        CookieClient browser = new CookieClient(service);
        assertThat(browser.signIn(email, PASSWORD).statusCode()).isEqualTo(200);
        return browser;
    }
}
