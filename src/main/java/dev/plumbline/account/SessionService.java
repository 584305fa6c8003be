package dev.plumbline.account;

import dev.plumbline.account.SessionStore.Found;
import dev.plumbline.concurrent.Batcher;
import dev.plumbline.store.Database;
import dev.plumbline.store.RetentionTask;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Manages sessions. A session is a signed token that is checked against the database on each
 * request, in batches, so that sign-out takes effect immediately on all nodes. A session expires 7
 * days after its last use, and 30 days after its creation at the latest.
 *
 * <p>A token is rotated after 15 minutes. The previous token stays valid until 10 seconds after the
 * first use of its successor, because responses can be lost and requests can be concurrent. A later
 * use indicates a stolen token and ends the session.
 *
 * <p>Methods fail with {@code DatabaseUnavailableException} if the database is unavailable.
 */
public final class SessionService {
    private static final Logger LOG = LoggerFactory.getLogger(SessionService.class);

    /**
     * The maximum number of sessions of an account. A further session ends the least recently used
     * one.
     */
    public static final int MOST = 50;

    private static final Duration ROTATION_INTERVAL = Duration.ofMinutes(15);
    private static final int MAX_CLIENT_LENGTH = 200;
    private static final Batcher.Limits FINDS = new Batcher.Limits(256, 10_000, 2).expiringAfter(2_000);

    private final SessionStore store;
    private final SessionTokenCodec tokens;
    private final Batcher<Long, @Nullable Found> finds;

    /**
     * @param secret the signing key, at least 32 characters; a change ends all sessions
     * @param publicUrl the public base URL of the service
     */
    public SessionService(Vertx vertx, Database database, String secret, String publicUrl) {
        this.store = new SessionStore(database);
        this.tokens = new SessionTokenCodec(vertx, secret, publicUrl);
        this.finds = new Batcher<>(vertx, FINDS, store::find);
    }

    /**
     * Creates a session.
     *
     * @param passwordHash the hash that the given password matched
     * @param client the User-Agent header
     * @param address the client address
     * @return the session with a token; null if the account was deleted or disabled, or its password
     *     has changed
     */
    Future<@Nullable AuthenticatedUser> begin(Account account, String passwordHash, String client, String address) {
        String id = tokens.freshId();
        return store.insert(account.id(), passwordHash, SessionTokenCodec.hash(id), printable(client), address, MOST)
                .map(session -> session == null ? null : withToken(account, session, id));
    }

    /**
     * Changes a password, ends all other sessions of the account and replaces the token of this one.
     *
     * @return null if the password has changed in the meantime
     */
    Future<SignInResult.@Nullable PasswordChanged> changePassword(
            AuthenticatedUser who, String oldHash, String newHash) {
        String id = tokens.freshId();
        return store.setPassword(who.account().id(), who.session().id(), SessionTokenCodec.hash(id), oldHash, newHash)
                .map(changed -> changed == null
                        ? null
                        : new SignInResult.PasswordChanged(
                                changed.kept() == null ? null : withToken(who.account(), changed.kept(), id)));
    }

    private AuthenticatedUser withToken(Account account, Session session, String tokenId) {
        return new AuthenticatedUser(
                account, session, tokens.write(session.id(), account.id(), tokenId, session.expiresAt()));
    }

    /** Returns the User-Agent with non-ASCII and control characters replaced, truncated. */
    private static String printable(String client) {
        String plain = client.replaceAll("[^\\x20-\\x7e]", "?");
        return plain.length() > MAX_CLIENT_LENGTH ? plain.substring(0, MAX_CLIENT_LENGTH) : plain;
    }

    /**
     * Authenticates a token.
     *
     * @param token as given by the client
     * @return null if it is not valid
     */
    public Future<@Nullable AuthenticatedUser> resume(String token) {
        return tokens.read(token)
                .transform(read -> read.failed()
                        ? Future.succeededFuture(null)
                        : finds.ask(read.result().sessionId()).compose(found -> evaluate(read.result(), found)));
    }

    /**
     * Reloads a session.
     *
     * @return null if the session has ended
     */
    public Future<@Nullable AuthenticatedUser> again(AuthenticatedUser before) {
        return finds.ask(before.session().id())
                .map(found -> found == null
                                || found.account().id() != before.account().id()
                        ? null
                        : new AuthenticatedUser(found.account(), found.session(), before.newToken()));
    }

    private Future<@Nullable AuthenticatedUser> evaluate(SessionTokenCodec.Claims claims, @Nullable Found found) {
        if (found == null || found.account().id() != claims.accountId()) {
            return Future.succeededFuture(null);
        }
        Buffer given = SessionTokenCodec.hash(claims.tokenId());
        AuthenticatedUser current = new AuthenticatedUser(found.account(), found.session(), null);
        if (given.equals(found.token())) {
            return found.sinceRenewalMs() < ROTATION_INTERVAL.toMillis()
                    ? arrived(given, found, current)
                    : renewed(claims, given, current);
        }
        if (!given.equals(found.former()) || Boolean.FALSE.equals(found.formerGood())) {
            return endReplaced(claims, given);
        }
        return Future.succeededFuture(withToken(found.account(), found.session(), tokens.successorId(claims)));
    }

    private Future<@Nullable AuthenticatedUser> arrived(Buffer given, Found found, AuthenticatedUser current) {
        if (found.former() == null || found.formerGood() != null) {
            return Future.succeededFuture(current);
        }
        return store.noteArrival(found.session().id(), given).map(current);
    }

    private Future<@Nullable AuthenticatedUser> renewed(
            SessionTokenCodec.Claims claims, Buffer given, AuthenticatedUser current) {
        String next = tokens.successorId(claims);
        return store.renew(claims.sessionId(), given, SessionTokenCodec.hash(next))
                // a concurrent request may already have set the same successor
                .map(renewed -> withToken(current.account(), renewed == null ? current.session() : renewed, next));
    }

    private Future<@Nullable AuthenticatedUser> endReplaced(SessionTokenCodec.Claims claims, Buffer given) {
        return store.endReplaced(claims.sessionId(), given).map(ended -> {
            if (ended) {
                LOG.atWarn()
                        .addKeyValue("account", claims.accountId())
                        .addKeyValue("session", claims.sessionId())
                        .log("session terminated after reuse of a replaced token");
            }
            return null;
        });
    }

    /** Returns the sessions of the account, most recently used first. */
    public Future<List<Session>> list(long accountId) {
        return store.list(accountId);
    }

    /** Ends a session. */
    public Future<Void> end(Session session) {
        return store.end(session.id());
    }

    /** Ends a session of the account. Idempotent. */
    public Future<Void> end(long accountId, long sessionId) {
        return store.end(accountId, sessionId);
    }

    /** Ends all sessions of an account. */
    public Future<Void> endAll(long accountId) {
        return store.endAll(accountId);
    }

    /** The number of queued lookups. */
    public int findsQueued() {
        return finds.queued();
    }

    /** Deletes up to {@link RetentionTask#SLICE} expired sessions. Returns their number. */
    public Future<Integer> purgeSlice() {
        return store.purgeSlice();
    }
}
