package dev.plumbline.target;

import java.util.regex.Pattern;

/** A word of a command for a POSIX shell. */
public final class ShellWord {
    /** Words without characters that a shell interprets. */
    private static final Pattern PLAIN = Pattern.compile("[A-Za-z0-9._:/@%+,-]+(?:=[A-Za-z0-9._:/@%+,=-]*)?");

    private ShellWord() {}

    /** Returns the word, in single quotes if the shell would interpret it. */
    public static String quote(String word) {
        return PLAIN.matcher(word).matches() ? word : '\'' + word.replace("'", "'\\''") + '\'';
    }
}
