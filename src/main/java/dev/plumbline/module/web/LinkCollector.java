package dev.plumbline.module.web;

import dev.plumbline.html.HtmlHead;
import dev.plumbline.html.HtmlTokenizer;
import dev.plumbline.module.web.page.HtmlResponse;
import dev.plumbline.probe.http.HeaderParser;
import dev.plumbline.probe.http.HttpExchange;
import dev.plumbline.probe.http.RedirectLocation;
import dev.plumbline.target.Host;
import dev.plumbline.target.PrintableText;
import dev.plumbline.target.Target;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Collects the links of an HTML page. */
final class LinkCollector implements HtmlTokenizer.Handler {
    private static final Set<String> WITH_ATTRIBUTES = Set.of("a", "area", "base", "img", "meta", "script");
    private static final Set<String> NOT_FOLLOWED = Set.of("nofollow", "ugc", "sponsored");
    private static final Pattern SCHEME = Pattern.compile("\\s*+([A-Za-z][A-Za-z0-9+.-]{0,30}+):(?s:.*+)");
    private static final List<String> LABELS = List.of("aria-label", "alt", "title");
    private static final int MAX_TEXT = 200;
    private static final int MAX_LINK_TYPES = 20;
    private static final int MAX_INVALID = 100;

    private static final int MAX_SCRIPTS = 1_000;

    static final int MAX_LINKS = 10_000;

    /**
     * The maximum size of the URLs of a page with their texts, in characters. A base URL can be long and part of each.
     */
    static final int MAX_CHARACTERS = 1 << 20;

    /** The memory of a link without its texts, in bytes. */
    private static final int LINK_BYTES = 256;

    /**
     * A URL to which the page links.
     *
     * @param text of the first of its links that has one
     * @param rel the link types that all of its links have
     * @param internal whether the host is that of the page, with or without {@code www.}
     * @param named whether it has a text, or content from which browsers can derive one
     * @param followed whether at least one of its links is without nofollow, ugc and sponsored
     */
    record Link(Target.Url url, String text, Set<String> rel, boolean internal, boolean named, boolean followed) {
        Link and(Link other) {
            Set<String> common = new LinkedHashSet<>(rel);
            common.retainAll(other.rel);
            return new Link(
                    url,
                    text.isEmpty() ? other.text : text,
                    common,
                    internal,
                    named && other.named,
                    followed || other.followed);
        }
    }

    /**
     * The links of a page.
     *
     * @param links one for each URL, in the order of the page
     * @param otherSchemes the number of links with another scheme, by scheme
     * @param invalid references that are not valid URLs, as written
     * @param complete whether the page has less than {@link #MAX_LINKS} links and {@link #MAX_CHARACTERS} characters
     * @param bytes the approximate memory of the links
     * @param scriptHosts the other hosts from which the page loads scripts
     * @param nofollow the value of the robots meta element or header with {@code nofollow}; null if there is none
     */
    record Links(
            List<Link> links,
            Map<String, Integer> otherSchemes,
            List<String> invalid,
            boolean complete,
            int bytes,
            Set<String> scriptHosts,
            @Nullable String nofollow) {}

    private record Anchor(String href, Set<String> rel, String text, boolean named) {
        int characters() {
            return href.length()
                    + text.length()
                    + rel.stream().mapToInt(String::length).sum();
        }
    }

    private final List<Anchor> anchors = new ArrayList<>();
    private final Set<String> scripts = new LinkedHashSet<>();
    private final StringBuilder text = new StringBuilder();
    private @Nullable String base;
    private @Nullable String nofollow;

    /** The link whose end tag has not been read; its text contains only the text of its attributes. */
    private @Nullable Anchor open;

    private boolean complete = true;
    private int characters;

    private LinkCollector() {}

    /** @param html the decoded page */
    static Links of(HttpExchange page, String html) {
        LinkCollector collector = new LinkCollector();
        for (String header : page.headers().all("x-robots-tag")) {
            collector.directives(header);
        }
        HtmlTokenizer.tokenize(html, WITH_ATTRIBUTES::contains, collector);
        collector.endLink();
        return collector.resolve(page);
    }

    @Override
    public void startTag(String element, Map<String, String> attributes) {
        switch (element) {
            case "a" -> startLink(attributes.get("href"), attributes);
            case "area" -> {
                String href = attributes.get("href");
                if (href != null) {
                    add(anchor(href, attributes));
                }
            }
            case "base" -> base = base == null ? attributes.get("href") : base;
            case "meta" -> {
                if ("robots"
                        .equalsIgnoreCase(attributes.getOrDefault("name", "").strip())) {
                    directives(attributes.getOrDefault("content", ""));
                }
            }
            case "script" -> addScript(attributes.get("src"));
            case "img" -> append(" " + attributes.getOrDefault("alt", "") + " ");
            default -> separate(element);
        }
    }

    @Override
    public void foreignStartTag(String element, Map<String, String> attributes) {
        if (element.equals("a")) {
            startLink(attributes.getOrDefault("href", attributes.get("xlink:href")), attributes);
        }
        if (element.equals("script")) {
            addScript(attributes.getOrDefault("href", attributes.get("xlink:href")));
        }
        if (open != null) {
            // a drawing can have a title
            open = new Anchor(open.href(), open.rel(), open.text(), true);
        }
    }

