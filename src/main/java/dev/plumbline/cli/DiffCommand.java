package dev.plumbline.cli;

import com.google.common.collect.Iterables;
import dev.plumbline.cli.report.ChangeFormat;
import dev.plumbline.portfolio.ChangeCounts;
import dev.plumbline.portfolio.ChangeReport;
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
import java.util.Comparator;
import java.util.EnumSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.PrimitiveIterator;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code plumbline diff}: compares the results of files and jobs. */
@Command(
        name = "diff",
        description = {
            "Compares two results of each target and prints the targets that changed.",
            "All results must be from the same module."
        },
        mixinStandardHelpOptions = true,
        exitCodeOnExecutionException = CheckCommand.INVALID,
        footerHeading = "%nExit codes:%n",
        footer = {
            "  0  no target is worse",
            "  1  a target is worse",
            "  3  no target is worse, but one could not be compared",
            "  4  invalid usage or input"
        })
public final class DiffCommand implements Callable<Integer> {
    private static final int WORSE = 1;
    private static final int NOT_COMPARED = 3;
    private static final int MAX_DIFFERENT = 100;

    @Parameters(
            index = "0",
            paramLabel = "BEFORE",
            description = "The earlier results: NDJSON files (- for stdin) or tokens of jobs, separated by commas.")
    private String before = "";

    @Parameters(index = "1", paramLabel = "AFTER", description = "The later results, in the same form.")
    private String after = "";

    @Option(
            names = "--change",
            paramLabel = "CHANGE",
            split = ",",
            completionCandidates = OptionConverters.Changes.class,
            description = "Only these changes: ${COMPLETION-CANDIDATES} (default: all but unchanged).")
    private Set<Kind> kinds = EnumSet.complementOf(EnumSet.of(Kind.UNCHANGED));

    @Option(
            names = "--volatile",
            description =
                    "Also print the volatile fields that differ, for example durations. They never cause a change.")
    private boolean withVolatile;

    @Option(
            names = "--output",
            paramLabel = "FORMAT",
            defaultValue = "text",
            description = "${COMPLETION-CANDIDATES} (default: ${DEFAULT-VALUE}).")
    private ChangeFormat output = ChangeFormat.TEXT;

    @Mixin
    private PolicyOptions policy = new PolicyOptions();

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
        ResultLines.CommonModule common = new ResultLines.CommonModule(results.module(), policy, true);
        try (ResultLines old = ResultLines.open(earlier, client, common, true);
                ResultLines current = ResultLines.open(later, client, common, false)) {
            for (JsonObject job : Iterables.concat(old.jobs(), current.jobs())) {
                server.requireFinal(job);
            }
            if (old.isEmpty() && current.isEmpty()) {
                throw new CommandException(
                        "BEFORE and AFTER contain no results. Use the output of --output ndjson or tokens of jobs.");
            }
            ModuleDescription module =
                    ResultOptions.ResultModule.load(common.name()).description();
            LineComparison comparison = new LineComparison(module, withVolatile);
            TargetIndex index = new TargetIndex();
            for (PortfolioLine line = old.next(); line != null; line = old.next()) {
                index.add(comparison.target(line));
            }
            Writer out = StandardOutput.writer();
            ChangeReport report = output.report(compared(old, current, comparison), out);
            ChangeCounts counts = new ChangeCounts();
            try {
                compare(comparison, index, old, current, counts, report);
            } catch (CommandException invalid) {
                out.flush();
                throw new CommandException(invalid.getMessage() + " The output is incomplete.");
            }
            report.end(counts, null);
            out.flush();
            return counts.of(Kind.WORSE) > 0 ? WORSE : counts.incomparable() > 0 ? NOT_COMPARED : 0;
        }
    }

    private void compare(
            LineComparison comparison,
            TargetIndex index,
            ResultLines old,
            ResultLines current,
            ChangeCounts counts,
            ChangeReport report)
            throws CommandException, IOException, InterruptedException {
        Set<String> notCompared = new TreeSet<>();
        for (PortfolioLine line = current.next(); line != null; line = current.next()) {
            int match = index.match(comparison.target(line));
            if (match < 0) {
                write(comparison.ofNew(line), counts, report);
            } else {
                PortfolioLine earlier = old.line(match);
                write(comparison.compare(earlier, line), counts, report);
                notCompared.addAll(comparison.notCompared(earlier, line));
            }
        }
        for (PrimitiveIterator.OfInt gone = index.unmatched().iterator(); gone.hasNext(); ) {
            write(comparison.ofGone(old.line(gone.nextInt())), counts, report);
        }
        if (!notCompared.isEmpty()) {
            StandardError.println(String.format(
                    Locale.ROOT,
                    notCompared.size() == 1
                            ? "%d field was not compared, because only BEFORE or only AFTER contains it: %s"
                            : "%d fields were not compared, because only BEFORE or only AFTER contains them: %s",
                    notCompared.size(),
                    String.join(", ", notCompared)));
        }
    }

    private void write(LineChange change, ChangeCounts counts, ChangeReport report) throws IOException {
        counts.add(change);
        if (kinds.contains(change.kind())) {
            report.line(change);
        }
    }

    private static ChangeReport.Compared compared(ResultLines old, ResultLines current, LineComparison comparison) {
        return new ChangeReport.Compared(
                token(current), token(old), comparison.module().module(), optionsDiffer(old, current, comparison));
    }

    private static @Nullable String token(ResultLines lines) {
        return lines.onlyJobs() && lines.jobs().size() == 1
                ? lines.jobs().get(0).getString("token")
                : null;
    }

    /**
     * The options that are not equal in all jobs, by name: each pair of different values of an earlier and a later job,
     * at most 100. Null if there are files.
     */
    private static @Nullable List<FieldChange> optionsDiffer(
            ResultLines old, ResultLines current, LineComparison comparison) {
        if (!old.onlyJobs() || !current.onlyJobs()) {
            return null;
        }
        Set<FieldChange> differ = new LinkedHashSet<>();
        for (Map<String, Object> before : options(old)) {
            for (Map<String, Object> after : options(current)) {
                differ.addAll(comparison.optionsDiffer(after, before));
            }
        }
        return differ.stream()
                .sorted(Comparator.comparing(FieldChange::name))
                .limit(MAX_DIFFERENT)
                .toList();
    }

    /** The different options of the jobs. */
    private static List<Map<String, Object>> options(ResultLines lines) {
        return lines.jobs().stream()
                .map(job -> job.getJsonObject("options", new JsonObject()).getMap())
                .distinct()
                .toList();
    }
}
