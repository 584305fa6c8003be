package dev.plumbline.module.web;

import static dev.plumbline.sheet.FindingCollector.reportIfAny;

import com.google.auto.service.AutoService;
import com.google.common.base.Ascii;
import dev.plumbline.check.CheckContext;
import dev.plumbline.check.CheckModule;
import dev.plumbline.check.RegisteredModule;
import dev.plumbline.egress.RegistrableDomains;
import dev.plumbline.module.web.header.HstsPolicy;
import dev.plumbline.probe.http.HttpExchange;
import dev.plumbline.probe.http.HttpProbe;
import dev.plumbline.probe.http.HttpRequestSpec;
import dev.plumbline.probe.http.RedirectLocation;
import dev.plumbline.probe.http.RedirectTrace;
import dev.plumbline.result.CheckError;
import dev.plumbline.result.ErrorCode;
import dev.plumbline.sheet.FindingCollector;
import dev.plumbline.sheet.Options;
import dev.plumbline.target.Target;
import io.vertx.core.Future;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The HSTS policy of a domain, and whether the HSTS preload list accepts the domain. */
@AutoService(RegisteredModule.class)
public record Hsts(WebPorts ports) implements CheckModule<Hsts.Evidence, Hsts.Report, Hsts.Findings> {
    private static final String HEADER = "strict-transport-security";
    private static final RegistrableDomains DOMAINS = new RegistrableDomains();

    /** The errors of a server that does not offer HTTPS. */
    private static final Set<ErrorCode> NO_HTTPS = Set.of(ErrorCode.CONNECT_REFUSED, ErrorCode.TLS_HANDSHAKE_FAILED);

    private static final Report ABSENT = new Report(false, null, false, false, false, List.of());

    public Hsts() {
        this(WebPorts.STANDARD);
    }

    public record Report(
            boolean present,
            @Nullable Long maxAge,
            boolean includeSubdomains,
            boolean preload,
            boolean preloadReady,
            List<String> errors) {}

    public interface Findings extends FindingCollector {
        void httpsUnavailable(String domain, String reason);

        void certificateInvalid(String reason);

        void hstsMissing(String domain);

        void hstsInvalid(String reason);

        void hstsOff();

        void hstsShort(long maxAge);

        void hstsSeveral(int count);

        void hstsMalformed(List<String> errors);

        void hstsNotForSubdomains();

        void hstsOverHttp();

        void hstsPreloadUnready(List<String> reasons);

        void errorPage(int status);
    }

    /**
     * The first response of each host, before redirects.
     *
     * @param certificateError why the certificate is not valid; null if it is valid or was not received
     * @param http null if it was not requested
     * @param www over HTTPS; null if it was not requested
     */
    public record Evidence(
            String domain,
            RedirectTrace https,
            @Nullable CheckError certificateError,
            @Nullable RedirectTrace http,
            @Nullable RedirectTrace www) {

        private Evidence with(@Nullable RedirectTrace plain, @Nullable RedirectTrace wwwTrace) {
            return new Evidence(domain, https, certificateError, plain, wwwTrace);
        }
    }

    @Override
    public Future<Evidence> collect(Target target, CheckContext context) {
        String domain = target.text();
        HttpRequestSpec secure = HttpRequestSpec.get(ports.https(domain, "/"), 0);
        return first(context, secure)
                .compose(trace -> isUntrusted(trace)
                        ? first(context.patiently(), secure.verifyingTls(false))
                                .map(again -> new Evidence(domain, again, trace.error(), null, null))
                        : Future.succeededFuture(new Evidence(domain, trace, null, null, null)))
                .compose(evidence ->
                        evidence.https().last() == null && !TraceErrors.startsWith(evidence.https(), NO_HTTPS)
                                ? Future.succeededFuture(evidence)
                                : first(context.patiently(), HttpRequestSpec.get(ports.http(domain, "/"), 0))
                                        .map(http -> evidence.with(http, null)))
                .compose(evidence -> !requestsPreload(evidence)
                        ? Future.succeededFuture(evidence)
                        : first(context.patiently(), HttpRequestSpec.get(ports.https("www." + domain, "/"), 0))
                                .map(www -> evidence.with(evidence.http(), www)));
    }

    private static Future<RedirectTrace> first(CheckContext context, HttpRequestSpec request) {
        return context.probe(HttpProbe.class).follow(context, request, 0);
    }

    private static boolean isUntrusted(RedirectTrace trace) {
        return TraceErrors.startsWith(trace, Set.of(ErrorCode.TLS_UNTRUSTED));
    }

    private static boolean requestsPreload(Evidence evidence) {
        HttpExchange response = evidence.https().last();
        String header = response == null ? null : response.headers().first(HEADER);
        return header != null && HstsPolicy.parse(header).preload();
    }

