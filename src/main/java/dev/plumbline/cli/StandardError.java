package dev.plumbline.cli;

import dev.plumbline.cli.report.TerminalText;

/**
 * Messages on stderr. They can contain arguments, file names and text of a service, which must not control a terminal.
 */
final class StandardError {
    private StandardError() {}

    /** Prints a text. Line feeds are kept; other characters that control a terminal are replaced by U+FFFD. */
    static void println(String text) {
        System.err.println(sanitize(text));
    }

    static void fail(String message) {
        println("plumbline: " + message);
    }

    /** As {@link #fail(String)}. Returns the exit code. */
    static int fail(int code, String message) {
        fail(message);
        return code;
    }

    static String sanitize(String text) {
        StringBuilder out = new StringBuilder(text.length());
        text.codePoints().forEach(c -> out.appendCodePoint(c == '\n' ? c : TerminalText.sanitize(c)));
        return out.toString();
    }
}
