package dev.plumbline.cli;

import java.util.concurrent.Callable;
import picocli.AutoComplete;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code plumbline completion}: prints the completion script of a shell. */
@Command(
        name = "completion",
        description = "Prints the completion script for a shell. For bash: source <(plumbline completion bash)",
        mixinStandardHelpOptions = true)
public final class CompletionCommand implements Callable<Integer> {
    /** The supported shells. The script of bash also works in zsh, which then loads bashcompinit. */
    enum Shell {
        bash,
        zsh,
        fish
    }

    @Parameters(index = "0", paramLabel = "SHELL", description = "${COMPLETION-CANDIDATES}.")
    private Shell shell = Shell.bash;

    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Override
    public Integer call() {
        CommandSpec root = spec.root();
        System.out.print(
                switch (shell) {
                    case bash -> bash(root);
                    case zsh -> "autoload -U +X compinit && compinit\n" + bash(root);
                    case fish -> FishCompletion.script(root);
                });
        return 0;
    }

    private static String bash(CommandSpec root) {
        return AutoComplete.bash(root.name(), root.commandLine());
    }
}
