package dev.plumbline.module.web;

import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.jsoup.parser.Parser;

/**
 * Walks over the tags of an HTML page as a browser's tokenizer does (HTML Living Standard section
 * 13.2.5), without building a tree: strangers write pages whose trees take minutes to build and
 * hundreds of megabytes to hold. One pass, in time that grows as the page does, holding nothing.
 */
final class HtmlTokenizer {
    private static final int MOST_ATTRIBUTES = 64;
    private static final int LONGEST_VALUE = 8 * 1024;

    /** Elements whose content is text up to their end tag. */
    private static final Set<String> RAW_TEXT =
            Set.of("script", "style", "title", "textarea", "xmp", "iframe", "noembed", "noframes", "noscript");

    /** Receives what is met, in order; what stands in a template or a drawing is left out. */
    interface Handler {
        /** Whether the attributes of this element are wanted. */
        boolean wants(String element);

        /**
         * @param attributes by lower-case name; empty unless they are wanted
         */
        void start(String element, Map<String, String> attributes);

        void end(String element);

        /** Text between tags, entities and all. */
        void text(String page, int start, int end);

        /** The text of a script, a title and the like, entities and all. */
        void raw(String element, Map<String, String> attributes, String content);
    }

    /** Elements that cannot stand in a drawing: where one begins, the drawing has ended. */
    private static final Set<String> BREAKOUTS = Set.of(
            "b",
            "big",
            "blockquote",
            "body",
            "br",
            "center",
            "code",
            "dd",
            "div",
            "dl",
            "dt",
            "em",
            "embed",
            "h1",
            "h2",
            "h3",
            "h4",
            "h5",
            "h6",
            "head",
            "hr",
            "i",
            "img",
            "li",
            "listing",
            "menu",
            "meta",
            "nobr",
            "ol",
            "p",
            "pre",
            "ruby",
            "s",
            "small",
            "span",
            "strong",
            "strike",
            "sub",
            "sup",
            "table",
            "tt",
            "u",
            "ul",
            "var");

    private final String page;
    private final Handler visitor;
    private int at;
    private int templates;
    private int drawings;

    private HtmlTokenizer(String page, Handler visitor) {
        this.page = page;
        this.visitor = visitor;
    }

    static void walk(String page, Handler visitor) {
        new HtmlTokenizer(page, visitor).walk();
    }

    /** The text that entities stand for. */
    static String unescaped(String text, boolean inAttribute) {
        return text.indexOf('&') < 0 ? text : Parser.unescapeEntities(text, inAttribute);
    }

    private void walk() {
        while (at < page.length()) {
            int tag = page.indexOf('<', at);
            int end = tag < 0 ? page.length() : tag;
            if (end > at && shown()) {
                visitor.text(page, at, end);
            }
            at = end;
            if (tag >= 0) {
                markup();
            }
        }
    }

    private void markup() {
        char next = character(at + 1);
        if (isLetter(next)) {
            at++;
            startTag();
        } else if (next == '/' && isLetter(character(at + 2))) {
            at += 2;
            endTag();
        } else if (page.startsWith("<!--", at)) {
            comment();
        } else if (next == '!' || next == '?' || next == '/') {
            int end = page.indexOf('>', at + 2);
            at = end < 0 ? page.length() : end + 1;
        } else {
            if (shown()) {
                visitor.text(page, at, at + 1);
            }
            at++;
        }
    }

    private void comment() {
        int from = at + 4;
        if (page.startsWith(">", from) || page.startsWith("->", from)) {
            at = page.indexOf('>', from) + 1;
            return;
        }
        for (int i = page.indexOf("--", from); i >= 0; i = page.indexOf("--", i + 1)) {
            if (page.startsWith("-->", i)) {
                at = i + 3;
                return;
            }
            if (page.startsWith("--!>", i)) {
                at = i + 4;
                return;
            }
        }
        at = page.length();
    }

