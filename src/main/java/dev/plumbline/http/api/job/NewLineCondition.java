package dev.plumbline.http.api.job;

import dev.plumbline.bus.JobMessage;
import io.vertx.core.Future;
import java.util.List;
import java.util.function.Predicate;

/**
 * Tests whether a job has a line after a position that matches the filters of a view. Lines that do not match are read
 * once: the position moves past them. Not thread-safe.
 */
final class NewLineCondition {

    private final JobClient jobs;
    private final JobResponses responses;
    private final long account;
    private final JobViewParameters view;
    private final LinePlanner planner;
    private SinceCursor position;

    /** @param position the position in the request */
    NewLineCondition(
            JobClient jobs, JobResponses responses, long account, JobViewParameters view, SinceCursor position) {
        this.jobs = jobs;
        this.responses = responses;
        this.account = account;
        this.view = view;
        this.planner = new LinePlanner(jobs);
        this.position = position;
    }

    /** The position after the lines that do not match. */
    SinceCursor position() {
        return position;
    }

    Future<Boolean> test(JobMessage.JobSnapshot job) {
        return planner.plan(job, view.startingAfter(position))
                .compose(lines -> lines.isEmpty() || !view.selection().readsResults()
                        ? Future.succeededFuture(!lines.isEmpty())
                        : responses.withReaderMemory(
                                account,
                                () -> anyMatches(job, lines, view.selection().filter(job))))
                .onSuccess(found -> {
                    if (!found) {
                        position = position.endOf(job);
                    }
                });
    }

    private Future<Boolean> anyMatches(
            JobMessage.JobSnapshot job, List<JobMessage.FinishedLine> lines, Predicate<JobMessage.ResultLine> filter) {
        if (lines.isEmpty()) {
            return Future.succeededFuture(false);
        }
        return view.source(jobs.lines(job))
                .read(lines.stream()
                        .limit(LineStream.PAGE_LINES)
                        .map(JobMessage.FinishedLine::index)
                        .toList())
                .compose(page -> {
                    if (page.isEmpty()) {
                        throw new IllegalStateException("missing lines");
                    }
                    return page.stream().anyMatch(filter)
                            ? Future.succeededFuture(true)
                            : anyMatches(job, lines.subList(page.size(), lines.size()), filter);
                });
    }
}
