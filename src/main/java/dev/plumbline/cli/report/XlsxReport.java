package dev.plumbline.cli.report;

import dev.plumbline.check.CompositePart;
import dev.plumbline.sheet.ModuleDescription;
import dev.plumbline.spreadsheet.LineColumns;
import java.io.IOException;
import java.io.OutputStream;
import java.util.List;

/** Results as a workbook, which is written when all results are available. */
final class XlsxReport implements ReportWriter {
    private final SpooledWorkbook workbook;
    private final JsonReport lines;

    /** @param evaluated whether the results are evaluated with a policy or expectations */
    XlsxReport(ModuleDescription module, List<CompositePart> parts, boolean evaluated, OutputStream out)
            throws IOException {
        workbook = new SpooledWorkbook(
                module, parts, new LineColumns(LineColumns.OF_CHECK, module, parts, List.of(), evaluated), out);
        lines = new JsonReport(JsonReport.Form.LINES, workbook.lines());
    }

    @Override
    public void line(CheckedLine line) throws IOException {
        lines.line(line);
    }

    @Override
    public void end(VerdictCounts counts) throws IOException {
        workbook.end();
    }
}
