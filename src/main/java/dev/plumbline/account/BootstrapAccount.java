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
 * Creates the first account, a pro account with one key, if there has never been an account. Exactly one of several
 * concurrent nodes creates it.
 */
public final class BootstrapAccount {
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
     * @return the generated credentials, one per line; empty if nothing was created or all values are configured
     */
    public Future<List<String>> run(Config.BootstrapSettings settings) {
        return database.retryWhileUnavailable(RETRY_TIMEOUT, accounts::isBootstrapped)
                .compose(done -> done ? Future.succeededFuture(List.of()) : create(settings));
    }

    private Future<List<String>> create(Config.BootstrapSettings settings) {
        AccountEmail email = AccountEmail.parse(settings.email() == null ? EMAIL : settings.email());
        String password = settings.password() == null ? AccountAdministration.generatePassword() : settings.password();
        String key = settings.apiKey() == null ? ApiKeySecret.generate() : settings.apiKey();
        ApiKeyRequest request = new ApiKeyRequest(KEY_NAME, EnumSet.allOf(Scope.class), null);
        return passwords
                .hash(password)
                .compose(hash -> database.retryWhileUnavailable(
                        RETRY_TIMEOUT, () -> accounts.insertFirst(email, Plan.PRO, hash, request, key)))
                .map(created -> {
                    List<String> lines = new ArrayList<>();
                    if (created && settings.email() == null) {
                        lines.add("account " + email.text());
                    }
                    if (created && settings.password() == null) {
                        lines.add("password " + password);
                    }
                    if (created && settings.apiKey() == null) {
                        lines.add("api-key " + key);
                    }
                    return lines;
                });
    }
}
