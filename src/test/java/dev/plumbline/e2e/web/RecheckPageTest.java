package dev.plumbline.e2e.web;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.account.Plan;
import dev.plumbline.account.TestAccounts;
import dev.plumbline.support.Await;
import dev.plumbline.support.CookieClient;
import dev.plumbline.support.CountingTarget;
import dev.plumbline.support.ServiceUnderTest;
import dev.plumbline.support.TestDatabase;
import io.vertx.core.json.JsonObject;
import java.net.URLEncoder;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.jsoup.Jsoup;
import org.jsoup.nodes.Document;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A Pro user can replace a cached result. Other users see the command that runs the check. */
@Tag("integration")
class RecheckPageTest {
    @RegisterExtension
    static final TestDatabase DATABASE = new TestDatabase();

    private static final String PASSWORD = "a long enough password";
    private static final Map<String, String> SETTINGS =
            Map.of("HTTP_TRUSTED_PROXIES", "127.0.0.1", "LIMITS_JOBS_PER_HOUR", "5", "LIMITS_FRESH_PER_HOUR", "1");

    private static ServiceUnderTest service;
    private static ServiceUnderTest otherNode;
    private static TestAccounts accounts;
    private static CountingTarget target;

    @BeforeAll
    static void start() {
        target = new CountingTarget(DATABASE.vertx());
        // the first request of each path below /held gets 404, later requests get 200
        target.releaseHeld();
        accounts = new TestAccounts(DATABASE.open());
        service = ServiceUnderTest.start(DATABASE.url(), SETTINGS);
        otherNode = ServiceUnderTest.start(DATABASE.url(), SETTINGS);
    }

    @AfterAll
    static void stop() {
        otherNode.close();
        service.close();
    }

    private static CookieClient signedIn(String name, Plan plan) {
        String email = name + "@plumbline.example";
        accounts.account(email, plan, PASSWORD);
        CookieClient browser = new CookieClient(service);
        assertThat(browser.signIn(email, PASSWORD).statusCode()).isEqualTo(200);
        return browser;
    }

    private static String path(String url) {
        return "/check/http-status/" + URLEncoder.encode(url, StandardCharsets.UTF_8);
    }

    private static Document parsed(HttpResponse<String> response) {
        return Jsoup.parse(response.body());
    }

    private static String location(HttpResponse<String> response) {
        assertThat(response.statusCode()).isEqualTo(303);
        return response.headers().firstValue("Location").orElseThrow();
    }

    private static JsonObject api(ServiceUnderTest node, String url) {
        return new JsonObject(node.get(ServiceUnderTest.instantPath("http-status", url) + "?method=get")
                .body());
    }

    private static int status(JsonObject result) {
        return result.getJsonObject("fields").getInteger("status");
    }

    /** Follows the page of the job to the report, as a browser without JavaScript does. */
    private static String awaitReport(CookieClient browser, String jobReport) {
        String[] report = new String[1];
        Await.until(() -> {
            HttpResponse<String> page = browser.page(jobReport);
            report[0] = page.headers().firstValue("Location").orElse(null);
            return page.statusCode() == 303;
        });
        return report[0];
    }

    @Test
    void newResultReplacesTheCachedOneOnAllNodes() {
        CookieClient browser = signedIn("replacing", Plan.PRO);
        String url = target.url("/held/replaced");
        String path = path(url) + "?method=get";
        Document before = parsed(browser.page(path));
        for (ServiceUnderTest node : new ServiceUnderTest[] {service, otherNode}) {
            for (int i = 0; i < 2; i++) {
                assertThat(status(api(node, url))).isEqualTo(404);
                assertThat(parsed(node.page(path)).select("#field-status dd").text())
                        .isEqualTo("404");
            }
        }

        assertThat(before.select(".recheck form button").text()).isEqualTo("Check again now");
        String action = before.select(".recheck form").attr("action");
        String report = awaitReport(browser, location(browser.form(action)));

        assertThat(report).isEqualTo(before.select(".recheck form").attr("action"));
        Document after = parsed(browser.page(report));
        assertThat(after.select("#field-status dd").text()).isEqualTo("200");
        assertThat(after.select(".age").text()).contains("less than a minute ago");
        assertThat(status(api(service, url))).isEqualTo(200);
        Await.until(() -> status(api(otherNode, url)) == 200);
        JsonObject elsewhere = api(otherNode, url);
        assertThat(elsewhere.getBoolean("cached")).isTrue();
        assertThat(elsewhere.getString("checked_at"))
                .isEqualTo(api(service, url).getString("checked_at"));
        assertThat(parsed(otherNode.page(path)).select("#field-status dd").text())
                .isEqualTo("200");
        assertThat(parsed(browser.page("/jobs")).select(".jobs a")).hasSize(1);
    }

