package dev.plumbline.probe.registry;

import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.plumbline.check.CheckContext;
import dev.plumbline.check.CheckFailure;
import dev.plumbline.check.ErrorCode;
import dev.plumbline.check.InputType;
import dev.plumbline.check.InvalidTargetException;
import dev.plumbline.check.ModuleDescription;
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
 * Which RDAP server knows a domain, by IANA's list (RFC 9224). A snapshot is part of the program; a
 * newer list is fetched beside the first check that wants one, and once a day after that. Checks
 * wait for it only where another list than IANA's is configured and has not come yet.
 */
public final class RdapBootstrap {
    private static final Logger LOG = LoggerFactory.getLogger(RdapBootstrap.class);
    private static final int MOST_BYTES = 2 * 1024 * 1024;
    private static final int MOST_NAMES = 50_000;
    private static final int REDIRECTS = 2;
    private static final int OK = 200;
    private static final long FETCH_MILLIS = 20_000;
    private static final String OF_IANA = "https://data.iana.org/rdap/dns.json";
    private static final Duration AGAIN = Duration.ofHours(24);
    private static final Duration AGAIN_AFTER_FAILURE = Duration.ofHours(1);

    private static final ObjectMapper MAPPER =
            new ObjectMapper().enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS);

    private static final ModuleDescription SERVER =
            ModuleDescription.of("rdap-server", "RDAP server", InputType.URL).build();

    private final Vertx vertx;
    private final HttpProbe http;
    private final Target.@Nullable Url source;
    private final LongSupplier nanoClock;
    private final AtomicLong due;

    /** Complete once the program's own list is the best there is, or a better one is there. */
    private final Promise<Void> settled = Promise.promise();

    private volatile Map<String, String> servers;

    /**
     * @param settings whose list is a URL, a file, or null for the snapshot alone
     * @throws IOException when the file cannot be read
     * @throws IllegalArgumentException when it holds no such list
     */
    public RdapBootstrap(Vertx vertx, HttpProbe http, Config.RegistrySettings settings) throws IOException {
        this(vertx, http, settings.rdapBootstrap(), System::nanoTime);
    }

    RdapBootstrap(Vertx vertx, HttpProbe http, @Nullable String source, LongSupplier nanoClock) throws IOException {
        this.vertx = vertx;
        this.http = http;
        this.nanoClock = nanoClock;
        this.due = new AtomicLong(nanoClock.getAsLong());
        boolean remote = source != null && source.matches("https?://.*");
        this.source = remote ? url(source) : null;
        if (source != null && this.source == null) {
            if (remote) {
                throw new IllegalArgumentException("rdap.bootstrap is \""
                        + source
                        + "\". Set an http or https URL, or the path of a readable file.");
            }
            this.servers = read(source);
        } else {
            this.servers = snapshot();
        }
        if (this.source == null || this.source.text().equals(OF_IANA)) {
            settled.complete();
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
                throw new IllegalStateException("rdap/dns.json is missing from the program");
            }
            return parse(in.readAllBytes());
        }
    }

    /**
     * The same as {@link #serverOf(String)}, which waits for half of the time, if need be, for a list
     * that is configured.
     */
    Future<Optional<String>> serverOf(CheckContext context, String domain) {
        refreshWhenDue();
        if (settled.future().isComplete()) {
            return Future.succeededFuture(Optional.ofNullable(serverOf(domain)));
        }
        Promise<Void> enough = Promise.promise();
        long patience = Math.max(1, context.deadline().remainingMillis() / 2);
        long timer = vertx.setTimer(patience, late -> enough.tryComplete());
        settled.future().onComplete(there -> {
            vertx.cancelTimer(timer);
            enough.tryComplete();
        });
        return ContextFutures.onCallerContext(enough.future()).map(done -> Optional.ofNullable(serverOf(domain)));
    }

    /**
     * The server that knows a domain: that of the longest name in the list that the domain ends in.
     *
     * @return where {@code domain/} and the name are to be appended; null when the list names none
     */
    @Nullable
    String serverOf(String domain) {
        refreshWhenDue();
        Map<String, String> known = servers;
        for (int at = 0; at >= 0; at = domain.indexOf('.', at) + 1) {
            String server = known.get(domain.substring(at));
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
        long mine = due.get();
        if (url == null || now - mine < 0 || !due.compareAndSet(mine, now + AGAIN.toNanos())) {
            return;
        }
        fetch(url)
                .onSuccess(newer -> servers = newer)
                .onFailure(failure -> {
                    due.set(now + AGAIN_AFTER_FAILURE.toNanos());
                    LOG.atInfo()
                            .addKeyValue("url", url.text())
                            .addKeyValue("cause", failure.toString())
                            .log("RDAP bootstrap registry download failed");
                })
                .onComplete(done -> settled.tryComplete());
    }

    private Future<Map<String, String>> fetch(Target.Url url) {
        return http.follow(BackgroundCheckContext.of(FETCH_MILLIS), HttpRequestSpec.get(url, MOST_BYTES), REDIRECTS)
                .compose(journey -> {
                    HttpExchange page = journey.page();
                    if (page == null
                            || page.status() != OK
                            || page.bodyError() != null
                            || page.body().truncated()) {
                        return Future.failedFuture(
                                new CheckFailure(ErrorCode.HTTP_PROTOCOL_ERROR, url.authority() + " did not give it"));
                    }
                    byte[] bytes = page.body().shared();
                    return vertx.executeBlocking(() -> parse(bytes), false);
                });
    }

    /**
     * Reads a list.
     *
     * @return servers by lower-case name, each ending in a slash
     * @throws IllegalArgumentException when it is none
     */
    static Map<String, String> parse(byte[] bytes) {
        JsonNode services;
        try {
            services = MAPPER.readTree(bytes).path("services");
        } catch (IOException broken) {
            throw new IllegalArgumentException("is not valid JSON", broken);
        }
        Map<String, String> found = new HashMap<>();
        for (JsonNode service : services) {
            String server = server(service.path(1));
            for (JsonNode name : service.path(0)) {
                if (server != null && name.isTextual() && found.size() < MOST_NAMES) {
                    found.put(name.asText().toLowerCase(Locale.ROOT), server);
                }
            }
        }
        if (found.isEmpty()) {
            throw new IllegalArgumentException("contains no RDAP server");
        }
        return Map.copyOf(found);
    }

    /** The first encrypted one, else the first. */
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
        try {
            return (Target.Url) TargetParser.parse(SERVER, text);
        } catch (InvalidTargetException none) {
            return null;
        }
    }
}
