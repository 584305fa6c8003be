package dev.plumbline.http.web.job;

import dev.plumbline.http.api.job.JobRequestSchema;
import dev.plumbline.http.api.job.PageJobService;
import dev.plumbline.http.problem.Problem;
import dev.plumbline.http.web.tool.OptionField;
import dev.plumbline.input.TargetLines;
import dev.plumbline.sheet.ModuleDescription;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The form that creates a job, or several jobs from a long list.
 *
 * @param tools all tools
 * @param selected the selected tool
 * @param options of the selected tool
 * @param name the content of the name field
 * @param lines the content of the text area
 * @param fresh whether cached results are not used
 * @param csvFile whether the text area contains a file with the name extension of CSV
 * @param idempotencyKey prevents a second job if the form is submitted twice
 * @param preview the targets of the submitted list; null without a list
 * @param rejection why no job was created, or null
 * @param schema the rules for a job
 */
public record BulkForm(
        List<ModuleDescription> tools,
        ModuleDescription selected,
        List<OptionField> options,
        String name,
        String lines,
        boolean fresh,
        boolean csvFile,
        String idempotencyKey,
        @Nullable TargetPreview preview,
        @Nullable Rejection rejection,
        JobRequestSchema schema) {

    /**
     * Why no job was created.
     *
     * @param lines the errors of lines; at most 100
     * @param job the path of the job that may have been created; null if none was created
     */
    public record Rejection(String message, List<LineError> lines, @Nullable String job) {}

    /** @param line from 1 */
    public record LineError(int line, String detail) {}

    /** An empty form. */
    static BulkForm empty(
            List<ModuleDescription> tools, ModuleDescription selected, String idempotencyKey, JobRequestSchema schema) {
        return new BulkForm(
                tools,
                selected,
                OptionField.of(selected, Map.of()),
                "",
                "",
                false,
                false,
                idempotencyKey,
                null,
                null,
                schema);
    }

    BulkForm rejected(@Nullable Rejection why) {
        return new BulkForm(
                tools, selected, options, name, lines, fresh, csvFile, idempotencyKey, preview, why, schema);
    }

    static Rejection rejection(String message) {
        return new Rejection(message, List.of(), null);
    }

    /**
     * The rejection for a problem of the API.
     *
     * @param lines the submitted lines, which map the index of an item to its line number
     */
    static Rejection rejection(Problem problem, TargetLines lines) {
        String token = PageJobService.tokenOfUnknownOutcome(problem);
        if (token != null) {
            return new Rejection(
                    "The database did not respond in time, so it is unknown whether the job was created. Select Run"
                            + " checks again: this does not create a second job.",
                    List.of(),
                    JobPage.path(token));
        }
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
        return rejection(errors);
    }

    /** The rejection of invalid lines. */
    static Rejection rejection(List<LineError> errors) {
        return new Rejection(
                (errors.size() == 1 ? "1 line is" : errors.size() + " lines are") + " invalid. No job was created.",
                errors,
                null);
    }

    /** Whether the options are expanded. */
    public boolean open() {
        return fresh || options.stream().anyMatch(OptionField::notable);
    }

    public int maxBytes() {
        return PageJobService.MAX_BYTES;
    }
}
