package dev.plumbline.input;

import dev.plumbline.sheet.ModuleDescription;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Names of jobs: 1 to 100 characters (code points) without control characters, not only whitespace. */
public final class JobName {
    public static final int MAX_CHARACTERS = 100;

    private static final Pattern CONTROL_CHARACTER = Pattern.compile("[\\x00-\\x1f\\x7f]");

    private JobName() {}

    /** Returns the reason why the text is not a valid name; null if it is valid. */
    public static @Nullable String fault(String text) {
        if (text.isEmpty()) {
            return "must not be empty";
        }
        if (text.isBlank()) {
            return "must not be blank";
        }
        if (text.codePointCount(0, text.length()) > MAX_CHARACTERS) {
            return "must have at most " + MAX_CHARACTERS + " characters";
        }
        return CONTROL_CHARACTER.matcher(text).find() ? "must not contain control characters" : null;
    }

    /**
     * Returns the default name: the first line that is not blank, truncated, or the module's title if all are blank.
     * Control characters are replaced by U+FFFD.
     */
    public static String ofItems(List<String> items, ModuleDescription module) {
        String first =
                items.stream().filter(item -> !item.isBlank()).findFirst().orElse(module.title());
        return CONTROL_CHARACTER.matcher(truncate(first, "")).replaceAll("\ufffd");
    }

    /**
     * The name of a job that is created on a page or on the command line without a given name, for example "HTTP
     * status, 305 targets".
     *
     * @param tool the title of the module
     */
    public static String ofTargets(String tool, int targets) {
        return String.format(Locale.ROOT, "%s, %,d %s", tool, targets, targets == 1 ? "target" : "targets");
    }

    /**
     * The name of a job that checks lines with an error again, for example "12 lines with an error from HTTP status,
     * 305 targets".
     *
     * @param name of the job with these lines
     */
    public static String ofLinesWithError(String name, int lines) {
        String original = name.replaceFirst("^[0-9]+ lines? with an error from ", "");
        return truncate(
                lines + (lines == 1 ? " line with an error from " : " lines with an error from ") + original, "");
    }

    /** Returns the name with the suffix. The name is truncated if it is too long. */
    public static String truncate(String name, String suffix) {
        int length = Math.min(name.codePointCount(0, name.length()), MAX_CHARACTERS - suffix.length());
        return name.substring(0, name.offsetByCodePoints(0, length)) + suffix;
    }
}
