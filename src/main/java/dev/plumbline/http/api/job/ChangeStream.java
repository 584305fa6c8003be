package dev.plumbline.http.api.job;

import dev.plumbline.portfolio.ChangeCsv;
import dev.plumbline.portfolio.ChangeJson;
import dev.plumbline.portfolio.ChangeReport;
import dev.plumbline.portfolio.LineChange;
import dev.plumbline.result.SpreadsheetText;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;

/**
 * The changes between two jobs in a streamed response. They are written on worker threads. Its rows are parts of the
 * text. Not thread-safe.
 */
final class ChangeStream implements BodyStream.Rows<Buffer> {
    /** The maximum size of a part in bytes, because the event loop compresses it. */
    private static final int PART_BYTES = 32 * 1024;

    /** The size of a page. A change of two large results is longer. The event loop has other tasks between pages. */
    private static final int PAGE_CHARS = 2 * PART_BYTES;

    private final JobComparison comparison;
    private final ChangeReader reader;
    private final ChangePage page;
    private final StringWriter text = new StringWriter();
    private final ChangeReport report;

    ChangeStream(JobComparison comparison, ChangeReader reader, ComparisonView view) {
        this.comparison = comparison;
        this.reader = reader;
        this.page = new ChangePage(view.kinds(), view.from(), view.limit());
        try {
            this.report = report(comparison, view, text);
        } catch (IOException unexpected) {
            throw new UncheckedIOException(unexpected);
        }
    }

    private static ChangeReport report(JobComparison comparison, ComparisonView view, StringWriter out)
            throws IOException {
        return switch (view.format()) {
            case JSON ->
                new ChangeJson(
                        new ChangeReport.Compared(
                                comparison.job().token(),
                                comparison.against().token(),
                                comparison.job().module(),
                                comparison.optionsDiffer()),
                        out);
            case NDJSON -> ChangeJson.lines(out);
            case CSV -> new ChangeCsv(out, view.raw() ? SpreadsheetText::replaceNul : SpreadsheetText::escape);
            case XLSX -> throw new IllegalArgumentException("a comparison is not a workbook");
        };
    }

    @Override
    public void begin(Buffer out) {
        out.appendBuffer(take());
    }

    @Override
    public boolean hasNext() {
        return reader.hasNext();
    }

    @Override
    public Future<List<Buffer>> next() {
        return reader.next((change, row) -> {
                    if (page.accept(change, row)) {
                        write(change);
                    }
                    return text.getBuffer().length() < PAGE_CHARS;
                })
                .map(read -> parts(take()));
    }

    @Override
    public void close() {
        reader.close();
    }

    private static List<Buffer> parts(Buffer page) {
        List<Buffer> parts = new ArrayList<>();
        for (int start = 0; start < page.length(); start += PART_BYTES) {
            parts.add(page.slice(start, Math.min(page.length(), start + PART_BYTES)));
        }
        return parts;
    }

    private void write(LineChange change) {
        try {
            report.line(change);
        } catch (IOException unexpected) {
            throw new UncheckedIOException(unexpected);
        }
    }

    /** Removes the text that was written. */
    private Buffer take() {
        Buffer written = Buffer.buffer(text.toString());
        text.getBuffer().setLength(0);
        return written;
    }

    @Override
    public void write(Buffer out, Buffer part) {
        out.appendBuffer(part);
    }

    @Override
    public void end(Buffer out) {
        try {
            report.end(page.counts(), comparison.cursor(page.next()));
        } catch (IOException unexpected) {
            throw new UncheckedIOException(unexpected);
        }
        out.appendBuffer(take());
    }

    @Override
    public int written() {
        return page.written();
    }
}
