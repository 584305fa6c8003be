package dev.plumbline.portfolio;

import dev.plumbline.portfolio.LineChange.FieldChange;
import java.io.IOException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Writes the changes of a comparison in one format. */
public interface ChangeReport {
    /**
     * What is compared.
     *
     * @param token of the later job; null if it is not one job
     * @param against the token of the earlier job; null if it is not one job
     * @param optionsDiffer the options of the jobs that differ; null if they are not known
     */
    record Compared(
            @Nullable String token,
            @Nullable String against,
            String module,
            @Nullable List<FieldChange> optionsDiffer) {}

    void line(LineChange change) throws IOException;

    /**
     * Writes what follows the last change. The output is not closed.
     *
     * @param nextCursor the cursor of the next page; null if there is none
     */
    void end(ChangeCounts counts, @Nullable String nextCursor) throws IOException;
}
