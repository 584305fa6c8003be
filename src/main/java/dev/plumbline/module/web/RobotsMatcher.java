package dev.plumbline.module.web;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What a robots.txt lets one crawler do (RFC 9309 sections 2.2.1 and 2.2.2). Pure.
 *
 * @param crawler the word of the crawler's name that groups name; null where the rules are those
 *     for everybody
 * @param crawlDelay seconds, null where none is asked for
 */
record RobotsMatcher(List<RobotsFile.Rule> rules, @Nullable String crawler, @Nullable Double crawlDelay) {
    private static final char[] HEX = "0123456789ABCDEF".toCharArray();

    /**
     * The rules of all groups that name the crawler, else of those for everybody. Of several words by
     * which groups name it, the longest counts.
     *
     * @param agent a product token, a whole User-Agent, or {@code *} for everybody
     */
    static RobotsMatcher of(RobotsFile file, String agent) {
        Set<String> named = new HashSet<>();
        file.groups().forEach(group -> group.agents().forEach(name -> named.add(lower(name))));
        String crawler = null;
        for (String word : RobotsFile.tokens(agent)) {
            boolean longer = crawler == null || word.length() > crawler.length();
            crawler = longer && named.contains(lower(word)) ? word : crawler;
        }
        return gathered(file, crawler);
    }

    private static RobotsMatcher gathered(RobotsFile file, @Nullable String crawler) {
        String name = crawler == null ? "*" : crawler;
        List<RobotsFile.Rule> rules = new ArrayList<>();
        Double delay = null;
        for (RobotsFile.Group group : file.groups()) {
            if (group.agents().stream().anyMatch(name::equalsIgnoreCase)) {
                rules.addAll(group.rules());
                delay = delay == null ? group.crawlDelay() : delay;
            }
        }
        return new RobotsMatcher(rules, crawler, delay);
    }

    private static String lower(String name) {
        return name.toLowerCase(Locale.ROOT);
    }

    /**
     * Whether the crawler may fetch it: the longest rule that matches decides, of two as long the one
     * that allows.
     *
     * @param pathAndQuery begins with a slash
     */
    boolean allows(String pathAndQuery) {
        RobotsFile.Rule rule = decisive(pathAndQuery);
        return rule == null || rule.allow();
    }

    /** The rule that decides; null where none does, which allows. */
    RobotsFile.@Nullable Rule decisive(String pathAndQuery) {
        if (pathAndQuery.equals("/robots.txt")) {
            return null;
        }
        String path = comparable(pathAndQuery);
        RobotsFile.Rule decisive = null;
        int longest = -1;
        for (RobotsFile.Rule rule : rules) {
            if (rule.path().isEmpty()) {
                continue;
            }
            String pattern = pattern(rule.path());
            boolean stronger = pattern.length() > longest || pattern.length() == longest && rule.allow();
            if (stronger && matches(pattern, path)) {
                longest = pattern.length();
                decisive = rule;
            }
        }
        return decisive;
    }

    /** Whether the path begins as the pattern says: * is anything, $ at the end is the end. */
    static boolean matches(String pattern, String path) {
        boolean anchored = pattern.endsWith("$");
        String body = anchored ? pattern.substring(0, pattern.length() - 1) : pattern;
        int star = body.indexOf('*');
        if (star < 0) {
            return anchored ? path.equals(body) : path.startsWith(body);
        }
        if (!path.startsWith(body.substring(0, star))) {
            return false;
        }
        int at = star;
        while (true) {
            int next = body.indexOf('*', star + 1);
            String piece = body.substring(star + 1, next < 0 ? body.length() : next);
            if (next < 0 && anchored) {
                return path.length() - piece.length() >= at && path.endsWith(piece);
            }
            int found = path.indexOf(piece, at);
            if (found < 0) {
                return false;
            }
            if (next < 0) {
                return true;
            }
            at = found + piece.length();
            star = next;
        }
    }

    /** A path as it is compared; a star and a dollar in it are no wildcards. */
    private static String comparable(String path) {
        return normal(path).replace("*", "%2A").replace("$", "%24");
    }

    /** A pattern as it is compared: a star is a wildcard anywhere, a dollar only at its end. */
    private static String pattern(String path) {
        String normal = normal(path);
        int last = normal.length() - 1;
        return last < 0 ? "" : normal.substring(0, last).replace("$", "%24") + normal.charAt(last);
    }

    /**
     * The same path however it is percent-encoded: octets that are not ASCII are encoded, unreserved
     * ones are not, nor those that mean nothing in a query; hex digits are upper-case.
     */
    static String normal(String path) {
        byte[] bytes = path.getBytes(StandardCharsets.UTF_8);
        StringBuilder out = new StringBuilder(bytes.length + 16);
        boolean query = false;
        for (int i = 0; i < bytes.length; i++) {
            int b = bytes[i] & 0xff;
            int high = b == '%' && i + 2 < bytes.length ? Character.digit((char) bytes[i + 1], 16) : -1;
            int low = high >= 0 ? Character.digit((char) bytes[i + 2], 16) : -1;
            if (low >= 0) {
                int decoded = high << 4 | low;
                if (isUnreserved(decoded) || query && "/:?@".indexOf(decoded) >= 0) {
                    out.append((char) decoded);
                } else {
                    percent(out, decoded);
                }
                i += 2;
            } else if (b > 0x7e || b <= 0x20) {
                percent(out, b);
            } else {
                query |= b == '?';
                out.append((char) b);
            }
        }
        return out.toString();
    }

    private static void percent(StringBuilder out, int b) {
        out.append('%').append(HEX[b >>> 4]).append(HEX[b & 15]);
    }

    private static boolean isUnreserved(int c) {
        return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || "-._~".indexOf(c) >= 0;
    }
}
