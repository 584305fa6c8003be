package dev.plumbline.dns;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import com.github.benmanes.caffeine.cache.Expiry;
import dev.plumbline.check.CheckFailure;
import dev.plumbline.check.Deadline;
import dev.plumbline.check.ErrorCode;
import dev.plumbline.check.OverloadFailure;
import dev.plumbline.check.TargetPolicy;
import dev.plumbline.concurrent.AsyncSemaphore;
import dev.plumbline.concurrent.ContextFutures;
import dev.plumbline.config.Config;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.net.SocketAddress;
import java.net.InetAddress;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.xbill.DNS.Name;
import org.xbill.DNS.Rcode;
import org.xbill.DNS.TextParseException;
import org.xbill.DNS.Type;

/**
 * A stub resolver (RFC 1034 §5.3.1): asks the configured recursive servers, keeps what they say for
 * as long as they say, and asks once for callers who want the same at once. The hosts file plays no
 * part. May be used from every event loop; outcomes are told on the caller's.
 */
public final class DnsResolver {
    private static final int MOST_OPEN = 2_000;
    private static final int MOST_WAITING = 16_000;
    private static final long WAIT_MS = 2_000;

    /** So few that they find room in the buffer of a server's socket, which by default takes 256. */
    private static final int MOST_UNREAD = 128;

    /** So much earlier than they would those who join a question may have to give up. */
    private static final long JOINING_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

    /** What an answer with one address takes in memory; a larger one counts for several. */
    private static final long BYTES_AN_ENTRY = 300;

    private record Key(String name, int type) {}

    /**
     * A question that is under way.
     *
     * @param whole whether every attempt is made
     * @param endNanos when it ends at the latest
     */
    private record Flight(Future<DnsResponse> answer, boolean whole, long endNanos) {
        boolean servesAsWellAs(Flight other) {
            return whole || !other.whole && endNanos - other.endNanos > -JOINING_NANOS;
        }
    }

    private record Kept(DnsResponse answer, long sinceNanos) {}

    private final Vertx vertx;
    private final TargetPolicy policy;
    private final DnsTransport transport;
    private final List<SocketAddress> servers;
    private final long attemptMillis;
    private final AsyncSemaphore open;
    private final ConcurrentMap<Key, Flight> flights = new ConcurrentHashMap<>();
    private final LongSupplier nanoClock;
    private final Cache<Key, Kept> cache;

    /**
     * @param nanoClock by which answers grow old, for example {@code System::nanoTime}
     * @throws IllegalArgumentException when a configured server is malformed
     */
    public DnsResolver(Vertx vertx, Config.DnsSettings settings, TargetPolicy policy, LongSupplier nanoClock) {
        this(vertx, settings, policy, nanoClock, MOST_OPEN, MOST_UNREAD, MOST_WAITING);
    }

    DnsResolver(
            Vertx vertx,
            Config.DnsSettings settings,
            TargetPolicy policy,
            LongSupplier nanoClock,
            int mostOpen,
            int mostUnread,
            int mostWaiting) {
        this.vertx = vertx;
        this.policy = policy;
        this.nanoClock = nanoClock;
        this.open = new AsyncSemaphore(vertx, mostOpen, mostWaiting);
        this.transport = new DnsTransport(vertx, settings.timeout(), mostUnread);
        this.servers = DnsServerList.from(settings.servers());
        this.attemptMillis = Math.max(1, settings.timeout().toMillis());
        this.cache = Caffeine.newBuilder()
                .maximumWeight(settings.cacheEntries() * BYTES_AN_ENTRY)
                .weigher((Key key, Kept kept) ->
                        key.name().length() + kept.answer().weight())
                .expireAfter(Expiry.creating(DnsResolver::timeToKeep))
                .ticker(nanoClock::getAsLong)
                .executor(Runnable::run)
                .build();
    }

    /**
     * All addresses of a name. Fails with {@code dns_nxdomain}, {@code dns_no_data} and as {@link
     * #query} does.
     *
     * @param type {@link Type#A} or {@link Type#AAAA}
     */
    public Future<List<InetAddress>> lookup(String name, int type, Deadline deadline) {
        return query(name, type, deadline).compose(answer -> addresses(name, answer));
    }

    static Future<List<InetAddress>> addresses(String name, DnsResponse answer) {
        return answer.addresses().isEmpty()
                ? Future.failedFuture(noAddress(name, answer))
                : Future.succeededFuture(answer.addresses());
    }

    public static CheckFailure noAddress(String name, DnsResponse answer) {
        return answer.nxdomain()
                ? new CheckFailure(ErrorCode.DNS_NXDOMAIN, "The name " + name + " does not exist.")
                : new CheckFailure(
                        ErrorCode.DNS_NO_DATA,
                        "The name " + name + " has no " + Type.string(answer.type()) + " record.");
    }

