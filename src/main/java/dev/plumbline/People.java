package dev.plumbline;

import dev.plumbline.account.Accounts;
import dev.plumbline.account.Passwords;
import dev.plumbline.account.Plan;
import dev.plumbline.account.Sessions;
import dev.plumbline.account.SignIns;
import dev.plumbline.bus.Bus;
import dev.plumbline.config.Config;
import dev.plumbline.http.ClientAddress;
import dev.plumbline.http.Problems;
import dev.plumbline.http.SessionAuthentication;
import dev.plumbline.http.api.AccountCalls;
import dev.plumbline.limit.QuotaPolicy;
import dev.plumbline.store.DataDirectory;
import dev.plumbline.store.Database;
import dev.plumbline.store.StoreException;
import io.vertx.core.Vertx;
import java.time.Clock;
import java.time.Duration;
import java.util.Map;

/** What people need: that they can sign in, stay signed in, and look after their account. */
final class People {
  private static final String SECRET_FILE = "session.secret";

  /** How often somebody may fail, or make an account. */
  static final Map<String, QuotaPolicy> QUOTAS =
      Map.of(
          SignIns.BY_ADDRESS, new QuotaPolicy(30, Duration.ofMinutes(15)),
          SignIns.BY_BOTH, new QuotaPolicy(8, Duration.ofMinutes(15)),
          SignIns.BY_ACCOUNT, new QuotaPolicy(40, Duration.ofMinutes(10)),
          SignIns.SIGN_UP, new QuotaPolicy(5, Duration.ofHours(1)));

  private final Config config;
  private final Sessions sessions;
  private final SignIns signIns;
  private final Accounts accounts;

  /**
   * @throws StartException when there is no place for the secret that sessions are signed with
   */
  People(Vertx vertx, Config config, Database database, Bus bus, Passwords passwords)
      throws StartException {
    this.config = config;
    this.sessions = new Sessions(vertx, database, secret(config), config.http().publicUrl());
    this.signIns = new SignIns(database, bus, sessions, passwords);
    this.accounts = new Accounts(database, passwords);
  }

  private static String secret(Config config) throws StartException {
    String given = config.session().secret();
    if (given != null) {
      return given;
    }
    try {
      return DataDirectory.sharedSecret(config.data().dir(), SECRET_FILE);
    } catch (StoreException unwritable) {
      throw new StartException(
          "session.secret is not set, and none can be kept: " + unwritable.getMessage(),
          unwritable);
    }
  }

  Sessions sessions() {
    return sessions;
  }

  /** What people do with their account, by whichever door. */
  AccountCalls calls(ClientAddress clients, Problems problems, Clock clock) {
    boolean open = config.accounts().signup().equals("open");
    return new AccountCalls(
        new AccountCalls.Needs(
            accounts,
            signIns,
            sessions,
            new SessionAuthentication(sessions, config.http().publicUrl(), problems, clock),
            clients,
            clock,
            open ? Plan.of(config.accounts().defaultPlan()) : null));
  }
}
