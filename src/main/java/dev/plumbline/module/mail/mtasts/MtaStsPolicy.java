package dev.plumbline.module.mail.mtasts;

import dev.plumbline.module.mail.record.TagList;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A parsed MTA-STS policy (RFC 8461 section 3.2). A field that is missing or not valid is null. Parsing takes linear
 * time.
 *
 * @param maxAge in seconds
 * @param mxPatterns the valid patterns in lower case, without duplicates
 * @param repeated the fields that occur more than once; only the first value counts
 * @param unknown the fields that senders ignore
 * @param errors at most {@link #MAX_ERRORS}, each with its line
 */
public record MtaStsPolicy(
        @Nullable Mode mode,
        @Nullable Integer maxAge,
        List<String> mxPatterns,
        Set<String> repeated,
        Set<String> unknown,
        List<String> errors) {
    static final int MAX_ERRORS = 50;

    /** About a year (RFC 8461 section 3.2). */
    static final int MAX_AGE = 31_557_600;

    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9][A-Za-z0-9_.-]{0,31}");
    private static final Pattern SECONDS = Pattern.compile("[0-9]{1,10}");
    private static final Predicate<String> LABEL =
            Pattern.compile("(?i)[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?").asMatchPredicate();
    private static final int MAX_NAME = 253;

    /** The modes of a policy. */
    public enum Mode {
        NONE,
        TESTING,
        ENFORCE
    }

    /** Whether a text has the form of a policy, valid or not. */
    static boolean resembles(String text) {
        return text.contains("STSv1");
    }

    static MtaStsPolicy parse(String text) {
        return new Parser().parse(text);
    }

    /** The patterns that a hostname in lower case can match: the name, and a wildcard for its first label. */
    static List<String> patternsFor(String host) {
        int dot = host.indexOf('.');
        return dot < 0 ? List.of(host) : List.of(host, "*" + host.substring(dot));
    }

    /** Whether the certificate of a host can match a pattern (RFC 8461 section 4.1). */
    static boolean matches(Set<String> patterns, String host) {
        return patternsFor(host).stream().anyMatch(patterns::contains);
    }

    private static final class Parser {
        private final Map<String, String> values = new HashMap<>();
        private final Set<String> patterns = new LinkedHashSet<>();
        private final Set<String> repeated = new LinkedHashSet<>();
        private final Set<String> unknown = new LinkedHashSet<>();
        private final List<String> errors = new ArrayList<>();
        private boolean hasMx;

        MtaStsPolicy parse(String text) {
            String content = text;
            if (text.startsWith("\ufeff")) {
                errors.add("The policy starts with a byte order mark.");
                content = text.substring(1);
            }
            int number = 0;
            for (String line : content.split("\n", -1)) {
                number++;
                String field = line.stripTrailing();
                if (!field.isEmpty()) {
                    field(field, number);
                }
            }
            Mode mode = mode();
            requireVersion();
            Integer maxAge = maxAge();
            if (!hasMx && mode != Mode.NONE) {
                error("The policy does not contain a field mx.");
            }
            return new MtaStsPolicy(mode, maxAge, List.copyOf(patterns), repeated, unknown, List.copyOf(errors));
        }

        private void field(String field, int line) {
            int colon = field.indexOf(':');
            String name = field.substring(0, Math.max(colon, 0));
            if (!NAME.matcher(name).matches()) {
                error("Line %d: %s is not a field of the form name: value.".formatted(line, TagList.quote(field)));
                return;
            }
            String value = field.substring(colon + 1).strip();
            switch (name) {
                case "mx" -> mx(value, line);
                case "version", "mode", "max_age" -> {
                    if (values.putIfAbsent(name, value) != null) {
                        repeated.add(name);
                    }
                }
                default -> unknown.add(name);
            }
        }

        private void mx(String value, int line) {
            hasMx = true;
            String name = value.startsWith("*.") ? value.substring(2) : value;
            boolean valid = name.length() <= MAX_NAME
                    && Stream.of(name.split("\\.", -1)).allMatch(LABEL);
            if (valid) {
                patterns.add(value.toLowerCase(Locale.ROOT));
            } else {
                error("Line %d: the mx %s is not a hostname, or *. and a domain."
                        .formatted(line, TagList.quote(value)));
            }
        }

        private void requireVersion() {
            String version = values.get("version");
            if (version == null) {
                error("The policy does not contain the field version.");
            } else if (!version.equals("STSv1")) {
                error("The version is " + TagList.quote(version) + ", but must be STSv1.");
            }
        }

        private @Nullable Mode mode() {
            String value = values.get("mode");
            if (value == null) {
                error("The policy does not contain the field mode.");
                return null;
            }
            return switch (value) {
                case "none" -> Mode.NONE;
                case "testing" -> Mode.TESTING;
                case "enforce" -> Mode.ENFORCE;
                default -> {
                    error("The mode is " + TagList.quote(value) + ", but must be enforce, testing or none.");
                    yield null;
                }
            };
        }

        private @Nullable Integer maxAge() {
            String value = values.get("max_age");
            if (value == null) {
                error("The policy does not contain the field max_age.");
                return null;
            }
            long seconds = SECONDS.matcher(value).matches() ? Long.parseLong(value) : Long.MAX_VALUE;
            if (seconds > MAX_AGE) {
                error("The max_age is " + TagList.quote(value) + ", but must be an integer from 0 to " + MAX_AGE + ".");
                return null;
            }
            return (int) seconds;
        }

        private void error(String error) {
            if (errors.size() < MAX_ERRORS) {
                errors.add(error);
            }
        }
    }
}
