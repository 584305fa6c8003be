package dev.plumbline.http.api.job;

import dev.plumbline.bus.JobMessage;
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

    private int position;
    private int written;
    private int matched;

    /** The last line that was written; null if there is none. */
    private JobMessage.@Nullable FinishedLine last;

    /** The first line of the next page; null on the last page. */
    private JobMessage.@Nullable FinishedLine next;

    /** @param lines the lines of {@link LinePlanner}, in their order */
    LinePage(JobMessage.JobSnapshot job, JobViewParameters view, List<JobMessage.FinishedLine> lines) {
        this.job = job;
        this.view = view;
        this.limit = view.lines() ? view.limit() : 0;
        boolean filtered = view.selection().readsResults();
        this.filter = filtered ? view.selection().filter(job) : null;
        boolean more = !filtered && lines.size() > limit;
        this.lines = more ? lines.subList(0, limit) : lines;
        this.next = more ? lines.get(limit) : null;
    }

    /** Returns the indexes of the next lines to read; empty if the page is complete. */
    List<Integer> indexes(int max) {
        boolean full = filter != null && !view.countsLines() && written >= limit;
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
        if (written < limit) {
            written++;
            last = current;
            return true;
        }
        if (next == null) {
            next = current;
        }
        return false;
    }

    /** The number of lines in the response so far. */
    int written() {
        return written;
    }

    /** Returns the number of matching lines of the job; null if not all lines were read. */
    @Nullable
    Integer matched() {
        return filter != null && view.countsLines()
                ? Integer.valueOf(matched)
                : view.selection().count(job);
    }

    /** Returns the cursor of the next page; null on the last page. */
    @Nullable
    String nextCursor() {
        return next == null ? null : LineCursor.fromLine(job.token(), next.index());
    }

    /**
     * Returns the cursor of the next page before a line is read; null on the last page, and if a condition requires the
     * results of the lines.
     */
    @Nullable
    String knownCursor() {
        SinceCursor since = view.since();
        if (since == null) {
            return filter == null ? nextCursor() : null;
        }
        if (filter != null && lines.size() > limit) {
            return null;
        }
        return (next == null ? since.endOf(job) : SinceCursor.after(lines.get(limit - 1))).text(job.token());
    }

    /** Returns the cursor after the lines of this page; null if the view is in the order of indexes. */
    @Nullable
    String since() {
        SinceCursor since = view.since();
        if (since == null) {
            return null;
        }
        boolean more = next != null || position < lines.size();
        return (more && last != null ? SinceCursor.after(last) : since.endOf(job)).text(job.token());
    }
}
