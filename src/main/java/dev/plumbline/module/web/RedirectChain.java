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
import dev.plumbline.result.ErrorCode;
import dev.plumbline.sheet.FindingCollector;
import dev.plumbline.sheet.Options;
import dev.plumbline.target.Host;
import dev.plumbline.target.Target;
import io.vertx.core.Future;
import java.time.Instant;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Follows the redirects of a URL and reports each of them. */
@AutoService(RegisteredModule.class)
public final class RedirectChain
        implements CheckModule<RedirectChain.Evidence, RedirectChain.Report, RedirectChain.Findings> {
    private static final String MAX_REDIRECTS = "max_redirects";
    private static final int LONG_CHAIN = 4;
    private static final RegistrableDomains DOMAINS = new RegistrableDomains();

    /** The characters of a URI reference (RFC 3986 section 2); percent-encoding is not validated. */
    private static final Pattern URI_CHARACTERS = Pattern.compile("[A-Za-z0-9._~:/?#\\[\\]@!$&'()*+,;=%-]*");

    public record Report(
            List<Hop> hops,
            int hopCount,
            String finalUrl,
            @Nullable Integer finalStatus,
            boolean loop,
            boolean httpsDowngrade,
            boolean crossDomain,
            boolean mixedPermanence) {}

    /** A redirect. */
    public record Hop(String url, int status, String location, long timeMs, String ip) {}

    /** @param receivedAt when the last response was received */
    public record Evidence(RedirectTrace trace, Instant receivedAt) {}

    public interface Findings extends FindingCollector {
        void redirectLoop(Target url);

        void tooManyRedirects(long max);

        void endsInError(Target url, int status);

        void rateLimited(Target url, int status, String retryAfter);

        void temporarilyUnavailable(Target url, int status, String retryAfter);

        void redirectWithoutLocation(int status);

        void httpsDowngrade();

        void longRedirectChain(int count);

        void severalRedirects(int count);

        void mixedPermanence(Collection<Integer> statuses);

        void temporaryRedirect(Collection<Integer> statuses);

        void crossDomain(List<String> domains);

        void locationMalformed(String location);

        void refreshNotFollowed(String refresh);
    }

    @Override
    public Future<Evidence> collect(Target target, CheckContext context) {
        int maxRedirects = (int) context.options().integer(MAX_REDIRECTS);
        return context.probe(HttpProbe.class)
                .follow(context, HttpRequestSpec.get((Target.Url) target, 0), maxRedirects)
                .map(trace -> new Evidence(trace, context.clock().instant()));
    }

    @Override
    public Report evaluate(Evidence evidence, Options options, Findings findings) {
        RedirectTrace trace = evidence.trace();
        List<HttpExchange> redirects =
                trace.hops().stream().filter(HttpExchange::redirects).toList();
        List<Hop> hops = redirects.stream()
                .map(hop -> new Hop(
                        hop.url().text(),
                        hop.status(),
                        hop.location(),
                        Math.round(hop.timings().totalMs()),
                        hop.ip()))
                .toList();
        HttpExchange page = trace.page();
        CheckError error = trace.error();
        boolean loop = error != null && error.code() == ErrorCode.REDIRECT_LOOP;
        Set<Integer> statuses =
                new LinkedHashSet<>(hops.stream().map(Hop::status).toList());
        boolean permanent = statuses.contains(301) || statuses.contains(308);
        boolean temporary = statuses.stream().anyMatch(status -> status != 301 && status != 308);
        Set<String> domains = new LinkedHashSet<>();
        redirects.forEach(redirect -> domains.add(domain(redirect.url())));
        domains.add(domain(trace.url()));

        if (loop) {
            findings.redirectLoop(trace.url());
        }
        if (error != null && error.code() == ErrorCode.TOO_MANY_REDIRECTS) {
            findings.tooManyRedirects(options.integer(MAX_REDIRECTS));
        }
        if (page != null) {
            evaluatePage(page, evidence.receivedAt(), findings);
        }
        if (trace.downgraded()) {
            findings.httpsDowngrade();
        }
        if (page != null && hops.size() >= LONG_CHAIN) {
            findings.longRedirectChain(hops.size());
        } else if (page != null && hops.size() > 1) {
            findings.severalRedirects(hops.size());
        }
        if (permanent && temporary && !loop) {
            findings.mixedPermanence(statuses);
        } else if (temporary && !loop) {
            findings.temporaryRedirect(statuses);
        }
        if (domains.size() > 1) {
            findings.crossDomain(domains.stream().skip(1).toList());
        }
        hops.stream()
                .map(Hop::location)
                .filter(location -> !URI_CHARACTERS.matcher(location).matches())
                .findFirst()
                .ifPresent(findings::locationMalformed);
        findings.error(error);
        return new Report(
                hops,
                hops.size(),
                trace.url().text(),
                page == null ? null : page.status(),
                loop,
                trace.downgraded(),
                domains.size() > 1,
                permanent && temporary);
    }

    private static void evaluatePage(HttpExchange page, Instant receivedAt, Findings findings) {
        RetryAfter retryAfter = RetryAfter.of(page, receivedAt);
        if (retryAfter != null) {
            retryAfter.report(
                    page.status(),
                    findings,
                    value -> findings.rateLimited(page.url(), page.status(), value),
                    value -> findings.temporarilyUnavailable(page.url(), page.status(), value));
        } else if (page.status() >= 400) {
            findings.endsInError(page.url(), page.status());
        }
        switch (page.status()) {
            case 301, 302, 303, 307, 308 -> findings.redirectWithoutLocation(page.status());
            default -> {}
        }
        String refresh = page.headers().firstText("refresh");
        if (refresh != null) {
            findings.refreshNotFollowed(refresh);
        }
    }

    /** The registrable domain, or the IP address. */
    private static String domain(Target.Url url) {
        Host host = url.host();
        return host.literal() == null ? DOMAINS.of(host.name()) : host.name();
    }
}
