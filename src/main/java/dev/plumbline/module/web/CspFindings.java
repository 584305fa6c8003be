package dev.plumbline.module.web;

import dev.plumbline.check.FindingCode;
import dev.plumbline.check.Level;
import dev.plumbline.module.web.ContentSecurityPolicy.Gap;
import java.util.List;

/** What {@link SecurityHeaders} finds of content security policies. */
final class CspFindings {
    static final ScoredFinding CSP_MISSING = new ScoredFinding(
            25,
            new FindingCode(
                    "csp_missing",
                    Level.WARN,
                    "csp",
                    "No content security policy says which scripts may run, so one that is smuggled"
                            + " in runs like your own.",
                    "Send Content-Security-Policy; begin with its report-only form. A policy in a"
                            + " meta element is not looked at here.",
                    "CSP Level 3, Content-Security-Policy header"));
    static final ScoredFinding CSP_REPORT_ONLY = new ScoredFinding(
            25,
            new FindingCode(
                    "csp_report_only",
                    Level.WARN,
                    "csp",
                    "The content security policy only reports and stops nothing.",
                    "When the reports are quiet, send it as Content-Security-Policy.",
                    "CSP Level 3, report-only header"));
    static final ScoredFinding CSP_SCRIPTS_UNLIMITED = new ScoredFinding(
            20,
            new FindingCode(
                    "csp_scripts_unlimited",
                    Level.WARN,
                    "csp",
                    "The content security policy does not say which scripts may run.",
                    "Add script-src with what your pages need, or default-src 'self'.",
                    "CSP Level 3, script-src"));
    static final ScoredFinding CSP_INLINE_SCRIPTS = new ScoredFinding(
            20,
            new FindingCode(
                    "csp_inline_scripts",
                    Level.WARN,
                    "csp",
                    "The content security policy lets scripts run that stand in the page, smuggled" + " ones too.",
                    "Take 'unsafe-inline' out; move scripts into files, or mark them with a nonce or" + " hash.",
                    "CSP Level 3, unsafe-inline"));
    static final ScoredFinding CSP_ANY_SOURCE = new ScoredFinding(
            20,
            new FindingCode(
                    "csp_any_source",
                    Level.WARN,
                    "csp",
                    "The content security policy lets scripts come from anywhere.",
                    "Name the hosts that your scripts come from instead of *, https:, http: or data:.",
                    "CSP Level 3, source lists"));
    static final ScoredFinding CSP_SHARED_HOST = new ScoredFinding(
            10,
            new FindingCode(
                    "csp_shared_host",
                    Level.WARN,
                    "csp",
                    "The content security policy trusts every name below a domain where anyone can" + " have one.",
                    "Name the very host that your scripts come from.",
                    "CSP Level 3, paths and redirects"));
    static final ScoredFinding CSP_BYPASS_HOST = new ScoredFinding(
            10,
            new FindingCode(
                    "csp_bypass_host",
                    Level.WARN,
                    "csp",
                    "The content security policy trusts a host from which everybody can run scripts" + " of their own.",
                    "Serve those scripts from your own host, name the very file, or use nonces with"
                            + " 'strict-dynamic'.",
                    "CSP Level 3, paths and redirects"));
    static final ScoredFinding CSP_PLAIN_HTTP_SOURCE = new ScoredFinding(
            5,
            new FindingCode(
                    "csp_plain_http_source",
                    Level.WARN,
                    "csp",
                    "The content security policy trusts scripts that come without encryption.",
                    "Name the host with https.",
                    "CSP Level 3, matching of schemes"));
    static final ScoredFinding CSP_EVAL = new ScoredFinding(
            5,
            new FindingCode(
                    "csp_eval",
                    Level.WARN,
                    "csp",
                    "The content security policy lets scripts run text as code.",
                    "Take 'unsafe-eval' out, and replace what needs it.",
                    "CSP Level 3, source lists"));
    static final ScoredFinding CSP_SHORT_NONCE = new ScoredFinding(
            5,
            new FindingCode(
                    "csp_short_nonce",
                    Level.WARN,
                    "csp",
                    "A nonce of the content security policy is short enough to be guessed.",
                    "Make at least 128 random bits anew for every answer.",
                    "CSP Level 3, nonce reuse"));
    static final ScoredFinding CSP_OBJECTS_UNLIMITED = new ScoredFinding(
            5,
            new FindingCode(
                    "csp_objects_unlimited",
                    Level.WARN,
                    "csp",
                    "The content security policy does not limit what object and embed elements load.",
                    "Add object-src 'none'.",
                    "CSP Level 3, object-src"));
    static final ScoredFinding CSP_BASE_UNLIMITED = new ScoredFinding(
            5,
            new FindingCode(
                    "csp_base_unlimited",
                    Level.WARN,
                    "csp",
                    "A base element that is smuggled in could make your own scripts load from" + " elsewhere.",
                    "Add base-uri 'none'.",
                    "CSP Level 3, base-uri"));
    static final ScoredFinding CSP_FORMS_UNLIMITED = new ScoredFinding(
            0,
            new FindingCode(
                    "csp_forms_unlimited",
                    Level.INFO,
                    "csp",
                    "The content security policy does not say where forms may be sent.",
                    "Add form-action 'self'; default-src does not cover it.",
                    "CSP Level 3, form-action"));
    static final ScoredFinding CSP_INLINE_STYLES = new ScoredFinding(
            0,
            new FindingCode(
                    "csp_inline_styles",
                    Level.INFO,
                    "csp",
                    "The content security policy lets styles apply that stand in the page.",
                    "Where you can, move styles into files and take 'unsafe-inline' out of style-src.",
                    "CSP Level 3, unsafe-inline"));
    static final ScoredFinding CSP_MALFORMED = new ScoredFinding(
            5,
            new FindingCode(
                    "csp_malformed",
                    Level.WARN,
                    "csp",
                    "A part of the content security policy is not understood by browsers.",
                    "Correct it: what is not understood protects nobody.",
                    "CSP Level 3, parsing of policies"));

