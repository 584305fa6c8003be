package dev.plumbline.cli;

import java.util.List;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;

/** What completion scripts and manual pages state about commands. */
public final class CommandTexts {
    private CommandTexts() {}

    /** The subcommands that the help lists. */
    public static List<CommandSpec> visibleSubcommands(CommandSpec command) {
        return command.subcommands().values().stream()
                .map(CommandLine::getCommandSpec)
                .filter(child -> !child.usageMessage().hidden())
                .distinct()
                .toList();
    }

    /** The first sentence of a description, without its full stop. */
    public static String firstSentence(String description) {
        int end = description.indexOf(". ");
        String sentence = end < 0 ? description : description.substring(0, end);
        return sentence.endsWith(".") ? sentence.substring(0, sentence.length() - 1) : sentence;
    }
}
