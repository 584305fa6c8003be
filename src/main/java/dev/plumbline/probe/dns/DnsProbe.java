package dev.plumbline.probe.dns;

import dev.plumbline.check.CheckContext;
import dev.plumbline.check.CheckFailure;
import dev.plumbline.dns.DnsQueryLimiter;
import dev.plumbline.dns.DnsQueryPermits;
import dev.plumbline.dns.DnsResolver;
import dev.plumbline.dns.DnsResponse;
import dev.plumbline.dns.PrivateNameFilter;
import dev.plumbline.egress.DnsQueryLimits;
import dev.plumbline.result.CheckError;
import dev.plumbline.result.ErrorCode;
import dev.plumbline.sheet.ModuleDescription;
import dev.plumbline.target.TargetPolicy;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.net.InetAddress;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.xbill.DNS.Message;
import org.xbill.DNS.Name;
import org.xbill.DNS.Section;
import org.xbill.DNS.Type;

/**
 * DNS lookups for checks that evaluate records: queries the resolver of the option {@code resolver}, uses cached
 * responses of the last seconds, limits the queries of each check, and withholds records of private networks.
 */
public final class DnsProbe {
    private static final long MAX_CACHE_AGE_MS = 5_000;

    /** The memory of the objects of a message, as a multiple of its size. */
    static final int OBJECT_FACTOR = 6;

    /** A lookup that timed out at least this long before the deadline had its full timeout. */
    private static final long DEADLINE_MARGIN_MS = 1_000;

    private final Vertx vertx;
    private final DnsResolver defaultResolver;
    private final Map<String, DnsResolver> alternatives;
    private final TargetPolicy policy;
    private final DnsQueryLimits limits;

    /** @param alternatives the resolvers that the option {@code resolver} offers besides the default one, by name */
    public DnsProbe(
            Vertx vertx,
            DnsResolver defaultResolver,
            Map<String, DnsResolver> alternatives,
            TargetPolicy policy,
            DnsQueryLimits limits) {
        this.vertx = vertx;
        this.defaultResolver = defaultResolver;
        this.alternatives = Map.copyOf(alternatives);
        this.policy = policy;
        this.limits = limits;
    }

    /**
     * Looks up records. NXDOMAIN and an empty answer are responses, not failures. Fails as {@link DnsResolver#query}
     * does, with {@code target_blocked} if the response contains private names or addresses, and as
     * {@link DnsQueryPermits#acquire} does.
     *
     * @param type a constant of {@link Type}
     */
    public Future<DnsResponse> query(CheckContext context, String name, int type) {
        return queryRaw(context, name, type).compose(DnsResolver::requireNoError);
    }

    /** As {@link #query}, but any response code is a response. */
    public Future<DnsResponse> queryRaw(CheckContext context, String name, int type) {
        return limited(context, name, type, limits.permits(context))
                .compose(response -> PrivateNameFilter.isPrivate(policy, response)
                        ? Future.failedFuture(PrivateNameFilter.failure(name))
                        : requireAdmittedAlias(context, name, response));
    }

    /** The response to a query for records with their signatures; see {@link DnsResolver#querySigned}. */
    Future<Message> querySigned(CheckContext context, Name name, int type) {
        return limiter(context)
                .run(context.deadline(), () -> resolver(context)
                        .querySigned(name, type, context.deadline(), limits.permits(context)))
                .onFailure(context.budget()::recordEnd)
                .compose(response -> context.reserve((long) OBJECT_FACTOR * response.numBytes())
                        .map(response))
                .compose(response -> PrivateNameFilter.isPrivate(policy, response.getSection(Section.ANSWER))
                        ? Future.failedFuture(PrivateNameFilter.failure(DnsResolver.text(name)))
                        : Future.succeededFuture(response));
    }

    /**
     * As {@link #query}, for zones of the operator whose addresses are codes. They are not withheld if they are
     * private.
     */
    public Future<DnsResponse> queryCodes(CheckContext context, String name, int type) {
        return limited(context, name, type, limits.permitsOfOperator(context)).compose(DnsResolver::requireNoError);
    }

    /**
     * As {@link #queryRaw}, with a {@link CheckFailure} as a result.
     *
     * @param type for example {@code MX}
     */
    public Future<DnsLookupResult> lookup(CheckContext context, String name, String type) {
        return queryRaw(context, name, Type.value(type))
                .map(response -> new DnsLookupResult(type, response, null))
                .recover(CheckFailure.otherwise(error -> new DnsLookupResult(type, null, error)));
    }

