package dev.plumbline.module.web;

import static dev.plumbline.sheet.FindingCollector.reportIfAny;

import com.google.auto.service.AutoService;
import dev.plumbline.check.CheckContext;
import dev.plumbline.check.CheckModule;
import dev.plumbline.check.RegisteredModule;
import dev.plumbline.html.HtmlHead;
import dev.plumbline.module.web.page.CanonicalUrl;
import dev.plumbline.module.web.page.HtmlResponse;
import dev.plumbline.module.web.page.PageFindings;
import dev.plumbline.module.web.page.ParsedPage;
import dev.plumbline.probe.http.HeaderParser;
import dev.plumbline.probe.http.HttpExchange;
import dev.plumbline.probe.http.RedirectLocation;
import dev.plumbline.probe.http.RedirectTrace;
import dev.plumbline.sheet.Options;
import dev.plumbline.target.Target;
import io.vertx.core.Future;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.IntConsumer;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The metadata of an HTML page for search engines, browsers and social networks. */
@AutoService(RegisteredModule.class)
public final class PageMetadata
        implements CheckModule<ParsedPage<HtmlHead>, PageMetadata.Report, PageMetadata.Findings> {
    private static final int LONG_TITLE = 60;
    private static final int LONG_DESCRIPTION = 160;
    private static final Pattern LANGUAGE =
            Pattern.compile("[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8}){0,8}|[xX](-[A-Za-z0-9]{1,8}){1,8}");
    private static final Pattern NO_ZOOM = Pattern.compile(
            "user-scalable\\s*+=\\s*+(no\\b|0(?![0-9.]))|maximum-scale\\s*+=\\s*+(0|1(?![0-9])|\\.[0-9])",
            Pattern.CASE_INSENSITIVE);
    private static final List<String> REQUIRED_OPEN_GRAPH = List.of("og:title", "og:type", "og:image", "og:url");

    public record Report(
            @Nullable String title,
            int titleLength,
            @Nullable String description,
            @Nullable String canonical,
            @Nullable String robots,
            @Nullable String lang,
            @Nullable String charset,
            @Nullable String viewport,
            List<String> h1,
            Map<String, ?> openGraph,
            Map<String, ?> twitter,
            List<Hreflang> hreflang,
            @Nullable String favicon,
            List<String> jsonLdTypes) {}

    /** A version of the page in another language. */
    public record Hreflang(String lang, String url) {}

    public interface Findings extends PageFindings {
        void titleMissing();

        void titleLong(int length);

        void severalTitles(int count);

        void descriptionMissing();

        void descriptionLong(int length);

        void severalDescriptions(int count);

        void canonicalConflict(List<String> urls);

        void canonicalInvalid(String href, Target.Url url);

        void canonicalRelative(String href, Target.Url url);

        void canonicalElsewhere(Target.Url url);

        void noindex(String robots);

        void langMissing();

        void langInvalid(String lang);

        void charsetMissing();

        void charsetNotUtf8(String charset);

        void charsetConflict(String meta, String outer);

        void viewportMissing();

        void viewportNoZoom(String viewport);

        void h1Missing();

        void severalH1(int count);

        void openGraphIncomplete(List<String> missing);

        void faviconMissing();

        void hreflangInvalid(List<String> versions);

        void jsonLdInvalid(int count);
    }

    @Override
    public Future<ParsedPage<HtmlHead>> collect(Target target, CheckContext context) {
        return ParsedPage.fetch(context, target, (page, html) -> html.head());
    }

    @Override
    public @Nullable Report evaluate(ParsedPage<HtmlHead> evidence, Options options, Findings findings) {
        RedirectTrace trace = evidence.trace();
        HtmlHead head = evidence.content();
        HttpExchange page = trace.page();
        findings.error(trace.error());
        if (page == null) {
            return null;
        }
        if (page.status() >= 400) {
            findings.errorPage(page.status());
        }
        Report report;
        if (head != null) {
            report = report(head, page, findings);
            if (trace.error() == null && evidence.cut()) {
                findings.pageTruncated();
            }
        } else {
            report = new Report(
                    null, 0, null, null, null, null, null, null, List.of(), Map.of(), Map.of(), List.of(), null,
                    List.of());
            if (page.body().size() > 0 || trace.error() == null) {
                ParsedPage.reportNotAPage(page, findings);
            }
        }
        if (trace.hops().size() > 1) {
            findings.redirected(page.url());
        }
        return report;
    }

    private static Report report(HtmlHead head, HttpExchange page, Findings findings) {
        Target.Url base = HtmlResponse.base(page, head.base());
        String title = first(head.titles());
        evaluateText(head.titles(), LONG_TITLE, findings::titleMissing, findings::titleLong, findings::severalTitles);
        String description = first(head.metas("description"));
        evaluateText(
                head.metas("description"),
                LONG_DESCRIPTION,
                findings::descriptionMissing,
                findings::descriptionLong,
                findings::severalDescriptions);
        String canonical = canonical(head, page, findings);
        String robots = head.metas("robots").isEmpty() ? null : String.join(", ", head.metas("robots"));
        if (robots != null) {
            List<String> rules = HeaderParser.split(robots.toLowerCase(Locale.ROOT), ',');
            if (rules.contains("noindex") || rules.contains("none")) {
                findings.noindex(robots);
            }
        }
        String lang = head.lang() == null ? null : HtmlHead.collapse(head.lang());
        if (lang == null || lang.isEmpty()) {
            findings.langMissing();
        } else if (!LANGUAGE.matcher(lang).matches()) {
            findings.langInvalid(lang);
        }
        String charset = charset(head, findings);
        String viewport = first(head.metas("viewport"));
        if (viewport == null) {
            findings.viewportMissing();
        } else if (NO_ZOOM.matcher(viewport).find()) {
            findings.viewportNoZoom(viewport);
        }
        if (head.h1().isEmpty()) {
            findings.h1Missing();
        } else if (head.h1().size() > 1) {
            findings.severalH1(head.h1().size());
        }
        Map<String, Object> openGraph = metas(head, "og:");
        List<String> missing = REQUIRED_OPEN_GRAPH.stream()
                .filter(name -> !openGraph.containsKey(name))
                .toList();
        if (!openGraph.isEmpty() && !missing.isEmpty()) {
            findings.openGraphIncomplete(missing);
        }
        List<Hreflang> hreflang = hreflang(head, base, findings);
        String favicon =
                first(head.links("icon").stream().map(HtmlHead.Link::href).toList());
        if (favicon == null) {
            findings.faviconMissing();
        }
        if (head.invalidJsonLd() > 0) {
            findings.jsonLdInvalid(head.invalidJsonLd());
        }
        return new Report(
                title,
                title == null ? 0 : length(title),
                description,
                canonical,
                robots,
                lang,
                charset,
                viewport,
                head.h1(),
                openGraph,
                metas(head, "twitter:"),
                hreflang,
                favicon == null ? null : resolve(base, favicon),
                List.copyOf(head.jsonLdTypes()));
    }

    private static void evaluateText(
            List<String> values, int maxLength, Runnable missing, IntConsumer tooLong, IntConsumer several) {
        String text = first(values);
        if (text == null || text.isEmpty()) {
            missing.run();
        } else if (length(text) > maxLength) {
            tooLong.accept(length(text));
        }
        if (values.size() > 1) {
            several.accept(values.size());
        }
    }

    private static @Nullable String canonical(HtmlHead head, HttpExchange page, Findings findings) {
        List<CanonicalUrl> declared = CanonicalUrl.of(page, head);
        if (declared.isEmpty()) {
            return null;
        }
        if (CanonicalUrl.conflict(declared)) {
            findings.canonicalConflict(CanonicalUrl.hrefs(declared));
        }
        String href = declared.get(0).href();
        Target.Url url = declared.get(0).url();
        if (url == null) {
            findings.canonicalInvalid(href, page.url());
            return href;
        }
        if (!declared.get(0).absolute()) {
            findings.canonicalRelative(href, url);
        }
        if (!url.text().equals(page.url().text())) {
            findings.canonicalElsewhere(url);
        }
        return url.text();
    }

    private static @Nullable String charset(HtmlHead head, Findings findings) {
        String outer = head.outerCharset();
        String meta = head.metaCharset();
        String charset = outer == null ? meta : outer;
        if (charset == null) {
            findings.charsetMissing();
        } else if (!isUtf8(charset)) {
            findings.charsetNotUtf8(charset);
        }
        if (outer != null && meta != null && !outer.equals(meta) && !(isUtf8(outer) && isUtf8(meta))) {
            findings.charsetConflict(meta, outer);
        }
        return charset;
    }

    private static boolean isUtf8(String charset) {
        return charset.equals("utf-8") || charset.equals("utf8");
    }

    /** The meta elements whose name starts with the prefix. */
    private static Map<String, Object> metas(HtmlHead head, String prefix) {
        Map<String, Object> metas = new LinkedHashMap<>();
        head.metas().forEach((name, contents) -> {
            if (name.startsWith(prefix)) {
                metas.put(name, contents.size() == 1 ? contents.get(0) : contents);
            }
        });
        return metas;
    }

    private static List<Hreflang> hreflang(HtmlHead head, Target.Url base, Findings findings) {
        List<Hreflang> versions = new ArrayList<>();
        List<String> invalid = new ArrayList<>();
        for (HtmlHead.Link link : head.links("alternate")) {
            if (link.hreflang() != null) {
                String lang = HtmlHead.collapse(link.hreflang());
                versions.add(new Hreflang(lang, resolve(base, link.href())));
                if (!LANGUAGE.matcher(lang).matches() || RedirectLocation.resolveReference(base, link.href()) == null) {
                    invalid.add(lang + " (" + link.href() + ")");
                }
            }
        }
        reportIfAny(invalid, findings::hreflangInvalid);
        return versions;
    }

    /** The absolute URL, or the reference itself if it is not valid. */
    private static String resolve(Target.Url base, String href) {
        Target.Url url = RedirectLocation.resolveReference(base, href);
        return url == null ? href : url.text();
    }

    private static @Nullable String first(List<String> values) {
        return values.isEmpty() ? null : values.get(0);
    }

    private static int length(String text) {
        return text.codePointCount(0, text.length());
    }
}
