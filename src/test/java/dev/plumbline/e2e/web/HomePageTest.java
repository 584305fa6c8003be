package dev.plumbline.e2e.web;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.check.ModuleCatalogue;
import dev.plumbline.support.ServiceFixture;
import dev.plumbline.support.ServiceUnderTest;
import java.net.URLEncoder;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import org.jsoup.Jsoup;
import org.jsoup.nodes.Document;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The form of the home page leads to a report, or to an error that names the accepted input. */
@Tag("integration")
class HomePageTest {
    @RegisterExtension
    static final ServiceFixture FIXTURE = new ServiceFixture(Map.of());

    private final ServiceUnderTest service = FIXTURE.service();

    private HttpResponse<String> check(String target, String tool) {
        return service.page("/check?target=" + URLEncoder.encode(target, StandardCharsets.UTF_8) + "&tool=" + tool);
    }

    private static String location(HttpResponse<String> response) {
        assertThat(response.statusCode()).isEqualTo(303);
        return response.headers().firstValue("location").orElseThrow();
    }

    @ParameterizedTest
    @CsvSource({
        "example.com, /check/overview/example.com",
        "' EXAMPLE.com. ', /check/overview/example.com",
        "b\u00fccher.example, /check/overview/xn--bcher-kva.example",
        "https://example.com/a?b=1, /check/http-status/https%3A%2F%2Fexample.com%2Fa%3Fb%3D1",
        "example.com/page, /check/http-status/https%3A%2F%2Fexample.com%2Fpage",
        "example.com:8443, /check/tcp-port/example.com%3A8443",
        "[2001:db8::1]:25, /check/tcp-port/%5B2001%3Adb8%3A%3A1%5D%3A25",
        "192.0.2.1, /check/ip-registration/192.0.2.1",
        "2001:db8::1, /check/ip-registration/2001%3Adb8%3A%3A1",
        "user@example.com, /check/email-address/user%40example.com",
    })
    void theDefaultToolOfTheTypeOfTheTargetRuns(String target, String report) {
        assertThat(location(check(target, ""))).isEqualTo(report);
    }

    @ParameterizedTest
    @CsvSource({
        "example.com, http-status, /check/http-status/https%3A%2F%2Fexample.com%2F",
        "https://example.com/a, dns-records, /check/dns-records/example.com",
        "example.com:8443, ssl-certificate, /check/ssl-certificate/example.com%3A8443",
        "example.com:8443, spf, /check/spf/example.com",
        "user@example.com, http-status, /check/http-status/https%3A%2F%2Fexample.com%2F",
    })
    void theSelectedToolRuns(String target, String tool, String report) {
        assertThat(location(check(target, tool))).isEqualTo(report);
    }

    @ParameterizedTest
    @CsvSource({
        "/check/example.com, /check/overview/example.com",
        "/check/EXAMPLE.com/, /check/overview/example.com",
        "/check/example.com?timeout_ms=5000&x=%C3%A9&x=, /check/overview/example.com?timeout_ms=5000&x=%C3%A9&x=",
        "/check/b%C3%BCcher.example, /check/overview/xn--bcher-kva.example",
        "/check/https://example.com/a?b=1, /check/http-status/https%3A%2F%2Fexample.com%2Fa%3Fb%3D1",
        "/check/https%3A%2F%2Fexample.com%2Fa%3Fb%3D1, /check/http-status/https%3A%2F%2Fexample.com%2Fa%3Fb%3D1",
        "/check/example.com/page, /check/http-status/https%3A%2F%2Fexample.com%2Fpage",
        "/check/example.com:8443, /check/tcp-port/example.com%3A8443",
        "/check/192.0.2.1, /check/ip-registration/192.0.2.1",
        "/check/user@example.com, /check/email-address/user%40example.com",
        "/check/http-status, /tools/http-status",
        "/check/http-status?target=example.com&method=get, /check/http-status/example.com?method=get",
    })
    void aTargetWithoutToolLeadsToItsDefaultTool(String path, String location) {
        assertThat(location(service.page(path))).isEqualTo(location);
        assertThat(service.pageBy("HEAD", path).statusCode()).isEqualTo(303);
    }

