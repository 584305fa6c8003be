package dev.plumbline.module.web;

import static dev.plumbline.sheet.FindingCollector.reportIfAny;

import com.google.auto.service.AutoService;
import dev.plumbline.check.CheckContext;
import dev.plumbline.check.CheckFailure;
import dev.plumbline.check.CheckModule;
import dev.plumbline.check.RegisteredModule;
import dev.plumbline.egress.RegistrableDomains;
import dev.plumbline.probe.http.HttpExchange;
import dev.plumbline.probe.http.HttpProbe;
import dev.plumbline.probe.http.HttpRequestSpec;
import dev.plumbline.probe.http.ResponseHeaders;
import dev.plumbline.sheet.FindingCollector;
import dev.plumbline.sheet.Options;
import dev.plumbline.target.Target;
import io.vertx.core.Future;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Which origins can read the responses of a URL by Cross-Origin Resource Sharing. */
@AutoService(RegisteredModule.class)
public final class Cors implements CheckModule<Cors.Evidence, Cors.Report, Cors.Findings> {
    /** An origin that no server allows by configuration; the top-level domain is reserved (RFC 2606). */
    static final String UNRELATED_ORIGIN = "https://cors-check.example";

    static final String NULL_ORIGIN = "null";
    private static final String UNRELATED_DOMAIN = "cors-check.example";
    private static final String NOT_SET = "not set";
    private static final RegistrableDomains DOMAINS = new RegistrableDomains();

    /** Headers of a preflight request for JSON sent by POST. */
    private static final String PREFLIGHT_METHOD = "POST";

    private static final String PREFLIGHT_HEADER = "content-type";

    public record Report(
            @Nullable String allowOrigin,
            boolean allowCredentials,
            boolean reflectsOrigin,
            boolean nullOriginAllowed,
            @Nullable Integer preflightStatus) {}

    public interface Findings extends FindingCollector {
        void anyOriginWithCredentials(String origin);

        void nullOriginWithCredentials();

        void similarOriginWithCredentials(List<String> origins);

        void nullOriginAllowed();

        void similarOriginAllowed(List<String> origins);

        void insecureOriginAllowed(String origin);

        void wildcardWithCredentials();

        void severalOrigins(String value);

        void allowOriginInvalid(String value);

        void allowCredentialsInvalid(String value);

        void originBlocked(String origin, String value);

        void preflightRedirects(int status);

        void preflightRejected(int status);

        void preflightOriginBlocked(String value);

        void preflightHeaderMissing(String header, String value);

        void preflightFailed(String error);

        void varyMissing(String vary);

        void anyOrigin(String value);

        void corsNotEnabled(String origin);

        void originsIncomplete(List<String> origins);

        void redirectNotFollowed(int status);
    }

    /**
     * The CORS headers of one response.
     *
     * @param origin the Origin of the request
     */
    record Response(String origin, int status, boolean redirects, ResponseHeaders headers) {
        static Response of(String origin, HttpExchange exchange) {
            return new Response(origin, exchange.status(), exchange.redirects(), exchange.headers());
        }

        @Nullable
        String allowOrigin() {
            return headers.joined("access-control-allow-origin");
        }

        boolean allowsCredentials() {
            return "true".equals(headers.joined("access-control-allow-credentials"));
        }

        /** The CORS check of the Fetch Standard for a request without credentials. */
        boolean allowed() {
            return "*".equals(allowOrigin()) || origin.equals(allowOrigin());
        }

        /** The CORS check of the Fetch Standard for a request with credentials. */
        boolean allowedWithCredentials() {
            return origin.equals(allowOrigin()) && allowsCredentials();
        }

        boolean echoes() {
            return origin.equals(allowOrigin());
        }
    }

    /** @param error why there is no response; empty if there is one */
    record Preflight(@Nullable Response response, String error) {}

    /**
     * @param requested the response for the origin of the option
     * @param unrelated the response for {@link #UNRELATED_ORIGIN}
     * @param similar the responses for origins that resemble the target; null for a failed request
     */
    public record Evidence(
            Response requested,
            Response unrelated,
            Response nullOrigin,
            Map<String, @Nullable Response> similar,
            Preflight preflight) {}

