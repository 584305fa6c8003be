package dev.plumbline.module.web;

import dev.plumbline.check.FindingCode;
import dev.plumbline.check.Level;
import java.util.List;
import java.util.stream.Stream;

/** What {@link SecurityHeaders} finds, and what each weakness costs. */
final class SecurityHeadersFindings {
    static final ScoredFinding FRAMING_UNLIMITED = new ScoredFinding(
            20,
            new FindingCode(
                    "framing_unlimited",
                    Level.WARN,
                    "x_frame_options",
                    "Every site may show the page in a frame and trick visitors into clicking on it.",
                    "Add frame-ancestors 'none' or 'self' to the content security policy, or send"
                            + " X-Frame-Options: DENY.",
                    "RFC 7034 section 2.1"));
    static final ScoredFinding FRAME_OPTIONS_INVALID = new ScoredFinding(
            5,
            new FindingCode(
                    "frame_options_invalid",
                    Level.WARN,
                    "x_frame_options",
                    "X-Frame-Options has a value that browsers pass over.",
                    "Send DENY or SAMEORIGIN; for other sites use frame-ancestors in the content" + " security policy.",
                    "HTML Living Standard, The `X-Frame-Options` header"));
    static final ScoredFinding NOSNIFF_MISSING = new ScoredFinding(
            10,
            new FindingCode(
                    "nosniff_missing",
                    Level.WARN,
                    "x_content_type_options",
                    "Browsers may guess the type of a file and take an upload for a script.",
                    "Send X-Content-Type-Options: nosniff.",
                    "Fetch Standard, `X-Content-Type-Options` header"));
    static final ScoredFinding REFERRER_POLICY_MISSING = new ScoredFinding(
            5,
            new FindingCode(
                    "referrer_policy_missing",
                    Level.INFO,
                    "referrer_policy",
                    "It is left to browsers how much of your addresses other sites are told.",
                    "Send Referrer-Policy: strict-origin-when-cross-origin, or no-referrer.",
                    "Referrer Policy section 4.1"));
    static final ScoredFinding REFERRER_POLICY_UNSAFE = new ScoredFinding(
            10,
            new FindingCode(
                    "referrer_policy_unsafe",
                    Level.WARN,
                    "referrer_policy",
                    "Other sites, or the network, are told which pages of yours people come from.",
                    "Send strict-origin-when-cross-origin, same-origin or no-referrer.",
                    "Referrer Policy section 3"));
    static final ScoredFinding REFERRER_POLICY_INVALID = new ScoredFinding(
            5,
            new FindingCode(
                    "referrer_policy_invalid",
                    Level.WARN,
                    "referrer_policy",
                    "Referrer-Policy has no value that browsers know.",
                    "Send strict-origin-when-cross-origin, or another of the eight values.",
                    "Referrer Policy section 3"));
    static final ScoredFinding PERMISSIONS_POLICY_MISSING = new ScoredFinding(
            5,
            new FindingCode(
                    "permissions_policy_missing",
                    Level.INFO,
                    "permissions_policy",
                    "Nothing limits which features, as camera and position, embedded pages may ask" + " for.",
                    "Send Permissions-Policy with () for the features that you do not use: camera=(),"
                            + " geolocation=().",
                    "Permissions Policy, Permissions-Policy header"));
    static final ScoredFinding PERMISSIONS_POLICY_INVALID = new ScoredFinding(
            5,
            new FindingCode(
                    "permissions_policy_invalid",
                    Level.WARN,
                    "permissions_policy",
                    "Permissions-Policy is not written as browsers read it, so all of it is passed" + " over.",
                    "Write feature=(), feature=(self) or feature=*, with commas between.",
                    "RFC 9651 section 3.2"));
    static final ScoredFinding COOP_MISSING = new ScoredFinding(
            5,
            new FindingCode(
                    "coop_missing",
                    Level.INFO,
                    "coop",
                    "Pages that open yours in a window keep a hold on it.",
                    "Send Cross-Origin-Opener-Policy: same-origin.",
                    "HTML Living Standard, Cross-origin opener policies"));
    static final ScoredFinding COEP_MISSING = new ScoredFinding(
            0,
            new FindingCode(
                    "coep_missing",
                    Level.INFO,
                    "coep",
                    "The page may load things of other sites that did not agree to it.",
                    "If nothing breaks, send Cross-Origin-Embedder-Policy: require-corp.",
                    "HTML Living Standard, Embedder policies"));
    static final ScoredFinding CORP_MISSING = new ScoredFinding(
            0,
            new FindingCode(
                    "corp_missing",
                    Level.INFO,
                    "corp",
                    "Other sites may load this as a part of their pages.",
                    "Send Cross-Origin-Resource-Policy: same-origin where nobody else needs it.",
                    "Fetch Standard, `Cross-Origin-Resource-Policy` header"));
    static final ScoredFinding SOFTWARE_DISCLOSED = new ScoredFinding(
            5,
            new FindingCode(
                    "software_disclosed",
                    Level.INFO,
                    "leaking",
                    "Headers tell which software, in which version, answers, which helps those who"
                            + " look for its holes.",
                    "Take them out, or leave the name without the version.",
                    "RFC 9110 section 10.2.4"));
    static final ScoredFinding OBSOLETE_HEADER = new ScoredFinding(
            0,
            new FindingCode(
                    "obsolete_header",
                    Level.INFO,
                    null,
                    "A header is sent that browsers no longer know or that does harm.",
                    "Take it out.",
                    null));
    static final ScoredFinding ERROR_PAGE = new ScoredFinding(
            0,
            new FindingCode(
                    "error_page",
                    Level.INFO,
                    null,
                    "What was judged is an error page; other pages may be better or worse protected.",
                    "Check a page that is there.",
                    "RFC 9110 section 15"));
    static final ScoredFinding HARDLY_PROTECTED = new ScoredFinding(
            0,
            new FindingCode(
                    "hardly_protected",
                    Level.FAIL,
                    "grade",
                    "So much is missing that browsers protect visitors hardly more than without any"
                            + " of these headers.",
                    "Begin with the findings above that cost most.",
                    null));

    private static final List<ScoredFinding> OTHERS = List.of(
            FRAMING_UNLIMITED,
            FRAME_OPTIONS_INVALID,
            NOSNIFF_MISSING,
            REFERRER_POLICY_MISSING,
            REFERRER_POLICY_UNSAFE,
            REFERRER_POLICY_INVALID,
            PERMISSIONS_POLICY_MISSING,
            PERMISSIONS_POLICY_INVALID,
            COOP_MISSING,
            COEP_MISSING,
            CORP_MISSING,
            SOFTWARE_DISCLOSED,
            OBSOLETE_HEADER,
            ERROR_PAGE,
            HARDLY_PROTECTED);

    private SecurityHeadersFindings() {}

    /** All there are, those of encryption and of policies among them. */
    static List<ScoredFinding> all() {
        return Stream.of(HstsFindings.ALL, CspFindings.ALL, OTHERS)
                .flatMap(List::stream)
                .toList();
    }

    static FindingCode[] codes() {
        return all().stream().map(ScoredFinding::code).toArray(FindingCode[]::new);
    }
}
