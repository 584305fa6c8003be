package dev.plumbline.dns;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import com.github.benmanes.caffeine.cache.Expiry;
import dev.plumbline.check.CheckFailure;
import dev.plumbline.check.Deadline;
import dev.plumbline.check.OverloadFailure;
import dev.plumbline.concurrent.AsyncSemaphore;
import dev.plumbline.concurrent.CurrentSpan;
import dev.plumbline.concurrent.SingleFlight;
import dev.plumbline.config.Config;
import dev.plumbline.result.CheckError;
import dev.plumbline.result.ErrorCode;
import dev.plumbline.target.TargetPolicy;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.xbill.DNS.DClass;
import org.xbill.DNS.Message;
import org.xbill.DNS.Name;
import org.xbill.DNS.Rcode;
import org.xbill.DNS.Record;
import org.xbill.DNS.Section;
import org.xbill.DNS.TextParseException;
import org.xbill.DNS.Type;

/**
 * A stub resolver (RFC 1034 section 5.3.1): queries the configured recursive servers, caches responses for their TTL,
 * and shares concurrent queries for the same name and type. It does not use the hosts file. Thread-safe; futures
 * complete on the caller's context.
 */
public final class DnsResolver {
    private static final int MAX_CONCURRENT = 2_000;
    private static final int MAX_QUEUED = 16_000;
    private static final long QUEUE_TIMEOUT_MS = 2_000;

    /** Fits into the receive buffer of a server's socket, which holds 256 packets by default. */
    private static final int MAX_UNREAD = 128;

    /** The types for which the root and top-level domains can be looked up. */
    private static final Set<Integer> ZONE_TYPES = Set.of(Type.NS, Type.SOA, Type.DS, Type.DNSKEY, Type.CAA);

    /** A caller joins a query that ends at most this much before its own deadline. */
    private static final long JOIN_TOLERANCE_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

    /** The assumed duration of a query whose timeout allows all attempts; longer than that of any other. */
    private static final long ALL_ATTEMPTS_NANOS = TimeUnit.HOURS.toNanos(1);

    /** The approximate memory of a response with one address; larger responses have a larger weight. */
    private static final long BYTES_PER_ENTRY = 300;

    private record Key(String name, int type) {}

    private record Lookup(Key key, Name question, Deadline deadline, long maxAgeMillis, DnsQueryPermits permits) {}

    private record CacheEntry(DnsResponse response, long storedNanos) {}

    private final TargetPolicy policy;
    private final DnsServers servers;
    private final AsyncSemaphore semaphore;
    private final SingleFlight<Key, DnsResponse> inFlight;
    private final LongSupplier nanoClock;
    private final Cache<Key, CacheEntry> cache;

    /**
     * @param nanoClock the clock for the expiry of cache entries, for example {@code System::nanoTime}
     * @throws IllegalArgumentException if a configured server is malformed
     */
    public DnsResolver(Vertx vertx, Config.DnsSettings settings, TargetPolicy policy, LongSupplier nanoClock) {
        this(vertx, settings, policy, nanoClock, MAX_CONCURRENT, MAX_UNREAD, MAX_QUEUED);
    }

    DnsResolver(
            Vertx vertx,
            Config.DnsSettings settings,
            TargetPolicy policy,
            LongSupplier nanoClock,
            int maxConcurrent,
            int maxUnread,
            int maxQueued) {
        this.policy = policy;
        this.nanoClock = nanoClock;
        this.semaphore = new AsyncSemaphore(vertx, maxConcurrent, maxQueued);
        this.inFlight = new SingleFlight<>(
                vertx,
                outcome -> !(outcome.cause() instanceof OverloadFailure)
                        && !CheckFailure.hasCode(outcome.cause(), ErrorCode.REQUEST_LIMIT));
        this.servers = new DnsServers(
                new DnsTransport(vertx, settings.timeout(), maxUnread),
                DnsServerList.from(settings.servers()),
                Math.max(1, settings.timeout().toMillis()));
        this.cache = Caffeine.newBuilder()
                .maximumWeight(settings.cacheEntries() * BYTES_PER_ENTRY)
                .weigher((Key key, CacheEntry entry) ->
                        key.name().length() + entry.response().weight())
                .expireAfter(Expiry.creating((Key key, CacheEntry entry) ->
                        Duration.ofSeconds(entry.response().ttlSeconds())))
                .ticker(nanoClock::getAsLong)
                // once for all responses that an event loop reads at the same time
                .executor(maintenance -> vertx.runOnContext(ignored -> maintenance.run()))
                .build();
    }

