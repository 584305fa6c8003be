package dev.plumbline.http.web.job;

import dev.plumbline.bus.JobMessage;
import dev.plumbline.http.api.policy.PolicyParameters;
import dev.plumbline.http.api.policy.ResultEvaluation;
import dev.plumbline.http.web.layout.DisplayText;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Which policy and expectations are applied to the results of a page.
 *
 * @param text sentences
 * @param linkText null without a link
 * @param link the query string of the page with the other results: the stored ones, or those with the policy and the
 *     expectations of the job
 */
public record PolicyNote(String text, @Nullable String linkText, String link) {

    /**
     * @param evaluation that is applied to the results; null for none
     * @param query the query string of the page with another policy and other expectations
     * @return null if neither the request nor the job has a policy or expectations
     */
    static @Nullable PolicyNote of(
            JobMessage.JobSnapshot job,
            PolicyParameters requested,
            @Nullable ResultEvaluation evaluation,
            Function<PolicyParameters, String> query) {
        PolicyParameters ofJob = PolicyParameters.of(job.defaultPolicy());
        if (evaluation != null) {
            String text = "The results are evaluated with " + names(evaluation.requested()) + ".";
            return new PolicyNote(
                    requested.isEmpty() ? text + missing(ofJob, evaluation.requested()) : text,
                    "View the stored results",
                    query.apply(PolicyParameters.STORED));
        }
        if (ofJob.isEmpty()) {
            return null;
        }
        return requested.equals(PolicyParameters.STORED)
                ? new PolicyNote(
                        "The results are shown as stored.",
                        "Apply " + names(ofJob) + " of the job",
                        query.apply(PolicyParameters.NONE))
                : new PolicyNote("The results are shown as stored." + missing(ofJob, PolicyParameters.NONE), null, "");
    }

    private static String missing(PolicyParameters ofJob, PolicyParameters applied) {
        return ofJob.policy() == null || applied.policy() != null
                ? ""
                : " The policy " + ofJob.policy() + " of the job no longer exists, or no longer applies to the tool.";
    }

    private static String names(PolicyParameters parameters) {
        List<String> parts = new ArrayList<>();
        if (parameters.policy() != null) {
            parts.add("the policy " + DisplayText.plain(parameters.policy()));
        }
        int expectations = parameters.expectations().size();
        if (expectations > 0) {
            parts.add(expectations == 1 ? "1 expectation" : expectations + " expectations");
        }
        return String.join(" and ", parts);
    }
}
