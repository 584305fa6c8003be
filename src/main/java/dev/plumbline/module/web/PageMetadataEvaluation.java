package dev.plumbline.module.web;

import dev.plumbline.check.CheckError;
import dev.plumbline.check.Evaluation;
import dev.plumbline.check.Finding;
import dev.plumbline.check.InvalidTargetException;
import dev.plumbline.check.Target;
import dev.plumbline.check.TargetParser;
import dev.plumbline.probe.http.HeaderParser;
import dev.plumbline.probe.http.HttpExchange;
import dev.plumbline.probe.http.RedirectLocation;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** What {@link PageMetadata} makes of what it read. Pure. */
final class PageMetadataEvaluation {
    private static final int LONG_TITLE = 60;
    private static final int LONG_DESCRIPTION = 160;
    private static final double LEAST_ZOOM = 2;
    private static final Pattern LANGUAGE =
            Pattern.compile("[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8}){0,8}|[xX](-[A-Za-z0-9]{1,8}){1,8}");
    private static final Pattern ABSOLUTE = Pattern.compile("https?://.*+", Pattern.CASE_INSENSITIVE | Pattern.DOTALL);
    private static final Pattern LINK = Pattern.compile("<([^<>]{0,2000}+)>([^<,]{0,500}+)");
    private static final Pattern CANONICAL =
            Pattern.compile(";\\s*+rel\\s*+=\\s*+\"?+canonical\\b", Pattern.CASE_INSENSITIVE);
    private static final Pattern SCALE = Pattern.compile(
            "(user-scalable|maximum-scale)\\s*+=\\s*+([0-9.]{1,20}|[a-z]{1,20})", Pattern.CASE_INSENSITIVE);
    private static final List<String> CARD = List.of("og:title", "og:type", "og:image", "og:url");

    private final HttpExchange page;
    private final @Nullable HtmlHead head;
    private final List<Finding> found = new ArrayList<>();

    PageMetadataEvaluation(HttpExchange page, @Nullable HtmlHead head) {
        this.page = page;
        this.head = head;
    }

    Evaluation judgement(@Nullable CheckError error) {
        Map<String, @Nullable Object> fields = new LinkedHashMap<>();
        if (page.status() >= 400) {
            found.add(
                    PageMetadataDescription.ERROR_PAGE.found("What was read is an error page: " + page.status() + "."));
        }
        if (head == null) {
            for (String list : List.of("h1", "hreflang", "json_ld_types")) {
                fields.put(list, List.of());
            }
            fields.put("title_length", 0);
            fields.put("open_graph", Map.of());
            fields.put("twitter", Map.of());
            boolean empty = page.body().size() == 0;
            if (!empty) {
                found.add(PageMetadataDescription.NOT_A_PAGE.found());
            } else if (error == null) {
                found.add(PageMetadataDescription.NOT_A_PAGE.found(
                        "The answer is empty (" + page.status() + "), so there is no page to read."));
            }
            return new Evaluation(fields, found, error);
        }
        Target.Url base = base(head);
        title(head, fields);
        description(head, fields);
        fields.put("canonical", canonical(head, base));
        robots(head, fields);
        fields.put("lang", lang(head));
        fields.put("charset", charset(head));
        fields.put("viewport", viewport(head));
        fields.put("h1", headings(head));
        Map<String, Object> openGraph = group(head, "og:");
        fields.put("open_graph", openGraph);
        if (!openGraph.isEmpty() && !openGraph.keySet().containsAll(CARD)) {
            List<String> missing =
                    CARD.stream().filter(name -> !openGraph.containsKey(name)).toList();
            found.add(PageMetadataDescription.OG_INCOMPLETE.found(
                    "When the page is shared, its card lacks " + String.join(", ", missing) + "."));
        }
        fields.put("twitter", group(head, "twitter:"));
        fields.put("hreflang", hreflang(head, base));
        fields.put("favicon", favicon(head, base));
        fields.put("json_ld_types", List.copyOf(head.jsonLdTypes()));
        if (head.badJsonLd() > 0) {
            found.add(PageMetadataDescription.JSON_LD_INVALID.found());
        }
        if (error == null && page.body().truncated()) {
            found.add(PageMetadataDescription.CUT.found());
        }
        return new Evaluation(fields, found, error);
    }

