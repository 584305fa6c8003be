package dev.plumbline.module.web;

import dev.plumbline.check.FieldDescription;
import dev.plumbline.check.FindingCode;
import dev.plumbline.check.InputType;
import dev.plumbline.check.Level;
import dev.plumbline.check.ModuleDescription;
import dev.plumbline.check.OptionDescription;
import java.util.regex.Pattern;

/** The words of {@link HttpStatus}. */
final class HttpStatusDescription {
    /** One or more of a status, a class of statuses or a range of them. */
    static final Pattern EXPECTED = Pattern.compile(
            "([1-9]xx|[1-9][0-9]{2}(-[1-9][0-9]{2})?)(,([1-9]xx|[1-9][0-9]{2}(-[1-9][0-9]{2})?)){0,19}");

    static final FindingCode CLIENT_ERROR = new FindingCode(
            "status_client_error",
            Level.FAIL,
            "status",
            "The server says that the request is wrong or the page is not there.",
            "Correct the address, publish the page again, or redirect the address to its successor.",
            "RFC 9110 section 15.5");
    static final FindingCode SERVER_ERROR = new FindingCode(
            "status_server_error",
            Level.FAIL,
            "status",
            "The server failed to answer a request that may well be right.",
            "Look into the logs of the web server and of what runs behind it.",
            "RFC 9110 section 15.6");
    static final FindingCode UNUSUAL_STATUS = new FindingCode(
            "status_unusual",
            Level.WARN,
            "status",
            "The status is neither a success nor an error that the standard knows.",
            "Let the server answer with 200, with a redirect that names its target, or with an error.",
            "RFC 9110 section 15");
    static final FindingCode EXPECTED_MISMATCH = new FindingCode(
            "expected_status_mismatch",
            Level.FAIL,
            "status",
            "The status is not the one that was expected.",
            "Find out why the server answers differently, or expect another status.",
            "RFC 9110 section 15");
    static final FindingCode TEXT_MISSING = new FindingCode(
            "text_missing",
            Level.FAIL,
            "contains_matched",
            "The text was not found in the page.",
            "See whether the page shows what it should; only its first 512 KiB are searched.",
            null);
    static final FindingCode TEXT_NOT_CHECKED = new FindingCode(
            "text_not_checked",
            Level.WARN,
            "contains_matched",
            "The text could not be looked for, because no readable page was fetched.",
            "Use the method auto or get, and let the server send the page uncompressed or as gzip.",
            null);
    static final FindingCode REDIRECTED = new FindingCode(
            "redirected",
            Level.INFO,
            "redirects",
            "The address leads to another one.",
            "Nothing needs to be done, unless the other address is not the one you want.",
            "RFC 9110 section 15.4");
    static final FindingCode PERMANENT_REDIRECT = new FindingCode(
            "permanent_redirect",
            Level.INFO,
            "redirects",
            "The address has moved for good.",
            "Change links and bookmarks to the new address.",
            "RFC 9110 sections 15.4.2 and 15.4.9");
    static final FindingCode LONG_CHAIN = new FindingCode(
            "long_redirect_chain",
            Level.WARN,
            "redirect_count",
            "It takes many redirects to arrive.",
            "Let the first address redirect straight to the last; each step costs a visitor time.",
            null);
    static final FindingCode NOT_FOLLOWED = new FindingCode(
            "redirect_not_followed",
            Level.INFO,
            "status",
            "The answer is a redirect, and the options say not to follow it.",
            "Turn on follow_redirects to see where it leads.",
            "RFC 9110 section 15.4");
    static final FindingCode DOWNGRADE = new FindingCode(
            "https_downgrade",
            Level.WARN,
            "redirects",
            "A redirect leads from an encrypted address to one that is not.",
            "Redirect to the https address instead.",
            "RFC 6797 section 2.3.1");
    static final FindingCode PLAIN_HTTP = new FindingCode(
            "plain_http",
            Level.INFO,
            "final_url",
            "The page is served without encryption.",
            "Serve it over https and redirect http to it.",
            "RFC 9110 section 4.2.2");
    static final FindingCode HTTP1 = new FindingCode(
            "served_over_http1",
            Level.INFO,
            "http_version",
            "The server does not offer HTTP/2 to us.",
            "Turn on HTTP/2 in the web server; pages with many parts load faster with it.",
            "RFC 9113");
    static final FindingCode SLOW = new FindingCode(
            "slow_response",
            Level.WARN,
            "response_time_ms",
            "The answer took longer than three seconds.",
            "See what keeps the server busy, and whether a cache could answer instead.",
            null);
    static final FindingCode BLOCKED = new FindingCode(
            "blocked_suspected",
            Level.WARN,
            "blocked_suspected",
            "A bot protection seems to have answered instead of the site.",
            "Let our address or User-Agent through, or try the user_agent browser.",
            null);
    static final FindingCode SOFT_404 = new FindingCode(
            "soft_404_suspected",
            Level.WARN,
            "soft_404_suspected",
            "The page says that it was not found, yet its status is a success.",
            "Let the server answer with 404 or 410 for pages that are not there.",
            "RFC 9110 section 15.5.5");
    static final FindingCode HEAD_REFUSED = new FindingCode(
            "head_refused",
            Level.INFO,
            "method_used",
            "The server answers HEAD differently from GET.",
            "Let it answer HEAD as it answers GET, without the content.",
            "RFC 9110 section 9.3.2");
    static final FindingCode TLS_NOT_VERIFIED = new FindingCode(
            "certificate_not_verified",
            Level.INFO,
            null,
            "The certificate was not looked at, as the options say.",
            "Turn on verify_tls to have it checked.",
            "RFC 9110 section 4.3.4");

