package dev.plumbline.cli;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code plumbline help}: prints the usage of a command, as its option {@code --help} does. */
@Command(name = "help", description = "Prints the usage of a command.", mixinStandardHelpOptions = true)
public final class HelpCommand implements Callable<Integer> {
    @Parameters(
            arity = "0..*",
            paramLabel = "COMMAND",
            description = "Command, for example check or job create (default: all commands).")
    private List<String> names = new ArrayList<>();

    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Override
    public Integer call() {
        CommandLine command = spec.root().commandLine();
        for (String name : names) {
            CommandLine child = command.getSubcommands().get(name);
            if (child == null) {
                throw new ParameterException(command, "Unknown command '" + name + "'.");
            }
            command = child;
        }
        command.usage(System.out);
        return 0;
    }
}
