package dev.plumbline;

import com.microsoft.playwright.options.ColorScheme;
import java.util.List;
import java.util.Locale;

/**
 * How somebody looks at the pages.
 *
 * @param width of the window, in CSS pixels
 * @param scripts whether the browser runs them
 */
record Look(int width, ColorScheme scheme, boolean scripts) {
  static final int PHONE = 360;
  static final int WIDE = 1440;

  /** Every two of width, theme and scripts meet in one of them. */
  static List<Look> all() {
    return List.of(
        new Look(PHONE, ColorScheme.LIGHT, true),
        new Look(WIDE, ColorScheme.DARK, true),
        new Look(PHONE, ColorScheme.DARK, false),
        new Look(WIDE, ColorScheme.LIGHT, false));
  }

  @Override
  public String toString() {
    return width
        + " px, "
        + scheme.name().toLowerCase(Locale.ROOT)
        + (scripts ? "" : ", without scripts");
  }
}
