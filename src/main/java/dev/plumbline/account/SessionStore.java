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

/** Sessions in PostgreSQL, by its clock. */
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

    // The sessions that were used longest ago make room. The lock holds up whoever changes the
    // password, who otherwise would not see this session and leave it.
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

    // Only if it is still so: a request that overtook this one may have made the token good.
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

    // A statement of its own: it sees the sessions that began while the account was waited for.
    private static final String END_OTHERS = "delete from session where account_id = $1 and id <> $2";

    // Also another id: a copy of the cookie names nothing any more, so it cannot even end the
    // session.
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
     * A session that has not ended, of an account that may be used.
     *
     * @param formerGood null while its successor has not been used
     * @param sinceRenewalMs by the database's clock
     */
    record Found(
            Session session,
            Account account,
            Buffer token,
            @Nullable Buffer former,
            @Nullable Boolean formerGood,
            long sinceRenewalMs) {}

    /**
     * A password was changed.
     *
     * @param kept null if that session has ended meanwhile
     */
    record Changed(@Nullable Session kept) {}

    /** The sessions with these ids, null for those that there are not. */
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
     * Begins a session.
     *
     * @param passwordHash of the password that was shown
     * @param most sessions the account has afterwards
     * @return null if the account is gone or disabled, or has another password by now
     */
    Future<@Nullable Session> insert(
            long accountId, String passwordHash, Buffer token, String client, String address, int most) {
        return database.query(INSERT, Tuple.of(accountId, token, client, address, most - 1, passwordHash))
                .map(SessionStore::one);
    }

    /** Replaces the token that is good; null if it was replaced meanwhile. */
    Future<@Nullable Session> renew(long id, Buffer token, Buffer next) {
        return database.query(RENEW, Tuple.of(id, token, next)).map(SessionStore::one);
    }

    /** The token is in use: the one before it is good for a moment more. */
    Future<Void> noteArrival(long id, Buffer token) {
        return database.query(ARRIVED, Tuple.of(id, token)).mapEmpty();
    }

    /** Ends a session because a token that is no longer good was shown; true if that was so. */
    Future<Boolean> endReplaced(long id, Buffer token) {
        return database.query(END_REPLACED, Tuple.of(id, token)).map(rows -> rows.rowCount() == 1);
    }

    Future<Void> end(long id) {
        return database.query("delete from session where id = $1", Tuple.of(id)).mapEmpty();
    }

    /** Ends a session if it is that account's; it may have ended already. */
    Future<Void> end(long accountId, long id) {
        return database.query("delete from session where id = $1 and account_id = $2", Tuple.of(id, accountId))
                .mapEmpty();
    }

    Future<Void> endAll(long accountId) {
        return database.query("delete from session where account_id = $1", Tuple.of(accountId))
                .mapEmpty();
    }

    /** Those that have not ended, the last used first. */
    Future<List<Session>> list(long accountId) {
        return database.query(LIST, Tuple.of(accountId)).map(rows -> {
            List<Session> sessions = new ArrayList<>();
            for (Row row : rows) {
                sessions.add(session(row));
            }
            return sessions;
        });
    }

    /** Whether somebody is signed in with that account from that address, or has let it expire. */
    Future<Boolean> isKnown(EmailAddress email, String address) {
        return database.query(KNOWN, Tuple.of(email.key(), address))
                .map(rows -> rows.iterator().next().getBoolean(0));
    }

    /**
     * Changes a password and ends the account's sessions but one, which gets another id and token.
     *
     * @return null if the password is not what it was any more
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

    /** The same password under new parameters. */
    Future<Void> rehash(long accountId, String oldHash, String newHash) {
        return database.query(REHASH, Tuple.of(accountId, oldHash, newHash)).mapEmpty();
    }

    /** Deletes up to {@link RetentionTask#SLICE} expired sessions and says how many they were. */
    Future<Integer> purgeSlice() {
        return database.query(PURGE, Tuple.of(RetentionTask.SLICE)).map(rows -> rows.rowCount());
    }
}
