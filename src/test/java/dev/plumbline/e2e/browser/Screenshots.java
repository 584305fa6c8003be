package dev.plumbline.e2e.browser;

import com.microsoft.playwright.Page;
import com.microsoft.playwright.options.ColorScheme;
import com.microsoft.playwright.options.ViewportSize;
import java.net.URI;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Writes screenshots of tested pages to the folder in the system property {@code screenshots}, if it is set. */
final class Screenshots {
    private static final @Nullable String FOLDER = System.getProperty("screenshots");
    private static final int MAX_NAME_LENGTH = 80;

    private final Map<String, Integer> names = new HashMap<>();

    /** A name for the current state of a page: its path, with a number for further states. */
    String name(Page page) {
        URI uri = URI.create(page.url());
        String text = (uri.getRawPath() + (uri.getRawQuery() == null ? "" : "?" + uri.getRawQuery()))
                .replaceAll("job_[0-9A-Za-z]{22}", "job")
                .replaceAll("[^0-9A-Za-z.]+", "-")
                .replaceAll("^-|-$", "");
        String name = text.isEmpty() ? "home" : text.substring(0, Math.min(text.length(), MAX_NAME_LENGTH));
        int count = names.merge(name, 1, Integer::sum);
        return count == 1 ? name : name + "-" + count;
    }

    /** Saves the page at all widths, in both color schemes. */
    static void saveAll(Page page, String name) {
        if (FOLDER == null) {
            return;
        }
        ViewportSize own = page.viewportSize();
        String file = name.replaceAll("[^a-z0-9-]+", "_");
        ViewportTheme.showAll(page, (width, scheme) -> save(page, file, width, scheme));
        page.setViewportSize(own.width, own.height);
        page.emulateMedia(new Page.EmulateMediaOptions().setColorScheme(null));
    }

    /** @param name of the file, which also has the width and the color scheme */
    static void save(Page page, String name, int width, ColorScheme scheme) {
        if (FOLDER == null) {
            return;
        }
        String file = name + "-" + width + "-" + scheme.name().toLowerCase(Locale.ROOT) + ".png";
        page.screenshot(
                new Page.ScreenshotOptions().setPath(Path.of(FOLDER, file)).setFullPage(true));
    }
}
