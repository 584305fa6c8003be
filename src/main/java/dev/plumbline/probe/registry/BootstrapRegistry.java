package dev.plumbline.probe.registry;

import dev.plumbline.check.CheckContext;
import dev.plumbline.check.CheckFailure;
import dev.plumbline.concurrent.ContextFutures;
import dev.plumbline.probe.http.HttpProbe;
import dev.plumbline.probe.http.HttpRequestSpec;
import dev.plumbline.probe.http.RedirectTrace;
import dev.plumbline.result.ErrorCode;
import dev.plumbline.target.ExceptionMessage;
import dev.plumbline.target.Target;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A file of the RDAP bootstrap registry. A snapshot is part of the program. An update is downloaded in the background
 * at the first lookup and then once a day. Lookups wait for it only if another registry than IANA's is configured.
 *
 * @param <T> the parsed file, immutable
 */
final class BootstrapRegistry<T> {
    private static final Logger LOG = LoggerFactory.getLogger(BootstrapRegistry.class);
    private static final int MAX_BYTES = 2 * 1024 * 1024;
    private static final int REDIRECTS = 2;
    private static final int OK = 200;
    private static final long FETCH_MILLIS = 20_000;
    private static final String IANA = "https://data.iana.org/rdap/";
    private static final Duration REFRESH_INTERVAL = Duration.ofHours(24);
    private static final Duration RETRY_INTERVAL = Duration.ofHours(1);

    private final Vertx vertx;
    private final HttpProbe http;
    private final Function<byte[], T> parser;
    private final Target.@Nullable Url source;
    private final LongSupplier nanoClock;
    private final AtomicLong nextRefreshNanos;

    /**
     * Completes when the registry is usable: at once with the snapshot of IANA's registry, otherwise after the first
     * download.
     */
    private final Promise<Void> ready = Promise.promise();

    private volatile T current;

    /**
     * @param source a URL, a file, or null for the snapshot
     * @param snapshot the name of the resource, for example {@code dns.json}
     * @param parser throws {@link IllegalArgumentException} if the file is not a bootstrap registry
     * @throws IOException if the file cannot be read
     * @throws IllegalArgumentException if the source is not a bootstrap registry; the message of both is a clause that
     *     names the file
     */
    BootstrapRegistry(
            Vertx vertx,
            HttpProbe http,
            @Nullable String source,
            String snapshot,
            Function<byte[], T> parser,
            LongSupplier nanoClock)
            throws IOException {
        this.vertx = vertx;
        this.http = http;
        this.parser = parser;
        this.nanoClock = nanoClock;
        this.nextRefreshNanos = new AtomicLong(nanoClock.getAsLong());
        boolean file = source != null && !RdapBootstrap.isRemote(source);
        this.source = source == null || file ? null : RdapBootstrap.url(source);
        if (source != null && !file && this.source == null) {
            throw new IllegalArgumentException("this is not a valid URL");
        }
        this.current = source != null && file ? read(source, parser) : snapshot(snapshot, parser);
        if (this.source == null || this.source.text().startsWith(IANA)) {
            ready.complete();
        }
    }

    private static <T> T read(String file, Function<byte[], T> parser) throws IOException {
        try (InputStream in = Files.newInputStream(Path.of(file))) {
            byte[] bytes = in.readNBytes(MAX_BYTES + 1);
            if (bytes.length > MAX_BYTES) {
                throw new IllegalArgumentException("is larger than " + MAX_BYTES + " bytes");
            }
            return parser.apply(bytes);
        } catch (IllegalArgumentException none) {
            throw new IllegalArgumentException("the file " + file + " " + ExceptionMessage.of(none), none);
        } catch (IOException unreadable) {
            throw new IOException(
                    "the file " + file + " cannot be read (" + ExceptionMessage.of(unreadable) + ")", unreadable);
        }
    }

    private static <T> T snapshot(String name, Function<byte[], T> parser) throws IOException {
        try (InputStream in = BootstrapRegistry.class.getResourceAsStream("/rdap/" + name)) {
            if (in == null) {
                throw new IllegalStateException("rdap/" + name + " is missing from the class path");
            }
            return parser.apply(in.readAllBytes());
        }
    }

    /**
     * Returns the registry and starts an update when one is due. Waits for the first download from a configured URL, at
     * most half of the remaining time.
     */
    Future<T> current(CheckContext context) {
        refreshWhenDue();
        if (ready.future().isComplete()) {
            return Future.succeededFuture(current);
        }
        long timeoutMillis = context.deadline().remainingMillis() / 2;
        Promise<Void> proceed = ContextFutures.promise(vertx, timeoutMillis, Promise::tryComplete);
        ready.future().onComplete(there -> proceed.tryComplete());
        return ContextFutures.onCallerContext(proceed.future()).map(done -> current);
    }

    private void refreshWhenDue() {
        Target.Url url = source;
        long now = nanoClock.getAsLong();
        long scheduled = nextRefreshNanos.get();
        if (url == null
                || now - scheduled < 0
                || !nextRefreshNanos.compareAndSet(scheduled, now + REFRESH_INTERVAL.toNanos())) {
            return;
        }
        fetch(url)
                .onSuccess(update -> current = update)
                .onFailure(failure -> {
                    nextRefreshNanos.set(now + RETRY_INTERVAL.toNanos());
                    LOG.atInfo()
                            .addKeyValue("url", url.text())
                            .addKeyValue("cause", failure.getMessage())
                            .log("RDAP bootstrap registry download failed");
                })
                .onComplete(done -> ready.tryComplete());
    }

    private Future<T> fetch(Target.Url url) {
        return http.follow(
                        new BackgroundCheckContext(vertx, FETCH_MILLIS), HttpRequestSpec.get(url, MAX_BYTES), REDIRECTS)
                .compose(RedirectTrace::completePage)
                .compose(page -> {
                    if (page.status() != OK) {
                        return failed("The status code is " + page.status() + ".");
                    }
                    if (page.body().truncated()) {
                        return failed("The response is larger than " + MAX_BYTES + " bytes.");
                    }
                    byte[] bytes = page.body().shared();
                    return vertx.executeBlocking(() -> parser.apply(bytes), false);
                });
    }

    private static <T> Future<T> failed(String cause) {
        return Future.failedFuture(new CheckFailure(ErrorCode.HTTP_PROTOCOL_ERROR, cause));
    }
}
