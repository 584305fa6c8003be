package dev.plumbline.account;

import static dev.plumbline.support.TestDatabase.await;
import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.account.ApiKeyLookup.Reason;
import dev.plumbline.postgres.Database;
import dev.plumbline.support.TestDatabase;
import io.vertx.core.Future;
import java.time.Duration;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Authentication and caching of API keys. */
@Tag("integration")
class ApiKeyAuthenticatorTest {
    @RegisterExtension
    static final TestDatabase DATABASE = new TestDatabase();

    private static Database database;
    private static TestAccounts accounts;

    private final AtomicLong nanos = new AtomicLong();
    private ApiKeyAuthenticator keys;

    @BeforeAll
    static void open() {
        database = DATABASE.open();
        accounts = new TestAccounts(database);
    }

    @BeforeEach
    void start() {
        keys = new ApiKeyAuthenticator(DATABASE.vertx(), database, nanos::get);
    }

    @Test
    void aValidKeyReturnsAccountPlanAndScopes() {
        TestAccounts.Key key = accounts.key(accounts.account(Plan.PRO), Scope.JOBS_READ);

        assertThat(await(keys.authenticate(key.secret())))
                .isEqualTo(new ApiKeyLookup.Authenticated(
                        new ApiCaller(key.accountId(), key.keyId(), Plan.PRO, Set.of(Scope.JOBS_READ))));
    }

    @Test
    void aWrongChecksumIsRejectedWithoutAQuery() {
        Database closed = DATABASE.open();
        await(closed.close());
        ApiKeyAuthenticator cutOff = new ApiKeyAuthenticator(DATABASE.vertx(), closed);
        String key = ApiKeySecret.generate();
        String wrong = key.substring(0, 41) + (key.charAt(41) == '0' ? '1' : '0');

        assertThat(await(cutOff.authenticate(wrong))).isEqualTo(refused(Reason.MALFORMED));
        assertThat(await(cutOff.authenticate(key))).isEqualTo(new ApiKeyLookup.Unavailable(false));
    }

    @Test
    void rejectionsHaveAReason() {
        TestAccounts.Key revoked = accounts.key();
        accounts.sql("update api_key set revoked_at = now() where id = $1", revoked.keyId());
        TestAccounts.Key disabled = accounts.key();
        accounts.sql("update account set disabled_at = now() where id = $1", disabled.accountId());
        TestAccounts.Key deleted = accounts.key();
        accounts.sql("update account set deleted_at = now(), email_key = null where id = $1", deleted.accountId());
        TestAccounts.Key expired = accounts.key(accounts.account(Plan.PRO), Duration.ofSeconds(-1), Scope.values());

        assertThat(await(keys.authenticate(ApiKeySecret.generate()))).isEqualTo(refused(Reason.UNKNOWN));
        assertThat(await(keys.authenticate(revoked.secret()))).isEqualTo(refused(Reason.REVOKED));
        assertThat(await(keys.authenticate(disabled.secret()))).isEqualTo(refused(Reason.DISABLED));
        assertThat(await(keys.authenticate(deleted.secret()))).isEqualTo(refused(Reason.UNKNOWN));
        assertThat(await(keys.authenticate(expired.secret()))).isEqualTo(refused(Reason.EXPIRED));
    }

    @Test
    void keyStatesAreCachedForFiveSeconds() {
        TestAccounts.Key key = accounts.key();
        String unknown = ApiKeySecret.generate();
        await(keys.authenticate(key.secret()));
        await(keys.authenticate(unknown));
        accounts.sql("update api_key set revoked_at = now() where id = $1", key.keyId());
        accounts.sql(
                "insert into api_key (account_id, hash, prefix, name, scopes)"
                        + " values ($1, sha256($2::text::bytea), 'plk_', 'late', '{}')",
                key.accountId(),
                unknown);

        pass(Duration.ofMillis(4_999));
        assertThat(await(keys.authenticate(key.secret()))).isInstanceOf(ApiKeyLookup.Authenticated.class);
        assertThat(await(keys.authenticate(unknown))).isEqualTo(refused(Reason.UNKNOWN));

        pass(Duration.ofMillis(1));
        assertThat(await(keys.authenticate(key.secret()))).isEqualTo(refused(Reason.REVOKED));
        assertThat(await(keys.authenticate(unknown))).isInstanceOf(ApiKeyLookup.Authenticated.class);
    }

