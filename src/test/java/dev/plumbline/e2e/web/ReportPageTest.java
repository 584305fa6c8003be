package dev.plumbline.e2e.web;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.lab.DnsLab;
import dev.plumbline.lab.HttpLab;
import dev.plumbline.support.Await;
import dev.plumbline.support.ServiceUnderTest;
import dev.plumbline.support.TestDatabase;
import io.vertx.core.json.JsonObject;
import java.net.URLEncoder;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import org.jsoup.Jsoup;
import org.jsoup.nodes.Document;
import org.jsoup.select.Elements;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Report pages run checks as the API does, but only for navigation requests. */
@Tag("integration")
class ReportPageTest {
    @RegisterExtension
    static final TestDatabase DATABASE = new TestDatabase();

    private static ServiceUnderTest service;
    private static HttpLab lab;
    private static DnsLab dns;

    @BeforeAll
    static void start() {
        lab = Await.value(HttpLab.start(DATABASE.vertx()));
        dns = DnsLab.start();
        service = ServiceUnderTest.start(
                DATABASE.url(),
                Map.of(
                        "HTTP_TRUSTED_PROXIES", "127.0.0.0/8",
                        "DNS_SERVERS", dns.address(),
                        "LIMITS_FRESH_PER_HOUR", "2"));
    }

    @AfterAll
    static void stop() {
        service.close();
        dns.close();
    }

    private static String path(String target) {
        return "/check/http-status/" + URLEncoder.encode(target, StandardCharsets.UTF_8);
    }

    private static Document parsed(HttpResponse<String> response) {
        return Jsoup.parse(response.body());
    }

    @Test
    void reportAndApiShareCachedResults() {
        String target = lab.http("/ok?shared");

        HttpResponse<String> fresh = service.page(path(target), "X-Forwarded-For", "203.0.113.1");
        HttpResponse<String> cached = service.page(path(target), "X-Forwarded-For", "203.0.113.2");
        HttpResponse<String> fromMemory = service.page(path(target), "X-Forwarded-For", "203.0.113.2");
        HttpResponse<String> api = service.instant("http-status", target);

        assertThat(fresh.statusCode()).isEqualTo(200);
        assertThat(parsed(fresh).select(".verdict").hasClass("pass")).isTrue();
        assertThat(parsed(fresh).select(".age").text()).contains("Fresh", "1 of 2 fresh checks remaining");
        assertThat(fresh.headers().firstValue("ratelimit")).isPresent();
        for (HttpResponse<String> known : java.util.List.of(cached, fromMemory)) {
            assertThat(parsed(known).select(".age").text())
                    .contains("Cached", "less than a minute ago", "Does not count");
            assertThat(parsed(known).select(".recheck").text())
                    .contains("A fresh check is possible at", "in 10 minutes");
            assertThat(known.headers().firstValue("ratelimit")).isEmpty();
            assertThat(parsed(known).select("#field-status dd").text()).isEqualTo("200");
        }
        assertThat(new JsonObject(api.body()).getBoolean("cached")).isTrue();
    }

    @Test
    void canonicalUrlIsIndependentOfTheInput() {
        String target = lab.http("/ok?typed=1");
        service.page(path(target), "X-Forwarded-For", "203.0.113.3");

        Document raw = parsed(service.page("/check/http-status/" + target.replace("http:", "HTTP:")));

        assertThat(raw.select(".verdict h1").text()).isEqualTo(target);
        assertThat(raw.select("link[rel=canonical]").attr("href"))
                .endsWith(path(target).replace("+", "%20"));
        assertThat(raw.title()).isEqualTo("HTTP status for " + target + " · Plumbline");
        assertThat(raw.select("meta[property=og:description]").attr("content")).startsWith("Pass: ");
        assertThat(raw.select("meta[name=robots]").attr("content")).contains("noindex");
        Document options = parsed(service.page(path(target) + "?max_redirects=10"));
        assertThat(options.select("link[rel=canonical]"))
                .hasToString(raw.select("link[rel=canonical]").toString());
    }

