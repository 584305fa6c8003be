package dev.plumbline.module.web;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A robots.txt, taken apart as RFC 9309 says. Pure, and linear in its length.
 *
 * @param groups in order; each as it stands in the file
 * @param sitemaps as they are written
 * @param errors what a crawler passes over, for people, the first {@value #MOST_ERRORS}
 * @param utf8 whether all of it is UTF-8
 * @param tooLarge whether there was more than crawlers have to read
 */
record RobotsFile(
        List<Group> groups,
        List<String> sitemaps,
        List<String> errors,
        boolean byteOrderMark,
        boolean utf8,
        boolean tooLarge) {

    /** What every crawler reads at the least (RFC 9309 section 2.5): 500 KiB. */
    static final int MOST_BYTES = 500 * 1024;

    static final int MOST_ERRORS = 50;
    private static final int SHOWN_TEXT = 100;

    /** Lines that crawlers of today read, or once did, beside those of the standard. */
    private static final Set<String> OTHER_RECORDS = Set.of(
            "host",
            "clean-param",
            "request-rate",
            "visit-time",
            "noindex",
            "content-signal",
            "content-usage",
            "cache-delay",
            "robot-version",
            "comment",
            "schemamap");

    /**
     * Rules and whom they are for.
     *
     * @param agents as they are written, without what follows the product token
     * @param crawlDelay seconds, where the file asks for a pause
     */
    record Group(List<String> agents, List<Rule> rules, @Nullable Double crawlDelay) {
        Group {
            agents = List.copyOf(agents);
            rules = List.copyOf(rules);
        }
    }

    /**
     * One rule.
     *
     * @param path as it is written
     */
    record Rule(boolean allow, String path) {}

    RobotsFile {
        groups = List.copyOf(groups);
        sitemaps = List.copyOf(sitemaps);
        errors = List.copyOf(errors);
    }

    /**
     * @param more whether there was more than these bytes
     */
    static RobotsFile parse(byte[] bytes, boolean more) {
        boolean mark = bytes.length >= 3
                && (bytes[0] & 0xff) == 0xef
                && (bytes[1] & 0xff) == 0xbb
                && (bytes[2] & 0xff) == 0xbf;
        int start = mark ? 3 : 0;
        int end = Math.min(bytes.length, MOST_BYTES);
        String text = new String(bytes, start, end - start, StandardCharsets.UTF_8);
        boolean tooLarge = more || bytes.length > MOST_BYTES;
        int lastWhole = text.length();
        if (tooLarge) {
            // a rule that is cut in half says something else
            lastWhole = Math.max(text.lastIndexOf('\n'), text.lastIndexOf('\r')) + 1;
        }
        Reader reader = new Reader();
        reader.read(text.substring(0, lastWhole));
        boolean utf8 = text.lastIndexOf('\ufffd') < 0;
        return new RobotsFile(reader.finished(), reader.sitemaps, reader.errors, mark, utf8, tooLarge);
    }

    /**
     * The words of a crawler's name or whole User-Agent that may be its product token, in order; none
     * of {@code *}.
     */
    static List<String> tokens(String agent) {
        List<String> tokens = new ArrayList<>();
        for (int at = 0; at < agent.length(); at++) {
            String token = agent.charAt(at) == '*' ? "" : token(agent.substring(at));
            if (!token.isEmpty()) {
                tokens.add(token);
                at += token.length();
            }
        }
        return tokens;
    }

    /** The product token at the beginning of a User-agent line. */
    static String token(String name) {
        if (name.startsWith("*")) {
            return "*";
        }
        int end = 0;
        while (end < name.length() && isTokenCharacter(name.charAt(end))) {
            end++;
        }
        return name.substring(0, end);
    }

    private static boolean isTokenCharacter(char c) {
        return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '-' || c == '_' || c == '.';
    }

    /** Gathers groups line by line. */
    private static final class Reader {
        private final List<Group> groups = new ArrayList<>();
        private final List<String> sitemaps = new ArrayList<>();
        private final List<String> errors = new ArrayList<>();
        private List<String> agents = new ArrayList<>();
        private List<Rule> rules = new ArrayList<>();
        private @Nullable Double crawlDelay;
        private boolean rulesBegun;
        private int number;

        void read(String text) {
            int start = 0;
            while (start < text.length()) {
                int end = start;
                while (end < text.length() && text.charAt(end) != '\n' && text.charAt(end) != '\r') {
                    end++;
                }
                number++;
                line(text.substring(start, end));
                boolean both = end + 1 < text.length() && text.charAt(end) == '\r' && text.charAt(end + 1) == '\n';
                start = end + (both ? 2 : 1);
            }
        }

        private void line(String line) {
            int comment = line.indexOf('#');
            String content = (comment < 0 ? line : line.substring(0, comment)).strip();
            if (content.isEmpty()) {
                return;
            }
            int colon = content.indexOf(':');
            if (colon < 0) {
                error("\"" + shown(content) + "\" is no rule: a colon is missing");
                return;
            }
            String key = content.substring(0, colon).strip().toLowerCase(Locale.ROOT);
            String value = content.substring(colon + 1).strip();
            switch (key) {
                case "user-agent" -> agent(value);
                case "allow" -> rule(true, value);
                case "disallow" -> rule(false, value);
                case "sitemap" -> sitemap(value);
                case "crawl-delay" -> delay(value);
                default -> {
                    if (!OTHER_RECORDS.contains(key)) {
                        error("nobody knows the record \"" + shown(key) + "\"" + meant(key));
                    }
                }
            }
        }

        private void agent(String value) {
            if (rulesBegun) {
                finish();
            }
            String token = token(value);
            if (token.isEmpty()) {
                error("the User-agent names nobody");
            } else if (!token.equals(value)) {
                error("of the User-agent \"" + shown(value) + "\" only \"" + shown(token) + "\" counts");
            }
            agents.add(token);
        }

        private void rule(boolean allow, String path) {
            if (agents.isEmpty()) {
                error("the rule stands before any User-agent");
                return;
            }
            rulesBegun = true;
            if (!path.isEmpty() && !path.startsWith("/") && !path.startsWith("*")) {
                error("the path \"" + shown(path) + "\" does not begin with a slash, so it matches nothing");
            }
            rules.add(new Rule(allow, path));
        }

        private void sitemap(String value) {
            String lower = value.toLowerCase(Locale.ROOT);
            if (lower.startsWith("http://") || lower.startsWith("https://")) {
                sitemaps.add(value);
            } else {
                error("the Sitemap \"" + shown(value) + "\" is no whole URL");
            }
        }

        private void delay(String value) {
            try {
                double seconds = Double.parseDouble(value);
                if (seconds >= 0 && seconds <= 1e9 && Character.isDigit(value.charAt(value.length() - 1))) {
                    if (agents.isEmpty()) {
                        error("the Crawl-delay stands before any User-agent");
                    } else if (crawlDelay == null) {
                        crawlDelay = seconds;
                    }
                    return;
                }
            } catch (NumberFormatException none) {
                // said below
            }
            error("the Crawl-delay \"" + shown(value) + "\" is no number of seconds");
        }

        List<Group> finished() {
            finish();
            return groups;
        }

        private void finish() {
            if (!agents.isEmpty()) {
                groups.add(new Group(agents, rules, crawlDelay));
            }
            agents = new ArrayList<>();
            rules = new ArrayList<>();
            crawlDelay = null;
            rulesBegun = false;
        }

        private void error(String what) {
            if (errors.size() < MOST_ERRORS) {
                errors.add("Line " + number + ": " + what + ".");
            }
        }

        private static String meant(String key) {
            String letters = key.replaceAll("[^a-z]", "");
            if (letters.startsWith("user") || letters.startsWith("agent")) {
                return "; User-agent may be meant";
            }
            if (letters.startsWith("dis") || letters.startsWith("dia")) {
                return "; Disallow may be meant";
            }
            if (letters.startsWith("al")) {
                return "; Allow may be meant";
            }
            return letters.startsWith("site") ? "; Sitemap may be meant" : "";
        }

        private static String shown(String text) {
            return text.length() <= SHOWN_TEXT ? text : text.substring(0, SHOWN_TEXT) + "…";
        }
    }
}
