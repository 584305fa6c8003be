package dev.plumbline.module.web.page;

import dev.plumbline.html.HtmlHead;
import dev.plumbline.probe.http.HttpExchange;
import dev.plumbline.probe.http.RedirectLocation;
import dev.plumbline.target.Target;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A canonical URL that a response declares (RFC 6596).
 *
 * @param href as written
 * @param url null if it is not a valid HTTP or HTTPS URL
 */
public record CanonicalUrl(String href, Target.@Nullable Url url) {
    /** The maximum number of distinct URLs of one response. */
    public static final int MAX_DECLARED = 20;

    private static final Pattern ABSOLUTE = Pattern.compile("https?://.*+", Pattern.CASE_INSENSITIVE | Pattern.DOTALL);

    /** The target of a link whose relation types include canonical (RFC 8288 section 3.3). */
    private static final Pattern LINK_HEADER = Pattern.compile(
            "<([^<>]{0,2000}+)>(?=[^<,]{0,500}?;\\s*+rel\\s*+=\\s*+"
                    + "(?:canonical(?![^\\s;,])|\"(?:[^\"<]{0,200}\\s)?canonical[\\s\"]))",
            Pattern.CASE_INSENSITIVE);

    /**
     * The distinct canonical URLs of link elements, then of Link headers. A base element does not apply to headers.
     *
     * @param head null if the response is not an HTML page
     */
    public static List<CanonicalUrl> of(HttpExchange page, @Nullable HtmlHead head) {
        Map<String, CanonicalUrl> declared = new LinkedHashMap<>();
        if (head != null) {
            Target.Url base = HtmlResponse.base(page, head.base());
            head.links("canonical").forEach(link -> add(declared, base, link.href()));
        }
        for (String header : page.headers().all("link")) {
            LINK_HEADER
                    .matcher(header)
                    .results()
                    .forEach(link -> add(declared, page.url(), link.group(1).strip()));
        }
        return List.copyOf(declared.values());
    }

    private static void add(Map<String, CanonicalUrl> declared, Target.Url base, String href) {
        if (declared.size() < MAX_DECLARED) {
            declared.computeIfAbsent(
                    href, first -> new CanonicalUrl(first, RedirectLocation.resolveReference(base, first)));
        }
    }

    /** Whether these are different URLs. */
    public static boolean conflict(List<CanonicalUrl> declared) {
        return declared.stream().map(CanonicalUrl::text).distinct().count() > 1;
    }

    public static List<String> hrefs(List<CanonicalUrl> declared) {
        return declared.stream().map(CanonicalUrl::href).toList();
    }

    /** The absolute URL, or the reference itself if it is not valid. */
    public String text() {
        return url == null ? href : url.text();
    }

    /** Whether it is written with a scheme. */
    public boolean absolute() {
        return ABSOLUTE.matcher(href).matches();
    }
}