    @ParameterizedTest
    @CsvSource({
        "/check/http-statu, 404, The tool 'http-statu' does not exist",
        "/check/ftp:%2F%2Fexample.com, 422, is not a valid target",
        "/check/two%20words, 422, is not a valid target",
        "/check/example.com:99999, 422, is not a valid target",
        "/check/%ff, 400, not valid UTF-8",
    })
    void anInputThatNoToolAcceptsIsRejected(String path, int status, String words) {
        HttpResponse<String> response = service.page(path, "Accept", "text/html");

        assertThat(response.statusCode()).isEqualTo(status);
        assertThat(Jsoup.parse(response.body()).select("main").text()).contains(words);
    }

    @Test
    void quotaIsStated() {
        assertThat(Jsoup.parse(service.page("/").body()).select(".uses").text())
                .contains("Quota: 30 fresh checks per IP address in 60 minutes. Cached results do not count.");
    }

    @Test
    void theFormLeadsToTheReportWithoutScripts() {
        Document home = Jsoup.parse(service.page("/").body());

        assertThat(home.select("form.target-form[method=get]").attr("action")).isEqualTo("/check");
        assertThat(home.select("form.target-form [name]").eachAttr("name")).containsExactly("target", "tool");
        assertThat(home.select("select[name=tool] option").first().attr("value"))
                .isEmpty();
        assertThat(home.select("select[name=tool] option").eachAttr("value"))
                .contains("http-status", "ssl-certificate")
                .doesNotHaveDuplicates();
        assertThat(home.select("[role=alert]")).isEmpty();
        for (String example : home.select("#target-help a").eachAttr("href")) {
            assertThat(location(service.page(example))).startsWith("/check/");
        }
    }

    @Test
    void homeAndToolsListEveryTool() {
        List<String> tools = ModuleCatalogue.load().names().stream()
                .map(name -> "/tools/" + name)
                .toList();

        assertThat(Jsoup.parse(service.page("/").body()).select(".tool-index a").eachAttr("href"))
                .containsExactlyInAnyOrderElementsOf(tools);
        Document page = Jsoup.parse(service.page("/tools").body());
        assertThat(page.select("ul.tools a").eachAttr("href")).containsExactlyInAnyOrderElementsOf(tools);
        for (String category : page.select("nav[aria-label=Categories] a").eachAttr("href")) {
            assertThat(page.select(category)).hasSize(1);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"two words", "..", "", "ftp://example.com/", "example.com:99999", "@", "user@", "[::1"})
    void aTargetThatNoToolAcceptsIsRejectedWithTheAcceptedInput(String target) {
        HttpResponse<String> response = check(target, "");
        Document page = Jsoup.parse(response.body());

        assertThat(response.statusCode()).isEqualTo(422);
        assertThat(page.select("[role=alert] li").eachText())
                .containsExactly(
                        "Domain, for example example.com: Domain overview",
                        "URL, for example https://example.com/page: HTTP status",
                        "Host and port, for example example.com:8443: TCP port",
                        "IP address, for example 192.0.2.1: IP registration",
                        "E-mail address, for example user@example.com: E-mail address");
        assertThat(page.select("#target").val()).isEqualTo(target);
        assertThat(page.select("#target").attr("aria-describedby"))
                .isEqualTo(page.select("[role=alert]").attr("id"));
    }

    @ParameterizedTest
    @CsvSource({"'', Enter a target. Accepted targets", "tcp-port, Enter a target. Example of a target for TCP port:"})
    void aMissingTargetIsRequested(String tool, String words) {
        assertThat(Jsoup.parse(check("", tool).body()).select("[role=alert]").text())
                .startsWith(words);
    }

    @Test
    void aTargetThatTheSelectedToolRejectsIsExplained() {
        HttpResponse<String> response = check("example.com", "tcp-port");
        Document page = Jsoup.parse(response.body());

        assertThat(response.statusCode()).isEqualTo(422);
        assertThat(page.select("[role=alert]").text())
                .isEqualTo("example.com is not a valid target. The target requires a port. Use the form host:port."
                        + " Example of a target for TCP port: example.com:443");
        assertThat(page.select("select[name=tool] option[selected]").val()).isEqualTo("tcp-port");
    }

    @Test
    void anUnknownToolIsNotFound() {
        HttpResponse<String> response = service.page("/check?target=example.com&tool=gone", "Accept", "text/html");

        assertThat(response.statusCode()).isEqualTo(404);
        assertThat(Jsoup.parse(response.body()).select("main").text()).contains("The tool 'gone' does not exist");
    }
}
