package dev.plumbline.account;

import dev.plumbline.postgres.Database;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.RowSet;
import io.vertx.sqlclient.Tuple;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Sessions in PostgreSQL, by the database clock. */
public final class SessionStore {
    private static final String EXPIRY =
            "least(created_at + interval '30 days', clock_timestamp() + interval '7 days')";

    private static final String COLUMNS = "s.id, s.client, s.address, s.created_at, s.renewed_at, s.expires_at";

    private static final String FIND = "select "
            + COLUMNS
            + """
          , s.token_hash, s.previous_token_hash, s.previous_valid_until > clock_timestamp(),
            (extract(epoch from clock_timestamp() - s.renewed_at) * 1000)::bigint,
            a.id, a.email, a.plan, a.created_at, (
              select count(*)::int from api_key k
              where k.account_id = a.id and not k.is_page_key and k.revoked_at is null
                and (k.expires_at is null or k.expires_at > clock_timestamp()))
          from session s join account a on a.id = s.account_id
          where s.id = any($1) and s.expires_at > clock_timestamp()
            and a.deleted_at is null and a.disabled_at is null""";

    // Evicts the least recently used sessions. The lock delays a concurrent password change, which would otherwise
    // miss this session.
    private static final String INSERT =
            """
      with evicted as (
        delete from session where id in (
          select id from session where account_id = $1 order by renewed_at desc, id desc offset $5))
      insert into session as s (account_id, token_hash, client, address, expires_at)
      select $1, $2, $3, $4, clock_timestamp() + interval '7 days'
      where exists (
        select from account where id = $1 and password_hash = $6 and deleted_at is null and disabled_at is null
        for share)
      returning\s"""
                    + COLUMNS;

    private static final String RENEW =
            "update session s set previous_token_hash = s.token_hash, previous_valid_until = null,"
                    + " token_hash = $3, renewed_at = clock_timestamp(), expires_at = "
                    + EXPIRY
                    + " where s.id = $1 and s.token_hash = $2 returning "
                    + COLUMNS;

    private static final String CONFIRM_TOKEN =
            """
      update session set previous_valid_until = clock_timestamp() + interval '10 seconds'
      where id = $1 and token_hash = $2 and previous_token_hash is not null and previous_valid_until is null""";

    // The condition is checked again, because a concurrent request may have confirmed the token.
    private static final String END_IF_REUSED =
            """
      delete from session
      where id = $1 and token_hash <> $2
        and (previous_token_hash is distinct from $2 or previous_valid_until < clock_timestamp())""";

    private static final String LIST = "select "
            + COLUMNS
            + """
           from session s where s.account_id = $1 and s.expires_at > clock_timestamp()
          order by s.renewed_at desc, s.id desc""";

    private static final String IS_KNOWN =
            """
      select exists (
        select from session s join account a on a.id = s.account_id
        where a.email_key = $1 and s.address = $2)""";

    private static final String SET_PASSWORD =
            "update account set password_hash = $3 where id = $1 and password_hash = $2";

    // A separate statement, so that it sees sessions created while it waited for the account.
    private static final String END_OTHERS = "delete from session where account_id = $1 and id <> $2";

    // The ID also changes, so that a copy of the old cookie cannot even end the session.
    private static final String REPLACE =
            "update session s set id = default, token_hash = $3, previous_token_hash = null,"
                    + " previous_valid_until = null, renewed_at = clock_timestamp(), expires_at = "
                    + EXPIRY
                    + " where s.account_id = $1 and s.id = $2 returning "
                    + COLUMNS;

    private static final String PURGE =
            """
      delete from session where id in (
        select id from session where expires_at <= statement_timestamp()
        order by expires_at limit $1 for update skip locked)""";

    private final Database database;

    SessionStore(Database database) {
        this.database = database;
    }

    /**
     * An unexpired session of an enabled account.
     *
     * @param previousTokenValid null while the current token has not been used
     * @param sinceRenewalMs by the database clock
     */
    record StoredSession(
            Session session,
            Account account,
            Buffer tokenHash,
            @Nullable Buffer previousTokenHash,
            @Nullable Boolean previousTokenValid,
            long sinceRenewalMs) {}

    /**
     * The outcome of a password change.
     *
     * @param kept null if the session has ended meanwhile
     */
    record PasswordChange(@Nullable Session kept) {}

