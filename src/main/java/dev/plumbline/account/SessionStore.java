package dev.plumbline.account;

import dev.plumbline.store.Database;
import dev.plumbline.store.RetentionTask;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.RowIterator;
import io.vertx.sqlclient.RowSet;
import io.vertx.sqlclient.Tuple;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Sessions in PostgreSQL, timed by its clock. */
final class SessionStore {
    private static final String LIFE = "least(created_at + interval '30 days', clock_timestamp() + interval '7 days')";

    private static final String OF_SESSION = "s.id, s.client, s.address, s.created_at, s.renewed_at, s.expires_at";

    private static final String FIND = "select "
            + OF_SESSION
            + """
          , s.token, s.former, s.former_until > clock_timestamp(),
            (extract(epoch from clock_timestamp() - s.renewed_at) * 1000)::bigint,
            a.id, a.email, a.plan, a.created_at, (
              select count(*)::int from api_key k
              where k.account_id = a.id and not k.of_web and k.revoked_at is null
                and (k.expires_at is null or k.expires_at > clock_timestamp()))
          from session s join account a on a.id = s.account_id
          where s.id = any($1) and s.expires_at > clock_timestamp()
            and a.deleted_at is null and a.disabled_at is null""";

    // Deletes the least recently used sessions over the limit. The lock delays a concurrent password
    // change, which would otherwise not see this session.
    private static final String INSERT =
            """
      with room as (
        delete from session where id in (
          select id from session where account_id = $1 order by renewed_at desc, id desc offset $5))
      insert into session as s (account_id, token, client, address, expires_at)
      select $1, $2, $3, $4, clock_timestamp() + interval '7 days'
      where exists (
        select from account where id = $1 and password_hash = $6 and deleted_at is null and disabled_at is null
        for share)
      returning\s"""
                    + OF_SESSION;

    private static final String RENEW = "update session s set former = s.token, former_until = null, token = $3,"
            + " renewed_at = clock_timestamp(), expires_at = "
            + LIFE
            + " where s.id = $1 and s.token = $2 returning "
            + OF_SESSION;

    private static final String ARRIVED =
            """
      update session set former_until = clock_timestamp() + interval '10 seconds'
      where id = $1 and token = $2 and former is not null and former_until is null""";

    // The condition is repeated because a concurrent request may have made the token valid.
    private static final String END_REPLACED =
            """
      delete from session
      where id = $1 and token <> $2
        and (former is distinct from $2 or former_until < clock_timestamp())""";

    private static final String LIST = "select "
            + OF_SESSION
            + """
           from session s where s.account_id = $1 and s.expires_at > clock_timestamp()
          order by s.renewed_at desc, s.id desc""";

    private static final String KNOWN =
            """
      select exists (
        select from session s join account a on a.id = s.account_id
        where a.email_key = $1 and s.address = $2)""";

    private static final String SET_PASSWORD =
            "update account set password_hash = $3 where id = $1 and password_hash = $2";

    // A separate statement, so that it sees sessions created while waiting for the lock.
    private static final String END_OTHERS = "delete from session where account_id = $1 and id <> $2";

    // Also changes the id, so that a copied cookie cannot end the session.
    private static final String MOVE =
            "update session s set id = default, token = $3, former = null, former_until = null,"
                    + " renewed_at = clock_timestamp(), expires_at = "
                    + LIFE
                    + " where s.account_id = $1 and s.id = $2 returning "
                    + OF_SESSION;

    private static final String REHASH = "update account set password_hash = $3 where id = $1 and password_hash = $2";

    private static final String PURGE =
            """
      delete from session where id in (
        select id from session where expires_at <= clock_timestamp()
        order by expires_at limit $1 for update skip locked)""";

    private final Database database;

    SessionStore(Database database) {
        this.database = database;
    }

    /**
     * An active session of an enabled account.
     *
     * @param formerGood whether the previous token is still valid; null while the current token has
     *     not been used
     * @param sinceRenewalMs the age of the token, by the clock of the database
     */
    record Found(
            Session session,
            Account account,
            Buffer token,
            @Nullable Buffer former,
            @Nullable Boolean formerGood,
            long sinceRenewalMs) {}

    /**
     * The result of a password change.
     *
     * @param kept null if the session has ended
     */
    record Changed(@Nullable Session kept) {}

