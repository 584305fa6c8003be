package dev.plumbline.cli.report;

import java.io.IOException;

/** Writes the results of a run of {@code check}, in the order in which it receives them. */
public interface ReportWriter {
    void line(CheckedLine line) throws IOException;

    default void end(VerdictCounts counts) throws IOException {}

    /** Completes the report of an interrupted run, whose summary is printed on stderr. */
    default void endInterrupted(VerdictCounts counts) throws IOException {
        end(counts);
    }
}
