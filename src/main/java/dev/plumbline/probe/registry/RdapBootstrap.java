package dev.plumbline.probe.registry;

import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.plumbline.check.CheckContext;
import dev.plumbline.check.CheckFailure;
import dev.plumbline.check.ErrorCode;
import dev.plumbline.check.Target;
import dev.plumbline.check.TargetParser;
import dev.plumbline.concurrent.ContextFutures;
import dev.plumbline.config.Config;
import dev.plumbline.probe.http.HttpExchange;
import dev.plumbline.probe.http.HttpProbe;
import dev.plumbline.probe.http.HttpRequestSpec;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Finds the RDAP server of a domain by the IANA bootstrap registry (RFC 9224). A snapshot is part of the program. An
 * update is downloaded in the background at the first lookup and then once a day. Lookups wait for it only if another
 * registry than IANA's is configured.
 */
public final class RdapBootstrap {
    private static final Logger LOG = LoggerFactory.getLogger(RdapBootstrap.class);
    private static final int MAX_BYTES = 2 * 1024 * 1024;
    private static final int MAX_NAMES = 50_000;
    private static final int REDIRECTS = 2;
    private static final int OK = 200;
    private static final long FETCH_MILLIS = 20_000;
    private static final String IANA_URL = "https://data.iana.org/rdap/dns.json";
    private static final Duration REFRESH_INTERVAL = Duration.ofHours(24);
    private static final Duration RETRY_INTERVAL = Duration.ofHours(1);

    private static final ObjectMapper MAPPER =
            new ObjectMapper().enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS);

    private final Vertx vertx;
    private final HttpProbe http;
    private final Target.@Nullable Url source;
    private final LongSupplier nanoClock;
    private final AtomicLong nextRefreshNanos;

    /**
     * Completes when the registry is usable: at once with the snapshot of IANA's registry, otherwise after the first
     * download.
     */
    private final Promise<Void> ready = Promise.promise();

    private volatile Map<String, String> servers;

    /**
     * @param settings the registry: a URL, a file, or null for the snapshot
     * @throws IOException if the file cannot be read
     * @throws IllegalArgumentException if the file is not a bootstrap registry
     */
    public RdapBootstrap(Vertx vertx, HttpProbe http, Config.RegistrySettings settings) throws IOException {
        this(vertx, http, settings.rdapBootstrap(), System::nanoTime);
    }

    RdapBootstrap(Vertx vertx, HttpProbe http, @Nullable String source, LongSupplier nanoClock) throws IOException {
        this.vertx = vertx;
        this.http = http;
        this.nanoClock = nanoClock;
        this.nextRefreshNanos = new AtomicLong(nanoClock.getAsLong());
        boolean remote = source != null && source.matches("https?://.*");
        this.source = remote ? url(source) : null;
        if (source != null && this.source == null) {
            if (remote) {
                throw new IllegalArgumentException(
                        "rdap.bootstrap is \"%s\". Set an http or https URL, or the path of a readable file."
                                .formatted(source));
            }
            this.servers = read(source);
        } else {
            this.servers = snapshot();
        }
        if (this.source == null || this.source.text().equals(IANA_URL)) {
            ready.complete();
        }
    }

    private static Map<String, String> read(String file) throws IOException {
        try {
            return parse(Files.readAllBytes(Path.of(file)));
        } catch (IllegalArgumentException none) {
            throw new IllegalArgumentException("rdap.bootstrap: " + file + " " + none.getMessage(), none);
        }
    }

    private static Map<String, String> snapshot() throws IOException {
        try (InputStream in = RdapBootstrap.class.getResourceAsStream("/rdap/dns.json")) {
            if (in == null) {
                throw new IllegalStateException("rdap/dns.json is missing from the class path");
            }
            return parse(in.readAllBytes());
        }
    }

    /** As {@link #serverOf(String)}, but waits for the configured registry, at most half of the remaining time. */
    Future<Optional<String>> serverOf(CheckContext context, String domain) {
        refreshWhenDue();
        if (ready.future().isComplete()) {
            return Future.succeededFuture(Optional.ofNullable(serverOf(domain)));
        }
        long timeoutMillis = context.deadline().remainingMillis() / 2;
        Promise<Void> proceed = ContextFutures.promise(vertx, timeoutMillis, Promise::tryComplete);
        ready.future().onComplete(there -> proceed.tryComplete());
        return ContextFutures.onCallerContext(proceed.future()).map(done -> Optional.ofNullable(serverOf(domain)));
    }

    /**
     * The server of the longest matching suffix of the domain.
     *
     * @return the URL to which {@code domain/} and the name are appended; null if there is none
     */
    @Nullable
    String serverOf(String domain) {
        refreshWhenDue();
        Map<String, String> current = servers;
        for (int at = 0; at >= 0; at = domain.indexOf('.', at) + 1) {
            String server = current.get(domain.substring(at));
            if (server != null) {
                return server;
            }
            if (domain.indexOf('.', at) < 0) {
                return null;
            }
        }
        return null;
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
                .onSuccess(update -> servers = update)
                .onFailure(failure -> {
                    nextRefreshNanos.set(now + RETRY_INTERVAL.toNanos());
                    LOG.atInfo()
                            .addKeyValue("url", url.text())
                            .addKeyValue("cause", failure.toString())
                            .log("RDAP bootstrap registry download failed");
                })
                .onComplete(done -> ready.tryComplete());
    }

    private Future<Map<String, String>> fetch(Target.Url url) {
        return http.follow(BackgroundCheckContext.of(FETCH_MILLIS), HttpRequestSpec.get(url, MAX_BYTES), REDIRECTS)
                .compose(trace -> {
                    HttpExchange page = trace.page();
                    if (page == null
                            || page.status() != OK
                            || page.bodyError() != null
                            || page.body().truncated()) {
                        return Future.failedFuture(new CheckFailure(
                                ErrorCode.HTTP_PROTOCOL_ERROR,
                                url.authority() + " did not return the RDAP bootstrap file."));
                    }
                    byte[] bytes = page.body().shared();
                    return vertx.executeBlocking(() -> parse(bytes), false);
                });
    }

    /**
     * Parses a bootstrap registry.
     *
     * @return the server URL by lower-case suffix, each with a trailing slash
     * @throws IllegalArgumentException if it contains no server
     */
    static Map<String, String> parse(byte[] bytes) {
        JsonNode services;
        try {
            services = MAPPER.readTree(bytes).path("services");
        } catch (IOException malformed) {
            throw new IllegalArgumentException("is not valid JSON", malformed);
        }
        Map<String, String> servers = new HashMap<>();
        for (JsonNode service : services) {
            String server = server(service.path(1));
            for (JsonNode name : service.path(0)) {
                if (server != null && name.isTextual() && servers.size() < MAX_NAMES) {
                    servers.put(name.asText().toLowerCase(Locale.ROOT), server);
                }
            }
        }
        if (servers.isEmpty()) {
            throw new IllegalArgumentException("contains no RDAP server");
        }
        return Map.copyOf(servers);
    }

    /** The first https URL, otherwise the first URL. */
    private static @Nullable String server(JsonNode urls) {
        String plain = null;
        for (JsonNode each : urls) {
            Target.Url url = each.isTextual() ? url(each.asText()) : null;
            if (url != null) {
                String text = url.text().endsWith("/") ? url.text() : url.text() + "/";
                if (url.secure()) {
                    return text;
                }
                plain = plain == null ? text : plain;
            }
        }
        return plain;
    }

    static Target.@Nullable Url url(String text) {
        return TargetParser.tryUrl(text, "https", "http");
    }
}
