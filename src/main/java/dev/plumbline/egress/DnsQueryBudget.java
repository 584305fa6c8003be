package dev.plumbline.egress;

import static dev.plumbline.egress.DnsQueryLimits.MAX_PER_DOMAIN;
import static dev.plumbline.egress.DnsQueryLimits.MAX_QUERIES;

import dev.plumbline.check.CheckFailure;
import dev.plumbline.check.ErrorCode;
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

    private final @Nullable String own;
    private final Map<String, Integer> counts = new HashMap<>();
    private int remaining = MAX_QUERIES;
    private String latestName = "";
    private @Nullable String latestDomain;

    /** @param own the domain of the target; null if there is none */
    DnsQueryBudget(@Nullable String own) {
        this.own = own;
    }

    /**
     * The domain of a name. Remembers the latest one, because most checks query several types of one name.
     *
     * @param find as {@link RegistrableDomains#ofDnsName}
     */
    synchronized @Nullable String domainOf(String name, Function<String, @Nullable String> find) {
        if (!name.equals(latestName)) {
            latestDomain = find.apply(name);
            latestName = name;
        }
        return latestDomain;
    }

    /** Whether queries for names below the domain are limited. */
    boolean limits(@Nullable String domain) {
        return domain != null && !domain.equals(own);
    }

    /**
     * Takes a query from the budget.
     *
     * @param domain of the name; null if queries for it are not limited
     * @return why the query must not be sent; null if it can be sent
     */
    synchronized @Nullable CheckFailure take(@Nullable String domain) {
        if (remaining <= 0) {
            return new CheckFailure(
                    ErrorCode.REQUEST_LIMIT, "The check exceeded its limit of " + MAX_QUERIES + " DNS queries.");
        }
        if (limits(domain) && counts.merge(domain, 1, Integer::sum) > MAX_PER_DOMAIN) {
            return new CheckFailure(
                    ErrorCode.REQUEST_LIMIT,
                    "The check exceeded its limit of %d DNS queries for names below %s."
                            .formatted(MAX_PER_DOMAIN, domain));
        }
        remaining--;
        return null;
    }

    /** Takes the queries of the resolver for an alias. */
    synchronized void takeAlias(@Nullable String domain) {
        remaining--;
        if (limits(domain)) {
            takeUnrequested(domain);
        }
    }

    /** Takes a failed query, which can have led to any domain. */
    synchronized void takeFailed() {
        takeUnrequested(UNKNOWN);
    }

    /** Uses up the budget at the limit of the domain, because any further query can lead to the same domain. */
    private void takeUnrequested(String domain) {
        if (counts.merge(domain, 1, Integer::sum) > MAX_PER_DOMAIN) {
            remaining = 0;
        }
    }
}
