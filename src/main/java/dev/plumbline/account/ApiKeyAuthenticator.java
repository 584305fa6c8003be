package dev.plumbline.account;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import com.github.benmanes.caffeine.cache.Ticker;
import dev.plumbline.account.ApiKeyLookup.Reason;
import dev.plumbline.account.ApiKeyStore.Found;
import dev.plumbline.concurrent.Batcher;
import dev.plumbline.store.Database;
import dev.plumbline.store.DatabaseUnavailableException;
import dev.plumbline.store.NotificationListener;
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
 * Authenticates API keys. Caches lookups, including unknown keys, for {@value #CACHE_SECONDS}
 * seconds or until {@link #forgetKey} or {@link #forgetAccount}. Thread-safe.
 */
public final class ApiKeyAuthenticator {
    static final int CACHE_SECONDS = 5;

    private static final int MAX_CACHED = 20_000;
    private static final Duration USE_PERIOD = Duration.ofMinutes(1);
    private static final Batcher.Limits FINDS = new Batcher.Limits(256, 10_000, 2).expiringAfter(2_000);
    private static final Batcher.Limits USES = new Batcher.Limits(500, 10_000, 1, 1_000);

    private final Vertx vertx;
    private final ApiKeyStore store;
    private final Ticker ticker;
    private final Batcher<Buffer, @Nullable Found> finds;
    private final Batcher<Long, Boolean> uses;
    // By hash. Clients can fill it with unknown keys; the admission policy of Caffeine keeps frequent
    // ones.
    private final Cache<Buffer, Known> known;
    private final Cache<Long, Boolean> noted;
    private final AtomicLong forgotten = new AtomicLong();
    private volatile @Nullable NotificationListener notifications;

    /**
     * A cached lookup.
     *
     * @param found null for an unknown key
     * @param expiresNanos ticker time; null if it does not expire
     */
    private record Known(@Nullable Found found, @Nullable Long expiresNanos) {}

    public ApiKeyAuthenticator(Vertx vertx, Database database) {
        this(vertx, database, Ticker.systemTicker());
    }

    /**
     * @param ticker the clock of cache expiry and key expiry
     */
    ApiKeyAuthenticator(Vertx vertx, Database database, Ticker ticker) {
        this.vertx = vertx;
        this.store = new ApiKeyStore(database);
        this.ticker = ticker;
        this.finds = new Batcher<>(vertx, FINDS, store::find);
        this.uses = new Batcher<>(
                vertx, USES, ids -> store.noteUse(ids).map(noted -> Collections.nCopies(ids.size(), true)));
        this.known = Caffeine.newBuilder()
                .maximumSize(MAX_CACHED)
                .expireAfterWrite(CACHE_SECONDS, TimeUnit.SECONDS)
                .ticker(ticker)
                .build();
        this.noted = Caffeine.newBuilder()
                .maximumSize(MAX_CACHED)
                .expireAfterWrite(USE_PERIOD)
                .ticker(ticker)
                .build();
    }

    /**
     * Authenticates a key. A malformed key is rejected without a database lookup.
     *
     * @param secret as given by the client
     * @return {@link ApiKeyLookup.Unavailable} during a database outage
     */
    public Future<ApiKeyLookup> authenticate(String secret) {
        if (!ApiKeySecret.isWhole(secret)) {
            return Future.succeededFuture(new ApiKeyLookup.Refused(Reason.MALFORMED));
        }
        Buffer hash = Buffer.buffer(ApiKeySecret.hash(secret));
        Known remembered = known.getIfPresent(hash);
        if (remembered != null) {
            return Future.succeededFuture(outcome(remembered));
        }
        long before = forgotten.get();
        return finds.ask(hash)
                .map(found -> outcome(remember(hash, found, before)))
                .recover(failure -> failure instanceof DatabaseUnavailableException
                        ? Future.succeededFuture(new ApiKeyLookup.Unavailable())
                        : Future.failedFuture(failure));
    }

    private Known remember(Buffer hash, @Nullable Found found, long before) {
        Long expiresIn = found == null ? null : found.expiresInMicros();
        Known fresh =
                new Known(found, expiresIn == null ? null : ticker.read() + TimeUnit.MICROSECONDS.toNanos(expiresIn));
        known.put(hash, fresh);
        if (forgotten.get() != before) {
            // the lookup may have happened before the change
            known.invalidate(hash);
        }
        return fresh;
    }

    private ApiKeyLookup outcome(Known key) {
        Found found = key.found;
        if (found == null) {
            return new ApiKeyLookup.Refused(Reason.UNKNOWN);
        }
        if (found.revoked()) {
            return new ApiKeyLookup.Refused(Reason.REVOKED);
        }
        if (key.expiresNanos != null && key.expiresNanos - ticker.read() <= 0) {
            return new ApiKeyLookup.Refused(Reason.EXPIRED);
        }
        if (found.disabled()) {
            return new ApiKeyLookup.Refused(Reason.DISABLED);
        }
        noteUse(found.caller().keyId());
        return new ApiKeyLookup.Authenticated(found.caller());
    }

    /** Records the use at most once per minute, without waiting or retries. */
    private void noteUse(long keyId) {
        if (noted.getIfPresent(keyId) == null && noted.asMap().putIfAbsent(keyId, true) == null) {
            uses.ask(keyId);
        }
    }

    /**
     * Listens for changes made by other nodes until {@link #close}.
     *
     * @param databaseUrl {@code postgresql://user:password@host:port/name}
     */
    public void follow(String databaseUrl) {
        NotificationListener started = new NotificationListener(vertx, databaseUrl, this::forgetAll)
                .on(ApiKeyStore.REVOKED, id -> notified(id, this::forgetKey))
                .on(AccountStore.CHANGED, id -> notified(id, this::forgetAccount));
        started.start();
        notifications = started;
    }

    /** Whether the notification connection is established. */
    boolean listening() {
        NotificationListener current = notifications;
        return current != null && current.listening();
    }

    private void notified(String id, LongConsumer forget) {
        try {
            forget.accept(Long.parseLong(id));
        } catch (NumberFormatException notOurs) {
            forgetAll();
        }
    }

    /** Removes a revoked key from the cache. */
    public void forgetKey(long keyId) {
        forget(found -> found.caller().keyId() == keyId);
    }

    /** Removes the keys of a changed account from the cache. */
    public void forgetAccount(long accountId) {
        forget(found -> found.caller().accountId() == accountId);
    }

    /** Clears the cache, because notifications may have been missed. */
    public void forgetAll() {
        forgotten.incrementAndGet();
        known.invalidateAll();
    }

    private void forget(Predicate<Found> which) {
        forgotten.incrementAndGet();
        known.asMap().values().removeIf(key -> key.found != null && which.test(key.found));
    }

    /** The number of queued lookups. */
    public int findsQueued() {
        return finds.queued();
    }

    /** Completes when all recorded uses are written or have failed. */
    Future<Void> flush() {
        return uses.drain();
    }

    /** Stops listening. Completes when all recorded uses are written or have failed. */
    public Future<Void> close() {
        NotificationListener current = notifications;
        return Future.join(current == null ? Future.succeededFuture() : current.close(), flush())
                .mapEmpty();
    }
}
