package dev.plumbline.account;

import dev.plumbline.config.Config;
import dev.plumbline.store.Database;
import io.vertx.core.Future;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Creates the first account: one pro account with one API key, if no account has ever existed.
 * Concurrent starts of several nodes create one account.
 */
public final class BootstrapAccount {
    private static final String EMAIL = "admin@localhost";
    private static final String KEY_NAME = "first start";

    /** How long to wait for a database that is starting. */
    private static final Duration DATABASE_TIMEOUT = Duration.ofSeconds(30);

    private final Database database;
    private final AccountStore accounts;
    private final PasswordHasher passwords;

    public BootstrapAccount(Database database, PasswordHasher passwords) {
        this.database = database;
        this.accounts = new AccountStore(database);
        this.passwords = passwords;
    }

    /** Returns the error in the bootstrap settings, without secrets; null if they are valid. */
    public static @Nullable String fault(Config.BootstrapSettings given) {
        if (given.email() != null) {
            try {
                EmailAddress.parse(given.email());
            } catch (IllegalArgumentException none) {
                return "bootstrap.email: " + none.getMessage();
            }
        }
        String password = given.password() == null ? null : PasswordHasher.fault(given.password());
        if (password != null) {
            return "bootstrap.password: " + password;
        }
        return given.apiKey() == null || ApiKeySecret.isWhole(given.apiKey())
                ? null
                : "bootstrap.api_key: the checksum is not valid. Create a key with the command `key generate`.";
    }

    /**
     * Creates the account if no account has ever existed.
     *
     * @param given settings without {@link #fault}
     * @return lines to print once: the generated values; empty if no account was created
     */
    public Future<List<String>> run(Config.BootstrapSettings given) {
        return database.persistently(DATABASE_TIMEOUT, accounts::anyEver)
                .compose(ever -> ever ? Future.succeededFuture(List.of()) : create(given));
    }

    private Future<List<String>> create(Config.BootstrapSettings given) {
        EmailAddress email = EmailAddress.parse(given.email() == null ? EMAIL : given.email());
        String password = given.password() == null ? AccountAdministration.generatePassword() : given.password();
        String key = given.apiKey() == null ? ApiKeySecret.fresh() : given.apiKey();
        ApiKeyRequest wish = new ApiKeyRequest(KEY_NAME, EnumSet.allOf(Scope.class), null);
        return passwords
                .hash(password)
                .compose(hash -> database.persistently(
                        DATABASE_TIMEOUT, () -> accounts.insertFirst(email, Plan.PRO, hash, wish, key)))
                .map(created -> {
                    List<String> lines = new ArrayList<>();
                    if (created && given.email() == null) {
                        lines.add("account " + email.text());
                    }
                    if (created && given.password() == null) {
                        lines.add("password " + password);
                    }
                    if (created && given.apiKey() == null) {
                        lines.add("api-key " + key);
                    }
                    return lines;
                });
    }
}
