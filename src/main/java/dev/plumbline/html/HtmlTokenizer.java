package dev.plumbline.html;

import com.google.common.base.Ascii;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jsoup.parser.Parser;
import org.jspecify.annotations.Nullable;

/**
 * Splits an HTML page into tags and text like a browser (HTML Living Standard section 13.2.5). It does not build a
 * tree, because the tree of a hostile page can take minutes to build and hundreds of megabytes to store. It runs in
 * linear time and constant memory.
 */
public final class HtmlTokenizer {
    private static final int MAX_ATTRIBUTES = 64;
    private static final int MAX_TAG_NAME = 100;
    private static final int MAX_ATTRIBUTE_NAME = 200;
    private static final int MAX_ATTRIBUTE_VALUE = 8 * 1024;

    private static final String SPACE = " \\t\\n\\f\\r";
    private static final Pattern TAG = Pattern.compile("</?+([A-Za-z][^" + SPACE + "/>]*+)");
    private static final Pattern COMMENT_END = Pattern.compile("--!?+>");

    /** Group 1 is the end of the tag; group 2 is the name of an attribute, groups 3 to 5 are its value. */
    private static final Pattern ATTRIBUTE = Pattern.compile(("(?:[S]|/(?!>))*+(?:(/?+>)|([^S/>][^S/>=]*+)(?:[S]*+="
                    + "[S]*+(?:\"([^\"]*+)(?:\"|\\z)|'([^']*+)(?:'|\\z)|([^S>\"'][^S>]*+)|(?=>)|\\z))?+)")
            .replace("S", SPACE));

    /** Elements whose content is text, with the pattern of their end tag. */
    private static final Map<String, Pattern> RAW_TEXT = Stream.of(
                    "script", "style", "title", "textarea", "xmp", "iframe", "noembed", "noframes", "noscript")
            .collect(Collectors.toMap(
                    Function.identity(),
                    name -> Pattern.compile("</" + name + "[" + SPACE + "/>]", Pattern.CASE_INSENSITIVE)));

    /** Elements that end foreign content (section 13.2.6.5). */
    private static final Set<String> BREAKOUTS = Set.of(("b big blockquote body br center code dd div dl dt em embed"
                    + " h1 h2 h3 h4 h5 h6 head hr i img li listing menu meta nobr ol p pre ruby s small span strong"
                    + " strike sub sup table tt u ul var")
            .split(" "));

    /** Receives the tokens in order, except those within templates and foreign content (SVG, MathML). */
    public interface Handler {
        void startTag(String element, Map<String, String> attributes);

        /** A start tag within SVG or MathML. */
        default void foreignStartTag(String element, Map<String, String> attributes) {}

        void endTag(String element);

        /** Text between tags, with character references. */
        default void text(String page, int start, int end) {}

        /** The content of an element that contains only text, with character references. */
        default void rawText(String element, Map<String, String> attributes, String content) {}
    }

    private final String page;
    private final Predicate<String> withAttributes;
    private final Handler handler;
    private final Matcher tag;
    private final Matcher attribute;
    private int position;
    private int templates;
    private int foreign;

    private HtmlTokenizer(String page, Predicate<String> withAttributes, Handler handler) {
        this.page = page;
        this.withAttributes = withAttributes;
        this.handler = handler;
        this.tag = TAG.matcher(page);
        this.attribute = ATTRIBUTE.matcher(page);
    }

    /** @param withAttributes selects the elements whose attributes are passed to the handler, by lower-case name */
    public static void tokenize(String page, Predicate<String> withAttributes, Handler handler) {
        new HtmlTokenizer(page, withAttributes, handler).run();
    }

    /** The text with its character references replaced. */
    public static String unescape(String text, boolean inAttribute) {
        return text.indexOf('&') < 0 ? text : Parser.unescapeEntities(text, inAttribute);
    }

