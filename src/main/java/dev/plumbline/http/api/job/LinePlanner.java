package dev.plumbline.http.api.job;

import dev.plumbline.bus.JobMessage;
import dev.plumbline.bus.JobMessage.FinishedLine;
import io.vertx.core.Future;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Comparator;
import java.util.List;
import java.util.stream.IntStream;

/**
 * Determines the lines that a response reads, in their order. The query filters by verdict. Conditions on findings and
 * texts are evaluated while the response is streamed, 128 KiB of results at a time: in the database, they would use the
 * CPU time that all nodes share, and in a first pass, each result would be read twice. Only a page with a limit, whose
 * header has the link to the next page, is found in a first pass.
 */
final class LinePlanner {
    private final JobClient jobs;

    LinePlanner(JobClient jobs) {
        this.jobs = jobs;
    }

    /** Returns all lines in the order of their indexes. */
    static List<FinishedLine> all(JobMessage.JobSnapshot job) {
        return range(0, job.total());
    }

    private static List<FinishedLine> range(int from, int to) {
        return IntStream.range(from, to)
                .mapToObj(index -> new FinishedLine(index, 0))
                .toList();
    }

    Future<List<FinishedLine>> plan(JobMessage.JobSnapshot job, JobViewParameters view) {
        LineSelection selection = view.selection();
        SinceCursor since = view.since();
        if (since != null) {
            return finishedAfter(job, selection, since);
        }
        // lines before the page are read if they are counted
        int from = view.countsLines() && selection.readsResults() ? 0 : view.from();
        return selection.storedVerdicts().isEmpty()
                ? Future.succeededFuture(range(from, job.total()))
                : jobs.finishedLines(job, 0, selection.storedVerdicts()).map(lines -> lines.stream()
                        .filter(line -> line.index() >= from)
                        .sorted(Comparator.comparingInt(FinishedLine::index))
                        .toList());
    }

    private Future<List<FinishedLine>> finishedAfter(
            JobMessage.JobSnapshot job, LineSelection selection, SinceCursor since) {
        // cancelled lines have neither a verdict nor findings
        boolean withCancelled = job.state().isFinal()
                && job.cancelled() > 0
                && selection.verdicts().isEmpty()
                && selection.findings().isEmpty();
        long fromVersion = withCancelled ? 0 : since.completeVersion() + 1;
        return jobs.finishedLines(job, fromVersion, selection.storedVerdicts()).map(finished -> {
            List<FinishedLine> lines = new ArrayList<>(finished);
            if (withCancelled) {
                BitSet done = new BitSet(job.total());
                finished.forEach(line -> done.set(line.index()));
                IntStream.range(0, job.total())
                        .filter(index -> !done.get(index))
                        .forEach(index -> lines.add(new FinishedLine(index, job.version())));
            }
            lines.removeIf(line -> !since.isBefore(line));
            return lines;
        });
    }
}
