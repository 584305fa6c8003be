package dev.plumbline.e2e.browser;

import com.microsoft.playwright.options.ColorScheme;
import java.util.List;
import java.util.Locale;

/**
 * A browser configuration.
 *
 * @param width of the viewport in CSS pixels
 * @param scripts whether JavaScript is enabled
 */
public record ViewportTheme(int width, ColorScheme scheme, boolean scripts) {
    static final int PHONE = 360;
    static final int WIDE = 1280;

    /** All pairs of width, theme and scripts. */
    static List<ViewportTheme> all() {
        return List.of(
                new ViewportTheme(PHONE, ColorScheme.LIGHT, true),
                new ViewportTheme(WIDE, ColorScheme.DARK, true),
                new ViewportTheme(PHONE, ColorScheme.DARK, false),
                new ViewportTheme(WIDE, ColorScheme.LIGHT, false));
    }

    @Override
    public String toString() {
        return width + " px, " + scheme.name().toLowerCase(Locale.ROOT) + (scripts ? "" : ", without scripts");
    }
}
