package dev.plumbline.module.web;

import com.google.auto.service.AutoService;
import dev.plumbline.check.CheckContext;
import dev.plumbline.check.CheckFailure;
import dev.plumbline.check.CheckModule;
import dev.plumbline.check.Deadline;
import dev.plumbline.check.RegisteredModule;
import dev.plumbline.module.web.page.PageHeuristics;
import dev.plumbline.probe.http.HttpBody;
import dev.plumbline.probe.http.HttpExchange;
import dev.plumbline.probe.http.HttpProbe;
import dev.plumbline.probe.http.HttpRequestSpec;
import dev.plumbline.probe.http.RedirectTrace;
import dev.plumbline.result.CheckError;
import dev.plumbline.result.ErrorCode;
import dev.plumbline.sheet.FindingCollector;
import dev.plumbline.sheet.NullOnError;
import dev.plumbline.sheet.Options;
import dev.plumbline.target.PrintableText;
import dev.plumbline.target.Target;
import io.vertx.core.Future;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** The status code of a URL, and the redirects to the final response. */
@AutoService(RegisteredModule.class)
@SuppressWarnings("MemberName") // soft_404Suspected: the field is soft_404_suspected
public final class HttpStatus implements CheckModule<HttpStatus.Evidence, HttpStatus.Report, HttpStatus.Findings> {
    private static final int BODY_BYTES = 64 * 1024;
    private static final int SEARCHED_BYTES = 512 * 1024;
    private static final int MAX_HEADER_CHARACTERS = 201;
    private static final int LONG_CHAIN = 4;
    private static final double SLOW_MS = 3_000;
    private static final String BROWSER = "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko)"
            + " Chrome/142.0.0.0 Safari/537.36";
    private static final String GOOGLEBOT = "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)";

    /** The fields of the report. In a result with an error, blockedSuspected and soft_404Suspected can be null. */
    public record Report(
            @Nullable Integer status,
            @Nullable String statusText,
            boolean ok,
            String finalUrl,
            int redirectCount,
            List<Redirect> redirects,
            @Nullable Long responseTimeMs,
            @Nullable String httpVersion,
            @Nullable String contentType,
            @Nullable Long contentLength,
            @Nullable String server,
            @Nullable String ip,
            String methodUsed,
            int attempts,
            @NullOnError Boolean blockedSuspected,
            @NullOnError Boolean soft_404Suspected,
            @Nullable Boolean containsMatched) {}

    /** A row of the redirect chain. */
    public record Redirect(String url, int status, String location, long timeMs) {
        static Redirect of(HttpExchange hop) {
            long timeMs = Math.round(hop.timings().totalMs());
            return new Redirect(hop.url().text(), hop.status(), hop.location(), timeMs);
        }
    }

    public interface Findings extends FindingCollector {
        void statusClientError(String status);

        void statusServerError(String status);

        void statusUnusual(String status);

        void rateLimited(String status, String retryAfter);

        void temporarilyUnavailable(String status, String retryAfter);

        void expectedStatusMismatch(String status, String expected);

        void textMissing(String text);

        void textNotChecked();

        void redirected(String location);

        void permanentRedirect(Target.Url url);

        void longRedirectChain(int count);

        void redirectNotFollowed(String status, String location);

        void httpsDowngrade();

        void plainHttp();

        void servedOverHttp1(String version);

        void slowResponse(double ms);

        void blockedSuspected(String status);

        void soft_404Suspected(String status);

        void headRefused(String head, String get);

        void certificateNotVerified();
    }

    /**
     * @param traces one for each method that was tried, in order; the last one is reported
     * @param receivedAt when the last response was received
     * @param text the decoded content of the last response; null if it is unknown
     */
    public record Evidence(List<RedirectTrace> traces, Instant receivedAt, @Nullable String text) {
        static Evidence of(List<RedirectTrace> traces, Instant receivedAt) throws CheckFailure {
            HttpExchange last = lastResponse(traces);
            return new Evidence(traces, receivedAt, last == null ? null : readableText(last));
        }
    }

    @Override
    public Future<Evidence> collect(Target target, CheckContext context) {
        Options options = context.options();
        Target.Url url = (Target.Url) target;
        int bytes = options.optionalText("contains") == null ? BODY_BYTES : SEARCHED_BYTES;
        HttpRequestSpec get = configure(HttpRequestSpec.get(url, bytes), options);
        HttpRequestSpec head = configure(HttpRequestSpec.head(url), options);
        int redirects = (int) options.integer("max_redirects");
        boolean getOnly = startsWithGet(options);
        if (getOnly || options.text("method").equals("head")) {
            return send(context, getOnly ? get : head, redirects).compose(trace -> evidence(context, trace));
        }
        // HEAD may use half of the time, so that GET is possible after a HEAD without a response.
        Deadline deadline = context.deadline();
        CheckContext half = context.within(deadline.atMost(deadline.remainingMillis() / 2));
        return send(half, head, redirects).compose(first -> {
            if (!rejectsHead(first, context.clock().instant())) {
                return evidence(context, first);
            }
            HttpExchange last = first.last();
            int followed = last == null ? 0 : first.hops().size() - (last.url().equals(first.url()) ? 1 : 0);
            return send(context, get.to(first.url()), redirects - followed)
                    .map(second -> followed == 0 ? second : second.afterRedirect())
                    .compose(second -> evidence(context, first, second));
        });
    }

