package dev.plumbline.http.web.layout;

import dev.plumbline.target.PrintableText;
import java.util.Map;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Commands of the command line that pages show. */
public final class ShellCommand {
    /** Words without characters that a POSIX shell interprets. */
    private static final Pattern PLAIN = Pattern.compile("[A-Za-z0-9._:/@%+,-]+(?:=[A-Za-z0-9._:/@%+,=-]*)?");

    private ShellCommand() {}

    /**
     * The command that runs a check, quoted for a POSIX shell.
     *
     * @param options those that differ from their defaults
     * @return null if the command would contain characters that are not displayed
     */
    public static @Nullable String check(String module, String target, Map<String, String> options) {
        StringBuilder command = new StringBuilder("plumbline check ").append(module);
        options.forEach((name, value) -> command.append(" --option ").append(quoted(name + '=' + value)));
        command.append(target.startsWith("-") ? " -- " : " ").append(quoted(target));
        return command.codePoints().allMatch(PrintableText::isPrintable) ? command.toString() : null;
    }

    private static String quoted(String word) {
        return PLAIN.matcher(word).matches() ? word : '\'' + word.replace("'", "'\\''") + '\'';
    }
}
