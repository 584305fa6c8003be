package dev.plumbline.probe.registry;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import dev.plumbline.check.CheckContext;
import dev.plumbline.check.CheckFailure;
import dev.plumbline.check.ErrorCode;
import dev.plumbline.concurrent.ContextFutures;
import dev.plumbline.concurrent.Scheduler;
import dev.plumbline.config.Config;
import dev.plumbline.egress.KeyedRateLimiter;
import io.vertx.core.AsyncResult;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Keeps everybody on this node together from asking a registry more than it puts up with: each of
 * its servers has a pace of its own, far below that of other targets. A server that keeps silent
 * holds nobody up for long: a question takes its place for a few seconds at most, and after several
 * that got no answer the server is left alone for a while. Thread-safe.
 */
final class RegistryRateLimiter {
    /** How long a question may hold its place. */
    static final long MOST_MILLIS = 5_000;

    /** Who was given less time than this has not shown that the server is silent. */
    static final long SILENT_MILLIS = 2_000;

    /** So many questions in a row without an answer, and the server is left alone. */
    static final int MOST_SILENT = 3;

    static final long ALONE_MILLIS = 10_000;

    private static final int REMEMBERED = 2_000;

    /**
     * @param questions that got no answer in a row
     * @param at when the last of them ended, by the nano clock
     */
    private record Silence(int questions, long at) {}

    private final KeyedRateLimiter<String> gate;
    private final LongSupplier nanoClock;
    private final Cache<String, Silence> silent = Caffeine.newBuilder()
            .maximumSize(REMEMBERED)
            .expireAfterWrite(Duration.ofMinutes(10))
            .executor(Runnable::run)
            .build();

    RegistryRateLimiter(Vertx vertx, Config.OutboundLimit pace) {
        this(vertx, pace, System::nanoTime);
    }

    RegistryRateLimiter(Vertx vertx, Config.OutboundLimit pace, LongSupplier nanoClock) {
        this.gate = new KeyedRateLimiter<>(pace, nanoClock, Scheduler.of(vertx));
        this.nanoClock = nanoClock;
    }

    /**
     * Asks when the turn has come, that of lines of jobs after that of others; fails with a {@link
     * dev.plumbline.check.OverloadFailure} when it would come too late, and at once when the server has
     * been silent lately.
     *
     * @param server its name
     * @param question given the context in whose time it must be answered
     */
    <T> Future<T> take(CheckContext context, String server, Function<CheckContext, Future<T>> question) {
        CheckFailure silence = silence(server);
        if (silence != null) {
            return Future.failedFuture(silence);
        }
        if (gate.isOpen()) {
            return ask(context, server, question);
        }
        long patience = Math.min(context.patienceMs(), context.deadline().remainingMillis());
        return ContextFutures.onCallerContext(gate.enter(server, patience, context.bulk()))
                .compose(entered -> {
                    CheckFailure meanwhile = silence(server);
                    Future<T> asked =
                            meanwhile == null ? ask(context, server, question) : Future.failedFuture(meanwhile);
                    return asked.onComplete(done -> gate.leave(server));
                });
    }

    private <T> Future<T> ask(CheckContext context, String server, Function<CheckContext, Future<T>> question) {
        long started = nanoClock.getAsLong();
        return ContextFutures.call(
                        () -> question.apply(context.within(context.deadline().atMost(MOST_MILLIS))))
                .onComplete(outcome -> note(server, started, outcome));
    }

    private void note(String server, long started, AsyncResult<?> outcome) {
        long now = nanoClock.getAsLong();
        if (outcome.succeeded()) {
            silent.invalidate(server);
        } else if (outcome.cause() instanceof CheckFailure failure) {
            ErrorCode code = failure.error().code();
            if (code != ErrorCode.READ_TIMEOUT && code != ErrorCode.CONNECT_TIMEOUT) {
                silent.invalidate(server);
            } else if (now - started >= TimeUnit.MILLISECONDS.toNanos(SILENT_MILLIS)) {
                silent.asMap().merge(server, new Silence(1, now), (was, is) -> new Silence(was.questions() + 1, now));
            }
        }
    }

    /** Why a server is not asked now, null when it may be. */
    private @Nullable CheckFailure silence(String server) {
        Silence lately = silent.getIfPresent(server);
        boolean alone = lately != null
                && lately.questions() >= MOST_SILENT
                && nanoClock.getAsLong() - lately.at() < TimeUnit.MILLISECONDS.toNanos(ALONE_MILLIS);
        // of a kind that is not kept for others: it tells of a moment only
        return alone
                ? new CheckFailure(
                        ErrorCode.DEADLINE_EXCEEDED,
                        server
                                + " has given no answer to the last questions, so it is left alone for some"
                                + " seconds. Try again in a minute.")
                : null;
    }
}
