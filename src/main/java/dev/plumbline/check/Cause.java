package dev.plumbline.check;

import dev.plumbline.result.Consequence;
import dev.plumbline.result.Level;
import dev.plumbline.sheet.SheetText;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A problem of one or more parts of a composite, with the parts that it affects. It is a finding of a part, or an error
 * that several parts have in common.
 *
 * @param code of the finding or of the error
 * @param module the module that reports the problem
 * @param target the target of this module, with the port for an error of a connection; null if it was not determined
 * @param level {@code info} if the parts were not determined for a reason that is not an error of the target
 * @param parts the affected modules, first the one that reports the problem
 */
public record Cause(
        String code,
        String module,
        @Nullable String target,
        Level level,
        Consequence consequence,
        String message,
        String action,
        List<String> parts) {
    /** The number of problems to fix first. */
    private static final int FIRST = 3;

    static final Comparator<Cause> MOST_IMPORTANT_FIRST = Comparator.comparing(
                    (Cause cause) -> cause.level == Level.INFO)
            .thenComparing(Cause::consequence)
            .thenComparing(Cause::level, Level.MOST_SEVERE_FIRST)
            .thenComparing(cause -> -cause.parts.size());

    /** Whether the website or mail does not work because of this problem. */
    public boolean unavailable() {
        return level == Level.FAIL && consequence == Consequence.UNAVAILABLE;
    }

    /** Reports each cause as a finding of the composite. */
    public static void report(List<Cause> causes, List<PartResult> parts, PartFindings findings) {
        for (Cause cause : causes) {
            String title = cause.title(parts);
            SheetText text = new SheetText(cause.message);
            SheetText fix = new SheetText(cause.action);
            switch (cause.level) {
                case FAIL -> findings.partFail(title, text, fix);
                case WARN -> findings.partWarn(title, text, fix);
                case INFO -> findings.partError(title, text, fix);
            }
        }
    }

    private String title(List<PartResult> results) {
        String title = results.stream()
                .filter(part -> part.module().equals(module))
                .map(part -> part.part().module().title())
                .findFirst()
                .orElse(module);
        int others = parts.size() - 1;
        return others == 0 ? title : title + " and " + (others == 1 ? "1 other check" : others + " other checks");
    }

    /** The problems to fix first, of sorted causes. */
    public static List<Cause> first(List<Cause> causes) {
        return causes.stream()
                .filter(cause -> cause.level != Level.INFO)
                .limit(FIRST)
                .toList();
    }
}
