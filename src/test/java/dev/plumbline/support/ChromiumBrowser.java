package dev.plumbline.support;

import com.microsoft.playwright.Browser;
import com.microsoft.playwright.BrowserContext;
import com.microsoft.playwright.BrowserType;
import com.microsoft.playwright.Playwright;
import com.microsoft.playwright.assertions.PlaywrightAssertions;
import dev.plumbline.e2e.browser.ViewportTheme;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Debian's Chromium, started for the first context. Not thread-safe. */
public final class ChromiumBrowser implements AutoCloseable {
    private static final double ASSERTION_TIMEOUT_MS = 20_000;

    private @Nullable Playwright playwright;
    private @Nullable Browser browser;

    /** Opens a new browser context; skips or fails the test if Chromium is not installed. */
    public BrowserSession openSession(ServiceUnderTest service, ViewportTheme viewport) {
        return new BrowserSession(launch(), service, viewport);
    }

    /**
     * Opens a new browser context in which all hostnames resolve to 127.0.0.1 and all certificates are accepted. Skips
     * or fails the test if Chromium is not installed.
     */
    public BrowserContext lab() {
        return launch("--host-resolver-rules=MAP * 127.0.0.1", "--no-proxy-server")
                .newContext(new Browser.NewContextOptions().setIgnoreHTTPSErrors(true));
    }

    /** @param arguments used only for the first context */
    private Browser launch(String... arguments) {
        Path program = DebianTool.require("chromium");
        if (browser == null) {
            PlaywrightAssertions.setDefaultAssertionTimeout(ASSERTION_TIMEOUT_MS);
            List<String> all =
                    new ArrayList<>(List.of("--no-sandbox", "--disable-gpu", "--disable-background-networking"));
            all.addAll(List.of(arguments));
            playwright = Playwright.create(
                    new Playwright.CreateOptions().setEnv(Map.of("PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD", "1")));
            browser = playwright
                    .chromium()
                    .launch(new BrowserType.LaunchOptions()
                            .setExecutablePath(program)
                            .setArgs(all));
        }
        return browser;
    }

    @Override
    public void close() {
        if (playwright != null) {
            playwright.close();
        }
    }
}
