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
 * Tells who is behind a key. What the database said of a key, good or bad, is believed for {@value
 * #BELIEVED_SECONDS} seconds, or until {@link #forgetKey} or {@link #forgetAccount} say that it has
 * changed. Thread-safe.
 */
public final class ApiKeyAuthenticator {
    static final int BELIEVED_SECONDS = 5;

    private static final int MOST_REMEMBERED = 20_000;
    private static final Duration USE_PERIOD = Duration.ofMinutes(1);
    private static final Batcher.Limits FINDS = new Batcher.Limits(256, 10_000, 2).expiringAfter(2_000);
    private static final Batcher.Limits USES = new Batcher.Limits(500, 10_000, 1, 1_000);

    private final Vertx vertx;
    private final ApiKeyStore store;
    private final Ticker ticker;
    private final Batcher<Buffer, @Nullable Found> finds;
    private final Batcher<Long, Boolean> uses;
    // By hash. Strangers can fill it with keys that there are not; Caffeine's admission policy keeps
    // what is asked for often.
    private final Cache<Buffer, Known> known;
    private final Cache<Long, Boolean> noted;
    private final AtomicLong forgotten = new AtomicLong();
    private volatile @Nullable NotificationListener news;

    /**
     * What is believed of a key.
     *
     * @param found null if there is no such key
     * @param expiresNanos by the ticker; null for never
     */
    private record Known(@Nullable Found found, @Nullable Long expiresNanos) {}

    public ApiKeyAuthenticator(Vertx vertx, Database database) {
        this(vertx, database, Ticker.systemTicker());
    }

    /**
     * @param ticker by which knowledge grows old and keys expire
     */
    ApiKeyAuthenticator(Vertx vertx, Database database, Ticker ticker) {
        this.vertx = vertx;
        this.store = new ApiKeyStore(database);
        this.ticker = ticker;
        this.finds = new Batcher<>(vertx, FINDS, store::find);
        this.uses = new Batcher<>(
                vertx, USES, ids -> store.noteUse(ids).map(noted -> Collections.nCopies(ids.size(), true)));
        this.known = Caffeine.newBuilder()
                .maximumSize(MOST_REMEMBERED)
                .expireAfterWrite(BELIEVED_SECONDS, TimeUnit.SECONDS)
                .ticker(ticker)
                .build();
        this.noted = Caffeine.newBuilder()
                .maximumSize(MOST_REMEMBERED)
                .expireAfterWrite(USE_PERIOD)
                .ticker(ticker)
                .build();
    }

    /**
     * Who is behind this key. A text that is no key is refused without a look into the database.
     *
     * @param secret what somebody showed, whatever it is
     * @return does not fail for an outage: that is an outcome
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
            // the database may have been read before that which was to be forgotten
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

    /** Not worth anybody's wait, nor a second try: the next minute brings another. */
    private void noteUse(long keyId) {
        if (noted.getIfPresent(keyId) == null && noted.asMap().putIfAbsent(keyId, true) == null) {
            uses.ask(keyId);
        }
    }

    /**
     * Hears from now on, until {@link #close}, what other nodes revoke and change.
     *
     * @param databaseUrl {@code postgresql://user:password@host:port/name}
     */
    public void follow(String databaseUrl) {
        NotificationListener heard = new NotificationListener(vertx, databaseUrl, this::forgetAll)
                .on(ApiKeyStore.REVOKED, id -> told(id, this::forgetKey))
                .on(AccountStore.CHANGED, id -> told(id, this::forgetAccount));
        heard.start();
        news = heard;
    }

    /** Whether the news of other nodes are heard just now, as far as is known. */
    boolean hears() {
        NotificationListener heard = news;
        return heard != null && heard.listening();
    }

    private void told(String id, LongConsumer forget) {
        try {
            forget.accept(Long.parseLong(id));
        } catch (NumberFormatException notOurs) {
            forgetAll();
        }
    }

    /** Forgets what is believed of a key, because it was revoked. */
    public void forgetKey(long keyId) {
        forget(found -> found.caller().keyId() == keyId);
    }

    /** Forgets what is believed of all keys of an account, because it has changed. */
    public void forgetAccount(long accountId) {
        forget(found -> found.caller().accountId() == accountId);
    }

    /** Forgets everything, because news may have been missed. */
    public void forgetAll() {
        forgotten.incrementAndGet();
        known.invalidateAll();
    }

    private void forget(Predicate<Found> which) {
        forgotten.incrementAndGet();
        known.asMap().values().removeIf(key -> key.found != null && which.test(key.found));
    }

    /** How many look-ups wait for their batch. */
    public int findsQueued() {
        return finds.queued();
    }

    /** Ends when every use that was noted is written or has failed. */
    Future<Void> flush() {
        return uses.drain();
    }

    /** Hears no more, and ends when every use that was noted is written or has failed. */
    public Future<Void> close() {
        NotificationListener heard = news;
        return Future.join(heard == null ? Future.succeededFuture() : heard.close(), flush())
                .mapEmpty();
    }
}
