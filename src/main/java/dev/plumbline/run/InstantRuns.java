package dev.plumbline.run;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import com.github.benmanes.caffeine.cache.Ticker;
import dev.plumbline.bus.Message;
import dev.plumbline.concurrent.SingleFlight;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.Map;
import java.util.function.Function;
import java.util.function.LongSupplier;

/**
 * Single-flight of the instant checks that the nodes of a cluster send to this node: equal checks share one run, also
 * for two seconds after its end, because the other nodes may have looked for the result before it was stored. Shared by
 * all runners of the node. Thread-safe.
 */
public final class InstantRuns {
    private static final Duration MAX_RETENTION = Duration.ofSeconds(2);
    private static final long MAX_BYTES = 16 << 20;

    private record Key(String module, String target, Map<String, Object> options) {}

    private final SingleFlight<Key, Message.RunReply> inFlight;
    private final Cache<Key, Message.CompletedCheck> recent;

    /**
     * @param ttl how long results are valid
     * @param nanoClock as {@link System#nanoTime}
     */
    public InstantRuns(Vertx vertx, Duration ttl, LongSupplier nanoClock) {
        this.inFlight = new SingleFlight<>(
                vertx,
                outcome -> !(outcome.result() instanceof Message.Refused
                        || outcome.result() instanceof Message.Overloaded));
        this.recent = Caffeine.newBuilder()
                .expireAfterWrite(ttl.compareTo(MAX_RETENTION) < 0 ? ttl : MAX_RETENTION)
                .ticker((Ticker) nanoClock::getAsLong)
                .weigher((Key key, Message.CompletedCheck result) -> result.json().length)
                .maximumWeight(MAX_BYTES)
                .executor(Runnable::run)
                .build();
    }

    /** Runs a check, or returns the result of an equal one. Lines of jobs and checks without shared data always run. */
    Future<Message.RunReply> run(
            Message.RunCheck request, Function<Message.RunCheck, Future<Message.RunReply>> runner) {
        if (request.bulk() || request.fresh()) {
            return runner.apply(request);
        }
        Key key = new Key(request.module(), request.target(), request.options());
        Message.RunReply ended = recent.getIfPresent(key);
        return ended != null
                ? Future.succeededFuture(ended)
                : inFlight.run(key, () -> {
                    // the shared run can have ended before this request joined
                    Message.RunReply endedNow = recent.getIfPresent(key);
                    return endedNow != null
                            ? Future.succeededFuture(endedNow)
                            : runner.apply(request).onSuccess(reply -> {
                                if (reply instanceof Message.CompletedCheck completed && completed.cacheable()) {
                                    recent.put(key, completed);
                                }
                            });
                });
    }
}
