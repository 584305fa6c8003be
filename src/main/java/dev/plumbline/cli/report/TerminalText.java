package dev.plumbline.cli.report;

/** Text of targets and services that is printed on a terminal. */
public final class TerminalText {
    private TerminalText() {}

    /** Replaces characters that control a terminal. */
    public static String sanitize(String text) {
        StringBuilder out = new StringBuilder(text.length());
        text.codePoints().forEach(c -> {
            int type = Character.getType(c);
            boolean unsafe = Character.isISOControl(c)
                    || type == Character.FORMAT
                    || type == Character.SURROGATE
                    || type == Character.LINE_SEPARATOR
                    || type == Character.PARAGRAPH_SEPARATOR;
            out.appendCodePoint(unsafe ? 0xFFFD : c);
        });
        return out.toString();
    }
}
