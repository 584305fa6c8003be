package dev.plumbline.account;

import dev.plumbline.store.Database;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.SqlConnection;
import io.vertx.sqlclient.Tuple;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** API keys in PostgreSQL. */
final class ApiKeyStore {
    /** The NOTIFY channel for revoked keys. The payload is the key id. */
    static final String REVOKED = "key_revoked";

    private static final String COLUMNS = "id, prefix, name, scopes, created_at, last_used_at, expires_at, revoked_at";

    private static final String FIND =
            """
      select k.hash, k.id, k.account_id, a.plan, k.scopes, k.revoked_at is not null,
        a.disabled_at is not null,
        (extract(epoch from k.expires_at - clock_timestamp()) * 1000000)::bigint
      from api_key k join account a on a.id = k.account_id
      where k.hash = any($1) and a.deleted_at is null""";

    // Concurrent writers record the same use, so locked rows are skipped.
    private static final String NOTE_USE =
            """
      update api_key set last_used_at = clock_timestamp() where id in (
        select id from api_key
        where id = any($1)
          and (last_used_at is null or last_used_at < clock_timestamp() - interval '1 minute')
        for no key update skip locked)""";

    private static final String LOCK_ACCOUNT =
            "select id from account where id = $1 and deleted_at is null for no key update";

    // The count is reliable only while the account is locked.
    private static final String INSERT =
            """
      insert into api_key (account_id, hash, prefix, name, scopes, expires_at)
      select $1::bigint, $2::bytea, $3::text, $4::text, $5::text[], $6::timestamptz
      where $7::int > (
        select count(*) from api_key
        where account_id = $1 and not of_web and revoked_at is null
          and (expires_at is null or expires_at > clock_timestamp()))
      returning\s"""
                    + COLUMNS;

    private static final String LIST = "select "
            + COLUMNS
            + """
           from api_key where account_id = $1 and not of_web
          order by revoked_at is not null, id desc limit $2""";

    private static final String REVOKE =
            """
      with named as (
          select id from api_key where account_id = $1 and id = $2 and not of_web),
        revoked as (
          update api_key set revoked_at = clock_timestamp()
          where id in (select id from named) and revoked_at is null)
      select id, pg_notify('key_revoked', id::text) from named""";

    private static final String FIND_NAMED =
            """
      select account_id, id from api_key
      where not of_web and (hash = $1 or prefix = $2 or id = $3) limit 2""";

    private final Database database;

    ApiKeyStore(Database database) {
        this.database = database;
    }

    /**
     * A stored key.
     *
     * @param expiresInMicros by the clock of the database, negative after expiry; null if it does not
     *     expire
     */
    record Found(ApiCaller caller, boolean revoked, boolean disabled, @Nullable Long expiresInMicros) {}

    /** Returns the keys with these hashes, null for unknown ones. */
    Future<List<@Nullable Found>> find(List<Buffer> hashes) {
        return database.query(FIND, Tuple.of(hashes.toArray(Buffer[]::new))).map(rows -> {
            Map<Buffer, Found> found = new HashMap<>();
            for (Row row : rows) {
                found.put(row.getBuffer(0), found(row));
            }
            List<@Nullable Found> answers = new ArrayList<>(hashes.size());
            for (Buffer hash : hashes) {
                answers.add(found.get(hash));
            }
            return answers;
        });
    }

    private static Found found(Row row) {
        return new Found(
                new ApiCaller(row.getLong(2), row.getLong(1), Plan.of(row.getString(3)), scopes(row.getValue(4))),
                row.getBoolean(5),
                row.getBoolean(6),
                row.getLong(7));
    }

    private static Set<Scope> scopes(Object ids) {
        return Arrays.stream((String[]) ids)
                .map(Scope::of)
                .filter(Objects::nonNull)
                .collect(Collectors.toUnmodifiableSet());
    }

    /** Records the current time as last use, at most once per minute and key. */
    Future<Void> noteUse(List<Long> keyIds) {
        return database.query(NOTE_USE, Tuple.of(keyIds.toArray(Long[]::new))).mapEmpty();
    }

    /**
     * Stores a new key, unless the account has the maximum number of active keys.
     *
     * @param secret the key; only its hash and prefix are stored
     */
    Future<ApiKeyCreation> insert(long accountId, ApiKeyRequest wish, String secret, int max) {
        return database.inTransaction(transaction -> insert(transaction, accountId, wish, secret, max));
    }

    /** As {@link #insert(long, ApiKeyRequest, String, int)}, within a transaction. */
    static Future<ApiKeyCreation> insert(
            SqlConnection transaction, long accountId, ApiKeyRequest wish, String secret, int max) {
        return transaction
                .preparedQuery(LOCK_ACCOUNT)
                .execute(Tuple.of(accountId))
                .compose(account -> account.size() == 0
                        ? Future.succeededFuture(new ApiKeyCreation.NoAccount())
                        : transaction
                                .preparedQuery(INSERT)
                                .execute(values(accountId, wish, secret, max))
                                .map(rows -> rows.size() == 0
                                        ? new ApiKeyCreation.TooMany()
                                        : new ApiKeyCreation.Created(
                                                secret, key(rows.iterator().next()))));
    }

    private static Tuple values(long accountId, ApiKeyRequest wish, String secret, int max) {
        return Tuple.of(
                accountId,
                Buffer.buffer(ApiKeySecret.hash(secret)),
                ApiKeySecret.prefix(secret),
                wish.name(),
                wish.scopes().stream().map(Scope::id).sorted().toArray(String[]::new),
                wish.expiresAt() == null ? null : wish.expiresAt().atOffset(ZoneOffset.UTC),
                max);
    }

    /** Returns the keys of an account, active keys first, then newest first. */
    Future<List<ApiKey>> list(long accountId, int max) {
        return database.query(LIST, Tuple.of(accountId, max)).map(rows -> {
            List<ApiKey> keys = new ArrayList<>();
            for (Row row : rows) {
                keys.add(key(row));
            }
            return keys;
        });
    }

    private static ApiKey key(Row row) {
        return new ApiKey(
                row.getLong(0),
                row.getString(1),
                row.getString(2),
                scopes(row.getValue(3)),
                row.getOffsetDateTime(4).toInstant(),
                instant(row.getOffsetDateTime(5)),
                instant(row.getOffsetDateTime(6)),
                instant(row.getOffsetDateTime(7)));
    }

    private static @Nullable Instant instant(@Nullable OffsetDateTime time) {
        return time == null ? null : time.toInstant();
    }

    /** Revokes a key. Idempotent. Returns false if the account has no such key. */
    Future<Boolean> revoke(long accountId, long keyId) {
        return database.query(REVOKE, Tuple.of(accountId, keyId)).map(rows -> rows.size() > 0);
    }

    /** The account and id of a key. */
    record Named(long accountId, long keyId) {}

    /** Returns at most two keys with this hash, prefix or id. */
    Future<List<Named>> findNamed(byte[] hash, String prefix, long id) {
        return database.query(FIND_NAMED, Tuple.of(Buffer.buffer(hash), prefix, id))
                .map(rows -> {
                    List<Named> found = new ArrayList<>();
                    for (Row row : rows) {
                        found.add(new Named(row.getLong(0), row.getLong(1)));
                    }
                    return found;
                });
    }
}
