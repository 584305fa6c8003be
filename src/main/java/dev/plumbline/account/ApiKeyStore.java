package dev.plumbline.account;

import dev.plumbline.postgres.Database;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.SqlConnection;
import io.vertx.sqlclient.Tuple;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** API keys in PostgreSQL. */
final class ApiKeyStore {
    /** NOTIFY channel; the payload is the ID of a revoked key. */
    static final String REVOKED = "key_revoked";

    private static final String COLUMNS = "id, prefix, name, scopes, created_at, last_used_at, expires_at, revoked_at";

    private static final String FIND =
            """
      select k.hash, k.id, k.account_id, a.plan, k.scopes, k.revoked_at is not null,
        a.disabled_at is not null,
        (extract(epoch from k.expires_at - clock_timestamp()) * 1000000)::bigint
      from api_key k join account a on a.id = k.account_id
      where k.hash = any($1) and a.deleted_at is null""";

    // A locked row is being updated with the same use and can be skipped.
    private static final String RECORD_USE =
            """
      update api_key set last_used_at = clock_timestamp() where id in (
        select id from api_key
        where id = any($1)
          and (last_used_at is null or last_used_at < clock_timestamp() - interval '1 minute')
        for no key update skip locked)""";

    private static final String LOCK_ACCOUNT =
            "select id from account where id = $1 and deleted_at is null for no key update";

    // The count is correct only while the account is locked.
    private static final String INSERT =
            """
      insert into api_key (account_id, hash, prefix, name, scopes, expires_at)
      select $1::bigint, $2::bytea, $3::text, $4::text, $5::text[], $6::timestamptz
      where $7::int > (
        select count(*) from api_key
        where account_id = $1 and not is_page_key and revoked_at is null
          and (expires_at is null or expires_at > clock_timestamp()))
      returning\s"""
                    + COLUMNS;

    private static final String LIST = "select "
            + COLUMNS
            + """
           from api_key where account_id = $1 and not is_page_key
          order by revoked_at is not null, id desc limit $2""";

    private static final String REVOKE =
            """
      with named as (
          select id from api_key where account_id = $1 and id = $2 and not is_page_key),
        revoked as (
          update api_key set revoked_at = clock_timestamp()
          where id in (select id from named) and revoked_at is null)
      select id, pg_notify('key_revoked', id::text) from named""";

    private static final String FIND_MATCHING =
            """
      select account_id, id from api_key
      where not is_page_key and (hash = $1 or prefix = $2 or id = $3) limit 2""";

    private final Database database;

    ApiKeyStore(Database database) {
        this.database = database;
    }

    /**
     * The stored state of a key.
     *
     * @param expiresInMicros by the database clock, negative after the expiry; null for never
     */
    record StoredKey(ApiCaller caller, boolean revoked, boolean disabled, @Nullable Long expiresInMicros) {}

    /** Finds keys by hash; null for unknown hashes. */
    Future<List<@Nullable StoredKey>> find(List<Buffer> hashes) {
        return database.readByKey(
                FIND, Tuple.of(hashes.toArray(Buffer[]::new)), hashes, row -> row.getBuffer(0), ApiKeyStore::found);
    }

    private static StoredKey found(Row row) {
        return new StoredKey(
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

    /** Sets the time of the last use, unless it was set in the last minute. */
    Future<Void> recordUse(List<Long> keyIds) {
        return database.query(RECORD_USE, Tuple.of(keyIds.toArray(Long[]::new))).mapEmpty();
    }

    /**
     * Stores a new key, unless the account has {@code limit} valid keys.
     *
     * @param secret only its hash and prefix are stored
     */
    Future<ApiKeyCreation> insert(long accountId, ApiKeyRequest request, String secret, int limit) {
        return database.inTransaction(transaction -> insert(transaction, accountId, request, secret, limit));
    }

    /** Like {@link #insert(long, ApiKeyRequest, String, int)}, as part of a transaction. */
    static Future<ApiKeyCreation> insert(
            SqlConnection transaction, long accountId, ApiKeyRequest request, String secret, int limit) {
        return transaction
                .preparedQuery(LOCK_ACCOUNT)
                .execute(Tuple.of(accountId))
                .compose(account -> account.size() == 0
                        ? Future.succeededFuture(new ApiKeyCreation.NoAccount())
                        : transaction
                                .preparedQuery(INSERT)
                                .execute(values(accountId, request, secret, limit))
                                .map(rows -> rows.size() == 0
                                        ? new ApiKeyCreation.TooMany()
                                        : new ApiKeyCreation.Created(
                                                secret, key(rows.iterator().next()))));
    }

    private static Tuple values(long accountId, ApiKeyRequest request, String secret, int limit) {
        return Tuple.of(
                accountId,
                Buffer.buffer(ApiKeySecret.hash(secret)),
                ApiKeySecret.prefix(secret),
                request.name(),
                request.scopes().stream().map(Scope::id).sorted().toArray(String[]::new),
                request.expiresAt() == null ? null : request.expiresAt().atOffset(ZoneOffset.UTC),
                limit);
    }

    /** The keys of an account: valid ones first, then newest first. */
    Future<List<ApiKey>> list(long accountId, int limit) {
        return database.readAll(LIST, Tuple.of(accountId, limit), ApiKeyStore::key);
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

    /** The IDs of a key and its account. */
    record KeyReference(long accountId, long keyId) {}

    /** Finds the keys with this hash, prefix or ID, at most two. */
    Future<List<KeyReference>> findMatching(byte[] hash, String prefix, long id) {
        return database.readAll(
                FIND_MATCHING,
                Tuple.of(Buffer.buffer(hash), prefix, id),
                row -> new KeyReference(row.getLong(0), row.getLong(1)));
    }
}
