package dev.plumbline.account;

import com.google.common.hash.Hashing;
import dev.plumbline.account.AccountStore.StoredAccount;
import dev.plumbline.account.AttemptLimiter.Quota;
import dev.plumbline.bus.MessageBus;
import dev.plumbline.postgres.Database;
import io.vertx.core.Future;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Locale;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Sign-in, sign-up and password changes. Failed attempts are charged to quotas by client address, by account, and by
 * both. The quota by account limits distributed guessing. It does not apply to addresses from which the account has a
 * session, and its window is short, so that third parties cannot lock out a user.
 *
 * <p>All methods fail with {@code DatabaseUnavailableException} during an outage and with
 * {@link HashingQueueFullException}; neither is a failed attempt.
 */
public final class SignInService {
    /** Quota of failed attempts by client address. */
    public static final String BY_ADDRESS = "sign-in";

    /** Quota of failed attempts by account and client address. */
    public static final String BY_BOTH = "sign-in-account-address";

    /** Quota of failed attempts by account from unknown addresses, and of password changes by session. */
    public static final String BY_ACCOUNT = "sign-in-account";

    /** Quota of new accounts by client address. */
    public static final String SIGN_UP = "sign-up";

    private final AccountStore accounts;
    private final SessionStore store;
    private final SessionService sessions;
    private final PasswordHasher passwords;
    private final AttemptLimiter limiter;

    public SignInService(Database database, MessageBus bus, SessionService sessions, PasswordHasher passwords) {
        this.accounts = new AccountStore(database);
        this.store = new SessionStore(database);
        this.sessions = sessions;
        this.passwords = passwords;
        this.limiter = new AttemptLimiter(bus);
    }

    /**
     * The client of a request.
     *
     * @param address client address, the key of quotas
     * @param browser User-Agent header
     */
    public record Client(String address, String browser) {}

    /**
     * Signs in.
     *
     * @param email as entered; an invalid address is treated as unknown
     */
    public Future<SignInResult> signIn(String email, String password, Client client) {
        AccountEmail address = address(email);
        String accountDigest = digest(address == null ? email.toLowerCase(Locale.ROOT) : address.key());
        if (address == null) {
            return attempt(quotas(accountDigest, client, false), () -> check(null, password, client));
        }
        return store.isKnown(address, client.address())
                .compose(known -> attempt(quotas(accountDigest, client, known), () -> accounts.find(address)
                        .compose(stored -> check(stored, password, client))));
    }

    private static @Nullable AccountEmail address(String email) {
        try {
            return AccountEmail.parse(email);
        } catch (IllegalArgumentException invalid) {
            return null;
        }
    }

    private static List<Quota> quotas(String accountDigest, Client client, boolean known) {
        Quota byAddress = new Quota(BY_ADDRESS, client.address());
        Quota byBoth = new Quota(BY_BOTH, accountDigest + ' ' + client.address());
        return known ? List.of(byAddress, byBoth) : List.of(byAddress, byBoth, new Quota(BY_ACCOUNT, accountDigest));
    }

    private Future<SignInResult> attempt(List<Quota> quotas, Supplier<Future<SignInResult>> operation) {
        return limiter.run(quotas, refund -> operation.get().onComplete(ended -> {
            if (!(ended.result() instanceof SignInResult.InvalidCredentials)) {
                refund.run();
            }
        }));
    }

    private Future<SignInResult> check(@Nullable StoredAccount stored, String password, Client client) {
        return passwords
                .verify(password, stored == null ? null : stored.passwordHash())
                .compose(matches -> {
                    String hash = stored == null ? null : stored.passwordHash();
                    if (!matches || stored == null || hash == null) {
                        return Future.succeededFuture(new SignInResult.InvalidCredentials());
                    }
                    return stored.account().disabled()
                            ? Future.succeededFuture(new SignInResult.Disabled())
                            : createSession(stored.account(), hash, client);
                });
    }

    private Future<SignInResult> createSession(Account account, String passwordHash, Client client) {
        return sessions.create(account, passwordHash, client.browser(), client.address())
                .map(outcome ->
                        outcome == null ? new SignInResult.InvalidCredentials() : new SignInResult.Success(outcome));
    }

    /**
     * Creates an account and signs in.
     *
     * @param password valid by {@link PasswordHasher#validate}
     */
    public Future<SignInResult> signUp(AccountEmail email, Plan plan, String password, Client client) {
        return limiter.run(List.of(new Quota(SIGN_UP, client.address())), refund -> passwords
                .hash(password)
                .onFailure(failure -> refund.run())
                .compose(hash -> accounts.insert(email, plan, hash)
                        .compose(id -> id == null ? Future.succeededFuture(null) : accounts.find(id))
                        .compose(stored -> stored == null
                                ? Future.succeededFuture(new SignInResult.EmailTaken())
                                : createSession(stored.account(), hash, client))));
    }

    /**
     * Changes a password and ends all other sessions of the account.
     *
     * @param next valid by {@link PasswordHasher#validate}
     */
    public Future<SignInResult> changePassword(AuthenticatedUser user, String current, String next, Client client) {
        String key = digest(AccountEmail.parse(user.account().email()).key());
        List<Quota> quotas = new ArrayList<>(quotas(key, client, true));
        // by session, because third parties cannot exhaust it
        quotas.add(new Quota(BY_ACCOUNT, "session " + user.session().id()));
        return attempt(quotas, () -> accounts.find(user.account().id())
                .compose(stored -> change(user, stored == null ? null : stored.passwordHash(), current, next)));
    }

    private Future<SignInResult> change(AuthenticatedUser user, @Nullable String hash, String current, String next) {
        return passwords
                .verify(current, hash)
                .compose(matches -> matches && hash != null
                        ? passwords.hash(next).compose(newHash -> sessions.changePassword(user, hash, newHash))
                        : Future.succeededFuture(null))
                .map(changed -> changed == null ? new SignInResult.InvalidCredentials() : changed);
    }

    /** Digest of an account key, so that quotas do not store e-mail addresses. */
    private static String digest(String key) {
        byte[] hash = Hashing.sha256().hashString(key, StandardCharsets.UTF_8).asBytes();
        return Base64.getUrlEncoder().withoutPadding().encodeToString(hash);
    }
}
