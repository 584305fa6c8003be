package dev.plumbline.cli.report;

import dev.plumbline.check.CompositePart;
import dev.plumbline.portfolio.LineFilter;
import dev.plumbline.portfolio.PortfolioSummary;
import dev.plumbline.sheet.ModuleDescription;
import dev.plumbline.spreadsheet.LineColumns;
import dev.plumbline.spreadsheet.ResultWorkbook;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.OutputStream;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** Collects lines in a temporary file, and writes them as a workbook, which reads each line twice. Not thread-safe. */
public final class SpooledWorkbook {
    private final SpooledText lines = new SpooledText();
    private final LineColumns columns;
    private final PortfolioSummary summary;
    private final OutputStream out;

    private interface LineConsumer {
        void accept(byte[] json) throws IOException;
    }

    /** @param parts the parts of a composite module */
    public SpooledWorkbook(ModuleDescription module, List<CompositePart> parts, LineColumns columns, OutputStream out)
            throws IOException {
        this.columns = columns;
        this.summary = new PortfolioSummary(
                module, parts.stream().map(CompositePart::module).toList(), LineFilter.NONE);
        this.out = out;
    }

    /** Receives the lines as NDJSON. */
    public Writer lines() {
        return lines.writer();
    }

    /** Writes the workbook and deletes the file. */
    public void end() throws IOException {
        try {
            ResultWorkbook workbook = new ResultWorkbook(out, columns, summary);
            forEach(workbook::addLine);
            workbook.endLines();
            forEach(workbook::addFindings);
            workbook.finish();
            out.flush();
        } catch (IllegalArgumentException invalid) {
            throw new IOException(
                    "The results cannot be written as a workbook: " + invalid.getMessage() + ".", invalid);
        } finally {
            lines.delete();
        }
    }

    private void forEach(LineConsumer consumer) throws IOException {
        try (BufferedReader reader = lines.read()) {
            for (String line = reader.readLine(); line != null; line = reader.readLine()) {
                consumer.accept(line.getBytes(StandardCharsets.UTF_8));
            }
        }
    }
}
