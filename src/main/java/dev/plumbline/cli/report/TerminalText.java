package dev.plumbline.cli.report;

import dev.plumbline.target.PrintableText;

/** Text of targets and services that is printed on a terminal. */
public final class TerminalText {
    private TerminalText() {}

    /** Replaces characters that control a terminal. */
    public static String sanitize(String text) {
        return PrintableText.sanitize(text);
    }

    /** Replaces a code point that controls a terminal by U+FFFD. */
    public static int sanitize(int c) {
        return PrintableText.isPrintable(c) ? c : 0xFFFD;
    }
}
