package dev.plumbline.policy;

import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * How many rules a result meets.
 *
 * @param name of the policy; null if only expectations were evaluated
 * @param version of the policy; null without a policy
 * @param metCount the number of rules and expectations that the result meets
 * @param ruleCount the number of rules and expectations that apply to it; those with an exception do not
 */
public record PolicySummary(@Nullable String name, @Nullable String version, int metCount, int ruleCount) {
    /** For example {@code 41 of 43}. */
    public String text() {
        return metCount + " of " + ruleCount;
    }

    /** The member {@code policy} of a result. */
    public Map<String, @Nullable Object> members() {
        Map<String, @Nullable Object> members = new LinkedHashMap<>();
        members.put("name", name);
        members.put("version", version);
        members.put("met_count", metCount);
        members.put("rule_count", ruleCount);
        return members;
    }
}