    /** The failure {@code dns_nxdomain} or {@code dns_no_data} of a lookup whose response has no address. */
    public static CheckFailure noAddress(String name, DnsResponse response) {
        return response.nxdomain()
                ? new CheckFailure(CheckError.nameNotFound(name))
                : new CheckFailure(
                        ErrorCode.DNS_NO_DATA, "No " + Type.string(response.type()) + " record for " + name + ".");
    }

    /**
     * Looks up records. NXDOMAIN and an empty answer are responses, not failures. Fails with {@code target_blocked} for
     * a name that must not be looked up, {@code dns_timeout}, {@code dns_servfail} for any other response code,
     * {@link OverloadFailure} if too many queries are running, and as {@link DnsQueryPermits#acquire} does if the
     * response is not in the cache.
     *
     * @param name A-labels, with or without the trailing dot; for a zone type also a top-level domain or the root
     * @param type a constant of {@link Type}; zone types are NS, SOA, DS and DNSKEY
     */
    public Future<DnsResponse> query(String name, int type, Deadline deadline, DnsQueryPermits permits) {
        return queryRaw(name, type, deadline, Long.MAX_VALUE, permits).compose(DnsResolver::requireNoError);
    }

    /** The response; fails with {@code dns_servfail} if its code is neither NOERROR nor NXDOMAIN. */
    public static Future<DnsResponse> requireNoError(DnsResponse response) {
        return response.failed()
                ? failed(
                        ErrorCode.DNS_SERVFAIL,
                        "The DNS resolver returned %s for %s."
                                .formatted(Rcode.string(response.rcode()), text(response.name())))
                : Future.succeededFuture(response);
    }

    /**
     * As {@link #query}, but any response code is a response.
     *
     * @param maxAgeMillis the maximum age of a cached response, in addition to its TTL
     */
    public Future<DnsResponse> queryRaw(
            String name, int type, Deadline deadline, long maxAgeMillis, DnsQueryPermits permits) {
        String withoutDot = name.endsWith(".") ? name.substring(0, name.length() - 1) : name;
        Key key = new Key(withoutDot.toLowerCase(Locale.ROOT), type);
        DnsResponse cached = cached(key, maxAgeMillis);
        if (cached != null) {
            return Future.succeededFuture(cached);
        }
        Name question;
        try {
            question = key.name().isEmpty() ? Name.root : Name.fromString(key.name(), Name.root);
        } catch (TextParseException malformed) {
            return failed(ErrorCode.INVALID_TARGET, "The name is not a valid DNS name.");
        }
        Key normalized = isPlain(key.name()) ? key : new Key(question.equals(Name.root) ? "" : text(question), type);
        String refusal = refusal(normalized.name(), type);
        if (refusal != null) {
            return failed(ErrorCode.TARGET_BLOCKED, refusal);
        }
        return shareQuery(new Lookup(normalized, question, deadline, maxAgeMillis, permits));
    }

    private @Nullable String refusal(String name, int type) {
        return ZONE_TYPES.contains(type) ? policy.refusalOfZone(name) : policy.refusalOfName(name);
    }

    private @Nullable DnsResponse cached(Key key, long maxAgeMillis) {
        CacheEntry entry = cache.getIfPresent(key);
        return entry != null
                        && TimeUnit.NANOSECONDS.toMillis(nanoClock.getAsLong() - entry.storedNanos()) < maxAgeMillis
                ? entry.response()
                : null;
    }

    /**
     * Queries records with their signatures, which the resolver does not validate. Fails as {@link #query} does, but
     * any response code is a response. Not cached; CNAME records are not followed.
     */
    public Future<Message> querySigned(Name name, int type, Deadline deadline, DnsQueryPermits permits) {
        String text = name.equals(Name.root) ? "" : text(name);
        String refusal = refusal(text, type);
        if (refusal != null) {
            return failed(ErrorCode.TARGET_BLOCKED, refusal);
        }
        return permits.acquire(text).compose(acquired -> sendSigned(name, text, type, deadline, permits));
    }

