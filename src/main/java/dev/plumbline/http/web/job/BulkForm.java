package dev.plumbline.http.web.job;

import dev.plumbline.check.ModuleDescription;
import dev.plumbline.http.api.job.JobName;
import dev.plumbline.http.api.job.PageJobService;
import dev.plumbline.http.problem.Problem;
import dev.plumbline.http.web.tool.OptionField;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The form that creates a job.
 *
 * @param tools all tools
 * @param selected the selected tool
 * @param options of the selected tool
 * @param name the content of the name field
 * @param lines the content of the text area
 * @param fresh whether cached results are not used
 * @param column of a CSV file, from 1
 * @param headerRow whether the first row of a CSV file is a header
 * @param idempotencyKey prevents a second job if the form is submitted twice
 * @param rejection why no job was created, or null
 */
public record BulkForm(
        List<ModuleDescription> tools,
        ModuleDescription selected,
        List<OptionField> options,
        String name,
        String lines,
        boolean fresh,
        String column,
        boolean headerRow,
        String idempotencyKey,
        @Nullable Rejection rejection) {

    /**
     * Why no job was created.
     *
     * @param lines the errors of lines; at most 100
     */
    public record Rejection(String message, List<LineError> lines) {}

    /** @param line from 1 */
    public record LineError(int line, String detail) {}

    /** An empty form. */
    static BulkForm empty(List<ModuleDescription> tools, ModuleDescription selected, String idempotencyKey) {
        return new BulkForm(
                tools, selected, OptionField.of(selected, Map.of()), "", "", false, "1", false, idempotencyKey, null);
    }

    BulkForm rejected(Rejection why) {
        return new BulkForm(tools, selected, options, name, lines, fresh, column, headerRow, idempotencyKey, why);
    }

    static Rejection rejection(String message) {
        return new Rejection(message, List.of());
    }

    /**
     * The rejection for a problem of the API.
     *
     * @param lines the submitted lines, which map the index of an item to its line number
     */
    static Rejection rejection(Problem problem, JobInputLines lines) {
        List<LineError> errors = problem.faults().stream()
                .filter(fault -> fault.where().matches("/items/[0-9]{1,6}"))
                .map(fault -> {
                    int item = Integer.parseInt(fault.where().substring("/items/".length()));
                    return new LineError(lines.lines().get(item).number(), fault.detail());
                })
                .toList();
        if (errors.isEmpty()) {
            return problem.faults().stream()
                    .filter(fault -> fault.where().equals("/name"))
                    .findFirst()
                    .map(fault -> rejection("The name " + fault.detail() + ". No job was created."))
                    .orElseGet(() -> rejection(problem.detail()));
        }
        return new Rejection(
                (errors.size() == 1 ? "1 line is" : errors.size() + " lines are") + " invalid. No job was created.",
                errors);
    }

    /** Whether the options are expanded. */
    public boolean open() {
        return fresh || options.stream().anyMatch(OptionField::notable);
    }

    public int maxNameCharacters() {
        return JobName.MAX_CHARACTERS;
    }

    public int maxLines() {
        return PageJobService.MAX_LINES;
    }

    public int maxLineBytes() {
        return PageJobService.MAX_LINE_BYTES;
    }

    public int maxBytes() {
        return PageJobService.MAX_BYTES;
    }
}
