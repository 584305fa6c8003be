package dev.plumbline.http.api.job;

import dev.plumbline.bus.JobMessage;
import dev.plumbline.http.api.policy.ResultEvaluation;
import dev.plumbline.portfolio.LineChange.FieldChange;
import dev.plumbline.portfolio.LineComparison;
import dev.plumbline.portfolio.PortfolioLine;
import dev.plumbline.portfolio.TargetIndex;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Two jobs of one module, and which of their lines have the same target. It has a row for each line of the later job,
 * in the order of their indexes, and then one for each line of the earlier job whose target the later one does not
 * contain. The rows depend on the inputs only, so they do not change while a job runs.
 */
public final class JobComparison {
    private static final int NONE = -1;

    private final JobMessage.JobSnapshot job;
    private final JobMessage.JobSnapshot against;
    private final LineComparison lines;
    private final @Nullable ResultEvaluation evaluation;

    /** By the index of the later line: the index of the earlier one, or -1. */
    private final int[] matches;

    /** The indexes of the earlier lines without a match. */
    private final int[] gone;

    private JobComparison(
            JobMessage.JobSnapshot job,
            JobMessage.JobSnapshot against,
            LineComparison lines,
            @Nullable ResultEvaluation evaluation,
            int[] matches,
            int[] gone) {
        this.job = job;
        this.against = against;
        this.lines = lines;
        this.evaluation = evaluation;
        this.matches = matches;
        this.gone = gone;
    }

    /**
     * Matches the lines of two jobs.
     *
     * @param job the later job
     * @param inputs of the later job, in order
     * @param against the earlier job
     * @param againstInputs of the earlier job, in order
     * @param evaluation is applied to the results of both jobs; null for none
     */
    static JobComparison of(
            LineComparison lines,
            JobMessage.JobSnapshot job,
            List<String> inputs,
            JobMessage.JobSnapshot against,
            List<String> againstInputs,
            @Nullable ResultEvaluation evaluation) {
        TargetIndex index = new TargetIndex();
        againstInputs.forEach(input -> index.add(target(lines, input)));
        int[] matches = new int[inputs.size()];
        Arrays.setAll(matches, line -> index.match(target(lines, inputs.get(line))));
        return new JobComparison(
                job, against, lines, evaluation, matches, index.unmatched().toArray());
    }

    private static String target(LineComparison lines, String input) {
        return lines.target(new PortfolioLine(0, input, null, "pending", null, Map.of(), List.of(), null, null, null));
    }

    /** The later job. */
    public JobMessage.JobSnapshot job() {
        return job;
    }

    /** The earlier job. */
    public JobMessage.JobSnapshot against() {
        return against;
    }

    /** The number of rows. */
    public int size() {
        return matches.length + gone.length;
    }

    /**
     * Returns the cursor of a page.
     *
     * @param row the first row, at least 1; null if there is no such page
     */
    @Nullable
    String cursor(@Nullable Integer row) {
        return row == null ? null : ComparisonCursor.fromRow(job.token(), against.token(), row);
    }

    /** The options that differ, see {@link LineComparison#optionsDiffer}. */
    public List<FieldChange> optionsDiffer() {
        return lines.optionsDiffer(job.options(), against.options());
    }

    /** Returns a source of the lines of one of the jobs, with evaluated results. */
    LineStream.Source source(LineStream.Source stored) {
        return LineStream.evaluated(stored, evaluation);
    }

    LineComparison lines() {
        return lines;
    }

    /** Returns the index of the earlier line with the target of a later line; null if the target is new. */
    @Nullable
    Integer match(int index) {
        return matches[index] == NONE ? null : Integer.valueOf(matches[index]);
    }

    /** Returns the lines of the later job in the order of the rows. */
    List<Integer> laterOrder() {
        return IntStream.range(0, matches.length).boxed().toList();
    }

    /** Returns the lines of the earlier job in the order of the rows. */
    List<Integer> earlierOrder() {
        return IntStream.concat(Arrays.stream(matches).filter(line -> line != NONE), Arrays.stream(gone))
                .boxed()
                .toList();
    }

    /** Returns the index of the earlier line in a row after those of the later job. */
    int gone(int row) {
        return gone[row - matches.length];
    }
}
