package dev.plumbline.probe.registry;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import com.google.common.base.Utf8;
import dev.plumbline.check.CheckContext;
import dev.plumbline.check.CheckFailure;
import dev.plumbline.concurrent.ContextFutures;
import dev.plumbline.config.Config;
import dev.plumbline.egress.EgressGuard;
import dev.plumbline.egress.RateLimiterFactory;
import dev.plumbline.result.CheckError;
import dev.plumbline.result.ErrorCode;
import dev.plumbline.result.LimiterKind;
import dev.plumbline.target.Target;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.net.NetClient;
import io.vertx.core.net.NetClientOptions;
import io.vertx.core.net.NetSocket;
import java.net.InetAddress;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Looks up domains by WHOIS (RFC 3912): the registry of a top-level domain at IANA, the domain at the registry, and at
 * the registrar that the registry refers to. Referrals to ports other than 43 and the port of {@code whois.server} are
 * ignored.
 */
public final class WhoisProbe {
    /** The maximum size of a response in bytes. */
    public static final int MAX_BYTES = 128 * 1024;

    private static final int MAX_SERVERS = 3;
    private static final int MAX_ADDRESSES = 2;
    private static final long RESERVE_MILLIS = 100;
    private static final int MAX_CACHED = 2_000;
    private static final Pattern NAME = Pattern.compile("[a-z0-9_-]+(\\.[a-z0-9_-]+)*");
    private static final Pattern CONTROLS = Pattern.compile("[\\x00-\\x08\\x0b-\\x1f\\x7f-\\x9f]");

    private final Vertx vertx;
    private final EgressGuard guard;
    private final Target.HostPort rootServer;
    private final RegistryRateLimiter rateLimiter;
    private final NetClient client;

    /** The WHOIS servers of top-level domains. */
    private final Cache<String, Target.HostPort> servers = Caffeine.newBuilder()
            .maximumSize(MAX_CACHED)
            .expireAfterWrite(Duration.ofHours(12))
            .executor(Runnable::run)
            .build();

    /** @throws IllegalArgumentException if {@code whois.server} is not a host */
    public WhoisProbe(Vertx vertx, EgressGuard guard, Config.RegistrySettings settings, RateLimiterFactory limiters) {
        this.vertx = vertx;
        this.guard = guard;
        this.rateLimiter =
                new RegistryRateLimiter(limiters, LimiterKind.WHOIS_SERVER, settings.perServer(), System::nanoTime);
        this.client = vertx.createNetClient(new NetClientOptions().setReconnectAttempts(0));
        Target.HostPort server = WhoisReferral.server(settings.whoisServer());
        if (server == null) {
            throw new IllegalArgumentException(
                    "whois.server: '" + settings.whoisServer() + "' is not a host such as whois.iana.org");
        }
        this.rootServer = server;
    }

    /**
     * Looks up a domain.
     *
     * @param domain lower-case A-labels
     * @return fails as {@link RegistryRateLimiter#run} does
     */
    public Future<WhoisLookup> lookup(CheckContext context, String domain) {
        if (!NAME.matcher(domain).matches()) {
            return Future.failedFuture(new CheckFailure(
                    ErrorCode.INVALID_TARGET, "The domain contains characters that WHOIS does not support."));
        }
        String tld = domain.substring(domain.lastIndexOf('.') + 1);
        return serverOf(context, tld)
                .compose(server -> server.isEmpty()
                        ? Future.succeededFuture(new WhoisLookup(List.of(), null))
                        : exchange(context, server.get(), query(tld, domain))
                                .compose(response -> followReferrals(
                                        context,
                                        domain,
                                        new ArrayList<>(List.of(server.get())),
                                        new ArrayList<>(List.of(response)))));
    }

    /** Some registries need a prefix or suffix for an exact match or an English response. */
    private static String query(String tld, String domain) {
        return switch (tld) {
            case "com", "net" -> "domain " + domain;
            case "de" -> "-T dn,ace " + domain;
            case "jp" -> domain + "/e";
            default -> domain;
        };
    }

    private Future<Optional<Target.HostPort>> serverOf(CheckContext context, String tld) {
        Target.HostPort known = servers.getIfPresent(tld);
        if (known != null) {
            return Future.succeededFuture(Optional.of(known));
        }
        return exchange(halfDeadline(context), rootServer, tld)
                .map(response -> Optional.ofNullable(
                        WhoisReferral.find(response.text(), WhoisReferral.IANA_KEYS, rootServer.port())))
                // A missing referral is not cached, because it may be temporary.
                .onSuccess(server -> server.ifPresent(found -> servers.put(tld, found)));
    }

