package dev.plumbline.check;

/** Turns what people type into a {@link Target}. */
public final class TargetParser {
  /** The longest target, in bytes of UTF-8. */
  public static final int MAX_BYTES = 2048;

  private TargetParser() {}

  /**
   * Reads and normalises a target for a module.
   *
   * @throws InvalidTargetException when it is none, with the reason
   */
  public static Target parse(Description module, String raw) throws InvalidTargetException {
    throw new InvalidTargetException("not built yet: " + module.module() + raw);
  }
}
