package dev.plumbline.account;

import dev.plumbline.store.Database;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.sqlclient.Tuple;
import java.util.Arrays;

/**
 * The internal API key of each account, used by the web pages for rate limits. It is not listed,
 * and its secret is discarded.
 */
public final class PageKeyStore {
    private static final String FIND = "select id from api_key where account_id = $1 and of_web";

    private static final String MAKE =
            """
      insert into api_key (account_id, hash, prefix, name, scopes, of_web)
      select id, $2::bytea, '', 'web pages', $3::text[], true
      from account where id = $1 and deleted_at is null
      on conflict (account_id) where of_web do nothing""";

    private final Database database;

    public PageKeyStore(Database database) {
        this.database = database;
    }

    /**
     * Returns the id of the internal key. Creates the key on first use.
     *
     * @return fails with {@link IllegalStateException} if there is no such account
     */
    public Future<Long> of(long accountId) {
        return find(accountId)
                .compose(id ->
                        id > 0 ? Future.succeededFuture(id) : make(accountId).compose(made -> find(accountId)))
                .map(id -> {
                    if (id == 0) {
                        throw new IllegalStateException("account deleted");
                    }
                    return id;
                });
    }

    /** Returns 0 if there is no internal key. */
    private Future<Long> find(long accountId) {
        return database.query(FIND, Tuple.of(accountId))
                .map(rows -> rows.size() == 0 ? 0L : rows.iterator().next().getLong(0));
    }

    private Future<Void> make(long accountId) {
        return database.query(
                        MAKE,
                        Tuple.of(
                                accountId,
                                Buffer.buffer(ApiKeySecret.hash(ApiKeySecret.fresh())),
                                Arrays.stream(Scope.values()).map(Scope::id).toArray(String[]::new)))
                .mapEmpty();
    }
}
