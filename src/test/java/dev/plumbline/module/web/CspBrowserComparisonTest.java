package dev.plumbline.module.web;

import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.BrowserContext;
import com.microsoft.playwright.Page;
import dev.plumbline.check.ModuleDefinition;
import dev.plumbline.check.SheetModule;
import dev.plumbline.lab.HttpFixture;
import dev.plumbline.probe.http.HttpProbe;
import dev.plumbline.probe.http.RedirectTrace;
import dev.plumbline.result.CheckResult;
import dev.plumbline.result.Finding;
import dev.plumbline.support.ChromiumBrowser;
import dev.plumbline.support.NginxServer;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.assertj.core.api.SoftAssertions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Compares the report with the scripts of a page that Chromium runs. */
@Tag("integration")
class CspBrowserComparisonTest {
    private static final ModuleDefinition<RedirectTrace> MODULE = SheetModule.load(new SecurityHeaders());

    /** Policies that allow script files of the page's own origin. */
    private static final List<String> POLICIES = List.of(
            "script-src 'self'",
            "script-src 'self' 'unsafe-inline'",
            "script-src 'self' 'unsafe-eval'",
            "default-src 'self' 'unsafe-inline' 'unsafe-eval'",
            "script-src-elem 'self'",
            "script-src-elem 'self'; script-src-attr 'none'",
            "script-src-elem 'self'; script-src 'none'",
            "script-src-elem 'self'; script-src 'unsafe-inline'",
            "script-src-elem 'self'; default-src 'unsafe-inline'",
            "script-src-elem 'self'; script-src 'unsafe-inline'; script-src-attr 'none'",
            "script-src-elem 'self'; script-src 'unsafe-inline' 'nonce-0123456789abcdefghijkl'",
            "script-src-elem 'self'; script-src 'unsafe-inline' 'strict-dynamic'",
            "script-src-elem 'self'; script-src 'self'; script-src-attr 'unsafe-inline'",
            "script-src-elem 'self' 'unsafe-inline'; script-src 'self'",
            "script-src-elem 'self' 'unsafe-eval'; script-src 'self'",
            "script-src-elem 'self'; script-src 'unsafe-eval'",
            "script-src-elem 'self'; script-src 'none'; default-src 'unsafe-eval'",
            "script-src-elem 'self'; script-src-attr 'none'; default-src 'unsafe-eval'",
            "script-src-elem 'self'; script-src-attr 'unsafe-inline' 'unsafe-eval'; script-src 'self'",
            "script-src 'self', script-src-elem 'self'; script-src 'unsafe-inline' 'unsafe-eval'",
            "script-src-elem 'self'; script-src-attr 'none', script-src-elem 'self'; script-src 'unsafe-inline'",
            "script-src-elem 'self'; script-src 'unsafe-inline', script-src-elem 'self' 'unsafe-inline'; script-src 'self'");

    @Test
    void allowsTheSameScripts(@TempDir Path folder) throws Exception {
        StringBuilder locations = new StringBuilder(
                "default_type text/html; location = /eval.js { default_type text/javascript; return 200 "
                        + "\"eval('document.body.dataset.eval = 1')\"; }\n");
        for (int i = 0; i < POLICIES.size(); i++) {
            locations
                    .append("location = /%d { add_header Content-Security-Policy \"%s\"; "
                            .formatted(i, POLICIES.get(i)))
                    .append("return 200 '<body><button onclick=\"document.body.dataset.inline = 1\">Run</button>")
                    .append(
                            "<script>document.body.dataset.inline = 1</script><script src=\"/eval.js\"></script>'; }\n");
        }
        SoftAssertions all = new SoftAssertions();
        try (HttpFixture fixture = HttpFixture.start();
                NginxServer nginx = NginxServer.start(folder, fixture.identity(), locations.toString());
                BrowserContext context = ChromiumBrowser.openLab();
                Page page = context.newPage()) {
            HttpProbe probe = fixture.probe(HttpFixture.policy(List.of("127.0.0.0/8"), List.of("*")));
            for (int i = 0; i < POLICIES.size(); i++) {
                String url = nginx.http("/" + i);
                page.navigate(url);
                page.locator("button").dispatchEvent("click");
                CheckResult result = fixture.check(MODULE, probe, url, "");
                List<String> codes =
                        result.findings().stream().map(Finding::code).toList();

                all.assertThat(Map.of(
                                "inline",
                                codes.contains("csp_inline_scripts"),
                                "eval",
                                codes.contains("csp_eval"),
                                "any",
                                codes.contains("csp_scripts_unlimited")))
                        .as(POLICIES.get(i))
                        .isEqualTo(Map.of("inline", ran(page, "inline"), "eval", ran(page, "eval"), "any", false));
            }
        }
        all.assertAll();
        assertThat(POLICIES).hasSizeGreaterThan(20);
    }

    private static boolean ran(Page page, String kind) {
        return (Boolean) page.evaluate("kind => kind in document.body.dataset", kind);
    }
}
