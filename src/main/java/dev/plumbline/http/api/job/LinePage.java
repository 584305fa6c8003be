package dev.plumbline.http.api.job;

import dev.plumbline.bus.JobMessage;
import dev.plumbline.concurrent.ContextFutures;
import io.vertx.core.Future;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** The lines of one response: which of them are read and written, and where the next page starts. Not thread-safe. */
final class LinePage {
    private final JobMessage.JobSnapshot job;
    private final JobViewParameters view;
    private final List<JobMessage.FinishedLine> lines;
    private final int limit;

    /** The condition that requires a result; null if there is none. */
    private final @Nullable Predicate<JobMessage.ResultLine> filter;

    /** The number of matching lines of the job; null if it is not known before all lines are read. */
    private final @Nullable Integer count;

    /** The lines that the response contains so far. */
    private final List<JobMessage.FinishedLine> accepted = new ArrayList<>();

    private int position;
    private int matched;

    /** The first line of the next page; null on the last page. */
    private JobMessage.@Nullable FinishedLine next;

    /** @param lines the lines of {@link LinePlanner}, in their order */
    LinePage(JobMessage.JobSnapshot job, JobViewParameters view, List<JobMessage.FinishedLine> lines) {
        this.job = job;
        this.view = view;
        this.limit = view.lines() ? view.limit() : 0;
        boolean filtered = view.selection().readsResults();
        this.filter = filtered ? view.selection().filter(job) : null;
        this.count = view.selection().count(job);
        boolean more = !filtered && lines.size() > limit;
        this.lines = more ? lines.subList(0, limit) : lines;
        this.next = more ? lines.get(limit) : null;
    }

    /** The page that {@code read} has found. */
    private LinePage(LinePage read) {
        this.job = read.job;
        this.view = read.view;
        this.limit = read.limit;
        this.filter = null;
        this.count = read.matched();
        this.lines = List.copyOf(read.accepted);
        // if not all lines were read, it is not known whether a later one matches, and the next page can be empty
        this.next = read.isComplete() ? read.next : read.lines.get(read.position);
    }

    /** Whether the start of the next page is not known before the lines are read. */
    boolean isOpen() {
        return view.lines() && view.format() == ResultFormat.JSON && filter != null && lines.size() > limit;
    }

    /**
     * Reads the lines to find those of this page, which can be read again then.
     *
     * @param source of the lines in this view
     */
    Future<LinePage> find(LineStream.Source source) {
        return ContextFutures.repeat(() -> !indexes(1).isEmpty(), () -> acceptNext(source))
                .map(read -> new LinePage(this));
    }

    private Future<Void> acceptNext(LineStream.Source source) {
        return source.read(indexes(LineStream.PAGE_LINES)).compose(page -> {
            if (page.isEmpty()) {
                throw new IllegalStateException("missing lines");
            }
            page.forEach(this::accept);
            return Future.succeededFuture();
        });
    }

    /** Returns the indexes of the next lines to read; empty if the page is complete. */
    List<Integer> indexes(int max) {
        boolean full = filter != null && !view.countsLines() && accepted.size() >= limit;
        return full
                ? List.of()
                : lines.subList(position, Math.min(lines.size(), position + max)).stream()
                        .map(JobMessage.FinishedLine::index)
                        .toList();
    }

    /** Passes the next line that was read. Returns whether the response contains it. */
    boolean accept(JobMessage.ResultLine line) {
        JobMessage.FinishedLine current = lines.get(position++);
        if (current.index() != line.index()) {
            throw new IllegalStateException("line " + line.index() + " instead of " + current.index());
        }
        if (filter != null && !filter.test(line)) {
            return false;
        }
        matched++;
        if (line.index() < view.from()) {
            // read only to count it
            return false;
        }
        if (accepted.size() < limit) {
            accepted.add(current);
            return true;
        }
        if (next == null) {
            next = current;
        }
        return false;
    }

    /** The number of lines in the response so far. */
    int written() {
        return accepted.size();
    }

    /** Returns the number of matching lines of the job; null if not all lines were read. */
    @Nullable
    Integer matched() {
        return filter != null && view.countsLines() ? Integer.valueOf(matched) : count;
    }

    /** Returns the cursor of the next page; null on the last page. */
    @Nullable
    String nextCursor() {
        return next == null ? null : LineCursor.fromLine(job.token(), next.index());
    }

    /**
     * Returns the cursor of the link to the next page before a line of a page that is not open is read; null on the
     * last page. In the order in which lines finish, the last page is that of a finished job.
     */
    @Nullable
    String linkCursor() {
        SinceCursor since = view.since();
        if (since == null) {
            return nextCursor();
        }
        if (next != null) {
            return SinceCursor.after(lines.get(limit - 1)).text(job.token());
        }
        return job.state().isFinal() ? null : since.endOf(job).text(job.token());
    }

    /** Returns the cursor after the lines of this page; null if the view is in the order of indexes. */
    @Nullable
    String since() {
        SinceCursor since = view.since();
        if (since == null) {
            return null;
        }
        boolean more = next != null || !isComplete();
        return (more && !accepted.isEmpty() ? SinceCursor.after(accepted.get(accepted.size() - 1)) : since.endOf(job))
                .text(job.token());
    }

    /** Whether all lines were read. */
    private boolean isComplete() {
        return position >= lines.size();
    }
}
