package dev.plumbline.app;

import dev.plumbline.account.AccountAdministration;
import dev.plumbline.account.PasswordHasher;
import dev.plumbline.account.Plan;
import dev.plumbline.account.SessionService;
import dev.plumbline.account.SignInService;
import dev.plumbline.bus.MessageBus;
import dev.plumbline.config.Config;
import dev.plumbline.http.ClientAddress;
import dev.plumbline.http.api.account.AccountService;
import dev.plumbline.http.auth.SessionHandler;
import dev.plumbline.http.problem.ProblemResponder;
import dev.plumbline.postgres.Database;
import dev.plumbline.postgres.PostgresException;
import dev.plumbline.postgres.embedded.DataDirectory;
import dev.plumbline.quota.QuotaPolicy;
import dev.plumbline.target.ExceptionMessage;
import io.vertx.core.Vertx;
import java.time.Clock;
import java.time.Duration;
import java.util.Map;

/** Wiring of accounts, sessions and sign-in. */
final class AccountAssembly {
    private static final String SECRET_FILE = "session.secret";

    /** Limits of failed sign-ins and of sign-ups. */
    static final Map<String, QuotaPolicy> QUOTAS = Map.of(
            SignInService.BY_ADDRESS, new QuotaPolicy(30, Duration.ofMinutes(15)),
            SignInService.BY_BOTH, new QuotaPolicy(8, Duration.ofMinutes(15)),
            SignInService.BY_ACCOUNT, new QuotaPolicy(40, Duration.ofMinutes(10)),
            SignInService.SIGN_UP, new QuotaPolicy(5, Duration.ofHours(1)));

    private final Config config;
    private final SessionService sessions;
    private final SignInService signIns;
    private final AccountAdministration accounts;

    /** @throws StartException if the session secret is not set and cannot be stored */
    AccountAssembly(Vertx vertx, Config config, Database database, MessageBus bus, PasswordHasher passwords)
            throws StartException {
        this.config = config;
        this.sessions = new SessionService(
                vertx,
                database,
                secret(config),
                config.session().previousSecret(),
                config.http().publicUrl());
        this.signIns = new SignInService(database, bus, sessions, passwords);
        this.accounts = new AccountAdministration(database, passwords);
    }

    private static String secret(Config config) throws StartException {
        String given = config.session().secret();
        if (given != null) {
            return given;
        }
        try {
            return DataDirectory.sharedSecret(config.data().dir(), SECRET_FILE);
        } catch (PostgresException unwritable) {
            throw new StartException(
                    "session.secret is not set, and a generated secret cannot be stored: "
                            + ExceptionMessage.of(unwritable),
                    unwritable);
        }
    }

    SessionService sessions() {
        return sessions;
    }

    AccountService service(ClientAddress clients, ProblemResponder problems, Clock clock) {
        boolean open = config.accounts().signup().equals("open");
        return new AccountService(new AccountService.Dependencies(
                accounts,
                signIns,
                sessions,
                new SessionHandler(sessions, config.http().publicUrl(), problems, clock),
                clients,
                clock,
                open ? Plan.of(config.accounts().defaultPlan()) : null));
    }
}