    private static Future<Evidence> evidence(CheckContext context, RedirectTrace... traces) {
        Instant receivedAt = context.clock().instant();
        List<RedirectTrace> all = List.of(traces);
        HttpExchange last = lastResponse(all);
        boolean cheap = last == null
                || last.body().size() == 0
                || last.body().size() <= BODY_BYTES && !last.headers().has("content-encoding");
        try {
            return cheap
                    ? Future.succeededFuture(Evidence.of(all, receivedAt))
                    : context.executeBlocking(() -> Evidence.of(all, receivedAt));
        } catch (CheckFailure impossible) {
            // without a content coding, nothing is decoded
            return Future.failedFuture(impossible);
        }
    }

    private static boolean startsWithGet(Options options) {
        return options.text("method").equals("get")
                || options.text("method").equals("auto") && options.optionalText("contains") != null;
    }

    private static HttpRequestSpec configure(HttpRequestSpec request, Options options) {
        HttpRequestSpec verifying = request.verifyingTls(options.flag("verify_tls"));
        return switch (options.text("user_agent")) {
            case "browser" ->
                verifying
                        .with("user-agent", BROWSER)
                        .with("accept", "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8")
                        .with("accept-language", "en-US,en;q=0.9");
            case "googlebot" -> verifying.with("user-agent", GOOGLEBOT);
            default -> verifying;
        };
    }

    private static Future<RedirectTrace> send(CheckContext context, HttpRequestSpec request, int redirects) {
        HttpProbe probe = context.probe(HttpProbe.class);
        return context.options().flag("follow_redirects")
                ? probe.follow(context, request, redirects)
                : RedirectTrace.ofOne(request, probe.exchange(context, request));
    }

    /** Whether the response to GET may differ from this response to HEAD, and the server permits a request now. */
    static boolean rejectsHead(RedirectTrace trace, Instant receivedAt) {
        CheckError error = trace.error();
        if (error != null) {
            return error.code() == ErrorCode.CONNECTION_RESET
                    || error.code() == ErrorCode.HTTP_PROTOCOL_ERROR
                    || error.code() == ErrorCode.READ_TIMEOUT;
        }
        HttpExchange last = trace.last();
        return last != null
                && switch (last.status()) {
                    case 401, 407, 410, 429, 451 -> false;
                    default -> last.status() >= 400 && RetryAfter.of(last, receivedAt) == null;
                };
    }

    @Override
    public Report evaluate(Evidence evidence, Options options, Findings findings) {
        List<RedirectTrace> traces = evidence.traces();
        RedirectTrace trace = traces.get(traces.size() - 1);
        HttpExchange last = lastResponse(traces);
        List<HttpExchange> redirects = redirects(traces);
        String expected = options.optionalText("expect_status");
        HttpExchange response = trace.error() == null ? last : null;
        boolean ok = response != null
                && (expected == null
                        ? response.status() / 100 == 2
                        : StatusRanges.contain(expected, response.status()));
        RetryAfter retryAfter = response != null && !ok ? RetryAfter.of(response, evidence.receivedAt()) : null;
        String page = evidence.text();
        String text = options.optionalText("contains");
        Boolean matched = text == null || page == null ? null : Boolean.valueOf(page.contains(text));
        boolean blocked = last != null && PageHeuristics.looksBlocked(last.status(), last.headers(), page);
        boolean soft404 = last != null
                && PageHeuristics.looksLikeSoft404(
                        last.status(), last.url().pathAndQuery(), !redirects.isEmpty(), page);
        findings.error(trace.error());
        if (response != null) {
            if (retryAfter != null) {
                String status = status(response);
                retryAfter.report(
                        response.status(),
                        findings,
                        value -> findings.rateLimited(status, value),
                        value -> findings.temporarilyUnavailable(status, value));
            }
            if (!ok && (expected != null || retryAfter == null)) {
                addStatus(response, expected, findings);
            }
            if (text != null && matched == null) {
                findings.textNotChecked();
            } else if (text != null && Boolean.FALSE.equals(matched) && retryAfter == null) {
                findings.textMissing(text);
            }
            if (blocked) {
                findings.blockedSuspected(status(response));
            }
            if (soft404) {
                findings.soft_404Suspected(status(response));
            }
            addConnection(response, options, findings);
            if (traces.size() > 1) {
                addHeadDifference(traces.get(0), response, findings);
            }
        }
        addRedirects(redirects, trace, findings);
        if (traces.stream().anyMatch(RedirectTrace::downgraded)) {
            findings.httpsDowngrade();
        }
        return new Report(
                last == null ? null : last.status(),
                last == null || last.reason().isEmpty()
                        ? null
                        : PrintableText.shorten(last.reason(), MAX_HEADER_CHARACTERS),
                ok,
                trace.url().text(),
                redirects.size(),
                redirects.stream().map(Redirect::of).toList(),
                last == null ? null : Math.round(last.timings().totalMs()),
                last == null ? null : last.version(),
                header(last, "content-type"),
                last == null ? null : contentLength(last),
                header(last, "server"),
                last == null ? null : last.ip(),
                last != null
                        ? last.method().name().toLowerCase(Locale.ROOT)
                        : traces.size() > 1 || startsWithGet(options) ? "get" : "head",
                traces.size(),
                last == null ? null : Boolean.valueOf(blocked),
                last == null ? null : Boolean.valueOf(soft404),
                matched);
    }

