package dev.plumbline.result;

import de.siegmar.fastcsv.writer.CsvWriter;
import de.siegmar.fastcsv.writer.LineDelimiter;
import de.siegmar.fastcsv.writer.QuoteStrategy;
import java.io.Writer;

/** Cells of spreadsheets that contain data of targets. */
public final class SpreadsheetText {
    /**
     * Quotes empty strings, to distinguish them from null, and cells with a semicolon, which spreadsheets of many
     * locales interpret as the separator.
     */
    private static final QuoteStrategy QUOTES = new QuoteStrategy() {
        @Override
        public boolean quoteEmpty(int line, int column) {
            return true;
        }

        @Override
        public boolean quoteNonEmpty(int line, int column, String cell) {
            return cell.indexOf(';') >= 0;
        }
    };

    /** The first characters of formulas, including full-width forms and characters that spreadsheets strip. */
    private static final String FORMULA_CHARACTERS = "=+-@\uff1d\uff0b\uff0d\uff20\t\r\n";

    private SpreadsheetText() {}

    /** Returns a writer of records with CRLF (RFC 4180) that passes each record to {@code out} at once. */
    public static CsvWriter csv(Writer out) {
        return CsvWriter.builder()
                .lineDelimiter(LineDelimiter.CRLF)
                .quoteStrategy(QUOTES)
                .bufferSize(0)
                .build(out);
    }

    /**
     * Adds an apostrophe before a formula, which spreadsheets would run. Replaces U+0000, which many readers reject or
     * interpret as the end of the file, by U+FFFD.
     */
    public static String escape(String text) {
        String cell = replaceNul(text);
        return isFormula(cell) ? "'" + cell : cell;
    }

    /** Whether a spreadsheet would run a text as a formula if a user entered it. */
    public static boolean isFormula(String text) {
        return !text.isEmpty() && FORMULA_CHARACTERS.indexOf(text.charAt(0)) >= 0;
    }

    /** Replaces U+0000 by U+FFFD. */
    public static String replaceNul(String text) {
        return text.replace('\0', '\ufffd');
    }
}