    /**
     * Follows referrals to servers that were not queried yet. An error of a referral keeps the responses so far. Fails
     * with {@link dev.plumbline.check.OverloadFailure} if the rate limit of a server would require a longer wait.
     */
    private Future<WhoisLookup> followReferrals(
            CheckContext context, String domain, List<Target.HostPort> queried, List<WhoisResponse> responses) {
        Target.HostPort next = WhoisReferral.find(
                responses.get(responses.size() - 1).text(), WhoisReferral.REGISTRY_KEYS, rootServer.port());
        if (next == null || queried.contains(next) || rootServer.equals(next)) {
            return Future.succeededFuture(new WhoisLookup(List.copyOf(responses), null));
        }
        CheckError limit = limit(context, queried.size(), next);
        if (limit != null) {
            return Future.succeededFuture(new WhoisLookup(List.copyOf(responses), limit));
        }
        queried.add(next);
        // A retry of the check would repeat the earlier queries, so wait for the rate limit instead.
        return exchange(context.patiently(), next, domain).transform(response -> {
            if (response.failed()) {
                return response.cause() instanceof CheckFailure failure
                        ? Future.succeededFuture(new WhoisLookup(List.copyOf(responses), failure.error()))
                        : Future.failedFuture(response.cause());
            }
            responses.add(response.result());
            return followReferrals(context, domain, queried, responses);
        });
    }

    /** Why this service does not query another server; null if it does. */
    private static @Nullable CheckError limit(CheckContext context, int queried, Target.HostPort next) {
        if (queried >= MAX_SERVERS) {
            return new CheckError(
                    ErrorCode.REQUEST_LIMIT,
                    "The WHOIS server %s was not queried, because a check queries at most %d of a domain."
                            .formatted(next.text(), MAX_SERVERS));
        }
        return remainingMillis(context) > 0
                ? null
                : new CheckError(
                        ErrorCode.DEADLINE_EXCEEDED,
                        "The check exceeded its time limit before the query to the WHOIS server %s."
                                .formatted(next.text()));
    }

    private Future<WhoisResponse> exchange(CheckContext context, Target.HostPort server, String query) {
        return rateLimiter.run(
                context, server.text(), share -> guard.resolve(share, server.host(), server.port(), MAX_ADDRESSES)
                        .compose(addresses -> dial(share, server, addresses, query)));
    }

    private Future<WhoisResponse> dial(
            CheckContext context, Target.HostPort server, List<InetAddress> addresses, String query) {
        boolean last = addresses.size() == 1;
        CheckContext share = last ? context : halfDeadline(context);
        InetAddress address = addresses.get(0);
        return guard.dial(share, server.host(), address, server.port(), remote -> share.reserve(2L * MAX_BYTES)
                        .compose(reserved -> guard.connect(client, remote, address, remainingMillis(share)))
                        .compose(socket -> transfer(share, server, query, socket)))
                .recover(failure -> !last && failure instanceof CheckFailure && remainingMillis(context) > 0
                        ? dial(context, server, addresses.subList(1, addresses.size()), query)
                        : Future.failedFuture(failure));
    }

    private Future<WhoisResponse> transfer(
            CheckContext context, Target.HostPort server, String query, NetSocket socket) {
        String name = server.host().name();
        Promise<WhoisResponse> promise = ContextFutures.promise(
                vertx,
                remainingMillis(context),
                late -> late.tryFail(
                        new CheckFailure(ErrorCode.READ_TIMEOUT, name + " did not complete the response in time.")));
        Buffer received = Buffer.buffer();
        socket.exceptionHandler(broken -> promise.tryFail(
                new CheckFailure(ErrorCode.CONNECTION_RESET, name + " reset the connection without a response.")));
        socket.closeHandler(closed -> {
            if (received.length() == 0) {
                promise.tryFail(new CheckFailure(
                        ErrorCode.CONNECTION_RESET, name + " closed the connection without a response."));
            } else {
                promise.tryComplete(new WhoisResponse(name, text(received.getBytes())));
            }
        });
        socket.handler(bytes -> {
            if (received.length() + bytes.length() > MAX_BYTES) {
                promise.tryFail(new CheckFailure(
                        ErrorCode.RESPONSE_TOO_LARGE,
                        "The response of " + name + " exceeds " + MAX_BYTES / 1024 + " KiB."));
            } else if (!promise.future().isComplete()) {
                received.appendBuffer(bytes);
            }
        });
        socket.write(Buffer.buffer(query + "\r\n", "US-ASCII"));
        return promise.future().eventually(() -> socket.close().otherwiseEmpty());
    }

    /** Decodes UTF-8 if it is valid, otherwise ISO-8859-1; RFC 3912 section 4 defines no encoding. */
    static String text(byte[] bytes) {
        Charset charset = Utf8.isWellFormed(bytes) ? StandardCharsets.UTF_8 : StandardCharsets.ISO_8859_1;
        String text = new String(bytes, charset);
        return CONTROLS.matcher(text.replace("\r\n", "\n").replace('\r', '\n')).replaceAll("");
    }

    private static CheckContext halfDeadline(CheckContext context) {
        return context.within(context.deadline().atMost(remainingMillis(context) / 2));
    }

    private static long remainingMillis(CheckContext context) {
        return context.deadline().remainingMillis() - RESERVE_MILLIS;
    }
}
