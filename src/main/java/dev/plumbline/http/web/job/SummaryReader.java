package dev.plumbline.http.web.job;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import dev.plumbline.bus.JobMessage;
import dev.plumbline.http.api.job.PageJobService;
import dev.plumbline.http.problem.ProblemException;
import dev.plumbline.portfolio.PortfolioSummary;
import dev.plumbline.sheet.ModuleDescription;
import io.vertx.core.Future;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Reads the values of the fields of a job or of a copy of a job. Each read parses all results, so the values of a
 * running job can be {@link #MAX_AGE} old.
 */
final class SummaryReader {
    private static final Duration MAX_AGE = Duration.ofSeconds(5);
    private static final Duration CACHE_TTL = Duration.ofMinutes(5);
    private static final int MAX_BYTES = 4 << 20;

    private final PageJobService jobs;
    private final Clock clock;
    private final Cache<String, Snapshot> cache = Caffeine.newBuilder()
            .maximumWeight(MAX_BYTES)
            .weigher((String token, Snapshot snapshot) -> snapshot.values.weight())
            .expireAfterAccess(CACHE_TTL)
            .build();

    SummaryReader(PageJobService jobs, Clock clock) {
        this.jobs = jobs;
        this.clock = clock;
    }

    /** The values at a version of the job. */
    private record Snapshot(long version, Instant readAt, ResultValues values) {}

    /**
     * Returns the values of a job, or {@link ResultValues#NONE} if the node is overloaded: the rest of the page is
     * useful without them. A job without results does not have values either.
     *
     * @param module null if it no longer exists
     * @param summarize reads the summary of all lines of the job
     */
    Future<ResultValues> read(
            JobMessage.JobSnapshot job,
            @Nullable ModuleDescription module,
            Supplier<Future<PortfolioSummary>> summarize) {
        if (module == null || job.done() == 0) {
            return Future.succeededFuture(ResultValues.NONE);
        }
        Instant now = clock.instant();
        Snapshot cached = cache.getIfPresent(job.token());
        if (cached != null
                && (cached.version >= job.version()
                        || (!job.state().isFinal()
                                && cached.readAt.plus(MAX_AGE).isAfter(now)))) {
            return Future.succeededFuture(cached.values);
        }
        return summarize
                .get()
                .compose(summary -> jobs.executeBlocking(() -> ResultValues.of(module, summary)))
                .map(values -> {
                    Snapshot snapshot = new Snapshot(job.version(), now, values);
                    cache.asMap().merge(job.token(), snapshot, (a, b) -> a.version > b.version ? a : b);
                    return snapshot.values;
                })
                .recover(failure -> failure instanceof ProblemException
                        ? Future.succeededFuture(ResultValues.NONE)
                        : Future.failedFuture(failure));
    }
}
