package dev.plumbline.module.web.indexability;

import com.google.auto.service.AutoService;
import dev.plumbline.check.CheckContext;
import dev.plumbline.check.CheckFailure;
import dev.plumbline.check.CheckModule;
import dev.plumbline.check.RegisteredModule;
import dev.plumbline.html.HtmlHead;
import dev.plumbline.module.web.page.CanonicalUrl;
import dev.plumbline.module.web.page.HtmlResponse;
import dev.plumbline.module.web.page.PageHeuristics;
import dev.plumbline.probe.http.HttpExchange;
import dev.plumbline.probe.http.HttpProbe;
import dev.plumbline.probe.http.RedirectTrace;
import dev.plumbline.result.CheckError;
import dev.plumbline.sheet.FindingCollector;
import dev.plumbline.sheet.Options;
import dev.plumbline.target.Target;
import io.vertx.core.Future;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Whether search engines can index a page. The User-Agent of the crawler is not sent, because operators block requests
 * that only claim to be a crawler.
 */
@AutoService(RegisteredModule.class)
@SuppressWarnings("MemberName") // soft_404Suspected: the code is soft_404_suspected
public final class Indexability
        implements CheckModule<Indexability.Evidence, Indexability.Report, Indexability.Findings> {
    static final String ROBOTS_TAG = "x-robots-tag";

    public record Report(
            boolean indexable,
            List<String> reasons,
            @Nullable Integer status,
            boolean robotsTxtAllowed,
            @Nullable String metaRobots,
            @Nullable String xRobotsTag,
            @Nullable String canonical,
            @Nullable Boolean canonicalSelf) {}

    public interface Findings extends FindingCollector {
        void disallowedByRobots(Target.Url url, String rule, String agent);

        void robotsUnreachable(Target.Url url, int status);

        void statusNotIndexable(int status);

        void statusTemporary(int status);

        void noindexMeta(String robots);

        void noindexHeader(String robots);

        void unavailableAfterPassed(Instant date);

        void canonicalElsewhere(Target.Url url);

        void noindexBlockedByRobots(String robots);

        void noindexWithCanonical(Target.Url url);

        void canonicalBroken(Target.Url url, int status);

        void canonicalRedirects(Target.Url url, Target.Url location);

        void canonicalLoop(Target.Url url);

        void canonicalChain(Target.Url url, Target.Url next);

        void canonicalNoindex(Target.Url url);

        void canonicalNotChecked(Target.Url url, String error);

        void canonicalConflict(List<String> urls);

        void canonicalInvalid(String href, Target.Url url);

        void soft_404Suspected(int status);

        void blockedSuspected(int status);

        void pageEmpty();

        void robotsDirectivesConflict(String directives);

        void directiveUnknown(List<String> directives);

        void unavailableAfter(Instant date);

        void unavailableAfterInvalid(List<String> dates);

        void notHtml(String type);

        void pageTruncated();

        void redirected(Target.Url url);
    }

    /**
     * The content of a response.
     *
     * @param head null if the response is not an HTML page
     * @param canonicals the declared canonical URLs
     * @param cut whether only a part of the page was read
     * @param soft404 whether it looks like an error page
     * @param blocked whether it looks like the page of a bot protection service
     */
    record Content(
            HttpExchange page,
            @Nullable HtmlHead head,
            List<CanonicalUrl> canonicals,
            boolean cut,
            boolean soft404,
            boolean blocked) {
        static Content of(HttpExchange page, boolean redirected) throws CheckFailure {
            HtmlResponse html = HtmlResponse.of(page);
            String text = html == null ? null : html.text();
            HtmlHead head = html == null ? null : html.head();
            return new Content(
                    page.withoutContent(),
                    head,
                    CanonicalUrl.of(page, head),
                    html != null && html.cut(),
                    PageHeuristics.looksLikeSoft404(page.status(), page.url().pathAndQuery(), redirected, text),
                    PageHeuristics.looksBlocked(page.status(), page.headers(), text));
        }

        /** The contents of the meta elements with a name, in order. */
        List<String> metas(String name) {
            return head == null ? List.of() : head.metas(name);
        }

        /** The directives for a crawler. */
        RobotsDirectives directives(Set<String> names) {
            List<String> contents = new ArrayList<>(metas("robots"));
            names.forEach(name -> contents.addAll(metas(name)));
            return RobotsDirectives.ofMeta(contents);
        }

        RobotsDirectives headerDirectives(Set<String> names) {
            return RobotsDirectives.ofHeaders(page.headers().all(ROBOTS_TAG), names);
        }
    }

    /**
     * The response of the canonical URL.
     *
     * @param content null if there is no final response
     */
    record CanonicalTarget(RedirectTrace trace, @Nullable Content content) {}

    /**
     * @param content null if there is no final response
     * @param robots of the sites of the first and the last URL
     * @param canonical null if the canonical URL is not set, not valid or that of the page
     */
    public record Evidence(
            RedirectTrace trace,
            @Nullable Content content,
            List<RobotsAccess> robots,
            @Nullable CanonicalTarget canonical,
            Instant now) {}

    @Override
    public Future<Evidence> collect(Target target, CheckContext context) {
        HttpProbe probe = context.probe(HttpProbe.class);
        Instant now = context.clock().instant();
        return probe.page(context, (Target.Url) target).compose(trace -> {
            if (trace.page() == null || trace.error() != null) {
                return Future.succeededFuture(new Evidence(trace, null, List.of(), null, now));
            }
            return content(trace, context).compose(content -> {
                RedirectTrace read = trace.releaseBodies(context);
                return robots(read, context.patiently()).compose(robots -> canonicalTarget(content, context)
                        .map(canonical -> new Evidence(read, content, robots, canonical, now)));
            });
        });
    }

    private static Future<@Nullable Content> content(RedirectTrace trace, CheckContext context) {
        HttpExchange page = trace.page();
        return page == null
                ? Future.succeededFuture()
                : context.executeBlocking(() -> Content.of(page, trace.hops().size() > 1));
    }

    /** The robots.txt of the first and the last site, for all URLs of the trace on these sites. */
    private static Future<List<RobotsAccess>> robots(RedirectTrace trace, CheckContext context) {
        String agent = context.options().text("agent");
        Map<String, List<Target.Url>> sites = new LinkedHashMap<>();
        for (HttpExchange hop : trace.hops()) {
            sites.computeIfAbsent(hop.url().origin(), first -> new ArrayList<>())
                    .add(hop.url());
        }
        List<List<Target.Url>> urls = List.copyOf(sites.values());
        Future<RobotsAccess> first = RobotsAccess.of(context, urls.get(0), agent);
        List<Target.Url> last = sites.get(trace.url().origin());
        return urls.size() == 1 || last == null || last == urls.get(0)
                ? first.map(List::of)
                : first.compose(one -> RobotsAccess.of(context, last, agent).map(two -> List.of(one, two)));
    }

    private static Future<@Nullable CanonicalTarget> canonicalTarget(@Nullable Content content, CheckContext context) {
        CanonicalUrl canonical = content == null ? null : other(content);
        if (canonical == null || canonical.url() == null) {
            return Future.succeededFuture();
        }
        return context.probe(HttpProbe.class)
                .page(context.patiently(), canonical.url())
                .compose(trace -> content(trace, context)
                        .recover(CheckFailure.otherwise(error -> null))
                        .map(response -> new CanonicalTarget(trace, response)));
    }

    /** The only canonical URL if it is not the URL of the page. */
    private static @Nullable CanonicalUrl other(Content content) {
        List<CanonicalUrl> declared = content.canonicals();
        if (declared.isEmpty() || CanonicalUrl.conflict(declared)) {
            return null;
        }
        CanonicalUrl canonical = declared.get(0);
        return canonical.url() == null || canonical.url().equals(content.page().url()) ? null : canonical;
    }

    @Override
    public @Nullable Report evaluate(Evidence evidence, Options options, Findings findings) {
        RedirectTrace trace = evidence.trace();
        Content content = evidence.content();
        CheckError error = trace.error();
        for (RobotsAccess robots : evidence.robots()) {
            error = error == null ? robots.error() : error;
        }
        findings.error(error);
        if (error != null || content == null) {
            return null;
        }
        String agent = options.text("agent");
        return new IndexabilityEvaluation(evidence, content, agent, findings).report();
    }
}
