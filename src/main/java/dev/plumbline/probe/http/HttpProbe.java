package dev.plumbline.probe.http;

import static dev.plumbline.check.ErrorCode.CONNECT_REFUSED;
import static dev.plumbline.check.ErrorCode.CONNECT_TIMEOUT;
import static dev.plumbline.check.ErrorCode.CONNECT_UNREACHABLE;
import static dev.plumbline.check.ErrorCode.INVALID_TARGET;

import dev.plumbline.check.CheckContext;
import dev.plumbline.check.CheckFailure;
import dev.plumbline.check.IpAddressText;
import dev.plumbline.check.Target;
import dev.plumbline.check.TargetPolicy;
import dev.plumbline.egress.EgressGuard;
import dev.plumbline.probe.tls.CertificateTrustEvaluator;
import dev.plumbline.probe.tls.NoSharedAlgorithms;
import dev.plumbline.probe.tls.TlsClientOptions;
import dev.plumbline.probe.tls.TrustCache;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.net.NetClient;
import io.vertx.core.net.NetClientOptions;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.List;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;

/**
 * Speaks HTTP/1.1 and HTTP/2 to targets: every request over a fresh connection to an address that
 * the guard has let through, within limits on time, head, body and framing. Never follows a
 * redirect unless {@link #follow} is asked, and then through the guard again.
 *
 * <p>Built on a socket and Netty's codecs rather than on an HTTP client, whose limits end at the
 * size of a header: interim responses, line breaks and control frames without end would be read
 * without end.
 */
public final class HttpProbe {
    /** Left to the caller to report what was seen before its own deadline. */
    private static final long MARGIN_MS = 50;

    /** How much of a page is read, in bytes. */
    public static final int PAGE_BYTES = 512 * 1024;

    /** How many redirects on the way to a page are followed. */
    public static final int PAGE_REDIRECTS = 10;

    private static final String PAGE_TYPES = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8";
    private static final long MAX_HELD_BODY_BYTES = 32L * 1024 * 1024;

    /** Tells services like ours that a request comes from one of them (RFC 9110, section 7.6.3). */
    public static final HttpHeader MARK = new HttpHeader("via", "1.1 plumbline");

    private static final int MAX_ADDRESSES = 4;
    private static final long FIRST_CONNECTS_MS = 3_000;

    private final NetClient client;
    private final EgressGuard guard;
    private final HttpTlsOptions tls;
    private final HttpTlsOptions jdkTls;
    private final TrustCache trust;
    private final TargetPolicy policy;
    private final String userAgent;
    private final BodyBudget bodies;
    private final FetchCache pages = new FetchCache();

    /**
     * @param policy asked about every URL that a redirect leads to
     * @param userAgent who we say we are, with a contact, unless a call says otherwise
     * @throws IllegalStateException when no TLS engine works
     */
    public HttpProbe(
            Vertx vertx, EgressGuard guard, CertificateTrustEvaluator trust, TargetPolicy policy, String userAgent) {
        this(vertx, guard, trust, policy, userAgent, new BodyBudget(MAX_HELD_BODY_BYTES));
    }

    public HttpProbe(
            Vertx vertx,
            EgressGuard guard,
            CertificateTrustEvaluator trust,
            TargetPolicy policy,
            String userAgent,
            BodyBudget bodies) {
        this.client = vertx.createNetClient(new NetClientOptions().setReconnectAttempts(0));
        this.guard = guard;
        this.trust = new TrustCache(vertx, trust);
        this.policy = policy;
        this.userAgent = userAgent;
        this.bodies = bodies;
        try {
            this.jdkTls = HttpTlsOptions.ofTheJdk(vertx);
            this.tls = TlsClientOptions.nativeEngine() ? HttpTlsOptions.ofBoringSsl() : jdkTls;
        } catch (SSLException broken) {
            throw new IllegalStateException("no TLS engine works", broken);
        }
    }

    /**
     * Makes one request and follows nothing.
     *
     * @return what was answered; fails with a {@link CheckFailure} when not even the head of an
     *     answer came, with a {@link dev.plumbline.check.OverloadFailure} when there is no room
     */
    public Future<HttpExchange> exchange(CheckContext context, HttpRequestSpec call) {
        Target.Url url = call.url();
        if (!Http1RequestEncoder.sendable(url)) {
            return Future.failedFuture(
                    new CheckFailure(INVALID_TARGET, "The URL contains characters that are not allowed."));
        }
        long start = System.nanoTime();
        return guard.resolve(context, url.host(), url.port(), MAX_ADDRESSES)
                .compose(addresses -> dial(context, call, addresses, start, System.nanoTime()));
    }

