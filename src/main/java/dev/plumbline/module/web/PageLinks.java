package dev.plumbline.module.web;

import static dev.plumbline.sheet.FindingCollector.reportIfAny;

import com.google.auto.service.AutoService;
import dev.plumbline.check.CheckContext;
import dev.plumbline.check.CheckFailure;
import dev.plumbline.check.CheckModule;
import dev.plumbline.check.OverloadFailure;
import dev.plumbline.check.RegisteredModule;
import dev.plumbline.module.reference.DanglingReferences;
import dev.plumbline.module.web.page.PageFindings;
import dev.plumbline.module.web.page.PageHeuristics;
import dev.plumbline.module.web.page.ParsedPage;
import dev.plumbline.probe.http.HttpExchange;
import dev.plumbline.probe.http.HttpProbe;
import dev.plumbline.probe.http.HttpRequestSpec;
import dev.plumbline.result.CheckError;
import dev.plumbline.result.ErrorCode;
import dev.plumbline.sheet.Options;
import dev.plumbline.target.Target;
import io.vertx.core.Future;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The links of an HTML page, and whether they are broken. */
@AutoService(RegisteredModule.class)
public final class PageLinks implements CheckModule<PageLinks.Evidence, PageLinks.Report, PageLinks.Findings> {
    private static final int MAX_CHECKED = 24;
    private static final int CONCURRENT = 6;
    private static final int MAX_LINK_MS = 4_000;

    public record Report(
            int linkCount,
            int internalCount,
            int externalCount,
            int nofollowCount,
            List<Row> links,
            @Nullable Integer brokenCount,
            List<DanglingReferences.Row> danglingReferences) {}

    /** A URL to which the page links. */
    public record Row(String url, String text, String rel, @Nullable Integer status) {}

    public interface Findings extends PageFindings, DanglingReferences.Findings {
        void linksBroken(int count, List<String> links);

        void linksNotAvailable(int count, List<String> links);

        void linksNotChecked(int count, List<String> links);

        void linksInvalid(List<String> hrefs);

        void linksInsecure(int count, List<Target.Url> urls);

        void linkTextMissing(int count, List<Target.Url> urls);

        void pageNofollow(String robots);

        void linksNotListed(int count);

        void otherSchemes(int count, Collection<String> schemes);

        void linksTruncated(int count);
    }

    private static final Outcome RATE_LIMITED = new Outcome(
            null,
            false,
            new CheckError(ErrorCode.DEADLINE_EXCEEDED, "A limit per target delayed the request too long."));

    /** The response to the request for a link: a status or an error. */
    record Outcome(@Nullable Integer status, boolean blocked, @Nullable CheckError error) {
        static Outcome of(HttpExchange response) {
            boolean blocked = PageHeuristics.looksBlocked(response.status(), response.headers(), null);
            return new Outcome(response.status(), blocked, null);
        }

        /** Whether the resource does not exist or its server does not work; not if it is temporary or restricted. */
        boolean broken() {
            if (status == null) {
                return error != null
                        && error.code().targetFault()
                        && (!error.retryable() || error.code() == ErrorCode.CONNECT_REFUSED);
            }
            return switch (status) {
                case 401, 402, 403, 405, 406, 407, 408, 421, 425, 426, 429, 451, 503 -> false;
                default -> status >= 400 && status < 600 && !blocked;
            };
        }

        String text() {
            return error == null ? "" + status : error.code().id();
        }
    }

    /**
     * @param outcomes of the links that were requested, in order; null if links are not checked
     * @param dangling the hosts of scripts that do not exist
     */
    public record Evidence(
            ParsedPage<LinkCollector.Links> page,
            @Nullable Map<Target.Url, Outcome> outcomes,
            DanglingReferences dangling) {

        Evidence(ParsedPage<LinkCollector.Links> page, @Nullable Map<Target.Url, Outcome> outcomes) {
            this(page, outcomes, DanglingReferences.NONE);
        }
    }

    @Override
    public int requests(Options options) {
        return DanglingReferences.requests(options);
    }

    @Override
    public Future<Evidence> collect(Target target, CheckContext context) {
        return ParsedPage.fetch(context, target, (page, html) -> LinkCollector.of(page, html.text()))
                .compose(parsed -> parsed.reserveContent(context, LinkCollector.Links::bytes))
                .compose(parsed -> checked(parsed, context))
                .compose(evidence -> withDangling(evidence, context));
    }

    private static Future<Evidence> withDangling(Evidence evidence, CheckContext context) {
        LinkCollector.Links links = evidence.page().content();
        return links == null
                ? Future.succeededFuture(evidence)
                : DanglingReferences.missing(context.patiently(), links.scriptHosts())
                        .compose(missing -> DanglingReferences.find(context, missing.stream()))
                        .map(dangling -> new Evidence(evidence.page(), evidence.outcomes(), dangling));
    }

    private static Future<Evidence> checked(ParsedPage<LinkCollector.Links> parsed, CheckContext context) {
        LinkCollector.Links links = parsed.content();
        if (links == null || !context.options().flag("check")) {
            return Future.succeededFuture(new Evidence(parsed, null));
        }
        List<Target.Url> urls = selected(links, context.options()).stream()
                .limit(MAX_CHECKED)
                .map(LinkCollector.Link::url)
                .toList();
        Map<Target.Url, Outcome> outcomes = new LinkedHashMap<>();
        urls.forEach(url -> outcomes.put(url, new Outcome(null, false, null)));
        Iterator<Target.Url> remaining = urls.iterator();
        List<Future<Void>> workers = new ArrayList<>();
        for (int i = 0; i < CONCURRENT; i++) {
            workers.add(requestNext(remaining, context.patiently(), outcomes));
        }
        return Future.join(workers).map(done -> new Evidence(parsed, outcomes));
    }