    /**
     * Whether a name has A records. Addresses in 127.0.0.0/8 are permitted, because DNS lists return them as codes (RFC
     * 5782 section 2.1): the result does not disclose more than the failure for a private address does. Otherwise fails
     * as {@link #query} does.
     */
    public Future<Boolean> hasAddress(CheckContext context, String name) {
        return limited(context, name, Type.A, limits.permits(context))
                .compose(DnsResolver::requireNoError)
                .compose(response -> {
                    boolean codes = !response.addresses().isEmpty()
                            && response.aliases().isEmpty()
                            && response.addresses().stream().allMatch(InetAddress::isLoopbackAddress);
                    return codes || !PrivateNameFilter.isPrivate(policy, response)
                            ? Future.succeededFuture(!response.addresses().isEmpty())
                            : Future.failedFuture(PrivateNameFilter.failure(name));
                });
    }

    /** Looks up the A and AAAA records of a host. */
    public Future<HostAddresses> addresses(CheckContext context, String host) {
        Future<DnsLookupResult> a = lookup(context, host, "A");
        Future<DnsLookupResult> aaaa = lookup(context, host, "AAAA");
        return Future.all(a, aaaa).map(done -> HostAddresses.of(a.result(), aaaa.result()));
    }

    /**
     * A hostile server can return a CNAME record for one type only, so that the A and AAAA lookups of the name do not
     * reveal the target of the alias.
     */
    private Future<DnsResponse> requireAdmittedAlias(CheckContext context, String name, DnsResponse response) {
        List<Name> aliases = response.aliases();
        if (aliases.isEmpty() || response.type() == Type.A || response.type() == Type.AAAA) {
            return Future.succeededFuture(response);
        }
        return admit(context, DnsResolver.text(aliases.get(aliases.size() - 1)))
                .map(response)
                .recover(cause -> Future.failedFuture(
                        CheckFailure.hasCode(cause, ErrorCode.TARGET_BLOCKED)
                                ? PrivateNameFilter.failure(name)
                                : cause));
    }

    /** The response; fails with {@code dns_nxdomain} if the name does not exist. */
    public static Future<DnsResponse> requireName(DnsResponse response) {
        return response.nxdomain()
                ? Future.failedFuture(new CheckFailure(CheckError.nameNotFound(DnsResolver.text(response.name()))))
                : Future.succeededFuture(response);
    }

    /**
     * Fails with {@code target_blocked} if a domain has a private address: its other records may be known to the
     * internal resolver only. Fails as {@link #query} does if a failed lookup may hide an address. A failed AAAA lookup
     * is ignored if there is a public IPv4 address, because many servers fail on AAAA queries (RFC 4074), and private
     * networks combine public IPv6 with private IPv4 addresses, not the reverse.
     */
    public Future<Void> admit(CheckContext context, String domain) {
        return limiter(context).admission(domain.toLowerCase(Locale.ROOT), () -> admission(context, domain));
    }

    /**
     * As {@link #admit}, but permits a domain whose address lookups fail or time out: for records that receivers use
     * without the addresses of the domain. Not if the deadline of the check is near, because the owner of another zone
     * could cause that.
     */
    public Future<Void> admitWithoutAddresses(CheckContext context, String domain) {
        return admit(context, domain)
                .recover(cause -> (CheckFailure.hasCode(cause, ErrorCode.DNS_TIMEOUT)
                                        || CheckFailure.hasCode(cause, ErrorCode.DNS_SERVFAIL))
                                && context.deadline().remainingMillis() > DEADLINE_MARGIN_MS
                        ? Future.succeededFuture()
                        : Future.failedFuture(cause));
    }

    private Future<Void> admission(CheckContext context, String domain) {
        Future<DnsResponse> v4 = query(context, domain, Type.A);
        Future<DnsResponse> v6 = query(context, domain, Type.AAAA);
        return Future.join(v4, v6).transform(done -> {
            for (Future<DnsResponse> lookup : List.of(v4, v6)) {
                boolean unknown = lookup.failed() && lookup.cause() instanceof CheckFailure;
                if (lookup.failed() && (!unknown || CheckFailure.hasCode(lookup.cause(), ErrorCode.TARGET_BLOCKED))) {
                    return Future.failedFuture(lookup.cause());
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

    private Future<DnsResponse> limited(CheckContext context, String name, int type, DnsQueryPermits permits) {
        return limiter(context)
                .run(context.deadline(), () -> resolver(context)
                        .queryRaw(name, type, context.deadline(), MAX_CACHE_AGE_MS, permits))
                .onFailure(context.budget()::recordEnd)
                .compose(response -> context.reserve(response.weight()).map(response));
    }

    private DnsQueryLimiter limiter(CheckContext context) {
        return context.budget().counter(DnsQueryLimiter.class, () -> new DnsQueryLimiter(vertx));
    }

    private DnsResolver resolver(CheckContext context) {
        String name = context.options().optionalText(ModuleDescription.RESOLVER);
        return name == null ? defaultResolver : alternatives.getOrDefault(name, defaultResolver);
    }
}
