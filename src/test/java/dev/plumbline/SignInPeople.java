package dev.plumbline;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.account.Accounts;
import dev.plumbline.account.EmailAddress;
import dev.plumbline.account.Passwords;
import dev.plumbline.account.Plan;
import dev.plumbline.lab.Await;
import dev.plumbline.store.TestDatabase;

/** People with accounts of the plan Pro, who all have the same password. */
final class SignInPeople {
  static final String PASSWORD = "a long enough password";

  private final Accounts accounts;
  private int born;

  SignInPeople(TestDatabase database) {
    accounts = new Accounts(database.open(), new Passwords(database.vertx()));
  }

  Accounts accounts() {
    return accounts;
  }

  /** Somebody new; returns their e-mail address. */
  String somebody() {
    String email = "person" + born++ + "@plumbline.example";
    Await.value(accounts.create(EmailAddress.parse(email), Plan.PRO, PASSWORD));
    return email;
  }

  /** The browser in which somebody has signed in, at an address of its own. */
  Browser signedIn(ServiceUnderTest service, String email) {
    Browser browser = new Browser(service);
    assertThat(browser.signIn(email, PASSWORD).statusCode()).isEqualTo(200);
    return browser;
  }
}
