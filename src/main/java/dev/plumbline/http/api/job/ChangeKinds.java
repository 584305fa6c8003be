package dev.plumbline.http.api.job;

import dev.plumbline.http.problem.Problem;
import dev.plumbline.portfolio.LineChange.Kind;
import dev.plumbline.target.LowerCaseId;
import dev.plumbline.target.PrintableText;
import java.util.Arrays;
import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/** The parameter {@code change} of a comparison. */
public final class ChangeKinds {
    /** The default: all kinds but {@link Kind#UNCHANGED}. */
    public static final Set<Kind> CHANGED =
            Collections.unmodifiableSet(EnumSet.complementOf(EnumSet.of(Kind.UNCHANGED)));

    private static final int MAX_SHOWN = 64;

    private ChangeKinds() {}

    /**
     * Returns the kinds of changes in a value of the parameter, in their order.
     *
     * @param value IDs, separated by commas; empty for the default
     * @param faults receives the errors
     */
    public static Set<Kind> parse(String value, List<Problem.Fault> faults) {
        if (value.isEmpty()) {
            return CHANGED;
        }
        Set<Kind> kinds = EnumSet.noneOf(Kind.class);
        for (String id : value.split(",", -1)) {
            Kind kind = LowerCaseId.find(Kind.values(), id);
            if (kind == null) {
                faults.add(Problem.Fault.parameter(
                        "change",
                        "'" + PrintableText.shorten(id, MAX_SHOWN) + "' is not a kind of change. Use one of "
                                + Arrays.stream(Kind.values()).map(Kind::id).collect(Collectors.joining(", ")) + "."));
            } else {
                kinds.add(kind);
            }
        }
        return kinds;
    }
}
