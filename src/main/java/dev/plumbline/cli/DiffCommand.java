package dev.plumbline.cli;

import com.google.common.collect.Iterables;
import dev.plumbline.cli.report.ChangeCounts;
import dev.plumbline.cli.report.ChangeFormat;
import dev.plumbline.cli.report.ChangeReport;
import dev.plumbline.portfolio.LineChange;
import dev.plumbline.portfolio.LineChange.FieldChange;
import dev.plumbline.portfolio.LineChange.Kind;
import dev.plumbline.portfolio.LineComparison;
import dev.plumbline.portfolio.PortfolioLine;
import dev.plumbline.portfolio.TargetIndex;
import dev.plumbline.sheet.ModuleDescription;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.io.Writer;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.PrimitiveIterator;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code plumbline diff}: compares the results of files and jobs. */
@Command(
        name = "diff",
        description = {
            "Compares two results of each target and prints those that changed.",
            "Reads NDJSON files (- for stdin) or jobs, separated by commas. All results must be of one module."
        },
        mixinStandardHelpOptions = true,
        exitCodeOnExecutionException = CheckCommand.INVALID,
        footerHeading = "%nExit codes:%n",
        footer = {
            "  0  nothing is worse",
            "  1  a target is worse",
            "  3  nothing is worse, but a check was not completed on one side",
            "  4  invalid usage or input"
        })
public final class DiffCommand implements Callable<Integer> {
    private static final int WORSE = 1;
    private static final int NOT_COMPARED = 3;

    @Parameters(index = "0", paramLabel = "BEFORE", description = "The earlier results: files or tokens.")
    private String before = "";

    @Parameters(index = "1", paramLabel = "AFTER", description = "The later results: files or tokens.")
    private String after = "";

    @Option(
            names = "--change",
            paramLabel = "CHANGE",
            split = ",",
            completionCandidates = OptionConverters.Changes.class,
            description = "Only these changes: ${COMPLETION-CANDIDATES} (default: all but unchanged).")
    private Set<Kind> kinds = EnumSet.complementOf(EnumSet.of(Kind.UNCHANGED));

    @Option(names = "--volatile", description = "Also print volatile fields of changed targets, for example durations.")
    private boolean withVolatile;

    @Option(
            names = "--output",
            paramLabel = "FORMAT",
            defaultValue = "text",
            description = "${COMPLETION-CANDIDATES} (default: ${DEFAULT-VALUE}).")
    private ChangeFormat output = ChangeFormat.TEXT;

    @Mixin
    private ResultOptions results = new ResultOptions();

    @Mixin
    private ServerOptions server = new ServerOptions();

    @Override
    public Integer call() {
        return ResultOptions.run(server, this::compare);
    }

    private int compare(ResultLines.JobReader client) throws CommandException, IOException, InterruptedException {
        List<String> earlier = ResultLines.split(before);
        List<String> later = ResultLines.split(after);
        if (earlier.contains(TargetReader.STDIN) && later.contains(TargetReader.STDIN)) {
            throw new CommandException("BEFORE and AFTER are both stdin. Use a file for one of them.");
        }
        try (ResultLines old = ResultLines.open(earlier, client, results.module(), true);
                ResultLines current = ResultLines.open(later, client, old.module(), false)) {
            for (JsonObject job : Iterables.concat(old.jobs(), current.jobs())) {
                server.requireFinal(job);
            }
            ModuleDescription module =
                    ResultOptions.ResultModule.load(current.module()).description();
            LineComparison comparison = new LineComparison(module, withVolatile);
            Writer out = StandardOutput.writer();
            ChangeReport report = output.report(compared(old, current, module.module()), out);
            ChangeCounts counts = new ChangeCounts();
            TargetIndex index = new TargetIndex();
            for (PortfolioLine line = old.next(); line != null; line = old.next()) {
                index.add(comparison.target(line));
            }
            for (PortfolioLine line = current.next(); line != null; line = current.next()) {
                int match = index.match(comparison.target(line));
                write(match < 0 ? comparison.ofNew(line) : comparison.compare(old.line(match), line), counts, report);
            }
            for (PrimitiveIterator.OfInt gone = index.unmatched().iterator(); gone.hasNext(); ) {
                write(comparison.ofGone(old.line(gone.nextInt())), counts, report);
            }
            report.end(counts);
            out.flush();
            return counts.of(Kind.WORSE) > 0 ? WORSE : counts.incomparable() > 0 ? NOT_COMPARED : 0;
        }
    }

    private void write(LineChange change, ChangeCounts counts, ChangeReport report) throws IOException {
        counts.add(change);
        if (kinds.contains(change.kind())) {
            report.line(change);
        }
    }

    private static ChangeFormat.Compared compared(ResultLines old, ResultLines current, String module) {
        return new ChangeFormat.Compared(token(current), token(old), module, optionsDiffer(old, current));
    }

    private static @Nullable String token(ResultLines lines) {
        return lines.onlyJobs() && lines.jobs().size() == 1
                ? lines.jobs().get(0).getString("token")
                : null;
    }

    /** The options that are not equal in all jobs, with the values of the first jobs; null if there are files. */
    private static @Nullable List<FieldChange> optionsDiffer(ResultLines old, ResultLines current) {
        if (!old.onlyJobs() || !current.onlyJobs()) {
            return null;
        }
        List<JsonObject> options = Stream.concat(old.jobs().stream(), current.jobs().stream())
                .map(job -> job.getJsonObject("options", new JsonObject()))
                .toList();
        Set<String> names = new TreeSet<>();
        options.forEach(each -> names.addAll(each.fieldNames()));
        List<FieldChange> differ = new ArrayList<>();
        for (String name : names) {
            if (options.stream().map(each -> each.getValue(name)).distinct().count() > 1) {
                differ.add(new FieldChange(
                        name,
                        options.get(old.jobs().size()).getValue(name),
                        options.get(0).getValue(name)));
            }
        }
        return differ;
    }
}