    private Future<Message> sendSigned(Name name, String text, int type, Deadline deadline, DnsQueryPermits permits) {
        return semaphore
                .withPermit(
                        Math.min(QUEUE_TIMEOUT_MS, deadline.remainingMillis()),
                        () -> CurrentSpan.with(permits.span(), () -> {
                            Promise<Message> promise = Promise.promise();
                            servers.send(
                                    Record.newRecord(name, type, DClass.IN),
                                    DnsQuestion.Flags.SIGNED,
                                    Deadline.in(timeoutMillis(deadline)),
                                    promise);
                            return promise.future();
                        }),
                        () -> Future.failedFuture(overload()))
                .onComplete(outcome -> {
                    if (outcome.succeeded()) {
                        permits.countAliases(CnameChain.targets(outcome.result().getSection(Section.ANSWER)));
                    } else if (outcome.cause() instanceof CheckFailure) {
                        permits.countFailure();
                    }
                })
                .recover(cause -> Future.failedFuture(withName(text, cause)));
    }

    /**
     * Queries records, or joins a running query for them, unless it ends too early for this caller. A caller sends its
     * own query if the one that it joined failed because of a limit.
     */
    private Future<DnsResponse> shareQuery(Lookup lookup) {
        Key key = lookup.key();
        long timeoutMillis = timeoutMillis(lookup.deadline());
        boolean allAttempts = timeoutMillis == servers.maxMillis();
        long nowNanos = System.nanoTime();
        long endNanos = nowNanos + (allAttempts ? ALL_ATTEMPTS_NANOS : TimeUnit.MILLISECONDS.toNanos(timeoutMillis));
        return inFlight.run(
                        key,
                        new SingleFlight.Limits(
                                lookup.deadline().remainingMillis(),
                                endNanos,
                                end -> end - nowNanos > ALL_ATTEMPTS_NANOS / 2
                                        || !allAttempts && end - endNanos > -JOIN_TOLERANCE_NANOS),
                        () -> lookup.permits().acquire(key.name()).compose(acquired -> {
                            DnsResponse cached = cached(key, lookup.maxAgeMillis());
                            return cached == null ? sendWithPermit(lookup) : Future.succeededFuture(cached);
                        }))
                .recover(cause -> Future.failedFuture(withName(key.name(), cause)));
    }

    private Future<DnsResponse> sendWithPermit(Lookup lookup) {
        return semaphore
                .withPermit(
                        Math.min(QUEUE_TIMEOUT_MS, lookup.deadline().remainingMillis()),
                        () -> CurrentSpan.with(lookup.permits().span(), () -> new DnsLookup(
                                        servers,
                                        policy,
                                        lookup.permits(),
                                        lookup.question(),
                                        lookup.key().type(),
                                        Deadline.in(timeoutMillis(lookup.deadline())))
                                .run()),
                        () -> Future.failedFuture(overload()))
                .onSuccess(response -> {
                    if (response.ttlSeconds() > 0) {
                        cache.put(lookup.key(), new CacheEntry(response, nanoClock.getAsLong()));
                    }
                });
    }

    /** Adds the name of the query to a timeout. */
    private static Throwable withName(String name, Throwable cause) {
        return cause instanceof TimeoutException || CheckFailure.hasCode(cause, ErrorCode.DNS_TIMEOUT)
                ? new CheckFailure(ErrorCode.DNS_TIMEOUT, "DNS lookup for " + name + " timed out.")
                : cause;
    }

    static OverloadFailure overload() {
        return OverloadFailure.ofNode("Too many DNS queries are in progress.", Duration.ofSeconds(1));
    }

    /** The timeout of a query that starts now. */
    private long timeoutMillis(Deadline deadline) {
        return Math.min(servers.maxMillis(), deadline.remainingMillis());
    }

    /**
     * Whether the name has no escapes. The policy must check the name that is queried: the presentation form "\111" is
     * an "o" in the query.
     */
    private static boolean isPlain(String name) {
        for (int i = 0; i < name.length(); i++) {
            char c = name.charAt(i);
            if (!(c >= 'a' && c <= 'z' || c >= '0' && c <= '9' || c == '.' || c == '-' || c == '_')) {
                return false;
            }
        }
        return !name.isEmpty();
    }

    /** The name in lower case without the trailing dot, as {@link TargetPolicy} expects it. */
    public static String text(Name name) {
        return name.toString(true).toLowerCase(Locale.ROOT);
    }

    private static <T> Future<T> failed(ErrorCode code, String message) {
        return Future.failedFuture(new CheckFailure(code, message));
    }
}
