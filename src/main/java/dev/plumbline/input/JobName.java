package dev.plumbline.input;

import dev.plumbline.sheet.ModuleDescription;
import dev.plumbline.target.PrintableText;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Names of jobs: text without control and format characters, not only whitespace. Joiners are allowed, as they are part
 * of scripts and emoji. openapi.json contains the limits of their length.
 */
public final class JobName {
    /** The maximum length of a generated name in code points. */
    private static final int MAX_CHARACTERS = 100;

    private static final int REPLACEMENT = 0xfffd;
    private static final Pattern JOINERS = Pattern.compile("[\u200c\u200d]");

    private JobName() {}

    /** Returns the reason why the text is not a valid name; null if it is valid. */
    public static @Nullable String fault(String text) {
        if (JOINERS.matcher(text).replaceAll("").isBlank()) {
            return "must not be blank";
        }
        return printable(text).equals(text) ? null : "must not contain control characters";
    }

    /** The text with U+FFFD for each control or format character. */
    private static String printable(String text) {
        StringBuilder out = new StringBuilder();
        text.codePoints()
                .forEach(c -> out.appendCodePoint(
                        PrintableText.isPrintable(c) || c == 0x200c || c == 0x200d ? c : REPLACEMENT));
        return out.toString();
    }

    /**
     * Returns the default name: the first line that is not blank, truncated, or the module's title if all are blank.
     * Control and format characters are replaced by U+FFFD.
     */
    public static String ofItems(List<String> items, ModuleDescription module) {
        String first =
                items.stream().filter(item -> !item.isBlank()).findFirst().orElse(module.title());
        return printable(truncate(first, ""));
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
     * The name of one of the jobs of a long list, for example "nightly (2 of 3)". The only job has the name of the
     * list.
     *
     * @param part from 1
     */
    public static String ofPart(String name, int part, int parts) {
        return truncate(name, parts == 1 ? "" : " (" + part + " of " + parts + ")");
    }

    /**
     * The name of a job that repeats the checks with an error code, for example "12 checks with an error code from HTTP
     * status, 305 targets".
     *
     * @param name of the job with these checks
     */
    public static String ofRetry(String name, int checks) {
        // the job can have been created by an earlier version, which allowed format characters
        String original = printable(name).replaceFirst("^[0-9]+ checks? with an error code from ", "");
        return truncate(
                checks
                        + (checks == 1 ? " check with an error code from " : " checks with an error code from ")
                        + original,
                "");
    }

    /** Returns the name with the suffix. The name is truncated if it is too long. */
    private static String truncate(String name, String suffix) {
        int length = Math.min(name.codePointCount(0, name.length()), MAX_CHARACTERS - suffix.length());
        return name.substring(0, name.offsetByCodePoints(0, length)) + suffix;
    }
}
