package dev.plumbline.http.web.job;

import dev.plumbline.portfolio.PortfolioSummary;
import dev.plumbline.portfolio.PortfolioSummary.FieldSummary;
import dev.plumbline.sheet.FieldDescription;
import dev.plumbline.sheet.ModuleDescription;
import java.util.ArrayList;
import java.util.List;

/**
 * The values of the fields and the grades of the areas in the results of a job.
 *
 * @param areas empty if the module is not a composite
 */
public record ResultValues(List<FieldValues> fields, List<AreaGrades> areas) {
    private static final int VALUE_BYTES = 500;

    static final ResultValues NONE = new ResultValues(List.of(), List.of());

    static ResultValues of(ModuleDescription module, PortfolioSummary summary) {
        List<FieldValues> fields = new ArrayList<>();
        List<FieldSummary> summaries = summary.fields();
        for (int i = 0; i < summaries.size(); i++) {
            FieldDescription field = module.fields().get(i);
            FieldValues values = FieldValues.of(field, summaries.get(i));
            if (values != null) {
                fields.add(values);
            }
        }
        return new ResultValues(
                List.copyOf(fields),
                summary.areas().stream()
                        .filter(area -> !area.grades().isEmpty())
                        .map(area -> AreaGrades.of(module, area))
                        .toList());
    }

    /** The approximate memory in bytes. */
    int weight() {
        int values = fields.stream()
                .mapToInt(
                        field -> 1 + field.statistics().size() + field.values().size())
                .sum();
        return VALUE_BYTES * (1 + values + areas.size());
    }
}
