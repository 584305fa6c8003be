package dev.plumbline.module.web.cookies;

import static dev.plumbline.sheet.FindingCollector.reportIfAny;

import com.google.auto.service.AutoService;
import dev.plumbline.check.CheckContext;
import dev.plumbline.check.CheckModule;
import dev.plumbline.check.RegisteredModule;
import dev.plumbline.module.web.cookies.CookieJar.Cookie;
import dev.plumbline.module.web.cookies.CookieJar.Rejection;
import dev.plumbline.module.web.cookies.CookieJar.State;
import dev.plumbline.module.web.cookies.SetCookie.SameSite;
import dev.plumbline.module.web.header.HstsPolicy;
import dev.plumbline.probe.http.HttpExchange;
import dev.plumbline.probe.http.HttpHeader;
import dev.plumbline.probe.http.HttpProbe;
import dev.plumbline.probe.http.RedirectTrace;
import dev.plumbline.result.CheckError;
import dev.plumbline.result.ErrorCode;
import dev.plumbline.sheet.FindingCollector;
import dev.plumbline.sheet.Options;
import dev.plumbline.target.Target;
import io.vertx.core.Future;
import java.time.Instant;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The cookies that a page and its redirects set, and whether browsers store them. */
@AutoService(RegisteredModule.class)
public final class Cookies implements CheckModule<Cookies.Evidence, Cookies.Report, Cookies.Findings> {
    /** The maximum number of evaluated cookies. Browsers store fewer than 200 for a domain. */
    static final int MAX_COOKIES = 1_000;

    private static final CheckError TOO_MANY =
            new CheckError(ErrorCode.RESPONSE_TOO_LARGE, "The responses set more than " + MAX_COOKIES + " cookies.");

    /** The number of cookies per domain that each browser stores (RFC 6265 section 6.1). */
    private static final int MAX_PER_DOMAIN = 50;

    private static final int MAX_REQUEST_BYTES = 8_000;
    private static final int SEPARATOR_BYTES = "=; ".length();

    private static final Predicate<String> SESSION_NAME = Pattern.compile(
                    "sess|login|logged_?in|auth(?!or)|jwt|remember|(?:access|refresh|id|user)[-_.]?token"
                            + "|(?:^|[-_.])sid$|^sid[-_.]",
                    Pattern.CASE_INSENSITIVE)
            .asPredicate();
    private static final Predicate<String> CSRF_NAME =
            Pattern.compile("csrf|xsrf", Pattern.CASE_INSENSITIVE).asPredicate();

    public record Report(
            List<CookieReport> cookies,
            int cookieCount,
            int insecureCount,
            int missingHttponlyCount,
            int missingSamesiteCount) {}

    record CookieReport(
            String name,
            String domain,
            String path,
            boolean secure,
            boolean httpOnly,
            boolean partitioned,
            @Nullable SameSite sameSite,
            @Nullable Instant expires,
            boolean prefixOk,
            State state) {}

    public interface Findings extends FindingCollector {
        void sessionInsecure(List<String> cookies);

        void cookieMalformed(List<String> cookies);

        void cookieTooLarge(List<String> cookies);

        void prefixInvalid(List<String> cookies);

        void secureOverHttp(List<String> cookies);

        void secureExists(List<String> cookies);

        void domainInvalid(List<String> cookies);

        void publicSuffix(List<String> cookies);

        void samesiteNoneInsecure(List<String> cookies);

        void partitionedInsecure(List<String> cookies);

        void sessionNotHttponly(List<String> cookies);

        void cookieInsecure(List<String> cookies);

        void attributeIgnored(List<String> attributes);

        void cookiesLarge(int bytes, String host);

        void cookiesMany(int count, int max);

        void samesiteMissing(List<String> cookies);

        void samesiteNone(List<String> cookies);

        void httponlyMissing(List<String> cookies);

        void sessionForSubdomains(List<String> cookies);

        void lifetimeShortened(List<String> cookies);

        void cookieRepeated(List<String> cookies);

        void plainHttp();

        void noCookies();

        void redirected(Target url);
    }

    /** @param received when the last response was received */
    public record Evidence(RedirectTrace trace, Instant received) {}

    @Override
    public Future<Evidence> collect(Target target, CheckContext context) {
        return context.probe(HttpProbe.class)
                .page(context, (Target.Url) target)
                .map(trace -> new Evidence(trace, context.clock().instant()));
    }

    @Override
    public @Nullable Report evaluate(Evidence evidence, Options options, Findings findings) {
        RedirectTrace trace = evidence.trace();
        findings.error(trace.error());
        HttpExchange last = trace.last();
        if (last == null) {
            return null;
        }
        CookieJar jar = new CookieJar(evidence.received());
        for (HttpExchange hop : trace.hops()) {
            for (String header : hop.headers().all("set-cookie")) {
                if (jar.size() == MAX_COOKIES) {
                    findings.error(TOO_MANY);
                    break;
                }
                jar.receive(hop.url(), header);
            }
        }
        List<Cookie> all = jar.cookies();
        List<Cookie> stored =
                all.stream().filter(cookie -> cookie.state() == State.STORED).toList();
        reportRejected(all, findings);
        reportWeak(stored, trace, findings);
        reportSize(stored, last.url().host().name(), findings);
        report(all, cookie -> cookie.state() == State.REPLACED, findings::cookieRepeated);
        if (!last.url().secure() && !all.isEmpty()) {
            findings.plainHttp();
        }
        if (all.isEmpty() && trace.error() == null) {
            findings.noCookies();
        }
        if (trace.hops().size() > 1) {
            findings.redirected(last.url());
        }
        return new Report(
                all.stream().map(Cookies::report).toList(),
                stored.size(),
                count(stored, cookie -> !cookie.header().secure()),
                count(stored, cookie -> !cookie.header().httpOnly()),
                count(stored, cookie -> cookie.header().sameSite() == null));
    }

