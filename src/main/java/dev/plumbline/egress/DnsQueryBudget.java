package dev.plumbline.egress;

import static dev.plumbline.egress.DnsQueryLimits.MAX_PER_DOMAIN;
import static dev.plumbline.egress.DnsQueryLimits.MAX_QUERIES;

import dev.plumbline.check.CheckFailure;
import dev.plumbline.result.ErrorCode;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Limits the DNS queries of one check, or of all parts of a composite check, because the owner of a zone controls how
 * many lookups a check needs and for which names. Only queries that are sent count. Thread-safe.
 */
final class DnsQueryBudget {
    /** The key of queries for unknown domains. */
    private static final String UNKNOWN = "";

    private final @Nullable String target;
    private final Function<String, @Nullable String> domains;
    private final Map<String, Integer> counts = new HashMap<>();
    private int remaining = MAX_QUERIES;
    private @Nullable String own;
    private String latestName = "";
    private @Nullable String latestDomain;

    /**
     * @param target the name of the target; null if there is none
     * @param domains as {@link RegistrableDomains#ofDnsName}
     */
    DnsQueryBudget(@Nullable String target, Function<String, @Nullable String> domains) {
        this.target = target;
        this.domains = domains;
    }

    /**
     * The domain of a name whose queries are limited; null if they are not, because the name is below the domain of the
     * target. Most checks query several types of the target only, so the Public Suffix List is used for other names
     * only, and the latest domain is remembered.
     */
    synchronized @Nullable String limitedDomain(String name) {
        if (target != null && isAtOrBelow(name, target)) {
            return null;
        }
        if (!name.equals(latestName)) {
            own = own == null && target != null ? domains.apply(target) : own;
            String domain = domains.apply(name);
            latestDomain = domain == null || domain.equals(own) ? null : domain;
            latestName = name;
        }
        return latestDomain;
    }

    private static boolean isAtOrBelow(String name, String ancestor) {
        int labels = name.length() - ancestor.length();
        return name.endsWith(ancestor) && (labels == 0 || labels > 0 && name.charAt(labels - 1) == '.');
    }

    /**
     * Takes a query from the budget.
     *
     * @param domain see {@link #limitedDomain}
     * @return why the query must not be sent; null if it can be sent
     */
    synchronized @Nullable CheckFailure take(@Nullable String domain) {
        if (remaining <= 0) {
            return new CheckFailure(
                    ErrorCode.REQUEST_LIMIT, "The check exceeded its limit of " + MAX_QUERIES + " DNS queries.");
        }
        if (domain != null && counts.merge(domain, 1, Integer::sum) > MAX_PER_DOMAIN) {
            return new CheckFailure(
                    ErrorCode.REQUEST_LIMIT,
                    "The check exceeded its limit of %d DNS queries for names below %s."
                            .formatted(MAX_PER_DOMAIN, domain));
        }
        remaining--;
        return null;
    }

    /** Takes the queries of the resolver for an alias. */
    synchronized void takeAlias(String name) {
        remaining--;
        String domain = limitedDomain(name);
        if (domain != null) {
            takeIndirect(domain);
        }
    }

    /** Takes a failed query, which can have led to any domain. */
    synchronized void takeFailed() {
        takeIndirect(UNKNOWN);
    }

    /** Uses up the budget at the limit of the domain, because any further query can lead to the same domain. */
    private void takeIndirect(String domain) {
        if (counts.merge(domain, 1, Integer::sum) > MAX_PER_DOMAIN) {
            remaining = 0;
        }
    }
}
