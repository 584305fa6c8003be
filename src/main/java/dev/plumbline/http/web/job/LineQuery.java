package dev.plumbline.http.web.job;

import com.google.common.collect.Iterables;
import dev.plumbline.bus.JobMessage;
import dev.plumbline.http.api.job.LineSelection;
import dev.plumbline.http.api.job.PageCursor;
import dev.plumbline.http.api.policy.PolicyParameters;
import dev.plumbline.http.problem.Problem;
import dev.plumbline.http.problem.ProblemException;
import dev.plumbline.http.web.layout.Labels;
import dev.plumbline.http.web.layout.Links;
import dev.plumbline.result.Verdict;
import dev.plumbline.sheet.ModuleDescription;
import io.vertx.core.MultiMap;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The query of the page of a job. The parameters {@code verdict}, {@code finding}, {@code q}, {@code fields},
 * {@code policy} and {@code expect} are those of the API. A form sends a parameter once for each value.
 *
 * @param selection not validated
 * @param sort the name of a column; empty for input order
 * @param cursor the first line of the page in input order, or its position in another order; empty for the first page
 * @param unpaged whether one page has all lines, for example to print them; the cursor is ignored
 * @param policy the policy and the expectations of the query; not validated
 */
public record LineQuery(
        LineSelection selection,
        String sort,
        boolean descending,
        String cursor,
        boolean unpaged,
        PolicyParameters policy) {
    private static final String SORT = "sort";
    private static final String DIRECTION = "dir";
    private static final String DESCENDING = "desc";
    private static final String CURSOR = "cursor";
    private static final String TEXT = "q";
    private static final String LINES = "lines";
    private static final String ALL_LINES = "all";

    /** @throws ProblemException if the policy is repeated, or if there are too many expectations */
    static LineQuery of(MultiMap parameters) {
        LineSelection selection = LineSelection.read(name ->
                name.equals(TEXT) ? value(parameters, name).strip() : String.join(",", parameters.getAll(name)));
        return new LineQuery(
                selection,
                value(parameters, SORT),
                value(parameters, DIRECTION).equals(DESCENDING),
                value(parameters, CURSOR),
                value(parameters, LINES).equals(ALL_LINES),
                PolicyParameters.of(parameters));
    }

    private static String value(MultiMap parameters, String name) {
        return Objects.requireNonNullElse(parameters.get(name), "");
    }

    /** The query of all lines in input order. */
    static LineQuery all() {
        return new LineQuery(LineSelection.ALL, "", false, "", false, PolicyParameters.NONE);
    }

    /** All lines in input order, with the same policy and expectations. */
    public LineQuery unfiltered() {
        return of(LineSelection.ALL);
    }

    private LineQuery of(LineSelection selected) {
        return new LineQuery(selected, "", false, "", false, policy);
    }

    /** The lines with a verdict. */
    LineQuery ofVerdict(String verdict) {
        return of(LineSelection.read(name -> name.equals("verdict") ? verdict : ""));
    }

    /** The lines with a finding. */
    public LineQuery ofFinding(String path) {
        return of(LineSelection.read(name -> name.equals("finding") ? path : ""));
    }

    /** This query with another policy and other expectations. */
    LineQuery with(PolicyParameters other) {
        return new LineQuery(selection, sort, descending, cursor, unpaged, other);
    }

    /**
     * The errors of the parameters.
     *
     * @param module null if the module of the job no longer exists
     */
    List<Problem.Fault> faults(JobMessage.JobSnapshot job, @Nullable ModuleDescription module) {
        List<Problem.Fault> faults = selection.faults(job.module(), module);
        if (first() < 0 || first() >= job.total()) {
            faults.add(Problem.Fault.parameter(
                    CURSOR, "The cursor is not valid for the lines of this job. Open the first page."));
        }
        return faults;
    }

    /** The number in the cursor; 0 for the first page, and negative if it is not a cursor. */
    int first() {
        if (cursor.isEmpty()) {
            return 0;
        }
        try {
            return PageCursor.line(cursor);
        } catch (IllegalArgumentException malformed) {
            return -1;
        }
    }

    /** This query with the page at a line or position; the first page for 0. */
    LineQuery at(int line) {
        return new LineQuery(selection, sort, descending, line == 0 ? "" : PageCursor.fromLine(line), unpaged, policy);
    }

    /** The first page of this query, or the page with all lines. */
    public LineQuery unpaged(boolean allLines) {
        return new LineQuery(selection, sort, descending, "", allLines, policy);
    }

    LineQuery sorted(String column, boolean descendingOrder) {
        return new LineQuery(selection, column, descendingOrder, "", unpaged, policy);
    }

    /** The query string of the page. */
    public String link() {
        Map<String, String> parameters = new LinkedHashMap<>(selection.parameters());
        parameters.put(SORT, sort);
        parameters.put(DIRECTION, descending ? DESCENDING : "");
        parameters.put(CURSOR, cursor);
        parameters.put(LINES, unpaged ? ALL_LINES : "");
        parameters.values().removeIf(String::isEmpty);
        return withPolicy(parameters);
    }

    private String withPolicy(Map<String, String> parameters) {
        return Links.query(Iterables.concat(parameters.entrySet(), policy.parameters()));
    }

    /** The query string of the files with the selected lines and fields. */
    public String fileLink() {
        return withPolicy(selection.parameters());
    }

    /** The query string of the page of a line. */
    public String lineLink() {
        return JobLinePage.link(policy);
    }

    /** Whether the query does not select all lines. */
    public boolean filtered() {
        return selection.isFiltered();
    }

    /** The labels of the verdicts, by value. */
    public static Map<String, String> verdicts() {
        Map<String, String> labels = new LinkedHashMap<>();
        Arrays.stream(Verdict.values()).forEach(verdict -> labels.put(verdict.id(), Labels.verdict(verdict.id())));
        return labels;
    }

    /** The selected findings as the value of the parameter. */
    public String finding() {
        return selection.parameters().getOrDefault("finding", "");
    }
}
