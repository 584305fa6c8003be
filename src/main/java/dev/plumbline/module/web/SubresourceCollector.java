package dev.plumbline.module.web;

import dev.plumbline.html.HtmlHead;
import dev.plumbline.html.HtmlTokenizer;
import dev.plumbline.module.web.header.ContentSecurityPolicy;
import dev.plumbline.module.web.page.HtmlResponse;
import dev.plumbline.probe.http.HttpExchange;
import dev.plumbline.probe.http.RedirectLocation;
import dev.plumbline.target.Target;
import java.net.InetAddress;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Collects the resources and form targets over unencrypted HTTP in an HTML page and its inline CSS. */
final class SubresourceCollector implements HtmlTokenizer.Handler {
    static final int MAX_RESOURCES = 10_000;

    /** The maximum size of the URLs of a page in characters. A base URL can be long and part of each. */
    static final int MAX_CHARACTERS = 1 << 20;

    /** The memory of a resource without its URL, in bytes. */
    private static final int RESOURCE_BYTES = 192;

    /** Chromium blocks these before it applies upgrade-insecure-requests. */
    private static final Set<String> NOT_UPGRADED = Set.of("object", "embed");

    private static final String UPGRADE = "upgrade-insecure-requests";
    private static final String BLOCK_ALL = "block-all-mixed-content";

    /**
     * How browsers treat a resource over unencrypted HTTP in a page over HTTPS (W3C Mixed Content sections 3 and 4).
     */
    enum Treatment {
        BLOCKED,
        UPGRADED,
        /** The target of a form, which is not a resource of the page. */
        FORM
    }

    /**
     * A URL over unencrypted HTTP.
     *
     * @param element for example {@code script} or {@code css font}
     * @param upgraded whether a Content-Security-Policy upgrades it to HTTPS
     */
    record Resource(Target.Url url, String element, Treatment treatment, boolean upgraded) {}

    /**
     * The insecure resources of a page.
     *
     * @param resources in the order of the page, each URL once for each treatment
     * @param upgrades whether a Content-Security-Policy contains upgrade-insecure-requests
     * @param blocksAll whether a Content-Security-Policy contains block-all-mixed-content
     * @param count the number of evaluated references
     * @param complete whether the page has less than {@link #MAX_RESOURCES} references and {@link #MAX_CHARACTERS}
     * @param bytes the approximate memory of the resources
     */
    record Resources(
            List<Resource> resources, boolean upgrades, boolean blocksAll, int count, boolean complete, int bytes) {}

    private record Reference(String href, String element, Treatment treatment, boolean upgraded) {}

    private final Set<Reference> references = new LinkedHashSet<>();
    private @Nullable String base;
    private boolean upgrades;
    private boolean blocksAll;
    private boolean body;
    private boolean picture;
    private boolean complete = true;
    private int characters;

    private SubresourceCollector() {}

    /** @param html the decoded page */
    static Resources of(HttpExchange page, String html) {
        SubresourceCollector collector = new SubresourceCollector();
        collector.policies(page.headers().all("content-security-policy"));
        HtmlTokenizer.tokenize(html, element -> true, collector);
        return collector.resolve(page);
    }

    private void policies(List<String> values) {
        for (ContentSecurityPolicy policy : ContentSecurityPolicy.parseAll(values)) {
            upgrades |= policy.directives().containsKey(UPGRADE);
            blocksAll |= policy.directives().containsKey(BLOCK_ALL);
        }
    }

    @Override
    public void startTag(String element, Map<String, String> attributes) {
        switch (element) {
            case "base" -> base = base == null ? attributes.get("href") : base;
            case "meta" -> {
                // a policy in the body is ignored (CSP Level 3 section 3.3)
                if (!body && "content-security-policy".equalsIgnoreCase(attributes.get("http-equiv"))) {
                    policies(List.of(attributes.getOrDefault("content", "")));
                }
            }
            case "script", "iframe", "frame", "embed", "track" ->
                add(attributes.get("src"), element, Treatment.BLOCKED);
            case "object" -> add(attributes.get("data"), element, Treatment.BLOCKED);
            case "link" -> link(attributes);
            case "img", "image" -> image(attributes);
            case "picture" -> picture = true;
            case "source" -> {
                if (picture) {
                    srcset(attributes.get("srcset"), "picture source");
                } else {
                    add(attributes.get("src"), element, Treatment.UPGRADED);
                }
            }
            case "audio", "video" -> {
                add(attributes.get("src"), element, Treatment.UPGRADED);
                add(attributes.get("poster"), "video poster", Treatment.UPGRADED);
            }
            case "input" -> {
                if ("image".equalsIgnoreCase(attributes.getOrDefault("type", "").strip())) {
                    add(attributes.get("src"), element, Treatment.UPGRADED);
                }
                add(attributes.get("formaction"), element, Treatment.FORM);
            }
            case "button" -> add(attributes.get("formaction"), element, Treatment.FORM);
            case "form" -> add(attributes.get("action"), element, Treatment.FORM);
            case "body", "table", "thead", "tbody", "tfoot", "tr", "td", "th" -> {
                body = true;
                add(attributes.get("background"), element + " background", Treatment.UPGRADED);
            }
            default -> {}
        }
        css(attributes.get("style"));
    }

