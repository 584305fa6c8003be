package dev.plumbline.http.web.job;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import dev.plumbline.bus.JobMessage;
import dev.plumbline.check.ModuleCatalogue;
import dev.plumbline.check.ModuleDefinition;
import dev.plumbline.http.api.job.PageJobService;
import dev.plumbline.http.api.policy.ResultEvaluation;
import io.vertx.core.Future;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Reads the lines of a job. Results do not change, so the finished lines at the start of a job are cached, and the next
 * read starts after them.
 */
final class ResultReader {
    private static final int MAX_BYTES = 8 << 20;
    private static final Duration CACHE_TTL = Duration.ofMinutes(5);

    private final PageJobService jobs;
    private final ModuleCatalogue modules;
    private final LineReader reader;
    private final Cache<Key, Results> cache = Caffeine.newBuilder()
            .maximumWeight(MAX_BYTES)
            .weigher((Key key, Results results) ->
                    results.rows.stream().mapToInt(ResultRow::weight).sum())
            .expireAfterAccess(CACHE_TTL)
            .build();

    ResultReader(PageJobService jobs, ModuleCatalogue modules, LineReader reader) {
        this.jobs = jobs;
        this.modules = modules;
        this.reader = reader;
    }

    /** Reads the lines of a job, page by page. */
    interface LineReader {
        /**
         * @param from the index of the first line
         * @param evaluation is applied to the results; null for none
         * @param consumer receives the pages in order, on a worker thread
         */
        Future<Void> read(
                JobMessage.JobSnapshot job,
                int from,
                @Nullable ResultEvaluation evaluation,
                Consumer<List<JobMessage.ResultLine>> consumer);
    }

    /**
     * @param fields the names of the fields that were read
     * @param evaluation its tag
     */
    private record Key(String token, Set<String> fields, String evaluation) {}

    /**
     * The lines at a version of the job.
     *
     * @param rows all lines in input order
     */
    record Results(long version, List<ResultRow> rows, ResultFindings findings) {}

    /**
     * All lines of a job, in input order.
     *
     * @param fields the names of the fields to read
     * @param evaluation is applied to the results; null for none
     */
    Future<Results> read(JobMessage.JobSnapshot job, Set<String> fields, @Nullable ResultEvaluation evaluation) {
        Key key = new Key(job.token(), fields, ResultEvaluation.suffix(evaluation));
        Results cached = cache.getIfPresent(key);
        if (cached != null && cached.version >= job.version()) {
            return Future.succeededFuture(cached);
        }
        List<ResultRow> rows = new ArrayList<>(job.total());
        if (cached != null) {
            rows.addAll(cached.rows.stream().takeWhile(ResultRow::done).toList());
        }
        ResultRow.SharedValues shared = new ResultRow.SharedValues();
        return reader.read(
                        job,
                        rows.size(),
                        evaluation,
                        lines -> lines.forEach(line -> rows.add(ResultRow.of(job, line, fields, shared))))
                .compose(read -> jobs.executeBlocking(() -> results(job, List.copyOf(rows), evaluation)))
                .map(results -> {
                    cache.asMap().merge(key, results, (a, b) -> a.version > b.version ? a : b);
                    return results;
                });
    }

    private Results results(JobMessage.JobSnapshot job, List<ResultRow> rows, @Nullable ResultEvaluation evaluation) {
        ModuleDefinition<?> module = modules.find(job.module());
        return new Results(
                job.version(),
                rows,
                module == null
                        ? ResultFindings.NONE
                        : ResultFindings.of(rows, module.description(), modules.parts(job.module()), evaluation));
    }
}