    static final List<ScoredFinding> ALL = List.of(
            CSP_MISSING,
            CSP_REPORT_ONLY,
            CSP_SCRIPTS_UNLIMITED,
            CSP_INLINE_SCRIPTS,
            CSP_ANY_SOURCE,
            CSP_SHARED_HOST,
            CSP_BYPASS_HOST,
            CSP_PLAIN_HTTP_SOURCE,
            CSP_EVAL,
            CSP_SHORT_NONCE,
            CSP_OBJECTS_UNLIMITED,
            CSP_BASE_UNLIMITED,
            CSP_FORMS_UNLIMITED,
            CSP_INLINE_STYLES,
            CSP_MALFORMED);

    /** What the weaknesses of a policy cost at most: as much as to have none. */
    static final int MOST = CSP_MISSING.points();

    private CspFindings() {}

    /** What a weakness is told as. */
    static ScoredFinding of(Gap gap) {
        return switch (gap) {
            case SCRIPTS_UNLIMITED -> CSP_SCRIPTS_UNLIMITED;
            case INLINE_SCRIPTS -> CSP_INLINE_SCRIPTS;
            case ANY_SOURCE -> CSP_ANY_SOURCE;
            case SHARED_HOST -> CSP_SHARED_HOST;
            case BYPASS_HOST -> CSP_BYPASS_HOST;
            case PLAIN_HTTP_SOURCE -> CSP_PLAIN_HTTP_SOURCE;
            case EVAL -> CSP_EVAL;
            case SHORT_NONCE -> CSP_SHORT_NONCE;
            case OBJECTS_UNLIMITED -> CSP_OBJECTS_UNLIMITED;
            case BASE_UNLIMITED -> CSP_BASE_UNLIMITED;
            case FORMS_UNLIMITED -> CSP_FORMS_UNLIMITED;
            case INLINE_STYLES -> CSP_INLINE_STYLES;
        };
    }
}
