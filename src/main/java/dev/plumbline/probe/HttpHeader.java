package dev.plumbline.probe;

import java.util.Locale;

/**
 * One header line.
 *
 * @param name lower-case
 * @param value without control characters
 */
public record HttpHeader(String name, String value) {

  /** A header as a peer sent it: the name lower-cased, control characters left out of both. */
  static HttpHeader received(CharSequence name, CharSequence value) {
    return new HttpHeader(printable(name).toLowerCase(Locale.ROOT), printable(value));
  }

  /** The text without C0 and C1 controls and DEL. */
  static String printable(CharSequence text) {
    int length = text.length();
    for (int i = 0; i < length; i++) {
      if (isControl(text.charAt(i))) {
        StringBuilder clean = new StringBuilder(length);
        text.chars().filter(c -> !isControl(c)).forEach(c -> clean.append((char) c));
        return clean.toString();
      }
    }
    return text.toString();
  }

  private static boolean isControl(int c) {
    return c < 0x20 || (c >= 0x7f && c <= 0x9f);
  }
}
