package dev.plumbline.target;

import com.google.common.base.CharMatcher;

/** Makes text from targets printable. */
public final class PrintableText {
    private PrintableText() {}

    /** False for controls, format characters (such as direction marks), surrogates and U+FFFD. */
    public static boolean isPrintable(int codePoint) {
        return codePoint != 0xfffd
                && !Character.isISOControl(codePoint)
                && switch (Character.getType(codePoint)) {
                    case Character.FORMAT,
                            Character.SURROGATE,
                            Character.LINE_SEPARATOR,
                            Character.PARAGRAPH_SEPARATOR -> false;
                    default -> true;
                };
    }

    /** The text, truncated to a number of characters with an ellipsis. */
    public static String shorten(String text, int length) {
        return text.length() <= length ? text : cut(text, length - 1) + "…";
    }

    /** The text with U+FFFD for each character that is not printable. */
    public static String sanitize(String text) {
        StringBuilder out = new StringBuilder(text.length());
        text.codePoints().forEach(c -> out.appendCodePoint(isPrintable(c) ? c : 0xFFFD));
        return out.toString();
    }

    /** The text with line feeds kept and each other character that is not printable as a dot. */
    public static String lines(String text) {
        StringBuilder out = new StringBuilder();
        text.codePoints().forEach(c -> out.appendCodePoint(c == '\n' || isPrintable(c) ? c : '.'));
        return out.toString();
    }

    /** Truncates a text without splitting a surrogate pair. */
    public static String cut(String text, int length) {
        if (text.length() <= length) {
            return text;
        }
        boolean inPair = length > 0 && Character.isHighSurrogate(text.charAt(length - 1));
        return text.substring(0, inPair ? length - 1 : length);
    }

    /** The text with each character that XML 1.0 does not allow as U+FFFD. */
    public static String xml(String text) {
        StringBuilder out = new StringBuilder(text.length());
        text.codePoints().forEach(c -> out.appendCodePoint(isXml(c) ? c : 0xfffd));
        return out.toString();
    }

    /** Whether XML 1.0 allows a character. */
    public static boolean isXml(int c) {
        return c == '\n'
                || c == '\r'
                || c == '\t'
                || c >= 0x20 && c <= 0xd7ff
                || c >= 0xe000 && c <= 0xfffd
                || c >= 0x10000;
    }

    /** The text without C0 and C1 controls and DEL. */
    public static String withoutControls(CharSequence text) {
        return CharMatcher.javaIsoControl().removeFrom(text);
    }
}
