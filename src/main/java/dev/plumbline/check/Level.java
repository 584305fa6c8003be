package dev.plumbline.check;

import java.util.Locale;

/** The weight of a finding, lightest first. */
public enum Level {
  INFO,
  WARN,
  FAIL;

  /** The name used in answers, for example {@code warn}. */
  public String id() {
    return name().toLowerCase(Locale.ROOT);
  }
}
