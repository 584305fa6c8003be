package dev.plumbline.module.web;

import dev.plumbline.check.FindingCode;
import dev.plumbline.check.Level;
import java.util.Arrays;
import java.util.List;

/** What {@link SecurityHeaders} finds, and what each weakness costs. */
final class SecurityHeadersFindings {
  /**
   * A finding and its price.
   *
   * @param points what it takes off the score of 100
   */
  record Rule(FindingCode code, int points) {}

  static final Rule PLAIN_HTTP =
      rule(
          50,
          new FindingCode(
              "plain_http",
              Level.FAIL,
              "grade",
              "The page is served without encryption, so whoever is on the way can take every"
                  + " protection off it.",
              "Serve it over https and redirect http to it.",
              "RFC 9110 section 4.2.2"));
  static final Rule HSTS_MISSING =
      rule(
          20,
          new FindingCode(
              "hsts_missing",
              Level.WARN,
              "hsts",
              "Nothing tells browsers to come by https only, so a first visit over http can be"
                  + " intercepted.",
              "Send Strict-Transport-Security: max-age=31536000; includeSubDomains, once every"
                  + " page works over https.",
              "RFC 6797 section 6.1"));
  static final Rule HSTS_INVALID =
      rule(
          20,
          new FindingCode(
              "hsts_invalid",
              Level.WARN,
              "hsts",
              "The Strict-Transport-Security header is not valid, so browsers pass over it.",
              "Send max-age with a number of seconds, and every directive once.",
              "RFC 6797 section 6.1"));
  static final Rule HSTS_OFF =
      rule(
          20,
          new FindingCode(
              "hsts_off",
              Level.WARN,
              "hsts",
              "The Strict-Transport-Security header tells browsers to forget that the site"
                  + " wants https.",
              "Unless you mean to give up https, send a max-age of half a year or more.",
              "RFC 6797 section 6.1.1"));
  static final Rule HSTS_SHORT =
      rule(
          10,
          new FindingCode(
              "hsts_short",
              Level.WARN,
              "hsts",
              "Browsers remember for less than half a year that the site wants https.",
              "Send max-age=31536000, a year, once all works.",
              "RFC 6797 section 11.2"));
  static final Rule HSTS_SEVERAL =
      rule(
          0,
          new FindingCode(
              "hsts_several",
              Level.INFO,
              "hsts",
              "There are several Strict-Transport-Security headers, of which browsers read the"
                  + " first.",
              "Send it once.",
              "RFC 6797 section 8.1"));
  static final Rule HSTS_IGNORED =
      rule(
          0,
          new FindingCode(
              "hsts_ignored",
              Level.INFO,
              "hsts",
              "A Strict-Transport-Security header counts neither over http nor for an IP"
                  + " address.",
              "Send it over https, for a name.",
              "RFC 6797 section 8.1"));
  static final Rule HSTS_NOT_FOR_SUBDOMAINS =
      rule(
          0,
          new FindingCode(
              "hsts_not_for_subdomains",
              Level.INFO,
              "hsts",
              "Names below this one may still be visited over http.",
              "Add includeSubDomains, once every one of them works over https.",
              "RFC 6797 section 6.1.2"));
  static final Rule HSTS_PRELOAD_UNREADY =
      rule(
          0,
          new FindingCode(
              "hsts_preload_unready",
              Level.INFO,
              "hsts",
              "The header asks for a place on the browsers' lists, whose conditions it does not"
                  + " meet.",
              "Send a max-age of at least 31536000 and includeSubDomains with preload, or leave"
                  + " preload out.",
              null));
  static final Rule CSP_MISSING =
      rule(
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
  static final Rule CSP_REPORT_ONLY =
      rule(
          25,
          new FindingCode(
              "csp_report_only",
              Level.WARN,
              "csp",
              "The content security policy only reports and stops nothing.",
              "When the reports are quiet, send it as Content-Security-Policy.",
              "CSP Level 3, report-only header"));
  static final Rule CSP_SCRIPTS_UNLIMITED =
      rule(
          20,
          new FindingCode(
              "csp_scripts_unlimited",
              Level.WARN,
              "csp",
              "The content security policy does not say which scripts may run.",
              "Add script-src with what your pages need, or default-src 'self'.",
              "CSP Level 3, script-src"));
  static final Rule CSP_INLINE_SCRIPTS =
      rule(
          20,
          new FindingCode(
              "csp_inline_scripts",
              Level.WARN,
              "csp",
              "The content security policy lets scripts run that stand in the page, smuggled"
                  + " ones too.",
              "Take 'unsafe-inline' out; move scripts into files, or mark them with a nonce or"
                  + " hash.",
              "CSP Level 3, unsafe-inline"));
  static final Rule CSP_ANY_SOURCE =
      rule(
          20,
          new FindingCode(
              "csp_any_source",
              Level.WARN,
              "csp",
              "The content security policy lets scripts come from anywhere.",
              "Name the hosts that your scripts come from instead of *, https:, http: or data:.",
              "CSP Level 3, source lists"));
  static final Rule CSP_SHARED_HOST =
      rule(
          10,
          new FindingCode(
              "csp_shared_host",
              Level.WARN,
              "csp",
              "The content security policy trusts every name below a domain where anyone can"
                  + " have one.",
              "Name the very host that your scripts come from.",
              "CSP Level 3, paths and redirects"));
  static final Rule CSP_BYPASS_HOST =
      rule(
          10,
          new FindingCode(
              "csp_bypass_host",
              Level.WARN,
              "csp",
              "The content security policy trusts a host from which everybody can run scripts"
                  + " of their own.",
              "Serve those scripts from your own host, name the very file, or use nonces with"
                  + " 'strict-dynamic'.",
              "CSP Level 3, paths and redirects"));
  static final Rule CSP_PLAIN_HTTP_SOURCE =
      rule(
          5,
          new FindingCode(
              "csp_plain_http_source",
              Level.WARN,
              "csp",
              "The content security policy trusts scripts that come without encryption.",
              "Name the host with https.",
              "CSP Level 3, matching of schemes"));
  static final Rule CSP_EVAL =
      rule(
          5,
          new FindingCode(
              "csp_eval",
              Level.WARN,
              "csp",
              "The content security policy lets scripts run text as code.",
              "Take 'unsafe-eval' out, and replace what needs it.",
              "CSP Level 3, source lists"));
  static final Rule CSP_SHORT_NONCE =
      rule(
          5,
          new FindingCode(
              "csp_short_nonce",
              Level.WARN,
              "csp",
              "A nonce of the content security policy is short enough to be guessed.",
              "Make at least 128 random bits anew for every answer.",
              "CSP Level 3, nonce reuse"));
  static final Rule CSP_OBJECTS_UNLIMITED =
      rule(
          5,
          new FindingCode(
              "csp_objects_unlimited",
              Level.WARN,
              "csp",
              "The content security policy does not limit what object and embed elements load.",
              "Add object-src 'none'.",
              "CSP Level 3, object-src"));
  static final Rule CSP_BASE_UNLIMITED =
      rule(
          5,
          new FindingCode(
              "csp_base_unlimited",
              Level.WARN,
              "csp",
              "A base element that is smuggled in could make your own scripts load from"
                  + " elsewhere.",
              "Add base-uri 'none'.",
              "CSP Level 3, base-uri"));
  static final Rule CSP_FORMS_UNLIMITED =
      rule(
          0,
          new FindingCode(
              "csp_forms_unlimited",
              Level.INFO,
              "csp",
              "The content security policy does not say where forms may be sent.",
              "Add form-action 'self'; default-src does not cover it.",
              "CSP Level 3, form-action"));
  static final Rule CSP_INLINE_STYLES =
      rule(
          0,
          new FindingCode(
              "csp_inline_styles",
              Level.INFO,
              "csp",
              "The content security policy lets styles apply that stand in the page.",
              "Where you can, move styles into files and take 'unsafe-inline' out of style-src.",
              "CSP Level 3, unsafe-inline"));
  static final Rule CSP_MALFORMED =
      rule(
          5,
          new FindingCode(
              "csp_malformed",
              Level.WARN,
              "csp",
              "A part of the content security policy is not understood by browsers.",
              "Correct it: what is not understood protects nobody.",
              "CSP Level 3, parsing of policies"));
  static final Rule FRAMING_UNLIMITED =
      rule(
          20,
          new FindingCode(
              "framing_unlimited",
              Level.WARN,
              "x_frame_options",
              "Every site may show the page in a frame and trick visitors into clicking on it.",
              "Add frame-ancestors 'none' or 'self' to the content security policy, or send"
                  + " X-Frame-Options: DENY.",
              "RFC 7034 section 2.1"));
  static final Rule FRAME_OPTIONS_INVALID =
      rule(
          5,
          new FindingCode(
              "frame_options_invalid",
              Level.WARN,
              "x_frame_options",
              "X-Frame-Options has a value that browsers pass over.",
              "Send DENY or SAMEORIGIN; for other sites use frame-ancestors in the content"
                  + " security policy.",
              "HTML Living Standard, The `X-Frame-Options` header"));
  static final Rule NOSNIFF_MISSING =
      rule(
          10,
          new FindingCode(
              "nosniff_missing",
              Level.WARN,
              "x_content_type_options",
              "Browsers may guess the type of a file and take an upload for a script.",
              "Send X-Content-Type-Options: nosniff.",
              "Fetch Standard, `X-Content-Type-Options` header"));
  static final Rule REFERRER_POLICY_MISSING =
      rule(
          5,
          new FindingCode(
              "referrer_policy_missing",
              Level.INFO,
              "referrer_policy",
              "It is left to browsers how much of your addresses other sites are told.",
              "Send Referrer-Policy: strict-origin-when-cross-origin, or no-referrer.",
              "Referrer Policy section 4.1"));
  static final Rule REFERRER_POLICY_UNSAFE =
      rule(
          10,
          new FindingCode(
              "referrer_policy_unsafe",
              Level.WARN,
              "referrer_policy",
              "Other sites, or the network, are told which pages of yours people come from.",
              "Send strict-origin-when-cross-origin, same-origin or no-referrer.",
              "Referrer Policy section 3"));
  static final Rule REFERRER_POLICY_INVALID =
      rule(
          5,
          new FindingCode(
              "referrer_policy_invalid",
              Level.WARN,
              "referrer_policy",
              "Referrer-Policy has no value that browsers know.",
              "Send strict-origin-when-cross-origin, or another of the eight values.",
              "Referrer Policy section 3"));
  static final Rule PERMISSIONS_POLICY_MISSING =
      rule(
          5,
          new FindingCode(
              "permissions_policy_missing",
              Level.INFO,
              "permissions_policy",
              "Nothing limits which features, as camera and position, embedded pages may ask"
                  + " for.",
              "Send Permissions-Policy with () for the features that you do not use: camera=(),"
                  + " geolocation=().",
              "Permissions Policy, Permissions-Policy header"));
  static final Rule PERMISSIONS_POLICY_INVALID =
      rule(
          5,
          new FindingCode(
              "permissions_policy_invalid",
              Level.WARN,
              "permissions_policy",
              "Permissions-Policy is not written as browsers read it, so all of it is passed"
                  + " over.",
              "Write feature=(), feature=(self) or feature=*, with commas between.",
              "RFC 9651 section 3.2"));
  static final Rule COOP_MISSING =
      rule(
          5,
          new FindingCode(
              "coop_missing",
              Level.INFO,
              "coop",
              "Pages that open yours in a window keep a hold on it.",
              "Send Cross-Origin-Opener-Policy: same-origin.",
              "HTML Living Standard, Cross-origin opener policies"));
  static final Rule COEP_MISSING =
      rule(
          0,
          new FindingCode(
              "coep_missing",
              Level.INFO,
              "coep",
              "The page may load things of other sites that did not agree to it.",
              "If nothing breaks, send Cross-Origin-Embedder-Policy: require-corp.",
              "HTML Living Standard, Embedder policies"));
  static final Rule CORP_MISSING =
      rule(
          0,
          new FindingCode(
              "corp_missing",
              Level.INFO,
              "corp",
              "Other sites may load this as a part of their pages.",
              "Send Cross-Origin-Resource-Policy: same-origin where nobody else needs it.",
              "Fetch Standard, `Cross-Origin-Resource-Policy` header"));
  static final Rule SOFTWARE_DISCLOSED =
      rule(
          5,
          new FindingCode(
              "software_disclosed",
              Level.INFO,
              "leaking",
              "Headers tell which software, in which version, answers, which helps those who"
                  + " look for its holes.",
              "Take them out, or leave the name without the version.",
              "RFC 9110 section 10.2.4"));
  static final Rule OBSOLETE_HEADER =
      rule(
          0,
          new FindingCode(
              "obsolete_header",
              Level.INFO,
              null,
              "A header is sent that browsers no longer know or that does harm.",
              "Take it out.",
              null));
  static final Rule ERROR_PAGE =
      rule(
          0,
          new FindingCode(
              "error_page",
              Level.INFO,
              null,
              "What was judged is an error page; other pages may be better or worse protected.",
              "Check a page that is there.",
              "RFC 9110 section 15"));
  static final Rule HARDLY_PROTECTED =
      rule(
          0,
          new FindingCode(
              "hardly_protected",
              Level.FAIL,
              "grade",
              "So much is missing that browsers protect visitors hardly more than without any"
                  + " of these headers.",
              "Begin with the findings above that cost most.",
              null));

  private static final Rule[] RULES = {
    PLAIN_HTTP,
    HSTS_MISSING,
    HSTS_INVALID,
    HSTS_OFF,
    HSTS_SHORT,
    HSTS_SEVERAL,
    HSTS_IGNORED,
    HSTS_NOT_FOR_SUBDOMAINS,
    HSTS_PRELOAD_UNREADY,
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
    CSP_MALFORMED,
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
    HARDLY_PROTECTED
  };

  private SecurityHeadersFindings() {}

  /** What the weaknesses of a content security policy cost at most: as much as to have none. */
  static final int MOST_FOR_POLICY = CSP_MISSING.points();

  static List<Rule> rules() {
    return List.of(RULES);
  }

  static FindingCode[] codes() {
    return Arrays.stream(RULES).map(Rule::code).toArray(FindingCode[]::new);
  }

  private static Rule rule(int points, FindingCode code) {
    return new Rule(code, points);
  }
}
