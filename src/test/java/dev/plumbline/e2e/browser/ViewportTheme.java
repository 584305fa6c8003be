package dev.plumbline.e2e.browser;

import com.microsoft.playwright.Page;
import com.microsoft.playwright.options.ColorScheme;
import java.util.List;
import java.util.Locale;
import java.util.function.BiConsumer;

/**
 * A browser configuration.
 *
 * @param width of the viewport in CSS pixels
 * @param scripts whether JavaScript is enabled
 */
public record ViewportTheme(int width, ColorScheme scheme, boolean scripts) {
    static final int PHONE = 360;
    static final int WIDE = 1280;

    /** The height of the viewport in CSS pixels. */
    public static final int HEIGHT = 900;

    /** The widths at which pages must fit. */
    public static final List<Integer> WIDTHS = List.of(PHONE, WIDE);

    /** With and without JavaScript, in different widths and color schemes. */
    static List<ViewportTheme> withAndWithoutScripts() {
        return List.of(
                new ViewportTheme(PHONE, ColorScheme.LIGHT, true), new ViewportTheme(WIDE, ColorScheme.DARK, false));
    }

    /** Shows a page at all widths, in both color schemes, and calls the consumer each time. */
    static void showAll(Page page, BiConsumer<Integer, ColorScheme> shown) {
        for (int width : WIDTHS) {
            page.setViewportSize(width, HEIGHT);
            for (ColorScheme scheme : List.of(ColorScheme.DARK, ColorScheme.LIGHT)) {
                page.emulateMedia(new Page.EmulateMediaOptions().setColorScheme(scheme));
                shown.accept(width, scheme);
            }
        }
    }

    @Override
    public String toString() {
        return width + " px, " + scheme.name().toLowerCase(Locale.ROOT) + (scripts ? "" : ", without scripts");
    }
}
