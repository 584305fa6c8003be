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
 * The account of the first start. Where there has never been one, one pro account with one key is
 * made; exactly one, however many nodes start at once.
 */
public final class BootstrapAccount {
    private static final String EMAIL = "admin@localhost";
    private static final String KEY_NAME = "first start";

    /** For a database that is slow to come, right after it was started for example. */
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private final Database database;
    private final AccountStore accounts;
    private final PasswordHasher passwords;

    public BootstrapAccount(Database database, PasswordHasher passwords) {
        this.database = database;
        this.accounts = new AccountStore(database);
        this.passwords = passwords;
    }

    /**
     * What is wrong with what the operator gave, as a sentence that repeats no secret; null: nothing.
     */
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
     * Makes the account if it is the time for it.
     *
     * @param given without {@link #fault}
     * @return lines to print, once: what the operator did not give; nothing where there was nothing
     *     to do
     */
    public Future<List<String>> run(Config.BootstrapSettings given) {
        return database.persistently(PATIENCE, accounts::anyEver)
                .compose(ever -> ever ? Future.succeededFuture(List.of()) : make(given));
    }

    private Future<List<String>> make(Config.BootstrapSettings given) {
        EmailAddress email = EmailAddress.parse(given.email() == null ? EMAIL : given.email());
        String password = given.password() == null ? AccountAdministration.generatePassword() : given.password();
        String key = given.apiKey() == null ? ApiKeySecret.fresh() : given.apiKey();
        ApiKeyRequest wish = new ApiKeyRequest(KEY_NAME, EnumSet.allOf(Scope.class), null);
        return passwords
                .hash(password)
                .compose(hash ->
                        database.persistently(PATIENCE, () -> accounts.insertFirst(email, Plan.PRO, hash, wish, key)))
                .map(made -> {
                    List<String> lines = new ArrayList<>();
                    if (made && given.email() == null) {
                        lines.add("account " + email.text());
                    }
                    if (made && given.password() == null) {
                        lines.add("password " + password);
                    }
                    if (made && given.apiKey() == null) {
                        lines.add("api-key " + key);
                    }
                    return lines;
                });
    }
}