    @Override
    public Future<Evidence> collect(Target target, CheckContext context) {
        HttpRequestSpec request = HttpRequestSpec.get((Target.Url) target, 0);
        String option = context.options().optionalText("origin");
        String origin = option == null ? UNRELATED_ORIGIN : option;
        CheckContext patient = context.patiently();
        return send(context, request, origin).compose(requested -> (option == null
                        ? Future.succeededFuture(requested)
                        : send(patient, request, UNRELATED_ORIGIN))
                .compose(unrelated -> collectMore(patient, request, requested, unrelated)));
    }

    private static Future<Evidence> collectMore(
            CheckContext context, HttpRequestSpec request, Response requested, Response unrelated) {
        return send(context, request, NULL_ORIGIN).compose(nullOrigin -> sendSimilar(context, request, unrelated)
                .compose(similar -> sendPreflight(context, request.url(), requested.origin())
                        .map(preflight -> new Evidence(requested, unrelated, nullOrigin, similar, preflight))));
    }

    private static Future<Preflight> sendPreflight(CheckContext context, Target.Url url, String origin) {
        HttpRequestSpec request = HttpRequestSpec.options(url)
                .with("access-control-request-method", PREFLIGHT_METHOD)
                .with("access-control-request-headers", PREFLIGHT_HEADER);
        return send(context, request, origin)
                .map(response -> new Preflight(response, ""))
                .recover(CheckFailure.otherwise(error -> new Preflight(null, error.message())));
    }

    /** Requests with origins that pass faulty comparisons, unless any origin is allowed. */
    private static Future<Map<String, @Nullable Response>> sendSimilar(
            CheckContext context, HttpRequestSpec request, Response unrelated) {
        Future<Map<String, @Nullable Response>> all = Future.succeededFuture(new LinkedHashMap<>());
        for (String origin : unrelated.allowed() ? List.<String>of() : similarOrigins(request.url())) {
            all = all.compose(responses -> send(context, request, origin)
                    .recover(CheckFailure.otherwise(error -> null))
                    .map(response -> {
                        responses.put(origin, response);
                        return responses;
                    }));
        }
        return all;
    }

    private static Future<Response> send(CheckContext context, HttpRequestSpec request, String origin) {
        return context.probe(HttpProbe.class)
                .exchange(context, request.with("origin", origin))
                .map(exchange -> Response.of(origin, exchange));
    }

    /** Origins of other sites that begin or end like the target, and the target over HTTP. */
    static List<String> similarOrigins(Target.Url url) {
        if (url.host().literal() != null) {
            return List.of();
        }
        String host = url.host().name();
        List<String> origins = new ArrayList<>(
                List.of("https://" + host + "." + UNRELATED_DOMAIN, "https://cors-check-" + DOMAINS.of(host)));
        if (url.secure()) {
            origins.add("http://" + host);
        }
        return origins;
    }

    @Override
    public Report evaluate(Evidence evidence, Options options, Findings findings) {
        Response requested = evidence.requested();
        Response unrelated = evidence.unrelated();
        boolean reflects = unrelated.echoes();
        evaluateOtherOrigins(evidence, findings);
        evaluateHeaders(requested, findings);
        boolean given = !requested.origin().equals(UNRELATED_ORIGIN);
        if (given && !requested.allowed()) {
            findings.originBlocked(requested.origin(), Objects.requireNonNullElse(requested.allowOrigin(), NOT_SET));
        }
        if (requested.allowed() || given) {
            evaluatePreflight(evidence, findings);
        }
        evaluateVary(evidence, findings);
        String allowOrigin = unrelated.allowOrigin();
        if (allowOrigin != null && unrelated.allowed() && !unrelated.allowsCredentials()) {
            findings.anyOrigin(allowOrigin);
        } else if (!given && allowOrigin == null) {
            findings.corsNotEnabled(UNRELATED_ORIGIN);
        }
        if (requested.redirects()) {
            findings.redirectNotFollowed(requested.status());
        }
        Response preflight = evidence.preflight().response();
        return new Report(
                requested.allowOrigin(),
                requested.allowsCredentials(),
                reflects,
                evidence.nullOrigin().echoes(),
                preflight == null ? null : preflight.status());
    }

