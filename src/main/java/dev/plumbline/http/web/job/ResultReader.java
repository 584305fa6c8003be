package dev.plumbline.http.web.job;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import dev.plumbline.bus.JobMessage;
import dev.plumbline.http.api.job.PageJobService;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * Reads all lines of a job for its page. A result never changes, so what has been read is kept for
 * a while, and a page that looks again and again has only the rest read.
 */
final class ResultReader {
    private static final int MOST_JOBS = 40;
    private static final Duration KEPT = Duration.ofMinutes(5);

    private final PageJobService jobs;
    private final Cache<Long, Read> known =
            Caffeine.newBuilder().maximumSize(MOST_JOBS).expireAfterAccess(KEPT).build();

    ResultReader(PageJobService jobs) {
        this.jobs = jobs;
    }

    /**
     * The lines as they were at a version of their job.
     *
     * @param rows all of them, in input order
     */
    private record Read(long version, List<ResultRow> rows) {}

    /**
     * All lines of a job, in input order.
     *
     * @param wanted names of the fields that are kept; the same whenever a job is asked for
     */
    Future<List<ResultRow>> rows(Vertx vertx, JobMessage.JobSnapshot job, Set<String> wanted) {
        Read before = known.getIfPresent(job.id());
        if (before != null && before.version >= job.version()) {
            return Future.succeededFuture(before.rows);
        }
        List<ResultRow> rows = new ArrayList<>(job.total());
        if (before != null) {
            rows.addAll(before.rows.stream().takeWhile(ResultRow::done).toList());
        }
        return jobs.lines(
                        vertx,
                        job,
                        rows.size(),
                        lines -> lines.forEach(line -> rows.add(ResultRowReader.of(job, line, wanted))))
                .map(all -> {
                    Read now = new Read(job.version(), List.copyOf(rows));
                    known.asMap().merge(job.id(), now, (a, b) -> a.version > b.version ? a : b);
                    return now.rows;
                });
    }
}
