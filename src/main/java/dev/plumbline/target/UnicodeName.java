package dev.plumbline.target;

import com.ibm.icu.text.IDNA;
import com.ibm.icu.text.SpoofChecker;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A target with its internationalized name in Unicode, for display only. Checks and comparisons use the A-labels (RFC
 * 5890 §2.3.2.1).
 *
 * @param text the target with U-labels, except labels that fail the confusables check
 * @param ascii the name in A-labels; null if {@code text} is already ASCII
 */
public record UnicodeName(String text, @Nullable String ascii) {
    private static final Pattern TARGET = Pattern.compile(
            "(?<before>(?:[a-z][a-z0-9+.-]*://)?(?:[^/@?#]*@)?)"
                    + "(?<name>(?=[^/?#:]*xn--)[A-Za-z0-9._-]+)(?<after>.*)",
            Pattern.DOTALL);
    private static final String PREFIX = "xn--";
    // a single script or a combination in common use (UTS #39 §5.2)
    private static final SpoofChecker SCRIPTS = new SpoofChecker.Builder()
            .setChecks(SpoofChecker.RESTRICTION_LEVEL | SpoofChecker.INVISIBLE)
            .setRestrictionLevel(SpoofChecker.RestrictionLevel.HIGHLY_RESTRICTIVE)
            .build();

    /** @param target the normalized target */
    public static UnicodeName of(String target) {
        Matcher parts = TARGET.matcher(target);
        if (!parts.matches()) {
            return new UnicodeName(target, null);
        }
        String name = parts.group("name");
        List<String> labels = new ArrayList<>();
        for (String label : name.split("\\.", -1)) {
            labels.add(readable(label));
        }
        String shown = String.join(".", labels);
        return shown.equals(name)
                ? new UnicodeName(target, null)
                : new UnicodeName(parts.group("before") + shown + parts.group("after"), name);
    }

    private static String readable(String label) {
        if (!label.toLowerCase(Locale.ROOT).startsWith(PREFIX)) {
            return label;
        }
        IDNA.Info info = new IDNA.Info();
        String unicode = HostParser.Idna.UTS46
                .labelToUnicode(label, new StringBuilder(), info)
                .toString();
        String back = HostParser.Idna.UTS46
                .labelToASCII(unicode, new StringBuilder(), info)
                .toString();
        return !info.hasErrors()
                        && back.equalsIgnoreCase(label)
                        && !SCRIPTS.failsChecks(unicode)
                        && !looksAscii(unicode)
                ? unicode
                : label;
    }

    /** Whether the label is confusable with ASCII, such as Cyrillic "аррӏе". */
    private static boolean looksAscii(String unicode) {
        return SCRIPTS.getSkeleton(unicode).chars().allMatch(c -> c < 0x80);
    }

    /** The text, followed by the A-labels in parentheses if they differ. */
    @Override
    public String toString() {
        return ascii == null ? text : text + " (" + ascii + ')';
    }
}
