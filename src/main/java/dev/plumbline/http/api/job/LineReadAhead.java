package dev.plumbline.http.api.job;

import dev.plumbline.bus.JobMessage;
import dev.plumbline.http.api.policy.ResultEvaluation;
import io.vertx.core.Future;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Reads lines of a job page by page, and the next page while the lines of the previous one are processed. Holds two
 * pages. Not thread-safe.
 */
final class LineReadAhead {
    private final LineStream.Source source;
    private final List<Integer> indexes;

    /** The reader of the lines that this one evaluates; null if this one reads the source itself. */
    private final @Nullable LineReadAhead stored;

    private int position;
    private boolean closed;

    /** The page that is being read; null before the first one and after the last one. */
    private @Nullable Future<List<JobMessage.ResultLine>> ahead;

    /** @param indexes the lines, in their order */
    LineReadAhead(LineStream.Source source, List<Integer> indexes) {
        this(source, indexes, null);
    }

    private LineReadAhead(LineStream.Source source, List<Integer> indexes, @Nullable LineReadAhead stored) {
        this.source = source;
        this.indexes = indexes;
        this.stored = stored;
    }

    /**
     * Returns a reader of evaluated lines, which reads a page, evaluates the previous one, and returns the one before
     * at the same time.
     */
    static LineReadAhead evaluated(LineStream.Source stored, List<Integer> indexes, ResultEvaluation evaluation) {
        LineReadAhead pages = new LineReadAhead(stored, indexes);
        return new LineReadAhead(
                next -> pages.next()
                        .compose(page ->
                                pages.closed ? Future.succeededFuture(page) : LineStream.evaluate(page, evaluation)),
                indexes,
                pages);
    }

    /** Stops reading and evaluating pages, because the response has ended. Discards the page that is being read. */
    void close() {
        closed = true;
        ahead = null;
        if (stored != null) {
            stored.close();
        }
    }

    boolean hasNext() {
        return position < indexes.size();
    }

    /** Returns the next lines, at least one. */
    Future<List<JobMessage.ResultLine>> next() {
        Future<List<JobMessage.ResultLine>> page = ahead == null ? read() : ahead;
        return page.map(lines -> {
            if (lines.isEmpty()) {
                throw new IllegalStateException("missing lines");
            }
            position += lines.size();
            ahead = hasNext() && !closed ? read() : null;
            return lines;
        });
    }

    private Future<List<JobMessage.ResultLine>> read() {
        return source.read(indexes.subList(position, Math.min(indexes.size(), position + LineStream.PAGE_LINES)));
    }
}
