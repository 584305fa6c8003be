package dev.plumbline.account;

import dev.plumbline.postgres.Database;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.sqlclient.Tuple;
import java.util.Arrays;

/**
 * The page key of each account: a hidden API key to which jobs of the web pages are charged. Its secret is discarded at
 * creation.
 */
public final class PageKeyStore {
    private static final String FIND = "select id from api_key where account_id = $1 and is_page_key";

    private static final String MAKE =
            """
      insert into api_key (account_id, hash, prefix, name, scopes, is_page_key)
      select id, $2::bytea, '', 'web pages', $3::text[], true
      from account where id = $1 and deleted_at is null
      on conflict (account_id) where is_page_key do nothing""";

    private final Database database;

    public PageKeyStore(Database database) {
        this.database = database;
    }

    /**
     * The ID of the page key, which is created at the first call.
     *
     * @return fails with {@link IllegalStateException} if the account does not exist
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

    /** Returns 0 if there is none. */
    private Future<Long> find(long accountId) {
        return database.read(FIND, Tuple.of(accountId))
                .map(rows -> rows.size() == 0 ? 0L : rows.iterator().next().getLong(0));
    }

    private Future<Void> make(long accountId) {
        return database.query(
                        MAKE,
                        Tuple.of(
                                accountId,
                                Buffer.buffer(ApiKeySecret.hash(ApiKeySecret.generate())),
                                Arrays.stream(Scope.values()).map(Scope::id).toArray(String[]::new)))
                .mapEmpty();
    }
}
