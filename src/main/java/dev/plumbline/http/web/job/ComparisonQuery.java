package dev.plumbline.http.web.job;

import com.google.common.collect.Iterables;
import dev.plumbline.http.api.job.ChangeKinds;
import dev.plumbline.http.api.job.ComparisonCursor;
import dev.plumbline.http.api.policy.PolicyParameters;
import dev.plumbline.http.problem.Problem;
import dev.plumbline.http.problem.ProblemException;
import dev.plumbline.http.web.layout.Links;
import dev.plumbline.portfolio.LineChange.Kind;
import dev.plumbline.target.PrintableText;
import io.vertx.core.MultiMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * The query of a comparison, with the parameters of the API.
 *
 * @param token of the later job
 * @param against the token of the earlier job
 * @param kinds the kinds of changes on the page
 * @param withVolatile whether volatile fields are listed
 * @param from the first row of the page
 * @param policy the policy and the expectations of the query; not validated
 */
public record ComparisonQuery(
        String token, String against, Set<Kind> kinds, boolean withVolatile, int from, PolicyParameters policy) {
    private static final String AGAINST = "against";
    private static final String CHANGE = "change";
    private static final String VOLATILE = "volatile";
    private static final String CURSOR = "cursor";
    private static final int MAX_SHOWN = 64;

    /**
     * @param token of the later job
     * @param policy that of the parameters
     * @param faults receives the errors of the parameters
     */
    static ComparisonQuery of(String token, MultiMap parameters, PolicyParameters policy, List<Problem.Fault> faults) {
        String against = value(parameters, AGAINST);
        if (against.isEmpty()) {
            faults.add(Problem.Fault.parameter(AGAINST, "The token of the earlier job is missing."));
        }
        return new ComparisonQuery(
                token,
                against,
                ChangeKinds.parse(value(parameters, CHANGE), faults),
                readVolatile(parameters, faults),
                from(token, against, value(parameters, CURSOR), faults),
                policy);
    }

    private static String value(MultiMap parameters, String name) {
        return Objects.requireNonNullElse(parameters.get(name), "");
    }

    private static boolean readVolatile(MultiMap parameters, List<Problem.Fault> faults) {
        String value = value(parameters, VOLATILE);
        if (!value.isEmpty() && !value.equals("true") && !value.equals("false")) {
            faults.add(Problem.Fault.parameter(
                    VOLATILE, "'" + PrintableText.shorten(value, MAX_SHOWN) + "' is not true or false."));
        }
        return value.equals("true");
    }

    private static int from(String token, String against, String cursor, List<Problem.Fault> faults) {
        try {
            return cursor.isEmpty() ? 0 : ComparisonCursor.row(cursor, token, against);
        } catch (ProblemException invalid) {
            faults.add(invalidCursor());
            return 0;
        }
    }

    static Problem.Fault invalidCursor() {
        return Problem.Fault.parameter(CURSOR, "The cursor is not valid for this comparison. Open the first page.");
    }

    ComparisonQuery at(int row) {
        return new ComparisonQuery(token, against, kinds, withVolatile, row, policy);
    }

    /** Whether all kinds of changes are on the page. */
    public boolean all() {
        return kinds.containsAll(ChangeKinds.CHANGED);
    }

    /** The first page of the same query. */
    public ComparisonQuery first() {
        return at(0);
    }

    ComparisonQuery with(Set<Kind> changes) {
        return new ComparisonQuery(token, against, changes, withVolatile, 0, policy);
    }

    /** The same page with or without volatile fields. */
    public ComparisonQuery withVolatile(boolean listed) {
        return new ComparisonQuery(token, against, kinds, listed, from, policy);
    }

    /** The same page with another policy and other expectations. */
    ComparisonQuery with(PolicyParameters other) {
        return new ComparisonQuery(token, against, kinds, withVolatile, from, other);
    }

    /** The query string of the page of a line. */
    public String lineLink() {
        return JobLinePage.link(policy);
    }

    /** The query string of the page. */
    public String link() {
        Map<String, String> parameters = new LinkedHashMap<>();
        parameters.put(AGAINST, against);
        parameters.put(
                CHANGE,
                kinds.equals(ChangeKinds.CHANGED)
                        ? ""
                        : kinds.stream().sorted().map(Kind::id).collect(Collectors.joining(",")));
        parameters.put(VOLATILE, withVolatile ? "true" : "");
        parameters.put(CURSOR, from == 0 ? "" : ComparisonCursor.fromRow(token, against, from));
        parameters.values().removeIf(String::isEmpty);
        return Links.query(Iterables.concat(parameters.entrySet(), policy.parameters()));
    }
}
