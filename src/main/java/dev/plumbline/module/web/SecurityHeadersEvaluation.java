package dev.plumbline.module.web;

import static dev.plumbline.module.web.HstsFindings.*;
import static dev.plumbline.module.web.SecurityHeadersFindings.*;

import dev.plumbline.check.Evaluation;
import dev.plumbline.check.Finding;
import dev.plumbline.module.web.ContentSecurityPolicy.Gap;
import dev.plumbline.module.web.ContentSecurityPolicy.Weakness;
import dev.plumbline.probe.http.HttpExchange;
import dev.plumbline.probe.http.ResponseHeaders;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** What {@link SecurityHeaders} makes of the headers of a page. Pure. */
final class SecurityHeadersEvaluation {
    private static final long HALF_A_YEAR_SECONDS = 15_552_000;
    private static final long YEAR_SECONDS = 31_536_000;
    private static final int HARDLY_PROTECTED_BELOW = 40;
    private static final int SHOWN_TEXT = 200;

    private static final Set<String> REFERRER_POLICIES = Set.of(
            "no-referrer",
            "no-referrer-when-downgrade",
            "same-origin",
            "origin",
            "strict-origin",
            "origin-when-cross-origin",
            "strict-origin-when-cross-origin",
            "unsafe-url");
    private static final Set<String> LOOSE_REFERRER_POLICIES =
            Set.of("no-referrer-when-downgrade", "origin", "origin-when-cross-origin", "unsafe-url");

    private final HttpExchange page;
    private final ResponseHeaders headers;
    private final List<Finding> found = new ArrayList<>();
    private final List<String> missing = new ArrayList<>();
    private int score = 100;

    SecurityHeadersEvaluation(HttpExchange page) {
        this.page = page;
        this.headers = page.headers();
    }

    Evaluation judgement() {
        if (!page.url().secure()) {
            cost(PLAIN_HTTP);
        }
        Object hsts = hsts();
        List<ContentSecurityPolicy> policies = ContentSecurityPolicy.parseAll(headers.all("content-security-policy"));
        Object csp = csp(policies);
        framing(policies);
        simple();
        List<String> leaking = ServerDisclosure.in(headers);
        if (!leaking.isEmpty()) {
            cost(SOFTWARE_DISCLOSED);
        }
        obsolete();
        if (page.status() >= 400) {
            found.add(ERROR_PAGE.code().found("What was judged is an error page: " + page.status() + "."));
        }
        score = Math.max(0, score);
        if (score < HARDLY_PROTECTED_BELOW) {
            cost(HARDLY_PROTECTED);
        }

        Map<String, @Nullable Object> fields = new LinkedHashMap<>();
        fields.put("grade", grade(score));
        fields.put("score", score);
        fields.put("hsts", hsts);
        fields.put("csp", csp);
        fields.put("x_frame_options", joined("x-frame-options"));
        fields.put("x_content_type_options", joined("x-content-type-options"));
        fields.put("referrer_policy", joined("referrer-policy"));
        fields.put("permissions_policy", joined("permissions-policy"));
        fields.put("coop", joined("cross-origin-opener-policy"));
        fields.put("coep", joined("cross-origin-embedder-policy"));
        fields.put("corp", joined("cross-origin-resource-policy"));
        fields.put("missing", missing);
        fields.put("leaking", leaking);
        return Evaluation.of(fields, found);
    }

    static String grade(int score) {
        if (score == 100) {
            return "A+";
        }
        int[] least = {90, 75, 60, HARDLY_PROTECTED_BELOW, 20};
        for (int i = 0; i < least.length; i++) {
            if (score >= least[i]) {
                return "ABCDE".substring(i, i + 1);
            }
        }
        return "F";
    }

    private @Nullable Object hsts() {
        List<String> sent = headers.all("strict-transport-security");
        boolean counts = page.url().secure() && page.url().host().literal() == null;
        if (sent.isEmpty()) {
            if (counts) {
                cost(HSTS_MISSING);
                missing.add("strict-transport-security");
            }
            return null;
        }
        HstsPolicy read = HstsPolicy.parse(sent.get(0));
        Map<String, @Nullable Object> hsts = new LinkedHashMap<>();
        hsts.put("max_age", read.maxAge());
        hsts.put("include_subdomains", read.includeSubDomains());
        hsts.put("preload", read.preload());
        if (!counts) {
            cost(HSTS_IGNORED);
            return hsts;
        }
        if (sent.size() > 1) {
            cost(HSTS_SEVERAL);
        }
        Long maxAge = read.maxAge();
        if (maxAge == null) {
            cost(HSTS_INVALID, "The Strict-Transport-Security header is not valid: " + read.fault() + ".");
        } else if (maxAge == 0) {
            cost(HSTS_OFF);
        } else {
            if (maxAge < HALF_A_YEAR_SECONDS) {
                cost(HSTS_SHORT, "Browsers remember for only " + maxAge + " seconds that the site wants https.");
            }
            if (!read.includeSubDomains()) {
                cost(HSTS_NOT_FOR_SUBDOMAINS);
            }
            if (read.preload() && (maxAge < YEAR_SECONDS || !read.includeSubDomains())) {
                cost(HSTS_PRELOAD_UNREADY);
            }
        }
        return hsts;
    }

