package dev.plumbline.http.api;

import dev.plumbline.http.Problem;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import java.util.regex.Pattern;

/** Where a page begins, as clients carry it from one page to the next: nothing to be read. */
final class Cursor {
  private static final Pattern NUMBER = Pattern.compile("[1-9][0-9]{0,17}");

  /** What a cursor leads through, so that none is taken for another. */
  enum Kind {
    JOBS('j'),
    LINES('l');

    private final char sign;

    Kind(char sign) {
      this.sign = sign;
    }
  }

  private Cursor() {}

  /**
   * @param position at least 1
   */
  static String write(Kind kind, long position) {
    byte[] plain = (kind.sign + Long.toString(position)).getBytes(StandardCharsets.US_ASCII);
    return Base64.getUrlEncoder().withoutPadding().encodeToString(plain);
  }

  /**
   * @throws IllegalArgumentException when it is no cursor of this kind
   */
  static long read(Kind kind, String cursor) {
    String plain = new String(Base64.getUrlDecoder().decode(cursor), StandardCharsets.ISO_8859_1);
    if (plain.isEmpty()
        || plain.charAt(0) != kind.sign
        || !NUMBER.matcher(plain.substring(1)).matches()) {
      throw new IllegalArgumentException("no cursor");
    }
    return Long.parseLong(plain.substring(1));
  }

  /** What is answered where one is none. */
  static Problem none() {
    return Problem.badRequest("The cursor is none of this list; take next_cursor as it was given.")
        .withFaults(List.of(Problem.Fault.parameter("cursor", "is no next_cursor of this list")));
  }
}
