package dev.plumbline.cli;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.StreamSupport;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;

/** The completion script for fish, from the visible commands and their options. Picocli has none. */
final class FishCompletion {
    private static final Pattern FILE_LABEL = Pattern.compile("\\b(FILE|DIR|BEFORE|AFTER)\\b");

    private final String name;
    private final StringBuilder script = new StringBuilder();

    private FishCompletion(String name) {
        this.name = name;
    }

    /** @param root the command with all subcommands */
    static String script(CommandSpec root) {
        FishCompletion completion = new FishCompletion(root.name());
        List<CommandSpec> commands = new ArrayList<>();
        collect(root, commands);
        completion.functions(commands);
        commands.forEach(completion::command);
        return completion.script.toString();
    }

    private static void collect(CommandSpec command, List<CommandSpec> commands) {
        commands.add(command);
        CommandTexts.visibleSubcommands(command).forEach(child -> collect(child, commands));
    }

    private void functions(List<CommandSpec> commands) {
        String paths = commands.stream()
                .map(command -> quote(command.qualifiedName()))
                .collect(Collectors.joining(" \\\n    "));
        script.append(
                """
                # Completion of %1$s for fish.

                set -g __%1$s_commands %2$s

                # Whether the words before the cursor select the command in the arguments, such as: %1$s job create
                function __%1$s_at
                    set -l words (commandline -opc)
                    set -l command %1$s
                    for word in $words
                        if contains -- "$command $word" $__%1$s_commands
                            set command "$command $word"
                        end
                    end
                    test "$command" = "$argv"
                end

                # Files are completed for the options and parameters that need them only.
                complete -c %1$s -f
                """
                        .formatted(name, paths));
    }

    private void command(CommandSpec command) {
        String at = "complete -c " + name + " -n " + quote("__" + name + "_at " + command.qualifiedName());
        script.append("\n");
        for (CommandSpec child : CommandTexts.visibleSubcommands(command)) {
            line(at, " -a " + quote(child.name()), child.usageMessage().description());
        }
        for (OptionSpec option : command.options()) {
            if (!option.hidden()) {
                line(at, names(option) + (option.arity().max() == 0 ? "" : value(option)), option.description());
            }
        }
        for (PositionalParamSpec parameter : command.positionalParameters()) {
            List<String> candidates = candidates(parameter);
            if (!candidates.isEmpty()) {
                line(at, " -a " + quote(String.join(" ", candidates)), new String[0]);
            } else if (isFile(parameter)) {
                line(at, " -F", new String[0]);
            }
        }
    }

    private static String names(OptionSpec option) {
        StringBuilder names = new StringBuilder();
        for (String optionName : option.names()) {
            if (optionName.startsWith("--")) {
                names.append(" -l ").append(optionName.substring(2));
            } else {
                names.append(" -s ").append(optionName.substring(1));
            }
        }
        return names.toString();
    }

    /** That the option has a value, and its candidates. */
    private static String value(OptionSpec option) {
        List<String> candidates = candidates(option);
        if (!candidates.isEmpty()) {
            return " -x -a " + quote(String.join(" ", candidates));
        }
        return isFile(option) ? " -r -F" : " -x";
    }

    private static List<String> candidates(ArgSpec argument) {
        Iterable<String> candidates = argument.completionCandidates();
        return candidates == null
                ? List.of()
                : StreamSupport.stream(candidates.spliterator(), false).toList();
    }

    private static boolean isFile(ArgSpec argument) {
        return argument.type() == Path.class
                || FILE_LABEL.matcher(argument.paramLabel()).find();
    }

    private void line(String at, String what, String[] description) {
        script.append(at).append(what);
        if (description.length > 0) {
            script.append(" -d ").append(quote(CommandTexts.firstSentence(String.format(description[0]))));
        }
        script.append("\n");
    }

    private static String quote(String text) {
        return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'";
    }
}
