package dev.plumbline.http.web.layout;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * Text from elsewhere, to be shown as it is: what would steer the reader's screen (control
 * characters, marks of direction, invisible ones) is told apart from the rest and named.
 *
 * @param runs in order; not empty unless the text is
 */
public record DisplayText(List<Run> runs) {

    /**
     * A part of the text.
     *
     * @param named whether it is the name of a character that cannot be shown
     */
    public record Run(String text, boolean named) {}

    /** What somebody or something has said, whatever it is. */
    public static DisplayText of(String raw) {
        List<Run> runs = new ArrayList<>();
        StringBuilder plain = new StringBuilder(raw.length());
        for (int i = 0; i < raw.length(); ) {
            int c = raw.codePointAt(i);
            i += Character.charCount(c);
            if (c == '\n' || !steers(c)) {
                plain.appendCodePoint(c);
            } else {
                if (!plain.isEmpty()) {
                    runs.add(new Run(plain.toString(), false));
                    plain.setLength(0);
                }
                runs.add(new Run(name(c), true));
            }
        }
        if (!plain.isEmpty()) {
            runs.add(new Run(plain.toString(), false));
        }
        return new DisplayText(List.copyOf(runs));
    }

    /** All of it in one string, for places that know no marking: titles and attributes. */
    public static String plain(String raw) {
        StringBuilder out = new StringBuilder(raw.length());
        for (Run run : of(raw.replace("\n", " ")).runs) {
            out.append(run.text);
        }
        return out.toString();
    }

    /** Whether it has several lines. */
    public boolean block() {
        return runs.stream().anyMatch(run -> run.text.indexOf('\n') >= 0);
    }

    public boolean empty() {
        return runs.isEmpty();
    }

    /** Whether a character would not be seen, or would change how others are. */
    static boolean steers(int c) {
        int type = Character.getType(c);
        return Character.isISOControl(c)
                || type == Character.FORMAT
                || type == Character.SURROGATE
                || type == Character.LINE_SEPARATOR
                || type == Character.PARAGRAPH_SEPARATOR
                // blank though a letter: Hangul fillers
                || c == 0x115F
                || c == 0x1160
                || c == 0x3164
                || c == 0xFFA0;
    }

    private static String name(int c) {
        return switch (c) {
            case '\t' -> "\u21E5";
            case '\r' -> "\u240D";
            default -> String.format(Locale.ROOT, "[U+%04X]", c);
        };
    }
}
