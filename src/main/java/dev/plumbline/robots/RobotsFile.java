package dev.plumbline.robots;

import com.google.common.primitives.Doubles;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A parsed robots.txt (RFC 9309). Parsing is linear in the length of the file.
 *
 * @param standard how the lines were read
 * @param groups in the order of the file
 * @param sitemaps absolute URLs, as written
 * @param errors lines that crawlers ignore, with the reason; the first {@value #MAX_ERRORS}
 * @param byteOrderMark whether the file starts with a byte order mark
 * @param utf8 whether the file is valid UTF-8
 * @param tooLarge whether the file has more than {@value #MAX_BYTES} bytes
 */
public record RobotsFile(
        RobotsStandard standard,
        List<Group> groups,
        List<String> sitemaps,
        List<String> errors,
        boolean byteOrderMark,
        boolean utf8,
        boolean tooLarge) {

    /** The size that every crawler must parse (RFC 9309 section 2.5): 500 KiB. */
    public static final int MAX_BYTES = 500 * 1024;

    public static final int MAX_ERRORS = 50;
    private static final int MAX_SHOWN = 100;

    /** The memory of the groups and rules, as a multiple of the size of the file: 8.6 with the shortest groups. */
    private static final int OBJECT_FACTOR = 9;

    private static final byte[] BYTE_ORDER_MARK = {(byte) 0xef, (byte) 0xbb, (byte) 0xbf};

    /** The length after which Google ignores the rest of a line: eight times the longest URL in old browsers. */
    private static final int MAX_GOOGLE_LINE = 8 * 2083 - 1;

    /** The first letters of records that Google accepts, with misspellings. */
    private static final Map<String, Pattern> GOOGLE_RECORDS = Map.of(
            "user-agent", Pattern.compile("user[- ]?agent.*"),
            "allow", Pattern.compile("allow.*"),
            "disallow", Pattern.compile("(disallow|dissallow|dissalow|disalow|diasllow|disallaw).*"),
            "sitemap", Pattern.compile("site-?map.*"));

    /** A product token as Google reads it. */
    private static final Pattern GOOGLE_TOKEN = Pattern.compile("[A-Za-z_-]+");

    private static final Pattern ALL_AGENTS = Pattern.compile("\\*(\\s.*)?");
    private static final Pattern TWO_WORDS = Pattern.compile("([^ \\t]+)[ \\t]+[^ \\t]+");

    /** A product token. RFC 9309 section 2.2.1 does not allow digits and dots, but crawlers use them. */
    static final Pattern TOKEN = Pattern.compile("[A-Za-z0-9._-]+");

    /** Records of extensions, which are not errors. */
    private static final Set<String> EXTENSIONS = Set.of(("host clean-param request-rate visit-time noindex"
                    + " content-signal content-usage cache-delay robot-version comment schemamap")
            .split(" "));

    /**
     * A group of rules (RFC 9309 section 2.2).
     *
     * @param agents product tokens, or {@code *}
     * @param allow path patterns, as written
     * @param disallow path patterns, as written
     * @param crawlDelay seconds, null if not set
     */
    public record Group(List<String> agents, List<String> allow, List<String> disallow, @Nullable Double crawlDelay) {}

    /** @param truncated whether the file has more than these bytes */
    public static RobotsFile parse(byte[] bytes, boolean truncated, RobotsStandard standard) {
        int mark = markLength(bytes);
        int end = Math.min(bytes.length, MAX_BYTES);
        String text = new String(bytes, mark, end - mark, StandardCharsets.UTF_8);
        boolean tooLarge = truncated || bytes.length > MAX_BYTES;
        boolean partialMark = mark > 0 && mark < BYTE_ORDER_MARK.length;
        boolean utf8 = !partialMark && text.indexOf('\ufffd') < 0;
        if (tooLarge) {
            // The last line may be incomplete.
            text = text.substring(0, Math.max(text.lastIndexOf('\n'), text.lastIndexOf('\r')) + 1);
        }
        Reader reader = new Reader(standard);
        text.lines().forEach(reader::line);
        reader.endGroup();
        return new RobotsFile(
                standard,
                List.copyOf(reader.groups),
                List.copyOf(reader.sitemaps),
                List.copyOf(reader.errors),
                mark == BYTE_ORDER_MARK.length,
                utf8,
                tooLarge);
    }

    /**
     * An upper bound of the memory of a parsed file, in bytes.
     *
     * @param fileBytes the size of the file
     */
    public static long heapBytes(int fileBytes) {
        return (long) OBJECT_FACTOR * Math.min(fileBytes, MAX_BYTES);
    }

    /** Returns the number of bytes of the byte order mark with which the file starts. The mark can be incomplete. */
    private static int markLength(byte[] bytes) {
        int length = 0;
        while (length < BYTE_ORDER_MARK.length && length < bytes.length && bytes[length] == BYTE_ORDER_MARK[length]) {
            length++;
        }
        return length;
    }

    private static final class Reader {
        private final boolean google;
        private final List<Group> groups = new ArrayList<>();
        private final List<String> sitemaps = new ArrayList<>();
        private final List<String> errors = new ArrayList<>();
        private final List<String> agents = new ArrayList<>();
        private final List<String> allow = new ArrayList<>();
        private final List<String> disallow = new ArrayList<>();
        private @Nullable Double crawlDelay;
        private int number;

        Reader(RobotsStandard standard) {
            this.google = standard == RobotsStandard.GOOGLE;
        }

        void line(String complete) {
            number++;
            String line =
                    google && complete.length() > MAX_GOOGLE_LINE ? complete.substring(0, MAX_GOOGLE_LINE) : complete;
            int comment = line.indexOf('#');
            String content = (comment < 0 ? line : line.substring(0, comment)).strip();
            int separator = content.indexOf(':');
            if (separator < 0 && google) {
                // Google reads the blanks between two words as a colon
                Matcher words = TWO_WORDS.matcher(content);
                separator = words.matches() ? words.end(1) : -1;
            }
            if (separator < 0) {
                if (!content.isEmpty()) {
                    error("\"%s\" does not contain a colon", content);
                }
                return;
            }
            String key = record(content.substring(0, separator).strip().toLowerCase(Locale.ROOT));
            String value = content.substring(separator + 1).strip();
            switch (key) {
                case "user-agent" -> agent(value);
                case "allow" -> rule(allow, value);
                case "disallow" -> rule(disallow, value);
                case "sitemap" -> {
                    if (value.regionMatches(true, 0, "http://", 0, 7)
                            || value.regionMatches(true, 0, "https://", 0, 8)) {
                        sitemaps.add(value);
                    } else {
                        error("the sitemap \"%s\" is not an absolute URL", value);
                    }
                }
                case "crawl-delay" -> delay(value);
                default -> {
                    if (!EXTENSIONS.contains(key)) {
                        error("the record \"%s\" is unknown" + suggestion(key), key);
                    }
                }
            }
        }

        /** Returns the record that a crawler reads for a key. */
        private String record(String key) {
            if (google) {
                for (Map.Entry<String, Pattern> known : GOOGLE_RECORDS.entrySet()) {
                    if (known.getValue().matcher(key).matches()) {
                        return known.getKey();
                    }
                }
            }
            return key;
        }

        private void agent(String value) {
            if (!allow.isEmpty() || !disallow.isEmpty()) {
                endGroup();
            }
            Matcher matcher = (google ? GOOGLE_TOKEN : TOKEN).matcher(value);
            boolean all = google ? ALL_AGENTS.matcher(value).matches() : value.startsWith("*");
            String token = all ? "*" : matcher.lookingAt() ? matcher.group() : "";
            if (token.isEmpty()) {
                error("the User-agent \"%s\" does not start with a product token", value);
            } else if (!token.equals(value)) {
                error("only \"%s\" of the User-agent \"%s\" is a product token", token, value);
            }
            agents.add(token);
        }

        private void rule(List<String> rules, String path) {
            if (agents.isEmpty()) {
                error("the rule is before the first User-agent");
                return;
            }
            if (!path.isEmpty() && !path.startsWith("/") && !path.startsWith("*")) {
                error("the path \"%s\" does not start with a slash, so it does not match any URL", path);
            }
            rules.add(path);
        }

        private void delay(String value) {
            Double seconds = Doubles.tryParse(value.trim());
            boolean valid = seconds != null
                    && seconds >= 0
                    && seconds <= 1e9
                    && Character.isDigit(value.charAt(value.length() - 1));
            if (!valid) {
                error("the Crawl-delay \"%s\" is not a number of seconds", value);
            } else if (agents.isEmpty()) {
                error("the Crawl-delay is before the first User-agent");
            } else if (crawlDelay == null) {
                crawlDelay = seconds;
            }
        }

        void endGroup() {
            if (!agents.isEmpty()) {
                groups.add(new Group(List.copyOf(agents), List.copyOf(allow), List.copyOf(disallow), crawlDelay));
            }
            agents.clear();
            allow.clear();
            disallow.clear();
            crawlDelay = null;
        }

        private void error(String reason, String... values) {
            if (errors.size() < MAX_ERRORS) {
                Object[] shown = List.of(values).stream()
                        .map(value -> value.length() <= MAX_SHOWN ? value : value.substring(0, MAX_SHOWN) + "…")
                        .toArray();
                errors.add("Line " + number + ": " + String.format(Locale.ROOT, reason, shown) + ".");
            }
        }

        private static String suggestion(String key) {
            String letters = key.replaceAll("[^a-z]", "");
            String record = letters.matches("(user|agent).*")
                    ? "User-agent"
                    : letters.matches("di[as].*")
                            ? "Disallow"
                            : letters.startsWith("al") ? "Allow" : letters.startsWith("site") ? "Sitemap" : null;
            return record == null ? "" : " (did you mean \"" + record + "\"?)";
        }
    }
}
