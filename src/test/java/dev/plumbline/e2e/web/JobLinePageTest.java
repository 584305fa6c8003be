package dev.plumbline.e2e.web;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.account.Plan;
import dev.plumbline.account.TestAccounts;
import dev.plumbline.postgres.Database;
import dev.plumbline.support.Await;
import dev.plumbline.support.CookieClient;
import dev.plumbline.support.CountingTarget;
import dev.plumbline.support.ServiceUnderTest;
import dev.plumbline.support.TestDatabase;
import io.vertx.sqlclient.Tuple;
import java.net.URLEncoder;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import org.jsoup.Jsoup;
import org.jsoup.nodes.Document;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The page of a line shows the stored result and does not run a check. */
@Tag("integration")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class JobLinePageTest {
    @RegisterExtension
    static final TestDatabase DATABASE = new TestDatabase();

    private static final String PASSWORD = "a long enough password";
    private static final String EMAIL = "lines@plumbline.example";

    private Database database;
    private ServiceUnderTest service;
    private CountingTarget target;
    private CookieClient owner;

    @BeforeAll
    void start() {
        database = DATABASE.open();
        TestAccounts accounts = new TestAccounts(database);
        accounts.account(EMAIL, Plan.PRO, PASSWORD);
        service = ServiceUnderTest.start(DATABASE.url(), Map.of());
        target = new CountingTarget(DATABASE.vertx());
        owner = new CookieClient(service);
        assertThat(owner.signIn(EMAIL, PASSWORD).statusCode()).isEqualTo(200);
    }

    @AfterAll
    void stop() {
        service.close();
    }

    private String job(String name, String... lines) {
        HttpResponse<String> created =
                owner.bulk("bulk-tool", "http-status", "bulk-name", name, "bulk-lines", String.join("\n", lines));
        assertThat(created.statusCode()).isEqualTo(303);
        return created.headers().firstValue("Location").orElseThrow();
    }

    private void awaitEnd(String job) {
        Await.until(() -> !page(job).select("[data-finished=true]").isEmpty());
    }

    private Document page(String path) {
        return Jsoup.parse(owner.page(path).body());
    }

    @Test
    void theStoredResultIsAReport() {
        String missing = target.url("/missing/stored");
        String job = job("Stored results", target.url("/ok/stored"), missing);
        awaitEnd(job);
        int requests = target.requests("/missing/stored");
        // an instant check would use this cache, or run
        Await.value(database.query("delete from result_cache", Tuple.tuple()));

        Document line = page(job + "/lines/1");

        assertThat(line.title()).isEqualTo("Line 2 of Stored results · Plumbline");
        assertThat(line.select("nav.eyebrow").text()).isEqualTo("Jobs · Stored results · Line 2 of 2");
        assertThat(line.select(".verdict").hasClass("fail")).isTrue();
        assertThat(line.select(".verdict h1").text()).isEqualTo(missing);
        assertThat(line.select(".age").text()).startsWith("Checked ").doesNotContain("expires", "cached");
        assertThat(line.select("#field-status dd").text()).isEqualTo("404");
        assertThat(line.select(".findings > li")).isNotEmpty();
        assertThat(line.select(".recheck a").attr("href"))
                .isEqualTo("/check/http-status/" + URLEncoder.encode(missing, StandardCharsets.UTF_8));
        assertThat(line.select("nav.pages a").eachAttr("href")).containsExactly(job + "/lines/0");
        assertThat(page(job + "/lines/0").select("nav.pages a").eachAttr("href"))
                .containsExactly(job + "/lines/1");
        assertThat(target.requests("/missing/stored")).isEqualTo(requests);
        assertThat(owner.page(job + "/lines/1").headers().firstValue("Cache-Control"))
                .contains("private, no-store");
    }

    @Test
    void cachedResultsOfAJobAreMarked() {
        String url = target.url("/ok/twice");
        awaitEnd(job("First", url));
        String second = job("Second", url);
        awaitEnd(second);

        assertThat(page(second + "/lines/0").select(".age").text())
                .endsWith("The job used a cached result. Rules version: http-status/1.");
    }

    @Test
    void anInvalidTargetIsShownAsSubmitted() {
        String job = job("Invalid", "two words");
        awaitEnd(job);

        Document line = page(job + "/lines/0");

        assertThat(line.select(".verdict").hasClass("error")).isTrue();
        assertThat(line.select(".verdict h1").text()).isEqualTo("two words");
        assertThat(line.select(".verdict .summary").text()).contains("must not contain a space");
        assertThat(line.select(".recheck")).isEmpty();
    }

    @Test
    void aLineWithoutAResultShowsItsState() {
        String job = job("Waiting", target.url("/gate/waiting"), target.url("/gate/next"));
        Await.until(() -> page(job + "/lines/0").text().contains("This line is running."));
        assertThat(page(job + "/lines/0").select("h1").text()).isEqualTo(target.url("/gate/waiting"));
        assertThat(page(job + "/lines/0").select(".note a").attr("href")).isEqualTo(job + "/lines/0");
        assertThat(page(job + "/lines/0").select(".verdict")).isEmpty();

        assertThat(owner.rawForm(job + "/cancel", "").statusCode()).isEqualTo(303);

        assertThat(page(job + "/lines/1").select(".note").text())
                .isEqualTo("The job was cancelled before this line was checked.");
    }

    @Test
    void aResultOfARemovedModuleIsExplained() {
        String job = job("Old", "two words");
        awaitEnd(job);
        Await.value(database.query(
                "update job set module = 'removed' where token = $1", Tuple.of(job.substring("/jobs/".length()))));

        assertThat(page(job + "/lines/0").select(".note").text())
                .isEqualTo("The module removed no longer exists. Download the results of the job as CSV.");
        assertThat(page(job + "/lines/0").select(".note a")).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"2", "-1", "00", "1000000000000", "x", "%3Cb%3E"})
    void unknownLinesAreNotFound(String index) {
        String job = job("Two", "a b", "c d");

        HttpResponse<String> response = owner.page(job + "/lines/" + index);

        assertThat(response.statusCode()).isEqualTo(404);
        assertThat(Jsoup.parse(response.body()).select("main").text())
                .contains("This job has lines with the indexes 0 to 1.");
        assertThat(Jsoup.parse(response.body()).select("main a").eachAttr("href"))
                .containsExactly(job);
    }

    @Test
    void signInIsRequired() {
        String job = job("Mine", "a b");

        HttpResponse<String> response = new CookieClient(service).page(job + "/lines/0");

        assertThat(response.statusCode()).isEqualTo(401);
        assertThat(Jsoup.parse(response.body()).select("main a").attr("href"))
                .isEqualTo("/sign-in?next=" + URLEncoder.encode(job + "/lines/0", StandardCharsets.UTF_8));
    }
}