    @Test
    void jsonAndCurlReturnTheSameResult() {
        String target = lab.http("/status/404");
        Document page = parsed(service.page(path(target) + "?method=get", "X-Forwarded-For", "203.0.113.4"));
        String json = page.select("#share ~ p a[href^=/api/]").attr("href");

        assertThat(page.select(".verdict").hasClass("fail")).isTrue();
        JsonObject result = new JsonObject(service.get(json).body());
        assertThat(result.getString("target")).isEqualTo(target);
        assertThat(result.getBoolean("cached")).isTrue();
        assertThat(page.select("#share ~ p").text()).contains("This link shows the latest result");
        assertThat(page.select("#share ~ pre").text()).startsWith("curl 'http").endsWith(json + "'");
    }

    @ParameterizedTest
    @CsvSource({
        "Sec-Fetch-Mode, no-cors",
        "Sec-Fetch-Mode, cors",
        "Sec-Fetch-Dest, iframe",
        "Sec-Purpose, prefetch;prerender",
        "Purpose, prefetch",
        "X-Moz, prefetch",
    })
    void nonNavigationRequestsDoNotRunChecks(String header, String value) {
        String target = lab.http("/ok?not-opened=" + value.hashCode() + header);

        HttpResponse<String> page = service.page(path(target), header, value, "X-Forwarded-For", "203.0.113.5");

        assertThat(page.statusCode()).isEqualTo(200);
        assertThat(parsed(page).select("main").text()).contains("No cached result");
        assertThat(parsed(page).select(".note a").text()).isEqualTo("Run check");
        assertThat(page.headers().firstValue("ratelimit")).isEmpty();
    }

    @Test
    void headDoesNotRunChecks() {
        String target = lab.http("/ok?by-head");

        assertThat(service.pageBy("HEAD", path(target)).statusCode()).isEqualTo(200);
        assertThat(parsed(service.page(path(target), "Sec-Fetch-Mode", "no-cors"))
                        .select("main")
                        .text())
                .contains("No cached result");
    }

    @Test
    void cachedResultsAreServedToPrefetches() {
        String target = lab.http("/ok?known-ahead");
        service.page(path(target), "X-Forwarded-For", "203.0.113.6", "Sec-Fetch-Mode", "navigate");

        HttpResponse<String> ahead = service.page(path(target), "Sec-Purpose", "prefetch");

        assertThat(parsed(ahead).select(".verdict h1").text()).isEqualTo(target);
    }

    @Test
    void readingTheQuotaIsNotCharged() {
        String[] from = {"X-Forwarded-For", "203.0.113.8"};

        for (int i = 0; i < 3; i++) {
            assertThat(service.page("/quota", from).body())
                    .isEqualToIgnoringWhitespace("2 of 2 fresh checks remaining this hour.");
        }
        service.page(path(lab.http("/ok?quota")), from);
        assertThat(service.page("/quota", from).body()).contains("1 of 2");
    }

