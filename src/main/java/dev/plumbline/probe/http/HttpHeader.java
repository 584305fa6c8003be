package dev.plumbline.probe.http;

import com.google.common.base.CharMatcher;
import com.google.common.base.Utf8;
import dev.plumbline.target.PrintableText;
import java.nio.charset.StandardCharsets;
import java.util.Locale;

/**
 * A header field.
 *
 * @param name lower-case
 * @param value the bytes as ISO-8859-1, without control characters; the value of a Location in UTF-8 keeps bytes that
 *     are controls in ISO-8859-1, and the value of a Set-Cookie all bytes, because browsers reject cookies with
 *     controls
 */
public record HttpHeader(String name, String value) {

    /** A received header: the name in lower case, control characters removed from both except as described above. */
    static HttpHeader received(CharSequence name, CharSequence value) {
        String lowerCase = PrintableText.withoutControls(name).toLowerCase(Locale.ROOT);
        if (lowerCase.equals("set-cookie")) {
            return new HttpHeader(lowerCase, value.toString());
        }
        boolean kept = lowerCase.equals("location") && isUtf8(value);
        return new HttpHeader(lowerCase, kept ? withoutAsciiControls(value) : PrintableText.withoutControls(value));
    }

    /** The value for display: decoded as UTF-8 if it is valid, otherwise as ISO-8859-1. */
    public String text() {
        return PrintableText.withoutControls(isUtf8(value) ? new String(bytes(value), StandardCharsets.UTF_8) : value);
    }

    private static boolean isUtf8(CharSequence value) {
        return Utf8.isWellFormed(bytes(value));
    }

    private static byte[] bytes(CharSequence value) {
        return value.toString().getBytes(StandardCharsets.ISO_8859_1);
    }

    private static String withoutAsciiControls(CharSequence text) {
        return CharMatcher.inRange('\0', '\u001f').or(CharMatcher.is('\u007f')).removeFrom(text);
    }
}
