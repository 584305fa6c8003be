package dev.plumbline.account;

import dev.plumbline.store.Database;
import io.vertx.core.Future;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Manages accounts and API keys. Changes take effect on all nodes within one second. Methods fail
 * with {@code DatabaseUnavailableException} if the database is unavailable. Methods that hash a
 * password fail with {@link HashingQueueFullException} if too many hashes are queued.
 */
public final class AccountAdministration {
    /** The maximum number of active API keys of an account. */
    public static final int MOST_KEYS = 10;

    private static final int MAX_LISTED = 200;
    private static final int GENERATED_PASSWORD_LENGTH = 20;

    private final AccountStore accounts;
    private final ApiKeyStore keys;
    private final PasswordHasher passwords;

    public AccountAdministration(Database database, PasswordHasher passwords) {
        this.accounts = new AccountStore(database);
        this.keys = new ApiKeyStore(database);
        this.passwords = passwords;
    }

    /** Generates a random password with 119 bits of entropy. */
    public static String generatePassword() {
        return ApiKeySecret.random(GENERATED_PASSWORD_LENGTH);
    }

    /**
     * Creates an account.
     *
     * @param password without {@link PasswordHasher#fault}
     * @return the id; null if the e-mail address is in use
     */
    public Future<@Nullable Long> create(EmailAddress email, Plan plan, String password) {
        return passwords.hash(password).compose(hash -> accounts.insert(email, plan, hash));
    }

    /** Returns the account with this e-mail address, or null. */
    public Future<@Nullable Account> find(EmailAddress email) {
        return accounts.find(email).map(kept -> kept == null ? null : kept.account());
    }

    /**
     * Returns accounts in the order of creation.
     *
     * @param afterId returns accounts after this id; 0 for all
     */
    public Future<List<Account>> list(long afterId, int max) {
        return accounts.list(afterId, max);
    }

    /** Returns false if there is no such account, as do the following methods. */
    public Future<Boolean> setPlan(EmailAddress email, Plan plan) {
        return accounts.setPlan(email, plan);
    }

    /**
     * Sets the password and ends all sessions.
     *
     * @param password without {@link PasswordHasher#fault}
     */
    public Future<Boolean> setPassword(EmailAddress email, String password) {
        return passwords.hash(password).compose(hash -> accounts.setPassword(email, hash));
    }

    /**
     * Disables or enables an account. The API keys of a disabled account are rejected, and sign-in is
     * not possible.
     */
    public Future<Boolean> setDisabled(EmailAddress email, boolean disabled) {
        return accounts.setDisabled(email, disabled);
    }

    /** Deletes an account and its jobs and revokes its keys. The e-mail address can be used again. */
    public Future<Boolean> delete(EmailAddress email) {
        return accounts.delete(email);
    }

    /** Creates an API key, unless the account has {@value #MOST_KEYS} active keys. */
    public Future<ApiKeyCreation> createKey(long accountId, ApiKeyRequest wish) {
        return keys.insert(accountId, wish, ApiKeySecret.fresh(), MOST_KEYS);
    }

    /**
     * Returns the keys of the account, active keys first, then newest first, including revoked ones.
     */
    public Future<List<ApiKey>> keys(long accountId) {
        return keys.list(accountId, MAX_LISTED);
    }

    /**
     * Revokes a key. Idempotent.
     *
     * @return false if the account has no such key
     */
    public Future<Boolean> revokeKey(long accountId, long keyId) {
        return keys.revoke(accountId, keyId);
    }

    /** The result of revoking a key by name. */
    public enum Revocation {
        REVOKED,
        NO_SUCH_KEY,
        AMBIGUOUS
    }

    /**
     * Revokes a key of any account.
     *
     * @param named the id, the prefix or the key
     */
    public Future<Revocation> revokeKey(String named) {
        long id = named.matches("[0-9]{1,18}") ? Long.parseLong(named) : -1;
        return keys.findNamed(ApiKeySecret.hash(named), named, id).compose(matches -> {
            if (matches.size() != 1) {
                return Future.succeededFuture(matches.isEmpty() ? Revocation.NO_SUCH_KEY : Revocation.AMBIGUOUS);
            }
            ApiKeyStore.Named one = matches.get(0);
            return keys.revoke(one.accountId(), one.keyId())
                    .map(done -> done ? Revocation.REVOKED : Revocation.NO_SUCH_KEY);
        });
    }
}
