package dev.plumbline.e2e.web;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.account.AccountAdministration;
import dev.plumbline.account.AccountEmail;
import dev.plumbline.account.PasswordHasher;
import dev.plumbline.account.Plan;
import dev.plumbline.support.Await;
import dev.plumbline.support.CookieClient;
import dev.plumbline.support.SampleComposite;
import dev.plumbline.support.ServiceUnderTest;
import dev.plumbline.support.TestDatabase;
import io.vertx.core.http.HttpServer;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jsoup.Jsoup;
import org.jsoup.nodes.Document;
import org.jsoup.nodes.Element;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** The summary of a job and the grades of a composite. */
@Tag("integration")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class JobSummaryPagesTest {
    @RegisterExtension
    static final TestDatabase DATABASE = new TestDatabase();

    private static final String PASSWORD = "a long enough password";

    private static int userCount;

    /** The status of each path; 200 by default. */
    private final Map<String, Integer> statuses = new ConcurrentHashMap<>();

    private AccountAdministration accounts;
    private ServiceUnderTest service;
    private CookieClient owner;
    private String site;

    @BeforeAll
    void start(@TempDir Path folder) {
        accounts = new AccountAdministration(DATABASE.open(), new PasswordHasher(DATABASE.vertx()));
        service = SampleComposite.start(folder, DATABASE, Map.of("DATABASE_TIMEOUT", "6s"));
        HttpServer server = Await.value(DATABASE.vertx()
                .createHttpServer()
                .requestHandler(request -> request.response()
                        .setStatusCode(statuses.getOrDefault(request.path(), 200))
                        .end("text\n"))
                .listen(0, "127.0.0.1"));
        site = "http://127.0.0.1:" + server.actualPort();
        owner = newUser();
    }

    @AfterAll
    void stop() {
        service.close();
    }

    private CookieClient newUser() {
        String email = "summary" + userCount++ + "@plumbline.example";
        Await.value(accounts.create(AccountEmail.parse(email), Plan.PRO, PASSWORD));
        CookieClient browser = new CookieClient(service);
        assertThat(browser.signIn(email, PASSWORD).statusCode()).isEqualTo(200);
        return browser;
    }

    /** Runs a job to its end. */
    private String finished(CookieClient browser, String module, String name, String... lines) {
        String path = browser.bulk(
                        "bulk-tool",
                        module,
                        "bulk-lines",
                        String.join("\n", lines),
                        "bulk-name",
                        name,
                        "bulk-fresh",
                        "true")
                .headers()
                .firstValue("Location")
                .orElseThrow();
        Await.until(
                () -> !page(browser.page(path)).select("[data-finished=true]").isEmpty());
        return path;
    }

    private static Document page(HttpResponse<String> response) {
        return Jsoup.parse(response.body());
    }

    @Test
    void theFindingsOfMostLinesAreFirst() {
        statuses.put("/gone", 410);
        String path = finished(
                owner, "http-status", "Summary", site + "/a", site + "/gone", site + "/b", site + "/gone", "no target");

        Document job = page(owner.page(path));

        Element first = job.selectFirst(".finding-counts li");
        assertThat(first.select(".badge").text()).isEqualTo("Fail");
        assertThat(first.select(".number").text()).isEqualTo("2 lines");
        String link = first.select("a").attr("href");
        assertThat(link).isEqualTo(path + "?finding=status_client_error#lines");
        assertThat(page(owner.page(link.replaceFirst("#.*", "")))
                        .select(".matches")
                        .text())
                .startsWith("2 of 5 lines match.");
        assertThat(job.select(".finding-counts .badge").eachText().indexOf("Info"))
                .isGreaterThan(0);
        assertThat(job.select(".finding-counts li:has(code) .number").text()).isEqualTo("1 line");
        assertThat(job.select(".finding-counts code").text()).isEqualTo("invalid_target");
        assertThat(job.select(".summary .chart figcaption").first().text()).isEqualTo("Verdicts");
    }

    @Test
    void theValuesOfFieldsAreCounted() {
        statuses.put("/missing", 404);
        String path = finished(owner, "http-status", "Values", site + "/1", site + "/2", site + "/missing");
        List<String> lines = new ArrayList<>();
        for (int i = 0; i < 30; i++) {
            lines.add(site + "/timed/" + i);
        }
        String many = finished(owner, "http-timing", "Values", lines.toArray(String[]::new));

        Document job = page(owner.page(path));

        assertThat(job.select("#job-values[open]")).isEmpty();
        assertThat(values(job, "Status code")).isEqualTo("200 × 2 404 × 1");
        assertThat(values(job, "Final URL")).contains(site + "/1 × 1");
        assertThat(values(page(owner.page(many)), "Total time")).contains("Minimum", "Median", "90th percentile", "Maximum");
        assertThat(values(job, "OK")).isEqualTo("Yes × 2 No × 1");
    }

    private static String values(Document job, String title) {
        return job.select("#job-values dt").stream()
                .filter(field -> field.text().equals(title))
                .map(field -> field.nextElementSibling().text())
                .findFirst()
                .orElse("");
    }

    @Test
    void aCompositeHasAMatrixOfItsAreas() {
        List<String> domains = List.of("one.example", "low-two.example", "three.example");
        domains.forEach(SampleComposite::release);
        String path = finished(owner, SampleComposite.NAME, "Matrix", domains.toArray(String[]::new));

        Document job = page(owner.page(path));

        assertThat(job.select(".matrix th").eachText())
                .containsExactly("# ↑", "Verdict", "Input", "Grade", "Web", "DNS", "Duration");
        assertThat(job.select(".matrix tbody tr:nth-child(2) .grade-badge").eachText())
                .containsExactly("D, score 45", "F, score 9", "A, score 100");
        assertThat(job.select(".matrix tbody tr:nth-child(2) .grade-badge.fail")).hasSize(2);
        assertThat(job.select(".area-grades > li").eachText())
                .containsExactly("Web Mean score 44 C × 2 F × 1", "DNS Mean score 100 A × 3");
        assertThat(job.select(".finding-counts li").first().text()).isEqualTo("Fail Sample failure Slow part 3 lines");

        String byWeb = job.select(".matrix th a").get(4).attr("href");
        assertThat(byWeb).isEqualTo(path + "?sort=areas.web.grade#lines");
        assertThat(inputs(page(owner.page(byWeb.replaceFirst("#.*", "")))))
                .containsExactly("low-two.example", "one.example", "three.example");
        assertThat(inputs(page(owner.page(path + "?sort=grade&dir=desc")))).endsWith("low-two.example");
        assertThat(inputs(page(owner.page(path + "?finding=sample-slow/sample_fail&q=LOW"))))
                .containsExactly("low-two.example");
        assertThat(page(owner.page(path + "?fields=score")).select(".matrix")).isEmpty();
    }

    private static List<String> inputs(Document job) {
        return job.select(".lines .input > a").eachText();
    }
}
