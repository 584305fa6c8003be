package dev.plumbline.e2e.browser;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.options.Media;
import dev.plumbline.support.BrowserSession;
import dev.plumbline.support.ChromiumBrowser;
import dev.plumbline.support.SampleModule;
import dev.plumbline.support.ServiceUnderTest;
import dev.plumbline.support.TestDatabase;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Printed pages do not hide or clip content. */
@Tag("integration")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class PrintTest {
    @RegisterExtension
    static final TestDatabase DATABASE = new TestDatabase();

    private ServiceUnderTest service;

    @BeforeAll
    void start(@TempDir Path folder) {
        service = SampleModule.startBehindProxy(folder, DATABASE);
    }

    @AfterAll
    void stop() {
        service.close();
    }

    @ParameterizedTest
    @MethodSource("dev.plumbline.e2e.browser.ViewportTheme#withAndWithoutScripts")
    void collapsedDetailsArePrinted(ViewportTheme viewport) {
        try (BrowserSession session = ChromiumBrowser.openSession(service, viewport)) {
            session.open("/check/sample-module/bad.example");
            Locator innermost = session.page()
                    .locator("#field-tree details:not(:has(details)) .members")
                    .first();
            assertThat(innermost).not().isVisible();

            session.page().emulateMedia(new Page.EmulateMediaOptions().setMedia(Media.PRINT));

            assertThat(innermost).isVisible();
            assertThat(session.page().locator("#field-tree details[open]")).hasCount(0);
            for (Locator folded :
                    session.page().locator("main details > :not(summary)").all()) {
                assertThat(folded.isVisible()).as(folded.textContent()).isEqualTo(onPaper(folded));
            }
        }
    }

    /** Whether the element is outside of screen-only parts. */
    private static boolean onPaper(Locator part) {
        return !(boolean) part.evaluate("part => part.closest('.screen') !== null");
    }
}
