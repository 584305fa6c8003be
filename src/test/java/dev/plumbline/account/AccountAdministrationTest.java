package dev.plumbline.account;

import static dev.plumbline.support.TestDatabase.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.plumbline.postgres.Database;
import dev.plumbline.postgres.NotificationListener;
import dev.plumbline.support.Await;
import dev.plumbline.support.TestDatabase;
import io.vertx.core.Future;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Administration of accounts and keys. */
@Tag("integration")
class AccountAdministrationTest {
    @RegisterExtension
    static final TestDatabase DATABASE = new TestDatabase();

    private static final String PASSWORD = "correct horse battery";

    private static Database database;
    private static PasswordHasher passwords;
    private static AccountAdministration accounts;
    private static TestAccounts rows;

    @BeforeAll
    static void open() {
        database = DATABASE.open();
        passwords = new PasswordHasher(DATABASE.vertx());
        accounts = new AccountAdministration(database, passwords);
        rows = new TestAccounts(database);
    }

    private static AccountEmail someEmail() {
        return AccountEmail.parse(UUID.randomUUID() + "@example.com");
    }

    private static long some(AccountEmail email, Plan plan) {
        return await(accounts.create(email, plan, PASSWORD));
    }

    private static ApiKeyRequest wish(String name) {
        return new ApiKeyRequest(name, EnumSet.allOf(Scope.class), null);
    }

    private static String secret(ApiKeyCreation creation) {
        return ((ApiKeyCreation.Created) creation).secret();
    }