    /**
     * Makes a request and follows its redirects, each through the guard and all within the deadline.
     *
     * @param maxRedirects how many may be followed; one more ends the journey with {@code
     *     too_many_redirects}
     * @return the journey, whose error says why it ended early; fails only when there is no room for
     *     it, or for a fault of ours
     */
    public Future<RedirectTrace> follow(CheckContext context, HttpRequestSpec call, int maxRedirects) {
        return new RedirectFollower(this, policy, context, maxRedirects).from(call);
    }

    /**
     * A page as a browser asks for it, with up to {@link #PAGE_REDIRECTS} redirects followed and its
     * first {@link #PAGE_BYTES} read. Checks that want the same page within a moment share one fetch,
     * unless they want it fresh.
     *
     * @return as {@link #follow} does; see {@link RedirectTrace#page()}
     */
    public Future<RedirectTrace> page(CheckContext context, Target.Url url) {
        HttpRequestSpec call = HttpRequestSpec.get(url, PAGE_BYTES).with("accept", PAGE_TYPES);
        return pages.get(context, call, PAGE_REDIRECTS, () -> follow(context, call, PAGE_REDIRECTS));
    }

    private Future<HttpExchange> dial(
            CheckContext context, HttpRequestSpec call, List<InetAddress> addresses, long start, long resolved) {
        InetAddress address = addresses.get(0);
        boolean lastOne = addresses.size() == 1;
        Future<HttpExchange> dialled =
                NoSharedAlgorithms.withFallback(tls, jdkTls, engine -> dialOne(context, call, address, lastOne, engine)
                        .map(outcome -> exchange(call, address, outcome, start, resolved)));
        if (lastOne) {
            return dialled;
        }
        return dialled.recover(
                failure -> neverConnected(failure) && context.deadline().remainingMillis() > MARGIN_MS
                        ? dial(context, call, addresses.subList(1, addresses.size()), start, resolved)
                        : Future.failedFuture(failure));
    }

    private Future<HttpConnection.Outcome> dialOne(
            CheckContext context, HttpRequestSpec call, InetAddress address, boolean lastOne, HttpTlsOptions engine) {
        Target.Url url = call.url();
        return guard.dial(context, url.host(), address, url.port(), socket -> {
            long left = context.deadline().remainingMillis() - MARGIN_MS;
            if (left <= 0) {
                return Future.failedFuture(new CheckFailure(CONNECT_TIMEOUT, "The connection timed out."));
            }
            long connectMs = lastOne ? left : Math.min(left, Math.max(left / 2, FIRST_CONNECTS_MS));
            return new HttpConnection(guard, engine, trust, context, call, bodies, headers(call), left)
                    .exchange(client, socket, address, connectMs);
        });
    }

    private static boolean neverConnected(@Nullable Throwable failure) {
        return failure instanceof CheckFailure known
                && (known.error().code() == CONNECT_REFUSED
                        || known.error().code() == CONNECT_TIMEOUT
                        || known.error().code() == CONNECT_UNREACHABLE);
    }

    private List<HttpHeader> headers(HttpRequestSpec call) {
        List<HttpHeader> headers = new ArrayList<>(call.headers().size() + 4);
        addUnlessGiven(headers, call, "user-agent", userAgent);
        addUnlessGiven(headers, call, "accept", "*/*");
        addUnlessGiven(headers, call, "accept-encoding", "identity");
        headers.add(MARK);
        headers.addAll(call.headers());
        return headers;
    }

    private static void addUnlessGiven(List<HttpHeader> headers, HttpRequestSpec call, String name, String value) {
        for (HttpHeader given : call.headers()) {
            if (given.name().equals(name)) {
                return;
            }
        }
        headers.add(new HttpHeader(name, value));
    }

    private static HttpExchange exchange(
            HttpRequestSpec call, InetAddress address, HttpConnection.Outcome outcome, long start, long resolved) {
        ResponseCollector.Answer answer = outcome.answer();
        HttpTimings timings = new HttpTimings(
                millis(resolved - start),
                millis(outcome.connectNanos()),
                call.url().secure() ? millis(outcome.tlsNanos()) : null,
                millis(outcome.firstByteNanos()),
                millis(outcome.downloadNanos()),
                millis(System.nanoTime() - start));
        return new HttpExchange(
                call.url(),
                call.method(),
                answer.status(),
                answer.reason(),
                answer.version(),
                answer.headers(),
                answer.body(),
                IpAddressText.format(address),
                timings,
                answer.bodyError());
    }

    private static double millis(long nanos) {
        return Math.round(nanos / 1_000.0) / 1_000.0;
    }
}
