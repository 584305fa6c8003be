package dev.plumbline.module.web.caching;

import static dev.plumbline.sheet.FindingCollector.reportIfAny;

import com.google.auto.service.AutoService;
import dev.plumbline.check.CheckContext;
import dev.plumbline.check.CheckModule;
import dev.plumbline.check.RegisteredModule;
import dev.plumbline.probe.http.HttpDate;
import dev.plumbline.probe.http.HttpExchange;
import dev.plumbline.probe.http.HttpProbe;
import dev.plumbline.probe.http.HttpRequestSpec;
import dev.plumbline.probe.http.RedirectTrace;
import dev.plumbline.probe.http.ResponseHeaders;
import dev.plumbline.sheet.FindingCollector;
import dev.plumbline.sheet.Options;
import dev.plumbline.target.Target;
import io.vertx.core.Future;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Whether and how long caches can store a response (RFC 9111), and whether it can be revalidated. */
@AutoService(RegisteredModule.class)
public final class HttpCaching implements CheckModule<HttpCaching.Evidence, HttpCaching.Report, HttpCaching.Findings> {
    private static final Pattern ETAG = Pattern.compile("(W/)?\"[\\x21\\x23-\\x7e\\x80-\\xff]*\"");
    private static final Pattern SENDABLE = Pattern.compile("[\\x20-\\x7e]{1,1000}");

    /** Headers of one value that caches use. */
    private static final List<String> SINGLE = List.of("age", "date", "etag", "expires", "last-modified");

    /** Request headers whose values differ for almost every visitor. */
    private static final Set<String> DIVERSE =
            Set.of("user-agent", "cookie", "referer", "accept-language", "authorization");

    /** Pairs of directives that conflict. Caches use the first one. */
    private static final List<List<String>> CONFLICTS = List.of(
            List.of("no-store", "public"),
            List.of("no-store", "immutable"),
            List.of("no-store", "s-maxage"),
            List.of("private", "public"),
            List.of("private", "s-maxage"),
            List.of("no-cache", "immutable"));

    public record Report(
            @Nullable Map<String, String> cacheControl,
            @Nullable Instant expires,
            @Nullable String etag,
            @Nullable Instant lastModified,
            @Nullable Long age,
            List<String> vary,
            boolean revalidates,
            boolean storable,
            @Nullable Long freshnessSeconds,
            @Nullable String cdn) {}

    public interface Findings extends FindingCollector {
        void noStore();

        void privateOnly();

        void freshnessMissing();

        void heuristicFreshness(long seconds);

        void staleOnArrival(long age, long seconds);

        void directiveInvalid(List<String> directives);

        void directiveRepeated(List<String> directives);

        void directivesConflict(String first, String second);

        void headerRepeated(List<String> headers);

        void dateInvalid(String header, String value);

        void pragmaOnly(String value);

        void cookieCached(String directive);

        void etagInvalid(String etag);

        void validatorMissing();

        void notRevalidated(int status);

        void etagUnstable(String first, String second);

        void varyAny();

        void varyDiverse(List<String> headers);

        void cdnDetected(String cdn, String header);

        void redirected(Target.Url url);

        void errorPage(int status);
    }

    /**
     * @param conditional the response to the conditional request; null if none was sent
     * @param received when the response was received
     */
    public record Evidence(RedirectTrace trace, @Nullable HttpExchange conditional, Instant received) {}

    @Override
    public Future<Evidence> collect(Target target, CheckContext context) {
        HttpProbe probe = context.probe(HttpProbe.class);
        HttpRequestSpec request = HttpRequestSpec.get((Target.Url) target, 0);
        return probe.follow(context, request, HttpProbe.PAGE_REDIRECTS).compose(trace -> {
            Instant received = context.clock().instant();
            HttpExchange page = trace.page();
            HttpRequestSpec conditional = page == null ? null : conditional(request.to(page.url()), page);
            return conditional == null
                    ? Future.succeededFuture(new Evidence(trace, null, received))
                    : probe.exchange(context.patiently(), conditional)
                            .map(second -> new Evidence(trace, second, received));
        });
    }

    /** The request that revalidates a response (RFC 9110 section 13.1); null if that is not possible. */
    private static @Nullable HttpRequestSpec conditional(HttpRequestSpec request, HttpExchange page) {
        String etag = page.headers().first("etag");
        String modified = page.headers().first("last-modified");
        HttpRequestSpec conditional = request;
        if (page.status() / 100 != 2) {
            return null;
        }
        if (etag != null && SENDABLE.matcher(etag).matches()) {
            conditional = conditional.with("if-none-match", etag);
        }
        if (modified != null && SENDABLE.matcher(modified).matches()) {
            conditional = conditional.with("if-modified-since", modified);
        }
        return conditional.headers().isEmpty() ? null : conditional;
    }

