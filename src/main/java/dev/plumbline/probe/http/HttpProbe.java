package dev.plumbline.probe.http;

import static dev.plumbline.result.ErrorCode.DEADLINE_EXCEEDED;
import static dev.plumbline.result.ErrorCode.INVALID_TARGET;

import com.github.benmanes.caffeine.cache.Ticker;
import com.google.common.base.Suppliers;
import dev.plumbline.budget.MemoryHolder;
import dev.plumbline.check.CheckContext;
import dev.plumbline.check.CheckFailure;
import dev.plumbline.concurrent.ContextFutures;
import dev.plumbline.concurrent.CurrentSpan;
import dev.plumbline.egress.ConnectErrors;
import dev.plumbline.egress.EgressGuard;
import dev.plumbline.probe.tls.NoSharedAlgorithms;
import dev.plumbline.probe.tls.TlsErrors;
import dev.plumbline.probe.tls.TrustCache;
import dev.plumbline.result.CheckError;
import dev.plumbline.target.Target;
import dev.plumbline.target.TargetPolicy;
import dev.plumbline.tls.TrustRoots;
import dev.plumbline.trace.Span;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * An HTTP/1.1, HTTP/2 and HTTP/3 client. Each request uses a connection to an address that the egress guard allows,
 * with limits on time, header, body and framing. Connections are new, except that the parts of a composite check use
 * HTTP/2 connections in turn. Redirects are followed by {@link #follow} only, each through the guard.
 *
 * <p>It uses a socket and Netty's codecs instead of an HTTP client, which would read interim responses, line breaks and
 * control frames without limit.
 */
public final class HttpProbe {
    /** The maximum number of bytes read of a page. */
    public static final int PAGE_BYTES = 512 * 1024;

    /** The maximum number of redirects before a page. */
    public static final int PAGE_REDIRECTS = 10;

    private static final String PAGE_TYPES = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8";

    /** Identifies requests of this service to other instances, to detect loops (RFC 9110 section 7.6.3). */
    public static final HttpHeader VIA = new HttpHeader("via", "1.1 plumbline");

    /** The maximum size of the pages that are kept for other checks, in bytes. */
    static final int MAX_CACHED_BYTES = 8 * 1024 * 1024;

    /** The maximum size of the exchanges that are kept for other parts of one composite check, in bytes. */
    static final int MAX_COMPOSITE_BYTES = 2 * 1024 * 1024;

    private static final int MAX_ADDRESSES = 4;
    private static final long MIN_CONNECT_MS = 3_000;

    private final Vertx vertx;
    private final EgressGuard guard;
    private final TrustCache trust;
    private final TargetPolicy policy;
    private final List<Supplier<HttpTlsOptions>> tlsEngines;
    private final String userAgent;
    private final FetchCache pages;

    /** Loaded on first use, because that takes some tens of milliseconds and several megabytes. */
    private final Supplier<Future<QuicClientCodec>> quic;

    /**
     * @param policy checks the target of each redirect
     * @param userAgent the default User-Agent, with a contact
     * @throws IllegalStateException if no TLS engine is available
     */
    public HttpProbe(Vertx vertx, EgressGuard guard, TrustRoots trust, TargetPolicy policy, String userAgent) {
        this.vertx = vertx;
        this.guard = guard;
        this.trust = new TrustCache(trust);
        this.policy = policy;
        this.userAgent = userAgent;
        this.tlsEngines = HttpTlsOptions.engines(vertx);
        this.quic = Suppliers.memoize(() -> {
            // without the context of the first caller, on which later callers would continue
            Promise<QuicClientCodec> loaded = Promise.promise();
            vertx.executeBlocking(QuicClientCodec::load, false).onComplete(loaded);
            return loaded.future();
        });
        this.pages = new FetchCache(vertx, Ticker.systemTicker(), MAX_CACHED_BYTES, MemoryHolder.unlimited());
    }

    /**
     * Sends one request without following redirects. The parts of a composite check share equal exchanges for some
     * seconds, also if they require fresh data.
     *
     * @return as {@link #send}
     */
    public Future<HttpExchange> exchange(CheckContext context, HttpRequestSpec given) {
        if (!context.budget().isPart()) {
            return send(context, given);
        }
        HttpRequestSpec request = verifying(context, given);
        FetchCache exchanges = context.budget()
                .sharedCounter(
                        FetchCache.class,
                        () -> new FetchCache(
                                vertx,
                                Ticker.systemTicker(),
                                MAX_COMPOSITE_BYTES,
                                context.memory().whole()));
        return exchanges
                .get(
                        context,
                        request,
                        0,
                        () -> RedirectTrace.ofOne(request, send(context, request, pool(context, request))))
                // another part can have sent the request
                .onSuccess(trace -> context.budget().recordError(trace.error()))
                .compose(RedirectTrace::lastExchange);
    }

    /**
     * Sends one request over a new connection without following redirects, also if another part of the composite check
     * has sent an equal one. For measurements, and to compare responses.
     *
     * @return fails with a {@link CheckFailure} if no response header was received, and with
     *     {@link dev.plumbline.check.OverloadFailure} if a limit is reached
     */
    public Future<HttpExchange> send(CheckContext context, HttpRequestSpec given) {
        return send(context, verifying(context, given), null);
    }

    private Future<HttpExchange> send(CheckContext context, HttpRequestSpec request, @Nullable ConnectionPool pool) {
        Target.Url url = request.url();
        if (!Http1RequestEncoder.isSendable(url)) {
            return Future.failedFuture(
                    new CheckFailure(INVALID_TARGET, "The URL contains characters that are not allowed."));
        }
        long start = System.nanoTime();
        long waitedBefore = context.budget().limitWaits().nanos();
        return guard.resolve(context, url.host(), url.port(), MAX_ADDRESSES).compose(addresses -> {
            long waited = context.budget().limitWaits().nanos() - waitedBefore;
            long dnsNanos = Math.max(0, System.nanoTime() - start - waited);
            return dial(context, request, addresses, new Elapsed(dnsNanos, new AtomicLong()), pool);
        });
    }

    /** The connections of the composite check; null if the request cannot use HTTP/2. */
    private @Nullable ConnectionPool pool(CheckContext context, HttpRequestSpec request) {
        return request.url().secure() && request.alpn() != HttpRequestSpec.Alpn.HTTP1
                ? context.budget()
                        .sharedCounter(
                                ConnectionPool.class,
                                () -> new ConnectionPool(vertx, context.memory().whole(), System::nanoTime))
                : null;
    }

    private static HttpRequestSpec verifying(CheckContext context, HttpRequestSpec request) {
        return context.verifiesCertificates() ? request : request.verifyingTls(false);
    }

    /**
     * Sends one request to a server that may not support the offered protocols.
     *
     * @return as {@link #exchange}; empty if the server rejects the protocols that are offered by ALPN
     */
    public Future<Optional<HttpExchange>> negotiate(CheckContext context, HttpRequestSpec request) {
        return exchange(context, request)
                .map(Optional::of)
                .recover(failure -> TlsErrors.isAlpnRejection(failure)
                        ? Future.succeededFuture(Optional.empty())
                        : Future.failedFuture(failure));
    }

    /**
     * Sends one GET request over HTTP/3 to one address and reads the status of the response. The certificate is
     * evaluated as for other requests: an untrusted one is an error, unless the check does not verify certificates.
     *
     * @param address an address of the host of the URL
     * @param port the UDP port, from 1 to 65535
     * @param advertised whether the server advertises HTTP/3. A server that does not has half a second to send
     *     something, because most servers without HTTP/3 send nothing
     * @return the final status; empty if HTTP/3 is not advertised and the server sent nothing. Fails as {@link #send}
     *     does, with {@code read_timeout} if an advertised server does not respond in 4 seconds, and with
     *     {@code internal} if this node has no library for QUIC, cannot send UDP packets, or did not receive a response
     *     of any server in the last hour either
     */
    public Future<Optional<Integer>> sendHttp3(
            CheckContext context, Target.Url url, InetAddress address, int port, boolean advertised) {
        HttpRequestSpec request = verifying(context, HttpRequestSpec.get(url, 0));
        return ContextFutures.onCallerContext(quic.get())
                .compose(codec -> guard.dial(
                        context,
                        url.host(),
                        address,
                        port,
                        remote -> CurrentSpan.trace(
                                CurrentSpan.get()
                                        .child("HTTP GET", Span.Kind.CLIENT)
                                        .set("network.protocol.version", "3"),
                                () -> new Http3Connection(
                                                vertx,
                                                guard,
                                                trust,
                                                codec,
                                                context,
                                                request,
                                                headers(request),
                                                remote,
                                                advertised)
                                        .exchange(address))));
    }

    /**
     * Sends a request and follows redirects within the deadline.
     *
     * @param maxRedirects the maximum number of redirects; one more ends the trace with {@code too_many_redirects}
     * @return the trace, whose error is the reason why it ended early; fails only for overload and internal errors
     */
    public Future<RedirectTrace> follow(CheckContext context, HttpRequestSpec request, int maxRedirects) {
        return new RedirectFollower(this, policy, context, maxRedirects).request(request);
    }

    /**
     * Requests a page as a browser does: follows up to {@link #PAGE_REDIRECTS} redirects and reads the first
     * {@link #PAGE_BYTES}. Checks of the same page share one fetch for some seconds, unless they require fresh data or
     * have the option {@code connect_to}.
     *
     * @return as {@link #follow}; see {@link RedirectTrace#page()}
     */
    public Future<RedirectTrace> page(CheckContext context, Target.Url url) {
        HttpRequestSpec request = HttpRequestSpec.get(url, PAGE_BYTES)
                .with("accept", PAGE_TYPES)
                .verifyingTls(context.verifiesCertificates());
        // the cached pages are those of the addresses in DNS
        Future<RedirectTrace> page = context.fresh() || context.connectTo() != null
                ? follow(context, request, PAGE_REDIRECTS)
                : pages.get(context, request, PAGE_REDIRECTS, () -> follow(context, request, PAGE_REDIRECTS));
        return page
                // another check can have made the requests
                .onSuccess(trace -> context.budget().recordError(trace.error()));
    }

    /**
     * The time of an exchange so far, without waits for rate limits.
     *
     * @param connectionNanos the duration of all its connections
     */
    record Elapsed(long dnsNanos, AtomicLong connectionNanos) {}

    private Future<HttpExchange> dial(
            CheckContext context,
            HttpRequestSpec request,
            List<InetAddress> addresses,
            Elapsed elapsed,
            @Nullable ConnectionPool pool) {
        InetAddress address = addresses.get(0);
        boolean last = addresses.size() == 1;
        return NoSharedAlgorithms.withFallback(
                        tlsEngines,
                        engine -> dialOne(context, request, key(request, address, engine.get()), last, elapsed, pool))
                .recover(failure -> !last
                                && ConnectErrors.isConnectFailure(failure)
                                && context.deadline().remainingMillis() > HttpConnection.RESERVE_MS
                        ? dial(context, request, addresses.subList(1, addresses.size()), elapsed, pool)
                        : Future.failedFuture(failure));
    }

    private static ConnectionPool.Key key(HttpRequestSpec request, InetAddress address, HttpTlsOptions engine) {
        Target.Url url = request.url();
        return new ConnectionPool.Key(url.host(), url.port(), address, request.alpn(), request.verifyTls(), engine);
    }

    private Future<HttpExchange> dialOne(
            CheckContext context,
            HttpRequestSpec request,
            ConnectionPool.Key key,
            boolean last,
            Elapsed elapsed,
            @Nullable ConnectionPool pool) {
        if (pool == null) {
            return dialOne(context, request, key, last, elapsed, null, () -> null);
        }
        AtomicReference<ConnectionPool.@Nullable OpenConnection> reused = new AtomicReference<>();
        return pool.limited(
                        key,
                        () -> dialOne(context, request, key, last, elapsed, pool, () -> {
                            reused.set(pool.poll(key));
                            return reused.get();
                        }))
                .transform(outcome -> {
                    HttpExchange exchange = outcome.result();
                    if (reused.get() != null && failed(exchange, outcome.cause())) {
                        // the reuse can be the cause, which must not be an error of the target
                        if (exchange != null) {
                            context.memory().release(exchange.body().size());
                        }
                        return dialOne(context, request, key, last, elapsed, pool, () -> null);
                    }
                    return exchange == null ? Future.failedFuture(outcome.cause()) : Future.succeededFuture(exchange);
                });
    }

    /** Whether the exchange failed before a timeout, so that it can be repeated. */
    private static boolean failed(@Nullable HttpExchange exchange, @Nullable Throwable cause) {
        CheckError error = cause instanceof CheckFailure failure
                ? failure.error()
                : exchange == null ? null : exchange.bodyError();
        return error != null && !error.code().timeout();
    }

    /** @param idle the open connection to use; null to open one. Called when the limits of the target permit it */
    private Future<HttpExchange> dialOne(
            CheckContext context,
            HttpRequestSpec request,
            ConnectionPool.Key key,
            boolean last,
            Elapsed elapsed,
            @Nullable ConnectionPool pool,
            Supplier<ConnectionPool.@Nullable OpenConnection> idle) {
        return guard.dial(context, key.host(), key.address(), key.port(), socket -> {
            long remainingMs = context.deadline().remainingMillis() - HttpConnection.RESERVE_MS;
            if (remainingMs <= 0) {
                return Future.failedFuture(new CheckFailure(DEADLINE_EXCEEDED, "The check exceeded its time limit."));
            }
            HttpConnection connection = new HttpConnection(
                    vertx, guard, trust, context, request, headers(request), key, elapsed, remainingMs, pool);
            ConnectionPool.OpenConnection open = idle.get();
            if (open != null) {
                return connection.exchange(open);
            }
            long start = System.nanoTime();
            long connectMs = last ? remainingMs : Math.min(remainingMs, Math.max(remainingMs / 2, MIN_CONNECT_MS));
            return connection.exchange(connectMs).onComplete(ended -> elapsed.connectionNanos()
                    .addAndGet(System.nanoTime() - start));
        });
    }

    private List<HttpHeader> headers(HttpRequestSpec request) {
        List<HttpHeader> headers = new ArrayList<>(request.headers().size() + 4);
        addDefault(headers, request, "user-agent", userAgent);
        addDefault(headers, request, "accept", "*/*");
        addDefault(headers, request, "accept-encoding", "identity");
        // nginx does not compress responses to requests with Via, see gzip_proxied
        if (!request.has("accept-encoding")) {
            headers.add(VIA);
        }
        headers.addAll(request.headers());
        return headers;
    }

    private static void addDefault(List<HttpHeader> headers, HttpRequestSpec request, String name, String value) {
        if (!request.has(name)) {
            headers.add(new HttpHeader(name, value));
        }
    }
}