    @Test
    void optionsArePartOfTheNewCheck() {
        CookieClient browser = signedIn("options", Plan.PRO);
        String url = target.url("/ok/options");
        String path = path(url) + "?method=get&timeout_ms=5000";

        Document before = parsed(browser.page(path));
        String report = awaitReport(
                browser, location(browser.form(before.select(".recheck form").attr("action"))));

        assertThat(report).endsWith("?method=get&timeout_ms=5000");
        assertThat(browser.page(report).statusCode()).isEqualTo(200);
        assertThat(target.requests("/ok/options")).isEqualTo(2);
    }

    @Test
    void pageWaitsForTheCheckWithoutJavaScript() {
        CookieClient browser = signedIn("waiting", Plan.PRO);
        String url = target.url("/gate/waiting");

        String jobReport = location(browser.form(path(url)));
        HttpResponse<String> waiting = browser.page(jobReport);

        assertThat(waiting.statusCode()).isEqualTo(200);
        assertThat(waiting.headers().firstValue("Refresh").orElseThrow())
                .isEqualTo("1; url=" + jobReport + "?reloaded=true");
        assertThat(parsed(waiting).select("[role=status]").text()).contains("in progress");
        assertThat(parsed(waiting).select("main a").eachAttr("href")).contains(jobReport.replace("/report", ""));
        target.openGate();
        assertThat(parsed(browser.page(awaitReport(browser, jobReport)))
                        .select("#field-status dd")
                        .text())
                .isEqualTo("200");
    }

    @ParameterizedTest
    @ValueSource(strings = {"ftp%3A%2F%2Fexample.com", "http%3A%2F%2F169.254.1.1%2F", "%00"})
    void rejectedTargetsAreReportedWithoutAJob(String rejected) {
        CookieClient browser = signedIn("invalid" + Integer.toHexString(rejected.hashCode()), Plan.PRO);

        String report = location(browser.form("/check/http-status/" + rejected));

        assertThat(report).startsWith("/check/http-status/");
        assertThat(browser.page(report).statusCode()).isEqualTo(422);
        assertThat(parsed(browser.page("/jobs")).select(".jobs a")).isEmpty();
    }

    @Test
    void quotaOfJobsAppliesAndIsExplained() {
        CookieClient browser = signedIn("quota", Plan.PRO);
        String url = target.url("/ok/quota");
        for (int i = 0; i < 5; i++) {
            location(browser.form(path(url)));
        }

        HttpResponse<String> refused = browser.form(path(url));

        assertThat(refused.statusCode()).isEqualTo(429);
        assertThat(refused.headers().firstValue("Retry-After")).isPresent();
        Document page = parsed(refused);
        assertThat(page.select("[role=alert]").text())
                .contains("Rate limit exceeded", "5 jobs on the website in the last 60 minutes", "Retry in 60 minutes");
        assertThat(page.select("main pre").text()).isEqualTo("plumbline check http-status " + url);
        assertThat(page.select("main a.button").attr("href")).isEqualTo(path(url));
    }

    @Test
    void formsOfOtherSitesAreRejected() {
        CookieClient browser = signedIn("csrf", Plan.PRO);

        assertThat(browser.from("https://other.example")
                        .form(path(target.url("/ok/csrf")))
                        .statusCode())
                .isEqualTo(403);
        assertThat(target.requests("/ok/csrf")).isZero();
    }

    @Test
    void otherUsersSeeTheCommand() {
        String url = target.url("/ok/command?a=1&b='2'");
        CookieClient free = signedIn("free", Plan.FREE);
        for (HttpResponse<String> response : List.of(
                new CookieClient(service).page(path(url) + "?method=get"), free.page(path(url) + "?method=get"))) {
            Document page = parsed(response);

            assertThat(page.select(".recheck form")).isEmpty();
            assertThat(page.select(".recheck code").text())
                    .isEqualTo("plumbline check http-status --option method=get '" + url.replace("'", "%27") + "'");
            Instant available = Instant.parse(page.select(".recheck time").attr("datetime"));
            assertThat(Duration.between(Instant.now(), available))
                    .isBetween(Duration.ofMinutes(9), Duration.ofMinutes(11));
            assertThat(page.select(".recheck").text()).contains("A fresh check is possible at", "(in 10 minutes)");
        }
        assertThat(free.form(path(url)).statusCode()).isEqualTo(403);
        assertThat(new CookieClient(service).form(path(url)).statusCode()).isEqualTo(401);
    }

    @Test
    void proUsersCanCreateAJobWhenTheQuotaIsUsed() {
        CookieClient browser = signedIn("used", Plan.PRO);
        browser.page(path(target.url("/ok/used")));
        String url = target.url("/ok/more");

        HttpResponse<String> refused = browser.page(path(url));

        assertThat(refused.statusCode()).isEqualTo(429);
        String report = awaitReport(
                browser,
                location(browser.form(
                        parsed(refused).select(".quota-options form").attr("action"))));
        assertThat(parsed(browser.page(report)).select("#field-status dd").text())
                .isEqualTo("200");
    }
}