    private void startTag() {
        String name = name();
        if (BREAKOUTS.contains(name)) {
            drawings = 0;
        }
        Map<String, String> attributes = new LinkedHashMap<>();
        boolean wanted = shown() && visitor.wants(name);
        boolean closed = attributes(attributes, wanted);
        if (at > page.length()) {
            at = page.length();
            return; // a tag that the page ends in is none
        }
        if (name.equals("svg") || name.equals("math")) {
            drawings += closed ? 0 : 1;
        } else if (name.equals("template") && drawings == 0) {
            templates++;
        } else {
            boolean shown = shown();
            if (shown) {
                visitor.start(name, attributes);
            }
            if (drawings == 0 && RAW_TEXT.contains(name)) {
                rawText(name, attributes, shown);
            } else if (name.equals("plaintext") && drawings == 0) {
                at = page.length();
            }
        }
    }

    private void endTag() {
        String name = name();
        attributes(Map.of(), false);
        if (at > page.length()) {
            at = page.length();
        } else if (name.equals("svg") || name.equals("math")) {
            drawings = Math.max(0, drawings - 1);
        } else if (name.equals("template") && drawings == 0) {
            templates = Math.max(0, templates - 1);
        } else if (shown()) {
            visitor.end(name);
        }
    }

    private void rawText(String name, Map<String, String> attributes, boolean shown) {
        int from = at;
        int end = from;
        while (true) {
            end = page.indexOf("</", end);
            if (end < 0) {
                end = page.length();
                at = end;
                break;
            }
            char after = character(end + 2 + name.length());
            boolean ends = isSpace(after) || after == '/' || after == '>';
            if (ends && page.regionMatches(true, end + 2, name, 0, name.length())) {
                at = end;
                break;
            }
            end += 2;
        }
        if (shown) {
            visitor.raw(name, attributes, page.substring(from, end));
        }
    }

    private String name() {
        int from = at;
        while (at < page.length() && !isSpace(page.charAt(at)) && "/>".indexOf(page.charAt(at)) < 0) {
            at++;
        }
        return page.substring(from, Math.min(at, from + 100)).toLowerCase(Locale.ROOT);
    }

    /**
     * Goes behind the end of the tag, or behind the end of the page where the tag has none.
     *
     * @return whether the tag closes itself
     */
    private boolean attributes(Map<String, String> attributes, boolean wanted) {
        while (true) {
            while (isSpace(character(at)) || character(at) == '/' && character(at + 1) != '>') {
                at++;
            }
            char c = character(at);
            if (at >= page.length()) {
                at = page.length() + 1;
                return false;
            }
            if (c == '>') {
                at++;
                return false;
            }
            if (c == '/') {
                at += 2;
                return true;
            }
            attribute(attributes, wanted);
        }
    }

    private void attribute(Map<String, String> attributes, boolean wanted) {
        int from = at++;
        while (at < page.length() && !isSpace(page.charAt(at)) && "/>=".indexOf(page.charAt(at)) < 0) {
            at++;
        }
        int nameEnd = at;
        int behind = at;
        while (isSpace(character(behind))) {
            behind++;
        }
        int valueFrom = nameEnd;
        int valueEnd = nameEnd;
        if (character(behind) == '=') {
            at = behind + 1;
            while (isSpace(character(at))) {
                at++;
            }
            char quote = character(at);
            if (quote == '"' || quote == '\'') {
                valueFrom = at + 1;
                valueEnd = page.indexOf(quote, valueFrom);
                at = valueEnd < 0 ? page.length() + 1 : valueEnd + 1;
            } else {
                valueFrom = at;
                while (at < page.length() && !isSpace(page.charAt(at)) && page.charAt(at) != '>') {
                    at++;
                }
                valueEnd = at;
            }
        }
        if (wanted && valueEnd >= 0 && attributes.size() < MOST_ATTRIBUTES) {
            String name = page.substring(from, Math.min(nameEnd, from + 200)).toLowerCase(Locale.ROOT);
            String value = page.substring(valueFrom, Math.min(valueEnd, valueFrom + LONGEST_VALUE));
            attributes.putIfAbsent(name, unescaped(value, true));
        }
    }

    private boolean shown() {
        return templates == 0 && drawings == 0;
    }

    /** The character there; 0 behind the end. */
    private char character(int index) {
        return index < page.length() ? page.charAt(index) : 0;
    }

    private static boolean isLetter(char c) {
        return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z';
    }

    static boolean isSpace(char c) {
        return c == ' ' || c == '\n' || c == '\t' || c == '\r' || c == '\f';
    }
}
