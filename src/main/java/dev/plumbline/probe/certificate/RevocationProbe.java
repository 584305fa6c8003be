package dev.plumbline.probe.certificate;

import dev.plumbline.check.CheckContext;
import dev.plumbline.check.CheckFailure;
import dev.plumbline.check.InputType;
import dev.plumbline.check.InvalidTargetException;
import dev.plumbline.check.ModuleDescription;
import dev.plumbline.check.OverloadFailure;
import dev.plumbline.check.Target;
import dev.plumbline.check.TargetParser;
import dev.plumbline.concurrent.AsyncSemaphore;
import dev.plumbline.concurrent.ContextFutures;
import dev.plumbline.probe.http.HttpExchange;
import dev.plumbline.probe.http.HttpProbe;
import dev.plumbline.probe.http.HttpRequestSpec;
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
import org.jspecify.annotations.Nullable;

/**
 * Asks the sources that a certificate names whether it is revoked: first its OCSP responders, by
 * GET and, where that gives no answer or would be too long, by POST (RFC 6960, appendix A.1), then
 * its revocation lists, over plain HTTP and through the guard.
 */
public final class RevocationProbe {
    private static final int MAX_OCSP_BYTES = 64 * 1024;
    private static final int MAX_LIST_BYTES = 8 * 1024 * 1024;

    /** Lists are large: this many at once are downloaded and read. */
    private static final int LISTS_AT_ONCE = 2;

    private static final int MOST_WAITING_FOR_LISTS = 100;
    private static final int MOST_SOURCES = 2;
    private static final int OK = 200;
    private static final String OCSP_REQUEST = "application/ocsp-request";

    /** What is kept of the time for reading the answer and for the report, at most. */
    private static final long MOST_RESERVE_MILLIS = 500;

    /** How long an encoded request may be to go by GET. */
    private static final int MOST_GET_CHARACTERS = 254;

    private static final Future<RevocationStatement> NO_URL = Future.succeededFuture(
            RevocationStatement.undetermined("the certificate names a source that is no http URL"));

    private static final ModuleDescription SOURCE = ModuleDescription.of(
                    "revocation-source", "Revocation source", InputType.URL)
            .schemes("http")
            .build();

    /** One that can be asked. */
    private interface Source extends Function<CheckContext, Future<RevocationStatement>> {}

    /** Reads what a source sent. */
    private interface Reader extends Function<byte[], RevocationStatement> {}

    private final Vertx vertx;
    private final HttpProbe http;
    private final AsyncSemaphore lists;

    public RevocationProbe(Vertx vertx, HttpProbe http) {
        this.vertx = vertx;
        this.http = http;
        this.lists = new AsyncSemaphore(vertx, LISTS_AT_ONCE, MOST_WAITING_FOR_LISTS);
    }

    /**
     * Asks each source in turn until one gives an answer that counts; nobody waits for one that is
     * slow before the next is asked, but an answer in time counts from whomever it comes.
     *
     * @return undetermined, not failed, when a source is at fault or there is no room to ask it
     */
    public Future<RevocationStatement> ask(CheckContext context, X509Certificate certificate, X509Certificate issuer) {
        Instant at = context.clock().instant();
        List<Source> sources = new ArrayList<>();
        byte[] request = OcspCodec.request(certificate, issuer);
        Reader ocsp = bytes -> OcspCodec.read(bytes, certificate, issuer, at, "The OCSP responder");
        CertificateExtensions.ocspResponders(certificate).stream()
                .limit(MOST_SOURCES)
                .forEach(url -> sources.add(share -> askResponder(share, url, request, ocsp)));
        Reader list = bytes -> RevocationList.read(bytes, certificate, issuer, at);
        CertificateExtensions.revocationLists(certificate).stream()
                .limit(MOST_SOURCES)
                .forEach(url -> sources.add(share -> fetchList(share, url, list)));
        if (sources.isEmpty()) {
            return Future.succeededFuture(
                    RevocationStatement.undetermined("the certificate names no source that can be asked"));
        }
        long left = context.deadline().remainingMillis();
        long share = left - Math.min(MOST_RESERVE_MILLIS, left / 4);
        return first(context.within(context.deadline().atMost(share)), sources);
    }