    @Test
    void addressesAreComparedInNormalizedForm() {
        AccountEmail given = AccountEmail.parse(" Ada.Lovelace@BÜCHER.example ");
        long id = some(given, Plan.PRO);

        Account found = await(accounts.find(AccountEmail.parse("ada.lovelace@xn--bcher-kva.EXAMPLE.")));

        assertThat(found.id()).isEqualTo(id);
        assertThat(found.email()).isEqualTo("Ada.Lovelace@BÜCHER.example");
        assertThat(found.plan()).isEqualTo(Plan.PRO);
        assertThat(found.disabled()).isFalse();
        assertThat(found.createdAt()).isBetween(Instant.now().minusSeconds(60), Instant.now());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "  ",
                "ada",
                "ada@",
                "@example.com",
                "a b@example.com",
                "a@b@c",
                "a@[127.0.0.1]",
                "a\n@example.com",
                "a@exa mple.com"
            })
    void invalidAddressesAreRejected(String text) {
        assertThatThrownBy(() -> AccountEmail.parse(text))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageEndingWith(".");
    }

    @Test
    void anAddressHasOneAccount() {
        AccountEmail email = someEmail();
        List<Future<Long>> ids = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            ids.add(accounts.create(email, Plan.FREE, PASSWORD));
        }
        await(Future.all(ids));

        assertThat(ids.stream().map(Future::result).filter(id -> id != null)).hasSize(1);
    }

    @Test
    void theListIsPaginatedById() {
        long first = some(someEmail(), Plan.FREE);
        long second = some(someEmail(), Plan.PRO);
        await(accounts.createKey(second, wish("one")));

        assertThat(await(accounts.list(first - 1, 1)).get(0).id()).isEqualTo(first);
        List<Account> rest = await(accounts.list(first, 100));
        assertThat(rest.get(0).id()).isEqualTo(second);
        assertThat(rest.get(0).keys()).isEqualTo(1);
    }

    @Test
    void passwordsAreHashedAndAChangeEndsAllSessions() {
        AccountEmail email = someEmail();
        long id = some(email, Plan.PRO);
        session(id);
        String old = hash(id);
        assertThat(old).startsWith("$argon2id$").doesNotContain(PASSWORD);

        assertThat(await(accounts.setPassword(email, "another horse battery"))).isTrue();

        assertThat(await(passwords.verify("another horse battery", hash(id)))).isTrue();
        assertThat(await(passwords.verify(PASSWORD, hash(id)))).isFalse();
        assertThat(sessions(id)).isZero();
    }

    @Test
    void disablingEndsSessionsAndIsReversible() {
        AccountEmail email = someEmail();
        long id = some(email, Plan.PRO);
        session(id);

        assertThat(await(accounts.setDisabled(email, true))).isTrue();
        assertThat(await(accounts.find(email)).disabled()).isTrue();
        assertThat(sessions(id)).isZero();

        assertThat(await(accounts.setDisabled(email, false))).isTrue();
        assertThat(await(accounts.find(email)).disabled()).isFalse();
    }

    @Test
    void aDeletedAccountReleasesItsAddress() {
        AccountEmail email = someEmail();
        long id = some(email, Plan.PRO);
        String key = secret(await(accounts.createKey(id, wish("doomed"))));
        session(id);

        assertThat(await(accounts.delete(email))).isTrue();

        assertThat(await(accounts.find(email))).isNull();
        assertThat(await(accounts.list(id - 1, 1)).stream().map(Account::id)).doesNotContain(id);
        assertThat(sessions(id)).isZero();
        assertThat(hash(id)).isNull();
        assertThat(rows.row("select email from account where id = $1", id).getString(0))
                .isEmpty();
        assertThat(await(accounts.keys(id))).allMatch(gone -> gone.revokedAt() != null);
        assertThat(await(new ApiKeyAuthenticator(DATABASE.vertx(), database).authenticate(key)))
                .isInstanceOf(ApiKeyLookup.Refused.class);
        assertThat(await(accounts.createKey(id, wish("late")))).isEqualTo(new ApiKeyCreation.NoAccount());
        assertThat(some(email, Plan.FREE)).isGreaterThan(id);
    }

    @Test
    void unknownAccountsCannotBeChanged() {
        AccountEmail nobody = someEmail();

        assertThat(await(accounts.setPlan(nobody, Plan.PRO))).isFalse();
        assertThat(await(accounts.setPassword(nobody, PASSWORD))).isFalse();
        assertThat(await(accounts.setDisabled(nobody, true))).isFalse();
        assertThat(await(accounts.delete(nobody))).isFalse();
        assertThat(await(accounts.createKey(Long.MAX_VALUE, wish("nobody's"))))
                .isEqualTo(new ApiKeyCreation.NoAccount());
    }

    @Test
    void keysAreListedWithoutTheirSecret() {
        long id = some(someEmail(), Plan.PRO);
        Instant expiry = Instant.now().plus(90, ChronoUnit.DAYS).truncatedTo(ChronoUnit.MICROS);

        ApiKeyCreation.Created created = (ApiKeyCreation.Created)
                await(accounts.createKey(id, new ApiKeyRequest("CI 🛠 of Ada", Set.of(Scope.JOBS_READ), expiry)));

        assertThat(ApiKeySecret.isWellFormed(created.secret())).isTrue();
        assertThat(created.toString()).doesNotContain(created.secret());
        List<ApiKey> listed = await(accounts.keys(id));
        assertThat(listed).containsExactly(created.key());
        ApiKey key = listed.get(0);
        assertThat(key.prefix()).isEqualTo(created.secret().substring(0, 10));
        assertThat(key.name()).isEqualTo("CI 🛠 of Ada");
        assertThat(key.scopes()).containsExactly(Scope.JOBS_READ);
        assertThat(key.expiresAt()).isEqualTo(expiry);
        assertThat(key.lastUsedAt()).isNull();
        assertThat(key.revokedAt()).isNull();
        assertThat(key.toString()).doesNotContain(created.secret());
    }

    @Test
    void concurrentCreationsAreLimitedToTenKeys() {
        long id = some(someEmail(), Plan.PRO);
        List<Future<ApiKeyCreation>> wishes = new ArrayList<>();
        for (int i = 0; i < 25; i++) {
            wishes.add(accounts.createKey(id, wish("key " + i)));
        }
        await(Future.all(wishes));

        assertThat(wishes.stream().map(Future::result).filter(ApiKeyCreation.Created.class::isInstance))
                .hasSize(10);
        assertThat(await(accounts.keys(id))).hasSize(10);
    }

    @Test
    void revokedExpiredAndPageKeysAreNotCounted() {
        long id = some(someEmail(), Plan.PRO);
        for (int i = 0; i < 10; i++) {
            await(accounts.createKey(id, wish("key " + i)));
        }
        assertThat(await(accounts.createKey(id, wish("one more")))).isEqualTo(new ApiKeyCreation.TooMany());

        List<ApiKey> keys = await(accounts.keys(id));
        await(accounts.revokeKey(id, keys.get(0).id()));
        rows.sql(
                "update api_key set expires_at = now() where id = $1",
                keys.get(1).id());
        rows.sql(
                "update api_key set is_page_key = true where id = $1",
                keys.get(2).id());

        for (int i = 0; i < 3; i++) {
            assertThat(await(accounts.createKey(id, wish("again " + i)))).isInstanceOf(ApiKeyCreation.Created.class);
        }
        assertThat(await(accounts.createKey(id, wish("one more")))).isEqualTo(new ApiKeyCreation.TooMany());
        assertThat(await(accounts.keys(id)).stream().map(ApiKey::id))
                .doesNotContain(keys.get(2).id());
    }

    @Test
    void onlyItsAccountCanRevokeAKey() {
        long id = some(someEmail(), Plan.PRO);
        long stranger = some(someEmail(), Plan.PRO);
        await(accounts.createKey(id, wish("mine")));
        ApiKey key = await(accounts.keys(id)).get(0);

        assertThat(await(accounts.revokeKey(stranger, key.id()))).isFalse();
        assertThat(await(accounts.keys(id)).get(0).revokedAt()).isNull();
        assertThat(await(accounts.revokeKey(id, key.id()))).isTrue();
        Instant first = await(accounts.keys(id)).get(0).revokedAt();
        assertThat(first).isNotNull();
        assertThat(await(accounts.revokeKey(id, key.id()))).isTrue();
        assertThat(await(accounts.keys(id)).get(0).revokedAt()).isEqualTo(first);
    }

    @Test
    void aKeyIsRevokedByIdPrefixOrSecret() {
        long id = some(someEmail(), Plan.PRO);
        String one = secret(await(accounts.createKey(id, wish("one"))));
        String two = secret(await(accounts.createKey(id, wish("two"))));
        await(accounts.createKey(id, wish("three")));
        long three = await(accounts.keys(id)).get(0).id();

        assertThat(await(accounts.revokeKey(one))).isEqualTo(AccountAdministration.Revocation.REVOKED);
        assertThat(await(accounts.revokeKey(two.substring(0, 10)))).isEqualTo(AccountAdministration.Revocation.REVOKED);
        assertThat(await(accounts.revokeKey(Long.toString(three)))).isEqualTo(AccountAdministration.Revocation.REVOKED);

        assertThat(await(accounts.keys(id))).hasSize(3).allMatch(key -> key.revokedAt() != null);
        assertThat(await(accounts.revokeKey("plk_"))).isEqualTo(AccountAdministration.Revocation.NO_SUCH_KEY);
        rows.sql("update api_key set prefix = 'plk_same' where account_id = $1", id);
        assertThat(await(accounts.revokeKey("plk_same"))).isEqualTo(AccountAdministration.Revocation.AMBIGUOUS);
    }

    @ParameterizedTest
    @CsvSource({
        "laptop, true",
        "Köln 👩‍💻, true",
        "'', false",
        "' ', false",
        "'a\tb', false",
        "'a\u0000', false",
        "'a\u202eb', false",
        "'a\u2028b', false",
        "'\ud83d', false"
    })
    void namesHaveVisibleCharacters(String name, boolean good) {
        assertThat(ApiKeyRequest.validateName(name) == null).isEqualTo(good);
    }

    @Test
    void namesAreLimitedToAHundredCharacters() {
        assertThat(ApiKeyRequest.validateName("👩".repeat(100))).isNull();
        assertThat(ApiKeyRequest.validateName("a".repeat(101))).contains("100");
    }

    /** Notifications evict the cached keys of other nodes. */
    @Test
    void changesAreSentToOtherNodes() {
        AccountEmail email = someEmail();
        long id = some(email, Plan.PRO);
        String key = secret(await(accounts.createKey(id, wish("mine"))));
        long keyId = await(accounts.keys(id)).get(0).id();
        // the clock is stopped: cache entries do not expire
        ApiKeyAuthenticator otherNode = new ApiKeyAuthenticator(DATABASE.vertx(), DATABASE.open(), () -> 0);
        NotificationListener notifications = new NotificationListener(DATABASE.vertx(), DATABASE.url());
        otherNode.subscribe(notifications);
        notifications.start();
        Await.until(notifications::listening);

        becomes(otherNode, key, "PRO");
        await(accounts.setPlan(email, Plan.FREE));
        becomes(otherNode, key, "FREE");
        await(accounts.setDisabled(email, true));
        becomes(otherNode, key, "DISABLED");
        await(accounts.setDisabled(email, false));
        becomes(otherNode, key, "FREE");
        await(accounts.revokeKey(id, keyId));
        becomes(otherNode, key, "REVOKED");
        await(accounts.delete(email));
        becomes(otherNode, key, "UNKNOWN");
        await(notifications.close());
    }

    private static void becomes(ApiKeyAuthenticator node, String key, String expected) {
        Await.until(() -> expected.equals(describe(await(node.authenticate(key)))));
    }

    private static String describe(ApiKeyLookup outcome) {
        return outcome instanceof ApiKeyLookup.Refused refused
                ? refused.reason().name()
                : ((ApiKeyLookup.Authenticated) outcome).caller().plan().name();
    }

    private static void session(long accountId) {
        rows.sql(
                "insert into session (account_id, token_hash, expires_at, client, address)"
                        + " values ($1, '', now(), 'test', '192.0.2.1')",
                accountId);
    }

    private static long sessions(long accountId) {
        return rows.row("select count(*) from session where account_id = $1", accountId)
                .getLong(0);
    }

    private static String hash(long accountId) {
        return rows.row("select password_hash from account where id = $1", accountId)
                .getString(0);
    }
}