    private void run() {
        while (position < page.length()) {
            int start = position;
            position = endOr(page.indexOf('<', start));
            text(start, position);
            if (position < page.length()) {
                markup();
            }
        }
    }

    private void markup() {
        int start = position;
        char next = start + 1 < page.length() ? page.charAt(start + 1) : 0;
        if (tag.region(start, page.length()).lookingAt()) {
            position = tag.end();
            String name = Ascii.truncate(tag.group(1), MAX_TAG_NAME, "").toLowerCase(Locale.ROOT);
            if (next == '/') {
                endTag(name);
            } else {
                startTag(name);
            }
        } else if (page.startsWith("<!-->", start) || page.startsWith("<!--->", start)) {
            position = page.indexOf('>', start) + 1;
        } else if (page.startsWith("<!--", start)) {
            Matcher end = COMMENT_END.matcher(page);
            position = end.find(start + 4) ? end.end() : page.length();
        } else if (next == '!' || next == '?' || next == '/') {
            position = Math.min(page.length(), endOr(page.indexOf('>', start + 2)) + 1);
        } else {
            position++;
            text(start, position);
        }
    }

    private void startTag(String name) {
        if (BREAKOUTS.contains(name)) {
            foreign = 0;
        }
        Map<String, String> attributes = new LinkedHashMap<>();
        String end = attributes(templates == 0 && withAttributes.test(name) ? attributes : null);
        if (end == null) {
            return;
        }
        if (name.equals("svg") || name.equals("math")) {
            foreign += end.equals("/>") ? 0 : 1;
        } else if (name.equals("template") && foreign == 0) {
            templates++;
        } else {
            if (visible()) {
                handler.startTag(name, attributes);
            } else if (templates == 0) {
                handler.foreignStartTag(name, attributes);
            }
            Pattern endTag = RAW_TEXT.get(name);
            if (foreign == 0 && endTag != null) {
                rawText(name, attributes, endTag.matcher(page));
            } else if (foreign == 0 && name.equals("plaintext")) {
                position = page.length();
            }
        }
    }

    private void endTag(String name) {
        if (attributes(null) == null) {
            return;
        }
        if (name.equals("svg") || name.equals("math")) {
            foreign = Math.max(0, foreign - 1);
        } else if (name.equals("template") && foreign == 0) {
            templates = Math.max(0, templates - 1);
        } else if (visible()) {
            handler.endTag(name);
        }
    }

    private void rawText(String name, Map<String, String> attributes, Matcher end) {
        int start = position;
        position = end.find(start) ? end.start() : page.length();
        if (visible()) {
            handler.rawText(name, attributes, page.substring(start, position));
        }
    }

    /**
     * Moves to the end of the tag.
     *
     * @param attributes receives the attributes, null if they are not needed
     * @return {@code >} or {@code />}, null if the page ends within the tag
     */
    private @Nullable String attributes(@Nullable Map<String, String> attributes) {
        while (attribute.region(position, page.length()).lookingAt()) {
            position = attribute.end();
            if (attribute.group(1) != null) {
                return attribute.group(1);
            }
            if (attributes != null && attributes.size() < MAX_ATTRIBUTES) {
                String name = Ascii.truncate(attribute.group(2), MAX_ATTRIBUTE_NAME, "")
                        .toLowerCase(Locale.ROOT);
                String value = value(attribute);
                attributes.putIfAbsent(name, unescape(Ascii.truncate(value, MAX_ATTRIBUTE_VALUE, ""), true));
            }
        }
        position = page.length();
        return null;
    }

    private void text(int start, int end) {
        if (end > start && visible()) {
            handler.text(page, start, end);
        }
    }

    private boolean visible() {
        return templates == 0 && foreign == 0;
    }

    private int endOr(int index) {
        return index < 0 ? page.length() : index;
    }

    private static String value(Matcher attribute) {
        for (int group = 3; group <= 5; group++) {
            String value = attribute.group(group);
            if (value != null) {
                return value;
            }
        }
        return "";
    }
}
