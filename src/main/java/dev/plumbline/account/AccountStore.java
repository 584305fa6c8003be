package dev.plumbline.account;

import dev.plumbline.store.Database;
import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.RowIterator;
import io.vertx.sqlclient.RowSet;
import io.vertx.sqlclient.Tuple;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Accounts in PostgreSQL. Changes are sent to all nodes with NOTIFY. */
final class AccountStore {
    /** The NOTIFY channel for accounts with changed permissions. The payload is the account id. */
    static final String CHANGED = "account_changed";

    private static final String NOTIFY = "select id, pg_notify('" + CHANGED + "', id::text) from ";

    private static final String INSERT =
            """
      with ever as (insert into first_start default values on conflict do nothing)
      insert into account (email, email_key, plan, password_hash)
      values ($1, $2, $3, $4) on conflict (email_key) do nothing returning id""";

    // A concurrent transaction waits here until the first one commits.
    private static final String FIRST =
            "insert into first_start default values on conflict do nothing returning done_at";

    // The salt is random, so the hash identifies the attempt.
    private static final String IS_CREATED = "select exists (select from account where password_hash = $1)";

    private static final String SELECT =
            """
      select a.id, a.email, a.plan, a.disabled_at is not null, a.created_at, (
          select count(*)::int from api_key k
          where k.account_id = a.id and not k.of_web and k.revoked_at is null
            and (k.expires_at is null or k.expires_at > clock_timestamp())),
        a.password_hash
      from account a where a.deleted_at is null and\s""";

    // Waits for concurrent sign-ins, so that the following statements see their sessions.
    private static final String LOCK = "select from account where email_key = $1 for update";

    private static final String SET_PLAN =
            "with changed as (update account set plan = $2 where email_key = $1 returning id) " + NOTIFY + "changed";

    private static final String SET_PASSWORD =
            """
      with changed as (update account set password_hash = $2 where email_key = $1 returning id),
        signed_out as (delete from session where account_id in (select id from changed))
      """
                    + NOTIFY
                    + "changed";

    private static final String DISABLE =
            """
      with changed as (
          update account set disabled_at = coalesce(disabled_at, clock_timestamp())
          where email_key = $1 returning id),
        signed_out as (delete from session where account_id in (select id from changed))
      """
                    + NOTIFY
                    + "changed";

    private static final String ENABLE =
            "with changed as (update account set disabled_at = null where email_key = $1 returning id) "
                    + NOTIFY
                    + "changed";

    private static final String DELETE =
            """
      with changed as (
          update account
          set deleted_at = clock_timestamp(), email = '', email_key = null, password_hash = null
          where email_key = $1 returning id),
        revoked as (
          update api_key set revoked_at = clock_timestamp()
          where revoked_at is null and account_id in (select id from changed)),
        signed_out as (delete from session where account_id in (select id from changed))
      """
                    + NOTIFY
                    + "changed";

    private final Database database;

    AccountStore(Database database) {
        this.database = database;
    }

    /**
     * An account and its password hash.
     *
     * @param passwordHash null if sign-in is not possible
     */
    record Kept(Account account, @Nullable String passwordHash) {}

    /** Returns the id of the new account; null if the e-mail address is in use. */
    Future<@Nullable Long> insert(EmailAddress email, Plan plan, @Nullable String passwordHash) {
        return database.query(INSERT, values(email, plan, passwordHash)).map(AccountStore::id);
    }

    private static Tuple values(EmailAddress email, Plan plan, @Nullable String passwordHash) {
        return Tuple.of(email.text(), email.key(), plan.id(), passwordHash);
    }

    private static @Nullable Long id(RowSet<Row> rows) {
        RowIterator<Row> row = rows.iterator();
        return row.hasNext() ? row.next().getLong(0) : null;
    }

    /**
     * Creates the first account and an API key, unless an account has ever existed. Concurrent calls
     * of several nodes create one account.
     *
     * @return whether it was created, now or by an earlier attempt with the same hash
     */
    Future<Boolean> insertFirst(EmailAddress email, Plan plan, String passwordHash, ApiKeyRequest wish, String secret) {
        return database.inTransaction(transaction -> transaction
                .query(FIRST)
                .execute()
                .compose(first -> first.size() == 0
                        ? transaction
                                .preparedQuery(IS_CREATED)
                                .execute(Tuple.of(passwordHash))
                                .map(rows -> rows.iterator().next().getBoolean(0))
                        : transaction
                                .preparedQuery(INSERT)
                                .execute(values(email, plan, passwordHash))
                                .map(rows -> rows.iterator().next().getLong(0))
                                .compose(id -> ApiKeyStore.insert(transaction, id, wish, secret, 1))
                                .map(true)));
    }

    /** Whether an account has ever existed. */
    Future<Boolean> anyEver() {
        return database.query("select exists (select from first_start)")
                .map(rows -> rows.iterator().next().getBoolean(0));
    }

    /** Returns the account with this e-mail address, or null. */
    Future<@Nullable Kept> find(EmailAddress email) {
        return database.query(SELECT + "a.email_key = $1", Tuple.of(email.key()))
                .map(AccountStore::one);
    }

    Future<@Nullable Kept> find(long id) {
        return database.query(SELECT + "a.id = $1", Tuple.of(id)).map(AccountStore::one);
    }

    private static @Nullable Kept one(RowSet<Row> rows) {
        RowIterator<Row> row = rows.iterator();
        return row.hasNext() ? kept(row.next()) : null;
    }

    /** Returns accounts in the order of their ids. */
    Future<List<Account>> list(long afterId, int max) {
        return database.query(SELECT + "a.id > $1 order by a.id limit $2", Tuple.of(afterId, max))
                .map(rows -> {
                    List<Account> accounts = new ArrayList<>();
                    for (Row row : rows) {
                        accounts.add(kept(row).account());
                    }
                    return accounts;
                });
    }

    private static Kept kept(Row row) {
        return new Kept(
                new Account(
                        row.getLong(0),
                        row.getString(1),
                        Plan.of(row.getString(2)),
                        row.getBoolean(3),
                        row.getOffsetDateTime(4).toInstant(),
                        row.getInteger(5)),
                row.getString(6));
    }

    /** Returns false if there is no such account, as do the following methods. */
    Future<Boolean> setPlan(EmailAddress email, Plan plan) {
        return change(SET_PLAN, Tuple.of(email.key(), plan.id()));
    }

    /** Sets the password and ends all sessions. */
    Future<Boolean> setPassword(EmailAddress email, String passwordHash) {
        return change(SET_PASSWORD, Tuple.of(email.key(), passwordHash));
    }

    /** Disables or enables the account. Disabling ends all sessions. */
    Future<Boolean> setDisabled(EmailAddress email, boolean disabled) {
        return change(disabled ? DISABLE : ENABLE, Tuple.of(email.key()));
    }

    /** Clears the e-mail address and password, revokes the keys and ends the sessions. */
    Future<Boolean> delete(EmailAddress email) {
        return change(DELETE, Tuple.of(email.key()));
    }

    private Future<Boolean> change(String sql, Tuple arguments) {
        return database.inTransaction(transaction -> transaction
                .preparedQuery(LOCK)
                .execute(Tuple.of(arguments.getString(0)))
                .compose(locked -> transaction.preparedQuery(sql).execute(arguments))
                .map(rows -> rows.size() > 0));
    }
}
