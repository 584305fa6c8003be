package dev.plumbline.http.web.layout;

import dev.plumbline.target.PrintableText;
import dev.plumbline.target.ShellWord;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Commands of the command line that pages show. */
public final class ShellCommand {
    private ShellCommand() {}

    /**
     * The command that runs a check, quoted for a POSIX shell.
     *
     * @param options those that differ from their defaults
     * @return null if the command would contain characters that are not displayed
     */
    public static @Nullable String check(String module, String target, Map<String, String> options) {
        StringBuilder command = new StringBuilder("plumbline check ").append(module);
        options.forEach((name, value) -> command.append(" --option ").append(ShellWord.quote(name + '=' + value)));
        command.append(target.startsWith("-") ? " -- " : " ").append(ShellWord.quote(target));
        return command.codePoints().allMatch(PrintableText::isPrintable) ? command.toString() : null;
    }
}