    /**
     * Asks the first source, and the next one when that gave no answer that counts or keeps silent
     * for its share of the time. Whatever comes before the end counts, also from who was slow.
     */
    private Future<RevocationStatement> first(CheckContext context, List<Source> sources) {
        Future<RevocationStatement> answer = sources.get(0).apply(context);
        if (sources.size() == 1) {
            return answer;
        }
        Promise<Void> enough = Promise.promise();
        long share = Math.max(1, context.deadline().remainingMillis() / sources.size());
        long timer = vertx.setTimer(share, passed -> enough.tryComplete());
        answer.onComplete(done -> {
            vertx.cancelTimer(timer);
            enough.tryComplete();
        });
        return enough.future()
                .compose(moveOn ->
                        answer.failed() || answer.succeeded() && answer.result().determined()
                                ? answer
                                : either(answer, first(context, sources.subList(1, sources.size()))));
    }

    /** The first answer of two that counts; the second where neither does. */
    private static Future<RevocationStatement> either(
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

    private Future<RevocationStatement> askResponder(
            CheckContext context, String responder, byte[] request, Reader reader) {
        String encoded = URLEncoder.encode(Base64.getEncoder().encodeToString(request), StandardCharsets.UTF_8);
        Target.Url byPost = source(responder);
        Target.Url byGet = source(responder + (responder.endsWith("/") ? "" : "/") + encoded);
        if (byPost == null || byGet == null) {
            return NO_URL;
        }
        HttpRequestSpec post = HttpRequestSpec.post(byPost, OCSP_REQUEST, Buffer.buffer(request), MAX_OCSP_BYTES);
        Future<RevocationStatement> answer = encoded.length() > MOST_GET_CHARACTERS
                ? exchange(context, post, reader)
                : exchange(context, HttpRequestSpec.get(byGet, MAX_OCSP_BYTES).overHttp1(), reader)
                        .compose(first ->
                                first.determined() ? Future.succeededFuture(first) : exchange(context, post, reader));
        return unanswered(answer, byPost);
    }

    private Future<RevocationStatement> fetchList(CheckContext context, String url, Reader reader) {
        Target.Url list = source(url);
        if (list == null) {
            return NO_URL;
        }
        HttpRequestSpec call =
                HttpRequestSpec.get(list, MAX_LIST_BYTES).overHttp1().withoutRedirectBodies();
        return lists.withPermit(
                context.deadline().remainingMillis(),
                () -> unanswered(exchange(context, call, reader), list),
                () -> Future.succeededFuture(
                        RevocationStatement.undetermined("too many revocation lists are being read at once")));
    }

    private static Target.@Nullable Url source(String url) {
        try {
            return (Target.Url) TargetParser.parse(SOURCE, url);
        } catch (InvalidTargetException wrong) {
            return null;
        }
    }

    private Future<RevocationStatement> exchange(CheckContext context, HttpRequestSpec call, Reader reader) {
        return http.exchange(context, call).compose(exchange -> read(exchange, reader));
    }

    private static Future<RevocationStatement> unanswered(Future<RevocationStatement> answer, Target.Url source) {
        return answer.recover(failure -> {
            if (failure instanceof CheckFailure known) {
                return Future.succeededFuture(RevocationStatement.undetermined(
                        source.authority() + " did not answer: " + known.error().message()));
            }
            return failure instanceof OverloadFailure
                    ? Future.succeededFuture(
                            RevocationStatement.undetermined(source.authority() + " is asked too often at the moment"))
                    : Future.failedFuture(failure);
        });
    }

    private Future<RevocationStatement> read(HttpExchange exchange, Reader reader) {
        String host = exchange.url().authority();
        if (exchange.status() != OK) {
            return Future.succeededFuture(
                    RevocationStatement.undetermined(host + " answered with status " + exchange.status()));
        }
        if (exchange.bodyError() != null || exchange.body().truncated()) {
            return Future.succeededFuture(
                    RevocationStatement.undetermined(host + " sent an answer that is too large or broken off"));
        }
        byte[] bytes = exchange.body().shared();
        return vertx.executeBlocking(() -> reader.apply(bytes), false);
    }
}
