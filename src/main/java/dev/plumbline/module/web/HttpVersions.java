package dev.plumbline.module.web;

import com.google.auto.service.AutoService;
import dev.plumbline.check.CheckContext;
import dev.plumbline.check.CheckFailure;
import dev.plumbline.check.CheckModule;
import dev.plumbline.check.RegisteredModule;
import dev.plumbline.probe.dns.DnsLookupResult;
import dev.plumbline.probe.dns.DnsProbe;
import dev.plumbline.probe.http.HttpExchange;
import dev.plumbline.probe.http.HttpProbe;
import dev.plumbline.probe.http.HttpRequestSpec;
import dev.plumbline.probe.http.HttpRequestSpec.Alpn;
import dev.plumbline.result.CheckError;
import dev.plumbline.result.ErrorCode;
import dev.plumbline.sheet.FindingCollector;
import dev.plumbline.sheet.NullOnError;
import dev.plumbline.sheet.Options;
import dev.plumbline.target.IpAddressText;
import dev.plumbline.target.Target;
import io.vertx.core.Future;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.xbill.DNS.HTTPSRecord;

/**
 * The HTTP versions that a server supports or advertises. HTTP/3 is tested at the address of the first response and,
 * whatever the server advertises, at no other host.
 */
@AutoService(RegisteredModule.class)
public final class HttpVersions
        implements CheckModule<HttpVersions.Evidence, HttpVersions.Report, HttpVersions.Findings> {
    private static final String HTTP2 = "h2";
    static final String HTTP3 = "h3";
    private static final String DRAFT_OF_HTTP3 = "h3-";
    private static final int MAX_ALIASES = 2;

    /** Errors of the server that prove that a request over HTTP/3 is not possible. */
    private static final Set<ErrorCode> FAILURES = Set.of(
            ErrorCode.CONNECT_REFUSED,
            ErrorCode.CONNECTION_RESET,
            ErrorCode.TLS_HANDSHAKE_FAILED,
            ErrorCode.TLS_UNTRUSTED,
            ErrorCode.HTTP_PROTOCOL_ERROR);

    /** The fields of the report. In a result with an error, http1 and http2 can be null. */
    public record Report(
            @NullOnError Boolean http1,
            @NullOnError Boolean http2,
            @Nullable Boolean http3,
            boolean http3Advertised,
            @Nullable String altSvc,
            @Nullable String alpn) {}

    public interface Findings extends FindingCollector {
        void plainHttp();

        void http2Missing();

        void http2NotSelected(String alpn);

        void http2Broken(String reason);

        void http1Missing();

        void http10(String version);

        void http3Broken(String reason);

        void http3NotAdvertised(int port);

        void http3NotTested(String reason);

        void http3Missing();

        void http3Drafts(List<String> protocols);

        void http3NotInDns(String host);

        void httpsRecordUnknown(String reason);

        void altSvcInvalid(String value);

        void redirectNotFollowed(int status, String location);
    }

    /**
     * One request with an offer of protocols.
     *
     * @param exchange null if there is no response
     * @param error the error of the request; null if the server responded or rejected the offer
     */
    public record Attempt(@Nullable HttpExchange exchange, @Nullable CheckError error) {

        static Attempt of(HttpExchange exchange) {
            return new Attempt(exchange, null);
        }
    }

    /**
     * One request over HTTP/3.
     *
     * @param port the UDP port
     * @param responded whether the server sent a response
     * @param error the error of the request; null if the server responded, and if it sent nothing without a conclusion
     */
    public record Http3Attempt(int port, boolean responded, @Nullable CheckError error) {}

    /**
     * @param both the request that offers HTTP/2 and HTTP/1.1
     * @param http1 the request that offers HTTP/1.1 only; null if it was not necessary
     * @param http2 the request that offers HTTP/2 only; null if it was not necessary
     * @param http3 null for {@code http:} URLs, and if the first request failed
     * @param records the lookups of HTTPS records, following aliases; empty if the host is an address
     */
    public record Evidence(
            Target.Url url,
            Attempt both,
            @Nullable Attempt http1,
            @Nullable Attempt http2,
            @Nullable Http3Attempt http3,
            List<DnsLookupResult> records) {}

    @Override
    public Future<Evidence> collect(Target target, CheckContext context) {
        Target.Url url = (Target.Url) target;
        HttpRequestSpec request = HttpRequestSpec.get(url, 0);
        return context.probe(HttpProbe.class)
                .exchange(context, request)
                .map(Attempt::of)
                .recover(HttpVersions::attemptOfBrokenHttp2)
                .compose(both -> collectOthers(context, url, request, both));
    }

    private static Future<Evidence> collectOthers(
            CheckContext context, Target.Url url, HttpRequestSpec request, Attempt both) {
        Future<List<DnsLookupResult>> records = lookup(context, url);
        Future<@Nullable Http3Attempt> http3 = records.compose(found -> http3(context.patiently(), url, both, found));
        HttpExchange first = both.exchange();
        boolean second = first != null && first.version().equals("2");
        Future<@Nullable Attempt> http1 = first == null || second
                ? attempt(context.patiently(), request.offering(Alpn.HTTP1))
                : Future.succeededFuture();
        Future<@Nullable Attempt> http2 = http1.compose(ignored -> url.secure() && !second
                ? attempt(context.patiently(), request.offering(Alpn.HTTP2))
                : Future.succeededFuture());
        // after a failure too, the check ends when the others have ended
        return Future.join(http2, http3)
                .map(ended ->
                        new Evidence(url, both, http1.result(), http2.result(), http3.result(), records.result()));
    }

    private static Future<@Nullable Http3Attempt> http3(
            CheckContext context, Target.Url url, Attempt both, List<DnsLookupResult> records) {
        HttpExchange first = both.exchange();
        if (first == null || !url.secure()) {
            return Future.succeededFuture();
        }
        Http3Service service = Http3Service.of(url, first.headers().joined("alt-svc"), records);
        if (service.otherHost() != null) {
            String message =
                    "It is advertised only for the host %s, which is not contacted.".formatted(service.otherHost());
            return Future.succeededFuture(
                    new Http3Attempt(service.port(), false, new CheckError(ErrorCode.TARGET_BLOCKED, message)));
        }
        return context.probe(HttpProbe.class)
                .sendHttp3(context, url, IpAddressText.of(first.ip()), service.port(), service.advertised())
                .map(status -> new Http3Attempt(service.port(), status.isPresent(), null))
                .recover(CheckFailure.otherwise(error -> new Http3Attempt(service.port(), false, error)));
    }

    /** A server can select HTTP/2 and then violate the protocol. HTTP/1.1 can work nevertheless. */
    private static Future<Attempt> attemptOfBrokenHttp2(Throwable cause) {
        return CheckFailure.hasCode(cause, ErrorCode.HTTP_PROTOCOL_ERROR)
                ? Future.succeededFuture(new Attempt(null, ((CheckFailure) cause).error()))
                : Future.failedFuture(cause);
    }

    private static Future<@Nullable Attempt> attempt(CheckContext context, HttpRequestSpec request) {
        return context.probe(HttpProbe.class)
                .negotiate(context, request)
                .map(response -> new Attempt(response.orElse(null), null))
                .recover(CheckFailure.otherwise(error -> new Attempt(null, error)));
    }

    private static Future<List<DnsLookupResult>> lookup(CheckContext context, Target.Url url) {
        if (url.host().literal() != null) {
            return Future.succeededFuture(List.of());
        }
        // RFC 9460 section 9.1
        String name = url.port() == Target.Url.defaultPort(url.scheme())
                ? url.host().name()
                : "_" + url.port() + "._https." + url.host().name();
        return lookup(context, name, List.of());
    }

    private static Future<List<DnsLookupResult>> lookup(
            CheckContext context, String name, List<DnsLookupResult> before) {
        return context.probe(DnsProbe.class).lookup(context, name, "HTTPS").compose(found -> {
            List<DnsLookupResult> all = new ArrayList<>(before);
            all.add(found);
            // a record in AliasMode (RFC 9460 section 2.4.2) that refers to another name
            return records(found)
                    .filter(record -> record.getSvcPriority() == 0
                            && record.getTargetName().labels() > 1
                            && all.size() <= MAX_ALIASES)
                    .findFirst()
                    .map(alias -> lookup(context, alias.getTargetName().toString(true), all))
                    .orElse(Future.succeededFuture(all));
        });
    }

    static Stream<HTTPSRecord> records(DnsLookupResult lookup) {
        return lookup.records().stream().filter(HTTPSRecord.class::isInstance).map(HTTPSRecord.class::cast);
    }

    @Override
    public @Nullable Report evaluate(Evidence evidence, Options options, Findings findings) {
        Attempt both = evidence.both();
        Attempt one = evidence.http1();
        Attempt two = evidence.http2();
        HttpExchange first = both.exchange() != null ? both.exchange() : one == null ? null : one.exchange();
        if (first == null) {
            CheckError second = one == null ? null : one.error();
            // HTTP/1.1 was not tried if the time limit passed, so the result must not be cached
            findings.error(second != null && !second.code().cacheable() ? second : both.error());
            return null;
        }
        String selected = first.alpn();
        Boolean http1 = first.version().startsWith("1") ? Boolean.TRUE : supports(one, "1");
        Boolean http2 = first.version().equals("2") ? Boolean.TRUE : supports(two, "2");
        CheckError error = two == null ? null : two.error();
        if (!evidence.url().secure()) {
            http2 = false;
            findings.plainHttp();
        } else if (error != null && error.code() == ErrorCode.HTTP_PROTOCOL_ERROR) {
            http2 = false;
            selected = both.exchange() == null ? HTTP2 : selected;
            findings.http2Broken(error.message());
        } else if (http2 == null) {
            findings.error(error);
        } else if (!http2) {
            findings.http2Missing();
        } else if (!HTTP2.equals(selected)) {
            findings.http2NotSelected(selected == null ? "no protocol" : selected);
        }
        if (http1 == null) {
            findings.error(one == null ? null : one.error());
        } else if (!http1) {
            findings.http1Missing();
        } else if (first.version().equals("1.0")) {
            findings.http10(first.version());
        }
        String altSvc = altSvc(first, one, two);
        boolean http3Advertised = evaluateHttp3(evidence, altSvc, findings);
        if (first.redirects()) {
            findings.redirectNotFollowed(first.status(), first.location());
        }
        return new Report(http1, http2, supportsHttp3(evidence.http3()), http3Advertised, altSvc, selected);
    }

    /** Null if it is not known. */
    private static @Nullable Boolean supports(@Nullable Attempt attempt, String version) {
        if (attempt == null || attempt.error() != null) {
            return attempt == null ? Boolean.FALSE : null;
        }
        HttpExchange response = attempt.exchange();
        // 426 and 505: the server refuses this version (RFC 9110 sections 15.5.22 and 15.6.6)
        return response != null
                && response.version().startsWith(version)
                && response.status() != 426
                && response.status() != 505;
    }

    /** Null if it is not known. */
    private static @Nullable Boolean supportsHttp3(@Nullable Http3Attempt attempt) {
        CheckError error = attempt == null ? null : attempt.error();
        if (error != null) {
            return FAILURES.contains(error.code()) ? Boolean.FALSE : null;
        }
        return attempt != null && attempt.responded() ? Boolean.TRUE : null;
    }

    private static @Nullable String altSvc(HttpExchange first, @Nullable Attempt one, @Nullable Attempt two) {
        return Stream.of(Attempt.of(first), one, two)
                .filter(attempt -> attempt != null && attempt.exchange() != null)
                .map(attempt -> attempt.exchange().headers().joined("alt-svc"))
                .filter(Objects::nonNull)
                .findFirst()
                .orElse(null);
    }

    private static boolean evaluateHttp3(Evidence evidence, @Nullable String header, Findings findings) {
        List<String> protocols = List.of();
        if (header != null && evidence.url().secure()) {
            AltSvc altSvc = AltSvc.parse(header);
            protocols = altSvc.protocols();
            if (!altSvc.valid()) {
                findings.altSvcInvalid(header);
            }
        }
        List<String> drafts =
                protocols.stream().filter(id -> id.startsWith(DRAFT_OF_HTTP3)).toList();
        boolean inHeader = protocols.contains(HTTP3);
        boolean inDns =
                evidence.records().stream().flatMap(HttpVersions::records).anyMatch(Http3Service::isAdvertisedBy);
        Http3Attempt attempt = evidence.http3();
        boolean supported = evaluateAttempt(attempt, inHeader || inDns, findings);
        CheckError failed = evidence.records().stream()
                .map(DnsLookupResult::error)
                .filter(Objects::nonNull)
                .findFirst()
                .orElse(null);
        if (failed != null && !inDns) {
            findings.httpsRecordUnknown(failed.message());
        } else if (inHeader && !inDns && !evidence.records().isEmpty()) {
            findings.http3NotInDns(evidence.url().host().name());
        } else if (!inHeader && !inDns && !drafts.isEmpty()) {
            findings.http3Drafts(drafts);
        } else if (!inHeader && !inDns && attempt != null && supported) {
            findings.http3NotAdvertised(attempt.port());
        } else if (!inHeader && !inDns && evidence.url().secure()) {
            findings.http3Missing();
        }
        return inHeader || inDns;
    }

    /** Returns whether the server supports HTTP/3. */
    private static boolean evaluateAttempt(@Nullable Http3Attempt attempt, boolean advertised, Findings findings) {
        if (attempt == null || attempt.error() == null) {
            return attempt != null && attempt.responded();
        }
        CheckError error = attempt.error();
        // a missing response, which firewalls and packet loss can cause too
        boolean silent = error.code() == ErrorCode.READ_TIMEOUT;
        if (!silent && !FAILURES.contains(error.code())) {
            findings.http3NotTested(error.message());
        } else if (advertised) {
            findings.http3Broken(error.message());
        }
        return false;
    }
}
