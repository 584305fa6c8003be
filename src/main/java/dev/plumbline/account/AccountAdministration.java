package dev.plumbline.account;

import dev.plumbline.postgres.Database;
import io.vertx.core.Future;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Administration of accounts and API keys. Changes are effective on all nodes within a second. All methods fail with
 * {@code DatabaseUnavailableException} during an outage; methods that hash a password also fail with
 * {@link HashingQueueFullException}.
 */
public final class AccountAdministration {
    /** Maximum number of valid API keys per account. */
    public static final int MAX_KEYS = 10;

    private static final int MAX_LISTED = 200;
    private static final int PASSWORD_LENGTH = 20;

    private final AccountStore accounts;
    private final ApiKeyStore keys;
    private final PasswordHasher passwords;

    public AccountAdministration(Database database, PasswordHasher passwords) {
        this.accounts = new AccountStore(database);
        this.keys = new ApiKeyStore(database);
        this.passwords = passwords;
    }

    /** A random password with 119 bits of entropy. */
    public static String generatePassword() {
        return ApiKeySecret.random(PASSWORD_LENGTH);
    }

    /**
     * Creates an account.
     *
     * @param password valid by {@link PasswordHasher#validate}
     * @return its ID; null if the address is taken
     */
    public Future<@Nullable Long> create(AccountEmail email, Plan plan, String password) {
        return passwords.hash(password).compose(hash -> accounts.insert(email, plan, hash));
    }

    /** The account with this address, or null. */
    public Future<@Nullable Account> find(AccountEmail email) {
        return accounts.find(email).map(stored -> stored == null ? null : stored.account());
    }

    /**
     * Accounts by ID in ascending order.
     *
     * @param afterId only accounts with a greater ID; 0 for all
     */
    public Future<List<Account>> list(long afterId, int limit) {
        return accounts.list(afterId, limit);
    }

    /** Returns false if the account does not exist. The methods below do the same. */
    public Future<Boolean> setPlan(AccountEmail email, Plan plan) {
        return accounts.setPlan(email, plan);
    }

    /**
     * Also ends all sessions of the account.
     *
     * @param password valid by {@link PasswordHasher#validate}
     */
    public Future<Boolean> setPassword(AccountEmail email, String password) {
        return passwords.hash(password).compose(hash -> accounts.setPassword(email, hash));
    }

    /** A disabled account cannot sign in and its keys are rejected. */
    public Future<Boolean> setDisabled(AccountEmail email, boolean disabled) {
        return accounts.setDisabled(email, disabled);
    }

    /** Deletes the account, revokes its keys and releases its address. Its jobs are deleted later. */
    public Future<Boolean> delete(AccountEmail email) {
        return accounts.delete(email);
    }

    /** Creates an API key unless the account has {@value #MAX_KEYS} valid ones. */
    public Future<ApiKeyCreation> createKey(long accountId, ApiKeyRequest request) {
        return keys.insert(accountId, request, ApiKeySecret.generate(), MAX_KEYS);
    }

    /** The keys of the account: valid ones first, then newest first. Limited in number. */
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

    /** The outcome of a revocation. */
    public enum Revocation {
        REVOKED,
        NO_SUCH_KEY,
        AMBIGUOUS
    }

    /**
     * Revokes a key of any account.
     *
     * @param text its ID, its prefix, or the whole key
     */
    public Future<Revocation> revokeKey(String text) {
        long id = text.matches("[0-9]{1,18}") ? Long.parseLong(text) : -1;
        return keys.findMatching(ApiKeySecret.hash(text), text, id).compose(found -> {
            if (found.size() != 1) {
                return Future.succeededFuture(found.isEmpty() ? Revocation.NO_SUCH_KEY : Revocation.AMBIGUOUS);
            }
            ApiKeyStore.KeyReference match = found.get(0);
            return keys.revoke(match.accountId(), match.keyId())
                    .map(done -> done ? Revocation.REVOKED : Revocation.NO_SUCH_KEY);
        });
    }
}
