package dev.plumbline.e2e.browser;

import com.microsoft.playwright.BrowserType;
import com.microsoft.playwright.Playwright;
import dev.plumbline.support.DebianTool;
import dev.plumbline.support.ServiceUnderTest;
import dev.plumbline.support.WebVisitor;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Debian's Chromium, started for the first visit. Not thread-safe. */
final class ChromiumBrowser implements AutoCloseable {
    private @Nullable Playwright playwright;
    private com.microsoft.playwright.@Nullable Browser browser;

    /** Opens a new browser context; skips or fails the test if Chromium is not installed. */
    WebVisitor visit(ServiceUnderTest service, ViewportTheme viewport) {
        Path program = DebianTool.require("chromium");
        if (browser == null) {
            playwright = Playwright.create(
                    new Playwright.CreateOptions().setEnv(Map.of("PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD", "1")));
            browser = playwright
                    .chromium()
                    .launch(new BrowserType.LaunchOptions()
                            .setExecutablePath(program)
                            .setArgs(List.of("--no-sandbox", "--disable-gpu", "--disable-background-networking")));
        }
        return new WebVisitor(browser, service, viewport);
    }

    @Override
    public void close() {
        if (playwright != null) {
            playwright.close();
        }
    }
}
