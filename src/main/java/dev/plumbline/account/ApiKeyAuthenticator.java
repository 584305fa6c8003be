package dev.plumbline.account;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import com.github.benmanes.caffeine.cache.Ticker;
import dev.plumbline.account.ApiKeyLookup.Reason;
import dev.plumbline.account.ApiKeyStore.StoredKey;
import dev.plumbline.concurrent.Batcher;
import dev.plumbline.postgres.Database;
import dev.plumbline.postgres.DatabaseOverloadedException;
import dev.plumbline.postgres.DatabaseUnavailableException;
import dev.plumbline.postgres.NotificationListener;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import java.time.Duration;
import java.util.Collections;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongConsumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Authenticates API keys. The state of a key is cached for {@value #CACHE_SECONDS} seconds, or until {@link #evictKey}
 * or {@link #evictAccount}. Thread-safe.
 */
public final class ApiKeyAuthenticator {
    static final int CACHE_SECONDS = 5;

    private static final int MAX_CACHED = 20_000;
    private static final Duration USE_PERIOD = Duration.ofMinutes(1);
    private static final Batcher.Limits LOOKUP_LIMITS = new Batcher.Limits(256, 10_000, 2).expiringAfter(2_000);
    private static final Batcher.Limits USE_LIMITS = new Batcher.Limits(500, 10_000, 1, 1_000);

    private final ApiKeyStore store;
    private final Ticker ticker;
    private final Batcher<Buffer, @Nullable StoredKey> lookups;
    private final Batcher<Long, Boolean> uses;
    // By hash. Also contains unknown keys; the admission policy of Caffeine keeps the frequently used ones.
    private final Cache<Buffer, CachedKey> cache;
    private final Cache<Long, Boolean> recentUses;
    private final AtomicLong evictions = new AtomicLong();

    /**
     * The cached state of a key.
     *
     * @param stored null if the key does not exist
     * @param expiresNanos by the ticker; null for never
     */
    private record CachedKey(@Nullable StoredKey stored, @Nullable Long expiresNanos) {}

    public ApiKeyAuthenticator(Vertx vertx, Database database) {
        this(vertx, database, Ticker.systemTicker());
    }

    /** @param ticker clock of the cache and of key expiry */
    ApiKeyAuthenticator(Vertx vertx, Database database, Ticker ticker) {
        this.store = new ApiKeyStore(database);
        this.ticker = ticker;
        this.lookups = new Batcher<>(vertx, LOOKUP_LIMITS, DatabaseOverloadedException::queueFull, store::find);
        this.uses = new Batcher<>(vertx, USE_LIMITS, DatabaseOverloadedException::queueFull, ids -> store.recordUse(ids)
                .map(recentUses -> Collections.nCopies(ids.size(), true)));
        this.cache = Caffeine.newBuilder()
                .maximumSize(MAX_CACHED)
                .expireAfterWrite(CACHE_SECONDS, TimeUnit.SECONDS)
                .ticker(ticker)
                .build();
        this.recentUses = Caffeine.newBuilder()
                .maximumSize(MAX_CACHED)
                .expireAfterWrite(USE_PERIOD)
                .ticker(ticker)
                .build();
    }

    /**
     * Authenticates a key. A malformed key is rejected without a database query.
     *
     * @param secret the credential of the request, not validated
     * @return does not fail during an outage, see {@link ApiKeyLookup.Unavailable}
     */
    public Future<ApiKeyLookup> authenticate(String secret) {
        if (!ApiKeySecret.isWellFormed(secret)) {
            return Future.succeededFuture(new ApiKeyLookup.Refused(Reason.MALFORMED));
        }
        Buffer hash = Buffer.buffer(ApiKeySecret.hash(secret));
        CachedKey cached = cache.getIfPresent(hash);
        if (cached != null) {
            return Future.succeededFuture(outcome(cached));
        }
        long evictionsBefore = evictions.get();
        return lookups.submit(hash)
                .map(stored -> outcome(addToCache(hash, stored, evictionsBefore)))
                .recover(failure -> failure instanceof DatabaseUnavailableException
                        ? Future.succeededFuture(
                                new ApiKeyLookup.Unavailable(failure instanceof DatabaseOverloadedException))
                        : Future.failedFuture(failure));
    }

    private CachedKey addToCache(Buffer hash, @Nullable StoredKey stored, long evictionsBefore) {
        Long expiresIn = stored == null ? null : stored.expiresInMicros();
        CachedKey entry = new CachedKey(
                stored, expiresIn == null ? null : ticker.read() + TimeUnit.MICROSECONDS.toNanos(expiresIn));
        cache.put(hash, entry);
        if (evictions.get() != evictionsBefore) {
            // the query may have been executed before the change
            cache.invalidate(hash);
        }
        return entry;
    }

    private ApiKeyLookup outcome(CachedKey key) {
        StoredKey stored = key.stored;
        if (stored == null) {
            return new ApiKeyLookup.Refused(Reason.UNKNOWN);
        }
        if (stored.revoked()) {
            return new ApiKeyLookup.Refused(Reason.REVOKED);
        }
        if (key.expiresNanos != null && key.expiresNanos - ticker.read() <= 0) {
            return new ApiKeyLookup.Refused(Reason.EXPIRED);
        }
        if (stored.disabled()) {
            return new ApiKeyLookup.Refused(Reason.DISABLED);
        }
        recordUse(stored.caller().keyId());
        return new ApiKeyLookup.Authenticated(stored.caller());
    }

    /** Records the use of a key, at most once per minute. A lost record is not retried. */
    private void recordUse(long keyId) {
        if (recentUses.getIfPresent(keyId) == null && recentUses.asMap().putIfAbsent(keyId, true) == null) {
            uses.submit(keyId);
        }
    }

    /**
     * Subscribes to the changes of other nodes.
     *
     * @param notifications not started
     */
    public void subscribe(NotificationListener notifications) {
        notifications
                .onConnected(this::evictAll)
                .on(ApiKeyStore.REVOKED, id -> evict(id, this::evictKey))
                .on(AccountStore.CHANGED, id -> evict(id, this::evictAccount));
    }

    private void evict(String id, LongConsumer evict) {
        try {
            evict.accept(Long.parseLong(id));
        } catch (NumberFormatException notOurs) {
            evictAll();
        }
    }

    public void evictKey(long keyId) {
        evict(stored -> stored.caller().keyId() == keyId);
    }

    public void evictAccount(long accountId) {
        evict(stored -> stored.caller().accountId() == accountId);
    }

    public void evictAll() {
        evictions.incrementAndGet();
        cache.invalidateAll();
    }

    private void evict(Predicate<StoredKey> condition) {
        evictions.incrementAndGet();
        cache.asMap().values().removeIf(key -> key.stored != null && condition.test(key.stored));
    }

    public int pendingLookups() {
        return lookups.queued();
    }

    /** Completes when all recorded uses are written or have failed. */
    public Future<Void> flush() {
        return uses.drain();
    }
}
