package dev.plumbline.cli.report;

import dev.plumbline.portfolio.LineChange;
import java.io.IOException;

/** Writes the changes of a comparison in one format. */
public interface ChangeReport {
    void line(LineChange change) throws IOException;

    /** Writes what follows the last change. The output is not closed. */
    void end(ChangeCounts counts) throws IOException;
}
