package dev.plumbline.http.web.job;

import dev.plumbline.check.FieldDescription;
import dev.plumbline.check.FieldType;
import dev.plumbline.check.ModuleDescription;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Which fields of a module a table of many results shows, and which are plotted: chosen by what
 * their descriptions say, so that a module that is new needs nothing more.
 *
 * @param shown a few that fit into a cell and differ from line to line; of times the dated one
 * @param counted those with few values: status codes, words
 * @param measured a length of time, null if the module measures none
 * @param dated a time that something ends at, or any; null if there is none
 */
record ResultColumns(
        List<FieldDescription> shown,
        List<FieldDescription> counted,
        @Nullable FieldDescription measured,
        @Nullable FieldDescription dated) {
    private static final int MOST_SHOWN = 3;
    private static final int MOST_COUNTED = 2;
    private static final int MOST_LISTS = 2;
    private static final List<String> ENDS = List.of("not_after", "expire", "expiry", "until", "end");

    static ResultColumns of(ModuleDescription module) {
        List<FieldDescription> shown = new ArrayList<>();
        List<FieldDescription> lists = new ArrayList<>();
        List<FieldDescription> counted = new ArrayList<>();
        FieldDescription measured = null;
        FieldDescription dated = null;
        boolean ends = false;
        for (FieldDescription field : module.fields()) {
            boolean number = field.type() == FieldType.INTEGER || field.type() == FieldType.NUMBER;
            boolean length = number && field.name().endsWith("_ms");
            boolean time = field.type() == FieldType.TIME;
            boolean word = field.type() == FieldType.STRING && !field.values().isEmpty();
            // how long the whole check took is shown anyway
            if (((number && !length) || word) && shown.size() < MOST_SHOWN) {
                shown.add(field);
            }
            if (field.type() == FieldType.ARRAY && field.items() != FieldType.OBJECT) {
                lists.add(field);
            }
            if ((word || isCode(field)) && counted.size() < MOST_COUNTED) {
                counted.add(field);
            }
            if (length && measured == null) {
                measured = field;
            }
            boolean end = time && ENDS.stream().anyMatch(field.name()::contains);
            if (time && (dated == null || (end && !ends))) {
                dated = field;
                ends = end;
            }
        }
        // a list takes more room than it tells, unless there is little else
        lists.stream().limit(Math.max(0, MOST_LISTS - shown.size())).forEach(shown::add);
        if (dated != null) {
            shown.add(Math.min(1, shown.size()), dated);
        }
        return new ResultColumns(shown.stream().limit(MOST_SHOWN).toList(), List.copyOf(counted), measured, dated);
    }

    private static boolean isCode(FieldDescription field) {
        String name = field.name();
        return field.type() == FieldType.INTEGER
                && (name.equals("status") || name.endsWith("_status") || name.endsWith("_code"));
    }

    /** The names of all of them. */
    Set<String> names() {
        Set<String> names = new LinkedHashSet<>();
        names.addAll(shown.stream().map(FieldDescription::name).collect(Collectors.toSet()));
        names.addAll(counted.stream().map(FieldDescription::name).collect(Collectors.toSet()));
        if (measured != null) {
            names.add(measured.name());
        }
        if (dated != null) {
            names.add(dated.name());
        }
        return names;
    }
}