    @Test
    void exceededQuotaIsExplained() {
        String[] from = {"X-Forwarded-For", "203.0.113.7"};
        service.page(path(lab.http("/ok?limit=1")), from);
        service.page(path(lab.http("/ok?limit=2")), from);

        HttpResponse<String> refused = service.page(path(lab.http("/ok?limit=3")), from);

        assertThat(refused.statusCode()).isEqualTo(429);
        assertThat(refused.headers().firstValue("retry-after")).isPresent();
        assertThat(parsed(refused).select("[role=alert]").text())
                .contains(
                        "2 fresh checks of the last 60 minutes",
                        "Retry in 60 minutes.",
                        "Cached results remain available");
        Document page = parsed(refused);
        assertThat(page.select(".quota-options").text())
                .contains(
                        "0 of 2 fresh checks remain. The next one is possible in 60 minutes, at",
                        "60 jobs in 60 minutes, each with up to 500 targets");
        assertThat(page.select(".quota-options pre").text())
                .isEqualTo("plumbline check http-status '" + lab.http("/ok?limit=3") + "'");
        assertThat(page.select(".quota-options a").eachAttr("href")).contains("/bulk");
        assertThat(page.select("main").text()).contains("limits.fresh_per_hour (0 = no limit)");
        assertThat(page.select("a[href=/docs#quotas]")).hasSize(1);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "/check/http-status/ftp%3A%2F%2Fx.example | 422 | Supported schemes: https, http",
                "/check/http-status/localhost | 422 | not allowed",
                "/check/http-status/example.com?max_redirects=99 | 422 | max_redirects must be an integer",
                "/check/http-status/example.com?nonsense=1 | 422 | nonsense",
                "/check/http-status/example.com?method=get&method=head | 422 | method must not be repeated",
                "/check/nonsense/example.com | 404 | The tool 'nonsense' does not exist",
                "/tools/nonsense | 404 | The tool 'nonsense' does not exist",
                "/check/http-status/%ff | 400 | not valid UTF-8",
            })
    void rejectedChecksAreExplained(String path, int status, String words) {
        HttpResponse<String> response = service.page(path, "Accept", "text/html");

        assertThat(response.statusCode()).isEqualTo(status);
        assertThat(parsed(response).select("main").text()).contains(words);
        assertThat(parsed(response).select("main h1")).hasSize(1);
    }

    @Test
    void rejectedTargetsAreEscaped() {
        Document page = parsed(service.page("/check/http-status/%3Cscript%3Ealert(1)%3C%2Fscript%3E%E2%80%AE.x"));

        assertThat(page.select("script:not([src])")).isEmpty();
        assertThat(page.select("h1").text()).contains("<script>alert(1)</script>[U+202E]");
        assertThat(page.title()).contains("<script>").doesNotContain("\u202e");
    }

    @Test
    void otherChecksOfTheTargetAreOneClickAway() {
        Document page = parsed(service.page(path(lab.http("/ok?tabs")), "X-Forwarded-For", "203.0.113.9"));
        Elements tabs = page.select("nav.tabs .pills").first().select("a");

        assertThat(tabs.select("[aria-current=page]").eachText()).containsExactly("HTTP status");
        assertThat(tabs.eachText()).startsWith("HTTP status", "SSL certificate").hasSizeLessThanOrEqualTo(7);
        assertThat(tabs.eachAttr("rel")).containsOnly("nofollow");
        String other = tabs.get(1).attr("href");
        assertThat(other).startsWith("/check/ssl-certificate/127.0.0.1%3A");
        HttpResponse<String> report = service.page(other, "X-Forwarded-For", "203.0.113.9");
        assertThat(parsed(report).select(".verdict")).hasSize(1);
        assertThat(parsed(report).select("nav.tabs [aria-current=page]").text()).isEqualTo("SSL certificate");
    }

    @Test
    void tabsListEveryToolThatAcceptsTheTarget() {
        Document page = parsed(service.page("/check/spf/nothing.test", "X-Forwarded-For", "203.0.113.10"));

        assertThat(page.select("nav.tabs a").eachAttr("href"))
                .contains(
                        "/check/http-status/https%3A%2F%2Fnothing.test%2F",
                        "/check/ssl-certificate/nothing.test",
                        "/check/dns-records/nothing.test",
                        "/check/spf/nothing.test")
                .noneMatch(path -> path.startsWith("/check/tcp-port/"))
                .doesNotHaveDuplicates();
        assertThat(page.select("nav.tabs > .pills [aria-current=page]").text()).isEqualTo("SPF record");
        assertThat(page.select("nav.tabs > .pills a").eachText()).contains("SSL certificate", "DNS records");
        assertThat(page.select("nav.tabs dt").eachText()).contains("Website", "Mail");
        assertThat(page.select("nav.tabs summary").text())
                .isEqualTo(page.select("nav.tabs dd a").size() + " more checks");
    }
}
