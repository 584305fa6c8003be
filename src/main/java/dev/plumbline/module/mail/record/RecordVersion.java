package dev.plumbline.module.mail.record;

import java.util.List;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The version tag at the start of the TXT records of a standard. Receivers ignore other TXT records.
 *
 * @param start matches the texts that start with the version
 * @param similar matches texts that resemble a record, with and without the version
 */
public record RecordVersion(Pattern start, Pattern similar) {
    public static RecordVersion of(String start, String similar) {
        return new RecordVersion(
                Pattern.compile(start, Pattern.DOTALL),
                Pattern.compile(similar, Pattern.DOTALL | Pattern.CASE_INSENSITIVE));
    }

    public boolean isIn(String text) {
        return start.matcher(text).matches();
    }

    /** Whether a text resembles a record but does not start with the version. */
    public boolean isLookalike(String text) {
        return similar.matcher(text).matches() && !isIn(text);
    }

    public List<String> records(List<String> texts) {
        return texts.stream().filter(this::isIn).toList();
    }

    /** A text that resembles a record but is not one; null if there is none. */
    public @Nullable String lookalike(List<String> texts) {
        return texts.stream().filter(this::isLookalike).findFirst().orElse(null);
    }
}
