package dev.plumbline.account;

import static dev.plumbline.support.TestDatabase.await;

import dev.plumbline.postgres.Database;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.Tuple;
import java.time.Duration;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** Creates accounts and keys for tests. */
public final class TestAccounts {
    /** Argon2 hashes by password. Each takes 55 ms of CPU time in a test JVM. */
    private static final Map<String, String> HASHES = new ConcurrentHashMap<>();

    private final Database database;

    public TestAccounts(Database database) {
        this.database = database;
    }

    /** A key with its owner. */
    public record Key(long accountId, long keyId, String secret) {}

    public long account(Plan plan) {
        String email = UUID.randomUUID() + "@accounts.example";
        return id(
                "insert into account (email, email_key, plan) values ($1, $1, $2) returning id",
                Tuple.of(email, plan.id()));
    }

    /** An account that can sign in. */
    public long account(String email, Plan plan, String password) {
        String hash = HASHES.computeIfAbsent(password, TestAccounts::hash);
        return await(new AccountStore(database).insert(AccountEmail.parse(email), plan, hash));
    }

    private static String hash(String password) {
        Vertx vertx = Vertx.vertx();
        try {
            return await(new PasswordHasher(vertx).hash(password));
        } finally {
            await(vertx.close());
        }
    }

    /** A key with all scopes of a new pro account. */
    public Key key() {
        return key(account(Plan.PRO), Scope.values());
    }

    public Key key(long accountId, Scope... scopes) {
        return key(accountId, null, scopes);
    }

    /** @param validFor negative for an expired key; null for no expiry */
    public Key key(long accountId, @Nullable Duration validFor, Scope... scopes) {
        String secret = ApiKeySecret.generate();
        String[] ids = java.util.Arrays.stream(scopes).map(Scope::id).toArray(String[]::new);
        long id = id(
                "insert into api_key (account_id, hash, prefix, name, scopes, expires_at)"
                        + " values ($1, $2, $3, 'test', $4, $5) returning id",
                Tuple.of(
                        accountId,
                        Buffer.buffer(ApiKeySecret.hash(secret)),
                        ApiKeySecret.prefix(secret),
                        ids,
                        validFor == null
                                ? null
                                : OffsetDateTime.now(ZoneOffset.UTC).plus(validFor)));
        return new Key(accountId, id, secret);
    }

    public void sql(String sql, Object... arguments) {
        await(database.query(sql, Tuple.from(arguments)));
    }

    public Row row(String sql, Object... arguments) {
        return await(database.query(sql, Tuple.from(arguments))).iterator().next();
    }

    private long id(String sql, Tuple arguments) {
        return await(database.query(sql, arguments)).iterator().next().getLong(0);
    }
}
