package dev.plumbline.http.web.layout;

import dev.plumbline.target.PrintableText;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Untrusted text for display. Control, format and other invisible characters are replaced by their names. Their removal
 * would hide what a target sent, and unchanged they can spoof text.
 *
 * @param runs in order; empty only for the empty text
 */
public record DisplayText(List<Run> runs) {

    /** How a run is displayed. */
    public enum Style {
        PLAIN,
        /** Code, between backticks in the source. */
        CODE,
        /** The name of a character that is not displayed. */
        CONTROL
    }

    public record Run(String text, Style style) {}

    public static DisplayText of(String text) {
        return parse(text, false);
    }

    /** A text in which code is enclosed in backticks. */
    public static DisplayText markdown(@Nullable String text) {
        return parse(text == null ? "" : text, true);
    }

    /** The text in one line without styles, for titles and attributes. */
    public static String plain(String text) {
        return of(text).line();
    }

    private static DisplayText parse(String text, boolean markdown) {
        List<Run> runs = new ArrayList<>();
        StringBuilder run = new StringBuilder();
        Style style = Style.PLAIN;
        for (int i = 0; i < text.length(); ) {
            int c = text.codePointAt(i);
            i += Character.charCount(c);
            if (markdown && c == '`') {
                flush(runs, run, style);
                style = style == Style.PLAIN ? Style.CODE : Style.PLAIN;
            } else if (c == '\n' || !isControl(c)) {
                run.appendCodePoint(c);
            } else {
                flush(runs, run, style);
                runs.add(new Run(name(c), Style.CONTROL));
            }
        }
        flush(runs, run, style);
        return new DisplayText(List.copyOf(runs));
    }

    private static void flush(List<Run> runs, StringBuilder run, Style style) {
        if (!run.isEmpty()) {
            runs.add(new Run(run.toString(), style));
            run.setLength(0);
        }
    }

    /** The text in one line without styles. */
    public String line() {
        return runs.stream().map(Run::text).collect(Collectors.joining()).replace('\n', ' ');
    }

    public boolean multiline() {
        return runs.stream().anyMatch(run -> run.text.indexOf('\n') >= 0);
    }

    public boolean empty() {
        return runs.isEmpty();
    }

    /** Whether a character is invisible or changes how other characters are displayed. */
    static boolean isControl(int c) {
        boolean hangulFiller = c == 0x115F || c == 0x1160 || c == 0x3164 || c == 0xFFA0;
        return hangulFiller || (c != 0xFFFD && !PrintableText.isPrintable(c));
    }

    private static String name(int c) {
        return switch (c) {
            case '\t' -> "\u21E5";
            case '\r' -> "\u240D";
            default -> String.format(Locale.ROOT, "[U+%04X]", c);
        };
    }
}
