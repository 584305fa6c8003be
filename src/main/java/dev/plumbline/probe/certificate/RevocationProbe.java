package dev.plumbline.probe.certificate;

import dev.plumbline.budget.CpuPool;
import dev.plumbline.check.CheckContext;
import dev.plumbline.check.CheckFailure;
import dev.plumbline.check.OverloadFailure;
import dev.plumbline.concurrent.AsyncSemaphore;
import dev.plumbline.concurrent.ContextFutures;
import dev.plumbline.probe.http.HttpExchange;
import dev.plumbline.probe.http.HttpProbe;
import dev.plumbline.probe.http.HttpRequestSpec;
import dev.plumbline.target.Target;
import dev.plumbline.target.TargetParser;
import dev.plumbline.tls.CertificateExtensions;
import dev.plumbline.tls.OcspCodec;
import dev.plumbline.tls.RevocationList;
import dev.plumbline.tls.RevocationStatement;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.function.Function;

/**
 * Queries the revocation sources of a certificate over plain HTTP through the guard: first its OCSP responders, by GET,
 * and by POST if GET gives no result or the URL would be too long (RFC 6960 appendix A.1), then its revocation lists.
 */
public final class RevocationProbe {
    private static final int MAX_OCSP_BYTES = 64 * 1024;
    private static final int MAX_LIST_BYTES = 8 * 1024 * 1024;

    /** The maximum number of lists that are downloaded and parsed at once. */
    private static final int MAX_CONCURRENT_LISTS = 2;

    private static final int MAX_QUEUED_LISTS = 100;
    private static final int MAX_SOURCES = 2;
    private static final int OK = 200;
    private static final String HTTP = "http";
    private static final String OCSP_REQUEST = "application/ocsp-request";

    /** The time reserved for parsing and for the report, at most. */
    private static final long MAX_RESERVE_MILLIS = 500;

    /** The maximum length of an encoded request for GET. */
    private static final int MAX_GET_CHARACTERS = 254;

    private static final Future<RevocationStatement> NO_URL = Future.succeededFuture(
            RevocationStatement.undetermined("an OCSP or CRL address in the certificate is not a valid http URL"));

    private interface Source extends Function<CheckContext, Future<RevocationStatement>> {}

    private interface Reader extends Function<byte[], RevocationStatement> {}

    private final Vertx vertx;
    private final HttpProbe http;
    private final AsyncSemaphore listSemaphore;

    public RevocationProbe(Vertx vertx, HttpProbe http) {
        this.vertx = vertx;
        this.http = http;
        this.listSemaphore = new AsyncSemaphore(vertx, MAX_CONCURRENT_LISTS, MAX_QUEUED_LISTS);
    }

    /**
     * Queries the sources in order until one is conclusive. A slow source does not delay the query of the next one; its
     * result counts if it arrives in time.
     *
     * @return undetermined, not failed, if a source fails or is rate limited
     */
    public Future<RevocationStatement> query(
            CheckContext context, X509Certificate certificate, X509Certificate issuer) {
        Instant at = context.clock().instant();
        List<Source> sources = new ArrayList<>();
        byte[] request = OcspCodec.request(certificate, issuer);
        Reader ocsp = bytes -> OcspCodec.read(bytes, certificate, issuer, at, "the OCSP response");
        CertificateExtensions.ocspResponders(certificate).stream()
                .limit(MAX_SOURCES)
                .forEach(url -> sources.add(share -> queryResponder(share, url, request, ocsp)));
        Reader list = bytes -> RevocationList.read(bytes, certificate, issuer, at);
        CertificateExtensions.revocationLists(certificate).stream()
                .limit(MAX_SOURCES)
                .forEach(url -> sources.add(share -> fetchList(share, url, list)));
        if (sources.isEmpty()) {
            return Future.succeededFuture(
                    RevocationStatement.undetermined("the certificate contains no OCSP or CRL address"));
        }
        long remaining = context.deadline().remainingMillis();
        long share = remaining - Math.min(MAX_RESERVE_MILLIS, remaining / 4);
        return first(context.within(context.deadline().atMost(share)), sources);
    }

