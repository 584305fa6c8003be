package dev.plumbline.e2e.browser;

import static org.assertj.core.api.Assertions.assertThat;

import com.deque.html.axecore.playwright.AxeBuilder;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.options.ColorScheme;
import dev.plumbline.support.BrowserSession;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * axe-core on the current page. The script is loaded once for each page, and only violations are transferred, which
 * takes a fraction of the time of {@link AxeBuilder#analyze()}.
 */
final class AccessibilityScan {
    private static final String RUN =
            """
            options => axe.run(document, {...options, resultTypes: ['violations']}).then(result =>
              result.violations.map(rule =>
                rule.help + rule.nodes.slice(0, 5).map(node => '\\n  ' + node.html).join('')))""";

    private static final Map<String, Object> ALL_RULES = Map.of();
    private static final Map<String, Object> WCAG = only("tag", "wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa");

    /** A color scheme changes only custom properties with colors. */
    private static final Map<String, Object> COLOR_RULES = only("rule", "color-contrast", "link-in-text-block");

    private AccessibilityScan() {}

    private static Map<String, Object> only(String type, String... values) {
        return Map.of("runOnly", Map.of("type", type, "values", List.of(values)));
    }

    /** The violations of all rules of axe-core at the current width and color scheme. */
    static List<String> violations(Page page) {
        return run(page, ALL_RULES);
    }

    /** As {@link #assertAccessible}, without the rules of axe-core that are not WCAG 2.2 AA. */
    static void assertMeetsWcag(BrowserSession session, String name) {
        assertAccessible(session, name, WCAG);
    }

    /**
     * Asserts that the page fits and violates no rule of axe-core, narrow and wide, in both color schemes.
     *
     * @param name of the screenshots
     */
    static void assertAccessible(BrowserSession session, String name) {
        assertAccessible(session, name, ALL_RULES);
    }

    private static void assertAccessible(BrowserSession session, String name, Map<String, Object> rules) {
        Page page = session.page();
        List<String> found = new ArrayList<>();
        session.assertFits();
        ViewportTheme.showAll(page, (width, scheme) -> {
            Screenshots.save(page, name, width, scheme);
            run(page, scheme == ColorScheme.DARK ? COLOR_RULES : rules)
                    .forEach(violation -> found.add(width + " px, " + scheme + ": " + violation));
        });
        assertThat(found).as(page.url()).isEmpty();
    }

    private static List<String> run(Page page, Map<String, Object> options) {
        if (!(boolean) page.evaluate("() => 'axe' in window")) {
            page.evaluate(AxeBuilder.getAxeScript());
        }
        return ((List<?>) page.evaluate(RUN, options))
                .stream().map(String.class::cast).toList();
    }
}
