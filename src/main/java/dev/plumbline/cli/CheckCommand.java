package dev.plumbline.cli;

import dev.plumbline.app.Version;
import dev.plumbline.budget.NodeBudget;
import dev.plumbline.bus.MessageBus;
import dev.plumbline.check.ModuleCatalogue;
import dev.plumbline.check.ModuleDefinition;
import dev.plumbline.cli.report.NagiosReport;
import dev.plumbline.cli.report.ReportFormat;
import dev.plumbline.cli.report.ReportWriter;
import dev.plumbline.cli.report.TerminalText;
import dev.plumbline.cli.report.VerdictCounts;
import dev.plumbline.concurrent.EventLoopLag;
import dev.plumbline.config.Config;
import dev.plumbline.config.ConfigException;
import dev.plumbline.policy.PolicyEvaluation;
import dev.plumbline.result.Verdict;
import dev.plumbline.run.CheckAdmission;
import dev.plumbline.run.CheckEnvironment;
import dev.plumbline.run.CheckRunner;
import dev.plumbline.run.CheckRunnerVerticle;
import dev.plumbline.run.PartResults;
import dev.plumbline.run.RunnerMetrics;
import dev.plumbline.sheet.ModuleDescription;
import dev.plumbline.sheet.Options;
import dev.plumbline.target.ExceptionMessage;
import dev.plumbline.target.InvalidTargetException;
import dev.plumbline.target.Target;
import dev.plumbline.target.TargetParser;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.vertx.core.DeploymentOptions;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import java.io.IOException;
import java.io.Writer;
import java.nio.file.FileSystemException;
import java.time.Clock;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code plumbline check}: checks targets without server and database. */
@Command(
        name = "check",
        description = {
            "Checks targets and prints the results, in input order.",
            "One target: the complete report. Several targets, --input or --sitemap: one line per target."
        },
        mixinStandardHelpOptions = true,
        exitCodeOnExecutionException = CheckCommand.INVALID,
        footerHeading = "%nExit codes (the worst verdict at or above --fail-on):%n",
        footer = {
            "  0  no verdict at or above --fail-on",
            "  1  warn",
            "  2  fail",
            "  3  error: a check could not be completed",
            "  4  invalid option or setting: nothing was checked",
            "     invalid or forbidden target: the other targets were checked",
            "130  interrupted with Ctrl-C: the results so far were printed",
            "With --output nagios, 3 (UNKNOWN) instead of 4, except for an invalid option"
        })
public final class CheckCommand implements Callable<Integer> {
    static final int INVALID = UsageErrorHandler.EXIT_CODE;

    @Parameters(
            index = "0",
            arity = "0..1",
            paramLabel = "MODULE",
            completionCandidates = OptionConverters.Modules.class,
            description = "Module, for example http-status. A target instead of a module, for example example.com, is"
                    + " checked by the default tool for its type.")
    private String module = "";

    @Parameters(
            index = "1..*",
            arity = "0..*",
            paramLabel = "TARGET",
            description = "Targets, for example https://example.com/.")
    private List<String> targets = new ArrayList<>();

    @Option(
            names = {"-i", "--input"},
            paramLabel = "FILE",
            description = "File with one target per line; - for stdin. Empty lines and lines that start with # are"
                    + " skipped.")
    private @Nullable String input;

    @Option(names = "--sitemap", paramLabel = "URL", description = SitemapInput.DESCRIPTION)
    private @Nullable String sitemap;

    @Option(
            names = {"-o", "--option"},
            paramLabel = "NAME=VALUE",
            description = "Module option. Can be repeated.")
    private Map<String, String> options = new LinkedHashMap<>();

    @Option(
            names = "--output",
            paramLabel = "FORMAT",
            defaultValue = "text",
            description = "${COMPLETION-CANDIDATES} (default: ${DEFAULT-VALUE}).")
    private ReportFormat output = ReportFormat.TEXT;

