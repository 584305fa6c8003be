package dev.plumbline.module.web.indexability;

import static dev.plumbline.sheet.FindingCollector.reportIfAny;

import dev.plumbline.module.web.page.CanonicalUrl;
import dev.plumbline.probe.http.HttpExchange;
import dev.plumbline.probe.http.HttpHeader;
import dev.plumbline.robots.RobotsStandard;
import dev.plumbline.target.Target;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Evaluates whether search engines can index a page. Pure. */
final class IndexabilityEvaluation {
    private static final int MAX_NAMES = 20;

    private final Indexability.Evidence evidence;
    private final Indexability.Content content;
    private final HttpExchange page;
    private final Set<String> names;
    private final Indexability.Findings findings;
    private final List<String> reasons = new ArrayList<>();

    IndexabilityEvaluation(
            Indexability.Evidence evidence,
            Indexability.Content content,
            String agent,
            Indexability.Findings findings) {
        this.evidence = evidence;
        this.content = content;
        this.page = content.page();
        this.names = crawlerNames(agent);
        this.findings = findings;
    }

    /** The names in meta elements and headers that address a crawler, in lower case. */
    static Set<String> crawlerNames(String agent) {
        Stream<String> tokens = Arrays.stream(agent.toLowerCase(Locale.ROOT).split("[^a-z0-9._-]+"));
        Stream<String> general =
                RobotsStandard.of(agent) == RobotsStandard.GOOGLE ? Stream.of("googlebot") : Stream.of();
        return Stream.concat(tokens, general)
                .filter(name -> !name.isEmpty() && !name.equals("robots"))
                .limit(MAX_NAMES)
                .collect(Collectors.toCollection(LinkedHashSet::new));
    }

    Indexability.Report report() {
        boolean allowed = evidence.robots().stream().allMatch(RobotsAccess::allowed);
        evidence.robots().forEach(this::robotsTxt);
        status();
        RobotsDirectives meta = content.directives(names);
        RobotsDirectives header = content.headerDirectives(names);
        String metaText = metaText();
        String headerText = headerText(page);
        directives(meta, header, metaText, headerText, allowed);
        List<CanonicalUrl> canonicals = content.canonicals();
        CanonicalUrl canonical = canonicals.isEmpty() ? null : canonicals.get(0);
        boolean conflict = CanonicalUrl.conflict(canonicals);
        if (conflict) {
            findings.canonicalConflict(CanonicalUrl.hrefs(canonicals));
        } else if (canonical != null) {
            canonical(canonical, meta.noindex() || header.noindex());
        }
        page();
        Target.Url url = canonical == null ? null : canonical.url();
        return new Indexability.Report(
                reasons.isEmpty(),
                List.copyOf(reasons),
                page.status(),
                allowed,
                metaText,
                headerText,
                canonical == null ? null : canonical.text(),
                url == null || conflict ? null : Boolean.valueOf(url.equals(page.url())));
    }

    private void reason(String reason) {
        if (!reasons.contains(reason)) {
            reasons.add(reason);
        }
    }

    private void robotsTxt(RobotsAccess robots) {
        if (robots.allowed()) {
            return;
        }
        reason("robots_txt");
        RobotsAccess.Disallowed disallowed = robots.disallowed();
        if (disallowed != null) {
            findings.disallowedByRobots(disallowed.url(), disallowed.rule(), disallowed.group());
        } else if (robots.status() != null) {
            findings.robotsUnreachable(robots.url(), robots.status());
        }
    }

    private void status() {
        int status = page.status();
        boolean empty = status == 204 || status == 205;
        if (status / 100 == 2 && !empty) {
            return;
        }
        reason("status");
        if (status == 429 || status == 503) {
            findings.statusTemporary(status);
        } else {
            findings.statusNotIndexable(status);
        }
        if (content.blocked()) {
            findings.blockedSuspected(status);
        }
    }

