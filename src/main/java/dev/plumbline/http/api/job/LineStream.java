package dev.plumbline.http.api.job;

import dev.plumbline.bus.JobMessage;
import dev.plumbline.http.api.policy.ResultEvaluation;
import dev.plumbline.result.ResultJson;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import java.util.List;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** The lines of a job in a streamed response. */
final class LineStream implements BodyStream.Rows<JobMessage.ResultLine> {
    /** A source of lines. */
    interface Source {
        /** Reads lines, in this order: the first one, and those of the others that fit into a page. */
        Future<List<JobMessage.ResultLine>> read(List<Integer> indexes);
    }

    /** Returns a source of lines with evaluated results; the same source without an evaluation. */
    static Source evaluated(Source stored, @Nullable ResultEvaluation evaluation) {
        return evaluation == null
                ? stored
                : indexes -> stored.read(indexes).compose(lines -> evaluate(lines, evaluation));
    }

    static Future<List<JobMessage.ResultLine>> evaluate(
            List<JobMessage.ResultLine> lines, ResultEvaluation evaluation) {
        return evaluation.applyAll(lines, LineStream::evaluate);
    }

    private static JobMessage.ResultLine evaluate(JobMessage.ResultLine line, UnaryOperator<byte[]> evaluation) {
        byte[] result = line.result();
        return result == null ? line : line.withResult(evaluation.apply(ResultJson.withRules(result)));
    }

    /** The number of lines that are read at once. */
    static final int PAGE_LINES = 100;

    private final LineWriter format;
    private final Source source;
    private final LinePage lines;

    /** Null without an evaluation: a slow client then holds one page only. */
    private final @Nullable LineReadAhead evaluated;

    /**
     * @param source of the stored results
     * @param evaluation is applied to the results; null for none
     */
    LineStream(LineWriter format, Source source, LinePage lines, @Nullable ResultEvaluation evaluation) {
        this.format = format;
        this.source = source;
        this.lines = lines;
        this.evaluated = evaluation == null
                ? null
                : LineReadAhead.evaluated(source, lines.indexes(Integer.MAX_VALUE), evaluation);
    }

    @Override
    public void begin(Buffer out) {
        format.begin(out);
    }

    @Override
    public boolean hasNext() {
        return !lines.indexes(1).isEmpty();
    }

    @Override
    public Future<List<JobMessage.ResultLine>> next() {
        return evaluated != null
                ? evaluated.next()
                : source.read(lines.indexes(PAGE_LINES)).map(page -> {
                    if (page.isEmpty()) {
                        throw new IllegalStateException("missing lines");
                    }
                    return page;
                });
    }

    @Override
    public void write(Buffer out, JobMessage.ResultLine line) {
        if (lines.accept(line)) {
            format.line(out, line);
        }
    }

    @Override
    public void end(Buffer out) {
        format.end(out);
    }

    @Override
    public void close() {
        if (evaluated != null) {
            evaluated.close();
        }
    }

    @Override
    public int written() {
        return lines.written();
    }
}
