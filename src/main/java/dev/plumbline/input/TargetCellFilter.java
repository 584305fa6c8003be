package dev.plumbline.input;

import dev.plumbline.sheet.ModuleDescription;
import dev.plumbline.target.TargetParser;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Distinguishes targets from other cells of a table. */
final class TargetCellFilter {
    /** Numbers, dates and times are valid hosts in some forms, such as 12.5 (an IPv4 address). */
    private static final Pattern NUMBER = Pattern.compile("[-+0-9.,:/ %]*");

    private static final Pattern IPV4 = Pattern.compile("[0-9]+\\.[0-9]+\\.[0-9]+\\.[0-9]+(:[0-9]+)?(/.*)?");
    private static final Pattern SEPARATOR = Pattern.compile("[.:@]");

    private final @Nullable ModuleDescription module;

    /** @param module null if the module is not known */
    TargetCellFilter(@Nullable ModuleDescription module) {
        this.module = module;
    }

    /** Whether a text is a valid target and not a word or a number. */
    boolean isTarget(String text) {
        if (text.length() > TargetParser.MAX_BYTES
                // valid in the path of a URL, but not usual
                || text.chars().anyMatch(Character::isWhitespace)
                || !SEPARATOR.matcher(text).find()
                || NUMBER.matcher(text).matches() && !IPV4.matcher(text).matches() && !text.contains("::")) {
            return false;
        }
        return module == null || TargetParser.accepts(module, text);
    }
}
