package dev.plumbline.account;

import dev.plumbline.store.Database;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.Tuple;
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
final class KeyStore {
  private static final String FIND =
      """
      select k.hash, k.id, k.account_id, a.plan, k.scopes, k.revoked_at is not null,
        a.disabled_at is not null,
        (extract(epoch from k.expires_at - clock_timestamp()) * 1000000)::bigint
      from api_key k join account a on a.id = k.account_id
      where k.hash = any($1) and a.deleted_at is null""";

  // Whoever else writes the same row notes the same use, so nobody waits for anybody.
  private static final String NOTE_USE =
      """
      update api_key set last_used_at = clock_timestamp() where id in (
        select id from api_key
        where id = any($1)
          and (last_used_at is null or last_used_at < clock_timestamp() - interval '1 minute')
        for no key update skip locked)""";

  private final Database database;

  KeyStore(Database database) {
    this.database = database;
  }

  /**
   * A key that there is, whatever became of it.
   *
   * @param expiresInMicros by the database's clock, negative once it has; null for never
   */
  record Found(Caller caller, boolean revoked, boolean disabled, @Nullable Long expiresInMicros) {}

  /** The keys with these hashes, null for those that there are not. */
  Future<List<@Nullable Found>> find(List<Buffer> hashes) {
    return database
        .query(FIND, Tuple.of(hashes.toArray(Buffer[]::new)))
        .map(
            rows -> {
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
        new Caller(
            row.getLong(2), row.getLong(1), Plan.of(row.getString(3)), scopes(row.getValue(4))),
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

  /** Writes that these keys were used just now, unless that was written in the last minute. */
  Future<Void> noteUse(List<Long> keyIds) {
    return database.query(NOTE_USE, Tuple.of(keyIds.toArray(Long[]::new))).mapEmpty();
  }
}
