package dev.plumbline.module.web;

import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.BrowserContext;
import com.microsoft.playwright.Page;
import dev.plumbline.check.ModuleDefinition;
import dev.plumbline.check.SheetModule;
import dev.plumbline.lab.CorsPages;
import dev.plumbline.lab.HttpFixture;
import dev.plumbline.result.CheckResult;
import dev.plumbline.result.Finding;
import dev.plumbline.support.ChromiumBrowser;
import java.util.List;
import java.util.Map;
import org.assertj.core.api.SoftAssertions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Compares the report with what a page of another origin can fetch in Chromium. */
@Tag("integration")
class CorsBrowserComparisonTest {
    private static final ModuleDefinition<Cors.Evidence> MODULE = SheetModule.load(new Cors());

    /** Which requests succeed: without and with credentials, with a preflight, and from a sandboxed frame. */
    private static final String FETCH_ALL =
            """
            async urls => {
              const ok = (url, options) => fetch(url, options).then(() => true, () => false);
              const json = {method: 'POST', headers: {'content-type': 'application/json'}, body: '{}'};
              const plain = urls.map(url => ok(url));
              const credentials = urls.map(url => ok(url, {credentials: 'include'}));
              const preflight = urls.map(url => ok(url, json));
              const sandboxed = new Promise(resolve => {
                addEventListener('message', event => resolve(event.data));
                const frame = document.createElement('iframe');
                frame.sandbox = 'allow-scripts';
                frame.srcdoc = `<script>
                  Promise.all(${JSON.stringify(urls)}.map(url => fetch(url).then(() => true, () => false)))
                    .then(all => parent.postMessage(all, '*'))
                </` + 'script>';
                document.body.append(frame);
              });
              return {plain: await Promise.all(plain), credentials: await Promise.all(credentials),
                preflight: await Promise.all(preflight), sandboxed: await sandboxed};
            }
            """;

    @Test
    @SuppressWarnings("unchecked")
    void allowsTheSameRequests() {
        List<String> names = CorsPages.names().stream()
                .filter(name -> !name.equals("redirect"))
                .toList();
        SoftAssertions all = new SoftAssertions();
        try (BrowserContext context = ChromiumBrowser.openLab();
                Page page = context.newPage();
                HttpFixture fixture = HttpFixture.start()) {
            List<String> urls = names.stream()
                    .map(name -> fixture.lab().at("https://other.test", "/cors/" + name))
                    .toList();
            page.navigate(fixture.lab().at("https://www.lab.test", "/cookies/none"));
            Map<String, List<Boolean>> browser = (Map<String, List<Boolean>>) page.evaluate(FETCH_ALL, urls);

            for (int i = 0; i < names.size(); i++) {
                String origin = CorsPages.allowedOrigin(fixture.lab());
                CheckResult result = fixture.check(MODULE, urls.get(i), "origin=" + origin);
                List<String> codes =
                        result.findings().stream().map(Finding::code).toList();
                boolean plain = !codes.contains("origin_blocked");
                boolean credentials = plain
                        && origin.equals(result.fields().get("allow_origin"))
                        && result.fields().get("allow_credentials").equals(true);
                boolean preflight = plain && codes.stream().noneMatch(code -> code.startsWith("preflight_"));
                boolean sandboxed = result.fields().get("null_origin_allowed").equals(true)
                        || "*".equals(result.fields().get("allow_origin"));
                all.assertThat(List.of(plain, credentials, preflight, sandboxed))
                        .as("%s %s", names.get(i), codes)
                        .isEqualTo(List.of(
                                browser.get("plain").get(i),
                                browser.get("credentials").get(i),
                                browser.get("preflight").get(i),
                                browser.get("sandboxed").get(i)));
            }
        }
        assertThat(names).hasSizeGreaterThan(20);
        all.assertAll();
    }
}
