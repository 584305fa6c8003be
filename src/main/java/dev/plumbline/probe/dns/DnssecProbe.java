package dev.plumbline.probe.dns;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import dev.plumbline.budget.CpuPool;
import dev.plumbline.check.CheckContext;
import dev.plumbline.check.CheckFailure;
import dev.plumbline.dns.DnsResolver;
import dev.plumbline.dnssec.DnssecFailure;
import dev.plumbline.dnssec.DnssecFailure.Reason;
import dev.plumbline.dnssec.DnssecLookup;
import dev.plumbline.dnssec.DnssecQuery;
import dev.plumbline.dnssec.DnssecResult;
import dev.plumbline.dnssec.DnssecStatus;
import dev.plumbline.dnssec.DnssecValidator;
import dev.plumbline.dnssec.TrustAnchors;
import dev.plumbline.dnssec.ValidationLimits;
import dev.plumbline.dnssec.ZoneTrust;
import dev.plumbline.result.CheckError;
import dev.plumbline.result.ErrorCode;
import dev.plumbline.sheet.ModuleDescription;
import io.vertx.core.Future;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.xbill.DNS.Message;
import org.xbill.DNS.Name;
import org.xbill.DNS.Rcode;
import org.xbill.DNS.TextParseException;
import org.xbill.DNS.Type;

/**
 * DNS lookups that this service validates from the trust anchors ({@code dns.trust_anchors}), with the data of the
 * resolver of the option {@code resolver}. The lookups of one check share queries, validated zones and limits. Checks
 * share the root and top-level domains.
 */
public final class DnssecProbe {
    private static final Duration MAX_CACHE_AGE = Duration.ofMinutes(1);
    private static final int MAX_CACHED_ZONES = 2_000;

    /** The number of labels of a top-level domain with the root label. */
    private static final int SHARED_LABELS = 2;

    private final DnsProbe dns;
    private final TrustAnchors anchors;
    private final Cache<CacheKey, ZoneTrust> cache = Caffeine.newBuilder()
            .maximumSize(MAX_CACHED_ZONES)
            .expireAfterWrite(MAX_CACHE_AGE)
            .executor(Runnable::run)
            .build();

    private record CacheKey(@Nullable String resolver, Name zone) {}

    /** The lookups of one check. */
    private record Session(
            DnssecValidator validator,
            Map<DnssecQuery, Future<Message>> queries,
            Map<DnssecQuery, CheckError> errors) {}

    public DnssecProbe(DnsProbe dns, TrustAnchors anchors) {
        this.dns = dns;
        this.anchors = anchors;
    }

    /** A probe that also validates from other trust anchors. It does not share validated zones with other checks. */
    public DnssecProbe trusting(TrustAnchors others) {
        return new DnssecProbe(
                dns,
                new TrustAnchors(Stream.concat(anchors.records().stream(), others.records().stream())
                        .toList()));
    }

    /**
     * Looks up and validates records. A lookup that failed has the status indeterminate. Fails with
     * {@code target_blocked} as {@link DnsProbe#query} does, and with {@code request_limit} if the check has made too
     * many queries.
     *
     * @param type a constant of {@link Type}
     * @param followAliases whether to look up the targets of CNAME records too
     */
    public Future<ValidatedLookup> lookup(CheckContext context, String name, int type, boolean followAliases) {
        Name queried;
        try {
            queried = Name.fromString(name, Name.root);
        } catch (TextParseException malformed) {
            return Future.failedFuture(new CheckFailure(ErrorCode.INVALID_TARGET, "The name is not a valid DNS name."));
        }
        Session session = context.budget().counter(Session.class, () -> newSession(context));
        DnssecLookup lookup = new DnssecLookup(session.validator(), queried, type, followAliases);
        return run(context, session, lookup, lookup.next())
                .map(result -> new ValidatedLookup(result, error(result, session)));
    }

    private Session newSession(CheckContext context) {
        String resolver = context.options().optionalText(ModuleDescription.RESOLVER);
        DnssecValidator validator = new DnssecValidator(
                anchors,
                context.clock().instant(),
                new ValidationLimits(),
                zone -> context.fresh() ? null : cache.getIfPresent(new CacheKey(resolver, zone)));
        return new Session(validator, new ConcurrentHashMap<>(), new ConcurrentHashMap<>());
    }

    private Future<DnssecResult> run(
            CheckContext context, Session session, DnssecLookup lookup, @Nullable DnssecQuery query) {
        if (query == null) {
            DnssecResult result = lookup.result();
            share(context, result);
            return Future.succeededFuture(result);
        }
        return query(context, session, query)
                .compose(response -> context.executeBlocking(CpuPool.Purpose.SIGNATURES, () -> {
                    lookup.accept(response);
                    return Optional.ofNullable(lookup.next());
                }))
                .compose(next -> run(context, session, lookup, next.orElse(null)));
    }

    private Future<Message> query(CheckContext context, Session session, DnssecQuery query) {
        return session.queries().computeIfAbsent(query, missing -> dns.querySigned(context, query.name(), query.type())
                .recover(cause -> {
                    if (!CheckFailure.hasCode(cause, ErrorCode.DNS_TIMEOUT)
                            && !CheckFailure.hasCode(cause, ErrorCode.DNS_SERVFAIL)) {
                        return Future.failedFuture(cause);
                    }
                    session.errors().put(query, ((CheckFailure) cause).error());
                    Message failed = new Message();
                    failed.getHeader().setRcode(Rcode.SERVFAIL);
                    return Future.succeededFuture(failed);
                }));
    }

    private void share(CheckContext context, DnssecResult result) {
        String resolver = context.options().optionalText(ModuleDescription.RESOLVER);
        for (ZoneTrust zone : result.zones()) {
            if (zone.secure() && zone.zone().labels() <= SHARED_LABELS) {
                cache.put(new CacheKey(resolver, zone.zone()), zone);
            }
        }
    }

    private static @Nullable CheckError error(DnssecResult result, Session session) {
        DnssecFailure failure = result.failure();
        if (failure == null || failure.reason().status() != DnssecStatus.INDETERMINATE) {
            return null;
        }
        String records = Type.string(failure.type()) + " records of " + DnsResolver.text(failure.name());
        if (failure.reason() == Reason.RESOLVER_UNSUITABLE) {
            return new CheckError(
                    ErrorCode.DNS_SERVFAIL, "The DNS resolver returned the " + records + " without signatures.");
        }
        if (failure.reason() == Reason.NO_TRUST_ANCHOR) {
            return new CheckError(ErrorCode.DNS_SERVFAIL, "No trust anchor is configured for the " + records + ".");
        }
        CheckError error = session.errors().get(new DnssecQuery(failure.name(), failure.type()));
        return error != null
                ? error
                : new CheckError(ErrorCode.DNS_SERVFAIL, "The lookup of the " + records + " failed.");
    }
}
