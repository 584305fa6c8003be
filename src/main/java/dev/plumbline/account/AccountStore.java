package dev.plumbline.account;

import dev.plumbline.postgres.Database;
import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.RowSet;
import io.vertx.sqlclient.Tuple;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Accounts in PostgreSQL. Every change sends a notification to all nodes. */
final class AccountStore {
    /** NOTIFY channel; the payload is the ID of a changed account. */
    static final String CHANGED = "account_changed";

    private static final String INSERT =
            """
      with marked as (insert into bootstrap default values on conflict do nothing)
      insert into account (email, email_key, plan, password_hash)
      values ($1, $2, $3, $4) on conflict (email_key) do nothing returning id""";

    // A concurrent transaction waits here until the first one commits.
    private static final String MARK_BOOTSTRAPPED =
            "insert into bootstrap default values on conflict do nothing returning done_at";

    // The salt is random, so the hash identifies this attempt.
    private static final String EXISTS_WITH_HASH = "select exists (select from account where password_hash = $1)";

    private static final String SELECT =
            """
      select a.id, a.email, a.plan, a.disabled_at is not null, a.created_at, (
          select count(*)::int from api_key k
          where k.account_id = a.id and not k.is_page_key and k.revoked_at is null
            and (k.expires_at is null or k.expires_at > clock_timestamp())),
        a.password_hash
      from account a where a.deleted_at is null and\s""";

    // Waits for a sign-in in progress, so that the following statement sees its session.
    private static final String LOCK = "select from account where email_key = $1 for update";

    private static final String REVOKE_KEYS =
            """
      , revoked as (
        update api_key set revoked_at = clock_timestamp()
        where revoked_at is null and account_id in (select id from changed))""";

    private static final String END_SESSIONS =
            ", signed_out as (delete from session where account_id in (select id from changed))";

    private static final String EXPIRE_SHARED_RESULTS =
            """
      , expired as (
        update shared_result set expires_at = clock_timestamp() where account_id in (select id from changed))""";

    private final Database database;

    AccountStore(Database database) {
        this.database = database;
    }

    /**
     * An account with its password hash.
     *
     * @param passwordHash null if sign-in is not possible
     */
    record StoredAccount(Account account, @Nullable String passwordHash) {}

    /** Returns the ID of the new account; null if the address is taken. */
    Future<@Nullable Long> insert(AccountEmail email, Plan plan, @Nullable String passwordHash) {
        return database.query(INSERT, values(email, plan, passwordHash))
                .map(rows ->
                        rows.stream().map(row -> row.getLong(0)).findFirst().orElse(null));
    }

    private static Tuple values(AccountEmail email, Plan plan, @Nullable String passwordHash) {
        return Tuple.of(email.text(), email.key(), plan.id(), passwordHash);
    }

    /**
     * Creates the first account with a key, if there has never been an account. Exactly one of several concurrent calls
     * succeeds.
     *
     * @param beforeCommit runs when the account and the key are written; if it fails, they are not created
     * @return whether this call or an earlier attempt with the same hash created it
     */
    Future<Boolean> insertFirst(
            AccountEmail email,
            Plan plan,
            String passwordHash,
            ApiKeyRequest request,
            String secret,
            Supplier<Future<Void>> beforeCommit) {
        return database.inTransaction(transaction -> transaction
                .query(MARK_BOOTSTRAPPED)
                .execute()
                .compose(marked -> marked.size() == 0
                        ? transaction
                                .preparedQuery(EXISTS_WITH_HASH)
                                .execute(Tuple.of(passwordHash))
                                .map(rows -> rows.iterator().next().getBoolean(0))
                        : transaction
                                .preparedQuery(INSERT)
                                .execute(values(email, plan, passwordHash))
                                .map(rows -> rows.iterator().next().getLong(0))
                                .compose(id -> ApiKeyStore.insert(transaction, id, request, secret, 1))
                                .compose(inserted -> beforeCommit.get())
                                .map(true)));
    }

    /** Whether an account exists or has existed. */
    Future<Boolean> isBootstrapped() {
        return database.query("select exists (select from bootstrap)")
                .map(rows -> rows.iterator().next().getBoolean(0));
    }

    /** The account with this address, or null. */
    Future<@Nullable StoredAccount> find(AccountEmail email) {
        return database.read(SELECT + "a.email_key = $1", Tuple.of(email.key())).map(AccountStore::first);
    }

    Future<@Nullable StoredAccount> find(long id) {
        return database.read(SELECT + "a.id = $1", Tuple.of(id)).map(AccountStore::first);
    }

    private static @Nullable StoredAccount first(RowSet<Row> rows) {
        return rows.stream().map(AccountStore::storedAccount).findFirst().orElse(null);
    }

    /** Accounts by ID in ascending order. */
    Future<List<Account>> list(long afterId, int limit) {
        return database.readAll(
                SELECT + "a.id > $1 order by a.id limit $2", Tuple.of(afterId, limit), row -> storedAccount(row)
                        .account());
    }

    private static StoredAccount storedAccount(Row row) {
        return new StoredAccount(
                new Account(
                        row.getLong(0),
                        row.getString(1),
                        Plan.of(row.getString(2)),
                        row.getBoolean(3),
                        row.getOffsetDateTime(4).toInstant(),
                        row.getInteger(5)),
                row.getString(6));
    }

    /** Returns false if the account does not exist. The methods below do the same. */
    Future<Boolean> setPlan(AccountEmail email, Plan plan) {
        return change("plan = $2", "", Tuple.of(email.key(), plan.id()));
    }

    /** Also ends all sessions of the account. */
    Future<Boolean> setPassword(AccountEmail email, String passwordHash) {
        return change("password_hash = $2", END_SESSIONS, Tuple.of(email.key(), passwordHash));
    }

    /** Disabling also ends all sessions of the account. */
    Future<Boolean> setDisabled(AccountEmail email, boolean disabled) {
        Tuple arguments = Tuple.of(email.key());
        return disabled
                ? change("disabled_at = coalesce(disabled_at, clock_timestamp())", END_SESSIONS, arguments)
                : change("disabled_at = null", "", arguments);
    }

    /**
     * Removes address and password, revokes the keys, ends the sessions of the account, and ends the sharing of its
     * results.
     */
    Future<Boolean> delete(AccountEmail email) {
        return change(
                "deleted_at = clock_timestamp(), email = '', email_key = null, password_hash = null",
                REVOKE_KEYS + END_SESSIONS + EXPIRE_SHARED_RESULTS,
                Tuple.of(email.key()));
    }

    /** @param expressions further common table expressions, which can use the ID in {@code changed} */
    private Future<Boolean> change(String assignments, String expressions, Tuple arguments) {
        String sql = "with changed as (update account set " + assignments + " where email_key = $1 returning id)"
                + expressions + " select id, pg_notify('" + CHANGED + "', id::text) from changed";
        return database.inTransaction(transaction -> transaction
                .preparedQuery(LOCK)
                .execute(Tuple.of(arguments.getString(0)))
                .compose(locked -> transaction.preparedQuery(sql).execute(arguments))
                .map(rows -> rows.size() > 0));
    }
}
