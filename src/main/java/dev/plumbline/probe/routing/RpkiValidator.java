package dev.plumbline.probe.routing;

import dev.plumbline.check.CheckContext;
import dev.plumbline.check.CheckFailure;
import dev.plumbline.concurrent.ContextFutures;
import dev.plumbline.result.ErrorCode;
import dev.plumbline.target.ExceptionMessage;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.WorkerExecutor;
import java.io.IOException;
import java.io.InputStream;
import java.net.HttpURLConnection;
import java.net.Proxy;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import javax.net.ssl.HttpsURLConnection;
import javax.net.ssl.SSLSocketFactory;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The validated ROA payloads of the RPKI validator of the operator. They are loaded at the first lookup or by
 * {@link #schedule}, and then every ten minutes, on a thread of their own. If that fails, the payloads before are used
 * for up to {@link #MAX_AGE}, and then none: a lookup fails with {@code registry_unavailable}.
 *
 * <p>The validator is a server of the operator, as the DNS resolvers are: it is usually in a private network, so the
 * connection does not use the egress guard. Its address is a setting, and redirects are not followed.
 */
public final class RpkiValidator {
    private static final Logger LOG = LoggerFactory.getLogger(RpkiValidator.class);

    static final Duration REFRESH_INTERVAL = Duration.ofMinutes(10);
    static final Duration RETRY_INTERVAL = Duration.ofMinutes(1);

    /** The default Expire Interval of routers, after which they discard their payloads (RFC 8210 section 6). */
    static final Duration MAX_AGE = Duration.ofHours(2);

    /** For files that the validator has not updated. */
    static final Duration MAX_FILE_AGE = Duration.ofHours(24);

    private static final Limits LIMITS = new Limits(512L << 20, Duration.ofMinutes(5));
    private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(10);
    private static final Duration READ_TIMEOUT = Duration.ofSeconds(30);
    private static final Duration TICK = Duration.ofSeconds(30);

    /**
     * The limits of one load.
     *
     * @param maxBytes maximum size of the JSON
     * @param timeout maximum duration of a download
     */
    record Limits(long maxBytes, Duration timeout) {}

    private record Snapshot(VrpReader.Contents contents, long loadedNanos) {}

    private final Vertx vertx;
    private final @Nullable String source;
    private final Supplier<SSLSocketFactory> tls;
    private final Limits limits;
    private final Clock clock;
    private final LongSupplier nanoClock;
    private final @Nullable WorkerExecutor loader;
    private final AtomicReference<@Nullable Future<Void>> loading = new AtomicReference<>();
    private final LongAdder failures = new LongAdder();
    private volatile @Nullable Snapshot snapshot;
    private volatile long nextLoadNanos;

    /**
     * @param source the URL or the file of the setting {@code rpki.validator}; null if it is not set
     * @param tls for https URLs
     */
    public RpkiValidator(Vertx vertx, @Nullable String source, Supplier<SSLSocketFactory> tls) {
        this(vertx, source, tls, LIMITS, Clock.systemUTC(), System::nanoTime);
    }

    RpkiValidator(
            Vertx vertx,
            @Nullable String source,
            Supplier<SSLSocketFactory> tls,
            Limits limits,
            Clock clock,
            LongSupplier nanoClock) {
        this.vertx = vertx;
        this.source = source;
        this.tls = tls;
        this.limits = limits;
        this.clock = clock;
        this.nanoClock = nanoClock;
        this.nextLoadNanos = nanoClock.getAsLong();
        this.loader = source == null
                ? null
                : vertx.createSharedWorkerExecutor(
                        "rpki-validator", 1, 2 * LIMITS.timeout.toMillis(), TimeUnit.MILLISECONDS);
    }

    /** Whether the setting {@code rpki.validator} is set. */
    public boolean isConfigured() {
        return source != null;
    }

    /** Loads the payloads now, and then regularly until the instance of Vert.x is closed. */
    public void schedule() {
        if (isConfigured()) {
            loadWhenDue();
            vertx.setPeriodic(TICK.toMillis(), tick -> loadWhenDue());
        }
    }

    /**
     * Returns the current payloads. Waits for the first ones, at most half of the remaining time of the check. Fails
     * with {@code deadline_exceeded} if they are still being loaded, because such a result is not cached, and with
     * {@code registry_unavailable} if they could not be loaded.
     */
    public Future<VrpTable> current(CheckContext context) {
        Future<Void> load = loadWhenDue();
        VrpTable table = table();
        if (table != null) {
            return Future.succeededFuture(table);
        }
        Promise<Void> proceed =
                ContextFutures.promise(vertx, context.deadline().remainingMillis() / 2, Promise::tryComplete);
        load.onComplete(loaded -> proceed.tryComplete());
        return ContextFutures.onCallerContext(proceed.future()).compose(done -> {
            VrpTable loaded = table();
            if (loaded != null) {
                return Future.succeededFuture(loaded);
            }
            return Future.failedFuture(
                    load.isComplete()
                            ? new CheckFailure(
                                    ErrorCode.REGISTRY_UNAVAILABLE,
                                    "The data of the RPKI validator of this service is not available. The last attempt to load it failed.")
                            : new CheckFailure(
                                    ErrorCode.DEADLINE_EXCEEDED,
                                    "The data of the RPKI validator of this service is still being loaded."));
        });
    }

    /** Null if there are no payloads, or if they are too old. */
    private @Nullable VrpTable table() {
        Snapshot last = snapshot;
        return last == null || ageNanos(last) >= MAX_AGE.toNanos() || isOutdated(last.contents)
                ? null
                : last.contents.table();
    }

    private long ageNanos(Snapshot last) {
        return nanoClock.getAsLong() - last.loadedNanos;
    }

    private boolean isOutdated(VrpReader.Contents contents) {
        Instant generated = contents.generated();
        return generated != null && !generated.plus(MAX_FILE_AGE).isAfter(clock.instant());
    }

    /** The number of failed loads. */
    public long failures() {
        return failures.sum();
    }

    /** The number of payloads; 0 before the first load. */
    public int size() {
        Snapshot last = snapshot;
        return last == null ? 0 : last.contents.table().size();
    }

    /** The time since the last successful load in seconds; NaN before it. */
    public double ageSeconds() {
        Snapshot last = snapshot;
        return last == null ? Double.NaN : ageNanos(last) / 1e9;
    }

    /** The load in progress, or a completed future. Does not fail. */
    private Future<Void> loadWhenDue() {
        Future<Void> running = loading.get();
        if (running != null) {
            return running;
        }
        WorkerExecutor worker = loader;
        if (worker == null || nanoClock.getAsLong() - nextLoadNanos < 0) {
            return Future.succeededFuture();
        }
        Promise<Void> mine = Promise.promise();
        Future<Void> other = loading.compareAndExchange(null, mine.future());
        if (other != null) {
            return other;
        }
        worker.<VrpReader.Contents>executeBlocking(this::load).onComplete((contents, failure) -> {
            long now = nanoClock.getAsLong();
            if (failure == null) {
                snapshot = new Snapshot(contents, now);
                nextLoadNanos = now + REFRESH_INTERVAL.toNanos();
                LOG.atDebug().addKeyValue("payloads", contents.table().size()).log("RPKI data loaded");
            } else {
                nextLoadNanos = now + RETRY_INTERVAL.toNanos();
                LOG.atWarn()
                        .addKeyValue("setting", "rpki.validator")
                        .addKeyValue("cause", ExceptionMessage.of(failure))
                        .addKeyValue("age_seconds", ageSeconds())
                        .log("RPKI data not loaded");
            }
            loading.set(null);
            if (failure != null) {
                failures.increment();
            }
            mine.complete();
        });
        return mine.future();
    }

    private VrpReader.Contents load() throws IOException {
        String location = source;
        if (location == null) {
            throw new IllegalStateException("rpki.validator is not set");
        }
        VrpReader.Contents contents = isRemote(location)
                ? download(location)
                : read(Files.newInputStream(Path.of(location)), System.nanoTime());
        if (isOutdated(contents)) {
            throw new IOException("the validator has not updated its data since " + contents.generated());
        }
        return contents;
    }

    private VrpReader.Contents download(String url) throws IOException {
        long start = System.nanoTime();
        HttpURLConnection connection =
                (HttpURLConnection) URI.create(url).toURL().openConnection(Proxy.NO_PROXY);
        connection.setConnectTimeout((int) CONNECT_TIMEOUT.toMillis());
        connection.setReadTimeout((int) READ_TIMEOUT.toMillis());
        connection.setInstanceFollowRedirects(false);
        connection.setUseCaches(false);
        connection.setRequestProperty("Accept", "application/json");
        if (connection instanceof HttpsURLConnection secure) {
            secure.setSSLSocketFactory(tls.get());
        }
        try {
            int status = status(connection);
            if (status != HttpURLConnection.HTTP_OK) {
                throw new IOException("the status code is " + status);
            }
            return read(connection.getInputStream(), start);
        } finally {
            connection.disconnect();
        }
    }

    /** Waits for the header. The time limit of a read alone would not end a header that is sent byte by byte. */
    private int status(HttpURLConnection connection) throws IOException {
        // not on the event loop, because a disconnection waits for a read in progress if the header was just received
        long timer = vertx.setTimer(
                limits.timeout.toMillis(),
                fired -> vertx.executeBlocking(
                        () -> {
                            connection.disconnect();
                            return true;
                        },
                        false));
        try {
            return connection.getResponseCode();
        } finally {
            vertx.cancelTimer(timer);
        }
    }

    /** @param startNanos of the load */
    private VrpReader.Contents read(InputStream stream, long startNanos) throws IOException {
        try (InputStream limited = new LimitedStream(stream, limits.maxBytes, limits.timeout, startNanos)) {
            return VrpReader.read(limited, clock.instant());
        }
    }

    private static boolean isRemote(String source) {
        return source.startsWith("http://") || source.startsWith("https://");
    }
}
