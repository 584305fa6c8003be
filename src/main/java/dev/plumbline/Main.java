package dev.plumbline;

import dev.plumbline.app.Version;
import dev.plumbline.cli.AccountCommand;
import dev.plumbline.cli.BackupCommand;
import dev.plumbline.cli.CheckCommand;
import dev.plumbline.cli.CompletionCommand;
import dev.plumbline.cli.ConfigCommand;
import dev.plumbline.cli.ConfigOption;
import dev.plumbline.cli.DiffCommand;
import dev.plumbline.cli.HelpCommand;
import dev.plumbline.cli.JobCommand;
import dev.plumbline.cli.KeyCommand;
import dev.plumbline.cli.LabCommand;
import dev.plumbline.cli.OptionConverters;
import dev.plumbline.cli.PolicyCommand;
import dev.plumbline.cli.RestoreCommand;
import dev.plumbline.cli.ResultsCommand;
import dev.plumbline.cli.ServeCommand;
import dev.plumbline.cli.StandardOutput;
import dev.plumbline.cli.SummaryCommand;
import dev.plumbline.cli.ToolsCommand;
import dev.plumbline.cli.TrainingCommand;
import dev.plumbline.cli.UsageErrorHandler;
import java.util.concurrent.Callable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** Arguments to a command, and nothing else. */
@Command(
        name = "plumbline",
        description = "Checks domains and URLs, one at a time or in bulk. Without a command: serve.",
        synopsisSubcommandLabel = "[COMMAND]",
        mixinStandardHelpOptions = true,
        versionProvider = Version.class,
        subcommands = {
            ServeCommand.class,
            CheckCommand.class,
            JobCommand.class,
            SummaryCommand.class,
            DiffCommand.class,
            PolicyCommand.class,
            AccountCommand.class,
            KeyCommand.class,
            ResultsCommand.class,
            BackupCommand.class,
            RestoreCommand.class,
            ToolsCommand.class,
            ConfigCommand.class,
            CompletionCommand.class,
            LabCommand.class,
            TrainingCommand.class,
            HelpCommand.class
        })
public final class Main implements Callable<Integer> {
    private static final Logger LOG = LoggerFactory.getLogger(Main.class);

    @Mixin
    private ConfigOption config = new ConfigOption();

    private Main() {}

    public static void main(String[] args) {
        StandardOutput out = StandardOutput.install();
        System.exit(out.exitCode(commandLine().execute(args)));
    }

    public static CommandLine commandLine() {
        CommandLine line = new CommandLine(new Main());
        OptionConverters.register(line);
        line.setParameterExceptionHandler(new UsageErrorHandler());
        return line.setExecutionExceptionHandler((failure, command, parsed) -> {
            LOG.error("command failed", failure);
            command.getErr().println("plumbline: internal error. See the log on stderr.");
            return command.getCommandSpec().exitCodeOnExecutionException();
        });
    }

    @Override
    public Integer call() {
        return ServeCommand.serve(config);
    }
}
