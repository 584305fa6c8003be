package dev.plumbline.cli;

import dev.plumbline.check.CompositePart;
import dev.plumbline.check.ModuleCatalogue;
import dev.plumbline.check.ModuleDefinition;
import dev.plumbline.cli.report.SpooledWorkbook;
import dev.plumbline.sheet.ModuleDescription;
import dev.plumbline.spreadsheet.LineColumns;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Joins the results of several jobs of one module into one workbook. */
final class JobWorkbook extends JobResultJoiner {
    private final SpooledWorkbook workbook;

    private JobWorkbook(ServiceClient client, LineFilterOptions filters, SpooledWorkbook workbook) {
        // the findings of a composite are in its fields
        super(client, filters.withoutFields(), Format.NDJSON, workbook.lines());
        this.workbook = workbook;
    }

    /** @throws CommandException if the jobs do not have one module, or if this version does not have it */
    static JobWorkbook of(ServiceClient client, LineFilterOptions filters, List<JsonObject> jobs)
            throws CommandException, IOException {
        String name = module(jobs.get(0));
        for (JsonObject job : jobs) {
            if (!module(job).equals(name)) {
                throw new CommandException(
                        "The module of job %s is '%s', not '%s'. A workbook contains jobs of one module. Download the others separately."
                                .formatted(token(job), module(job), name));
            }
        }
        ModuleCatalogue modules = ModuleCatalogue.loadOnly(List.of(), name);
        ModuleDefinition<?> found = modules.find(name);
        if (found == null) {
            throw new CommandException(OptionConverters.unknownModule(name));
        }
        ModuleDescription module = found.description();
        List<CompositePart> parts = modules.parts(name);
        boolean evaluated = jobs.stream().anyMatch(filters::areEvaluated);
        LineColumns columns = new LineColumns(LineColumns.OF_JOB, module, parts, filters.fields(), evaluated);
        return new JobWorkbook(client, filters, new SpooledWorkbook(module, parts, columns, StandardOutput.stream()));
    }

    /** @throws CommandException if stdout is a terminal */
    static void requireFile(JobResultJoiner.@Nullable Format format) throws CommandException {
        if (format == Format.XLSX && StandardOutput.isTerminal()) {
            throw new CommandException(StandardOutput.NOT_FOR_TERMINAL);
        }
    }

    private static String module(JsonObject job) {
        return job.getString("module", "");
    }

    @Override
    void end() throws IOException {
        super.end();
        workbook.end();
    }
}