    static final ModuleDescription DESCRIPTION = ModuleDescription.of("http-status", "HTTP status", InputType.URL)
            .summary("Asks a URL, follows its redirects and tells what the server answered. Only a page"
                    + " fetched with GET is searched for text and for a hidden \"not found\".")
            .category("web")
            .example("https://example.com/", "https://example.com/page")
            .aboutReachability()
            .connects()
            .options(
                    OptionDescription.choice(
                            "method",
                            "Method",
                            "How to ask: HEAD, GET, or HEAD first and GET when HEAD is refused or text is to be"
                                    + " found (auto). Choose get to have the page itself looked at.",
                            "auto",
                            "head",
                            "get"),
                    OptionDescription.bool(
                            "follow_redirects",
                            "Follow redirects",
                            "Go where the server sends us, and report the last answer.",
                            true),
                    OptionDescription.integer(
                            "max_redirects", "Most redirects", "More redirects than this are an error.", 10, 0, 20),
                    OptionDescription.choice(
                            "user_agent",
                            "User agent",
                            "Who we say we are: ourselves, a desktop browser, or Google's crawler.",
                            "default",
                            "browser",
                            "googlebot"),
                    OptionDescription.bool(
                            "verify_tls",
                            "Verify the certificate",
                            "Stop at a certificate that a browser would refuse.",
                            true),
                    OptionDescription.text(
                            "expect_status",
                            "Expected status",
                            "The statuses that are all right: 200, 2xx, 301-308, or several with commas.",
                            EXPECTED,
                            100),
                    OptionDescription.text(
                            "contains",
                            "Text to find",
                            "Text that must be in the page, in its first 512 KiB; upper and lower case count.",
                            Pattern.compile("[^\\x00-\\x1F\\x7F]{1,200}"),
                            200))
            .fields(
                    FieldDescription.integer("status", "Status", "The status code of the last answer.")
                            .orNull(),
                    FieldDescription.string("status_text", "Reason", "The words that came with the status.")
                            .orNull(),
                    FieldDescription.bool("ok", "OK", "Whether the status is 2xx, or one of those expected."),
                    FieldDescription.string("final_url", "Final URL", "The URL that was asked last."),
                    FieldDescription.integer(
                            "redirect_count", "Redirects", "How many answers were redirects to go on from."),
                    FieldDescription.table(
                            "redirects",
                            "Redirect chain",
                            "Every redirect on the way, in order.",
                            FieldDescription.string("url", "URL", "The URL that redirects."),
                            FieldDescription.integer("status", "Status", "The status of the redirect."),
                            FieldDescription.string("location", "Location", "Where it leads, as the server wrote it."),
                            FieldDescription.integer("time_ms", "Time", "How long this request took, in ms.")),
                    FieldDescription.integer(
                                    "response_time_ms",
                                    "Response time",
                                    "How long the last request took: look-up, connection, TLS and answer, in ms.")
                            .orNull(),
                    FieldDescription.string("http_version", "HTTP version", "The version of the last answer.")
                            .oneOf("1.0", "1.1", "2")
                            .orNull(),
                    FieldDescription.string("content_type", "Content type", "What the server says the page is.")
                            .orNull(),
                    FieldDescription.integer("content_length", "Content length", "The size of the page, in bytes.")
                            .orNull(),
                    FieldDescription.string("server", "Server", "What the server calls itself.")
                            .orNull(),
                    FieldDescription.string("ip", "IP address", "The address that gave the last answer.")
                            .orNull(),
                    FieldDescription.string("method_used", "Method used", "How the last answer was asked for.")
                            .oneOf("head", "get"),
                    FieldDescription.integer(
                            "attempts",
                            "Attempts",
                            "How often the URL was tried: 2 where HEAD was refused and GET followed."),
                    FieldDescription.bool(
                            "blocked_suspected",
                            "Blocked?",
                            "Whether a bot protection seems to have answered instead of the site."),
                    FieldDescription.bool(
                            "soft_404_suspected",
                            "Soft 404?",
                            "Whether the page seems to say \"not found\" in spite of its status. Only a page"
                                    + " fetched with GET is read; after HEAD false means no more than that no"
                                    + " redirect led to an error page."),
                    FieldDescription.bool(
                                    "contains_matched",
                                    "Text found",
                                    "Whether the text was in the page; null when none was to be looked for.")
                            .orNull())
            .findings(
                    CLIENT_ERROR,
                    SERVER_ERROR,
                    UNUSUAL_STATUS,
                    EXPECTED_MISMATCH,
                    TEXT_MISSING,
                    TEXT_NOT_CHECKED,
                    REDIRECTED,
                    PERMANENT_REDIRECT,
                    LONG_CHAIN,
                    NOT_FOLLOWED,
                    DOWNGRADE,
                    PLAIN_HTTP,
                    HTTP1,
                    SLOW,
                    BLOCKED,
                    SOFT_404,
                    HEAD_REFUSED,
                    TLS_NOT_VERIFIED)
            .build();

    private HttpStatusDescription() {}
}
