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

    /** The header of the first CSV file; empty before it. */
    private String header = "";

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
            append(job, client().results(token(job), requested, filters));
        }
        return joined > before;
    }

    /** @param results of all lines of the job, or of a part of them */
    private void append(JsonObject job, String results) throws CommandException, IOException {
        if (format == Format.CSV) {
            appendCsv(token(job), sanitizeCells(results));
        } else {
            appendJson(results);
        }
        begun = true;
        offset += JobPoller.total(job);
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

    /** @throws CommandException if the columns are not those of the first job: other fields, or those of a policy */
    private void appendCsv(String token, String results) throws CommandException, IOException {
        int records = results.indexOf('\n') + 1;
        if (!begun) {
            header = results.substring(0, records);
            out.write(header);
        } else if (!results.startsWith(header) || records != header.length()) {
            out.flush();
            throw new CommandException(
                    ("The columns of job %s differ from those of the first job, because its module or policy is"
                                    + " different. Download it separately, or use --output ndjson.")
                            .formatted(token));
        }
        int start = records;
        for (int i = records; i < results.length(); i++) {
            if (results.charAt(i) != '\n') {
                continue;
            }
            int rest = results.indexOf(',', start);
            if (rest < 0 || rest > i) {
                throw new IOException("A record does not begin with its index.");
            }
            out.write(Long.toString(index(results, start, rest)));
            out.write(results, rest, i + 1 - rest);
            start = i + 1;
        }
    }
}