    private void title(HtmlHead head, Map<String, @Nullable Object> fields) {
        String title = head.titles().isEmpty() ? null : head.titles().get(0);
        int length = title == null ? 0 : title.codePointCount(0, title.length());
        fields.put("title", title);
        fields.put("title_length", length);
        if (length == 0) {
            found.add(PageMetadataDescription.TITLE_MISSING.found());
        } else if (length > LONG_TITLE) {
            found.add(PageMetadataDescription.TITLE_LONG.found());
        }
        if (head.titles().size() > 1) {
            found.add(PageMetadataDescription.SEVERAL_TITLES.found());
        }
    }

    private void description(HtmlHead head, Map<String, @Nullable Object> fields) {
        String description = head.meta("description");
        fields.put("description", description);
        if (description == null || description.isEmpty()) {
            found.add(PageMetadataDescription.DESCRIPTION_MISSING.found());
        } else if (description.codePointCount(0, description.length()) > LONG_DESCRIPTION) {
            found.add(PageMetadataDescription.DESCRIPTION_LONG.found());
        }
        if (head.metas().getOrDefault("description", List.of()).size() > 1) {
            found.add(PageMetadataDescription.SEVERAL_DESCRIPTIONS.found());
        }
    }

    private @Nullable String canonical(HtmlHead head, Target.Url base) {
        Set<String> hrefs = new LinkedHashSet<>();
        head.links("canonical").forEach(link -> hrefs.add(link.href()));
        for (String header : page.headers().all("link")) {
            Matcher link = LINK.matcher(header);
            while (link.find()) {
                if (CANONICAL.matcher(link.group(2)).find()) {
                    hrefs.add(link.group(1).strip());
                }
            }
        }
        if (hrefs.isEmpty()) {
            return null;
        }
        Set<String> urls = new LinkedHashSet<>();
        hrefs.forEach(href -> urls.add(String.valueOf(absolute(base, href))));
        if (urls.size() > 1) {
            found.add(PageMetadataDescription.CANONICAL_CONFLICT.found());
        }
        String href = hrefs.iterator().next();
        String url = absolute(base, href);
        if (url == null) {
            found.add(PageMetadataDescription.CANONICAL_INVALID.found());
            return href;
        }
        if (!ABSOLUTE.matcher(href).matches()) {
            found.add(PageMetadataDescription.CANONICAL_RELATIVE.found());
        }
        if (!url.equals(page.url().text())) {
            found.add(PageMetadataDescription.CANONICAL_ELSEWHERE.found());
        }
        return url;
    }

    private void robots(HtmlHead head, Map<String, @Nullable Object> fields) {
        List<String> contents = head.metas().getOrDefault("robots", List.of());
        String robots = contents.isEmpty() ? null : String.join(", ", contents);
        fields.put("robots", robots);
        if (robots != null) {
            List<String> words = HeaderParser.split(robots.toLowerCase(Locale.ROOT), ',');
            if (words.contains("noindex") || words.contains("none")) {
                found.add(PageMetadataDescription.NOINDEX.found());
            }
        }
    }

    private @Nullable String lang(HtmlHead head) {
        String lang = head.lang();
        if (lang == null || lang.isBlank()) {
            found.add(PageMetadataDescription.LANG_MISSING.found());
        } else if (!LANGUAGE.matcher(lang.strip()).matches()) {
            found.add(PageMetadataDescription.LANG_INVALID.found());
        }
        return lang == null ? null : HtmlHead.collapsed(lang);
    }

