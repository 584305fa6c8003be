package dev.plumbline.e2e.browser;

import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Page;
import com.microsoft.playwright.options.ColorScheme;
import com.microsoft.playwright.options.Media;
import com.microsoft.playwright.options.ViewportSize;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.regex.Pattern;

/** The current page on paper. */
final class PrintedPage {
    /** A4 with margins of 1 cm, in CSS pixels. */
    private static final int PAPER_WIDTH = 718;

    private static final Pattern PDF_PAGE = Pattern.compile("/Type\\s*/Page\\b");

    private PrintedPage() {}

    /**
     * Asserts that the page has neither navigation nor cut or split tables on A4 paper, and that Chromium creates a
     * PDF.
     *
     * @param name of the screenshot
     */
    static void assertPrintsWell(Page page, String name) {
        ViewportSize own = page.viewportSize();
        page.emulateMedia(new Page.EmulateMediaOptions().setMedia(Media.PRINT));
        page.setViewportSize(PAPER_WIDTH, ViewportTheme.HEIGHT);
        Screenshots.save(page, name + "-print", PAPER_WIDTH, ColorScheme.LIGHT);
        assertThat(page.locator("nav:visible, footer:visible, form:visible, button:visible, .screen:visible")
                        .all())
                .as("navigation on " + page.url())
                .isEmpty();
        Object cut = page.evaluate(
                """
                width => [...document.querySelectorAll('main *')]
                  .filter(e => e.getClientRects().length > 0 && !e.closest('svg'))
                  .filter(e => e.getBoundingClientRect().right > width + 0.5
                    || getComputedStyle(e).overflowX !== 'visible' && e.scrollWidth > e.clientWidth + 1
                      && !e.matches('.visually-hidden, .visually-hidden *'))
                  .map(e => e.outerHTML.slice(0, 120))""",
                PAPER_WIDTH);
        assertThat((List<?>) cut).as("cut on " + page.url()).isEmpty();
        Object split = page.evaluate("() => [...document.querySelectorAll('main tr')].filter(row =>"
                + " getComputedStyle(row).breakInside !== 'avoid').length");
        assertThat(split).isEqualTo(0);
        byte[] pdf = page.pdf(new Page.PdfOptions().setFormat("A4"));
        assertThat(PDF_PAGE.matcher(new String(pdf, StandardCharsets.ISO_8859_1))
                        .results()
                        .count())
                .as("pages of " + page.url())
                .isPositive();
        page.emulateMedia(new Page.EmulateMediaOptions().setMedia(null));
        page.setViewportSize(own.width, own.height);
    }
}
