package dev.plumbline.module.web;

import java.util.function.BiConsumer;

/** Finds the URLs that a style sheet loads (CSS Values Level 4 section 4.5), in linear time. */
final class CssUrls {

    /** What a URL loads. */
    enum Use {
        /** Also an option of image-set(). */
        IMAGE,
        IMPORT,
        FONT
    }

    private static final int MAX_URL = 2_100;

    private final String css;
    private final BiConsumer<String, Use> found;
    private int position;
    private int braces;
    private int fontBraces = -1;
    private int parentheses;
    private int imageSet = -1;
    private boolean fontRule;
    private boolean importRule;
    private boolean namespaceRule;

    private CssUrls(String css, BiConsumer<String, Use> found) {
        this.css = css;
        this.found = found;
    }

    /** @param found receives each URL as written */
    static void find(String css, BiConsumer<String, Use> found) {
        new CssUrls(css, found).run();
    }

    private void run() {
        while (position < css.length()) {
            char c = css.charAt(position);
            if (c == '/' && css.startsWith("/*", position)) {
                int end = css.indexOf("*/", position + 2);
                position = end < 0 ? css.length() : end + 2;
            } else if (c == '"' || c == '\'') {
                String text = string(c);
                if (importRule || imageSet >= 0) {
                    add(text);
                }
            } else if (isName(c)) {
                name();
            } else {
                punctuation(c);
                position++;
            }
        }
    }

    private void punctuation(char c) {
        switch (c) {
            case '(' -> parentheses++;
            case ')' -> {
                parentheses = Math.max(0, parentheses - 1);
                imageSet = parentheses <= imageSet ? -1 : imageSet;
            }
            case '{' -> {
                fontBraces = fontRule ? braces : fontBraces;
                braces++;
                endRule();
            }
            case '}' -> {
                braces = Math.max(0, braces - 1);
                fontBraces = braces <= fontBraces ? -1 : fontBraces;
                endRule();
            }
            case ';' -> endRule();
            default -> {}
        }
    }

    private void endRule() {
        parentheses = 0;
        imageSet = -1;
        fontRule = false;
        importRule = false;
        namespaceRule = false;
    }

    private static boolean isName(char c) {
        return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '-' || c == '@' || c > 127;
    }

    private void name() {
        int start = position;
        while (position < css.length() && isName(css.charAt(position))) {
            position++;
        }
        if (is(start, "@import")) {
            importRule = true;
        } else if (is(start, "@font-face")) {
            fontRule = true;
        } else if (is(start, "@namespace")) {
            namespaceRule = true;
        } else if (position < css.length() && css.charAt(position) == '(') {
            if (is(start, "url") || is(start, "src")) {
                position++;
                url();
            } else if (imageSet < 0 && (is(start, "image-set") || is(start, "-webkit-image-set"))) {
                imageSet = parentheses;
            }
        }
    }

    private boolean is(int start, String name) {
        return position - start == name.length() && css.regionMatches(true, start, name, 0, name.length());
    }

    private void url() {
        while (position < css.length() && css.charAt(position) <= ' ') {
            position++;
        }
        char quote = position < css.length() ? css.charAt(position) : 0;
        if (quote == '"' || quote == '\'') {
            add(string(quote));
            parentheses++; // closed by the next parenthesis
            return;
        }
        int end = css.indexOf(')', position);
        int stop = end < 0 ? css.length() : end;
        add(css.substring(position, Math.min(stop, position + MAX_URL)).strip());
        position = end < 0 ? css.length() : end + 1;
    }

    /** Reads a string. A line break ends it. */
    private String string(char quote) {
        StringBuilder text = new StringBuilder();
        position++;
        while (position < css.length()) {
            char c = css.charAt(position++);
            if (c == quote || c == '\n') {
                break;
            }
            if (c == '\\' && position < css.length()) {
                c = css.charAt(position++);
            }
            if (text.length() < MAX_URL) {
                text.append(c);
            }
        }
        return text.toString();
    }

    private void add(String url) {
        if (!namespaceRule && !url.isEmpty()) {
            found.accept(url, importRule ? Use.IMPORT : fontBraces >= 0 ? Use.FONT : Use.IMAGE);
        }
    }
}