    private @Nullable String charset(HtmlHead head) {
        String outer = head.headerCharset();
        String inner = head.metaCharset();
        String charset = outer == null ? inner : outer;
        if (charset == null) {
            found.add(PageMetadataDescription.CHARSET_MISSING.found());
        } else if (!utf8(charset)) {
            found.add(PageMetadataDescription.CHARSET_OLD.found());
        }
        if (outer != null && inner != null && !(utf8(outer) ? utf8(inner) : outer.equals(inner))) {
            found.add(PageMetadataDescription.CHARSET_CONFLICT.found());
        }
        return charset;
    }

    private static boolean utf8(String charset) {
        return charset.equals("utf-8") || charset.equals("utf8");
    }

    private @Nullable String viewport(HtmlHead head) {
        String viewport = head.meta("viewport");
        if (viewport == null) {
            found.add(PageMetadataDescription.VIEWPORT_MISSING.found());
            return null;
        }
        Matcher scale = SCALE.matcher(viewport);
        while (scale.find()) {
            boolean fixed = scale.group(1).equalsIgnoreCase("user-scalable")
                    ? scale.group(2).equalsIgnoreCase("no") || scale.group(2).equals("0")
                    : below(scale.group(2));
            if (fixed) {
                found.add(PageMetadataDescription.VIEWPORT_NO_ZOOM.found());
                break;
            }
        }
        return viewport;
    }

    private static boolean below(String number) {
        try {
            return Double.parseDouble(number) < LEAST_ZOOM;
        } catch (NumberFormatException none) {
            return false;
        }
    }

    private List<String> headings(HtmlHead head) {
        if (head.h1().isEmpty()) {
            found.add(PageMetadataDescription.H1_MISSING.found());
        } else if (head.h1().size() > 1) {
            found.add(PageMetadataDescription.SEVERAL_H1.found());
        }
        return head.h1();
    }

    private static Map<String, Object> group(HtmlHead head, String prefix) {
        Map<String, Object> group = new LinkedHashMap<>();
        head.metas().forEach((name, contents) -> {
            if (name.startsWith(prefix)) {
                group.put(name, contents.size() == 1 ? contents.get(0) : contents);
            }
        });
        return group;
    }

    private List<Object> hreflang(HtmlHead head, Target.Url base) {
        List<Object> versions = new ArrayList<>();
        boolean invalid = false;
        for (HtmlHead.Link link : head.links("alternate")) {
            String lang = link.hreflang();
            if (lang != null) {
                String url = absolute(base, link.href());
                invalid |= url == null || !LANGUAGE.matcher(lang.strip()).matches();
                versions.add(Map.of("lang", HtmlHead.collapsed(lang), "url", url == null ? link.href() : url));
            }
        }
        if (invalid) {
            found.add(PageMetadataDescription.HREFLANG_INVALID.found());
        }
        return versions;
    }

    private @Nullable String favicon(HtmlHead head, Target.Url base) {
        List<HtmlHead.Link> icons = head.links("icon");
        if (icons.isEmpty()) {
            found.add(PageMetadataDescription.FAVICON_MISSING.found());
            return null;
        }
        String href = icons.get(0).href();
        String url = absolute(base, href);
        return url == null ? href : url;
    }

    /** What relative addresses of the page are relative to. */
    private Target.Url base(HtmlHead head) {
        String written = head.base();
        Target.Url base = written == null ? null : url(page.url(), written);
        return base == null ? page.url() : base;
    }

    private static @Nullable String absolute(Target.Url base, String href) {
        Target.Url url = url(base, href);
        return url == null ? null : url.text();
    }

    private static Target.@Nullable Url url(Target.Url base, String href) {
        String absolute = RedirectLocation.resolveText(base, href);
        try {
            return absolute == null
                    ? null
                    : (Target.Url) TargetParser.parse(PageMetadataDescription.DESCRIPTION, absolute);
        } catch (InvalidTargetException invalid) {
            return null;
        }
    }
}
