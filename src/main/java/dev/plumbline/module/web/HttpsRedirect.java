package dev.plumbline.module.web;

import com.google.auto.service.AutoService;
import dev.plumbline.check.CheckContext;
import dev.plumbline.check.CheckModule;
import dev.plumbline.check.RegisteredModule;
import dev.plumbline.egress.RegistrableDomains;
import dev.plumbline.probe.http.HttpExchange;
import dev.plumbline.probe.http.HttpProbe;
import dev.plumbline.probe.http.HttpRequestSpec;
import dev.plumbline.probe.http.RedirectTrace;
import dev.plumbline.result.CheckError;
import dev.plumbline.sheet.FindingCollector;
import dev.plumbline.sheet.Options;
import dev.plumbline.target.Target;
import io.vertx.core.Future;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Whether a domain redirects HTTP to HTTPS, and whether it and its www variant end at the same page. */
@AutoService(RegisteredModule.class)
public record HttpsRedirect(WebPorts ports)
        implements CheckModule<HttpsRedirect.Evidence, HttpsRedirect.Report, HttpsRedirect.Findings> {
    /** Three chains of this length remain within the request budget. */
    private static final int MAX_REDIRECTS = 6;

    private static final String WWW = "www.";
    private static final RegistrableDomains DOMAINS = new RegistrableDomains();

    public HttpsRedirect() {
        this(WebPorts.STANDARD);
    }

    public record Report(
            @Nullable Integer httpStatus,
            boolean redirectsToHttps,
            boolean firstHopHttps,
            boolean permanent,
            boolean wwwConsistent,
            @Nullable String finalUrl) {}

    public interface Findings extends FindingCollector {
        void httpsUnavailable(String domain, String reason);

        void redirectsBroken(Target.Url url, String reason);

        void httpNotRedirected(String domain, int status);

        void httpRefused(int status);

        void redirectsToHttp(Target.Url url);

        void httpsDowngrade(Target.Url url);

        void httpClosed(String reason);

        void temporaryRedirect(int status);

        void firstHopElsewhere(Target.Url url);

        void endsInError(Target.Url url, int status);

        void wwwDifferent(String name, String url, String otherUrl);

        void wwwUnreachable(String name, String reason);

        void wwwUnknown(String name, String reason);
    }

    /**
     * The responses of one name.
     *
     * @param http from HTTP
     * @param https from HTTPS; null if it was not requested, because HTTP responded
     */
    record Visit(RedirectTrace http, @Nullable RedirectTrace https) {
        RedirectTrace last() {
            return https == null ? http : https;
        }
    }

    /**
     * @param https from HTTPS without redirects, if HTTP does not redirect to it
     * @param www the visit of the name with or without www; null if there is none
     */
    public record Evidence(String domain, Visit visit, @Nullable RedirectTrace https, @Nullable Visit www) {}

    @Override
    public Future<Evidence> collect(Target target, CheckContext context) {
        String domain = target.text();
        String variant = variant(domain);
        return visit(context, domain)
                .compose(visit ->
                        visit.last().page() != null && !visit.last().url().secure()
                                ? follow(context.patiently(), ports.https(domain, "/"), 0)
                                        .map(https -> new Evidence(domain, visit, https, null))
                                : Future.succeededFuture(new Evidence(domain, visit, null, null)))
                .compose(evidence -> variant == null || evidence.visit().last().page() == null
                        ? Future.succeededFuture(evidence)
                        : visit(context.patiently(), variant)
                                .map(www -> new Evidence(domain, evidence.visit(), evidence.https(), www)));
    }

    private Future<Visit> visit(CheckContext context, String name) {
        return follow(context, ports.http(name, "/"), MAX_REDIRECTS)
                .compose(http -> TraceErrors.startsWith(http, TraceErrors.NOT_LISTENING)
                        ? follow(context.patiently(), ports.https(name, "/"), MAX_REDIRECTS)
                                .map(https -> new Visit(http, https))
                        : Future.succeededFuture(new Visit(http, null)));
    }

    private static Future<RedirectTrace> follow(CheckContext context, Target.Url url, int maxRedirects) {
        return context.probe(HttpProbe.class).follow(context, HttpRequestSpec.get(url, 0), maxRedirects);
    }

    /** The same name with or without www; null if a site does not need it, because it is another subdomain. */
    static @Nullable String variant(String domain) {
        if (domain.equals(DOMAINS.of(domain))) {
            return WWW + domain;
        }
        String rest = domain.startsWith(WWW) ? domain.substring(WWW.length()) : "";
        return !rest.isEmpty() && rest.equals(DOMAINS.of(rest)) ? rest : null;
    }

    @Override
    public @Nullable Report evaluate(Evidence evidence, Options options, Findings findings) {
        Visit visit = evidence.visit();
        RedirectTrace http = visit.http();
        if (visit.last().last() == null) {
            findings.error(visit.last().error());
            return null;
        }
        boolean redirects = http.last() != null && http.url().secure();
        boolean firstHop = redirects && isFirstHopHttps(http);
        Integer temporary = redirects ? temporaryStatus(http) : null;
        if (evidence.https() != null) {
            evaluatePlainEnd(evidence.domain(), http, evidence.https(), findings);
        }
        if (redirects && http.downgraded()) {
            findings.httpsDowngrade(http.url());
        }
        evaluateEnd(visit.last(), findings);
        boolean consistent = isConsistent(evidence, findings);
        if (temporary != null) {
            findings.temporaryRedirect(temporary);
        }
        if (redirects && !firstHop) {
            findings.firstHopElsewhere(firstTarget(http));
        }
        if (visit.https() != null) {
            findings.httpClosed(TraceErrors.message(http));
        }
        HttpExchange page = visit.last().page();
        return new Report(
                http.last() == null ? null : http.hops().get(0).status(),
                redirects,
                firstHop,
                redirects && temporary == null,
                consistent,
                page == null ? null : page.url().text());
    }

    /** A site whose page is not redirected to HTTPS. */
    private static void evaluatePlainEnd(String domain, RedirectTrace http, RedirectTrace https, Findings findings) {
        int status = http.hops().get(0).status();
        CheckError error = https.last() == null ? https.error() : null;
        if (error != null && error.code().targetFault()) {
            findings.httpsUnavailable(domain, error.message());
        } else if (http.hops().size() > 1) {
            findings.redirectsToHttp(http.url());
        } else if (status >= 400) {
            findings.httpRefused(status);
        } else {
            findings.httpNotRedirected(domain, status);
        }
    }

    private static void evaluateEnd(RedirectTrace trace, Findings findings) {
        CheckError error = trace.error();
        HttpExchange page = trace.page();
        if (error != null && (error.code().targetFault() || error.code().answered())) {
            findings.redirectsBroken(trace.url(), error.message());
        } else if (error != null) {
            findings.error(error);
        } else if (page != null && page.url().secure() && page.status() >= 400) {
            findings.endsInError(page.url(), page.status());
        }
    }

    /** Whether the first redirect goes to HTTPS on the same host. */
    private static boolean isFirstHopHttps(RedirectTrace trace) {
        HttpExchange first = trace.hops().get(0);
        Target.Url target = firstTarget(trace);
        return target.secure() && target.host().name().equals(first.url().host().name());
    }

    private static Target.Url firstTarget(RedirectTrace trace) {
        return trace.hops().size() > 1 ? trace.hops().get(1).url() : trace.url();
    }

    /** The first status of the redirects from HTTP to HTTPS that is not permanent; null if all are permanent. */
    private static @Nullable Integer temporaryStatus(RedirectTrace trace) {
        for (HttpExchange hop : trace.hops()) {
            if (hop.url().secure()) {
                return null;
            }
            if (hop.status() != 301 && hop.status() != 308) {
                return hop.status();
            }
        }
        return null;
    }

    private static boolean isConsistent(Evidence evidence, Findings findings) {
        Visit www = evidence.www();
        String name = variant(evidence.domain());
        if (www == null || name == null || TraceErrors.startsWith(www.http(), TraceErrors.NO_ADDRESS)) {
            return true;
        }
        HttpExchange page = evidence.visit().last().page();
        HttpExchange other = www.last().page();
        if (page == null) {
            return false;
        }
        if (other == null) {
            CheckError error = Objects.requireNonNull(www.last().error());
            if (error.code().targetFault()) {
                findings.wwwUnreachable(name, error.message());
            } else {
                findings.wwwUnknown(name, error.message());
            }
            return false;
        }
        boolean same = withoutQuery(page.url()).equals(withoutQuery(other.url()));
        if (!same) {
            findings.wwwDifferent(name, withoutQuery(page.url()), withoutQuery(other.url()));
        }
        return same;
    }

    private static String withoutQuery(Target.Url url) {
        return url.text().split("\\?", 2)[0];
    }
}
