package dev.plumbline.http.api.job;

import dev.plumbline.portfolio.ChangeCounts;
import dev.plumbline.portfolio.LineChange;
import dev.plumbline.portfolio.LineChange.Kind;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The changes of one response: which of them it contains, where the next page starts, and the counts of all. Not
 * thread-safe.
 */
final class ChangePage {
    private final Set<Kind> kinds;
    private final int from;
    private final int limit;
    private final ChangeCounts counts = new ChangeCounts();
    private int written;
    private @Nullable Integer next;

    /**
     * @param kinds the kinds of changes in the response
     * @param from the first row of the response
     * @param limit the maximum number of changes in the response
     */
    ChangePage(Set<Kind> kinds, int from, int limit) {
        this.kinds = kinds;
        this.from = from;
        this.limit = limit;
    }

    /** Passes the change of the next row. Returns whether the response contains it. */
    boolean accept(LineChange change, int row) {
        counts.add(change);
        if (row < from || !kinds.contains(change.kind())) {
            return false;
        }
        if (written < limit) {
            written++;
            return true;
        }
        if (next == null) {
            next = row;
        }
        return false;
    }

    /** The counts of all changes that were passed. */
    ChangeCounts counts() {
        return counts;
    }

    /** The number of changes in the response so far. */
    int written() {
        return written;
    }

    /** The first row of the next page; null on the last page. */
    @Nullable
    Integer next() {
        return next;
    }
}
