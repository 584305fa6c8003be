package dev.plumbline.e2e.web;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.account.Plan;
import dev.plumbline.account.TestAccounts;
import dev.plumbline.support.Await;
import dev.plumbline.support.CookieClient;
import dev.plumbline.support.PlainTextAssert;
import dev.plumbline.support.SampleComposite;
import dev.plumbline.support.ServiceUnderTest;
import dev.plumbline.support.TestDatabase;
import io.vertx.core.http.HttpServer;
import io.vertx.core.json.JsonObject;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
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
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The summary of a job, the grades of a composite, and the comparison of two jobs. */
@Tag("integration")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class JobSummaryPagesTest {
    @RegisterExtension
    static final TestDatabase DATABASE = new TestDatabase();

    private static final String PASSWORD = "a long enough password";

    private static int userCount;

    /** The status of each path; 200 by default. */
    private final Map<String, Integer> statuses = new ConcurrentHashMap<>();

    private final Map<String, Long> delays = new ConcurrentHashMap<>();

    private TestAccounts accounts;
    private ServiceUnderTest service;
    private CookieClient owner;
    private String site;

    @BeforeAll
    void start(@TempDir Path folder) {
        accounts = new TestAccounts(DATABASE.open());
        service = SampleComposite.start(folder, DATABASE, Map.of("DATABASE_TIMEOUT", "6s"));
        HttpServer server = Await.value(DATABASE.vertx()
                .createHttpServer()
                .requestHandler(request -> DATABASE.vertx()
                        .timer(delays.getOrDefault(request.path(), 1L), TimeUnit.MILLISECONDS)
                        .onSuccess(passed -> request.response()
                                .setStatusCode(statuses.getOrDefault(request.path(), 200))
                                .end("text\n")))
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
        accounts.account(email, Plan.PRO, PASSWORD);
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

    private static String token(String path) {
        return path.substring("/jobs/".length());
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
        // the verdict of a line with an error code can be fail
        assertThat(job.select(".finding-counts li:has(code) .badge").text()).isEqualTo("Error code");
        assertThat(job.select(".summary .chart figcaption").first().text()).isEqualTo("Verdicts");
    }

    @Test
    void theListOfJobsCountsVerdictsAndLinksSharedResults() {
        finished(owner, "http-status", "Counts", "no target", "neither", site + "/counts");

        Document jobs = page(owner.page("/jobs"));

        assertThat(jobs.select(".jobs li").first().text()).endsWith("1 pass, 2 errors");
        assertThat(jobs.select(".page-header a").eachAttr("href")).containsExactly("/results", "/bulk");
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
        assertThat(values(page(owner.page(many)), "Total time"))
                .contains("Minimum", "Median", "90th percentile", "Maximum");
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
        assertThat(job.select(".matrix tbody tr:nth-child(2) .grade-badge.fail"))
                .hasSize(2);
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

    /** The problem of one part affects another one, which only the complete result lists. */
    @ParameterizedTest
    @ValueSource(
            strings = {"sample-slow/sample_fail", "sample-failing/sample_fail", "sample_fail", "part_fail", "missing"})
    void thePageAndItsFilesSelectTheSameLines(String finding) {
        List<String> domains = List.of("one.filter.example", "low-two.filter.example");
        domains.forEach(SampleComposite::release);
        String path = finished(owner, SampleComposite.NAME, "Filter", domains.toArray(String[]::new));
        String query = "?finding=" + finding;

        List<String> ofPage = inputs(page(owner.page(path + query)));

        assertThat(ofPage).isEqualTo(finding.equals("missing") ? List.of() : domains);
        assertThat(owner.page(path + "/results.ndjson" + query).body().lines().map(line -> new JsonObject(line)
                        .getString("input")))
                .isEqualTo(ofPage);
    }

    private static List<String> inputs(Document job) {
        return job.select(".lines .input > a").eachText();
    }

    @Test
    void twoJobsAreCompared() {
        CookieClient user = newUser();
        statuses.put("/better", 404);
        String[] before = {site + "/worse", site + "/better", site + "/same", site + "/left", site + "/same"};
        String earlier = finished(user, "http-status", "Nightly", before);
        String other = finished(user, "http-status", "Other", site + "/worse");
        statuses.put("/worse", 500);
        statuses.remove("/better");
        // so that the response times differ
        delays.put("/same", 500L);
        String later = finished(
                user, "http-status", "Nightly", site + "/new", site + "/better", site + "/same", site + "/worse");

        Document job = page(user.page(later));
        assertThat(job.select(".compare").attr("action")).isEqualTo(later + "/diff");
        assertThat(job.select("#job-against option").eachAttr("value")).containsExactly(token(earlier), token(other));
        assertThat(page(user.page(earlier)).select(".compare")).isEmpty();

        String diff = later + "/diff?against=" + token(earlier);
        Document page = page(user.page(diff));
        assertThat(page.select(".pill").eachText())
                .containsExactly("All changes 5", "Worse 1", "Better 1", "Changed 0", "New 1", "Gone 2", "Unchanged 1");
        assertThat(page.select(".pill[aria-current]").text()).isEqualTo("All changes 5");
        assertThat(rows(page))
                .containsExactly(
                        "New " + site + "/new",
                        "Better " + site + "/better",
                        "Worse " + site + "/worse",
                        "Gone " + site + "/left",
                        "Gone " + site + "/same");
        Element worse = page.select(".changes tbody tr").get(2);
        assertThat(worse.select("td:nth-child(3) .badge").eachText()).containsExactly("Pass", "Fail");
        assertThat(worse.select(".finding-changes .badge").eachText()).contains("Added: Fail");
        assertThat(worse.select(".value-changes").text()).contains("Status code 200 → 500");
        assertThat(worse.select(".input a").eachAttr("href")).containsExactly(later + "/lines/3", earlier + "/lines/0");

        String only = page.select(".pill").get(1).attr("href");
        assertThat(only).isEqualTo(diff + "&change=worse");
        assertThat(rows(page(user.page(only)))).containsExactly("Worse " + site + "/worse");
        assertThat(rows(page(user.page(diff + "&change=gone,unchanged")))).hasSize(3);
        assertThat(page(user.page(diff + "&change=changed")).select(".note").text())
                .isEqualTo("No targets match this filter.");
        assertThat(page(user.page(diff + "&volatile=true&change=unchanged"))
                        .select(".value-changes")
                        .text())
                .contains("Response time");
    }

    private static List<String> rows(Document page) {
        return page.select(".changes tbody tr").stream()
                .map(row -> row.select("td:nth-child(2)").text() + " "
                        + row.select(".input a").first().text())
                .toList();
    }

    @Test
    void changedRulesOfPartsAreStated() {
        String domain = "rules.example";
        SampleComposite.release(domain);
        String earlier = finished(owner, SampleComposite.NAME, "Rules", domain);
        SampleComposite.setRulesVersion(2);
        String later = finished(owner, SampleComposite.NAME, "Rules", domain);
        SampleComposite.setRulesVersion(1);

        Document page = page(owner.page(later + "/diff?change=unchanged,changed&against=" + token(earlier)));

        assertThat(page.select(".changes tbody tr p").text())
                .contains("Rules version changed: sample-failing/1 → sample-failing/2, sample-slow/1 → sample-slow/2,");
        assertThat(file(page, "#diff-csv").body()).contains("sample-slow/1 → sample-slow/2");
    }

    @Test
    void aComparisonIsDownloaded() {
        statuses.put("/file/worse", 200);
        String earlier = finished(owner, "http-status", "Files", site + "/file/worse", site + "/file/gone");
        statuses.put("/file/worse", 500);
        String later = finished(owner, "http-status", "Files", site + "/file/worse", site + "/file/new");
        String diff = later + "/diff?against=" + token(earlier);

        Document all = page(owner.page(diff));
        Document worse = page(owner.page(diff + "&change=worse"));

        assertThat(all.select("a[download]").eachText())
                .containsExactly("Download CSV", "Download NDJSON", "Download JSON");
        assertThat(worse.select("a[download]").first().text()).isEqualTo("Download CSV (1 target)");
        HttpResponse<String> json = file(all, "#diff-json");
        assertThat(json.headers().firstValue("Content-Disposition"))
                .hasValue("attachment; filename=\"" + token(later) + "-diff.json\"");
        List<JsonObject> lines = new JsonObject(json.body())
                .getJsonArray("lines").stream().map(JsonObject.class::cast).toList();
        assertThat(lines).extracting(line -> line.getString("change")).containsExactly("worse", "new", "gone");
        assertThat(file(all, "#diff-ndjson").body().lines().map(JsonObject::new))
                .isEqualTo(lines);
        assertThat(file(worse, "#diff-ndjson").body().lines().map(JsonObject::new))
                .containsExactly(lines.get(0));
        assertThat(file(all, "#diff-csv").body().lines()).hasSize(4);
        assertThat(file(worse, "#diff-csv").body().lines()).hasSize(2);
        // with the cookie of another account, and without one
        assertThat(newUser().page(all.select("#diff-csv").attr("href")).statusCode())
                .isEqualTo(404);
        assertThat(new CookieClient(service)
                        .page(all.select("#diff-csv").attr("href"))
                        .statusCode())
                .isEqualTo(401);
        assertThat(owner.page(later + "/diff.csv?against=job_0").statusCode()).isEqualTo(404);
        assertThat(owner.page(later + "/diff.csv?against=" + token(earlier) + "&change=x")
                        .statusCode())
                .isEqualTo(422);
    }

    private HttpResponse<String> file(Document comparison, String link) {
        HttpResponse<String> response = owner.page(comparison.select(link).attr("href"));
        assertThat(response.statusCode()).isEqualTo(200);
        return response;
    }

    @Test
    void aLongComparisonHasPages() {
        List<String> lines = new ArrayList<>();
        for (int i = 0; i < 120; i++) {
            lines.add(site + "/page/" + i);
        }
        String earlier = finished(owner, "http-status", "Pages", site + "/none");
        String later = finished(owner, "http-status", "Pages", lines.toArray(String[]::new));

        List<String> seen = new ArrayList<>();
        String next = later + "/diff?against=" + token(earlier);
        while (!next.isEmpty()) {
            Document page = page(owner.page(next));
            seen.addAll(rows(page));
            next = page.select("a[rel=next]").attr("href");
        }

        assertThat(seen).hasSize(121).doesNotHaveDuplicates().endsWith("Gone " + site + "/none");
    }

    @Test
    void optionsThatDifferAreStated() {
        String earlier = finished(owner, "http-status", "Options", site + "/options");
        String later = owner.bulk("bulk-tool", "http-status", "bulk-lines", site + "/options", "max_redirects", "3")
                .headers()
                .firstValue("Location")
                .orElseThrow();

        Document page = page(owner.page(later + "/diff?against=" + token(earlier)));

        assertThat(page.select(".note.warn").text())
                .contains("The jobs have different options", "Bypass cache: true → false", "Maximum redirects: 10 → 3");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "                            | 422 | The token of the earlier job is missing.",
                "against=OWN&change=worst    | 422 | 'worst' is not a kind of change. Use one of new, gone, worse",
                "against=OWN&cursor=nonsense | 422 | The cursor is not valid for this comparison.",
                "against=OWN&cursor=bDk5     | 422 | The cursor is not valid for this comparison.",
                "against=OWN&volatile=maybe  | 422 | 'maybe' is not true or false.",
                "against=OTHER_MODULE        | 422 | Compare jobs of the same module.",
                "against=FOREIGN             | 404 | ",
                "against=job_0               | 404 | ",
                "against=%3Cb%3E%22          | 404 | ",
            })
    void invalidComparisonsAreExplained(String query, int status, String message) {
        CookieClient stranger = newUser();
        String own = finished(owner, "http-status", "Own", site + "/own");
        String tcp = finished(owner, "hsts", "Own", site + "/own");
        String foreign = finished(stranger, "http-status", "Foreign", site + "/own");
        String parameters = query == null
                ? ""
                : "?"
                        + query.replace("OWN", token(own))
                                .replace("OTHER_MODULE", token(tcp))
                                .replace("FOREIGN", token(foreign));

        HttpResponse<String> response = owner.page(own + "/diff" + parameters);

        assertThat(response.statusCode()).isEqualTo(status);
        assertThat(page(response).select("main").text()).contains(message == null ? "" : message);
        assertThat(page(response).select("main b")).isEmpty();
        assertThat(stranger.page(own + "/diff?against=" + token(foreign)).statusCode())
                .isEqualTo(404);
    }

    @Test
    void signInLeadsToTheComparison() {
        HttpResponse<String> response =
                new CookieClient(service).page("/jobs/job_0000000000000000000000/diff?against=job_1&change=worse");

        assertThat(response.statusCode()).isEqualTo(401);
        assertThat(page(response).select("main a").eachAttr("href"))
                .contains(
                        "/sign-in?next=%2Fjobs%2Fjob_0000000000000000000000%2Fdiff%3Fagainst%3Djob_1%26change%3Dworse");
    }

    @Test
    void hostileInputIsEscaped() {
        String hostile = "<script>alert(1)</script>\u202egnp.exe\u0007";
        String earlier = finished(owner, "http-status", "<b>before", hostile, site + "/x?<b>");
        String later = finished(owner, "http-status", "<b>after", site + "/y?<b>", hostile + "2");

        Document page = page(owner.page(later + "/diff?against=" + token(earlier)));

        PlainTextAssert.assertPlainText(page);
        assertThat(page.select(".changes tbody tr")).hasSize(4);
        PlainTextAssert.assertPlainText(page(owner.page(later)));
    }
}
