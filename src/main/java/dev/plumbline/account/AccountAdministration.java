package dev.plumbline.account;

import dev.plumbline.store.Database;
import io.vertx.core.Future;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Accounts and their API keys, for those who manage them. What is changed here is known to every
 * node within a second. All of it fails with {@code DatabaseUnavailableException} while the
 * database is away, and what hashes a password with {@link HashingQueueFullException} when too many wait for
 * that.
 */
public final class AccountAdministration {
    /** Live API keys of one account, at most. */
    public static final int MOST_KEYS = 10;

    private static final int MOST_LISTED = 200;
    private static final int GENERATED_PASSWORD = 20;

    private final AccountStore accounts;
    private final ApiKeyStore keys;
    private final PasswordHasher passwords;

    public AccountAdministration(Database database, PasswordHasher passwords) {
        this.accounts = new AccountStore(database);
        this.keys = new ApiKeyStore(database);
        this.passwords = passwords;
    }

    /** A password that nobody guesses, for somebody to be given: 119 bits. */
    public static String generatePassword() {
        return ApiKeySecret.random(GENERATED_PASSWORD);
    }

    /**
     * Makes an account.
     *
     * @param password without {@link PasswordHasher#fault}
     * @return its id; null if another account has that address
     */
    public Future<@Nullable Long> create(EmailAddress email, Plan plan, String password) {
        return passwords.hash(password).compose(hash -> accounts.insert(email, plan, hash));
    }

    /** The account with that address; null if there is none. */
    public Future<@Nullable Account> find(EmailAddress email) {
        return accounts.find(email).map(kept -> kept == null ? null : kept.account());
    }

    /**
     * Accounts in the order they were made in.
     *
     * @param afterId only those made after the one with this id; 0 for all
     */
    public Future<List<Account>> list(long afterId, int most) {
        return accounts.list(afterId, most);
    }

    /** False if there is no such account, as for the others below. */
    public Future<Boolean> setPlan(EmailAddress email, Plan plan) {
        return accounts.setPlan(email, plan);
    }

    /**
     * Also signs out everybody who is signed in with it.
     *
     * @param password without {@link PasswordHasher#fault}
     */
    public Future<Boolean> setPassword(EmailAddress email, String password) {
        return passwords.hash(password).compose(hash -> accounts.setPassword(email, hash));
    }

    /** While it is disabled its keys open nothing and nobody can sign in. */
    public Future<Boolean> setDisabled(EmailAddress email, boolean disabled) {
        return accounts.setDisabled(email, disabled);
    }

    /** Its keys are revoked, its address is free again; its jobs go with it. */
    public Future<Boolean> delete(EmailAddress email) {
        return accounts.delete(email);
    }

    /** Makes an API key, unless the account has {@value #MOST_KEYS} live ones already. */
    public Future<ApiKeyCreation> createKey(long accountId, ApiKeyRequest wish) {
        return keys.insert(accountId, wish, ApiKeySecret.fresh(), MOST_KEYS);
    }

    /** The account's keys, live ones first, then the newest first, revoked ones too; not for ever. */
    public Future<List<ApiKey>> keys(long accountId) {
        return keys.list(accountId, MOST_LISTED);
    }

    /**
     * Revokes a key, however often it is asked to.
     *
     * @return false if that account has no such key
     */
    public Future<Boolean> revokeKey(long accountId, long keyId) {
        return keys.revoke(accountId, keyId);
    }

    /** Whether somebody's words for a key fit one, none or several. */
    public enum Revocation {
        REVOKED,
        NO_SUCH_KEY,
        AMBIGUOUS
    }

    /**
     * Revokes a key of whatever account.
     *
     * @param named its id, its visible prefix, or the whole key
     */
    public Future<Revocation> revokeKey(String named) {
        long id = named.matches("[0-9]{1,18}") ? Long.parseLong(named) : -1;
        return keys.findNamed(ApiKeySecret.hash(named), named, id).compose(found -> {
            if (found.size() != 1) {
                return Future.succeededFuture(found.isEmpty() ? Revocation.NO_SUCH_KEY : Revocation.AMBIGUOUS);
            }
            ApiKeyStore.Named one = found.get(0);
            return keys.revoke(one.accountId(), one.keyId())
                    .map(done -> done ? Revocation.REVOKED : Revocation.NO_SUCH_KEY);
        });
    }
}