    @Option(names = "--json", description = "Same as --output json.")
    private boolean json;

    @Option(
            names = "--fail-on",
            paramLabel = "VERDICT",
            defaultValue = "warn",
            completionCandidates = OptionConverters.FailOn.class,
            description = "Least severe verdict with an exit code other than 0: ${COMPLETION-CANDIDATES} (default:"
                    + " ${DEFAULT-VALUE}).")
    private Verdict failOn = Verdict.WARN;

    @Option(
            names = {"-c", "--concurrency"},
            paramLabel = "N",
            defaultValue = "64",
            converter = OptionConverters.Concurrency.class,
            description = "Maximum number of concurrent checks, 1 to 1000 (default: ${DEFAULT-VALUE}).")
    private int concurrency = 64;

    @Option(names = "--unordered", description = "Print each result when its check completes, not in input order.")
    private boolean unordered;

    @Mixin
    private PolicyOptions policy = new PolicyOptions();

    @Mixin
    private ConfigOption config = new ConfigOption();

    @Override
    public Integer call() {
        if (module.isEmpty()) {
            return fail(
                    input == null && sitemap == null
                            ? "No target is given. Add a target, for example example.com."
                            : "No module is given. Add a module, for example http-status.");
        }
        if (format() == ReportFormat.XLSX && StandardOutput.isTerminal()) {
            return fail(StandardOutput.NOT_FOR_TERMINAL);
        }
        try {
            if (targets.isEmpty() && input == null && sitemap == null && ModuleCatalogue.isName(module)) {
                return fail(TargetReader.MISSING);
            }
            Config settings = config.load();
            Set<String> resolvers = settings.dns().resolvers().keySet();
            ModuleCatalogue modules;
            if (ModuleCatalogue.isName(module)) {
                modules = ModuleCatalogue.loadOnly(resolvers, module);
            } else {
                modules = ModuleCatalogue.load(resolvers);
                selectDefault(modules);
            }
            ModuleDefinition<?> found = modules.find(module);
            if (found == null) {
                return fail(OptionConverters.unknownModule(module));
            }
            ModuleDescription description = found.description();
            Options.Parsed parsed = Options.parse(description, options);
            if (parsed.options() == null) {
                Options.Fault fault = parsed.faults().get(0);
                String value = options.get(fault.name());
                return fail(
                        "Invalid option '%s=%s': %s %s.".formatted(fault.name(), value, fault.name(), fault.detail()));
            }
            PolicyEvaluation evaluation = policy.evaluation(description);
            List<String> given = new ArrayList<>(targets);
            if (sitemap != null) {
                given.addAll(SitemapInput.read(settings, sitemap));
            }
            try (TargetReader reader = TargetReader.open(given, input)) {
                if (reader.isEmpty()) {
                    return fail(TargetReader.empty(input));
                }
                return run(settings, modules, description, parsed.options(), reader, evaluation);
            }
        } catch (ConfigException invalid) {
            return fail("Invalid configuration: " + invalid.getMessage());
        } catch (InvalidTargetException | IllegalArgumentException | CommandException invalid) {
            return fail(ExceptionMessage.of(invalid));
        } catch (FileSystemException unreadable) {
            return fail(TargetReader.unreadable(unreadable));
        } catch (StandardOutput.ClosedException closed) {
            return INVALID;
        } catch (StandardOutput.FailedException reported) {
            return format() == ReportFormat.NAGIOS ? Verdict.ERROR.ordinal() : INVALID;
        } catch (IOException unreadable) {
            return fail(ExceptionMessage.of(unreadable));
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            return fail("Interrupted.");
        }
    }