    /** Requests one link after the other. A GET without its body, because many servers reject HEAD. */
    private static Future<Void> requestNext(
            Iterator<Target.Url> remaining, CheckContext context, Map<Target.Url, Outcome> outcomes) {
        if (!remaining.hasNext()) {
            return Future.succeededFuture();
        }
        Target.Url url = remaining.next();
        CheckContext share = context.within(context.deadline().atMost(MAX_LINK_MS));
        return context.probe(HttpProbe.class)
                .exchange(share, HttpRequestSpec.get(url, 0))
                .transform(response -> {
                    if (response.succeeded()) {
                        outcomes.put(url, Outcome.of(response.result()));
                    } else if (response.cause() instanceof CheckFailure failure) {
                        outcomes.put(url, new Outcome(null, false, failure.error()));
                    } else if (response.cause() instanceof OverloadFailure) {
                        // a retry of the check would repeat all requests
                        outcomes.put(url, RATE_LIMITED);
                    } else {
                        return Future.failedFuture(response.cause());
                    }
                    return requestNext(remaining, context, outcomes);
                });
    }

    private static List<LinkCollector.Link> selected(LinkCollector.Links links, Options options) {
        String scope = options.text("scope");
        return links.links().stream()
                .filter(link -> scope.equals("all") || scope.equals("internal") == link.internal())
                .toList();
    }

    @Override
    public @Nullable Report evaluate(Evidence evidence, Options options, Findings findings) {
        HttpExchange page = evidence.page().trace().page();
        LinkCollector.Links links = evidence.page().content();
        findings.error(evidence.page().trace().error());
        if (page == null) {
            return null;
        }
        evidence.page().reportStatus(page, findings);
        evidence.page().reportContent(page, findings);
        if (links == null) {
            return new Report(0, 0, 0, 0, List.of(), null, List.of());
        }
        if (!links.complete()) {
            findings.linksTruncated(links.links().size());
        }
        Map<Target.Url, Outcome> outcomes = evidence.outcomes();
        List<LinkCollector.Link> selected = selected(links, options);
        List<LinkCollector.Link> listed =
                selected.stream().limit(options.integer("limit")).toList();
        Integer brokenCount =
                outcomes == null ? null : Integer.valueOf(reportOutcomes(outcomes, selected.size(), findings));
        evidence.dangling().report(findings);
        reportPage(page, links, findings);
        if (selected.size() > listed.size()) {
            findings.linksNotListed(selected.size() - listed.size());
        }
        return new Report(
                links.links().size(),
                (int) links.links().stream()
                        .filter(LinkCollector.Link::internal)
                        .count(),
                (int) links.links().stream().filter(link -> !link.internal()).count(),
                (int) links.links().stream().filter(link -> !link.followed()).count(),
                listed.stream().map(link -> row(link, outcomes)).toList(),
                brokenCount,
                evidence.dangling().rows());
    }

    private static Row row(LinkCollector.Link link, @Nullable Map<Target.Url, Outcome> outcomes) {
        Outcome outcome = outcomes == null ? null : outcomes.get(link.url());
        return new Row(
                link.url().text(),
                link.text(),
                String.join(" ", link.rel()),
                outcome == null ? null : outcome.status());
    }

    private static void reportPage(HttpExchange page, LinkCollector.Links links, Findings findings) {
        reportIfAny(links.invalid(), findings::linksInvalid);
        List<Target.Url> insecure = links.links().stream()
                .map(LinkCollector.Link::url)
                .filter(url -> !url.secure())
                .toList();
        if (page.url().secure() && !insecure.isEmpty()) {
            findings.linksInsecure(insecure.size(), insecure);
        }
        List<Target.Url> withoutText = links.links().stream()
                .filter(link -> !link.named())
                .map(LinkCollector.Link::url)
                .toList();
        reportIfAny(withoutText, urls -> findings.linkTextMissing(urls.size(), urls));
        if (links.nofollow() != null) {
            findings.pageNofollow(links.nofollow());
        }
        int others = links.otherSchemes().values().stream()
                .mapToInt(Integer::intValue)
                .sum();
        if (others > 0) {
            findings.otherSchemes(others, links.otherSchemes().keySet());
        }
    }

    /** Returns the number of broken links. */
    private static int reportOutcomes(Map<Target.Url, Outcome> outcomes, int selected, Findings findings) {
        List<String> broken = new ArrayList<>();
        List<String> notAvailable = new ArrayList<>();
        List<String> unknown = new ArrayList<>();
        outcomes.forEach((url, outcome) -> {
            String text = url.text() + " (" + outcome.text() + ")";
            if (outcome.broken()) {
                broken.add(text);
            } else if (outcome.status() == null) {
                unknown.add(text);
            } else if (outcome.status() >= 400) {
                notAvailable.add(text);
            }
        });
        reportIfAny(broken, links -> findings.linksBroken(links.size(), links));
        reportIfAny(notAvailable, links -> findings.linksNotAvailable(links.size(), links));
        int notRequested = selected - outcomes.size();
        int notChecked = unknown.size() + notRequested;
        if (notRequested > 0) {
            unknown.add("all after the first " + outcomes.size() + " (not requested)");
        }
        if (notChecked > 0) {
            findings.linksNotChecked(notChecked, unknown);
        }
        return broken.size();
    }
}