    /**
     * What the DNS says; a name or type that does not exist is an answer, not a failure. Fails with
     * {@code target_blocked} for a name that must not be looked up, {@code dns_timeout}, {@code
     * dns_servfail}, and {@link OverloadFailure} when too many questions are open.
     *
     * @param name A-labels, with or without the trailing dot
     * @param type of {@link Type}
     */
    public Future<DnsResponse> query(String name, int type, Deadline deadline) {
        return ask(name, type, deadline, Long.MAX_VALUE).compose(DnsResolver::told);
    }

    /** An answer that tells something, or the failure that there is none. */
    public static Future<DnsResponse> told(DnsResponse answer) {
        return answer.failed()
                ? failed(ErrorCode.DNS_SERVFAIL, "The DNS resolver answered " + Rcode.string(answer.rcode()) + ".")
                : Future.succeededFuture(answer);
    }

    /**
     * As {@link #query}, but that the resolver has failed is an answer too.
     *
     * @param mostAgeMillis an answer that was got longer ago is not given again, however long it may
     *     be kept
     */
    public Future<DnsResponse> ask(String name, int type, Deadline deadline, long mostAgeMillis) {
        String plain = name.endsWith(".") ? name.substring(0, name.length() - 1) : name;
        Key key = new Key(plain.toLowerCase(Locale.ROOT), type);
        Kept known = cache.getIfPresent(key);
        if (known != null
                && TimeUnit.NANOSECONDS.toMillis(nanoClock.getAsLong() - known.sinceNanos()) < mostAgeMillis) {
            return Future.succeededFuture(known.answer());
        }
        Name question;
        try {
            question = Name.fromString(key.name(), Name.root);
        } catch (TextParseException malformed) {
            return failed(ErrorCode.INVALID_TARGET, "The name cannot be asked for in the DNS.");
        }
        Key asked = isPlain(key.name()) ? key : new Key(question.equals(Name.root) ? "" : text(question), type);
        String refusal = policy.refusalOfName(asked.name());
        if (refusal != null) {
            return failed(ErrorCode.TARGET_BLOCKED, refusal);
        }
        return flight(asked, question, deadline);
    }

    /**
     * Joins those who ask the same, unless they give up before this caller would; a question is open
     * no longer than the one who asked it first has time.
     */
    private Future<DnsResponse> flight(Key key, Name question, Deadline deadline) {
        long millis = millisFor(deadline);
        long endNanos = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis);
        Promise<DnsResponse> promise = Promise.promise();
        Flight mine = new Flight(promise.future(), millis == attemptsMillis(), endNanos);
        Flight flight = flights.merge(key, mine, (running, other) -> running.servesAsWellAs(other) ? running : other);
        if (flight != mine) {
            return within(deadline, ContextFutures.onCallerContext(flight.answer));
        }
        open.withPermit(
                        Math.min(WAIT_MS, deadline.remainingMillis()),
                        () -> new DnsLookup(
                                        transport,
                                        servers,
                                        attemptMillis,
                                        policy,
                                        question,
                                        key.type(),
                                        Deadline.in(millisFor(deadline)))
                                .run(),
                        () -> Future.failedFuture(tooMany()))
                .onComplete(outcome -> {
                    if (outcome.succeeded() && outcome.result().ttlSeconds() > 0) {
                        cache.put(key, new Kept(outcome.result(), nanoClock.getAsLong()));
                    }
                    flights.remove(key, mine);
                    ContextFutures.complete(promise, outcome);
                });
        return promise.future();
    }

    static OverloadFailure tooMany() {
        return new OverloadFailure("Too many DNS questions are open.", Duration.ofSeconds(1));
    }

    /** How long a question may be open that is asked now. */
    private long millisFor(Deadline deadline) {
        return Math.min(attemptsMillis(), deadline.remainingMillis());
    }

    private long attemptsMillis() {
        return attemptMillis * Math.max(DnsLookup.LEAST_ATTEMPTS, servers.size());
    }

    private Future<DnsResponse> within(Deadline deadline, Future<DnsResponse> shared) {
        long remaining = deadline.remainingMillis();
        if (shared.isComplete() || remaining > WAIT_MS + attemptsMillis()) {
            return shared;
        }
        Promise<DnsResponse> promise = DnsTimeout.after(vertx, remaining);
        shared.onComplete(outcome -> ContextFutures.complete(promise, outcome));
        return promise.future();
    }

    private static Duration timeToKeep(Key key, Kept kept) {
        return Duration.ofSeconds(kept.answer().ttlSeconds());
    }

    /**
     * Whether a name is asked for as it is written. In others what is judged has to be what will be
     * asked for: "\111" in a text is an "o" in the question.
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

    /** A name as the policy knows it. */
    public static String text(Name name) {
        return name.toString(true).toLowerCase(Locale.ROOT);
    }

    private static <T> Future<T> failed(ErrorCode code, String message) {
        return Future.failedFuture(new CheckFailure(code, message));
    }
}
