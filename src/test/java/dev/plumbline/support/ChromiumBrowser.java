package dev.plumbline.support;

import com.microsoft.playwright.Browser;
import com.microsoft.playwright.BrowserContext;
import com.microsoft.playwright.BrowserType;
import com.microsoft.playwright.Playwright;
import com.microsoft.playwright.assertions.PlaywrightAssertions;
import dev.plumbline.e2e.browser.ViewportTheme;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Debian's Chromium, one process for all test classes of the JVM because its start takes seconds of CPU time. It ends
 * with the JVM. All hostnames resolve to 127.0.0.1. Not thread-safe.
 */
public final class ChromiumBrowser {
    private static final double ASSERTION_TIMEOUT_MS = 20_000;
    private static final List<String> ARGUMENTS = List.of(
            "--no-sandbox",
            "--disable-gpu",
            "--disable-background-networking",
            "--host-resolver-rules=MAP * 127.0.0.1",
            "--no-proxy-server");

    private static @Nullable Browser browser;

    private ChromiumBrowser() {}

    /** Opens a new browser context; skips or fails the test if Chromium is not installed. */
    public static BrowserSession openSession(ServiceUnderTest service, ViewportTheme viewport) {
        return new BrowserSession(browser(), service, viewport);
    }

    /**
     * Opens a new browser context that accepts all certificates; skips or fails the test if Chromium is not installed.
     */
    public static BrowserContext openLab() {
        return browser().newContext(new Browser.NewContextOptions().setIgnoreHTTPSErrors(true));
    }

    private static Browser browser() {
        Path program = DebianTool.require("chromium");
        if (browser == null) {
            PlaywrightAssertions.setDefaultAssertionTimeout(ASSERTION_TIMEOUT_MS);
            browser = Playwright.create(
                            new Playwright.CreateOptions().setEnv(Map.of("PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD", "1")))
                    .chromium()
                    .launch(new BrowserType.LaunchOptions()
                            .setExecutablePath(program)
                            .setArgs(ARGUMENTS));
        }
        return browser;
    }
}
