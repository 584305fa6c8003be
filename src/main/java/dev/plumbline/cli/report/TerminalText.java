package dev.plumbline.cli.report;

import dev.plumbline.target.PrintableText;

/** Text of targets and services that is printed on a terminal. */
public final class TerminalText {
    private TerminalText() {}

    /** Replaces characters that control a terminal. */
    public static String sanitize(String text) {
        StringBuilder out = new StringBuilder(text.length());
        text.codePoints().forEach(c -> out.appendCodePoint(sanitize(c)));
        return out.toString();
    }

    /** Replaces a code point that controls a terminal by U+FFFD. */
    public static int sanitize(int c) {
        return PrintableText.isPrintable(c) ? c : 0xFFFD;
    }
}
