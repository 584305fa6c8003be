package dev.plumbline.account;

import dev.plumbline.account.AccountStore.Kept;
import dev.plumbline.account.AttemptLimiter.Quota;
import dev.plumbline.bus.MessageBus;
import dev.plumbline.store.Database;
import io.vertx.core.Future;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Signs in with e-mail address and password. Failures are rate limited by client address, by
 * account, and by both; successes are not counted. The limit by account prevents distributed
 * guessing. It does not apply to addresses with an existing session of the account and has a short
 * window, so that third parties cannot lock out the owner for long.
 *
 * <p>Methods fail with {@code DatabaseUnavailableException} if the database is unavailable, and
 * with {@link HashingQueueFullException} if too many password hashes are queued. Neither counts as a failed
 * sign-in.
 */
public final class SignInService {
    /** Rate limit of failures by client address. */
    public static final String BY_ADDRESS = "sign-in";

    /** Rate limit of failures by account and client address. */
    public static final String BY_BOTH = "sign-in-account-address";

    /**
     * Rate limit of failures by account from unknown addresses, and by session for password changes.
     */
    public static final String BY_ACCOUNT = "sign-in-account";

    /** Rate limit of new accounts by client address. */
    public static final String SIGN_UP = "sign-up";

    private final AccountStore accounts;
    private final SessionStore store;
    private final SessionService sessions;
    private final PasswordHasher passwords;
    private final AttemptLimiter attempts;

    public SignInService(Database database, MessageBus bus, SessionService sessions, PasswordHasher passwords) {
        this.accounts = new AccountStore(database);
        this.store = new SessionStore(database);
        this.sessions = sessions;
        this.passwords = passwords;
        this.attempts = new AttemptLimiter(bus);
    }

    /**
     * The client of a request.
     *
     * @param address the rate limit key
     * @param browser the User-Agent header
     */
    public record Client(String address, String browser) {}

    /**
     * Signs in.
     *
     * @param email as given; an invalid address matches no account
     */
    public Future<SignInResult> signIn(String email, String password, Client client) {
        EmailAddress address = address(email);
        String who = digest(address == null ? email.toLowerCase(Locale.ROOT) : address.key());
        if (address == null) {
            return attempt(quotas(who, client, false), () -> check(null, password, client));
        }
        return store.isKnown(address, client.address())
                .compose(known -> attempt(quotas(who, client, known), () -> accounts.find(address)
                        .compose(kept -> check(kept, password, client))));
    }

    private static @Nullable EmailAddress address(String email) {
        try {
            return EmailAddress.parse(email);
        } catch (IllegalArgumentException none) {
            return null;
        }
    }

    private static List<Quota> quotas(String who, Client client, boolean known) {
        Quota byAddress = new Quota(BY_ADDRESS, client.address());
        Quota byBoth = new Quota(BY_BOTH, who + ' ' + client.address());
        return known ? List.of(byAddress, byBoth) : List.of(byAddress, byBoth, new Quota(BY_ACCOUNT, who));
    }

    private interface Trial {
        Future<SignInResult> run();
    }

    private Future<SignInResult> attempt(List<Quota> quotas, Trial trial) {
        return attempts.begin(quotas).compose(begun -> {
            if (begun instanceof AttemptLimiter.Allowed allowed) {
                return trial.run().onComplete(ended -> {
                    if (!(ended.result() instanceof SignInResult.InvalidCredentials)) {
                        allowed.forgive();
                    }
                });
            }
            AttemptLimiter.Denied denied = (AttemptLimiter.Denied) begun;
            return Future.succeededFuture(new SignInResult.RateLimited(denied.policy(), denied.retryAfterSeconds()));
        });
    }

    private Future<SignInResult> check(@Nullable Kept kept, String password, Client client) {
        return passwords
                .verify(password, kept == null ? null : kept.passwordHash())
                .compose(correct -> {
                    String hash = kept == null ? null : kept.passwordHash();
                    if (!correct || kept == null || hash == null) {
                        return Future.succeededFuture(new SignInResult.InvalidCredentials());
                    }
                    return kept.account().disabled()
                            ? Future.succeededFuture(new SignInResult.Disabled())
                            : renewHash(kept.account(), hash, password)
                                    .compose(renewed -> begin(kept.account(), renewed, client))
                                    .compose(begun -> ifWelcome(begun, kept, password, client));
                });
    }

