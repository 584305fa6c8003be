package dev.plumbline.sheet;

import dev.plumbline.result.Consequence;
import dev.plumbline.result.ErrorCode;
import dev.plumbline.result.Level;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A finding as a module declares it.
 *
 * @param code snake_case, with the same meaning in every module
 * @param title the problem in at most 60 characters, the same in every module, without placeholders
 * @param field the field that it is about, null if it is about the whole result
 * @param message the problem in one sentence, with {@code {placeholders}} for observed values
 * @param action the fix as a command, with placeholders
 * @param reference the standard, for example {@code RFC 9110 section 15.4}; null if there is none
 * @param referenceUrl the address of the standard's section; null if it has no stable address
 * @param cost the points that it takes off a score, 0 if the module has none
 * @param consequence what happens if the problem is not fixed; {@code RECOMMENDED} for the level {@code info}
 * @param explains what exists only because of this problem, so that a composite reports one problem: findings as
 *     {@code MODULE/CODE}, of this and other parts of the composite, and errors as their {@link ErrorCode#id}
 */
public record FindingCode(
        String code,
        String title,
        Level level,
        @Nullable String field,
        String message,
        String action,
        @Nullable String reference,
        @Nullable String referenceUrl,
        int cost,
        Consequence consequence,
        List<String> explains) {
    private static final Pattern RFC = Pattern.compile("RFC (\\d{1,5})(?:,? sections? (\\d+(?:\\.\\d+)*))?.*");
    private static final Pattern WITH_URL = Pattern.compile("(.+?) <(https://[^>]+)>");

    /**
     * @param reference {@code RFC 9110 section 15.4}, whose address is derived, {@code NAME <URL>}, a name alone, or
     *     null
     */
    public FindingCode(
            String code,
            String title,
            Level level,
            @Nullable String field,
            String message,
            String action,
            @Nullable String reference,
            int cost,
            Consequence consequence,
            List<String> explains) {
        this(
                code,
                title,
                level,
                field,
                message,
                action,
                text(reference),
                url(reference),
                cost,
                consequence,
                List.copyOf(explains));
    }

    private static @Nullable String text(@Nullable String reference) {
        Matcher matcher = WITH_URL.matcher(reference == null ? "" : reference);
        return matcher.matches() ? matcher.group(1) : reference;
    }

    private static @Nullable String url(@Nullable String reference) {
        Matcher given = WITH_URL.matcher(reference == null ? "" : reference);
        if (given.matches()) {
            return given.group(2);
        }
        Matcher rfc = RFC.matcher(reference == null ? "" : reference);
        if (!rfc.matches()) {
            return null;
        }
        return "https://www.rfc-editor.org/rfc/rfc"
                + rfc.group(1)
                + (rfc.group(2) == null ? "" : "#section-" + rfc.group(2));
    }
}
