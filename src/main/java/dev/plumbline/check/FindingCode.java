package dev.plumbline.check;

import org.jspecify.annotations.Nullable;

/**
 * A finding that a module can make, as the tools list describes it.
 *
 * @param code snake_case, unique within the module
 * @param field the field it speaks of, null when it speaks of the whole
 * @param message one line that explains it to a person who does not know the acronym
 * @param action what to do about it
 * @param reference the standard it rests on (RFC and section), null when there is none
 * @param cost the points that it takes off a score, 0 if the module has none
 */
public record FindingCode(
    String code,
    Level level,
    @Nullable String field,
    String message,
    String action,
    @Nullable String reference,
    int cost) {

  public FindingCode(
      String code,
      Level level,
      @Nullable String field,
      String message,
      String action,
      @Nullable String reference) {
    this(code, level, field, message, action, reference, 0);
  }

  /** This finding, made, in the words of its description. */
  public Finding found() {
    return found(message);
  }

  /** This finding, made, in words that name what was seen. */
  public Finding found(String message) {
    return new Finding(level, code, field, message, action, reference);
  }
}
