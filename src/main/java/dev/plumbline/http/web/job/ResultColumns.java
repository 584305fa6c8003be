package dev.plumbline.http.web.job;

import dev.plumbline.sheet.FieldDescription;
import dev.plumbline.sheet.FieldType;
import dev.plumbline.sheet.ModuleDescription;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The fields of a module that the table and the charts of a job display, chosen by type and name. A composite module
 * has its grades.
 *
 * @param shown the columns of the table: fields that fit in a cell, and the date
 * @param graded whether the columns of the table are grades of a composite
 * @param counted fields with few distinct values: status codes and enumerations
 * @param measured a duration, or null
 * @param dated a time, preferably an expiry, or null
 */
record ResultColumns(
        List<FieldDescription> shown,
        boolean graded,
        List<FieldDescription> counted,
        @Nullable FieldDescription measured,
        @Nullable FieldDescription dated) {
    private static final String GRADE = "grade";
    private static final int MAX_SHOWN = 3;
    private static final int MAX_COUNTED = 2;
    private static final int MAX_LISTS = 2;
    private static final List<String> EXPIRY_NAMES = List.of("not_after", "expire", "expiry", "until", "end");

    static ResultColumns of(ModuleDescription module) {
        List<FieldDescription> shown = new ArrayList<>();
        List<FieldDescription> lists = new ArrayList<>();
        List<FieldDescription> counted = new ArrayList<>();
        FieldDescription measured = null;
        FieldDescription dated = null;
        boolean expiry = false;
        for (FieldDescription field : module.fields()) {
            boolean number = field.type() == FieldType.INTEGER || field.type() == FieldType.NUMBER;
            boolean duration = number && field.name().endsWith("_ms");
            boolean time = field.type() == FieldType.TIME;
            boolean enumerated =
                    field.type() == FieldType.STRING && !field.values().isEmpty();
            if (((number && !duration) || enumerated) && shown.size() < MAX_SHOWN) {
                shown.add(field);
            }
            if (field.type() == FieldType.ARRAY && field.items() != FieldType.OBJECT) {
                lists.add(field);
            }
            if ((enumerated || isCode(field)) && counted.size() < MAX_COUNTED) {
                counted.add(field);
            }
            if (duration && measured == null) {
                measured = field;
            }
            boolean expires = time && EXPIRY_NAMES.stream().anyMatch(field.name()::contains);
            if (time && (dated == null || (expires && !expiry))) {
                dated = field;
                expiry = expires;
            }
        }
        // lists are wide, so they fill the columns that other fields leave
        lists.stream().limit(Math.max(0, MAX_LISTS - shown.size())).forEach(shown::add);
        if (dated != null) {
            shown.add(Math.min(1, shown.size()), dated);
        }
        List<FieldDescription> grades = areaGrades(module);
        return new ResultColumns(
                grades.isEmpty() ? shown.stream().limit(MAX_SHOWN).toList() : grades,
                !grades.isEmpty(),
                List.copyOf(counted),
                measured,
                dated);
    }

    /**
     * These columns with other fields in the table.
     *
     * @param names of fields of the module; empty for the default
     */
    ResultColumns withFields(ModuleDescription module, List<String> names) {
        return names.isEmpty()
                ? this
                : new ResultColumns(
                        names.stream()
                                .flatMap(name -> module.fields().stream()
                                        .filter(field -> field.name().equals(name)))
                                .toList(),
                        false,
                        counted,
                        measured,
                        dated);
    }

    /** The total grade of a composite module and the grades of its areas. The name of a column is a path. */
    private static List<FieldDescription> areaGrades(ModuleDescription module) {
        List<FieldDescription> grades = new ArrayList<>();
        for (FieldDescription field : module.composite() ? module.fields() : List.<FieldDescription>of()) {
            if (field.name().equals(GRADE)) {
                grades.add(0, field);
            } else if (field.name().equals("areas")) {
                field.members().forEach(area -> area.members().stream()
                        .filter(member -> member.name().equals(GRADE))
                        .forEach(grade -> grades.add(column(field, area, grade))));
            }
        }
        return grades;
    }

    private static FieldDescription column(FieldDescription areas, FieldDescription area, FieldDescription grade) {
        return new FieldDescription(
                String.join(".", areas.name(), area.name(), grade.name()),
                grade.type(),
                area.title(),
                grade.description(),
                true,
                grade.values(),
                grade.items(),
                List.of(),
                grade.nullText(),
                null);
    }

    private static boolean isCode(FieldDescription field) {
        String name = field.name();
        return field.type() == FieldType.INTEGER
                && (name.equals("status") || name.endsWith("_status") || name.endsWith("_code"));
    }

    /** The names of all fields that tables and charts use. */
    Set<String> names() {
        Stream<String> scores = graded ? shown.stream().map(grade -> scoreOf(grade.name())) : Stream.empty();
        Stream<String> fields = Stream.concat(
                        Stream.concat(shown.stream(), counted.stream()), Stream.of(measured, dated))
                .filter(Objects::nonNull)
                .map(FieldDescription::name);
        return Stream.concat(fields, scores).collect(Collectors.toSet());
    }

    /** The name of the score of a grade. */
    static String scoreOf(String grade) {
        return grade.substring(0, grade.length() - GRADE.length()) + "score";
    }
}
