package dev.plumbline.http.api.job;

import com.google.common.hash.Hashing;
import dev.plumbline.bus.JobMessage;
import dev.plumbline.http.problem.Problem;
import dev.plumbline.http.problem.ProblemException;
import dev.plumbline.portfolio.LineFilter;
import dev.plumbline.portfolio.PortfolioLine;
import dev.plumbline.result.ResultJson;
import dev.plumbline.sheet.FieldDescription;
import dev.plumbline.sheet.ModuleDescription;
import dev.plumbline.target.PrintableText;
import io.vertx.core.http.HttpServerRequest;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The lines of a job that a client selects, and the fields of their results.
 *
 * @param verdicts in alphabetical order; empty for all lines
 * @param findings codes or {@code PART/CODE}, in alphabetical order; empty for all lines
 * @param text a part of the input or target; empty for all lines
 * @param fields in the requested order; empty for all fields
 * @param ofResults whether the verdicts are those in the results that are read, because no list of them is stored: the
 *     results are evaluated with a policy or expectations, or the lines are those of a copy
 */
public record LineSelection(
        Set<String> verdicts, Set<String> findings, String text, List<String> fields, boolean ofResults) {
    /** All lines with all fields. */
    public static final LineSelection ALL = new LineSelection(Set.of(), Set.of(), "", List.of(), false);

    private static final int MAX_SHOWN = 64;
    private static final int MAX_UNKNOWN = 3;

    /** The fields with the findings of the parts of a composite. Other fields are not parsed. */
    private static final List<String> FIELDS_WITH_FINDINGS = List.of("causes", "parts");

    /**
     * Returns the selection of a request. Fields are validated by {@link #unknownFields}, because they depend on the
     * module of the job.
     *
     * @throws ProblemException if a parameter has an invalid value
     */
    public static LineSelection of(HttpServerRequest request) {
        LineSelection selection = read(name -> request.getParam(name, ""));
        List<Problem.Fault> faults = selection.faults();
        if (!faults.isEmpty()) {
            throw new ProblemException(Problem.invalidParameters(faults));
        }
        return selection;
    }

    /**
     * Reads the selection from parameters without validation.
     *
     * @param parameters the value of a parameter by its name; empty if the request does not have it
     */
    public static LineSelection read(Function<String, String> parameters) {
        return new LineSelection(
                new TreeSet<>(values(parameters, "verdict")),
                new TreeSet<>(values(parameters, "finding")),
                parameters.apply("q"),
                List.copyOf(new LinkedHashSet<>(values(parameters, "fields"))),
                false);
    }

    private static List<String> values(Function<String, String> parameters, String name) {
        String value = parameters.apply(name);
        return value.isEmpty() ? List.of() : List.of(value.split(",", -1));
    }

    /** The parameters that are not empty. */
    public Map<String, String> parameters() {
        Map<String, String> parameters = new LinkedHashMap<>();
        parameters.put("verdict", String.join(",", verdicts));
        parameters.put("finding", String.join(",", findings));
        parameters.put("q", text);
        parameters.put("fields", String.join(",", fields));
        parameters.values().removeIf(String::isEmpty);
        return parameters;
    }

    /** Returns the errors of the verdicts and findings. */
    private List<Problem.Fault> faults() {
        List<Problem.Fault> faults = new ArrayList<>();
        addFaults(faults, "verdict", verdicts, LineFilter::validateVerdict);
        addFaults(faults, "finding", findings, LineFilter::validateFinding);
        return faults;
    }

    private static void addFaults(
            List<Problem.Fault> faults,
            String parameter,
            Set<String> values,
            Function<String, @Nullable String> validation) {
        for (String value : values) {
            String fault = validation.apply(value);
            if (fault != null) {
                faults.add(Problem.Fault.parameter(parameter, fault));
            }
        }
    }

    /**
     * Returns the problem of fields that the module does not declare; null if there are none.
     *
     * @param module null if the module no longer exists
     */
    @Nullable
    Problem unknownFields(JobMessage.JobSnapshot job, @Nullable ModuleDescription module) {
        List<Problem.Fault> faults = unknownFields(job.module(), module);
        return faults.isEmpty() ? null : Problem.invalidParameters(faults);
    }

    /**
     * Returns the errors of all parameters.
     *
     * @param name the name of the module of the job
     * @param module null if the module no longer exists
     */
    public List<Problem.Fault> faults(String name, @Nullable ModuleDescription module) {
        List<Problem.Fault> faults = faults();
        faults.addAll(unknownFields(name, module));
        return faults;
    }

    private List<Problem.Fault> unknownFields(String name, @Nullable ModuleDescription module) {
        List<String> known = module == null
                ? List.of()
                : module.fields().stream().map(FieldDescription::name).toList();
        List<String> unknown =
                fields.stream().filter(field -> !known.contains(field)).toList();
        if (unknown.isEmpty()) {
            return List.of();
        }
        String shown = unknown.stream()
                .limit(MAX_UNKNOWN)
                .map(field -> "'" + PrintableText.shorten(field, MAX_SHOWN) + "'")
                .collect(Collectors.joining(", "));
        int more = unknown.size() - MAX_UNKNOWN;
        String detail = shown
                + (more > 0 ? " and " + more + " more" : "")
                + (unknown.size() == 1 ? " is not a field of " : " are not fields of ")
                + name
                + (known.isEmpty() ? "." : ". Fields: " + String.join(", ", known) + ".");
        return List.of(Problem.Fault.parameter("fields", detail));
    }

    /** Returns the same selection by the verdicts in the results that are read. */
    LineSelection byResults() {
        return new LineSelection(verdicts, findings, text, fields, true);
    }

    /** The stored verdicts of which a selected line has one; empty for all lines. */
    Set<String> storedVerdicts() {
        return ofResults ? Set.of() : verdicts;
    }

    /** Returns the filter of lines whose results have been read. The verdicts and findings must be valid. */
    public LineFilter lineFilter() {
        return new LineFilter(verdicts, findings, text);
    }

    /** Whether not all lines are selected. */
    public boolean isFiltered() {
        return !verdicts.isEmpty() || readsResults();
    }

    /** Whether the selection of lines depends on the content of their results, other than the stored verdict. */
    boolean readsResults() {
        return !findings.isEmpty() || !text.isEmpty() || (ofResults && !verdicts.isEmpty());
    }

    /** Returns the number of selected lines; null if {@link #readsResults}. */
    @Nullable
    Integer count(JobMessage.JobSnapshot job) {
        if (readsResults()) {
            return null;
        }
        if (verdicts.isEmpty()) {
            return job.total();
        }
        return count("pass", job.pass())
                + count("warn", job.warn())
                + count("fail", job.fail())
                + count("error", job.error());
    }

    private int count(String verdict, int lines) {
        return verdicts.contains(verdict) ? lines : 0;
    }

    /** Returns the condition for a line of the job that has one of the {@link #storedVerdicts}. */
    Predicate<JobMessage.ResultLine> filter(JobMessage.JobSnapshot job) {
        LineFilter byText = new LineFilter(Set.of(), Set.of(), text);
        LineFilter byFinding = new LineFilter(Set.of(), findings, "");
        return line -> byText.matches(withoutResult(line))
                && (!ofResults || matchesVerdict(line.result()))
                && (findings.isEmpty()
                        || byFinding.matches(PortfolioLine.parse(JobJson.line(job, line, FIELDS_WITH_FINDINGS))));
    }

    private boolean matchesVerdict(byte @Nullable [] result) {
        return verdicts.isEmpty() || (result != null && verdicts.contains(ResultJson.verdict(result)));
    }

    private static PortfolioLine withoutResult(JobMessage.ResultLine line) {
        byte[] result = line.result();
        String target = result == null ? null : StoredResult.target(result);
        return new PortfolioLine(
                line.index(), line.input(), target, "done", null, Map.of(), List.of(), null, null, null);
    }

    /** Returns a part of the entity tag; empty for {@link #ALL}. Different selections have different tags. */
    String tag() {
        return equals(ALL)
                ? ""
                : "-"
                        + Hashing.sha256()
                                .hashString(
                                        List.of(verdicts, findings, fields).stream()
                                                .map(values -> String.join(",", values))
                                                .collect(Collectors.joining("\n", "", "\n" + text)),
                                        StandardCharsets.UTF_8)
                                .toString()
                                .substring(0, 32);
    }
}
