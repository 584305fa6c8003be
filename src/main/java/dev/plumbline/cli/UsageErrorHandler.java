package dev.plumbline.cli;

import dev.plumbline.target.ExceptionMessage;
import java.io.PrintWriter;
import java.util.List;
import picocli.CommandLine;
import picocli.CommandLine.IParameterExceptionHandler;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.UnmatchedArgumentException;

/** Prints the error of invalid usage in one line, and a line that refers to the help of the command. */
public final class UsageErrorHandler implements IParameterExceptionHandler {
    /** The exit code of every command for invalid usage. */
    static final int EXIT_CODE = 4;

    @Override
    public int handleParseException(ParameterException invalid, String[] arguments) {
        CommandLine command = invalid.getCommandLine();
        String message = invalid instanceof UnmatchedArgumentException unmatched
                ? unknown(unmatched)
                : ExceptionMessage.of(invalid);
        PrintWriter err = command.getErr();
        err.println("plumbline: " + StandardError.sanitize(message));
        err.println("Run '" + command.getCommandSpec().qualifiedName() + " --help' for usage.");
        return EXIT_CODE;
    }

    private static String unknown(UnmatchedArgumentException unmatched) {
        String argument = unmatched.getUnmatched().get(0);
        List<String> suggestions = unmatched.getSuggestions();
        if (!unmatched.isUnknownOption()
                && unmatched.getCommandLine().getSubcommands().isEmpty()) {
            return "Unexpected argument '" + argument + "'.";
        }
        String message = (unmatched.isUnknownOption() ? "Unknown option '" : "Unknown command '") + argument + "'.";
        return suggestions.isEmpty() ? message : message + " Did you mean '" + suggestions.get(0) + "'?";
    }
}