    @Test
    void cachedKeysExpireOnTime() {
        TestAccounts.Key key = accounts.key(accounts.account(Plan.PRO), Duration.ofMinutes(10), Scope.values());
        pass(Duration.ofSeconds(1));
        assertThat(await(keys.authenticate(key.secret()))).isInstanceOf(ApiKeyLookup.Authenticated.class);
        accounts.sql(
                "update api_key set expires_at = $2 where id = $1",
                key.keyId(),
                OffsetDateTime.now(ZoneOffset.UTC).plusSeconds(3));
        keys.evictKey(key.keyId());
        await(keys.authenticate(key.secret()));

        pass(Duration.ofSeconds(3));

        assertThat(await(keys.authenticate(key.secret()))).isEqualTo(refused(Reason.EXPIRED));
    }

    @Test
    void evictedKeysAreLookedUpAgain() {
        TestAccounts.Key key = accounts.key();
        TestAccounts.Key other = accounts.key();
        await(keys.authenticate(key.secret()));
        await(keys.authenticate(other.secret()));
        accounts.sql("update api_key set revoked_at = now() where id = $1", key.keyId());
        accounts.sql("update account set plan = 'free' where id = $1", other.accountId());

        keys.evictKey(key.keyId());
        keys.evictAccount(other.accountId());

        assertThat(await(keys.authenticate(key.secret()))).isEqualTo(refused(Reason.REVOKED));
        assertThat(await(keys.authenticate(other.secret())))
                .isInstanceOfSatisfying(
                        ApiKeyLookup.Authenticated.class,
                        now -> assertThat(now.caller().plan()).isEqualTo(Plan.FREE));
    }

    /** The database can be read before a notification and respond after it. */
    @Test
    void anEvictionDuringALookupIsNotLost() {
        TestAccounts.Key key = accounts.key();
        Future<ApiKeyLookup> underWay = keys.authenticate(key.secret());
        keys.evictKey(key.keyId());
        await(underWay);
        accounts.sql("update api_key set revoked_at = now() where id = $1", key.keyId());

        assertThat(await(keys.authenticate(key.secret()))).isEqualTo(refused(Reason.REVOKED));
    }

    @Test
    void usesAreRecordedOncePerMinute() {
        TestAccounts.Key key = accounts.key();
        List<Future<ApiKeyLookup>> uses = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            uses.add(keys.authenticate(key.secret()));
        }
        await(Future.all(uses));
        await(keys.flush());
        OffsetDateTime first = lastUsed(key);
        assertThat(first).isNotNull();

        pass(Duration.ofSeconds(59));
        await(keys.authenticate(key.secret()));
        await(keys.flush());
        assertThat(lastUsed(key)).isEqualTo(first);

        accounts.sql("update api_key set last_used_at = last_used_at - interval '1 minute' where id = $1", key.keyId());
        pass(Duration.ofSeconds(1));
        await(keys.authenticate(key.secret()));
        await(keys.flush());
        assertThat(lastUsed(key)).isAfter(first);
    }

    @Test
    void aUseRecordedByAnotherNodeIsNotOverwritten() {
        TestAccounts.Key key = accounts.key();
        await(keys.authenticate(key.secret()));
        await(keys.flush());
        OffsetDateTime first = lastUsed(key);

        ApiKeyAuthenticator otherNode = new ApiKeyAuthenticator(DATABASE.vertx(), database, nanos::get);
        await(otherNode.authenticate(key.secret()));
        await(otherNode.flush());

        assertThat(lastUsed(key)).isEqualTo(first);
    }

    @Test
    void rejectedKeysHaveNoUse() {
        TestAccounts.Key key = accounts.key();
        accounts.sql("update api_key set revoked_at = now() where id = $1", key.keyId());

        await(keys.authenticate(key.secret()));
        await(keys.flush());

        assertThat(lastUsed(key)).isNull();
    }

    private OffsetDateTime lastUsed(TestAccounts.Key key) {
        return accounts.row("select last_used_at from api_key where id = $1", key.keyId())
                .getOffsetDateTime(0);
    }

    private void pass(Duration time) {
        nanos.addAndGet(time.toNanos());
    }

    private static ApiKeyLookup refused(Reason reason) {
        return new ApiKeyLookup.Refused(reason);
    }
}
