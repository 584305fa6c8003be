package dev.plumbline.cli.report;

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
        int type = Character.getType(c);
        boolean unsafe = Character.isISOControl(c)
                || type == Character.FORMAT
                || type == Character.SURROGATE
                || type == Character.LINE_SEPARATOR
                || type == Character.PARAGRAPH_SEPARATOR;
        return unsafe ? 0xFFFD : c;
    }
}
