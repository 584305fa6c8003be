package dev.plumbline.cli;

import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.plumbline.cli.report.SummaryText;
import dev.plumbline.portfolio.LineFilter;
import dev.plumbline.portfolio.PortfolioLine;
import dev.plumbline.portfolio.PortfolioSummary;
import dev.plumbline.target.ExceptionMessage;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.io.Writer;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code plumbline summary}: adds up the results of files and jobs. */
@Command(
        name = "summary",
        description = {
            "Summarizes results: verdicts, findings with the number of lines, and the values of fields.",
            "All results must be from the same module."
        },
        mixinStandardHelpOptions = true,
        exitCodeOnExecutionException = CheckCommand.INVALID)
public final class SummaryCommand implements Callable<Integer> {
    private static final JsonMapper JSON = new JsonMapper();

    /** The formats of a summary. */
    enum SummaryFormat {
        TEXT,
        JSON;

        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    @Parameters(
            arity = "1..*",
            paramLabel = "FILE|TOKEN",
            description = "NDJSON files (- for stdin) or tokens of jobs.")
    private List<String> names = new ArrayList<>();

    @Option(
            names = "--output",
            paramLabel = "FORMAT",
            defaultValue = "text",
            description = "${COMPLETION-CANDIDATES} (default: ${DEFAULT-VALUE}).")
    private SummaryFormat output = SummaryFormat.TEXT;

    @Mixin
    private FilterOptions filter = new FilterOptions();

    @Mixin
    private PolicyOptions policy = new PolicyOptions();

    @Mixin
    private ResultOptions results = new ResultOptions();

    @Mixin
    private ServerOptions server = new ServerOptions();

    @Override
    public Integer call() {
        return ResultOptions.run(server, this::summarize);
    }

    private int summarize(ResultLines.JobReader client) throws CommandException, IOException, InterruptedException {
        LineFilter selected = filter.filter();
        ResultLines.CommonModule common = new ResultLines.CommonModule(results.module(), policy, false);
        try (ResultLines lines = ResultLines.open(names, client, common, false)) {
            PortfolioLine line = lines.next();
            if (line == null) {
                throw new CommandException(
                        "The input contains no results. Use the output of --output ndjson or the token of a job.");
            }
            ResultOptions.ResultModule module = ResultOptions.ResultModule.load(common.name());
            PortfolioSummary summary = new PortfolioSummary(module.description(), module.parts(), selected);
            try {
                for (; line != null; line = lines.next()) {
                    summary.add(line);
                }
            } catch (IllegalArgumentException tooManyCodes) {
                throw new CommandException(
                        "The input cannot be summarized: " + ExceptionMessage.of(tooManyCodes) + ".");
            }
            Writer out = StandardOutput.writer();
            out.write(
                    output == SummaryFormat.JSON
                            ? json(module.description().module(), lines, summary) + "\n"
                            : SummaryText.of(module.description(), summary));
            out.flush();
            return 0;
        }
    }

    private static String json(String module, ResultLines lines, PortfolioSummary summary) throws IOException {
        List<ResultLines.Source> sources = lines.sources();
        JsonObject job = sources.size() == 1 && lines.onlyJobs() ? lines.jobs().get(0) : new JsonObject();
        Map<String, @Nullable Object> members = new LinkedHashMap<>();
        members.put("token", job.getString("token"));
        members.put("module", module);
        members.put("state", job.getString("state"));
        members.put("counts", summary.counts());
        members.putAll(summary.toMap());
        if (sources.size() > 1) {
            members.put("sources", sources.stream().map(SummaryCommand::source).toList());
        }
        return JSON.writeValueAsString(members);
    }

    private static Map<String, Object> source(ResultLines.Source source) {
        Map<String, Object> members = new LinkedHashMap<>();
        members.put("name", source.name());
        members.put("first_index", source.firstIndex());
        return members;
    }
}
