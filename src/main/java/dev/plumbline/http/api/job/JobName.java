package dev.plumbline.http.api.job;

import dev.plumbline.check.ModuleDescription;
import java.util.List;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Names of jobs: 1 to 100 characters (code points) without control characters, not only whitespace. */
public final class JobName {
    public static final int MAX_CHARACTERS = 100;

    private static final Pattern CONTROL_CHARACTER = Pattern.compile("[\\x00-\\x1f\\x7f]");

    private JobName() {}

    /** Returns the reason why the text is not a valid name; null if it is valid. */
    static @Nullable String fault(String text) {
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
    static String ofItems(List<String> items, ModuleDescription module) {
        String first =
                items.stream().filter(item -> !item.isBlank()).findFirst().orElse(module.title());
        int[] characters = first.codePoints().limit(MAX_CHARACTERS).toArray();
        return CONTROL_CHARACTER
                .matcher(new String(characters, 0, characters.length))
                .replaceAll("\ufffd");
    }
}