    private @Nullable Object csp(List<ContentSecurityPolicy> policies) {
        List<String> sent = headers.all("content-security-policy");
        if (policies.isEmpty()) {
            missing.add("content-security-policy");
            List<String> reporting = headers.all("content-security-policy-report-only");
            List<ContentSecurityPolicy> reportOnly = ContentSecurityPolicy.parseAll(reporting);
            if (reportOnly.isEmpty()) {
                cost(CspFindings.CSP_MISSING);
                return null;
            }
            cost(CspFindings.CSP_REPORT_ONLY);
            return csp(reporting, reportOnly, true, weaknesses(reportOnly));
        }
        int before = score;
        List<Weakness> weaknesses = weaknesses(policies);
        weigh(weaknesses);
        List<String> faults =
                policies.stream().flatMap(policy -> policy.faults().stream()).toList();
        if (!faults.isEmpty()) {
            cost(CspFindings.CSP_MALFORMED, shown(faults.get(0)) + (faults.size() > 1 ? " There is more." : ""));
        }
        score = Math.max(score, before - CspFindings.MOST);
        return csp(sent, policies, false, weaknesses);
    }

    /** What every policy leaves open: each must agree to what a page does. */
    static List<Weakness> weaknesses(List<ContentSecurityPolicy> policies) {
        List<List<Weakness>> ofEach =
                policies.stream().map(ContentSecurityPolicy::weaknesses).toList();
        Set<Gap> open = EnumSet.allOf(Gap.class);
        for (List<Weakness> weaknesses : ofEach) {
            Set<Gap> its = EnumSet.noneOf(Gap.class);
            weaknesses.forEach(weakness -> its.add(weakness.gap()));
            if (its.contains(Gap.SCRIPTS_UNLIMITED)) {
                its.addAll(EnumSet.of(
                        Gap.INLINE_SCRIPTS,
                        Gap.ANY_SOURCE,
                        Gap.SHARED_HOST,
                        Gap.BYPASS_HOST,
                        Gap.PLAIN_HTTP_SOURCE,
                        Gap.EVAL,
                        Gap.SHORT_NONCE));
            }
            if (its.contains(Gap.ANY_SOURCE)) {
                its.addAll(EnumSet.of(Gap.SHARED_HOST, Gap.BYPASS_HOST, Gap.PLAIN_HTTP_SOURCE));
            }
            open.retainAll(its);
        }
        return ofEach.stream()
                .flatMap(List::stream)
                .filter(weakness -> open.contains(weakness.gap()))
                .distinct()
                .toList();
    }

    private void weigh(List<Weakness> weaknesses) {
        for (Gap gap : Gap.values()) {
            List<Weakness> alike = weaknesses.stream()
                    .filter(weakness -> weakness.gap() == gap)
                    .toList();
            if (alike.isEmpty()) {
                continue;
            }
            ScoredFinding rule = CspFindings.of(gap);
            String values = alike.stream()
                    .map(Weakness::value)
                    .filter(value -> !value.isEmpty())
                    .distinct()
                    .collect(Collectors.joining(" "));
            String where = alike.get(0).directive() + ": " + shown(values);
            String message = rule.code().message();
            cost(rule, values.isEmpty() ? message : message + " (" + where + ")");
        }
    }

    private static Object csp(
            List<String> sent, List<ContentSecurityPolicy> policies, boolean reportOnly, List<Weakness> weaknesses) {
        List<Object> directives = new ArrayList<>();
        for (ContentSecurityPolicy policy : policies) {
            policy.directives().forEach((name, values) -> directives.add(Map.of("name", name, "values", values)));
        }
        Map<String, @Nullable Object> csp = new LinkedHashMap<>();
        csp.put("policy", String.join(", ", sent));
        csp.put("report_only", reportOnly);
        csp.put("directives", directives);
        csp.put(
                "weaknesses",
                weaknesses.stream()
                        .map(weakness -> Map.of(
                                "code",
                                CspFindings.of(weakness.gap()).code().code(),
                                "directive",
                                weakness.directive(),
                                "value",
                                weakness.value()))
                        .toList());
        return csp;
    }

