package dev.plumbline.probe.dns;

import dev.plumbline.check.CheckContext;
import dev.plumbline.check.CheckFailure;
import dev.plumbline.check.ErrorCode;
import dev.plumbline.check.ModuleDescription;
import dev.plumbline.check.TargetPolicy;
import dev.plumbline.dns.DnsQueryLimiter;
import dev.plumbline.dns.DnsResolver;
import dev.plumbline.dns.DnsResponse;
import dev.plumbline.dns.PrivateNameFilter;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.xbill.DNS.Name;
import org.xbill.DNS.Type;

/**
 * Records of the DNS, for checks that judge the records themselves. It asks the resolver that the
 * option {@code resolver} names, shares answers of the last few seconds, lets no check ask more
 * than its share, and keeps to itself what belongs to a private network.
 */
public final class DnsProbe {
    private static final long MOMENT_MS = 5_000;

    private final Vertx vertx;
    private final DnsResolver standard;
    private final Map<String, DnsResolver> named;
    private final TargetPolicy policy;

    /**
     * @param named the resolvers that people may choose besides the standard one
     */
    public DnsProbe(Vertx vertx, DnsResolver standard, Map<String, DnsResolver> named, TargetPolicy policy) {
        this.vertx = vertx;
        this.standard = standard;
        this.named = Map.copyOf(named);
        this.policy = policy;
    }

    /**
     * What the DNS says of a name; that it or its type does not exist is an answer. Fails as {@link
     * DnsResolver#query} does, with {@code target_blocked} when the answer holds what belongs to a
     * private network, and with {@code request_limit} when the check has asked too much.
     *
     * @param type of {@link Type}
     */
    public Future<DnsResponse> query(CheckContext context, String name, int type) {
        return ask(context, name, type).compose(DnsResolver::told);
    }

    /** As {@link #query}, but that the resolver has failed is an answer too. */
    public Future<DnsResponse> ask(CheckContext context, String name, int type) {
        return share(context)
                .ask(context.deadline(), () -> resolver(context).ask(name, type, context.deadline(), MOMENT_MS))
                .compose(answer -> PrivateNameFilter.hides(policy, answer)
                        ? Future.failedFuture(PrivateNameFilter.inside(name))
                        : admitAlias(context, name, answer));
    }

    /**
     * As {@link #ask}, with a {@link CheckFailure} as a result.
     *
     * @param type for example {@code MX}
     */
    public Future<DnsLookupResult> lookup(CheckContext context, String name, String type) {
        return ask(context, name, Type.value(type))
                .map(response -> new DnsLookupResult(type, response, null))
                .recover(cause -> cause instanceof CheckFailure failure
                        ? Future.succeededFuture(new DnsLookupResult(type, null, failure.error()))
                        : Future.failedFuture(cause));
    }

    /** Looks up the A and AAAA records of a host. */
    public Future<HostAddresses> addresses(CheckContext context, String host) {
        Future<DnsLookupResult> a = lookup(context, host, "A");
        Future<DnsLookupResult> aaaa = lookup(context, host, "AAAA");
        return Future.all(a, aaaa).map(both -> HostAddresses.of(a.result(), aaaa.result()));
    }

    /**
     * A hostile server may say that a name is an alias for one type only, so that its addresses tell
     * nothing of where the alias leads.
     */
    private Future<DnsResponse> admitAlias(CheckContext context, String name, DnsResponse answer) {
        List<Name> aliases = answer.aliases();
        if (aliases.isEmpty() || answer.type() == Type.A || answer.type() == Type.AAAA) {
            return Future.succeededFuture(answer);
        }
        return admit(context, DnsResolver.text(aliases.get(aliases.size() - 1)))
                .map(answer)
                .recover(cause -> Future.failedFuture(isBlocked(cause) ? PrivateNameFilter.inside(name) : cause));
    }

    /** The response; fails with {@code dns_nxdomain} if the name does not exist. */
    public static Future<DnsResponse> requireName(DnsResponse response) {
        return response.nxdomain()
                ? Future.failedFuture(new CheckFailure(
                        ErrorCode.DNS_NXDOMAIN, "The name " + DnsResolver.text(response.name()) + " does not exist."))
                : Future.succeededFuture(response);
    }

    /**
     * Fails with {@code target_blocked} when a domain has an address of a private network: nothing
     * else that our resolver knows of it may be told then, because strangers might not know it. When
     * an address may be hidden in a look-up that failed, fails as {@link #query} does. That of IPv6
     * may fail where a public IPv4 address is known: many servers break on it (RFC 4074), and private
     * networks give their hosts public IPv6 and private IPv4 addresses, not the reverse.
     */
    public Future<Void> admit(CheckContext context, String domain) {
        return share(context).admission(domain.toLowerCase(Locale.ROOT), () -> admission(context, domain));
    }

    private Future<Void> admission(CheckContext context, String domain) {
        Future<DnsResponse> v4 = query(context, domain, Type.A);
        Future<DnsResponse> v6 = query(context, domain, Type.AAAA);
        return Future.join(v4, v6).transform(both -> {
            for (Future<DnsResponse> answer : List.of(v4, v6)) {
                boolean unknown = answer.failed() && answer.cause() instanceof CheckFailure;
                if (answer.failed() && (!unknown || isBlocked(answer.cause()))) {
                    return Future.failedFuture(answer.cause());
                }
            }
            if (v4.failed()) {
                return Future.failedFuture(v4.cause());
            }
            boolean isPublic = !v4.result().addresses().isEmpty();
            return v6.succeeded() || isPublic || v4.result().nxdomain()
                    ? Future.succeededFuture()
                    : Future.failedFuture(v6.cause());
        });
    }

    /** Whether an outcome is the refusal to tell something. */
    public static boolean isBlocked(@Nullable Throwable cause) {
        return cause instanceof CheckFailure failure && failure.error().code() == ErrorCode.TARGET_BLOCKED;
    }

    private DnsQueryLimiter share(CheckContext context) {
        return context.budget().share(DnsQueryLimiter.class, () -> new DnsQueryLimiter(vertx));
    }

    private DnsResolver resolver(CheckContext context) {
        String name = context.options().text(ModuleDescription.RESOLVER);
        return name == null ? standard : named.getOrDefault(name, standard);
    }
}