    @Override
    public void endTag(String element) {
        if (element.equals("a")) {
            endLink();
        } else {
            separate(element);
        }
    }

    @Override
    public void text(String page, int start, int end) {
        if (open != null && text.length() < 2 * MAX_TEXT) {
            text.append(page, start, Math.min(end, start + 4 * MAX_TEXT));
        }
    }

    private void append(String words) {
        if (open != null && text.length() < 2 * MAX_TEXT) {
            text.append(words);
        }
    }

    private void separate(String element) {
        if (HtmlHead.separatesWords(element)) {
            append(" ");
        }
    }

    private void startLink(@Nullable String href, Map<String, String> attributes) {
        endLink();
        open = href == null ? null : anchor(href, attributes);
    }

    private static Anchor anchor(String href, Map<String, String> attributes) {
        String label = label(attributes);
        boolean named = !label.isEmpty() || attributes.containsKey("aria-labelledby");
        return new Anchor(href, rel(attributes), label, named);
    }

    private void endLink() {
        if (open != null) {
            String content = shown(HtmlTokenizer.unescape(text.toString(), false));
            add(content.isEmpty() ? open : new Anchor(open.href(), open.rel(), content, true));
        }
        open = null;
        text.setLength(0);
    }

    private void add(Anchor anchor) {
        characters += anchor.characters();
        complete &= anchors.size() < MAX_LINKS && characters <= MAX_CHARACTERS;
        if (complete) {
            anchors.add(anchor);
        }
    }

    private void addScript(@Nullable String src) {
        if (src != null && scripts.size() < MAX_SCRIPTS && characters + src.length() <= MAX_CHARACTERS) {
            characters += src.length();
            scripts.add(src);
        }
    }

    private static Set<String> rel(Map<String, String> attributes) {
        return HtmlHead.linkTypes(attributes).stream()
                .filter(type -> !type.isEmpty())
                .limit(MAX_LINK_TYPES)
                .collect(Collectors.toCollection(LinkedHashSet::new));
    }

    /** The text that assistive technology reads if the link does not have content. */
    private static String label(Map<String, String> attributes) {
        return LABELS.stream()
                .map(name -> shown(attributes.getOrDefault(name, "")))
                .filter(label -> !label.isEmpty())
                .findFirst()
                .orElse("");
    }

    private static String shown(String content) {
        return PrintableText.cut(HtmlHead.collapse(content), MAX_TEXT);
    }

    private void directives(String value) {
        List<String> rules = HeaderParser.split(value.toLowerCase(Locale.ROOT), ',');
        if (nofollow == null && (rules.contains("nofollow") || rules.contains("none"))) {
            nofollow = HtmlHead.collapse(value);
        }
    }

    private Set<String> scriptHosts(Target.Url against, Host own) {
        return scripts.stream()
                .flatMap(src -> Stream.ofNullable(RedirectLocation.resolveReference(against, src.strip())))
                .map(Target.Url::host)
                .filter(host -> host.literal() == null && !host.equals(own))
                .map(Host::name)
                .collect(Collectors.toCollection(LinkedHashSet::new));
    }

    private Links resolve(HttpExchange page) {
        Target.Url against = HtmlResponse.base(page, base);
        Map<String, Link> links = new LinkedHashMap<>();
        Map<String, Integer> otherSchemes = new TreeMap<>();
        List<String> invalid = new ArrayList<>();
        int urlCharacters = 0;
        for (Anchor anchor : anchors) {
            String href = anchor.href().strip();
            Target.Url url = href.startsWith("#") ? null : RedirectLocation.resolveReference(against, href);
            String scheme = scheme(href);
            if (url != null) {
                boolean followed = anchor.rel().stream().noneMatch(NOT_FOLLOWED::contains);
                boolean internal = site(url.host()).equals(site(page.url().host()));
                String text = url.text();
                urlCharacters += links.containsKey(text) ? 0 : text.length();
                if (urlCharacters > MAX_CHARACTERS) {
                    complete = false;
                    break;
                }
                links.merge(
                        text,
                        new Link(url, anchor.text(), anchor.rel(), internal, anchor.named(), followed),
                        Link::and);
            } else if (scheme != null && !scheme.equals("http") && !scheme.equals("https")) {
                otherSchemes.merge(scheme, 1, Integer::sum);
            } else if (!href.startsWith("#") && invalid.size() < MAX_INVALID) {
                invalid.add(href);
            }
        }
        int bytes = characters + urlCharacters + LINK_BYTES * links.size();
        return new Links(
                List.copyOf(links.values()),
                otherSchemes,
                invalid,
                complete,
                bytes,
                scriptHosts(against, page.url().host()),
                nofollow);
    }

    private static @Nullable String scheme(String href) {
        Matcher matcher = SCHEME.matcher(href);
        return matcher.matches() ? matcher.group(1).toLowerCase(Locale.ROOT) : null;
    }

    private static String site(Host host) {
        String name = host.name();
        return name.startsWith("www.") ? name.substring(4) : name;
    }
}
