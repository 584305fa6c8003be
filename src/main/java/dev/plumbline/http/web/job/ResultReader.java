package dev.plumbline.http.web.job;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import dev.plumbline.bus.JobMessage;
import dev.plumbline.http.api.job.PageJobService;
import io.vertx.core.Future;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * Reads the lines of a job. Results do not change, so the finished lines at the start of a job are cached, and the next
 * read starts after them.
 */
final class ResultReader {
    private static final int MAX_BYTES = 8 << 20;
    private static final Duration CACHE_TTL = Duration.ofMinutes(5);

    private final PageJobService jobs;
    private final Cache<Long, Snapshot> cache = Caffeine.newBuilder()
            .maximumWeight(MAX_BYTES)
            .weigher((Long job, Snapshot snapshot) ->
                    snapshot.rows.stream().mapToInt(ResultRow::weight).sum())
            .expireAfterAccess(CACHE_TTL)
            .build();

    ResultReader(PageJobService jobs) {
        this.jobs = jobs;
    }

    /**
     * The lines at a version of the job.
     *
     * @param rows all lines in input order
     */
    private record Snapshot(long version, List<ResultRow> rows) {}

    /**
     * All lines of a job, in input order.
     *
     * @param fields the names of the fields to read; always the same for a module
     */
    Future<List<ResultRow>> rows(JobMessage.JobSnapshot job, Set<String> fields) {
        Snapshot cached = cache.getIfPresent(job.id());
        if (cached != null && cached.version >= job.version()) {
            return Future.succeededFuture(cached.rows);
        }
        List<ResultRow> rows = new ArrayList<>(job.total());
        if (cached != null) {
            rows.addAll(cached.rows.stream().takeWhile(ResultRow::done).toList());
        }
        return jobs.lines(job, rows.size(), lines -> lines.forEach(line -> rows.add(ResultRow.of(job, line, fields))))
                .map(all -> {
                    Snapshot snapshot = new Snapshot(job.version(), List.copyOf(rows));
                    cache.asMap().merge(job.id(), snapshot, (a, b) -> a.version > b.version ? a : b);
                    return snapshot.rows;
                });
    }
}
