package dev.plumbline.e2e.web;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.account.AccountAdministration;
import dev.plumbline.account.AccountEmail;
import dev.plumbline.account.PasswordHasher;
import dev.plumbline.account.Plan;
import dev.plumbline.account.TestAccounts;
import dev.plumbline.postgres.Database;
import dev.plumbline.support.Await;
import dev.plumbline.support.CookieClient;
import dev.plumbline.support.CountingTarget;
import dev.plumbline.support.ServiceUnderTest;
import dev.plumbline.support.TestDatabase;
import io.vertx.core.json.JsonObject;
import io.vertx.sqlclient.Tuple;
import java.net.URLEncoder;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.jsoup.Connection;
import org.jsoup.Jsoup;
import org.jsoup.nodes.Document;
import org.jsoup.nodes.FormElement;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Pages of shared results, as a browser without scripts uses them. */
@Tag("integration")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class SharedResultPagesTest {
    @RegisterExtension
    static final TestDatabase DATABASE = new TestDatabase();

    private static final String PASSWORD = "a long enough password";
    private static final String EMAIL = "sharing@plumbline.example";

    private Database database;
    private TestAccounts accounts;
    private ServiceUnderTest service;
    private CountingTarget target;
    private CookieClient owner;

    @BeforeAll
    void start() {
        database = DATABASE.open();
        accounts = new TestAccounts(database);
        AccountAdministration administration =
                new AccountAdministration(database, new PasswordHasher(DATABASE.vertx()));
        Await.value(administration.create(AccountEmail.parse(EMAIL), Plan.PRO, PASSWORD));
        service = ServiceUnderTest.start(
                DATABASE.url(), Map.of("HTTP_TRUSTED_PROXIES", "127.0.0.1", "LIMITS_FRESH_PER_HOUR", "0"));
        target = new CountingTarget(DATABASE.vertx());
        owner = new CookieClient(service);
        assertThat(owner.signIn(EMAIL, PASSWORD).statusCode()).isEqualTo(200);
    }

    @AfterAll
    void stop() {
        service.close();
    }

    /** Submits a form of a page. */
    private static HttpResponse<String> submit(CookieClient client, Document page, String selector) {
        FormElement form = (FormElement) page.selectFirst(selector);
        assertThat(form).as(selector).isNotNull();
        assertThat(form.attr("method")).isEqualTo("post");
        List<String> fields = new ArrayList<>();
        for (Connection.KeyVal field : form.formData()) {
            fields.addAll(List.of(field.key(), field.value()));
        }
        return client.form(form.attr("action"), fields.toArray(String[]::new));
    }

    private static Document html(HttpResponse<String> response) {
        return Jsoup.parse(response.body());
    }

    private static String report(String url) {
        return "/check/http-status/" + URLEncoder.encode(url, StandardCharsets.UTF_8);
    }

    private static String link(Document created) {
        return created.select("main .actions a.button").first().attr("href");
    }

    private static HttpResponse<String> shareReport(CookieClient client, String path) {
        Document report = html(client.page(path));
        return submit(client, report, "form.share");
    }

    private String job(String name, String... lines) {
        HttpResponse<String> created =
                owner.bulk("bulk-tool", "http-status", "bulk-name", name, "bulk-lines", String.join("\n", lines));
        assertThat(created.statusCode()).isEqualTo(303);
        String job = created.headers().firstValue("Location").orElseThrow();
        Await.until(() -> !html(owner.page(job)).select("[data-finished=true]").isEmpty());
        return job;
    }

    @Test
    void sharedPagesShowTheOptions() {
        CookieClient visitor = new CookieClient(service);
        String url = target.url("/ok/options");
        String path = link(html(shareReport(visitor, report(url) + "?connect_to=127.0.0.1&max_redirects=0")));

        assertThat(html(visitor.page(path)).select("main .verdict").text())
                .contains("Options · Connect to: 127.0.0.1 · Maximum redirects: 0");
    }

    @Test
    void reportIsSharedAndDeletedWithoutScripts() {
        CookieClient visitor = new CookieClient(service);
        String url = target.url("/missing/report");

        HttpResponse<String> response = shareReport(visitor, report(url));

        assertThat(response.statusCode()).isEqualTo(201);
        assertThat(response.headers().firstValue("Cache-Control")).contains("private, no-store");
        Document created = html(response);
        String path = link(created);
        assertThat(path).matches("/results/[0-9A-Za-z]{22}");
        assertThat(created.select("main pre").first().text())
                .isEqualTo(service.uri(path).toString());
        String token = created.select("main pre.secret").text();
        assertThat(token).matches("[0-9A-Za-z]{32}");

        Await.value(database.query("delete from result_cache", Tuple.tuple()));
        int requests = target.requests("/missing/report");
        HttpResponse<String> opened = new CookieClient(service).page(path);
        assertThat(opened.statusCode()).isEqualTo(200);
        Document shared = html(opened);
        assertThat(shared.select(".verdict").hasClass("fail")).isTrue();
        assertThat(shared.select(".verdict h1").text()).isEqualTo(url);
        assertThat(shared.select("#field-status dd").text()).isEqualTo("404");
        assertThat(shared.select("main").text())
                .contains("Checked ", "This is a copy of the result and is not updated. Shared ");
        assertThat(shared.select("meta[name=robots]").attr("content")).isEqualTo("noindex, nofollow");
        assertThat(shared.select("meta[property=og:title]").attr("content")).isEqualTo("HTTP status for " + url);
        assertThat(shared.select("meta[property=og:description]").attr("content"))
                .startsWith("Fail: ")
                .contains("404");
        assertThat(shared.select("meta[property=og:url]").attr("content"))
                .isEqualTo(service.uri(path).toString());
        assertThat(opened.body()).doesNotContain(token);
        assertThat(target.requests("/missing/report")).isEqualTo(requests);

        HttpResponse<String> wrong = visitor.form(path + "/delete", "delete_token", "wrong");
        assertThat(wrong.statusCode()).isEqualTo(403);
        assertThat(visitor.page(path).statusCode()).isEqualTo(200);
        HttpResponse<String> deleted = submit(visitor, created, "form[action$=/delete]");
        assertThat(deleted.statusCode()).isEqualTo(200);
        assertThat(html(deleted).select("h1").text()).isEqualTo("Shared result deleted");
        assertThat(visitor.page(path).statusCode()).isEqualTo(404);
        assertThat(html(visitor.page(path)).select("h1").text()).isEqualTo("Shared result not found");
    }

    @Test
    void optionsOfTheReportAreShared() {
        CookieClient visitor = new CookieClient(service);
        String url = target.url("/ok/with-options");

        HttpResponse<String> response = shareReport(visitor, report(url) + "?max_redirects=0&method=get");

        assertThat(response.statusCode()).as(response.body()).isEqualTo(201);
        Document shared = html(visitor.page(link(html(response))));
        assertThat(shared.select(".recheck a").attr("href")).contains("max_redirects=0", "method=get");
    }

    @Test
    void resultThatIsNotCachedIsNotShared() {
        CookieClient visitor = new CookieClient(service);
        String url = target.url("/ok/not-cached");

        HttpResponse<String> response = visitor.form("/results", "module", "http-status", "target", url);

        assertThat(response.statusCode()).isEqualTo(404);
        assertThat(html(response).select("h1").text()).isEqualTo("Result not cached");
        assertThat(html(response).select("main a.button").attr("href")).isEqualTo(report(url));
        assertThat(target.requests("/ok/not-cached")).isZero();
    }

    @Test
    void badFormsAreRejected() {
        CookieClient visitor = new CookieClient(service);
        assertThat(visitor.form("/results", "module", "nope", "target", "x").statusCode())
                .isEqualTo(422);
        assertThat(visitor.form("/results", "module", "http-status", "target", "two words")
                        .statusCode())
                .isEqualTo(422);
        assertThat(visitor.form("/results").statusCode()).isEqualTo(422);
        assertThat(visitor.form("/results", "module", "../../x\"><script>", "target", "\"><script>")
                        .body())
                .doesNotContain("<script>\"", "><script>");
        // another site cannot share results of its visitors
        CookieClient foreign = new CookieClient(service, "https://other.example");
        assertThat(foreign.form("/results", "module", "http-status", "target", "x")
                        .statusCode())
                .isEqualTo(403);
    }

    @Test
    void jobIsSharedListedAndDeleted() {
        String missing = target.url("/missing/job");
        String job = job("Release of May", target.url("/ok/job"), missing, "two words");
        Document page = html(owner.page(job));

        HttpResponse<String> response = submit(owner, page, "form:has(#job-share)");

        assertThat(response.statusCode()).isEqualTo(201);
        Document created = html(response);
        assertThat(created.select(".secret")).isEmpty();
        String path = link(created);
        CookieClient visitor = new CookieClient(service);
        HttpResponse<String> opened = visitor.page(path);
        Document shared = html(opened);
        assertThat(shared.select("h1").text()).isEqualTo("Release of May");
        assertThat(shared.select("table.lines tbody tr")).hasSize(3);
        assertThat(shared.select("meta[name=robots]").attr("content")).isEqualTo("noindex, nofollow");
        assertThat(shared.select("meta[property=og:title]").attr("content")).isEqualTo("Release of May");
        assertThat(shared.select("meta[property=og:description]").attr("content"))
                .isEqualTo("HTTP status, 3 lines: 1 pass, 1 fail, 1 error.");
        // no link leads to the job of the account
        String token = job.replaceFirst(".*/", "");
        assertThat(opened.body()).doesNotContain(EMAIL, token);
        assertThat(shared.select("a[href^=/jobs]")).isEmpty();
        assertThat(shared.select("main form[method=post]")).isEmpty();
        for (String link : shared.select("main a[href^=/results]").eachAttr("href")) {
            assertThat(visitor.page(link).statusCode()).as(link).isEqualTo(200);
        }
        assertThat(html(visitor.page(path + "?sort=verdict"))
                        .select("td.number")
                        .first()
                        .text())
                .isEqualTo("3");
        Document filtered = html(visitor.page(path + "?verdict=fail"));
        assertThat(filtered.select("table.lines tbody tr")).hasSize(1);
        for (String format : List.of("csv", "ndjson")) {
            String file = filtered.select("a[download][href*=." + format + "]").attr("href");
            assertThat(file).isEqualTo("/api/v1" + path + "." + format + "?verdict=fail");
            assertThat(visitor.page(file).body()).contains(missing).doesNotContain("two words");
            assertThat(filtered.select("a[download][href*=." + format + "]").text())
                    .endsWith(" (1 line)");
        }
        HttpResponse<String> unknown = visitor.page(path + "?verdict=bad");
        assertThat(unknown.statusCode()).isEqualTo(422);
        assertThat(html(unknown).select("[role=alert]").text()).contains("bad");
        Document line = html(visitor.page(path + "/lines/1"));
        assertThat(line.select(".verdict h1").text()).isEqualTo(missing);
        assertThat(line.select("nav.pages a").eachAttr("href")).containsExactly(path + "/lines/0", path + "/lines/2");
        assertThat(visitor.page(path + "/lines/3").statusCode()).isEqualTo(404);
        assertThat(visitor.page(path + "/lines/x").statusCode()).isEqualTo(404);

        Document list = html(owner.page("/results"));
        assertThat(list.select("th[scope=row]").eachText()).contains("Release of May");
        CookieClient other = new CookieClient(service);
        assertThat(other.page("/results").statusCode()).isEqualTo(401);
        assertThat(other.form(path + "/delete").statusCode()).isEqualTo(401);
        assertThat(visitor.page(path).statusCode()).isEqualTo(200);
        HttpResponse<String> deleted = submit(owner, list, "form[action=" + path + "/delete]");
        assertThat(deleted.statusCode()).isEqualTo(303);
        assertThat(visitor.page(path).statusCode()).isEqualTo(404);
        assertThat(visitor.page(path + "/lines/1").statusCode()).isEqualTo(404);
        assertThat(html(owner.page("/results")).select("a[href=" + path + "]")).isEmpty();
    }

    @Test
    void sharedJobIsReadWithItsDefaultPolicy() {
        String job = job("Evaluated", target.url("/ok/policy"), target.url("/missing/policy"));
        Await.value(database.query(
                "update job set evaluation = $2 where token = $1",
                Tuple.of(
                        job.substring("/jobs/".length()),
                        new JsonObject("{\"policy\":\"removed\",\"expect\":[\"status == 404\"]}"))));
        String path = link(html(submit(owner, html(owner.page(job)), "form:has(#job-share)")));
        // the shared job does not change with the job
        Await.value(database.query(
                "update job set evaluation = null where token = $1", Tuple.of(job.substring("/jobs/".length()))));
        CookieClient visitor = new CookieClient(service);

        Document evaluated = html(visitor.page(path));
        Document stored = html(visitor.page(path + "?policy="));
        Document line = html(visitor.page(path + "/lines/0"));

        assertThat(evaluated.select("#policy-note").text())
                .startsWith(
                        "The results are evaluated with 1 expectation. The policy removed of the job no longer exists");
        assertThat(evaluated.select("#policy-note a").attr("href")).isEqualTo(path + "?policy=");
        assertThat(evaluated.select("table.lines .badge").eachText()).containsExactly("Fail", "Fail");
        assertThat(evaluated.select("td[data-label=Rules met]").eachText()).containsExactly("0 of 1", "1 of 1");
        assertThat(stored.select("table.lines .badge").eachText()).containsExactly("Pass", "Fail");
        assertThat(stored.select("a[download][href*=.csv]").attr("href")).endsWith(".csv?policy=");
        assertThat(line.select("p.policy").text()).startsWith("Meets 0 of 1 expectation");
        assertThat(html(visitor.page(path + "/lines/0?policy=")).select("p.policy"))
                .isEmpty();
        String api = "/api/v1" + path;
        assertThat(visitor.page(api + ".csv").body()).contains("policy_met_count", "expectation_failed");
        assertThat(visitor.page(api + ".csv?policy=").body()).doesNotContain("policy_met_count", "expectation_failed");
        assertThat(visitor.page(api).body()).contains("\"met_count\":0");
        assertThat(visitor.page(api + "?expect=true&verdict=pass").body()).contains("\"met_count\":1");
        assertThat(visitor.page(api + "?expect=stauts").statusCode()).isEqualTo(422);
        String etag = visitor.page(api).headers().firstValue("ETag").orElseThrow();
        assertThat(service.get(api, "If-None-Match", etag).statusCode()).isEqualTo(304);
        assertThat(service.get(api + "?policy=", "If-None-Match", etag).statusCode())
                .isEqualTo(200);
    }

    @Test
    void sharedCheckIsNotEvaluated() {
        String path = link(html(shareReport(owner, report(target.url("/ok/check")))));

        HttpResponse<String> rejected = service.get("/api/v1" + path + "?expect=true");

        assertThat(rejected.statusCode()).isEqualTo(422);
        assertThat(rejected.body()).contains("is applied to shared jobs, but this is the result of a check");
    }

    @Test
    void sharedJobHasTheFieldsOfTheJobAndCanBePrintedCompletely() {
        String[] lines = IntStream.range(0, 60)
                .mapToObj(i -> target.url((i % 3 == 0 ? "/missing/" : "/ok/") + "many/" + i))
                .toArray(String[]::new);
        String job = job("Many", lines);
        Document page = html(owner.page(job));
        String path = link(html(submit(owner, page, "form:has(#job-share)")));
        CookieClient visitor = new CookieClient(service);

        Document shared = html(visitor.page(path));

        assertThat(shared.select("table.lines th").eachText())
                .isEqualTo(page.select("table.lines th").eachText())
                .contains("Status code");
        assertThat(shared.select("table.lines td[data-label]").eachText())
                .isEqualTo(page.select("table.lines td[data-label]").eachText())
                .contains("404");
        assertThat(shared.select("#job-values dt").eachText())
                .isEqualTo(page.select("#job-values dt").eachText())
                .contains("Status code");
        assertThat(shared.select("#job-values").text())
                .isEqualTo(page.select("#job-values").text())
                .contains("200 × 40", "404 × 20");
        assertThat(shared.select("table.lines tbody tr")).hasSize(50);
        assertThat(shared.select("p.print").text()).startsWith("Lines 1 to 50 of 60. To print all lines, open");
        for (Document start : List.of(shared, page)) {
            CookieClient client = start == shared ? visitor : owner;
            Document all = html(client.page(start.select("p.print a").attr("href")));
            assertThat(all.select("table.lines tbody tr")).hasSize(60);
            assertThat(all.select("p.print, .pages a[rel]")).isEmpty();
            assertThat(html(client.page(all.select(".pages a").attr("href").replaceFirst("#.*", "")))
                            .select("table.lines tbody tr"))
                    .hasSize(50);
        }
    }

    @Test
    void jobOfAnotherAccountIsNotFound() {
        String job = job("Private", target.url("/ok/private"));
        String email = "other-sharing@plumbline.example";
        AccountAdministration administration =
                new AccountAdministration(database, new PasswordHasher(DATABASE.vertx()));
        Await.value(administration.create(AccountEmail.parse(email), Plan.PRO, PASSWORD));
        CookieClient other = new CookieClient(service);
        other.signIn(email, PASSWORD);

        HttpResponse<String> response = other.form("/results", "job", job.replaceFirst(".*/", ""));

        assertThat(response.statusCode()).isEqualTo(404);
        assertThat(new CookieClient(service).form("/results", "job", "job_x").statusCode())
                .isEqualTo(401);
    }

    @Test
    void rulesAreShownIfTheResultHasThem() {
        CookieClient visitor = new CookieClient(service);
        String path = link(html(shareReport(visitor, report(target.url("/ok/rules")))));
        String id = path.replaceFirst(".*/", "");
        JsonObject result = new JsonObject(service.get("/api/v1/results/" + id).body()).getJsonObject("result");
        accounts.sql(
                "update shared_result_page set bodies = array[convert_to($2, 'UTF8')] where result_id = $1",
                id,
                result.put("rules", "http-status/7").encode());

        assertThat(html(visitor.page(path)).select("main").text()).contains("Rules version: http-status/7.");
    }

    @Test
    void pageOfARemovedModuleExplainsIt() {
        CookieClient visitor = new CookieClient(service);
        String path = link(html(shareReport(visitor, report(target.url("/ok/removed")))));
        accounts.sql(
                "update shared_result set content = replace(content::text, 'http-status', 'removed')::json where id = $1",
                path.replaceFirst(".*/", ""));

        HttpResponse<String> response = visitor.page(path);

        assertThat(response.statusCode()).isEqualTo(200);
        assertThat(html(response).select("main").text()).contains("The module of this check no longer exists.");
    }
}
