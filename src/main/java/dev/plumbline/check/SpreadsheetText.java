package dev.plumbline.check;

/** Cells of CSV files that contain data of targets. */
public final class SpreadsheetText {
    /** The first characters of formulas, including full-width forms and characters that spreadsheets strip. */
    private static final String FORMULA_CHARACTERS = "=+-@\uff1d\uff0b\uff0d\uff20\t\r\n";

    private SpreadsheetText() {}

    /**
     * Adds an apostrophe before a formula, which spreadsheets would run. Replaces U+0000, which many readers reject or
     * interpret as the end of the file, by U+FFFD.
     */
    public static String escape(String text) {
        String cell = replaceNul(text);
        return cell.isEmpty() || FORMULA_CHARACTERS.indexOf(cell.charAt(0)) < 0 ? cell : "'" + cell;
    }

    /** Replaces U+0000 by U+FFFD. */
    public static String replaceNul(String text) {
        return text.replace('\0', '\ufffd');
    }
}