    @Override
    public @Nullable Report evaluate(Evidence evidence, Options options, Findings findings) {
        RedirectTrace trace = evidence.trace();
        HttpExchange page = trace.page();
        findings.error(trace.error());
        if (page == null) {
            return null;
        }
        ResponseHeaders headers = page.headers();
        ResponseFreshness freshness = ResponseFreshness.of(page, evidence.received());
        reportFreshness(freshness, findings);
        reportDirectives(page, freshness, findings);
        reportHeaders(headers, evidence.received(), findings);
        Set<String> vary = vary(headers, findings);
        boolean revalidates =
                evidence.conditional() != null && evidence.conditional().status() == 304;
        reportValidation(page, evidence.conditional(), freshness.storable(), findings);
        CdnDetector.Match cdn = CdnDetector.detect(headers);
        if (cdn != null) {
            findings.cdnDetected(
                    cdn.cdn(), cdn.header().name() + ": " + cdn.header().text());
        }
        if (page.status() >= 400) {
            findings.errorPage(page.status());
        }
        if (trace.hops().size() > 1) {
            findings.redirected(page.url());
        }
        return new Report(
                headers.has("cache-control")
                        ? new LinkedHashMap<>(freshness.cacheControl().directives())
                        : null,
                freshness.expires(),
                headers.firstText("etag"),
                freshness.lastModified(),
                freshness.age(),
                List.copyOf(vary),
                revalidates,
                freshness.storable(),
                freshness.seconds(),
                cdn == null ? null : cdn.cdn());
    }

    private static void reportFreshness(ResponseFreshness freshness, Findings findings) {
        Long seconds = freshness.seconds();
        Long age = freshness.age();
        if (!freshness.storable()) {
            if (freshness.cacheControl().has("no-store")) {
                findings.noStore();
            }
        } else if (seconds == null) {
            findings.freshnessMissing();
        } else if (freshness.heuristic()) {
            findings.heuristicFreshness(seconds);
        } else if (seconds > 0 && age != null && age >= seconds) {
            findings.staleOnArrival(age, seconds);
        }
    }

    private static void reportDirectives(HttpExchange page, ResponseFreshness freshness, Findings findings) {
        CacheControl directives = freshness.cacheControl();
        reportIfAny(directives.invalid(), findings::directiveInvalid);
        reportIfAny(directives.repeated(), findings::directiveRepeated);
        for (List<String> pair : CONFLICTS) {
            if (directives.isUnqualified(pair.get(0)) && directives.has(pair.get(1))) {
                findings.directivesConflict(pair.get(0), pair.get(1));
            }
        }
        boolean shared = !directives.has("private") && freshness.storable();
        if (freshness.storable() && directives.isUnqualified("private")) {
            findings.privateOnly();
        }
        String sharing = directives.has("s-maxage") ? "s-maxage" : "public";
        if (shared && directives.has(sharing) && page.headers().has("set-cookie")) {
            findings.cookieCached(sharing);
        }
        String pragma = page.headers().firstText("pragma");
        if (pragma != null && !page.headers().has("cache-control")) {
            findings.pragmaOnly(pragma);
        }
    }

    private static void reportHeaders(ResponseHeaders headers, Instant received, Findings findings) {
        List<String> repeated = SINGLE.stream()
                .filter(name -> Set.copyOf(headers.all(name)).size() > 1)
                .toList();
        reportIfAny(repeated, findings::headerRepeated);
        for (String name : List.of("Expires", "Last-Modified", "Date")) {
            String value = headers.first(name.toLowerCase(Locale.ROOT));
            // "0" and "-1" are common and mean that the response has expired (RFC 9111 section 5.3)
            boolean expired = name.equals("Expires") && value != null && value.matches("0|-1");
            if (value != null && !expired && HttpDate.parse(value, received) == null) {
                findings.dateInvalid(name, value);
            }
        }
    }

    private static Set<String> vary(ResponseHeaders headers, Findings findings) {
        Set<String> names = new LinkedHashSet<>(headers.elements("vary"));
        if (names.contains("*")) {
            findings.varyAny();
        } else {
            reportIfAny(names.stream().filter(DIVERSE::contains).toList(), findings::varyDiverse);
        }
        return names;
    }

    private static void reportValidation(
            HttpExchange page, @Nullable HttpExchange conditional, boolean storable, Findings findings) {
        String etag = page.headers().firstText("etag");
        if (etag != null && !ETAG.matcher(page.headers().first("etag")).matches()) {
            findings.etagInvalid(etag);
        }
        if (!storable || page.status() / 100 != 2) {
            return;
        }
        if (conditional == null) {
            if (etag == null && !page.headers().has("last-modified")) {
                findings.validatorMissing();
            }
        } else if (conditional.status() != 304) {
            String second = conditional.headers().firstText("etag");
            if (etag != null && second != null && !etag.equals(second)) {
                findings.etagUnstable(etag, second);
            } else {
                findings.notRevalidated(conditional.status());
            }
        }
    }
}
