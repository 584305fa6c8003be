package dev.plumbline.html;

import com.fasterxml.jackson.core.JsonFactory;
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
 * The metadata of an HTML page, as written. Each list has at most {@link #MAX_ITEMS} items and each text at most 2,000
 * characters.
 *
 * @param titles the text of each title element
 * @param metas the content of each meta element by its lower-case name or property
 * @param links the canonical, icon and alternate links
 * @param base the href of the first base element
 * @param outerCharset the encoding of the byte order mark, or of the Content-Type header
 * @param metaCharset the encoding that the page declares
 * @param invalidJsonLd the number of JSON-LD blocks that are not valid JSON
 */
public record HtmlHead(
        List<String> titles,
        Map<String, List<String>> metas,
        List<Link> links,
        @Nullable String base,
        @Nullable String lang,
        @Nullable String outerCharset,
        @Nullable String metaCharset,
        List<String> h1,
        Set<String> jsonLdTypes,
        int invalidJsonLd) {

    /**
     * A link element.
     *
     * @param rel its link types in lower case
     */
    public record Link(Set<String> rel, String href, @Nullable String hreflang) {}

    static final int MAX_ITEMS = 100;
    private static final int MAX_CHARACTERS = 2_000;
    private static final int PRESCAN_BYTES = 4 * 1024;
    private static final int MAX_JSON_LD_CHARACTERS = 64 * 1024;
    private static final int MAX_JSON_LD_DEPTH = 20;
    private static final ObjectMapper JSON = new ObjectMapper(JsonFactory.builder()
            // the symbol table rejects names with equal hash codes, and can fail with an internal error
            .disable(JsonFactory.Feature.CANONICALIZE_FIELD_NAMES)
            .build());
    private static final Pattern CHARSET =
            Pattern.compile("charset\\s*+=\\s*+[\"']?+([A-Za-z0-9._:-]{1,40})", Pattern.CASE_INSENSITIVE);
    private static final Pattern SPACES = Pattern.compile("[ \\t\\n\\f\\r]++");

    private static final Set<String> WITH_ATTRIBUTES = Set.of("html", "base", "meta", "link", "script");

    /** Elements that separate words. */
    private static final Set<String> SEPARATORS =
            Set.of("br", "div", "p", "li", "ul", "ol", "td", "tr", "section", "hr", "img");

    /** @param contentType the Content-Type header, null if it is not set */
    public static HtmlHead parse(byte[] bytes, @Nullable String contentType) {
        Charset mark = byteOrderMark(bytes);
        Collector head = Collector.of(decode(bytes, contentType));
        return new HtmlHead(
                head.titles,
                head.metas,
                head.links,
                head.base,
                head.lang,
                mark != null ? mark.name().toLowerCase(Locale.ROOT) : charset(contentType),
                head.metaCharset,
                head.h1,
                head.jsonLdTypes,
                head.invalidJsonLd);
    }

    /**
     * The text of a page in its encoding: that of the byte order mark, of the Content-Type header or of the page, in
     * this order, otherwise UTF-8.
     *
     * @param contentType the Content-Type header, null if it is not set
     */
    public static String decode(byte[] bytes, @Nullable String contentType) {
        Charset mark = byteOrderMark(bytes);
        Charset decoder = mark;
        if (decoder == null) {
            int length = Math.min(bytes.length, PRESCAN_BYTES);
            Collector prescan = Collector.of(new String(bytes, 0, length, StandardCharsets.ISO_8859_1));
            decoder = decoder(charset(contentType), decoder(prescan.metaCharset, StandardCharsets.UTF_8));
        }
        int skip = mark == null ? 0 : mark.equals(StandardCharsets.UTF_8) ? 3 : 2;
        return new String(bytes, skip, bytes.length - skip, decoder);
    }

    private static @Nullable Charset byteOrderMark(byte[] bytes) {
        int first = bytes.length > 1 ? (bytes[0] & 0xff) << 8 | bytes[1] & 0xff : 0;
        return switch (first) {
            case 0xfeff -> StandardCharsets.UTF_16BE;
            case 0xfffe -> StandardCharsets.UTF_16LE;
            default -> first == 0xefbb && bytes.length > 2 && bytes[2] == (byte) 0xbf ? StandardCharsets.UTF_8 : null;
        };
    }

    private static Charset decoder(@Nullable String name, Charset fallback) {
        try {
            return switch (name == null ? "" : name) {
                case "" -> fallback;
                // Encoding Standard section 4.2
                case "iso-8859-1", "latin1", "us-ascii", "ascii" -> Charset.forName("windows-1252");
                default -> Charset.forName(name);
            };
        } catch (IllegalArgumentException unknown) {
            return fallback;
        }
    }

    private static @Nullable String charset(@Nullable String contentType) {
        Matcher matcher = CHARSET.matcher(contentType == null ? "" : contentType);
        return matcher.find() ? matcher.group(1).toLowerCase(Locale.ROOT) : null;
    }

    /** The content of each meta element with this name, in order. */
    public List<String> metas(String name) {
        return metas.getOrDefault(name, List.of());
    }

    /** The links of this type, in order. */
    public List<Link> links(String rel) {
        return links.stream().filter(link -> link.rel().contains(rel)).toList();
    }

    /** The text with each sequence of white space as one space, truncated. */
    public static String collapse(String text) {
        String start = text.length() <= MAX_CHARACTERS ? text : text.substring(0, MAX_CHARACTERS);
        return SPACES.matcher(start).replaceAll(" ").strip();
    }

    /** The link types of an element, in lower case. */
    public static Set<String> linkTypes(Map<String, String> attributes) {
        String rel = attributes.getOrDefault("rel", "").strip().toLowerCase(Locale.ROOT);
        return new LinkedHashSet<>(List.of(SPACES.split(rel)));
    }

    /** Whether the text before and after a tag of this element is separated. */
    public static boolean separatesWords(String element) {
        return SEPARATORS.contains(element);
    }

    private static final class Collector implements HtmlTokenizer.Handler {
        private final List<String> titles = new ArrayList<>();
        private final Map<String, List<String>> metas = new LinkedHashMap<>();
        private final List<Link> links = new ArrayList<>();
        private final List<String> h1 = new ArrayList<>();
        private final Set<String> jsonLdTypes = new LinkedHashSet<>();
        private @Nullable String base;
        private @Nullable String lang;
        private @Nullable String metaCharset;
        private @Nullable StringBuilder heading;
        private int invalidJsonLd;

        static Collector of(String page) {
            Collector collector = new Collector();
            HtmlTokenizer.tokenize(page, WITH_ATTRIBUTES::contains, collector);
            collector.endHeading();
            return collector;
        }

        @Override
        public void startTag(String element, Map<String, String> attributes) {
            switch (element) {
                case "html" -> lang = lang == null ? attributes.get("lang") : lang;
                case "base" -> base = base == null ? attributes.get("href") : base;
                case "meta" -> meta(attributes);
                case "link" -> link(attributes);
                case "h1", "h2", "h3", "h4", "h5", "h6" -> {
                    endHeading();
                    heading = element.equals("h1") ? new StringBuilder() : null;
                }
                default -> separate(element);
            }
        }

        @Override
        public void endTag(String element) {
            switch (element) {
                case "h1", "h2", "h3", "h4", "h5", "h6", "body", "html" -> endHeading();
                default -> separate(element);
            }
        }

        @Override
        public void text(String page, int start, int end) {
            if (heading != null && heading.length() < MAX_CHARACTERS) {
                heading.append(page, start, Math.min(end, start + MAX_CHARACTERS));
            }
        }

        @Override
        public void rawText(String element, Map<String, String> attributes, String content) {
            if (element.equals("title") && titles.size() < MAX_ITEMS) {
                String start = content.substring(0, Math.min(content.length(), 2 * MAX_CHARACTERS));
                titles.add(collapse(HtmlTokenizer.unescape(start, false)));
            } else if (element.equals("script")
                    && attributes.getOrDefault("type", "").strip().equalsIgnoreCase("application/ld+json")) {
                jsonLd(content);
            }
        }

        private void endHeading() {
            if (heading != null && h1.size() < MAX_ITEMS) {
                h1.add(collapse(HtmlTokenizer.unescape(heading.toString(), false)));
            }
            heading = null;
        }

        private void separate(String element) {
            if (heading != null && heading.length() < MAX_CHARACTERS && separatesWords(element)) {
                heading.append(' ');
            }
        }

        private void meta(Map<String, String> attributes) {
            String content = attributes.get("content");
            String charset = attributes.get("charset");
            if (charset == null && "content-type".equalsIgnoreCase(attributes.get("http-equiv"))) {
                charset = charset(content);
            }
            if (charset != null && metaCharset == null && !charset.isBlank()) {
                metaCharset = collapse(charset).toLowerCase(Locale.ROOT);
            }
            String name = attributes.getOrDefault("name", attributes.get("property"));
            if (name != null && content != null) {
                String key = collapse(name).toLowerCase(Locale.ROOT);
                if (metas.size() < MAX_ITEMS || metas.containsKey(key)) {
                    List<String> contents = metas.computeIfAbsent(key, first -> new ArrayList<>());
                    if (contents.size() < MAX_ITEMS) {
                        contents.add(collapse(content));
                    }
                }
            }
        }

        private void link(Map<String, String> attributes) {
            String href = attributes.get("href");
            Set<String> types = linkTypes(attributes);
            boolean needed = types.contains("canonical") || types.contains("icon") || types.contains("alternate");
            if (href != null && needed && links.size() < 2 * MAX_ITEMS) {
                links.add(new Link(types, href.strip(), attributes.get("hreflang")));
            }
        }

        private void jsonLd(String content) {
            if (content.length() > MAX_JSON_LD_CHARACTERS || jsonLdTypes.size() >= MAX_ITEMS) {
                return;
            }
            try {
                addTypes(JSON.readTree(content), 0);
            } catch (JsonProcessingException invalid) {
                invalidJsonLd++;
            }
        }

        private void addTypes(JsonNode node, int depth) {
            if (depth > MAX_JSON_LD_DEPTH || jsonLdTypes.size() >= MAX_ITEMS) {
                return;
            }
            if (node.isArray()) {
                node.forEach(item -> addTypes(item, depth + 1));
            } else if (node.isObject()) {
                JsonNode type = node.path("@type");
                for (JsonNode each : type.isArray() ? type : List.of(type)) {
                    if (each.isTextual() && jsonLdTypes.size() < MAX_ITEMS) {
                        jsonLdTypes.add(collapse(each.textValue()));
                    }
                }
                addTypes(node.path("@graph"), depth + 1);
            }
        }
    }
}
