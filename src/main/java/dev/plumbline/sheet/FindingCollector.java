package dev.plumbline.sheet;

import dev.plumbline.result.CheckError;
import dev.plumbline.result.Evaluation;
import java.util.Collection;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Receives the findings of one evaluation. A module extends it with one method per finding code of its sheet;
 * {@code SheetModule} implements them. Arguments are formatted for a sentence: text is truncated to 200 characters,
 * lists to five items.
 */
public interface FindingCollector {

    /** Sets the error of the result; null is ignored. */
    void error(@Nullable CheckError error);

    /**
     * Declares that the result is temporary, because the target requested a retry after a delay. A line of a job is
     * then checked once more. A delay of more than {@value Evaluation#MAX_RETRY_AFTER_SECONDS} seconds is ignored.
     *
     * @param seconds 0 or more; at least 1 is used
     */
    void retryAfter(long seconds);

    /** Reports values in one finding, unless the collection is empty. */
    static <T, C extends Collection<T>> void reportIfAny(C values, Consumer<C> finding) {
        if (!values.isEmpty()) {
            finding.accept(values);
        }
    }

    /** The codes of the findings received so far, in order, with repetitions. */
    List<FindingCode> codes();
}