    private void framing(List<ContentSecurityPolicy> policies) {
        boolean byPolicy = policies.stream().anyMatch(ContentSecurityPolicy::limitsFraming);
        boolean policySpeaks =
                policies.stream().anyMatch(policy -> policy.directives().containsKey("frame-ancestors"));
        String options = joined("x-frame-options");
        Set<String> values = options == null
                ? Set.of()
                : HeaderParser.split(options.toLowerCase(Locale.ROOT), ',').stream()
                        .collect(Collectors.toSet());
        boolean known = values.contains("deny") || values.contains("sameorigin");
        if (options == null && !byPolicy) {
            missing.add("x-frame-options");
        } else if (options != null && !known) {
            cost(FRAME_OPTIONS_INVALID, "X-Frame-Options has a value that browsers pass over: " + shown(options) + ".");
        }
        // frame-ancestors, where it is there, takes the place of the header
        if (!byPolicy && (policySpeaks || !known)) {
            cost(FRAMING_UNLIMITED);
        }
    }

    private void simple() {
        String nosniff = joined("x-content-type-options");
        String first = nosniff == null ? "" : HeaderParser.split(nosniff, ',').get(0);
        if (!first.equalsIgnoreCase("nosniff")) {
            cost(NOSNIFF_MISSING);
            if (nosniff == null) {
                missing.add("x-content-type-options");
            }
        }
        referrer();
        String permissions = joined("permissions-policy");
        if (permissions == null) {
            cost(PERMISSIONS_POLICY_MISSING);
            missing.add("permissions-policy");
        } else if (!PermissionsPolicy.valid(permissions)) {
            cost(PERMISSIONS_POLICY_INVALID);
        }
        isolation(
                "cross-origin-opener-policy",
                Set.of("same-origin", "same-origin-allow-popups", "noopener-allow-popups"),
                COOP_MISSING);
        isolation("cross-origin-embedder-policy", Set.of("require-corp", "credentialless"), COEP_MISSING);
        isolation("cross-origin-resource-policy", Set.of("same-origin", "same-site", "cross-origin"), CORP_MISSING);
    }

    private void referrer() {
        String sent = joined("referrer-policy");
        if (sent == null) {
            cost(REFERRER_POLICY_MISSING);
            missing.add("referrer-policy");
            return;
        }
        String effective = null;
        for (String value : HeaderParser.split(sent.toLowerCase(Locale.ROOT), ',')) {
            effective = REFERRER_POLICIES.contains(value) ? value : effective;
        }
        if (effective == null) {
            cost(REFERRER_POLICY_INVALID);
        } else if (LOOSE_REFERRER_POLICIES.contains(effective)) {
            cost(REFERRER_POLICY_UNSAFE);
        }
    }

    private void isolation(String header, Set<String> protecting, ScoredFinding rule) {
        String sent = joined(header);
        if (sent == null) {
            if (rule.points() > 0) {
                missing.add(header);
            }
            cost(rule);
        } else if (!protecting.contains(HeaderParser.split(sent, ';').get(0))) {
            cost(rule, rule.code().message() + " (" + header + ": " + shown(sent) + ")");
        }
    }

    private void obsolete() {
        String auditor = headers.first("x-xss-protection");
        if (auditor != null && !auditor.strip().startsWith("0")) {
            cost(OBSOLETE_HEADER, "X-XSS-Protection turns on a filter of old browsers that had holes of its own.");
        }
        for (String name : List.of(
                "expect-ct", "public-key-pins", "feature-policy", "x-content-security-policy", "x-webkit-csp")) {
            if (headers.has(name)) {
                cost(OBSOLETE_HEADER, "The header " + name + " is no longer known to browsers.");
            }
        }
    }

    private @Nullable String joined(String name) {
        List<String> all = headers.all(name);
        return all.isEmpty() ? null : String.join(", ", all);
    }

    private void cost(ScoredFinding rule) {
        cost(rule, rule.code().message());
    }

    private void cost(ScoredFinding rule, String message) {
        score -= rule.points();
        found.add(rule.code().found(message));
    }

    private static String shown(String text) {
        return text.length() <= SHOWN_TEXT ? text : text.substring(0, SHOWN_TEXT) + "…";
    }
}
