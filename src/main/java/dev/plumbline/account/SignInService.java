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
 * People who show their password. Failures are counted, by address, by account, and by both
 * together; a success is not. The quota of an account alone is there against many addresses that
 * guess together; it does not hold up whoever signs in from an address from which the account is
 * signed in already, and it is short, so that strangers cannot lock anybody out for long.
 *
 * <p>All of it fails with {@code DatabaseUnavailableException} while the database is away, and with
 * {@link HashingQueueFullException} when too many passwords wait to be hashed; neither counts as a failure.
 */
public final class SignInService {
    /** Failures from one address. */
    public static final String BY_ADDRESS = "sign-in";

    /** Failures with one account from one address. */
    public static final String BY_BOTH = "sign-in-account-address";

    /** Failures with one account from addresses that it does not know, and those in one session. */
    public static final String BY_ACCOUNT = "sign-in-account";

    /** New accounts from one address. */
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
     * Who somebody is.
     *
     * @param address whose quotas pay
     * @param browser what the browser says of itself
     */
    public record Client(String address, String browser) {}

    /**
     * Signs in.
     *
     * @param email whatever was typed; what is no address is nobody's
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
                .compose(right -> {
                    String hash = kept == null ? null : kept.passwordHash();
                    if (!right || kept == null || hash == null) {
                        return Future.succeededFuture(new SignInResult.InvalidCredentials());
                    }
                    return kept.account().disabled()
                            ? Future.succeededFuture(new SignInResult.Disabled())
                            : renewHash(kept.account(), hash, password)
                                    .compose(renewed -> begin(kept.account(), renewed, client))
                                    .compose(begun -> ifWelcome(begun, kept, password, client));
                });
    }

    /** Another sign-in may have renewed the hash meanwhile: then this one begins once more. */
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
                    .compose(right -> right ? begin(now.account(), hash, client) : Future.succeededFuture(begun));
        });
    }

    /**
     * What was hashed with other parameters is hashed anew while the password is at hand.
     *
     * @return the hash that the account has then, unless another changes it
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
     * Makes an account and signs it in.
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
     * Changes a password; every other session of the account ends.
     *
     * @param next without {@link PasswordHasher#fault}
     */
    public Future<SignInResult> changePassword(AuthenticatedUser who, String current, String next, Client client) {
        String key = digest(EmailAddress.parse(who.account().email()).key());
        List<Quota> quotas = new ArrayList<>(quotas(key, client, true));
        // of the session: it may come from many addresses, and strangers cannot use it up
        quotas.add(new Quota(BY_ACCOUNT, "session " + who.session().id()));
        return attempt(quotas, () -> accounts.find(who.account().id())
                .compose(kept -> change(who, kept == null ? null : kept.passwordHash(), current, next)));
    }

    private Future<SignInResult> change(AuthenticatedUser who, @Nullable String hash, String current, String next) {
        return passwords
                .verify(current, hash)
                .compose(right -> right && hash != null
                        ? passwords.hash(next).compose(fresh -> sessions.changePassword(who, hash, fresh))
                        : Future.succeededFuture(null))
                .map(changed -> changed == null ? new SignInResult.InvalidCredentials() : changed);
    }

    /** Quotas are kept for a while; whose address failed is nobody's business. */
    private static String digest(String key) {
        try {
            byte[] hash = MessageDigest.getInstance("SHA-256").digest(key.getBytes(StandardCharsets.UTF_8));
            return Base64.getUrlEncoder().withoutPadding().encodeToString(hash);
        } catch (NoSuchAlgorithmException impossible) {
            throw new IllegalStateException(impossible);
        }
    }
}
