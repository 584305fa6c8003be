package dev.plumbline.robots;

import static dev.plumbline.target.UrlSerializer.isUnreserved;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The rules of a robots.txt for one crawler (RFC 9309 sections 2.2.1 and 2.2.2, or Google's documentation).
 *
 * @param standard how the rules are matched
 * @param agent the product token of the groups, {@code *} if no group names the crawler
 * @param allow path patterns
 * @param disallow path patterns
 * @param crawlDelay seconds, null if not set
 */
public record RobotsMatcher(
        RobotsStandard standard, String agent, List<String> allow, List<String> disallow, @Nullable Double crawlDelay) {
    private static final HexFormat HEX = HexFormat.of().withUpperCase();

    /** The last segment of an allow rule that Google also reads as the directory. */
    private static final String INDEX_PAGE = "/index.htm";

    /**
     * Combines all groups that name the crawler, or those for {@code *} if none does. If groups name several tokens of
     * a User-Agent, the longest applies. Variants of Googlebot obey its groups if no group names the variant.
     *
     * @param agent a product token, a complete User-Agent, or {@code *}
     */
    public static RobotsMatcher of(RobotsFile file, String agent) {
        Set<String> named = file.groups().stream()
                .flatMap(group -> group.agents().stream())
                .map(name -> name.toLowerCase(Locale.ROOT))
                .collect(Collectors.toSet());
        boolean google = file.standard() == RobotsStandard.GOOGLE;
        String token = Stream.concat(
                        RobotsFile.TOKEN.matcher(agent).results().map(MatchResult::group),
                        google ? Stream.of(RobotsStandard.GOOGLEBOT) : Stream.of())
                .filter(word -> named.contains(word.toLowerCase(Locale.ROOT)))
                .reduce((first, next) -> next.length() > first.length() ? next : first)
                .orElse("*");
        List<String> allow = new ArrayList<>();
        List<String> disallow = new ArrayList<>();
        Double delay = null;
        for (RobotsFile.Group group : file.groups()) {
            if (group.agents().stream().anyMatch(token::equalsIgnoreCase)) {
                allow.addAll(group.allow());
                disallow.addAll(group.disallow());
                delay = delay == null ? group.crawlDelay() : delay;
            }
        }
        return new RobotsMatcher(file.standard(), token, allow, disallow, delay);
    }

    /**
     * The rule that disallows a path: the longest that matches, unless a matching allow rule is at least as long. Null
     * if the path is allowed.
     *
     * @param pathAndQuery starts with a slash
     */
    public @Nullable String disallowedBy(String pathAndQuery) {
        if (pathAndQuery.equals("/robots.txt")) {
            return null;
        }
        String path = normalize(pathAndQuery);
        if (!isGoogle()) {
            // A star and a dollar sign in the path are not wildcards.
            path = path.replace("*", "%2A").replace("$", "%24");
        }
        String disallowed = longestMatch(disallow, path);
        int allowedLength = lengthOfAllow(path);
        boolean allows =
                disallowed == null || allowedLength >= pattern(disallowed).length();
        return allows ? null : disallowed;
    }

    private boolean isGoogle() {
        return standard == RobotsStandard.GOOGLE;
    }

    /** Returns the length of the longest allow pattern that matches; -1 if none matches. */
    private int lengthOfAllow(String path) {
        String allowed = longestMatch(allow, path);
        int length = allowed == null ? -1 : pattern(allowed).length();
        if (isGoogle()) {
            for (String rule : allow) {
                String pattern = pattern(rule);
                int slash = pattern.lastIndexOf('/');
                if (slash >= 0
                        && slash + 2 > length
                        && pattern.startsWith(INDEX_PAGE, slash)
                        && matches(pattern.substring(0, slash + 1) + "$", path)) {
                    length = slash + 2;
                }
            }
        }
        return length;
    }

    private @Nullable String longestMatch(List<String> rules, String path) {
        String longest = null;
        int length = 0;
        for (String rule : rules) {
            String pattern = pattern(rule);
            if (pattern.length() > length && matches(pattern, path)) {
                longest = rule;
                length = pattern.length();
            }
        }
        return longest;
    }

    /** Whether the path starts with the pattern. {@code *} matches any characters, a final {@code $} the end. */
    private static boolean matches(String pattern, String path) {
        boolean anchored = pattern.endsWith("$");
        String[] parts = (anchored ? pattern.substring(0, pattern.length() - 1) : pattern).split("\\*", -1);
        if (!path.startsWith(parts[0])) {
            return false;
        }
        int end = parts[0].length();
        for (int i = 1; i < parts.length; i++) {
            if (anchored && i == parts.length - 1) {
                return path.length() - end >= parts[i].length() && path.endsWith(parts[i]);
            }
            int start = path.indexOf(parts[i], end);
            if (start < 0) {
                return false;
            }
            end = start + parts[i].length();
        }
        return !anchored || end == path.length();
    }

    /** The normalized rule. A dollar sign that is not its last character is not a wildcard. */
    private String pattern(String rule) {
        String normalized = normalize(rule);
        if (isGoogle()) {
            return normalized;
        }
        int last = normalized.length() - 1;
        return last < 0 ? "" : normalized.substring(0, last).replace("$", "%24") + normalized.charAt(last);
    }

    /**
     * The path in a canonical percent-encoding: bytes that are not printable ASCII are encoded, unreserved characters
     * are decoded, and in a query also {@code /:?@}. Hex digits are upper case. Google does not decode, and encodes
     * only bytes that are not ASCII.
     */
    private String normalize(String path) {
        byte[] bytes = path.getBytes(StandardCharsets.UTF_8);
        StringBuilder out = new StringBuilder(bytes.length + 16);
        boolean query = false;
        for (int i = 0; i < bytes.length; i++) {
            int b = bytes[i] & 0xff;
            int high = b == '%' && i + 2 < bytes.length ? Character.digit((char) bytes[i + 1], 16) : -1;
            int low = high >= 0 ? Character.digit((char) bytes[i + 2], 16) : -1;
            boolean encoded = low >= 0;
            if (encoded) {
                b = high << 4 | low;
                i += 2;
            }
            boolean plain = isGoogle()
                    ? !encoded && b < 0x80
                    : encoded ? isUnreserved(b) || query && "/:?@".indexOf(b) >= 0 : b > 0x20 && b <= 0x7e;
            if (plain) {
                query |= !encoded && b == '?';
                out.append((char) b);
            } else {
                out.append('%').append(HEX.toHexDigits((byte) b));
            }
        }
        return out.toString();
    }
}
