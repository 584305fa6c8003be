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
 * People who are signed in. A session is a signed token; whether it is good is asked of the
 * database every time, in batches, so that a sign-out counts at once on every node. It lives for 7
 * days from its last use, for 30 days at most.
 *
 * <p>A token is replaced when it is older than a quarter of an hour. The former one stays good
 * until its successor has been used, since an answer can be lost on its way, and ten seconds more,
 * for requests that were sent together. Whoever shows it later holds a copy: then the session ends,
 * for the thief and for the owner, who signs in again.
 *
 * <p>All of it fails with {@code DatabaseUnavailableException} while the database is away.
 */
public final class SessionService {
    private static final Logger LOG = LoggerFactory.getLogger(SessionService.class);

    /** Of one account; with one more, the one that was used longest ago ends. */
    public static final int MOST = 50;

    private static final Duration FRESH = Duration.ofMinutes(15);
    private static final int LONGEST_CLIENT = 200;
    private static final Batcher.Limits FINDS = new Batcher.Limits(256, 10_000, 2).expiringAfter(2_000);

    private final SessionStore store;
    private final SessionTokenCodec tokens;
    private final Batcher<Long, @Nullable Found> finds;

    /**
     * @param secret what tokens are signed with, at least 32 characters; with another one, everybody
     *     is signed out
     * @param publicUrl under which people reach the service
     */
    public SessionService(Vertx vertx, Database database, String secret, String publicUrl) {
        this.store = new SessionStore(database);
        this.tokens = new SessionTokenCodec(vertx, secret, publicUrl);
        this.finds = new Batcher<>(vertx, FINDS, store::find);
    }

    /**
     * Begins a session.
     *
     * @param passwordHash of the password that was shown
     * @param client what the browser says of itself
     * @param address from where
     * @return with a token; null if the account is gone or disabled, or has another password by now
     */
    Future<@Nullable AuthenticatedUser> begin(Account account, String passwordHash, String client, String address) {
        String id = tokens.freshId();
        return store.insert(account.id(), passwordHash, SessionTokenCodec.hash(id), readable(client), address, MOST)
                .map(session -> session == null ? null : withToken(account, session, id));
    }

    /**
     * Changes a password; every other session of the account ends, and the token of this one is no
     * good any more.
     *
     * @return null if the password is not what it was any more
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

    /** Whatever a browser says of itself, without what could upset a terminal or a page. */
    private static String readable(String client) {
        String plain = client.replaceAll("[^\\x20-\\x7e]", "?");
        return plain.length() > LONGEST_CLIENT ? plain.substring(0, LONGEST_CLIENT) : plain;
    }

    /**
     * Who shows this token.
     *
     * @param token whatever was shown
     * @return null if it is not good, for whatever reason
     */
    public Future<@Nullable AuthenticatedUser> resume(String token) {
        return tokens.read(token)
                .transform(read -> read.failed()
                        ? Future.succeededFuture(null)
                        : finds.ask(read.result().sessionId()).compose(found -> evaluate(read.result(), found)));
    }

    /**
     * Who was signed in a while ago, as they are now.
     *
     * @return null if the session has ended meanwhile
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
        Buffer shown = SessionTokenCodec.hash(claims.tokenId());
        AuthenticatedUser asItIs = new AuthenticatedUser(found.account(), found.session(), null);
        if (shown.equals(found.token())) {
            return found.sinceRenewalMs() < FRESH.toMillis()
                    ? arrived(shown, found, asItIs)
                    : renewed(claims, shown, asItIs);
        }
        if (!shown.equals(found.former()) || Boolean.FALSE.equals(found.formerGood())) {
            return endReplaced(claims, shown);
        }
        return Future.succeededFuture(withToken(found.account(), found.session(), tokens.successorId(claims)));
    }

    private Future<@Nullable AuthenticatedUser> arrived(Buffer shown, Found found, AuthenticatedUser asItIs) {
        if (found.former() == null || found.formerGood() != null) {
            return Future.succeededFuture(asItIs);
        }
        return store.noteArrival(found.session().id(), shown).map(asItIs);
    }

    private Future<@Nullable AuthenticatedUser> renewed(
            SessionTokenCodec.Claims claims, Buffer shown, AuthenticatedUser asItIs) {
        String next = tokens.successorId(claims);
        return store.renew(claims.sessionId(), shown, SessionTokenCodec.hash(next))
                // where a request that was sent together with this one was faster, it has done the same
                .map(renewed -> withToken(asItIs.account(), renewed == null ? asItIs.session() : renewed, next));
    }

    private Future<@Nullable AuthenticatedUser> endReplaced(SessionTokenCodec.Claims claims, Buffer shown) {
        return store.endReplaced(claims.sessionId(), shown).map(ended -> {
            if (ended) {
                LOG.atWarn()
                        .addKeyValue("account", claims.accountId())
                        .addKeyValue("session", claims.sessionId())
                        .log("session terminated after reuse of a replaced token");
            }
            return null;
        });
    }

    /** The account's sessions, the last used first. */
    public Future<List<Session>> list(long accountId) {
        return store.list(accountId);
    }

    /** Signs one out. */
    public Future<Void> end(Session session) {
        return store.end(session.id());
    }

    /** Signs out one of the account's; one that is not, or has ended, changes nothing. */
    public Future<Void> end(long accountId, long sessionId) {
        return store.end(accountId, sessionId);
    }

    /** Signs an account out everywhere. */
    public Future<Void> endAll(long accountId) {
        return store.endAll(accountId);
    }

    /** How many look-ups wait for their batch. */
    public int findsQueued() {
        return finds.queued();
    }

    /** Deletes up to {@link RetentionTask#SLICE} expired sessions and says how many they were. */
    public Future<Integer> purgeSlice() {
        return store.purgeSlice();
    }
}