    /** Queries the first source, and the next one if it is not conclusive within its share of the time. */
    private Future<RevocationStatement> first(CheckContext context, List<Source> sources) {
        Future<RevocationStatement> result = sources.get(0).apply(context);
        if (sources.size() == 1) {
            return result;
        }
        long share = context.deadline().remainingMillis() / sources.size();
        Promise<Void> proceed = ContextFutures.promise(vertx, share, Promise::tryComplete);
        result.onComplete(done -> proceed.tryComplete());
        return proceed.future()
                .compose(ready ->
                        result.failed() || result.succeeded() && result.result().determined()
                                ? result
                                : firstDetermined(result, first(context, sources.subList(1, sources.size()))));
    }

    /** The first conclusive result of the two; otherwise the second one. */
    private static Future<RevocationStatement> firstDetermined(
            Future<RevocationStatement> one, Future<RevocationStatement> other) {
        Promise<RevocationStatement> promise = Promise.promise();
        for (Future<RevocationStatement> each : List.of(one, other)) {
            each.onSuccess(answer -> {
                if (answer.determined()) {
                    promise.tryComplete(answer);
                }
            });
        }
        Future.join(one, other).compose(both -> other).onComplete(last -> ContextFutures.complete(promise, last));
        return promise.future();
    }

    private Future<RevocationStatement> queryResponder(
            CheckContext context, String responder, byte[] request, Reader reader) {
        String encoded = URLEncoder.encode(Base64.getEncoder().encodeToString(request), StandardCharsets.UTF_8);
        Target.Url byPost = TargetParser.tryUrl(responder, HTTP);
        Target.Url byGet = TargetParser.tryUrl(responder + (responder.endsWith("/") ? "" : "/") + encoded, HTTP);
        if (byPost == null || byGet == null) {
            return NO_URL;
        }
        HttpRequestSpec post = HttpRequestSpec.post(byPost, OCSP_REQUEST, Buffer.buffer(request), MAX_OCSP_BYTES);
        Future<RevocationStatement> result = encoded.length() > MAX_GET_CHARACTERS
                ? exchange(context, post, reader)
                : exchange(
                                context,
                                HttpRequestSpec.get(byGet, MAX_OCSP_BYTES).offering(HttpRequestSpec.Alpn.HTTP1),
                                reader)
                        .compose(first ->
                                first.determined() ? Future.succeededFuture(first) : exchange(context, post, reader));
        return withoutFailure(result, byPost);
    }

    private Future<RevocationStatement> fetchList(CheckContext context, String url, Reader reader) {
        Target.Url list = TargetParser.tryUrl(url, HTTP);
        if (list == null) {
            return NO_URL;
        }
        HttpRequestSpec call = HttpRequestSpec.get(list, MAX_LIST_BYTES)
                .offering(HttpRequestSpec.Alpn.HTTP1)
                .withoutRedirectBodies();
        return listSemaphore.withPermit(
                context.deadline().remainingMillis(),
                () -> withoutFailure(exchange(context, call, reader), list),
                () -> Future.succeededFuture(RevocationStatement.undetermined("too many CRLs are being downloaded")));
    }

    private Future<RevocationStatement> exchange(CheckContext context, HttpRequestSpec call, Reader reader) {
        return http.exchange(context, call).compose(exchange -> read(context, exchange, reader));
    }

    private static Future<RevocationStatement> withoutFailure(Future<RevocationStatement> result, Target.Url source) {
        return result.recover(failure -> {
            if (failure instanceof CheckFailure known) {
                return Future.succeededFuture(RevocationStatement.undetermined("the request to " + source.authority()
                        + " failed (" + known.error().code().id() + ")"));
            }
            return failure instanceof OverloadFailure
                    ? Future.succeededFuture(RevocationStatement.undetermined(
                            "the rate limit for " + source.authority() + " is exceeded"))
                    : Future.failedFuture(failure);
        });
    }

    private static Future<RevocationStatement> read(CheckContext context, HttpExchange exchange, Reader reader) {
        String host = exchange.url().authority();
        if (exchange.status() != OK) {
            return Future.succeededFuture(
                    RevocationStatement.undetermined(host + " returned status " + exchange.status()));
        }
        if (exchange.bodyError() != null || exchange.body().truncated()) {
            return Future.succeededFuture(
                    RevocationStatement.undetermined("the response of " + host + " is too large or incomplete"));
        }
        byte[] bytes = exchange.body().shared();
        return context.executeBlocking(CpuPool.Purpose.SIGNATURES, () -> reader.apply(bytes))
                .onComplete(done -> context.memory().release(bytes.length));
    }
}