    @Override
    public @Nullable Report evaluate(Evidence evidence, Options options, Findings findings) {
        HttpExchange response = evidence.https().last();
        HttpExchange plain = evidence.http() == null ? null : evidence.http().last();
        if (response == null) {
            CheckError error = Objects.requireNonNull(evidence.https().error());
            if (plain == null || !NO_HTTPS.contains(error.code())) {
                findings.error(error);
                return null;
            }
            findings.httpsUnavailable(evidence.domain(), error.message());
            return ABSENT;
        }
        if (evidence.certificateError() != null) {
            findings.certificateInvalid(evidence.certificateError().message());
        }
        List<String> values = response.headers().all(HEADER);
        if (values.isEmpty()) {
            findings.hstsMissing(evidence.domain());
            if (response.status() >= 400) {
                findings.errorPage(response.status());
            }
        }
        Report report =
                values.isEmpty() ? ABSENT : report(HstsPolicy.parse(values.get(0)), values.size(), evidence, findings);
        if (plain != null && plain.headers().has(HEADER)) {
            findings.hstsOverHttp();
        }
        return report;
    }

    private static Report report(HstsPolicy policy, int count, Evidence evidence, Findings findings) {
        List<String> errors = new ArrayList<>();
        if (count > 1) {
            errors.add("The header is sent " + count + " times.");
        }
        if (!policy.fault().isEmpty()) {
            errors.add("The header is invalid because " + policy.fault() + ".");
            findings.hstsInvalid(policy.fault());
        }
        policy.deviations()
                .forEach(
                        deviation -> errors.add(Ascii.toUpperCase(deviation.charAt(0)) + deviation.substring(1) + '.'));
        Long maxAge = policy.maxAge();
        if (maxAge != null && maxAge == 0) {
            findings.hstsOff();
        } else if (maxAge != null && maxAge < HstsPolicy.MIN_MAX_AGE_SECONDS) {
            findings.hstsShort(maxAge);
        }
        List<String> unmet = unmetByPreload(policy, evidence);
        if (policy.preload() && !unmet.isEmpty()) {
            errors.addAll(unmet);
            findings.hstsPreloadUnready(unmet);
        }
        if (count > 1) {
            findings.hstsSeveral(count);
        }
        reportIfAny(policy.deviations(), findings::hstsMalformed);
        if (maxAge != null && maxAge > 0 && !policy.includeSubdomains()) {
            findings.hstsNotForSubdomains();
        }
        return new Report(
                true,
                maxAge,
                policy.includeSubdomains(),
                policy.preload(),
                policy.preload() && unmet.isEmpty(),
                errors);
    }

    /** The requirements of the preload list that are not met, or could not be verified. */
    private static List<String> unmetByPreload(HstsPolicy policy, Evidence evidence) {
        List<String> unmet = new ArrayList<>();
        String registrable = DOMAINS.of(evidence.domain());
        if (!registrable.equals(evidence.domain())) {
            unmet.add("The list accepts " + registrable + " and not its subdomains.");
        }
        if (evidence.certificateError() != null) {
            unmet.add("The certificate is not valid.");
        }
        if (policy.maxAge() == null || policy.maxAge() < HstsPolicy.PRELOAD_MAX_AGE_SECONDS) {
            unmet.add("The list requires a max-age of " + HstsPolicy.PRELOAD_MAX_AGE_SECONDS + " or more.");
        }
        if (!policy.includeSubdomains()) {
            unmet.add("The list requires includeSubDomains.");
        }
        Stream.of(
                        Optional.ofNullable(evidence.http()).map(Hsts::unmetByHttp),
                        Optional.ofNullable(evidence.www()).map(Hsts::unmetByWww))
                .flatMap(Optional::stream)
                .forEach(unmet::add);
        return unmet;
    }

    /** HTTP must redirect to HTTPS on the same host first, unless no server listens on this port. */
    private static @Nullable String unmetByHttp(RedirectTrace trace) {
        String url = trace.url().text();
        HttpExchange response = trace.last();
        if (response == null) {
            return TraceErrors.startsWith(trace, TraceErrors.NOT_LISTENING)
                    ? null
                    : "The redirect of %s could not be checked. %s".formatted(url, TraceErrors.message(trace));
        }
        Target.Url location =
                !response.redirects() ? null : RedirectLocation.resolveReference(response.url(), response.location());
        boolean sameHost = location != null
                && location.secure()
                && location.host().name().equals(response.url().host().name());
        return sameHost ? null : "%s does not redirect to HTTPS on the same host first.".formatted(url);
    }

    /** The subdomain www must support HTTPS if it has an address. */
    private static @Nullable String unmetByWww(RedirectTrace trace) {
        return trace.last() != null || TraceErrors.startsWith(trace, TraceErrors.NO_ADDRESS)
                ? null
                : "%s could not be reached. %s".formatted(trace.url().text(), TraceErrors.message(trace));
    }
}