    /** Finds sessions by ID; null for unknown IDs. */
    Future<List<@Nullable StoredSession>> find(List<Long> ids) {
        return database.readByKey(
                FIND, Tuple.of(ids.toArray(Long[]::new)), ids, row -> row.getLong(0), SessionStore::found);
    }

    private static StoredSession found(Row row) {
        return new StoredSession(
                session(row),
                new Account(
                        row.getLong(10),
                        row.getString(11),
                        Plan.of(row.getString(12)),
                        false,
                        row.getOffsetDateTime(13).toInstant(),
                        row.getInteger(14)),
                row.getBuffer(6),
                row.getBuffer(7),
                row.getBoolean(8),
                row.getLong(9));
    }

    private static Session session(Row row) {
        return new Session(
                row.getLong(0),
                row.getString(1),
                row.getString(2),
                row.getOffsetDateTime(3).toInstant(),
                row.getOffsetDateTime(4).toInstant(),
                row.getOffsetDateTime(5).toInstant());
    }

    private static @Nullable Session first(RowSet<Row> rows) {
        return rows.stream().map(SessionStore::session).findFirst().orElse(null);
    }

    /**
     * Creates a session.
     *
     * @param passwordHash hash of the verified password
     * @param limit maximum number of sessions afterwards
     * @return null if the account is deleted or disabled or its password has changed
     */
    Future<@Nullable Session> insert(
            long accountId, String passwordHash, Buffer tokenHash, String client, String address, int limit) {
        return database.query(INSERT, Tuple.of(accountId, tokenHash, client, address, limit - 1, passwordHash))
                .map(SessionStore::first);
    }

    /** Replaces the current token; null if it was replaced meanwhile. */
    Future<@Nullable Session> renew(long id, Buffer tokenHash, Buffer nextHash) {
        return database.query(RENEW, Tuple.of(id, tokenHash, nextHash)).map(SessionStore::first);
    }

    /** Limits the validity of the previous token to 10 seconds, because the current one is in use. */
    Future<Void> confirmToken(long id, Buffer tokenHash) {
        return database.query(CONFIRM_TOKEN, Tuple.of(id, tokenHash)).mapEmpty();
    }

    /** Ends a session because a replaced token was used; false if the token is valid again. */
    Future<Boolean> endIfReused(long id, Buffer tokenHash) {
        return database.query(END_IF_REUSED, Tuple.of(id, tokenHash)).map(rows -> rows.rowCount() == 1);
    }

    Future<Void> end(long accountId, long id) {
        return database.query("delete from session where id = $1 and account_id = $2", Tuple.of(id, accountId))
                .mapEmpty();
    }

    Future<Void> endAll(long accountId) {
        return database.query("delete from session where account_id = $1", Tuple.of(accountId))
                .mapEmpty();
    }

    /** Unexpired sessions, most recently used first. */
    Future<List<Session>> list(long accountId) {
        return database.readAll(LIST, Tuple.of(accountId), SessionStore::session);
    }

    /** Whether the account has a session from this client address, expired ones included. */
    Future<Boolean> isKnown(AccountEmail email, String address) {
        return database.read(IS_KNOWN, Tuple.of(email.key(), address))
                .map(rows -> rows.iterator().next().getBoolean(0));
    }

    /**
     * Changes a password, ends all other sessions of the account and replaces ID and token of the kept one.
     *
     * @return null if the password has changed meanwhile
     */
    Future<@Nullable PasswordChange> setPassword(
            long accountId, long keptSession, Buffer tokenHash, String oldHash, String newHash) {
        return database.inTransaction(transaction -> transaction
                .preparedQuery(SET_PASSWORD)
                .execute(Tuple.of(accountId, oldHash, newHash))
                .compose(changed -> changed.rowCount() == 0
                        ? Future.succeededFuture(null)
                        : transaction
                                .preparedQuery(END_OTHERS)
                                .execute(Tuple.of(accountId, keptSession))
                                .compose(ended -> transaction
                                        .preparedQuery(REPLACE)
                                        .execute(Tuple.of(accountId, keptSession, tokenHash)))
                                .map(rows -> new PasswordChange(first(rows)))));
    }

    public static Future<Integer> purgeExpired(Database maintenance, int slice) {
        return maintenance.query(PURGE, Tuple.of(slice)).map(rows -> rows.rowCount());
    }
}
