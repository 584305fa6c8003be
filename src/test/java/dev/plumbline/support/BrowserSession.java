package dev.plumbline.support;

import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.BrowserContext;
import com.microsoft.playwright.ConsoleMessage;
import com.microsoft.playwright.Download;
import com.microsoft.playwright.JSHandle;
import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.Response;
import com.microsoft.playwright.options.AriaRole;
import com.microsoft.playwright.options.FilePayload;
import com.microsoft.playwright.options.ReducedMotion;
import com.microsoft.playwright.options.ViewportSize;
import dev.plumbline.e2e.browser.ViewportTheme;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Pattern;

/**
 * A browser with its own client address and cookies on one page of the service. On close, it asserts that no page
 * caused console errors, violations of the Content-Security-Policy or requests to other hosts.
 */
public final class BrowserSession implements AutoCloseable {
    private static final double TIMEOUT_MS = 20_000;
    private static final AtomicInteger NEXT_ADDRESS = new AtomicInteger();

    private final ServiceUnderTest service;
    private final BrowserContext context;
    private final Page page;
    private final ViewportTheme viewport;
    private final List<String> errors = new ArrayList<>();
    private final Set<String> errorPages = new HashSet<>();

    public BrowserSession(com.microsoft.playwright.Browser browser, ServiceUnderTest service, ViewportTheme viewport) {
        this.service = service;
        this.viewport = viewport;
        int address = NEXT_ADDRESS.incrementAndGet();
        this.context = browser.newContext(new com.microsoft.playwright.Browser.NewContextOptions()
                .setViewportSize(viewport.width(), ViewportTheme.HEIGHT)
                .setColorScheme(viewport.scheme())
                // contrast is not measured during transitions
                .setReducedMotion(ReducedMotion.REDUCE)
                .setJavaScriptEnabled(viewport.scripts())
                .setExtraHTTPHeaders(Map.of("X-Forwarded-For", "192.0." + address / 250 + "." + address % 250)));
        context.setDefaultTimeout(TIMEOUT_MS);
        context.route(Pattern.compile("^(?!" + Pattern.quote(service.uri("/").toString()) + ").*"), route -> {
            errors.add("request to " + route.request().url());
            route.abort();
        });
        context.addInitScript("addEventListener('securitypolicyviolation',"
                + " e => console.error('policy: ' + e.violatedDirective + ' ' + e.blockedURI))");
        this.page = context.newPage();
        page.onResponse(this::remember);
        page.onConsoleMessage(this::evaluate);
        page.onPageError(error -> errors.add("script error: " + error));
    }

    private void remember(Response response) {
        if (response.request().isNavigationRequest() && response.status() >= 400) {
            errorPages.add(response.url());
        }
    }

    private void evaluate(ConsoleMessage message) {
        if (!message.type().equals("error") && !message.type().equals("warning")) {
            return;
        }
        // Chromium logs each response with such a status
        String place = message.location().replaceFirst(":\\d+:\\d+$", "");
        if (message.text().startsWith("Failed to load resource") && errorPages.contains(place)) {
            return;
        }
        errors.add("console of " + page.url() + ": " + message.text());
    }

    public Page page() {
        return page;
    }

    public ViewportTheme viewport() {
        return viewport;
    }

    /** Opens a page; returns its status. */
    public int open(String path) {
        return page.navigate(service.uri(path).toString()).status();
    }

    public Locator button(String name) {
        return page.getByRole(
                AriaRole.BUTTON, new Page.GetByRoleOptions().setName(name).setExact(true));
    }

    public Locator link(String name) {
        return page.getByRole(
                AriaRole.LINK, new Page.GetByRoleOptions().setName(name).setExact(true));
    }

    public Locator box(String label) {
        return page.getByLabel(label, new Page.GetByLabelOptions().setExact(true));
    }

    public Locator main() {
        return page.locator("main");
    }

    public void signIn(String email, String password) {
        open("/sign-in");
        box("E-mail").fill(email);
        box("Password").fill(password);
        button("Sign in").click();
        page.waitForURL("**/account");
    }

    /** Returns the lines of the file behind a link. */
    public List<String> download(Locator link) {
        Download download = page.waitForDownload(link::click);
        try {
            return Files.readAllLines(download.path());
        } catch (IOException unreadable) {
            throw new UncheckedIOException(unreadable);
        }
    }

    /** Creates a file for an upload. */
    public static FilePayload file(String name, String content) {
        return new FilePayload(name, "text/csv", content.getBytes(StandardCharsets.UTF_8));
    }

    /** Drops a file on an element. */
    public void drop(String selector, String name, String content) {
        JSHandle data = page.evaluateHandle(
                "([name, content]) => { const all = new DataTransfer();"
                        + " all.items.add(new File([content], name)); return all; }",
                List.of(name, content));
        page.dispatchEvent(selector, "drop", Map.of("dataTransfer", data));
    }

    /** Asserts that the page does not scroll horizontally, narrow or wide. */
    public void assertFits() {
        page.waitForLoadState();
        ViewportSize own = page.viewportSize();
        for (int width : ViewportTheme.WIDTHS) {
            page.setViewportSize(width, own.height);
            Object over =
                    page.evaluate("() => document.documentElement.scrollWidth - document.documentElement.clientWidth");
            assertThat(over)
                    .as("px too wide at " + width + " px: " + page.url())
                    .isEqualTo(0);
        }
        page.setViewportSize(own.width, own.height);
    }

    /** Asserts that no page has caused an error. */
    public void assertNoErrors() {
        assertThat(errors).isEmpty();
    }

    @Override
    public void close() {
        context.close();
        assertNoErrors();
    }
}
