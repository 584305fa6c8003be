package dev.plumbline.check;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Receives the findings of one evaluation. A module extends it with one method per finding code of its sheet;
 * {@link SheetModule} implements them. Arguments are formatted for a sentence: text is truncated to 200 characters,
 * lists to five items.
 */
public interface FindingCollector {

    /** Sets the error of the result; null is ignored. */
    void error(@Nullable CheckError error);

    /** The codes of the findings received so far, in order, with repetitions. */
    List<FindingCode> codes();
}
