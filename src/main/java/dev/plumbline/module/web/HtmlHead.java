package dev.plumbline.module.web;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
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

/**
 * What a page says of itself, as it is written. Pure.
 *
 * @param titles the text of every title element
 * @param metas the content of every meta element by its lower-case name or property
 * @param links every link element that has a rel and a href, its rel in lower case
 * @param headerCharset what the Content-Type header names
 * @param metaCharset what the page itself names
 * @param badJsonLd how many pieces of structured data could not be read
 */
record HtmlHead(
        List<String> titles,
        Map<String, List<String>> metas,
        List<Link> links,
        @Nullable String base,
        @Nullable String lang,
        boolean byteOrderMark,
        @Nullable String headerCharset,
        @Nullable String metaCharset,
        List<String> h1,
        Set<String> jsonLdTypes,
        int badJsonLd) {

    /** A link element. */
    record Link(Set<String> rel, String href, @Nullable String hreflang) {}

    static final int MOST_OF_A_KIND = 100;
    private static final int LONGEST_TEXT = 2_000;
    private static final int PRESCANNED_BYTES = 4 * 1024;
    private static final int MOST_JSON_LD = 64 * 1024;
    private static final int DEEPEST_JSON_LD = 20;
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final Pattern CHARSET =
            Pattern.compile("charset\\s*+=\\s*+[\"']?+([A-Za-z0-9._:-]{1,40})", Pattern.CASE_INSENSITIVE);
    private static final Pattern SPACES = Pattern.compile("[ \\t\\n\\f\\r]++");

    /** Elements at which a text that runs on is parted. */
    private static final Set<String> PARTING =
            Set.of("br", "div", "p", "li", "ul", "ol", "td", "tr", "section", "hr", "img");

    /**
     * @param contentType the Content-Type header, null where there is none
     */
    static HtmlHead of(byte[] bytes, @Nullable String contentType) {
        String headerCharset = charset(contentType);
        Reader prescan = new Reader();
        int prescanned = Math.min(bytes.length, PRESCANNED_BYTES);
        HtmlTokenizer.walk(new String(bytes, 0, prescanned, StandardCharsets.ISO_8859_1), prescan);
        Charset marked = marked(bytes);
        Charset decoding =
                marked != null ? marked : known(headerCharset, known(prescan.metaCharset, StandardCharsets.UTF_8));
        int skipped = marked == null ? 0 : marked.equals(StandardCharsets.UTF_8) ? 3 : 2;
        Reader reader = new Reader();
        HtmlTokenizer.walk(new String(bytes, skipped, bytes.length - skipped, decoding), reader);
        reader.headingEnds();
        return new HtmlHead(
                reader.titles,
                reader.metas,
                reader.links,
                reader.base,
                reader.lang,
                marked != null,
                marked != null ? marked.name().toLowerCase(Locale.ROOT) : headerCharset,
                reader.metaCharset,
                reader.h1,
                reader.jsonLdTypes,
                reader.badJsonLd);
    }

    private static @Nullable Charset marked(byte[] bytes) {
        int first = bytes.length > 1 ? (bytes[0] & 0xff) << 8 | bytes[1] & 0xff : 0;
        if (first == 0xfeff) {
            return StandardCharsets.UTF_16BE;
        }
        if (first == 0xfffe) {
            return StandardCharsets.UTF_16LE;
        }
        return first == 0xefbb && bytes.length > 2 && (bytes[2] & 0xff) == 0xbf ? StandardCharsets.UTF_8 : null;
    }

    private static Charset known(@Nullable String name, Charset otherwise) {
        if (name == null) {
            return otherwise;
        }
        try {
            return switch (name.toLowerCase(Locale.ROOT)) {
                // what browsers take these for (Encoding Standard section 4.2)
                case "iso-8859-1", "latin1", "us-ascii", "ascii" -> Charset.forName("windows-1252");
                default -> Charset.forName(name);
            };
        } catch (IllegalArgumentException unknown) {
            return otherwise;
        }
    }

    private static @Nullable String charset(@Nullable String contentType) {
        Matcher matcher = contentType == null ? null : CHARSET.matcher(contentType);
        return matcher != null && matcher.find() ? matcher.group(1).toLowerCase(Locale.ROOT) : null;
    }

    /** The content of the first meta element of this name; null where there is none. */
    @Nullable
    String meta(String name) {
        List<String> contents = metas.get(name);
        return contents == null ? null : contents.get(0);
    }

    /** The links of this kind, in order. */
    List<Link> links(String rel) {
        return links.stream().filter(link -> link.rel().contains(rel)).toList();
    }

    /** Text as it is shown: white space is one blank. */
    static String collapsed(String text) {
        String cut = text.length() <= LONGEST_TEXT ? text : text.substring(0, LONGEST_TEXT);
        return SPACES.matcher(cut).replaceAll(" ").strip();
    }

    /** Gathers what is met. */
    private static final class Reader implements HtmlTokenizer.Handler {
        private final List<String> titles = new ArrayList<>();
        private final Map<String, List<String>> metas = new LinkedHashMap<>();
        private final List<Link> links = new ArrayList<>();
        private final List<String> h1 = new ArrayList<>();
        private final Set<String> jsonLdTypes = new LinkedHashSet<>();
        private @Nullable String base;
        private @Nullable String lang;
        private @Nullable String metaCharset;
        private @Nullable StringBuilder heading;
        private int badJsonLd;

        @Override
        public boolean wants(String element) {
            return switch (element) {
                case "html", "base", "meta", "link", "script" -> true;
                default -> false;
            };
        }

        @Override
        public void start(String element, Map<String, String> attributes) {
            switch (element) {
                case "html" -> lang = lang == null ? attributes.get("lang") : lang;
                case "base" -> base = base == null ? attributes.get("href") : base;
                case "meta" -> meta(attributes);
                case "link" -> link(attributes);
                case "h1" -> {
                    headingEnds();
                    heading = new StringBuilder();
                }
                case "h2", "h3", "h4", "h5", "h6" -> headingEnds();
                default -> part(element);
            }
        }

        @Override
        public void end(String element) {
            switch (element) {
                case "h1", "h2", "h3", "h4", "h5", "h6", "body", "html" -> headingEnds();
                default -> part(element);
            }
        }

        @Override
        public void text(String page, int start, int end) {
            if (heading != null && heading.length() < LONGEST_TEXT) {
                heading.append(page, start, Math.min(end, start + LONGEST_TEXT));
            }
        }

        @Override
        public void raw(String element, Map<String, String> attributes, String content) {
            if (element.equals("title") && titles.size() < MOST_OF_A_KIND) {
                String cut = content.substring(0, Math.min(content.length(), 2 * LONGEST_TEXT));
                titles.add(collapsed(HtmlTokenizer.unescaped(cut, false)));
            } else if (element.equals("script")
                    && "application/ld+json"
                            .equalsIgnoreCase(
                                    attributes.getOrDefault("type", "").strip())) {
                jsonLd(content);
            }
        }

        void headingEnds() {
            if (heading != null && h1.size() < MOST_OF_A_KIND) {
                h1.add(collapsed(HtmlTokenizer.unescaped(heading.toString(), false)));
            }
            heading = null;
        }

        private void part(String element) {
            if (heading != null && heading.length() < LONGEST_TEXT && PARTING.contains(element)) {
                heading.append(' ');
            }
        }

        private void meta(Map<String, String> attributes) {
            String content = attributes.get("content");
            String charset = attributes.get("charset");
            if (charset == null && "content-type".equalsIgnoreCase(attributes.get("http-equiv"))) {
                charset = HtmlHead.charset(content);
            }
            if (charset != null && metaCharset == null && !charset.isBlank()) {
                metaCharset = collapsed(charset).toLowerCase(Locale.ROOT);
            }
            String name = attributes.getOrDefault("name", attributes.get("property"));
            if (name != null && content != null) {
                String key = collapsed(name).toLowerCase(Locale.ROOT);
                if (metas.size() < MOST_OF_A_KIND || metas.containsKey(key)) {
                    List<String> contents = metas.computeIfAbsent(key, first -> new ArrayList<>());
                    if (contents.size() < MOST_OF_A_KIND) {
                        contents.add(collapsed(content));
                    }
                }
            }
        }

        private void link(Map<String, String> attributes) {
            String rel = attributes.get("rel");
            String href = attributes.get("href");
            if (rel != null && href != null && links.size() < MOST_OF_A_KIND * 2) {
                Set<String> kinds = Set.copyOf(List.of(SPACES.split(rel.strip().toLowerCase(Locale.ROOT))));
                boolean wanted = kinds.contains("canonical") || kinds.contains("icon") || kinds.contains("alternate");
                if (wanted) {
                    links.add(new Link(kinds, href.strip(), attributes.get("hreflang")));
                }
            }
        }

        private void jsonLd(String content) {
            if (content.length() > MOST_JSON_LD || jsonLdTypes.size() >= MOST_OF_A_KIND) {
                return;
            }
            try {
                types(JSON.readTree(content), 0);
            } catch (JsonProcessingException broken) {
                badJsonLd++;
            }
        }

        private void types(JsonNode node, int depth) {
            if (depth > DEEPEST_JSON_LD || jsonLdTypes.size() >= MOST_OF_A_KIND) {
                return;
            }
            if (node.isArray()) {
                node.forEach(item -> types(item, depth + 1));
            } else if (node.isObject()) {
                JsonNode type = node.path("@type");
                if (type.isTextual()) {
                    jsonLdTypes.add(collapsed(type.textValue()));
                } else {
                    type.forEach(each -> {
                        if (each.isTextual() && jsonLdTypes.size() < MOST_OF_A_KIND) {
                            jsonLdTypes.add(collapsed(each.textValue()));
                        }
                    });
                }
                types(node.path("@graph"), depth + 1);
            }
        }
    }
}
