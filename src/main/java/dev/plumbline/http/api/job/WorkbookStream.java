package dev.plumbline.http.api.job;

import dev.plumbline.bus.JobMessage;
import dev.plumbline.spreadsheet.ResultWorkbook;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.function.Function;

/**
 * The lines of a job as a workbook in a streamed response. All lines are read for each sheet, because sheets are
 * written one after the other. Lines are parsed and compressed on worker threads. Its rows are parts of the file. Not
 * thread-safe.
 */
final class WorkbookStream implements BodyStream.Rows<Buffer> {
    private final JobMessage.JobSnapshot job;
    private final LineStream.Source source;
    private final Function<Callable<Buffer>, Future<Buffer>> workers;
    private final ByteArrayOutputStream file = new ByteArrayOutputStream();
    private final ResultWorkbook workbook;
    private final LinePage again;
    private LinePage lines;
    private boolean complete;

    /**
     * @param workers runs work on a worker thread
     * @param lines the lines for the first sheet
     * @param again the same lines for the second one
     */
    WorkbookStream(
            JobMessage.JobSnapshot job,
            LineStream.Source source,
            Function<Callable<Buffer>, Future<Buffer>> workers,
            Function<OutputStream, ResultWorkbook> workbook,
            LinePage lines,
            LinePage again) {
        this.job = job;
        this.source = source;
        this.workers = workers;
        this.workbook = workbook.apply(file);
        this.lines = lines;
        this.again = again;
    }

    @Override
    public void begin(Buffer out) {
        // the first part is not available yet
    }

    @Override
    public boolean hasNext() {
        return !complete;
    }

    @Override
    public Future<List<Buffer>> next() {
        List<Integer> indexes = lines.indexes(LineStream.PAGE_LINES);
        return (indexes.isEmpty()
                        ? workers.apply(this::endSheet)
                        : source.read(indexes).compose(page -> workers.apply(() -> write(page))))
                .map(List::of);
    }

    private Buffer write(List<JobMessage.ResultLine> page) throws IOException {
        if (page.isEmpty()) {
            throw new IllegalStateException("missing lines");
        }
        for (JobMessage.ResultLine line : page) {
            if (lines.accept(line)) {
                byte[] json = JobJson.line(job, line, List.of());
                if (lines == again) {
                    workbook.addFindings(json);
                } else {
                    workbook.addLine(json);
                }
            }
        }
        return take();
    }

    private Buffer endSheet() throws IOException {
        if (lines == again) {
            workbook.finish();
            complete = true;
        } else {
            workbook.endLines();
            lines = again;
        }
        return take();
    }

    private Buffer take() {
        Buffer part = Buffer.buffer(file.toByteArray());
        file.reset();
        return part;
    }

    @Override
    public void write(Buffer out, Buffer part) {
        out.appendBuffer(part);
    }

    @Override
    public void end(Buffer out) {
        // the last part has been written
    }

    @Override
    public int written() {
        return lines.written();
    }

    @Override
    public boolean isCompressed() {
        return true;
    }
}
