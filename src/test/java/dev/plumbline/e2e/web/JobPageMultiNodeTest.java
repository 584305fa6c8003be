package dev.plumbline.e2e.web;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.account.Plan;
import dev.plumbline.account.TestAccounts;
import dev.plumbline.support.Await;
import dev.plumbline.support.CookieClient;
import dev.plumbline.support.CountingTarget;
import dev.plumbline.support.ServiceUnderTest;
import dev.plumbline.support.TestDatabase;
import java.net.http.HttpResponse;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jsoup.Jsoup;
import org.jsoup.nodes.Document;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Every node displays the progress of every job. */
@Tag("integration")
class JobPageMultiNodeTest {
    @RegisterExtension
    static final TestDatabase DATABASE = new TestDatabase();

    private static final String EMAIL = "wanderer@plumbline.example";
    private static final String PASSWORD = "a long enough password";
    private static final Map<String, String> SETTINGS =
            Map.of("HTTP_TRUSTED_PROXIES", "127.0.0.1", "DATABASE_TIMEOUT", "6s");

    private static CookieClient signedIn(ServiceUnderTest node) {
        CookieClient browser = new CookieClient(node);
        assertThat(browser.signIn(EMAIL, PASSWORD).statusCode()).isEqualTo(200);
        return browser;
    }

    private static Document page(HttpResponse<String> response) {
        return Jsoup.parse(response.body());
    }

    private static String now(CookieClient browser, String path) {
        return page(browser.page(path)).select(".state .now").text();
    }

    private static String created(CookieClient browser, CountingTarget target) {
        String lines = IntStream.range(0, 120)
                .mapToObj(i -> target.url((i < 70 ? "/ok/" : "/gate/") + i))
                .collect(Collectors.joining("\n"));
        return browser.bulk("bulk-tool", "http-status", "bulk-lines", lines)
                .headers()
                .firstValue("Location")
                .orElseThrow();
    }

    @Test
    void progressOfOneNodeIsVisibleOnAnother() {
        TestAccounts accounts = new TestAccounts(DATABASE.open());
        accounts.account(EMAIL, Plan.PRO, PASSWORD);
        CountingTarget target = new CountingTarget(DATABASE.vertx());
        try (ServiceUnderTest first = ServiceUnderTest.start(DATABASE.url(), SETTINGS)) {
            CookieClient there = signedIn(first);
            String path = created(there, target);
            String unwanted = created(there, target);
            Await.until(() -> now(there, path).contains("70 of 120 done"));
            try (ServiceUnderTest second = ServiceUnderTest.start(DATABASE.url(), SETTINGS)) {
                CookieClient here = signedIn(second);

                Document job = page(here.page(path));
                assertThat(job.select(".state .now").text()).contains("Running", "70 of 120 done");
                assertThat(job.select(".lines tbody .badge").eachText())
                        .hasSize(50)
                        .containsOnly("Pass");
                String version = job.select("[data-version]").attr("data-version");
                String live = job.select("#job-state").attr("data-url");
                assertThat(here.page(live + "?seen=" + version).statusCode()).isEqualTo(204);
                assertThat(page(here.page("/jobs")).select(".jobs a").eachAttr("href"))
                        .containsExactly(unwanted, path);
                assertThat(here.form(unwanted + "/cancel").statusCode()).isEqualTo(303);
                assertThat(now(there, unwanted)).containsAnyOf("Cancelling", "Cancelled");

                target.openGate();
                Await.until(() -> here.page(live + "?seen=" + version).statusCode() == 200);
                Await.until(() -> page(here.page(live + "?seen=" + version))
                        .select(".state .now")
                        .text()
                        .contains("Completed 100 % 120 of 120 done"));
                Await.until(() -> now(there, unwanted).startsWith("Cancelled 100 %"));
            }
        }
    }
}
