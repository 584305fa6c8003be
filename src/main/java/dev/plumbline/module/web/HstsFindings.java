package dev.plumbline.module.web;

import dev.plumbline.check.FindingCode;
import dev.plumbline.check.Level;
import java.util.List;

/** What {@link SecurityHeaders} finds of encryption on the way, and of the wish for it. */
final class HstsFindings {
    static final ScoredFinding PLAIN_HTTP = new ScoredFinding(
            50,
            new FindingCode(
                    "plain_http",
                    Level.FAIL,
                    "grade",
                    "The page is served without encryption, so whoever is on the way can take every"
                            + " protection off it.",
                    "Serve it over https and redirect http to it.",
                    "RFC 9110 section 4.2.2"));
    static final ScoredFinding HSTS_MISSING = new ScoredFinding(
            20,
            new FindingCode(
                    "hsts_missing",
                    Level.WARN,
                    "hsts",
                    "Nothing tells browsers to come by https only, so a first visit over http can be" + " intercepted.",
                    "Send Strict-Transport-Security: max-age=31536000; includeSubDomains, once every"
                            + " page works over https.",
                    "RFC 6797 section 6.1"));
    static final ScoredFinding HSTS_INVALID = new ScoredFinding(
            20,
            new FindingCode(
                    "hsts_invalid",
                    Level.WARN,
                    "hsts",
                    "The Strict-Transport-Security header is not valid, so browsers pass over it.",
                    "Send max-age with a number of seconds, and every directive once.",
                    "RFC 6797 section 6.1"));
    static final ScoredFinding HSTS_OFF = new ScoredFinding(
            20,
            new FindingCode(
                    "hsts_off",
                    Level.WARN,
                    "hsts",
                    "The Strict-Transport-Security header tells browsers to forget that the site" + " wants https.",
                    "Unless you mean to give up https, send a max-age of half a year or more.",
                    "RFC 6797 section 6.1.1"));
    static final ScoredFinding HSTS_SHORT = new ScoredFinding(
            10,
            new FindingCode(
                    "hsts_short",
                    Level.WARN,
                    "hsts",
                    "Browsers remember for less than half a year that the site wants https.",
                    "Send max-age=31536000, a year, once all works.",
                    "RFC 6797 section 11.2"));
    static final ScoredFinding HSTS_SEVERAL = new ScoredFinding(
            0,
            new FindingCode(
                    "hsts_several",
                    Level.INFO,
                    "hsts",
                    "There are several Strict-Transport-Security headers, of which browsers read the" + " first.",
                    "Send it once.",
                    "RFC 6797 section 8.1"));
    static final ScoredFinding HSTS_IGNORED = new ScoredFinding(
            0,
            new FindingCode(
                    "hsts_ignored",
                    Level.INFO,
                    "hsts",
                    "A Strict-Transport-Security header counts neither over http nor for an IP" + " address.",
                    "Send it over https, for a name.",
                    "RFC 6797 section 8.1"));
    static final ScoredFinding HSTS_NOT_FOR_SUBDOMAINS = new ScoredFinding(
            0,
            new FindingCode(
                    "hsts_not_for_subdomains",
                    Level.INFO,
                    "hsts",
                    "Names below this one may still be visited over http.",
                    "Add includeSubDomains, once every one of them works over https.",
                    "RFC 6797 section 6.1.2"));
    static final ScoredFinding HSTS_PRELOAD_UNREADY = new ScoredFinding(
            0,
            new FindingCode(
                    "hsts_preload_unready",
                    Level.INFO,
                    "hsts",
                    "The header asks for a place on the browsers' lists, whose conditions it does not" + " meet.",
                    "Send a max-age of at least 31536000 and includeSubDomains with preload, or leave"
                            + " preload out.",
                    null));

    static final List<ScoredFinding> ALL = List.of(
            PLAIN_HTTP,
            HSTS_MISSING,
            HSTS_INVALID,
            HSTS_OFF,
            HSTS_SHORT,
            HSTS_SEVERAL,
            HSTS_IGNORED,
            HSTS_NOT_FOR_SUBDOMAINS,
            HSTS_PRELOAD_UNREADY);

    private HstsFindings() {}
}