    @Override
    public void foreignStartTag(String element, Map<String, String> attributes) {
        String href = attributes.getOrDefault("href", attributes.get("xlink:href"));
        switch (element) {
            case "image", "feimage" -> add(href, "svg image", Treatment.UPGRADED);
            case "script", "use" -> add(href, "svg " + element, Treatment.BLOCKED);
            default -> {}
        }
        css(attributes.get("style"));
    }

    @Override
    public void endTag(String element) {
        if (element.equals("picture")) {
            picture = false;
        }
    }

    @Override
    public void rawText(String element, Map<String, String> attributes, String content) {
        if (element.equals("style")) {
            css(content);
        }
    }

    private void link(Map<String, String> attributes) {
        String href = attributes.get("href");
        Set<String> rel = HtmlHead.linkTypes(attributes);
        if (rel.contains("stylesheet")) {
            add(href, "stylesheet", Treatment.BLOCKED);
        } else if (rel.contains("preload")) {
            String as = attributes.getOrDefault("as", "").strip().toLowerCase(Locale.ROOT);
            boolean media = as.equals("image") || as.equals("audio") || as.equals("video");
            String imageSet = attributes.get("imagesrcset");
            srcset(as.equals("image") ? imageSet : null, "preload");
            add(href, "preload", media && imageSet == null ? Treatment.UPGRADED : Treatment.BLOCKED);
        } else if (rel.contains("modulepreload") || rel.contains("manifest") || rel.contains("prefetch")) {
            add(href, "link", Treatment.BLOCKED);
        } else if (rel.contains("icon")) {
            add(href, "icon", Treatment.UPGRADED);
        }
    }

    private void image(Map<String, String> attributes) {
        String srcset = attributes.get("srcset");
        boolean imageSet = picture || srcset != null;
        srcset(srcset, "img srcset");
        add(
                attributes.get("src"),
                imageSet ? "img with srcset or picture" : "img",
                imageSet ? Treatment.BLOCKED : Treatment.UPGRADED);
    }

    /** Adds the image candidates (HTML Living Standard section 4.8.4.2.1). */
    private void srcset(@Nullable String candidates, String element) {
        String text = candidates == null ? "" : candidates;
        int position = 0;
        while (position < text.length()) {
            while (position < text.length() && (text.charAt(position) <= ' ' || text.charAt(position) == ',')) {
                position++;
            }
            int start = position;
            while (position < text.length() && text.charAt(position) > ' ') {
                position++;
            }
            String url = text.substring(start, position);
            int end = url.length();
            while (end > 0 && url.charAt(end - 1) == ',') {
                end--;
            }
            add(url.substring(0, end), element, Treatment.BLOCKED);
            if (end == url.length()) {
                int comma = text.indexOf(',', position);
                position = comma < 0 ? text.length() : comma + 1;
            }
        }
    }

    private void css(@Nullable String css) {
        if (css != null) {
            CssUrls.find(
                    css,
                    (url, use) -> add(
                            url,
                            "css " + use.name().toLowerCase(Locale.ROOT),
                            use == CssUrls.Use.IMAGE ? Treatment.UPGRADED : Treatment.BLOCKED));
        }
    }

    private void add(@Nullable String href, String element, Treatment treatment) {
        if (href == null || href.isBlank() || !complete) {
            return;
        }
        Reference reference = new Reference(href, element, treatment, upgrades && !NOT_UPGRADED.contains(element));
        if (!references.contains(reference)) {
            characters += href.length();
            complete = references.size() < MAX_RESOURCES && characters <= MAX_CHARACTERS;
            if (complete) {
                references.add(reference);
            }
        }
    }

    private Resources resolve(HttpExchange page) {
        Target.Url against = HtmlResponse.base(page, base);
        Map<String, Resource> insecure = new LinkedHashMap<>();
        int count = 0;
        int urlCharacters = 0;
        for (Reference reference : references) {
            Target.Url url = mayBeInsecure(against, reference.href())
                    ? RedirectLocation.resolveReference(against, reference.href())
                    : null;
            urlCharacters += url == null ? 0 : url.text().length();
            if (urlCharacters > MAX_CHARACTERS) {
                complete = false;
                break;
            }
            if (url != null && !url.secure() && !isLoopback(url)) {
                // an address cannot be upgraded (section 4.1)
                boolean fixed = reference.treatment() == Treatment.UPGRADED
                        && url.host().literal() != null
                        && !reference.upgraded();
                Treatment treatment = fixed ? Treatment.BLOCKED : reference.treatment();
                String key = treatment + " " + url.text();
                insecure.putIfAbsent(key, new Resource(url, reference.element(), treatment, reference.upgraded()));
            }
            count++;
        }
        int bytes = insecure.keySet().stream().mapToInt(String::length).sum() + RESOURCE_BYTES * insecure.size();
        return new Resources(List.copyOf(insecure.values()), upgrades, blocksAll, count, complete, bytes);
    }

    /** False for references without a scheme in a page over HTTPS. */
    private static boolean mayBeInsecure(Target.Url base, String href) {
        String reference = href.trim();
        return !base.secure() || reference.startsWith("h") || reference.startsWith("H");
    }

    /** Whether the origin is potentially trustworthy without TLS (W3C Secure Contexts section 3.1). */
    private static boolean isLoopback(Target.Url url) {
        InetAddress literal = url.host().literal();
        String name = url.host().name();
        return literal == null ? name.equals("localhost") || name.endsWith(".localhost") : literal.isLoopbackAddress();
    }
}