    private static void evaluateOtherOrigins(Evidence evidence, Findings findings) {
        Response unrelated = evidence.unrelated();
        Response nullOrigin = evidence.nullOrigin();
        if (unrelated.allowedWithCredentials()) {
            findings.anyOriginWithCredentials(unrelated.origin());
        }
        if (!unrelated.echoes() && nullOrigin.allowedWithCredentials()) {
            findings.nullOriginWithCredentials();
        } else if (!unrelated.echoes() && nullOrigin.echoes()) {
            findings.nullOriginAllowed();
        }
        List<String> withCredentials = new ArrayList<>();
        List<String> allowed = new ArrayList<>();
        List<String> failed = new ArrayList<>();
        evidence.similar().forEach((origin, response) -> {
            if (response == null) {
                failed.add(origin);
            } else if (origin.startsWith("http:")) {
                if (response.echoes()) {
                    findings.insecureOriginAllowed(origin);
                }
            } else if (response.allowedWithCredentials()) {
                withCredentials.add(origin);
            } else if (response.echoes()) {
                allowed.add(origin);
            }
        });
        reportIfAny(withCredentials, findings::similarOriginWithCredentials);
        reportIfAny(allowed, findings::similarOriginAllowed);
        reportIfAny(failed, findings::originsIncomplete);
    }

    private static void evaluateHeaders(Response response, Findings findings) {
        String value = response.allowOrigin();
        String credentials = response.headers().joined("access-control-allow-credentials");
        if (value != null && value.contains(",")) {
            findings.severalOrigins(value);
        } else if (value != null && !isAllowOrigin(value)) {
            findings.allowOriginInvalid(value);
        }
        if ("*".equals(value) && response.allowsCredentials()) {
            findings.wildcardWithCredentials();
        }
        if (credentials != null && !credentials.equals("true")) {
            findings.allowCredentialsInvalid(credentials);
        }
    }

    private static void evaluatePreflight(Evidence evidence, Findings findings) {
        Response preflight = evidence.preflight().response();
        if (preflight == null) {
            findings.preflightFailed(evidence.preflight().error());
        } else if (preflight.status() / 100 == 3) {
            findings.preflightRedirects(preflight.status());
        } else if (preflight.status() / 100 != 2) {
            findings.preflightRejected(preflight.status());
        } else if (!preflight.allowed()) {
            if (evidence.requested().allowed()) {
                findings.preflightOriginBlocked(Objects.requireNonNullElse(preflight.allowOrigin(), NOT_SET));
            }
        } else if (Collections.disjoint(
                preflight.headers().elements("access-control-allow-headers"), List.of(PREFLIGHT_HEADER, "*"))) {
            findings.preflightHeaderMissing(
                    PREFLIGHT_HEADER,
                    Objects.requireNonNullElse(preflight.headers().joined("access-control-allow-headers"), NOT_SET));
        }
    }

    /** Shared caches can return a response for another origin if the header depends on the Origin. */
    private static void evaluateVary(Evidence evidence, Findings findings) {
        List<Response> responses =
                new ArrayList<>(List.of(evidence.requested(), evidence.unrelated(), evidence.nullOrigin()));
        evidence.similar().values().stream().filter(Objects::nonNull).forEach(responses::add);
        boolean differ =
                responses.stream().map(Response::allowOrigin).distinct().count() > 1;
        for (Response response : responses) {
            List<String> names = response.headers().elements("vary");
            String caching = response.headers().joined("cache-control");
            boolean stored =
                    caching == null || !caching.toLowerCase(Locale.ROOT).contains("no-store");
            if (differ && stored && !names.contains("origin") && !names.contains("*")) {
                findings.varyMissing(
                        Objects.requireNonNullElse(response.headers().joined("vary"), NOT_SET));
                return;
            }
        }
    }

    /** Whether browsers can match the value: {@code *}, {@code null} or a serialized origin. */
    static boolean isAllowOrigin(String value) {
        return value.equals("*") || value.equals(NULL_ORIGIN) || isOrigin(value);
    }

    private static boolean isOrigin(String value) {
        int authority = value.indexOf("://") + 3;
        return authority > 3
                && authority < value.length()
                && value.chars().allMatch(c -> c > 0x20 && c < 0x7f && (c < 'A' || c > 'Z'))
                && value.substring(authority).chars().noneMatch(c -> "/?#@*".indexOf(c) >= 0);
    }
}
