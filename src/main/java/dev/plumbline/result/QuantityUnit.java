package dev.plumbline.result;

import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The unit of the number in a field or an option, which follows from its name or its description. */
public final class QuantityUnit {
    private static final Map<String, String> UNITS = Map.of(
            "milliseconds", "ms", "seconds", "s", "days", "days", "percent", "%", "bits", "bits", "bytes", "bytes");
    /** By the last part of a name, its first part, or the whole name. */
    private static final Map<String, String> UNITS_OF_NAMES = Map.of(
            "_ms",
            "ms",
            "_seconds",
            "s",
            "ttl",
            "s",
            "ttl_",
            "s",
            "_days",
            "days",
            "days_",
            "days",
            "_percent",
            "%",
            "_bits",
            "bits",
            "_bytes",
            "bytes",
            "bytes",
            "bytes");

    private static final Pattern UNIT_IN_DESCRIPTION =
            Pattern.compile("(?i)(?:^|\\bin |\\bhow many )(" + String.join("|", UNITS.keySet()) + ")\\b");

    private QuantityUnit() {}

    /** Returns ms, s, days, %, bits, bytes, or null without a unit. */
    public static @Nullable String of(String name, String description) {
        String suffix = name.substring(Math.max(0, name.lastIndexOf('_')));
        String prefix = name.substring(0, name.indexOf('_') + 1);
        String known = UNITS_OF_NAMES.getOrDefault(suffix, UNITS_OF_NAMES.get(prefix));
        if (known != null) {
            return known;
        }
        Matcher unit = UNIT_IN_DESCRIPTION.matcher(description);
        return unit.find() ? UNITS.get(unit.group(1).toLowerCase(Locale.ROOT)) : null;
    }
}
