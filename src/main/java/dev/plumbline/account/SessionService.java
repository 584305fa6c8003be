package dev.plumbline.account;

import dev.plumbline.account.SessionStore.StoredSession;
import dev.plumbline.concurrent.Batcher;
import dev.plumbline.postgres.Database;
import dev.plumbline.postgres.DatabaseOverloadedException;
import dev.plumbline.target.PrintableText;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Web sessions. A session is identified by a signed token and checked in the database with each request, in batches, so
 * that a sign-out is effective on all nodes at once. It expires 7 days after its last use and 30 days after its
 * creation.
 *
 * <p>A token is replaced after 15 minutes. The previous token is valid until the new one is used, and 10 seconds longer
 * for concurrent requests. Later use indicates a stolen token and ends the session. A fixed period would sign out a
 * user whose response with the new token was lost.
 *
 * <p>All methods fail with {@code DatabaseUnavailableException} during an outage.
 */
public final class SessionService {
    private static final Logger LOG = LoggerFactory.getLogger(SessionService.class);

    /** Maximum number of sessions per account. A new session replaces the least recently used one. */
    public static final int MAX_SESSIONS = 50;

    private static final Duration RENEWAL_AGE = Duration.ofMinutes(15);
    private static final int MAX_CLIENT_LENGTH = 200;
    private static final Batcher.Limits LOOKUP_LIMITS = new Batcher.Limits(256, 10_000, 2).expiringAfter(2_000);

    private final SessionStore store;
    private final SessionTokenCodec tokens;
    private final Batcher<Long, @Nullable StoredSession> lookups;

    /**
     * @param secret the keys of the tokens are derived from it; at least 32 characters
     * @param previousSecret another secret whose tokens are valid; null if there is only one. Sessions with any other
     *     secret are not valid
     * @param publicUrl public URL of the service, the issuer of the tokens
     */
    public SessionService(
            Vertx vertx, Database database, String secret, @Nullable String previousSecret, String publicUrl) {
        this.store = new SessionStore(database);
        this.tokens = new SessionTokenCodec(vertx, secret, previousSecret, publicUrl);
        this.lookups = new Batcher<>(vertx, LOOKUP_LIMITS, DatabaseOverloadedException::queueFull, store::find);
    }

    /**
     * Creates a session.
     *
     * @param passwordHash hash of the verified password
     * @param client User-Agent header
     * @param address client address
     * @return with a token; null if the account is deleted or disabled or its password has changed
     */
    Future<@Nullable AuthenticatedUser> create(Account account, String passwordHash, String client, String address) {
        String id = tokens.generateId();
        return store.insert(
                        account.id(),
                        passwordHash,
                        SessionTokenCodec.hash(id),
                        printable(client),
                        address,
                        MAX_SESSIONS)
                .map(session -> session == null ? null : withToken(account, session, id));
    }

    /**
     * Changes a password, ends all other sessions of the account and replaces the token of this one.
     *
     * @return null if the password has changed meanwhile
     */
    Future<SignInResult.@Nullable PasswordChanged> changePassword(
            AuthenticatedUser user, String oldHash, String newHash) {
        String id = tokens.generateId();
        return store.setPassword(user.account().id(), user.session().id(), SessionTokenCodec.hash(id), oldHash, newHash)
                .map(changed -> changed == null
                        ? null
                        : new SignInResult.PasswordChanged(
                                changed.kept() == null ? null : withToken(user.account(), changed.kept(), id)));
    }

    private AuthenticatedUser withToken(Account account, Session session, String tokenId) {
        return new AuthenticatedUser(
                account, session, tokens.encode(session.id(), account.id(), tokenId, session.expiresAt()));
    }

    /** Replaces control and non-ASCII characters and truncates the text. */
    private static String printable(String client) {
        return PrintableText.cut(client.replaceAll("[^\\x20-\\x7e]", "?"), MAX_CLIENT_LENGTH);
    }

    /**
     * Authenticates a token.
     *
     * @param token not validated
     * @return null if the token is not valid
     */
    public Future<@Nullable AuthenticatedUser> authenticate(String token) {
        return tokens.decode(token)
                .transform(decoded -> decoded.failed()
                        ? Future.succeededFuture(null)
                        : lookups.submit(decoded.result().sessionId())
                                .compose(stored -> evaluate(decoded.result(), stored)));
    }

    /**
     * Reads the current state of a session.
     *
     * @return null if the session has ended
     */
    public Future<@Nullable AuthenticatedUser> reload(AuthenticatedUser before) {
        return lookups.submit(before.session().id())
                .map(stored -> stored == null
                                || stored.account().id() != before.account().id()
                        ? null
                        : new AuthenticatedUser(stored.account(), stored.session(), before.newToken()));
    }

    private Future<@Nullable AuthenticatedUser> evaluate(
            SessionTokenCodec.Claims claims, @Nullable StoredSession stored) {
        if (stored == null || stored.account().id() != claims.accountId()) {
            return Future.succeededFuture(null);
        }
        Buffer tokenHash = SessionTokenCodec.hash(claims.tokenId());
        AuthenticatedUser user = new AuthenticatedUser(stored.account(), stored.session(), null);
        if (tokenHash.equals(stored.tokenHash())) {
            return stored.sinceRenewalMs() < RENEWAL_AGE.toMillis()
                    ? confirm(tokenHash, stored, user)
                    : renew(claims, tokenHash, user);
        }
        if (!tokenHash.equals(stored.previousTokenHash()) || Boolean.FALSE.equals(stored.previousTokenValid())) {
            return endIfReused(claims, tokenHash);
        }
        return Future.succeededFuture(withToken(stored.account(), stored.session(), tokens.successorId(claims)));
    }

    private Future<@Nullable AuthenticatedUser> confirm(
            Buffer tokenHash, StoredSession stored, AuthenticatedUser user) {
        if (stored.previousTokenHash() == null || stored.previousTokenValid() != null) {
            return Future.succeededFuture(user);
        }
        return store.confirmToken(stored.session().id(), tokenHash).map(user);
    }

    private Future<@Nullable AuthenticatedUser> renew(
            SessionTokenCodec.Claims claims, Buffer tokenHash, AuthenticatedUser user) {
        String next = tokens.successorId(claims);
        return store.renew(claims.sessionId(), tokenHash, SessionTokenCodec.hash(next))
                // a concurrent request may have replaced the token with the same successor
                .map(renewed -> withToken(user.account(), renewed == null ? user.session() : renewed, next));
    }

    private Future<@Nullable AuthenticatedUser> endIfReused(SessionTokenCodec.Claims claims, Buffer tokenHash) {
        return store.endIfReused(claims.sessionId(), tokenHash).map(ended -> {
            if (ended) {
                LOG.atWarn()
                        .addKeyValue("account", claims.accountId())
                        .addKeyValue("session", claims.sessionId())
                        .log("session terminated after reuse of a replaced token");
            }
            return null;
        });
    }

    /** The sessions of an account, most recently used first. */
    public Future<List<Session>> list(long accountId) {
        return store.list(accountId);
    }

    /** Ends a session of the account; unknown sessions are ignored. */
    public Future<Void> end(long accountId, long sessionId) {
        return store.end(accountId, sessionId);
    }

    public Future<Void> endAll(long accountId) {
        return store.endAll(accountId);
    }

    public int pendingLookups() {
        return lookups.queued();
    }
}
