package dev.plumbline.e2e.browser;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Page;
import com.microsoft.playwright.options.WaitUntilState;
import dev.plumbline.support.BrowserSession;
import dev.plumbline.support.ChromiumBrowser;
import dev.plumbline.support.SampleComposite;
import dev.plumbline.support.ServiceUnderTest;
import dev.plumbline.support.TestDatabase;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The report of a composite check in a browser: while it runs, when it completes, and after a reload. */
@Tag("integration")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class CompositeReportBrowserTest {
    @RegisterExtension
    static final TestDatabase DATABASE = new TestDatabase();

    private final Screenshots screenshots = new Screenshots();
    private ServiceUnderTest service;

    @BeforeAll
    void start(@TempDir Path folder) {
        service = SampleComposite.start(folder, DATABASE, Map.of());
    }

    @AfterAll
    void stop() {
        service.close();
    }

    @ParameterizedTest
    @MethodSource("dev.plumbline.e2e.browser.ViewportTheme#withAndWithoutScripts")
    void partsAppearAndTheReportReplacesThem(ViewportTheme viewport) {
        String target = "browser" + Integer.toUnsignedString(viewport.hashCode()) + ".example";
        try (BrowserSession session = ChromiumBrowser.openSession(service, viewport)) {
            Page page = session.page();
            page.navigate(
                    service.uri("/check/" + SampleComposite.NAME + "/" + target).toString(),
                    new Page.NavigateOptions().setWaitUntil(WaitUntilState.COMMIT));

            assertThat(page.locator(".in-progress .parts .name")).hasCount(2);
            assertThat(page.locator("h1:visible")).hasText(target);
            assertThat(page.locator(".in-progress")).hasAttribute("role", "status");
            Screenshots.save(page, screenshots.name(page), viewport.width(), viewport.scheme());

            SampleComposite.release(target);

            assertThat(page.locator("#field-parts .parts .name")).hasCount(3);
            assertThat(page.locator(".in-progress")).isHidden();
            assertThat(page.locator("h1:visible")).hasCount(1);
            // axe-core does not run without scripts
            if (viewport.scripts()) {
                AccessibilityScan.assertAccessible(session, screenshots.name(page));
            } else {
                session.assertFits();
            }

            page.reload();

            assertThat(page.locator(".in-progress")).hasCount(0);
            assertThat(page.locator(".age")).containsText("Cached");
            session.assertFits();
            PrintedPage.assertPrintsWell(page, screenshots.name(page));
            page.locator("#field-parts .parts .name").first().click();
            assertThat(page.locator(".verdict h1")).hasText(target);
            assertThat(page.locator(".tabs [aria-current=page]")).hasText("Slow part");
        }
    }
}
