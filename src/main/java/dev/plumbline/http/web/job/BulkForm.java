package dev.plumbline.http.web.job;

import dev.plumbline.check.ModuleDescription;
import dev.plumbline.http.problem.Problem;
import dev.plumbline.http.web.tool.OptionField;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The form that creates a job.
 *
 * @param tools all there are
 * @param chosen the one that is to be run
 * @param options of that tool
 * @param lines what stands in the box
 * @param fresh whether every check is to be run anew
 * @param column of a CSV file, from 1
 * @param once makes sure that a form that is sent twice creates one job
 * @param refusal why no job was created; null if nothing was wrong
 */
public record BulkForm(
        List<ModuleDescription> tools,
        ModuleDescription chosen,
        List<OptionField> options,
        String lines,
        boolean fresh,
        String column,
        boolean heading,
        String once,
        @Nullable Refusal refusal) {

    /**
     * Why no job was created.
     *
     * @param summary in one sentence
     * @param faults of lines, the first of them
     */
    public record Refusal(String summary, List<Fault> faults) {}

    /**
     * What is wrong with a line.
     *
     * @param line its number, from 1
     */
    public record Fault(int line, String detail) {}

    /** An empty form. */
    static BulkForm empty(List<ModuleDescription> tools, ModuleDescription chosen, String once) {
        return new BulkForm(tools, chosen, OptionField.of(chosen, Map.of()), "", false, "1", false, once, null);
    }

    /** The same form, refused. */
    BulkForm refused(Refusal why) {
        return new BulkForm(tools, chosen, options, lines, fresh, column, heading, once, why);
    }

    static Refusal because(String summary) {
        return new Refusal(summary, List.of());
    }

    /**
     * What a problem says, in the words of the form.
     *
     * @param lines what was sent: an item's index is not the number of its line
     */
    static Refusal because(Problem problem, JobInputLines lines) {
        List<Fault> faults = problem.faults().stream()
                .filter(fault -> fault.where().matches("/items/[0-9]{1,6}"))
                .map(fault -> {
                    int item = Integer.parseInt(fault.where().substring("/items/".length()));
                    return new Fault(lines.lines().get(item).number(), fault.detail());
                })
                .toList();
        if (faults.isEmpty()) {
            return because(problem.detail());
        }
        return new Refusal(
                faults.size() == 1
                        ? "One line is wrong. Nothing was created."
                        : faults.size() + " lines are wrong. Nothing was created.",
                faults);
    }

    /** Whether the options are shown at once. */
    public boolean open() {
        return fresh || options.stream().anyMatch(option -> option.changed() || option.wrong() != null);
    }

    public int mostLines() {
        return dev.plumbline.http.api.job.PageJobService.MAX_LINES;
    }

    public int mostLineBytes() {
        return dev.plumbline.http.api.job.PageJobService.MAX_LINE_BYTES;
    }

    public int mostBytes() {
        return dev.plumbline.http.api.job.PageJobService.MAX_BYTES;
    }
}
