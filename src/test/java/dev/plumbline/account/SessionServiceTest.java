package dev.plumbline.account;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.postgres.Database;
import dev.plumbline.support.Await;
import dev.plumbline.support.TestDatabase;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.JsonObject;
import io.vertx.ext.auth.JWTOptions;
import io.vertx.ext.auth.PubSecKeyOptions;
import io.vertx.ext.auth.jwt.JWTAuth;
import io.vertx.ext.auth.jwt.JWTAuthOptions;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.stream.Stream;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

@Tag("integration")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class SessionServiceTest {
    @RegisterExtension
    static final TestDatabase DATABASE = new TestDatabase();

    private static final String SECRET = "a secret of at least thirty-two characters";
    private static final byte[] SIGNING_KEY = derivedKey("plumbline session token signature");
    private static final String URL = "https://checks.example";
    private static int accounts;

    private Database database;
    private SessionService sessions;
    private Account account;

    @BeforeAll
    void open() {
        database = DATABASE.open();
        sessions = new SessionService(DATABASE.vertx(), database, SECRET, null, URL);
    }

    @BeforeEach
    void someAccount() {
        AccountEmail email = AccountEmail.parse("someone" + accounts++ + "@plumbline.example");
        AccountStore store = new AccountStore(database);
        Await.value(store.insert(email, Plan.PRO, "the hash"));
        account = Await.value(store.find(email)).account();
    }

    private AuthenticatedUser begin() {
        return Await.value(sessions.create(account, "the hash", "Browser", "192.0.2.1"));
    }

    private AuthenticatedUser resume(String token) {
        return Await.value(sessions.authenticate(token));
    }

    private void sql(String statement) {
        Await.value(database.query(statement));
    }

    private void longAgo(Session session, String interval) {
        sql(
                "update session set renewed_at = renewed_at - interval '%s', created_at = created_at - interval '%s' where id = %d"
                        .formatted(interval, interval, session.id()));
    }

    private void graceIsOver(Session session) {
        sql("update session set previous_valid_until = clock_timestamp() where id = " + session.id());
    }

    @Test
    void aTokenAuthenticatesItsSession() {
        AuthenticatedUser begun = begin();

        AuthenticatedUser known = resume(begun.newToken());

        assertThat(known.account()).isEqualTo(account);
        assertThat(known.session()).isEqualTo(begun.session());
        assertThat(known.newToken()).isNull();
        assertThat(begun.session().client()).isEqualTo("Browser");
        assertThat(begun.toString()).doesNotContain(begun.newToken());
    }

    @Test
    void sessionsAreValidAndEndOnAllNodes() {
        SessionService other = new SessionService(DATABASE.vertx(), DATABASE.open(), SECRET, null, URL);

        AuthenticatedUser user = begin();
        assertThat(Await.value(other.authenticate(user.newToken())).account()).isEqualTo(account);

        Await.value(sessions.end(user.account().id(), user.session().id()));
        assertThat(Await.value(other.authenticate(user.newToken()))).isNull();
    }

    @Test
    void onlyTheHashOfATokenIsStored() {
        String id = claims(begin().newToken()).getString("jti");

        String row = Await.value(database.query("select string_agg(s::text, ' ') from session s"))
                .iterator()
                .next()
                .getString(0);

        assertThat(row)
                .doesNotContain(id)
                .contains(java.util.HexFormat.of()
                        .formatHex(SessionTokenCodec.hash(id).getBytes()));
    }

    @Test
    void signInFailsIfThePasswordChangedMeanwhile() {
        sql("update account set password_hash = 'another' where id = " + account.id());

        assertThat(Await.value(sessions.create(account, "the hash", "", ""))).isNull();
        assertThat(Await.value(sessions.create(account, "another", "", ""))).isNotNull();
    }

    @Test
    void aPasswordChangeReplacesTheToken() {
        AuthenticatedUser before = begin();

        AuthenticatedUser after =
                Await.value(sessions.changePassword(before, "the hash", "next")).signedIn();

        assertThat(resume(before.newToken())).isNull();
        assertThat(resume(after.newToken()).session()).isEqualTo(after.session());
        assertThat(Await.value(sessions.changePassword(after, "the hash", "again")))
                .isNull();
    }

    @Test
    void aPasswordChangeEndsTheSessionOfAConcurrentSignIn() {
        AuthenticatedUser stored = begin();
        Future<SignInResult.PasswordChanged> change = Await.value(database.inTransaction(signIn -> signIn.query(
                        "select from account where id = " + account.id() + " for share")
                .execute()
                .compose(locked -> signIn.query("insert into session (account_id, token_hash, client, address,"
                                + " expires_at) select account_id, token_hash, 'late',"
                                + " address, expires_at from session where id = "
                                + stored.session().id())
                        .execute())
                .compose(begun -> {
                    Future<SignInResult.PasswordChanged> waiting = sessions.changePassword(stored, "the hash", "next");
                    return untilSomebodyWaits().map(seen -> waiting);
                })));

        assertThat(Await.value(change)).isNotNull();
        assertThat(Await.value(sessions.list(account.id())))
                .extracting(Session::client)
                .containsExactly("Browser");
    }

    private Future<Void> untilSomebodyWaits() {
        return database.query("select exists (select from pg_locks where not granted)")
                .compose(
                        rows -> rows.iterator().next().getBoolean(0) ? Future.succeededFuture() : untilSomebodyWaits());
    }

    @Test
    void signOutEndsTheSession() {
        AuthenticatedUser one = begin();
        AuthenticatedUser other = begin();

        Await.value(sessions.end(one.account().id(), one.session().id()));

        assertThat(resume(one.newToken())).isNull();
        assertThat(resume(other.newToken())).isNotNull();
    }

    @Test
    void endAllEndsAllSessions() {
        AuthenticatedUser one = begin();
        AuthenticatedUser other = begin();

        Await.value(sessions.endAll(account.id()));

        assertThat(resume(one.newToken())).isNull();
        assertThat(resume(other.newToken())).isNull();
        assertThat(Await.value(sessions.list(account.id()))).isEmpty();
    }

    @Test
    void disabledAndDeletedAccountsHaveNoSessions() {
        AuthenticatedUser begun = begin();
        sql("update account set disabled_at = clock_timestamp() where id = " + account.id());
        assertThat(resume(begun.newToken())).isNull();
        assertThat(Await.value(sessions.create(account, "the hash", "", ""))).isNull();

        sql("update account set disabled_at = null, deleted_at = clock_timestamp() where id = " + account.id());
        assertThat(resume(begun.newToken())).isNull();
        assertThat(Await.value(sessions.create(account, "the hash", "", ""))).isNull();
    }

    @Test
    void expiredSessionsAreRejectedAndDeleted() {
        AuthenticatedUser begun = begin();
        sql("update session set expires_at = clock_timestamp() where id = "
                + begun.session().id());

        assertThat(resume(begun.newToken())).isNull();
        assertThat(Await.value(SessionStore.purgeExpired(database, 100))).isEqualTo(1);
        assertThat(Await.value(SessionStore.purgeExpired(database, 100))).isZero();
    }

    @Test
    void aTokenIsReplacedAfterFifteenMinutes() {
        AuthenticatedUser begun = begin();
        longAgo(begun.session(), "14 minutes");
        assertThat(resume(begun.newToken()).newToken()).isNull();
        longAgo(begun.session(), "1 minute");

        AuthenticatedUser renewed = resume(begun.newToken());

        assertThat(renewed.newToken()).isNotNull().isNotEqualTo(begun.newToken());
        assertThat(renewed.session().id()).isEqualTo(begun.session().id());
        assertThat(resume(renewed.newToken()).newToken()).isNull();
    }

    @Test
    void concurrentRequestsGetTheSameNewToken() {
        AuthenticatedUser begun = begin();
        longAgo(begun.session(), "1 hour");

        List<Future<AuthenticatedUser>> together = Stream.generate(() -> sessions.authenticate(begun.newToken()))
                .limit(20)
                .toList();
        Await.value(Future.all(together));

        assertThat(together).extracting(f -> f.result().newToken()).doesNotContainNull();
        assertThat(together)
                .extracting(f -> claims(f.result().newToken()).getString("jti"))
                .containsOnly(claims(together.get(0).result().newToken()).getString("jti"));
        assertThat(resume(together.get(0).result().newToken())).isNotNull();
    }

    @Test
    void aLostNewTokenIsSentAgain() {
        AuthenticatedUser begun = begin();
        longAgo(begun.session(), "1 hour");
        String lost = resume(begun.newToken()).newToken();
        sql("update session set renewed_at = renewed_at - interval '2 days'");

        AuthenticatedUser again = resume(begun.newToken());

        assertThat(claims(again.newToken()).getString("jti"))
                .isEqualTo(claims(lost).getString("jti"));
        assertThat(resume(again.newToken())).isNotNull();
    }

    @Test
    void thePreviousTokenIsValidForTenSecondsAfterFirstUseOfTheNewOne() {
        AuthenticatedUser begun = begin();
        longAgo(begun.session(), "1 hour");
        String next = resume(begun.newToken()).newToken();
        assertThat(resume(next)).isNotNull();

        assertThat(resume(begun.newToken())).isNotNull();
        assertThat(resume(next)).isNotNull();
    }

    @Test
    void reuseOfThePreviousTokenEndsTheSession() {
        AuthenticatedUser begun = begin();
        AuthenticatedUser bystander = begin();
        longAgo(begun.session(), "1 hour");
        String next = resume(begun.newToken()).newToken();
        assertThat(resume(next)).isNotNull();
        graceIsOver(begun.session());

        assertThat(resume(begun.newToken())).isNull();

        assertThat(resume(next)).isNull();
        assertThat(resume(bystander.newToken())).isNotNull();
    }

    @Test
    void reuseOfAnOlderTokenEndsTheSession() {
        AuthenticatedUser begun = begin();
        longAgo(begun.session(), "1 hour");
        String second = resume(begun.newToken()).newToken();
        assertThat(resume(second)).isNotNull();
        longAgo(begun.session(), "1 hour");
        String third = resume(second).newToken();
        assertThat(resume(third)).isNotNull();

        assertThat(resume(begun.newToken())).isNull();

        assertThat(resume(third)).isNull();
    }

    @Test
    void useExtendsASessionToThirtyDaysAtMost() {
        AuthenticatedUser begun = begin();
        assertThat(java.time.Duration.between(
                        begun.session().createdAt(), begun.session().expiresAt()))
                .isBetween(java.time.Duration.ofDays(7).minusSeconds(5), java.time.Duration.ofDays(7));
        longAgo(begun.session(), "6 days");
        AuthenticatedUser week = resume(begun.newToken());
        assertThat(week.session().expiresAt()).isAfter(begun.session().expiresAt());
        longAgo(begun.session(), "23 days");

        AuthenticatedUser month = resume(week.newToken());

        assertThat(java.time.Duration.between(
                        month.session().createdAt(), month.session().expiresAt()))
                .isEqualTo(java.time.Duration.ofDays(30));
        assertThat(claims(month.newToken()).getLong("exp"))
                .isEqualTo(month.session().expiresAt().getEpochSecond());
    }

    @Test
    void theLeastRecentlyUsedSessionIsEvicted() {
        AuthenticatedUser first = begin();
        for (int i = 1; i < SessionService.MAX_SESSIONS; i++) {
            begin();
        }
        assertThat(resume(first.newToken())).isNotNull();

        begin();

        assertThat(resume(first.newToken())).isNull();
        assertThat(Await.value(sessions.list(account.id()))).hasSize(SessionService.MAX_SESSIONS);
    }

    @Test
    void theUserAgentIsSanitized() {
        AuthenticatedUser begun =
                Await.value(sessions.create(account, "the hash", "\u001b[31m\u0000" + "x".repeat(1_000), "192.0.2.1"));

        assertThat(begun.session().client()).startsWith("?[31m?xxx").hasSize(200);
    }

    Stream<String> hostileTokens() {
        AuthenticatedUser begun = begin();
        JsonObject good = claims(begun.newToken());
        String[] parts = begun.newToken().split("\\.");
        return Stream.of(
                "",
                ".",
                "..",
                "...",
                "a.b.c",
                "\u0000",
                "x".repeat(100_000),
                begun.newToken() + ".",
                withTrailingBits(parts, 0),
                withTrailingBits(parts, 1),
                withTrailingBits(parts, 2),
                begun.newToken() + "=",
                begun.newToken() + "A".repeat(1_000),
                parts[0] + "." + parts[1] + ".",
                parts[0] + "." + parts[1],
                parts[0] + "." + parts[1] + "." + "A".repeat(parts[2].length()),
                unsigned(good, "none"),
                unsigned(good, "None"),
                unsigned(good, "HS256"),
                signed(good, bytes(SECRET), "HS256"),
                signed(good, new byte[1], "HS256"),
                signed(good, SIGNING_KEY, "HS384"),
                signed(good, SIGNING_KEY, "HS512"),
                mac(new JsonObject().put("alg", "none").put("typ", "JWT"), good, SIGNING_KEY),
                mac(new JsonObject().put("typ", "JWT"), good, SIGNING_KEY),
                mac(new JsonObject().put("alg", "HS256").put("x5c", List.of("AAAA")), good, bytes("theirs")),
                mac(new JsonObject().put("alg", "HS256").put("jwk", theirs()), good, bytes("theirs")),
                signed(good.copy().put("iss", "https://elsewhere.example"), SIGNING_KEY, "HS256"),
                signed(without(good, "iss"), SIGNING_KEY, "HS256"),
                signed(good.copy().put("aud", "plumbline-api"), SIGNING_KEY, "HS256"),
                signed(without(good, "aud"), SIGNING_KEY, "HS256"),
                signed(good.copy().put("exp", 1_000_000_000L), SIGNING_KEY, "HS256"),
                signed(without(good, "exp"), SIGNING_KEY, "HS256"),
                signed(good.copy().put("sub", Long.toString(account.id() - 1)), SIGNING_KEY, "HS256"),
                signed(good.copy().put("sub", "x"), SIGNING_KEY, "HS256"),
                signed(without(good, "sub"), SIGNING_KEY, "HS256"),
                signed(good.copy().put("sid", "99999999"), SIGNING_KEY, "HS256"),
                signed(good.copy().put("sid", 1.5), SIGNING_KEY, "HS256"),
                signed(without(good, "sid"), SIGNING_KEY, "HS256"),
                signed(good.copy().put("jti", "short"), SIGNING_KEY, "HS256"),
                signed(good.copy().put("jti", List.of("a")), SIGNING_KEY, "HS256"),
                signed(without(good, "jti"), SIGNING_KEY, "HS256"));
    }

    /** Sets an unused bit of the last base64url character of a part, if it has one. Decoders can ignore these bits. */
    private static String withTrailingBits(String[] parts, int index) {
        String[] changed = parts.clone();
        String part = changed[index];
        if (part.length() % 4 == 0) {
            return "the part has no unused bits";
        }
        String alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
        int last = alphabet.indexOf(part.charAt(part.length() - 1));
        changed[index] = part.substring(0, part.length() - 1) + alphabet.charAt(last | 1);
        return String.join(".", changed);
    }

    @ParameterizedTest
    @MethodSource("hostileTokens")
    void invalidTokensAreRejected(String token) {
        assertThat(resume(token)).isNull();
    }

    @Test
    void theInvalidTokensDeriveFromAValidOne() {
        AuthenticatedUser begun = begin();

        assertThat(resume(signed(claims(begun.newToken()), SIGNING_KEY, "HS256")))
                .isNotNull();
        assertThat(resume(mac(
                        new JsonObject().put("alg", "HS256").put("typ", "JWT"), claims(begun.newToken()), SIGNING_KEY)))
                .isNotNull();
    }

    @Test
    void aChangedSecretEndsAllSessions() {
        SessionService changed = new SessionService(DATABASE.vertx(), database, SECRET + "!", null, URL);

        assertThat(Await.value(changed.authenticate(begin().newToken()))).isNull();
    }

    /** The nodes of a cluster are restarted one after the other: with both secrets, in either order. */
    @Test
    void aSecretIsRotatedWithoutEndingSessions() {
        String next = "the next secret of 32 characters and more";
        SessionService oldFirst = new SessionService(DATABASE.vertx(), database, SECRET, next, URL);
        SessionService newFirst = new SessionService(DATABASE.vertx(), database, next, SECRET, URL);
        SessionService onlyNew = new SessionService(DATABASE.vertx(), database, next, null, URL);
        AuthenticatedUser begun = begin();

        for (SessionService node : List.of(oldFirst, newFirst)) {
            assertThat(Await.value(node.authenticate(begun.newToken())).session())
                    .isEqualTo(begun.session());
        }
        longAgo(begun.session(), "1 hour");
        String fromNew = Await.value(newFirst.authenticate(begun.newToken())).newToken();
        String fromOld = Await.value(oldFirst.authenticate(begun.newToken())).newToken();

        assertThat(claims(fromOld))
                .as("both nodes replace the token by the same one")
                .isEqualTo(claims(fromNew));
        for (String token : List.of(fromNew, fromOld)) {
            assertThat(Await.value(oldFirst.authenticate(token))).isNotNull();
            assertThat(Await.value(newFirst.authenticate(token))).isNotNull();
        }
        assertThat(Await.value(onlyNew.authenticate(fromNew))).isNotNull();
        assertThat(Await.value(onlyNew.authenticate(fromOld))).isNull();
    }

    /** A signature must not be usable to derive the ID of a later token. */
    @Test
    void signaturesAndTokenIdsHaveSeparateKeys() {
        AuthenticatedUser begun = begin();
        longAgo(begun.session(), "1 hour");
        String input = "successor\n" + begun.session().id() + "\n"
                + claims(begun.newToken()).getString("jti");

        String next = claims(resume(begun.newToken()).newToken()).getString("jti");

        assertThat(next)
                .isEqualTo(base64(Arrays.copyOf(hmac(derivedKey("plumbline session token ID"), bytes(input)), 16)))
                .isNotEqualTo(base64(Arrays.copyOf(hmac(SIGNING_KEY, bytes(input)), 16)))
                .isNotEqualTo(base64(Arrays.copyOf(hmac(bytes(SECRET), bytes(input)), 16)));
    }

    private static JsonObject claims(String token) {
        return new JsonObject(new String(Base64.getUrlDecoder().decode(token.split("\\.")[1]), StandardCharsets.UTF_8));
    }

    private static JsonObject without(JsonObject claims, String name) {
        JsonObject less = claims.copy();
        less.remove(name);
        return less;
    }

    private static String base64(byte[] bytes) {
        return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
    }

    private static String unsigned(JsonObject claims, String algorithm) {
        JsonObject header = new JsonObject().put("alg", algorithm).put("typ", "JWT");
        return base64(header.toBuffer().getBytes()) + "."
                + base64(claims.toBuffer().getBytes()) + ".";
    }

    /** A forged header with an embedded key. */
    private static JsonObject theirs() {
        return new JsonObject().put("kty", "oct").put("k", base64("theirs".getBytes(StandardCharsets.UTF_8)));
    }

    /** Signs with HS256, independent of the header. */
    private static String mac(JsonObject header, JsonObject claims, byte[] key) {
        String body = base64(header.toBuffer().getBytes()) + "."
                + base64(claims.toBuffer().getBytes());
        return body + "." + base64(hmac(key, bytes(body)));
    }

    private static byte[] hmac(byte[] key, byte[] text) {
        try {
            Mac mac = Mac.getInstance("HmacSHA256");
            mac.init(new SecretKeySpec(key, "HmacSHA256"));
            return mac.doFinal(text);
        } catch (java.security.GeneralSecurityException impossible) {
            throw new AssertionError(impossible);
        }
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    /** A key of 32 bytes derived with HKDF (RFC 5869, 2.2 and 2.3), without salt. */
    private static byte[] derivedKey(String label) {
        return hmac(hmac(new byte[32], bytes(SECRET)), bytes(label + '\u0001'));
    }

    private static String signed(JsonObject claims, byte[] key, String algorithm) {
        return JWTAuth.create(
                        DATABASE.vertx(),
                        new JWTAuthOptions()
                                .addPubSecKey(new PubSecKeyOptions()
                                        .setAlgorithm(algorithm)
                                        .setBuffer(Buffer.buffer(key))))
                .generateToken(claims, new JWTOptions().setAlgorithm(algorithm).setNoTimestamp(true));
    }
}
