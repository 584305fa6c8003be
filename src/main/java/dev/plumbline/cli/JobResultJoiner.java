package dev.plumbline.cli;

import dev.plumbline.cli.report.TerminalText;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.io.Writer;
import java.util.List;
import java.util.Locale;

/** Joins the results of several jobs in their order into one output, with indexes that continue from job to job. */
class JobResultJoiner extends JobOutput {
    enum Format {
        CSV,
        NDJSON,
        JSON,
        XLSX;

        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    private static final String INDEX_MEMBER = "{\"index\":";

    private final LineFilterOptions filters;
    private final Format format;
    private final Writer out;
    private int joined;
    private long lines;
    private boolean begun;

    /** The number of lines of the earlier jobs. */
    private long offset;

    JobResultJoiner(ServiceClient client, LineFilterOptions filters, Format format, Writer out) {
        super(client);
        this.filters = filters;
        this.format = format;
        this.out = out;
    }

    /** Writes the results of final jobs, up to the first job that is not final. */
    @Override
    boolean write(List<JsonObject> jobs, ProgressBar progress)
            throws CommandException, IOException, InterruptedException {
        int before = joined;
        for (; joined < jobs.size() && JobPoller.isFinal(jobs.get(joined)); joined++) {
            progress.clear();
            JsonObject job = jobs.get(joined);
            String requested = format == Format.CSV ? "csv" : "ndjson";
            append(client().results(token(job), requested, filters), JobPoller.total(job));
        }
        return joined > before;
    }

    /** @param total the number of lines of the job, of which the results can be a part */
    private void append(String results, long total) throws IOException {
        if (format == Format.CSV) {
            appendCsv(sanitizeCells(results));
        } else {
            appendJson(results);
        }
        begun = true;
        offset += total;
        out.flush();
    }

    @Override
    void end() throws IOException {
        if (format == Format.JSON) {
            out.write(lines > 0 ? "\n]\n" : "[]\n");
        }
        out.flush();
    }

    private void appendJson(String results) throws IOException {
        for (int start = 0; start < results.length(); ) {
            int end = results.indexOf('\n', start);
            end = end < 0 ? results.length() : end;
            int rest = results.indexOf(',', start);
            if (!results.startsWith(INDEX_MEMBER, start) || rest < 0 || rest >= end) {
                throw new IOException("A result does not begin with its index.");
            }
            if (format == Format.JSON) {
                out.write(lines == 0 ? "[\n" : ",\n");
            }
            out.write(INDEX_MEMBER + index(results, start + INDEX_MEMBER.length(), rest));
            out.write(results, rest, end - rest);
            lines++;
            if (format == Format.NDJSON) {
                out.write('\n');
            }
            start = end + 1;
        }
    }

    private long index(String results, int start, int end) throws IOException {
        try {
            return offset + Long.parseLong(results, start, end, 10);
        } catch (NumberFormatException invalid) {
            throw new IOException("A result does not begin with its index.", invalid);
        }
    }

    /** Replaces characters in cells that control a terminal. A line break in quotes does not end a record. */
    private static String sanitizeCells(String results) {
        StringBuilder out = new StringBuilder(results.length());
        boolean quoted = false;
        for (int i = 0; i < results.length(); ) {
            int c = results.codePointAt(i);
            quoted ^= c == '"';
            boolean recordEnd = !quoted && (c == '\r' || c == '\n');
            out.appendCodePoint(recordEnd ? c : TerminalText.sanitize(c));
            i += Character.charCount(c);
        }
        return out.toString();
    }

    private void appendCsv(String results) throws IOException {
        boolean header = true;
        int start = 0;
        for (int i = 0; i < results.length(); i++) {
            if (results.charAt(i) != '\n') {
                continue;
            }
            if (!header) {
                int rest = results.indexOf(',', start);
                if (rest < 0 || rest > i) {
                    throw new IOException("A record does not begin with its index.");
                }
                out.write(Long.toString(index(results, start, rest)));
                start = rest;
            }
            if (!header || !begun) {
                out.write(results, start, i + 1 - start);
            }
            header = false;
            start = i + 1;
        }
    }
}
