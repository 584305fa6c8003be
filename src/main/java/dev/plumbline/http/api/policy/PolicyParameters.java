package dev.plumbline.http.api.policy;

import dev.plumbline.bus.JobMessage;
import dev.plumbline.http.problem.Problem;
import dev.plumbline.http.problem.ProblemException;
import dev.plumbline.policy.PolicyEvaluation;
import io.vertx.core.MultiMap;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The policy and the expectations that a request names. They can be unknown or invalid: {@link PolicyService} reports
 * this.
 *
 * @param policy the name of the policy; null for none
 */
public record PolicyParameters(@Nullable String policy, List<String> expectations) {
    /** No policy and no expectations. */
    public static final PolicyParameters NONE = new PolicyParameters(null, List.of());

    /** An empty policy: the results as stored, without the policy and the expectations of the job. */
    public static final PolicyParameters STORED = new PolicyParameters("", List.of());

    private static final String POLICY = "policy";
    private static final String EXPECT = "expect";

    /** The names of the query parameters. No module has options with these names. */
    public static final Set<String> NAMES = Set.of(POLICY, EXPECT);

    /**
     * Returns the parameters of a request.
     *
     * @throws ProblemException if the policy is repeated, or if there are too many expectations
     */
    public static PolicyParameters of(MultiMap query) {
        List<String> policies = query.getAll(POLICY);
        List<String> expectations = query.getAll(EXPECT);
        List<Problem.Fault> faults = new ArrayList<>();
        if (policies.size() > 1) {
            faults.add(Problem.Fault.parameter(POLICY, "must not be repeated"));
        }
        if (expectations.size() > PolicyEvaluation.MAX_EXPECTATIONS) {
            faults.add(Problem.Fault.parameter(
                    EXPECT,
                    "is repeated " + expectations.size() + " times; at most " + PolicyEvaluation.MAX_EXPECTATIONS
                            + " expectations are allowed"));
        }
        if (!faults.isEmpty()) {
            throw new ProblemException(Problem.invalidParameters(faults));
        }
        String policy = policies.isEmpty() ? null : policies.get(0);
        if (expectations.isEmpty()) {
            return policy == null ? NONE : new PolicyParameters(policy, List.of());
        }
        return new PolicyParameters(policy == null || policy.isEmpty() ? null : policy, List.copyOf(expectations));
    }

    /** Returns the default policy and expectations of a job; {@link #NONE} for null. */
    public static PolicyParameters of(JobMessage.@Nullable DefaultPolicy defaultPolicy) {
        return defaultPolicy == null ? NONE : new PolicyParameters(defaultPolicy.policy(), defaultPolicy.expect());
    }

    /** The query parameters, in order. */
    public List<Map.Entry<String, String>> parameters() {
        List<Map.Entry<String, String>> parameters = new ArrayList<>();
        if (policy != null) {
            parameters.add(Map.entry(POLICY, policy));
        }
        expectations.forEach(expectation -> parameters.add(Map.entry(EXPECT, expectation)));
        return parameters;
    }

    /** Whether nothing is applied because of these parameters. */
    public boolean isEmpty() {
        return (policy == null || policy.isEmpty()) && expectations.isEmpty();
    }
}
