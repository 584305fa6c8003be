package dev.plumbline.account;

import dev.plumbline.config.Config;
import dev.plumbline.postgres.Database;
import io.vertx.core.Future;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Creates the first account, a pro account with one key, if there has never been an account. Exactly one of several
 * concurrent nodes creates it.
 */
public final class BootstrapAccount {
    private static final Logger LOG = LoggerFactory.getLogger(BootstrapAccount.class);
    private static final String EMAIL = "admin@localhost";
    private static final String KEY_NAME = "first start";

    /** Waits for a database that is still starting. */
    private static final Duration RETRY_TIMEOUT = Duration.ofSeconds(30);

    private final Database database;
    private final AccountStore accounts;
    private final PasswordHasher passwords;

    public BootstrapAccount(Database database, PasswordHasher passwords) {
        this.database = database;
        this.accounts = new AccountStore(database);
        this.passwords = passwords;
    }

    /** Returns the first invalid setting as a sentence without secrets; null if the settings are valid. */
    public static @Nullable String validate(Config.BootstrapSettings settings) {
        if (settings.email() != null) {
            try {
                AccountEmail.parse(settings.email());
            } catch (IllegalArgumentException invalid) {
                return "bootstrap.email: " + invalid.getMessage();
            }
        }
        String password = settings.password() == null ? null : PasswordHasher.validate(settings.password());
        if (password != null) {
            return "bootstrap.password: " + password;
        }
        return settings.apiKey() == null || ApiKeySecret.isWellFormed(settings.apiKey())
                ? null
                : "bootstrap.api_key: the checksum is not valid. Create a key with the command `key generate`.";
    }

    /**
     * Creates the account if there has never been one.
     *
     * @param settings valid by {@link #validate}
     * @param print prints the generated credentials, one per line. It is called before the transaction is committed, so
     *     that a crash never leaves an account whose credentials were not printed; if it fails, no account is created.
     *     Not called if nothing is created or all values are configured
     */
    public Future<Void> run(Config.BootstrapSettings settings, Function<List<String>, Future<Void>> print) {
        return database.retryWhileUnavailable(RETRY_TIMEOUT, accounts::isBootstrapped)
                .compose(done -> done ? Future.succeededFuture() : create(settings, print));
    }

    private Future<Void> create(Config.BootstrapSettings settings, Function<List<String>, Future<Void>> print) {
        AccountEmail email = AccountEmail.parse(settings.email() == null ? EMAIL : settings.email());
        String password = settings.password() == null ? AccountAdministration.generatePassword() : settings.password();
        String key = settings.apiKey() == null ? ApiKeySecret.generate() : settings.apiKey();
        ApiKeyRequest request = new ApiKeyRequest(KEY_NAME, EnumSet.allOf(Scope.class), null);
        List<String> credentials = new ArrayList<>();
        if (settings.email() == null) {
            credentials.add("account " + email.text());
        }
        if (settings.password() == null) {
            credentials.add("password " + password);
        }
        if (settings.apiKey() == null) {
            credentials.add("api-key " + key);
        }
        // another attempt after a lost connection must not print them again
        AtomicBoolean printed = new AtomicBoolean(credentials.isEmpty());
        return passwords
                .hash(password)
                .compose(hash -> database.retryWhileUnavailable(
                        RETRY_TIMEOUT,
                        () -> accounts.insertFirst(
                                email,
                                Plan.PRO,
                                hash,
                                request,
                                key,
                                () -> printed.getAndSet(true) ? Future.succeededFuture() : print.apply(credentials))))
                .map(created -> {
                    if (!created && !credentials.isEmpty() && printed.get()) {
                        LOG.warn("first account created by another node: the printed credentials are not valid");
                    }
                    return null;
                });
    }
}