    private static @Nullable HttpExchange lastResponse(List<RedirectTrace> traces) {
        HttpExchange last = null;
        for (RedirectTrace trace : traces) {
            last = trace.last() == null ? last : trace.last();
        }
        return last;
    }

    /** Every redirect that was followed, or that could not be because of an error. */
    private static List<HttpExchange> redirects(List<RedirectTrace> traces) {
        List<HttpExchange> redirects = new ArrayList<>();
        for (RedirectTrace trace : traces) {
            int count = trace.hops().size() - (trace.error() == null ? 1 : 0);
            redirects.addAll(trace.hops().subList(0, count));
        }
        redirects.removeIf(hop -> !hop.redirects());
        return redirects;
    }

    private static @Nullable String readableText(HttpExchange response) throws CheckFailure {
        if (response.method() != HttpRequestSpec.Method.GET) {
            return null;
        }
        HttpBody body = response.decoded(SEARCHED_BYTES);
        return body.unreadable() ? null : body.text(response.headers().first("content-type"));
    }

    private static void addStatus(HttpExchange response, @Nullable String expected, Findings findings) {
        String status = status(response);
        if (expected != null) {
            findings.expectedStatusMismatch(status, expected);
        } else if (response.status() / 100 == 5) {
            findings.statusServerError(status);
        } else if (response.status() / 100 == 4) {
            findings.statusClientError(status);
        } else if (response.redirects()) {
            findings.redirectNotFollowed(status, response.location());
        } else {
            findings.statusUnusual(status);
        }
    }

    private static void addConnection(HttpExchange response, Options options, Findings findings) {
        if (response.timings().totalMs() > SLOW_MS) {
            findings.slowResponse(response.timings().totalMs());
        }
        if (!response.url().secure()) {
            findings.plainHttp();
            return;
        }
        if (!response.version().equals("2")) {
            findings.servedOverHttp1(response.version());
        }
        if (!options.flag("verify_tls")) {
            findings.certificateNotVerified();
        }
    }

    private static void addHeadDifference(RedirectTrace head, HttpExchange get, Findings findings) {
        HttpExchange response = head.last();
        CheckError error = head.error();
        if (error != null) {
            findings.headRefused(error.code().id(), status(get));
        } else if (response != null && response.status() != get.status()) {
            findings.headRefused(status(response), status(get));
        }
    }

    private static void addRedirects(List<HttpExchange> redirects, RedirectTrace trace, Findings findings) {
        if (redirects.isEmpty()) {
            return;
        }
        boolean permanent = redirects.stream().allMatch(hop -> hop.status() == 301 || hop.status() == 308);
        if (permanent && trace.error() == null) {
            findings.permanentRedirect(trace.url());
        } else {
            findings.redirected(redirects.get(redirects.size() - 1).location());
        }
        if (redirects.size() >= LONG_CHAIN) {
            findings.longRedirectChain(redirects.size());
        }
    }

    private static String status(HttpExchange response) {
        return response.reason().isEmpty() ? "" + response.status() : response.status() + " " + response.reason();
    }

    private static @Nullable String header(@Nullable HttpExchange response, String name) {
        String value = response == null ? null : response.headers().first(name);
        return value == null ? null : PrintableText.shorten(value, MAX_HEADER_CHARACTERS);
    }

    private static @Nullable Long contentLength(HttpExchange response) {
        String value = response.headers().first("content-length");
        if (value != null) {
            return value.matches("[0-9]{1,18}") ? Long.valueOf(value) : null;
        }
        boolean whole = response.method() == HttpRequestSpec.Method.GET
                && response.bodyError() == null
                && !response.body().truncated();
        return whole ? Long.valueOf(response.body().size()) : null;
    }
}
