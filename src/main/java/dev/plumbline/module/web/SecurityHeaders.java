package dev.plumbline.module.web;

import static dev.plumbline.sheet.FindingCollector.reportIfAny;

import com.google.auto.service.AutoService;
import com.google.common.base.Ascii;
import dev.plumbline.check.CheckContext;
import dev.plumbline.check.CheckModule;
import dev.plumbline.check.RegisteredModule;
import dev.plumbline.module.web.header.ContentSecurityPolicy;
import dev.plumbline.module.web.header.ContentSecurityPolicy.Code;
import dev.plumbline.module.web.header.ContentSecurityPolicy.Weakness;
import dev.plumbline.module.web.header.HstsPolicy;
import dev.plumbline.probe.http.HeaderParser;
import dev.plumbline.probe.http.HttpExchange;
import dev.plumbline.probe.http.HttpHeader;
import dev.plumbline.probe.http.HttpProbe;
import dev.plumbline.probe.http.RedirectTrace;
import dev.plumbline.probe.http.ResponseHeaders;
import dev.plumbline.result.Grade;
import dev.plumbline.sheet.FindingCode;
import dev.plumbline.sheet.FindingCollector;
import dev.plumbline.sheet.Options;
import dev.plumbline.target.Target;
import io.vertx.core.Future;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Grades the HTTP security headers of a page. */
@AutoService(RegisteredModule.class)
public final class SecurityHeaders
        implements CheckModule<RedirectTrace, SecurityHeaders.Report, SecurityHeaders.Findings> {
    private static final int MAX_CSP_COST = 25;
    private static final int MIN_SCORE = 40;
    private static final int MAX_DISCLOSED_CHARACTERS = 201;
    private static final String NOT_SET = "not set";

    private static final Set<String> UNSAFE_REFERRER_POLICIES =
            Set.of("no-referrer-when-downgrade", "origin", "origin-when-cross-origin", "unsafe-url");
    private static final Set<String> SAFE_REFERRER_POLICIES =
            Set.of("no-referrer", "same-origin", "strict-origin", "strict-origin-when-cross-origin");

    /** A member of the dictionary (RFC 9651 section 3.2) that a Permissions-Policy is. */
    private static final Predicate<String> PERMISSION = Pattern.compile(
                    "[a-z*][a-z0-9_.*-]*+=(?:\\*|self|src|ORIGIN|\\( *+(?:(?:self|src|\\*|ORIGIN) *+)*+\\))"
                                    .replace("ORIGIN", "\"[^\"\\\\]{1,300}+\"")
                            + "(?:; *+[a-z][a-z0-9_.*-]*+(?:=[^;,]{0,300}+)?)*+")
            .asMatchPredicate();

    private static final Set<String> DISCLOSING_HEADERS = Set.of(
            """
            x-powered-by x-powered-cms x-cf-powered-by x-aspnet-version x-aspnetmvc-version x-php-version x-generator
            x-redirect-by x-runtime x-backend-server x-mod-pagespeed x-debug-token x-debug-token-link x-sourcemap
            sourcemap x-owa-version x-varnish-backend liferay-portal microsoftsharepointteamservices"""
                    .split("\\s+"));

    private static final List<String> OBSOLETE_HEADERS =
            List.of("expect-ct", "public-key-pins", "feature-policy", "x-content-security-policy", "x-webkit-csp");
    private static final Set<String> OPENER_POLICIES =
            Set.of("same-origin", "same-origin-allow-popups", "noopener-allow-popups");

    public record Report(
            String grade,
            int score,
            @Nullable Hsts hsts,
            @Nullable Csp csp,
            @Nullable String xFrameOptions,
            @Nullable String xContentTypeOptions,
            @Nullable String referrerPolicy,
            @Nullable String permissionsPolicy,
            @Nullable String coop,
            @Nullable String coep,
            @Nullable String corp,
            List<String> missing,
            List<String> leaking) {}

    record Hsts(@Nullable Long maxAge, boolean includeSubdomains, boolean preload) {}

    record Csp(String policy, boolean reportOnly, List<Directive> directives, List<Weakness> weaknesses) {}

    record Directive(String name, List<String> values) {}

    public interface Findings extends FindingCollector {
        void plainHttp();

        void hstsMissing();

        void hstsInvalid(String reason);

        void hstsOff();

        void hstsShort(long maxAge);

        void hstsSeveral(int count);

        void hstsMalformed(List<String> errors);

        void hstsIgnored();

        void hstsNotForSubdomains();

        void hstsPreloadUnready();

        void cspMissing();

        void cspReportOnly();

        void cspScriptsUnlimited();

        void cspInlineScripts(List<String> directives);

        void cspAnySource(String directive, List<String> sources);

        void cspSharedHost(String directive, List<String> sources);

        void cspBypassHost(String directive, List<String> sources);

        void cspPlainHttpSource(String directive, List<String> sources);

        void cspEval(String directive, List<String> sources);

        void cspShortNonce(String directive);

        void cspObjectsUnlimited(String directive, List<String> sources);

        void cspBaseUnlimited(List<String> sources);

        void cspFormsUnlimited();

        void cspInlineStyles(String directive, List<String> sources);

        void cspMalformed(List<String> errors);

        void framingUnlimited(List<String> ancestors, String options);

        void frameOptionsInvalid(String value);

        void nosniffMissing(String value);

        void referrerPolicyMissing();

        void referrerPolicyUnsafe(String value);

        void referrerPolicyInvalid(String value);

        void permissionsPolicyMissing();

        void permissionsPolicyInvalid(String value);

        void coopMissing(String value);

        void coepMissing(String value);

        void corpMissing(String value);

        void softwareDisclosed(List<String> headers);

        void obsoleteHeader(String header);

        void errorPage(int status);

        void mostHeadersMissing(int score);

        void redirected(Target url);
    }

    @Override
    public Future<RedirectTrace> collect(Target target, CheckContext context) {
        return context.probe(HttpProbe.class).page(context, (Target.Url) target);
    }

    @Override
    public @Nullable Report evaluate(RedirectTrace trace, Options options, Findings findings) {
        HttpExchange page = trace.page();
        if (page == null) {
            findings.error(trace.error());
            return null;
        }
        if (!page.url().secure()) {
            findings.plainHttp();
        }
        ResponseHeaders headers = page.headers();
        List<String> missing = new ArrayList<>();
        Hsts hsts = hsts(page, missing, findings);
        List<ContentSecurityPolicy> policies = ContentSecurityPolicy.parseAll(headers.all("content-security-policy"));
        Csp csp = csp(headers, policies, missing, findings);
        evaluateFraming(headers.joined("x-frame-options"), policies, missing, findings);
        String typeOptions = required("x-content-type-options", headers, missing);
        if (typeOptions == null || !HeaderParser.split(typeOptions, ',').get(0).equalsIgnoreCase("nosniff")) {
            findings.nosniffMissing(orNotSet(typeOptions));
        }
        evaluateReferrerPolicy(required("referrer-policy", headers, missing), findings);
        evaluatePermissionsPolicy(required("permissions-policy", headers, missing), findings);
        String coop = required("cross-origin-opener-policy", headers, missing);
        String coep = headers.joined("cross-origin-embedder-policy");
        String corp = headers.joined("cross-origin-resource-policy");
        evaluateIsolation(coop, OPENER_POLICIES, findings::coopMissing);
        evaluateIsolation(coep, Set.of("require-corp", "credentialless"), findings::coepMissing);
        evaluateIsolation(corp, Set.of("same-origin", "same-site", "cross-origin"), findings::corpMissing);
        List<String> leaking = headers.lines().stream()
                .filter(SecurityHeaders::disclosesSoftware)
                .map(header -> header.name() + ": " + Ascii.truncate(header.value(), MAX_DISCLOSED_CHARACTERS, "…"))
                .toList();
        reportIfAny(leaking, findings::softwareDisclosed);
        String xssProtection = headers.joined("x-xss-protection");
        if (xssProtection != null && !xssProtection.startsWith("0")) {
            findings.obsoleteHeader("x-xss-protection");
        }
        OBSOLETE_HEADERS.stream().filter(headers::has).forEach(findings::obsoleteHeader);
        if (page.status() >= 400) {
            findings.errorPage(page.status());
        }
        int score = score(findings.codes());
        if (score < MIN_SCORE) {
            findings.mostHeadersMissing(score);
        }
        if (trace.hops().size() > 1) {
            findings.redirected(page.url());
        }
        return new Report(
                Grade.of(score),
                score,
                hsts,
                csp,
                headers.joined("x-frame-options"),
                headers.joined("x-content-type-options"),
                headers.joined("referrer-policy"),
                headers.joined("permissions-policy"),
                coop,
                coep,
                corp,
                missing,
                leaking);
    }

    /** The value of a header whose absence reduces the score. */
    private static @Nullable String required(String name, ResponseHeaders headers, List<String> missing) {
        String value = headers.joined(name);
        if (value == null) {
            missing.add(name);
        }
        return value;
    }

    private static int score(List<FindingCode> codes) {
        int csp = 0;
        int others = 0;
        for (FindingCode code : codes) {
            if ("csp".equals(code.field())) {
                csp += code.cost();
            } else {
                others += code.cost();
            }
        }
        return Math.max(0, 100 - others - Math.min(csp, MAX_CSP_COST));
    }

    /** Browsers ignore HSTS over HTTP and for IP addresses (RFC 6797 section 8.1). */
    private static @Nullable Hsts hsts(HttpExchange page, List<String> missing, Findings findings) {
        List<String> values = page.headers().all("strict-transport-security");
        boolean applies = page.url().secure() && page.url().host().literal() == null;
        if (values.isEmpty()) {
            if (applies) {
                findings.hstsMissing();
                missing.add("strict-transport-security");
            }
            return null;
        }
        HstsPolicy policy = HstsPolicy.parse(values.get(0));
        Hsts hsts = new Hsts(policy.maxAge(), policy.includeSubdomains(), policy.preload());
        if (!applies) {
            findings.hstsIgnored();
            return hsts;
        }
        if (values.size() > 1) {
            findings.hstsSeveral(values.size());
        }
        reportIfAny(policy.deviations(), findings::hstsMalformed);
        Long maxAge = policy.maxAge();
        if (maxAge == null) {
            findings.hstsInvalid(policy.fault());
        } else if (maxAge == 0) {
            findings.hstsOff();
        } else {
            if (maxAge < HstsPolicy.MIN_MAX_AGE_SECONDS) {
                findings.hstsShort(maxAge);
            }
            if (!hsts.includeSubdomains()) {
                findings.hstsNotForSubdomains();
            }
            if (hsts.preload() && (maxAge < HstsPolicy.PRELOAD_MAX_AGE_SECONDS || !hsts.includeSubdomains())) {
                findings.hstsPreloadUnready();
            }
        }
        return hsts;
    }

    private static @Nullable Csp csp(
            ResponseHeaders headers, List<ContentSecurityPolicy> enforced, List<String> missing, Findings findings) {
        boolean reportOnly = enforced.isEmpty();
        String header = reportOnly ? "content-security-policy-report-only" : "content-security-policy";
        List<ContentSecurityPolicy> policies =
                reportOnly ? ContentSecurityPolicy.parseAll(headers.all(header)) : enforced;
        if (reportOnly) {
            missing.add("content-security-policy");
        }
        if (policies.isEmpty()) {
            findings.cspMissing();
            return null;
        }
        List<Weakness> weaknesses = ContentSecurityPolicy.weaknesses(policies);
        if (reportOnly) {
            findings.cspReportOnly();
        } else {
            reportWeaknesses(weaknesses, findings);
            List<String> errors = policies.stream()
                    .flatMap(policy -> policy.errors().stream())
                    .toList();
            reportIfAny(errors, findings::cspMalformed);
        }
        List<Directive> directives = new ArrayList<>();
        policies.forEach(policy -> policy.directives()
                .forEach((name, values) -> directives.add(new Directive(
                        name,
                        values.stream().map(ContentSecurityPolicy::withoutNonce).toList()))));
        return new Csp(Objects.requireNonNull(headers.joined(header)), reportOnly, directives, weaknesses);
    }

    /** One finding per code, with the values of all weaknesses that have it. */
    private static void reportWeaknesses(List<Weakness> weaknesses, Findings findings) {
        Map<Code, List<Weakness>> byCode = weaknesses.stream()
                .collect(Collectors.groupingBy(Weakness::code, () -> new EnumMap<>(Code.class), Collectors.toList()));
        byCode.forEach((code, same) -> {
            String directive = same.get(0).directive();
            List<String> sources =
                    same.stream().map(SecurityHeaders::valueOf).distinct().toList();
            switch (code) {
                case CSP_SCRIPTS_UNLIMITED -> findings.cspScriptsUnlimited();
                case CSP_INLINE_SCRIPTS -> findings.cspInlineScripts(directivesOf(same));
                case CSP_ANY_SOURCE -> findings.cspAnySource(directive, sources);
                case CSP_SHARED_HOST -> findings.cspSharedHost(directive, sources);
                case CSP_BYPASS_HOST -> findings.cspBypassHost(directive, sources);
                case CSP_PLAIN_HTTP_SOURCE -> findings.cspPlainHttpSource(directive, sources);
                case CSP_EVAL -> findings.cspEval(directive, sources);
                case CSP_SHORT_NONCE -> findings.cspShortNonce(directive);
                case CSP_OBJECTS_UNLIMITED -> findings.cspObjectsUnlimited(directive, sources);
                case CSP_BASE_UNLIMITED -> findings.cspBaseUnlimited(sources);
                case CSP_FORMS_UNLIMITED -> findings.cspFormsUnlimited();
                case CSP_INLINE_STYLES -> findings.cspInlineStyles(directive, sources);
            }
        });
    }

    private static String valueOf(Weakness weakness) {
        return weakness.value().isEmpty() ? NOT_SET : weakness.value();
    }

    private static List<String> directivesOf(List<Weakness> weaknesses) {
        return weaknesses.stream()
                .map(weakness -> weakness.directive() + ": " + valueOf(weakness))
                .distinct()
                .toList();
    }

    private static void evaluateFraming(
            @Nullable String options, List<ContentSecurityPolicy> policies, List<String> missing, Findings findings) {
        List<String> values = options == null ? List.of() : HeaderParser.split(options.toLowerCase(Locale.ROOT), ',');
        boolean valid = values.contains("deny") || values.contains("sameorigin");
        boolean restricted = policies.stream().anyMatch(ContentSecurityPolicy::restrictsFraming);
        if (options == null && !restricted) {
            missing.add("x-frame-options");
        } else if (options != null && !valid) {
            findings.frameOptionsInvalid(options);
        }
        List<String> ancestors = policies.stream()
                .flatMap(policy -> policy.values("frame-ancestors").stream())
                .toList();
        // frame-ancestors overrides the header (CSP Level 3 section 6.4.2.2)
        if (!restricted && (!ancestors.isEmpty() || !valid)) {
            findings.framingUnlimited(ancestors.isEmpty() ? List.of(NOT_SET) : ancestors, orNotSet(options));
        }
    }

    private static void evaluateReferrerPolicy(@Nullable String value, Findings findings) {
        if (value == null) {
            findings.referrerPolicyMissing();
            return;
        }
        List<String> known = HeaderParser.split(value.toLowerCase(Locale.ROOT), ',').stream()
                .filter(policy -> SAFE_REFERRER_POLICIES.contains(policy) || UNSAFE_REFERRER_POLICIES.contains(policy))
                .toList();
        if (known.isEmpty()) {
            findings.referrerPolicyInvalid(value);
        } else if (UNSAFE_REFERRER_POLICIES.contains(known.get(known.size() - 1))) {
            findings.referrerPolicyUnsafe(known.get(known.size() - 1));
        }
    }

    private static void evaluatePermissionsPolicy(@Nullable String value, Findings findings) {
        if (value == null) {
            findings.permissionsPolicyMissing();
        } else if (!isPermissionsPolicy(value)) {
            findings.permissionsPolicyInvalid(value);
        }
    }

    /** Whether every member is valid: browsers ignore the header otherwise. */
    public static boolean isPermissionsPolicy(String value) {
        return HeaderParser.split(value, ',').stream().allMatch(PERMISSION);
    }

    /** Reports a value that, without its parameters, is not one of these. */
    private static void evaluateIsolation(@Nullable String value, Set<String> protecting, Consumer<String> finding) {
        if (value == null || !protecting.contains(HeaderParser.split(value, ';').get(0))) {
            finding.accept(orNotSet(value));
        }
    }

    private static String orNotSet(@Nullable String value) {
        return Objects.requireNonNullElse(value, NOT_SET);
    }

    /** Whether it names the software; a Server header counts only with a version. */
    private static boolean disclosesSoftware(HttpHeader header) {
        return header.name().equals("server")
                ? header.value().chars().anyMatch(c -> c >= '0' && c <= '9')
                : DISCLOSING_HEADERS.contains(header.name());
    }
}