    /** Returns the sessions with these ids, null for missing ones. */
    Future<List<@Nullable Found>> find(List<Long> ids) {
        return database.query(FIND, Tuple.of(ids.toArray(Long[]::new))).map(rows -> {
            Map<Long, Found> found = new HashMap<>();
            for (Row row : rows) {
                found.put(row.getLong(0), found(row));
            }
            List<@Nullable Found> answers = new ArrayList<>(ids.size());
            for (Long id : ids) {
                answers.add(found.get(id));
            }
            return answers;
        });
    }

    private static Found found(Row row) {
        return new Found(
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

    private static @Nullable Session one(RowSet<Row> rows) {
        RowIterator<Row> row = rows.iterator();
        return row.hasNext() ? session(row.next()) : null;
    }

    /**
     * Creates a session.
     *
     * @param passwordHash the hash that the given password matched
     * @param max the maximum number of sessions of the account
     * @return null if the account was deleted or disabled, or its password has changed
     */
    Future<@Nullable Session> insert(
            long accountId, String passwordHash, Buffer token, String client, String address, int max) {
        return database.query(INSERT, Tuple.of(accountId, token, client, address, max - 1, passwordHash))
                .map(SessionStore::one);
    }

    /** Replaces the current token; null if it has already been replaced. */
    Future<@Nullable Session> renew(long id, Buffer token, Buffer next) {
        return database.query(RENEW, Tuple.of(id, token, next)).map(SessionStore::one);
    }

    /** Records the first use of the current token, which limits the validity of the previous one. */
    Future<Void> noteArrival(long id, Buffer token) {
        return database.query(ARRIVED, Tuple.of(id, token)).mapEmpty();
    }

    /** Ends a session if the token has been replaced. Returns whether it has ended. */
    Future<Boolean> endReplaced(long id, Buffer token) {
        return database.query(END_REPLACED, Tuple.of(id, token)).map(rows -> rows.rowCount() == 1);
    }

    Future<Void> end(long id) {
        return database.query("delete from session where id = $1", Tuple.of(id)).mapEmpty();
    }

    /** Ends a session of the account. Idempotent. */
    Future<Void> end(long accountId, long id) {
        return database.query("delete from session where id = $1 and account_id = $2", Tuple.of(id, accountId))
                .mapEmpty();
    }

    Future<Void> endAll(long accountId) {
        return database.query("delete from session where account_id = $1", Tuple.of(accountId))
                .mapEmpty();
    }

    /** Returns the active sessions, most recently used first. */
    Future<List<Session>> list(long accountId) {
        return database.query(LIST, Tuple.of(accountId)).map(rows -> {
            List<Session> sessions = new ArrayList<>();
            for (Row row : rows) {
                sessions.add(session(row));
            }
            return sessions;
        });
    }

    /** Whether the account has a stored session, active or expired, from this address. */
    Future<Boolean> isKnown(EmailAddress email, String address) {
        return database.query(KNOWN, Tuple.of(email.key(), address))
                .map(rows -> rows.iterator().next().getBoolean(0));
    }

    /**
     * Changes a password and ends all sessions except one, which gets a new id and token.
     *
     * @return null if the password has changed in the meantime
     */
    Future<@Nullable Changed> setPassword(
            long accountId, long keptSession, Buffer token, String oldHash, String newHash) {
        return database.inTransaction(transaction -> transaction
                .preparedQuery(SET_PASSWORD)
                .execute(Tuple.of(accountId, oldHash, newHash))
                .compose(changed -> changed.rowCount() == 0
                        ? Future.succeededFuture(null)
                        : transaction
                                .preparedQuery(END_OTHERS)
                                .execute(Tuple.of(accountId, keptSession))
                                .compose(ended -> transaction
                                        .preparedQuery(MOVE)
                                        .execute(Tuple.of(accountId, keptSession, token)))
                                .map(rows -> new Changed(one(rows)))));
    }

    /** Stores a hash of the same password with new parameters. */
    Future<Void> rehash(long accountId, String oldHash, String newHash) {
        return database.query(REHASH, Tuple.of(accountId, oldHash, newHash)).mapEmpty();
    }

    /** Deletes up to {@link RetentionTask#SLICE} expired sessions. Returns their number. */
    Future<Integer> purgeSlice() {
        return database.query(PURGE, Tuple.of(RetentionTask.SLICE)).map(rows -> rows.rowCount());
    }
}
