package dev.plumbline.dns;

import dev.plumbline.trace.Span;
import io.vertx.core.Future;
import java.util.List;
import org.xbill.DNS.Name;

/** The permits of one check for the queries that the cache of a resolver does not serve. Thread-safe. */
public interface DnsQueryPermits {
    /**
     * Acquires a permit for a query, now or after waiting. Fails with {@code request_limit} if the check has made too
     * many queries, and with {@link dev.plumbline.check.OverloadFailure} if a rate limit would delay it too long.
     *
     * @param name A-labels in lower case without the trailing dot; empty for the root
     */
    Future<Void> acquire(String name);

    /** The span of the check. */
    default Span span() {
        return Span.NONE;
    }

    /** Counts the aliases that the resolver followed for a query: it queried the nameservers of each. */
    default void countAliases(List<Name> aliases) {}

    /** Counts a failed query: the resolver can have queried nameservers that are unknown here. */
    default void countFailure() {}
}