    private void directives(
            RobotsDirectives meta,
            RobotsDirectives header,
            @Nullable String metaText,
            @Nullable String headerText,
            boolean allowed) {
        if (metaText != null && meta.noindex()) {
            reason("noindex_meta");
            findings.noindexMeta(metaText);
        }
        if (headerText != null && header.noindex()) {
            reason("noindex_header");
            findings.noindexHeader(headerText);
        }
        RobotsDirectives all = meta.and(header);
        String text = Stream.of(metaText, headerText).filter(Objects::nonNull).collect(Collectors.joining(", "));
        if (all.noindex() && !allowed) {
            findings.noindexBlockedByRobots(text);
        }
        if (all.conflicting()) {
            findings.robotsDirectivesConflict(text);
        }
        Instant date = all.unavailableAfter();
        if (date != null && !date.isAfter(evidence.now())) {
            reason("unavailable_after");
            findings.unavailableAfterPassed(date);
        } else if (date != null) {
            findings.unavailableAfter(date);
        }
        reportIfAny(all.invalidDates(), findings::unavailableAfterInvalid);
        reportIfAny(all.unknown(), findings::directiveUnknown);
    }

    private @Nullable String metaText() {
        List<String> texts = new ArrayList<>(content.metas("robots"));
        for (String name : names) {
            content.metas(name).forEach(text -> texts.add(name + ": " + text));
        }
        return texts.isEmpty() ? null : String.join(", ", texts);
    }

    private static @Nullable String headerText(HttpExchange page) {
        List<String> values = page.headers().lines().stream()
                .filter(line -> line.name().equals(Indexability.ROBOTS_TAG))
                .map(HttpHeader::text)
                .toList();
        return values.isEmpty() ? null : String.join(", ", values);
    }

    private void canonical(CanonicalUrl canonical, boolean noindex) {
        Target.Url url = canonical.url();
        if (url == null) {
            findings.canonicalInvalid(canonical.href(), page.url());
            return;
        }
        if (url.equals(page.url())) {
            return;
        }
        reason("canonical");
        findings.canonicalElsewhere(url);
        if (noindex) {
            findings.noindexWithCanonical(url);
        }
        Indexability.CanonicalTarget target = evidence.canonical();
        if (target != null) {
            canonicalTarget(url, target);
        }
    }

    private void canonicalTarget(Target.Url url, Indexability.CanonicalTarget target) {
        Indexability.Content response = target.content();
        if (target.trace().error() != null) {
            findings.canonicalNotChecked(url, target.trace().error().code().id());
            return;
        }
        if (target.trace().hops().size() > 1) {
            findings.canonicalRedirects(url, target.trace().url());
            return;
        }
        HttpExchange last = target.trace().page();
        if (last != null && last.status() / 100 != 2) {
            findings.canonicalBroken(url, last.status());
            return;
        }
        if (response == null) {
            return;
        }
        if (response.directives(names).noindex()
                || response.headerDirectives(names).noindex()) {
            findings.canonicalNoindex(url);
        }
        List<CanonicalUrl> next = response.canonicals();
        Target.Url nextUrl = next.isEmpty() || CanonicalUrl.conflict(next)
                ? null
                : next.get(0).url();
        if (nextUrl != null && nextUrl.equals(page.url())) {
            findings.canonicalLoop(url);
        } else if (nextUrl != null && !nextUrl.equals(url)) {
            findings.canonicalChain(url, nextUrl);
        }
    }

    private void page() {
        if (content.soft404()) {
            findings.soft_404Suspected(page.status());
        }
        String type = page.headers().firstText("content-type");
        if (content.head() == null && page.status() / 100 == 2) {
            if (page.body().size() == 0) {
                findings.pageEmpty();
            } else {
                findings.notHtml(type == null ? "not set" : type);
            }
        }
        if (content.cut()) {
            findings.pageTruncated();
        }
        if (evidence.trace().hops().size() > 1) {
            findings.redirected(page.url());
        }
    }
}
