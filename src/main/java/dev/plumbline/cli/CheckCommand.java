package dev.plumbline.cli;

import dev.plumbline.app.Version;
import dev.plumbline.bus.Message;
import dev.plumbline.check.CheckResult;
import dev.plumbline.check.InvalidTargetException;
import dev.plumbline.check.ModuleCatalogue;
import dev.plumbline.check.ModuleDefinition;
import dev.plumbline.check.ModuleDescription;
import dev.plumbline.check.Options;
import dev.plumbline.check.ResultJson;
import dev.plumbline.check.Target;
import dev.plumbline.check.TargetParser;
import dev.plumbline.config.Config;
import dev.plumbline.config.ConfigException;
import dev.plumbline.egress.OwnEndpoints;
import dev.plumbline.run.CheckEnvironment;
import dev.plumbline.run.CheckRunner;
import dev.plumbline.run.RunnerMetrics;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.vertx.core.Vertx;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code plumbline check}: runs a check without server and database. */
@Command(
        name = "check",
        description = "Runs a check and prints the report.",
        mixinStandardHelpOptions = true,
        exitCodeOnInvalidInput = CheckCommand.INVALID,
        exitCodeOnExecutionException = CheckCommand.INVALID,
        footerHeading = "%nExit status:%n",
        footer = {
            "  0  pass",
            "  1  warn",
            "  2  fail",
            "  3  error: the check could not be completed",
            "  4  invalid target, option or configuration; nothing was checked"
        })
public final class CheckCommand implements Callable<Integer> {
    static final int INVALID = 4;

    @Parameters(index = "0", paramLabel = "MODULE", description = "Module, for example http-status.")
    private String module = "";

    @Parameters(index = "1", paramLabel = "TARGET", description = "Target, for example https://example.com/.")
    private String target = "";

    @Option(
            names = {"-o", "--option"},
            paramLabel = "NAME=VALUE",
            description = "Module option. Can be repeated.")
    private Map<String, String> options = new LinkedHashMap<>();

    @Option(names = "--json", description = "Print the result as JSON.")
    private boolean json;

    @Mixin
    private ConfigOption config = new ConfigOption();

    @Override
    public Integer call() {
        try {
            Config settings = config.load();
            Set<String> resolvers = settings.dns().resolvers().keySet();
            ModuleCatalogue modules = ModuleCatalogue.load(resolvers, module::equals);
            ModuleDefinition<?> found = modules.find(module);
            if (found == null) {
                return fail("unknown module '%s'. Modules: %s"
                        .formatted(
                                module, String.join(", ", ModuleCatalogue.load().names())));
            }
            ModuleDescription description = found.description();
            Options.Parsed parsed = Options.parse(description, options);
            if (parsed.options() == null) {
                Options.Fault fault = parsed.faults().get(0);
                return fail("option " + fault.name() + ": " + fault.detail());
            }
            Target normalized = TargetParser.parse(description, target);
            return run(settings, modules, description, normalized, parsed.options());
        } catch (ConfigException invalid) {
            return fail("invalid configuration: " + invalid.getMessage());
        } catch (InvalidTargetException invalid) {
            return fail(String.valueOf(invalid.getMessage()));
        } catch (IOException | IllegalArgumentException unreadable) {
            return fail(String.valueOf(unreadable.getMessage()));
        }
    }

    private int run(
            Config settings, ModuleCatalogue modules, ModuleDescription description, Target normalized, Options given)
            throws IOException {
        Vertx vertx = Vertx.vertx();
        try {
            CheckEnvironment environment = CheckEnvironment.of(vertx, settings, new OwnEndpoints(), Version.text());
            String refusal = environment.policy().refusal(normalized);
            if (refusal != null) {
                return fail(refusal);
            }
            CheckRunner runner = new CheckRunner(
                    vertx,
                    modules,
                    environment.probes(),
                    Clock.systemUTC(),
                    new RunnerMetrics(new SimpleMeterRegistry()),
                    1,
                    0);
            Message.RunCheck request =
                    new Message.RunCheck(description.module(), normalized.text(), given.given(), false, 1, "terminal");
            CompletableFuture<Message.RunReply> reply = new CompletableFuture<>();
            vertx.runOnContext(
                    ignored -> runner.run(request).onSuccess(reply::complete).onFailure(reply::completeExceptionally));
            return report(description, reply.get(2, TimeUnit.MINUTES));
        } catch (ExecutionException | TimeoutException failed) {
            return fail("the check failed: " + failed.getMessage());
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            return fail("interrupted");
        } finally {
            vertx.close().toCompletionStage().toCompletableFuture().join();
        }
    }

    private int report(ModuleDescription description, Message.RunReply reply) {
        if (reply instanceof Message.Paused) {
            return fail("the process was paused during the check. Retry.");
        }
        if (!(reply instanceof Message.Checked checked)) {
            return fail("too many requests to this target are queued. Retry later.");
        }
        CheckResult result = checked.result();
        System.out.println(
                json
                        ? new String(ResultJson.write(result), StandardCharsets.UTF_8)
                        : TextReport.of(description, result));
        return switch (result.verdict()) {
            case PASS -> 0;
            case WARN -> 1;
            case FAIL -> 2;
            case ERROR -> 3;
        };
    }

    private static int fail(String message) {
        System.err.println("plumbline: " + message);
        return INVALID;
    }
}