    private static CookieReport report(Cookie cookie) {
        SetCookie header = cookie.header();
        return new CookieReport(
                shown(header.name()),
                shown(cookie.domain()),
                shown(cookie.path()),
                header.secure(),
                header.httpOnly(),
                header.partitioned(),
                header.sameSite(),
                header.expires(),
                cookie.prefixOk(),
                cookie.state());
    }

    private static void reportRejected(List<Cookie> cookies, Findings findings) {
        Map<Rejection, Consumer<List<String>>> codes = new EnumMap<>(Map.of(
                Rejection.MALFORMED, findings::cookieMalformed,
                Rejection.TOO_LARGE, findings::cookieTooLarge,
                Rejection.PREFIX, findings::prefixInvalid,
                Rejection.NOT_HTTPS, findings::secureOverHttp,
                Rejection.SECURE_EXISTS, findings::secureExists,
                Rejection.DOMAIN, findings::domainInvalid,
                Rejection.PUBLIC_SUFFIX, findings::publicSuffix,
                Rejection.SAME_SITE_NONE, findings::samesiteNoneInsecure,
                Rejection.PARTITIONED, findings::partitionedInsecure));
        codes.forEach((rejection, code) -> report(cookies, cookie -> cookie.rejection() == rejection, code));
        reportIfAny(
                cookies.stream()
                        .flatMap(cookie -> cookie.header().ignored().stream()
                                .map(attribute -> label(cookie) + " (" + shown(attribute) + ")"))
                        .distinct()
                        .toList(),
                findings::attributeIgnored);
    }

    private static void reportWeak(List<Cookie> stored, RedirectTrace trace, Findings findings) {
        Map<Target.Url, HstsPolicy> hsts = trace.hops().stream()
                .filter(hop -> hop.url().secure() && hop.headers().has("strict-transport-security"))
                .collect(Collectors.toMap(
                        HttpExchange::url,
                        hop -> HstsPolicy.parse(
                                hop.headers().all("strict-transport-security").get(0)),
                        (first, second) -> second));
        Predicate<Cookie> session = Cookies::isSession;
        Predicate<Cookie> insecure = cookie -> !cookie.header().secure();
        Predicate<Cookie> exposed = session.and(insecure).and(cookie -> !isProtected(cookie, hsts));
        Predicate<Cookie> scriptable = cookie -> !cookie.header().httpOnly();
        report(stored, exposed, findings::sessionInsecure);
        report(stored, insecure.and(exposed.negate()), findings::cookieInsecure);
        report(stored, session.and(scriptable), findings::sessionNotHttponly);
        report(stored, session.negate().and(scriptable), findings::httponlyMissing);
        report(stored, cookie -> cookie.header().sameSite() == null, findings::samesiteMissing);
        report(stored, session.and(cookie -> cookie.header().sameSite() == SameSite.NONE), findings::samesiteNone);
        report(stored, session.and(cookie -> !cookie.hostOnly()), findings::sessionForSubdomains);
        report(stored, cookie -> cookie.header().shortened(), findings::lifetimeShortened);
    }

    /** Whether HSTS of the response prevents that browsers send the cookie over HTTP. */
    private static boolean isProtected(Cookie cookie, Map<Target.Url, HstsPolicy> hsts) {
        HstsPolicy policy = hsts.get(cookie.url());
        Long maxAge = policy == null ? null : policy.maxAge();
        return policy != null && maxAge != null && maxAge > 0 && (cookie.hostOnly() || policy.includeSubdomains());
    }

    private static void reportSize(List<Cookie> stored, String host, Findings findings) {
        int bytes = stored.stream()
                .filter(cookie -> cookie.sentTo(host))
                .mapToInt(cookie -> cookie.header().size() + SEPARATOR_BYTES)
                .sum();
        if (bytes > MAX_REQUEST_BYTES) {
            findings.cookiesLarge(bytes, host);
        }
        int count = count(stored, cookie -> cookie.sentTo(host));
        if (count > MAX_PER_DOMAIN) {
            findings.cookiesMany(count, MAX_PER_DOMAIN);
        }
    }

    /** Whether the name is common for cookies that identify a session or a user. */
    static boolean isSession(Cookie cookie) {
        String name = cookie.header().name();
        return SESSION_NAME.test(name) && !CSRF_NAME.test(name);
    }

    private static int count(List<Cookie> cookies, Predicate<Cookie> condition) {
        return (int) cookies.stream().filter(condition).count();
    }

    private static void report(List<Cookie> cookies, Predicate<Cookie> condition, Consumer<List<String>> finding) {
        reportIfAny(
                cookies.stream()
                        .filter(condition)
                        .map(Cookies::label)
                        .distinct()
                        .toList(),
                finding);
    }

    private static String label(Cookie cookie) {
        String name = shown(cookie.header().name());
        return name.isEmpty() ? "(no name)" : name;
    }

    private static String shown(String bytes) {
        return new HttpHeader("set-cookie", bytes).text();
    }
}
