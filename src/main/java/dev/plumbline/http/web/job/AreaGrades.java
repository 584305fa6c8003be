package dev.plumbline.http.web.job;

import dev.plumbline.http.web.layout.DisplayValue;
import dev.plumbline.portfolio.PortfolioSummary.AreaSummary;
import dev.plumbline.sheet.ModuleDescription;
import java.util.List;
import java.util.Locale;

/**
 * The grades of an area of a composite in the results of a job.
 *
 * @param mean the mean score; empty if no score was determined
 */
public record AreaGrades(String title, String mean, List<GradeCount> grades) {

    /** A grade, and the number of lines that have it. */
    public record GradeCount(DisplayValue.Grade grade, long count) {}

    static AreaGrades of(ModuleDescription module, AreaSummary summary) {
        return new AreaGrades(
                module.areas().getOrDefault(summary.area(), summary.area()),
                summary.meanScore() == null ? "" : String.format(Locale.ROOT, "%.0f", summary.meanScore()),
                summary.grades().stream()
                        .map(grade -> new GradeCount(new DisplayValue.Grade(grade.grade(), null), grade.count()))
                        .toList());
    }
}