    /** Retries once if a concurrent sign-in has changed the hash. */
    private Future<SignInResult> ifWelcome(SignInResult begun, Kept before, String password, Client client) {
        if (begun instanceof SignInResult.Success) {
            return Future.succeededFuture(begun);
        }
        return accounts.find(before.account().id()).compose(now -> {
            String hash = now == null ? null : now.passwordHash();
            if (now == null || hash == null || now.account().disabled()) {
                return Future.succeededFuture(begun);
            }
            return passwords
                    .verify(password, hash)
                    .compose(correct -> correct ? begin(now.account(), hash, client) : Future.succeededFuture(begun));
        });
    }

    /**
     * Hashes the password again if the stored hash has outdated parameters.
     *
     * @return the hash of the account after that
     */
    private Future<String> renewHash(Account account, String hash, String password) {
        if (!PasswordHasher.isOutdated(hash) || PasswordHasher.fault(password) != null) {
            return Future.succeededFuture(hash);
        }
        return passwords
                .hash(password)
                .compose(fresh -> store.rehash(account.id(), hash, fresh).map(fresh))
                .otherwise(hash);
    }

    private Future<SignInResult> begin(Account account, String passwordHash, Client client) {
        return sessions.begin(account, passwordHash, client.browser(), client.address())
                .map(begun -> begun == null ? new SignInResult.InvalidCredentials() : new SignInResult.Success(begun));
    }

    /**
     * Creates an account and signs it in.
     *
     * @param password without {@link PasswordHasher#fault}
     */
    public Future<SignInResult> signUp(EmailAddress email, Plan plan, String password, Client client) {
        return attempts.begin(List.of(new Quota(SIGN_UP, client.address()))).compose(begun -> {
            if (begun instanceof AttemptLimiter.Denied denied) {
                return Future.succeededFuture(
                        new SignInResult.RateLimited(denied.policy(), denied.retryAfterSeconds()));
            }
            return passwords
                    .hash(password)
                    .onFailure(busy -> ((AttemptLimiter.Allowed) begun).forgive())
                    .compose(hash -> accounts.insert(email, plan, hash)
                            .compose(id ->
                                    id == null ? taken() : accounts.find(id).compose(made(hash, client))));
        });
    }

    private static Future<SignInResult> taken() {
        return Future.succeededFuture(new SignInResult.EmailTaken());
    }

    private Function<@Nullable Kept, Future<SignInResult>> made(String hash, Client client) {
        return kept -> kept == null ? taken() : begin(kept.account(), hash, client);
    }

    /**
     * Changes a password and ends all other sessions of the account.
     *
     * @param next without {@link PasswordHasher#fault}
     */
    public Future<SignInResult> changePassword(AuthenticatedUser who, String current, String next, Client client) {
        String key = digest(EmailAddress.parse(who.account().email()).key());
        List<Quota> quotas = new ArrayList<>(quotas(key, client, true));
        // keyed by session, so that third parties cannot use it up
        quotas.add(new Quota(BY_ACCOUNT, "session " + who.session().id()));
        return attempt(quotas, () -> accounts.find(who.account().id())
                .compose(kept -> change(who, kept == null ? null : kept.passwordHash(), current, next)));
    }

    private Future<SignInResult> change(AuthenticatedUser who, @Nullable String hash, String current, String next) {
        return passwords
                .verify(current, hash)
                .compose(correct -> correct && hash != null
                        ? passwords.hash(next).compose(fresh -> sessions.changePassword(who, hash, fresh))
                        : Future.succeededFuture(null))
                .map(changed -> changed == null ? new SignInResult.InvalidCredentials() : changed);
    }

    /** Hashes the e-mail address, so that rate limit rows do not contain it. */
    private static String digest(String key) {
        try {
            byte[] hash = MessageDigest.getInstance("SHA-256").digest(key.getBytes(StandardCharsets.UTF_8));
            return Base64.getUrlEncoder().withoutPadding().encodeToString(hash);
        } catch (NoSuchAlgorithmException impossible) {
            throw new IllegalStateException(impossible);
        }
    }
}