    /** Selects the default tool for the type of the first argument, which is a target. */
    private void selectDefault(ModuleCatalogue modules) throws InvalidTargetException {
        String target = module;
        ModuleDescription selected = modules.defaultFor(TargetParser.typeOf(target));
        if (selected == null) {
            throw new InvalidTargetException("'" + TerminalText.sanitize(target)
                    + "' does not have a default tool. Add a module before the target.");
        }
        // an invalid target is reported by the default tool
        TargetParser.parse(selected, target);
        List<String> others = modules.descriptions().stream()
                .filter(other -> !other.equals(selected) && TargetParser.accepts(other, target))
                .map(ModuleDescription::module)
                .toList();
        targets.add(0, target);
        module = selected.module();
        StandardError.println(
                "Default tool: " + module + ". Other modules for this target, with plumbline check MODULE "
                        + TerminalText.sanitize(target) + ": " + String.join(", ", others) + ".");
    }

    private int run(
            Config settings,
            ModuleCatalogue modules,
            ModuleDescription description,
            Options given,
            TargetReader reader,
            @Nullable PolicyEvaluation evaluation)
            throws IOException, InvalidTargetException, InterruptedException, ConfigException {
        boolean single = input == null && sitemap == null && targets.size() == 1;
        int permits = single ? 1 : concurrency;
        int loops = Math.min(permits, Runtime.getRuntime().availableProcessors());
        Vertx vertx = Vertx.vertx(new VertxOptions().setEventLoopPoolSize(loops));
        // the only client
        try (NodeBudget budget = NodeBudget.ofProcess(vertx, 1)) {
            CheckEnvironment environment = CheckEnvironment.ofProcess(vertx, settings, Version.text());
            if (single && format() != ReportFormat.NAGIOS) {
                Target target = TargetParser.parse(description.targetRules(given), targets.get(0));
                String refusal = environment.policy().refusal(target, given.connectTo());
                if (refusal != null) {
                    return fail(refusal);
                }
            }
            MessageBus bus = MessageBus.of(vertx);
            RunnerMetrics metrics = new RunnerMetrics(new SimpleMeterRegistry());
            PartResults parts = new PartResults(vertx, environment.policy(), null);
            CheckRunner runner = new CheckRunner(
                    vertx,
                    modules,
                    environment.probes(),
                    Clock.systemUTC(),
                    metrics,
                    parts,
                    new CheckAdmission(vertx, metrics, 2 * permits, 0, budget.memory()::isScarce),
                    budget,
                    new EventLoopLag(vertx, System::nanoTime, delay -> {}),
                    System::nanoTime);
            vertx.deployVerticle(
                            () -> new CheckRunnerVerticle(bus, runner, null),
                            new DeploymentOptions().setInstances(loops))
                    .await();
            CheckBatch batch = new CheckBatch(
                    vertx,
                    bus,
                    description,
                    given,
                    environment.policy(),
                    permits,
                    !unordered,
                    single ? 0 : CheckBatch.RETRY_TIMEOUT_MS,
                    evaluation);
            Writer out = StandardOutput.writer();
            ReportWriter report = format().writer(
                            description,
                            modules.parts(module),
                            single,
                            evaluation != null,
                            failOn,
                            out,
                            StandardOutput.stream());
            ProgressBar progress = ProgressBar.onStderr(!single);
            try (InterruptHook hook = InterruptHook.register(batch, progress)) {
                return exitCode(batch.run(reader, report, out, progress));
            }
        } finally {
            vertx.close().await();
        }
    }

    private int exitCode(VerdictCounts counts) {
        Verdict worst = counts.worst();
        if (counts.refused() > 0 && format() != ReportFormat.NAGIOS) {
            return INVALID;
        }
        return worst.compareTo(failOn) < 0 ? 0 : worst.ordinal();
    }

    private ReportFormat format() {
        return json ? ReportFormat.JSON : output;
    }

    private int fail(String message) {
        if (format() == ReportFormat.NAGIOS) {
            System.out.println(NagiosReport.unknown(message));
            return Verdict.ERROR.ordinal();
        }
        return StandardError.fail(INVALID, message);
    }
}
