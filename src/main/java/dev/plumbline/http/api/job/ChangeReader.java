package dev.plumbline.http.api.job;

import dev.plumbline.bus.JobMessage;
import dev.plumbline.portfolio.LineChange;
import dev.plumbline.portfolio.LineComparison;
import dev.plumbline.portfolio.PortfolioLine;
import io.vertx.core.Future;
import java.util.ArrayDeque;
import java.util.List;

/**
 * Reads and compares the lines of two jobs, row by row. It holds two pages of lines of each job. Lines are parsed on
 * worker threads. Not thread-safe.
 */
final class ChangeReader {
    private static final List<String> ALL_FIELDS = List.of();

    private final JobComparison comparison;
    private final LineReadAhead laterLines;
    private final LineReadAhead earlierLines;
    private final Workers workers;

    /** Lines that were read and not compared yet. */
    private final ArrayDeque<JobMessage.ResultLine> later = new ArrayDeque<>();

    private final ArrayDeque<JobMessage.ResultLine> earlier = new ArrayDeque<>();
    private int row;

    /** Receives changes with their rows, in order, on a worker thread. */
    interface ChangeConsumer {
        /** Returns whether it can receive another change now. */
        boolean accept(LineChange change, int row);
    }

    /** Runs CPU-bound work on a worker thread. */
    interface Workers {
        Future<Void> run(Runnable work);
    }

    ChangeReader(
            JobComparison comparison, LineStream.Source laterLines, LineStream.Source earlierLines, Workers workers) {
        this.comparison = comparison;
        this.laterLines = new LineReadAhead(laterLines, comparison.laterOrder());
        this.earlierLines = new LineReadAhead(earlierLines, comparison.earlierOrder());
        this.workers = workers;
    }

    /** Whether there are rows that were not read. */
    boolean hasNext() {
        return row < comparison.size();
    }

    /** Reads at least one row. */
    Future<Void> next(ChangeConsumer consumer) {
        return fill(later, laterLines)
                .compose(filled -> fill(earlier, earlierLines))
                .compose(filled -> workers.run(() -> compare(consumer)));
    }

    /** Stops reading lines in advance. */
    void close() {
        laterLines.close();
        earlierLines.close();
    }

    private static Future<Void> fill(ArrayDeque<JobMessage.ResultLine> lines, LineReadAhead source) {
        return lines.isEmpty() && source.hasNext()
                ? source.next().map(lines::addAll).mapEmpty()
                : Future.succeededFuture();
    }

    /** Compares the lines that were read, up to the first one whose earlier line is missing. */
    private void compare(ChangeConsumer consumer) {
        LineComparison lines = comparison.lines();
        boolean more = true;
        while (more && !later.isEmpty()) {
            JobMessage.ResultLine line = later.element();
            Integer match = comparison.match(line.index());
            if (match != null && earlier.isEmpty()) {
                return;
            }
            later.remove();
            PortfolioLine after = parse(comparison.job(), line, row);
            more = consumer.accept(
                    match == null ? lines.ofNew(after) : lines.compare(parseEarlier(match), after), row++);
        }
        while (more && row >= comparison.job().total() && !earlier.isEmpty()) {
            more = consumer.accept(lines.ofGone(parseEarlier(comparison.gone(row))), row++);
        }
    }

    private PortfolioLine parseEarlier(int index) {
        return parse(comparison.against(), earlier.remove(), index);
    }

    private static PortfolioLine parse(JobMessage.JobSnapshot job, JobMessage.ResultLine line, int index) {
        if (line.index() != index) {
            throw new IllegalStateException("line " + line.index() + " instead of " + index);
        }
        return PortfolioLine.parse(JobJson.line(job, line, ALL_FIELDS));
    }
}
