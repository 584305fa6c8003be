package dev.plumbline.e2e.web;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.account.Plan;
import dev.plumbline.account.TestAccounts;
import dev.plumbline.lab.HttpLab;
import dev.plumbline.postgres.Database;
import dev.plumbline.postgres.DatabaseOptions;
import dev.plumbline.support.Await;
import dev.plumbline.support.CookieClient;
import dev.plumbline.support.ServiceUnderTest;
import dev.plumbline.support.TestDatabase;
import io.vertx.core.json.JsonObject;
import io.vertx.pgclient.PgConnection;
import io.vertx.sqlclient.Tuple;
import java.net.URLEncoder;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jsoup.Jsoup;
import org.jsoup.nodes.Document;
import org.jsoup.nodes.Element;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Bulk checks in a browser without JavaScript. */
@Tag("integration")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class BulkPagesTest {
    @RegisterExtension
    static final TestDatabase DATABASE = new TestDatabase();

    private static final String PASSWORD = "a long enough password";
    private static final String BOUNDARY = "----test-boundary";
    private static final String HOSTILE = "<script>alert(1)</script>\u202egnp.exe\u0007";

    private static int userCount;

    private Database database;
    private TestAccounts accounts;
    private ServiceUnderTest service;
    private HttpLab lab;
    private CookieClient owner;

    @BeforeAll
    void start() {
        database = DATABASE.open();
        accounts = new TestAccounts(database);
        lab = Await.value(HttpLab.start(DATABASE.vertx()));
        service = ServiceUnderTest.start(
                DATABASE.url(),
                Map.of(
                        "HTTP_TRUSTED_PROXIES",
                        "127.0.0.1",
                        "LIMITS_JOBS_PER_HOUR",
                        "40",
                        // a loaded machine must not cause a database timeout
                        "DATABASE_TIMEOUT",
                        "6s"));
        owner = newUser(Plan.PRO);
    }

    @AfterAll
    void stop() {
        service.close();
    }

    private CookieClient newUser(Plan plan) {
        String email = "bulk" + userCount++ + "@plumbline.example";
        accounts.account(email, plan, PASSWORD);
        CookieClient browser = new CookieClient(service);
        assertThat(browser.signIn(email, PASSWORD).statusCode()).isEqualTo(200);
        return browser;
    }

    @Test
    void signInIsRequired() {
        HttpResponse<String> bulk = new CookieClient(service).page("/bulk");
        HttpResponse<String> jobs = new CookieClient(service).page("/jobs");

        assertThat(bulk.statusCode()).isEqualTo(200);
        assertThat(page(bulk).select("main a[href='/sign-in?next=%2Fbulk']")).hasSize(1);
        assertThat(page(bulk).select("form")).isEmpty();
        assertThat(jobs.statusCode()).isEqualTo(401);
        assertThat(page(jobs).select("main a[href='/sign-in?next=%2Fjobs']")).hasSize(1);
    }

    @Test
    void proPlanIsRequired() {
        CookieClient free = newUser(Plan.FREE);

        assertThat(page(free.page("/bulk")).select("main").text()).contains("Pro plan required");
        assertThat(send(free, "example.com").statusCode()).isEqualTo(403);
    }

    @Test
    void formShowsAllToolsAndTheOptionsOfTheSelectedOne() {
        Document form = page(owner.page("/bulk?tool=http-status"));

        assertThat(form.select("#bulk-tool option").eachAttr("value")).contains("http-status", "ssl-certificate");
        assertThat(form.select("#bulk-tool option[selected]").eachAttr("value")).containsExactly("http-status");
        assertThat(form.select("[name=max_redirects]")).hasSize(1);
        assertThat(form.select("[name=max_redirects]").attr("aria-describedby")).isNotBlank();
        assertThat(form.select("form[method=post]").attr("enctype")).isEqualTo("multipart/form-data");
    }

    @Test
    void selectingAnotherToolKeepsTheLines() {
        HttpResponse<String> other =
                form(owner, "bulk-tool", "ssl-certificate", "bulk-lines", "a.test\nb.test", "bulk-action", "options");

        assertThat(other.statusCode()).isEqualTo(200);
        assertThat(page(other).select("#bulk-lines").val()).isEqualTo("a.test\nb.test");
        assertThat(page(other).select("#bulk-tool option[selected]").attr("value"))
                .isEqualTo("ssl-certificate");
    }

    @Test
    void pastedLinesBecomeAJobInInputOrder() {
        String path = created(send(owner, lab.http("/ok") + "\r\n\r\n  " + lab.http("/missing") + "  \r\nno target"));

        Document job = finished(owner, path);

        assertThat(job.select("h1").text()).isEqualTo("HTTP status, 3 targets");
        assertThat(job.select("h1 + p").text()).startsWith("HTTP status, 3 lines");
        assertThat(job.select(".lines tbody tr td:first-child").eachText()).containsExactly("1", "2", "3");
        assertThat(inputs(job)).containsExactly(lab.http("/ok"), lab.http("/missing"), "no target");
        assertThat(job.select(".lines .input > a").eachAttr("href"))
                .containsExactly(path + "/lines/0", path + "/lines/1", path + "/lines/2");
        assertThat(job.select(".lines tbody tr:nth-child(3) .badge").text()).isEqualTo("Error");
    }

    @Test
    void optionsApplyToTheJob() {
        String path = created(form(
                owner,
                "bulk-tool",
                "http-status",
                "bulk-lines",
                lab.http("/ok"),
                "max_redirects",
                "0",
                "timeout_ms",
                "10000",
                "bulk-fresh",
                "true"));

        Document job = finished(owner, path);

        assertThat(job.select("main").text()).contains("Bypass cache: true");
        Document line = page(owner.page(job.select(".lines .input > a").attr("href")));
        assertThat(line.select(".recheck a").attr("href")).isEqualTo(report(lab.http("/ok")) + "?max_redirects=0");
    }

    @Test
    void aJobHasTheSubmittedName() {
        String path = created(
                form(owner, "bulk-tool", "http-status", "bulk-lines", lab.http("/ok"), "bulk-name", " <b>Nightly "));

        assertThat(page(owner.page(path)).select("h1").text()).isEqualTo("<b>Nightly");
        assertThat(rejection(
                        form(owner, "bulk-tool", "http-status", "bulk-lines", "a.test", "bulk-name", "Nightly\u202e")))
                .contains("must not contain control characters");
        assertThat(owner.page(path).body()).doesNotContain("\u202e");
        assertThat(page(owner.page("/jobs")).select(".jobs a").first().text()).isEqualTo("<b>Nightly");
        HttpResponse<String> rejected = form(owner, "bulk-lines", "a.test", "bulk-name", "x".repeat(101));
        assertThat(rejection(rejected)).isEqualTo("The name must have at most 100 characters. No job was created.");
        assertThat(page(rejected).select("#bulk-name").val()).hasSize(101);
    }

    @Test
    void aTextFileIsReadLineByLine() {
        String path = created(upload("list.txt", "\ufeff" + lab.http("/ok") + "\n\n" + lab.http("/a") + "\n"));

        assertThat(inputs(finished(owner, path))).containsExactly(lab.http("/ok"), lab.http("/a"));
    }

    @Test
    void theSelectedColumnOfACsvFileIsRead() {
        String csv = "name;where\n\"one; two\";" + lab.http("/ok") + "\nthree;\"" + lab.http("/b") + "\"\n";

        HttpResponse<String> preview = upload("list.CSV", csv);

        assertThat(preview.statusCode()).isEqualTo(200);
        Document page = page(preview);
        assertThat(page.select("#bulk-confirm").text())
                .startsWith("2 valid, 0 invalid, 0 duplicates. Target column: 2: where. The job has not been created");
        assertThat(page.select("#bulk-column option").eachText())
                .containsExactly("Whole line", "Column 1: name", "Column 2: where");
        assertThat(page.select("#bulk-column option[selected]").val()).isEqualTo("2");
        assertThat(page.select("#bulk-header-row[checked]")).hasSize(1);
        assertThat(page.select("#bulk-lines").val()).isEqualTo(csv.strip());
        assertThat(inputs(finished(owner, created(owner.confirm(preview)))))
                .containsExactly(lab.http("/ok"), lab.http("/b"));
    }

    @Test
    void anotherColumnIsPreviewedBeforeTheJobIsCreated() {
        String csv = "site,mirror\n" + lab.http("/ok") + "," + lab.http("/a") + "\n";
        List<String> before = page(owner.page("/jobs")).select(".jobs a").eachAttr("href");

        Document first = page(upload("list.csv", csv));
        HttpResponse<String> second = form(
                owner,
                "bulk-tool",
                "http-status",
                "bulk-lines",
                csv,
                "bulk-previewed",
                first.select("[name=bulk-previewed]").val(),
                "bulk-column",
                "2",
                "bulk-header-row",
                "true");

        assertThat(second.statusCode()).isEqualTo(200);
        assertThat(page(second).select("#bulk-column option[selected]").val()).isEqualTo("2");
        assertThat(page(owner.page("/jobs")).select(".jobs a").eachAttr("href")).isEqualTo(before);
        assertThat(inputs(finished(owner, created(owner.confirm(second))))).containsExactly(lab.http("/a"));
    }

    @Test
    void targetsAreCountedBeforeTheJobIsCreated() {
        List<String> lines = IntStream.range(0, 301)
                .mapToObj(i -> lab.http("/ok?count=" + i))
                .collect(Collectors.toCollection(ArrayList::new));
        lines.add(17, "no <b>target");
        lines.addAll(lines.subList(0, 3));
        List<String> before = page(owner.page("/jobs")).select(".jobs a").eachAttr("href");

        HttpResponse<String> preview = form(owner, "bulk-tool", "http-status", "bulk-lines", String.join("\n", lines));

        Document page = page(preview);
        assertThat(preview.statusCode()).isEqualTo(200);
        assertThat(page.select(".preview .counts").text()).isEqualTo("301 valid, 1 invalid, 3 duplicates");
        assertThat(page.select(".preview .invalid-lines li").eachText())
                .containsExactly("Line 18, no <b>target: A hostname must not contain a space.");
        assertThat(page(owner.page("/jobs")).select(".jobs a").eachAttr("href")).isEqualTo(before);
        String path = created(owner.confirm(preview));
        assertThat(page(owner.page(path)).select("h1").text()).isEqualTo("HTTP status, 305 targets");
        assertThat(owner.rawForm(path + "/cancel", "").statusCode()).isEqualTo(303);
    }

    @Test
    void thePreviewForScriptsIsAFragmentAndCreatesNoJob() {
        List<String> before = page(owner.page("/jobs")).select(".jobs a").eachAttr("href");

        HttpResponse<String> preview =
                owner.form("/bulk/preview", "bulk-tool", "http-status", "bulk-lines", "a.test\na.test\nb c");
        HttpResponse<String> tooMany =
                owner.form("/bulk/preview", "bulk-tool", "http-status", "bulk-lines", "a.test\n".repeat(300_000));

        HttpResponse<String> withPort = owner.form(
                "/bulk/preview",
                "bulk-tool",
                "tls-protocols",
                "starttls",
                "imap",
                "bulk-lines",
                "a.test\na.test:143\na.test:443");

        assertThat(page(preview).select(".counts").text()).isEqualTo("1 valid, 1 invalid, 1 duplicate");
        assertThat(page(withPort).select(".counts").text()).isEqualTo("2 valid, 0 invalid, 1 duplicate");
        assertThat(page(preview).select(".preview").attr("data-name")).isEqualTo("HTTP status, 3 targets");
        assertThat(page(preview).select("header, form")).isEmpty();
        assertThat(page(tooMany).select(".counts").text())
                .isEqualTo("300,000 lines require 600 jobs, but at most 40 jobs with 20,000 lines can be created in 60"
                        + " minutes");
        assertThat(owner.from("https://evil.example")
                        .rawForm("/bulk/preview", "")
                        .statusCode())
                .isEqualTo(403);
        assertThat(new CookieClient(service)
                        .form("/bulk/preview", "bulk-lines", "a.test")
                        .statusCode())
                .isEqualTo(401);
        assertThat(page(owner.page("/jobs")).select(".jobs a").eachAttr("href")).isEqualTo(before);
    }

    @Test
    void theFormIsKeptIfItIsUnknownWhetherTheJobWasCreated() {
        String lines = lab.http("/ok?unknown");
        PgConnection blocker = Await.value(PgConnection.connect(DATABASE.vertx(), DatabaseOptions.of(DATABASE.url())));
        Await.value(blocker.query("begin; lock table job in exclusive mode").execute());
        String key =
                page(owner.page("/bulk")).select("[name=bulk-idempotency-key]").val();
        HttpResponse<String> unknown =
                form(owner, "bulk-tool", "http-status", "bulk-lines", lines, "bulk-idempotency-key", key);
        Await.value(blocker.query("rollback").execute());
        Await.value(blocker.close());

        assertThat(unknown.statusCode()).isEqualTo(503);
        Document page = page(unknown);
        assertThat(page.select("#form-error").text()).contains("unknown whether the job was created");
        String job = page.select("#form-error a").attr("href");
        assertThat(job).matches("/jobs/job_[0-9A-Za-z]{22}");
        assertThat(owner.page(job).statusCode()).isEqualTo(404);
        assertThat(page.select("#bulk-lines").val()).isEqualTo(lines);
        assertThat(page.select("[name=bulk-idempotency-key]").val()).isEqualTo(key);
        created(form(owner, "bulk-tool", "http-status", "bulk-lines", lines, "bulk-idempotency-key", key));
    }

    @Test
    void privatePagesAreNotStored() {
        String path = created(send(owner, lab.http("/ok")));

        for (String own : List.of("/jobs", path, path + "/results.csv")) {
            assertThat(owner.page(own).headers().firstValue("Cache-Control"))
                    .as(own)
                    .contains("private, no-store");
        }
    }

    @Test
    void unknownToolsAreRejectedAndUnknownColumnsAreNotUsed() {
        assertThat(rejection(form(owner, "bulk-tool", "<b>gone", "bulk-lines", "a.test")))
                .contains("does not exist");
        for (String column : List.of("3", "12345", "two")) {
            HttpResponse<String> preview = upload("list.csv", "a.test,b.test\n", "bulk-column", column);
            assertThat(preview.statusCode()).as(column).isEqualTo(200);
            assertThat(page(preview).select("#bulk-column option[selected]").val())
                    .isEqualTo("1");
        }
    }

    @Test
    void unreadableFilesAreRejectedWithAMessage() {
        assertThat(rejection(upload("list.txt", "a\u0000b"))).contains("not UTF-8 text");
        assertThat(rejection(upload("list.txt", "\n\n"))).contains("Enter at least one target");
    }

    @Test
    void linesAndAFileTogetherAreRejectedAndTheLinesKept() {
        List<String> before = page(owner.page("/jobs")).select(".jobs a").eachAttr("href");

        HttpResponse<String> both = upload("list.txt", "b.test\n", "bulk-lines", "a.test\n");

        assertThat(rejection(both)).contains("Both a list and a file", "No job was created");
        assertThat(page(both).select("#bulk-lines").val()).isEqualTo("a.test");
        assertThat(page(owner.page("/jobs")).select(".jobs a").eachAttr("href")).isEqualTo(before);
    }

    @Test
    void everyRejectionKeepsTheLines() {
        String many =
                IntStream.range(0, 20_001).mapToObj(i -> "h" + i + ".test").collect(Collectors.joining("\n"));
        HttpResponse<String> tooMany = send(owner, many);
        HttpResponse<String> tooLong = send(owner, "\na.test\n" + "x".repeat(3000));
        HttpResponse<String> badOption =
                form(owner, "bulk-tool", "http-status", "bulk-lines", "a.test", "max_redirects", "99");

        assertThat(rejection(tooMany))
                .isEqualTo(
                        "20,001 lines require 41 jobs, but at most 40 jobs with 20,000 lines can be created in 60 minutes."
                                + " Split the list. No job was created.");
        assertThat(page(tooMany).select("#bulk-lines").val()).isEqualTo(many);
        assertThat(rejection(tooLong)).contains("Line 3", "2048 bytes");
        assertThat(rejection(badOption)).contains("option is invalid");
        assertThat(page(badOption).select("#option-max_redirects-help .field-error"))
                .hasSize(1);
        assertThat(page(badOption).select("details.options[open]")).hasSize(1);
        assertThat(rejection(send(owner, " \n \n"))).contains("Enter at least one target");
    }

    @Test
    void aFormSubmittedTwiceCreatesOneJob() {
        String key =
                page(owner.page("/bulk")).select("[name=bulk-idempotency-key]").val();

        String first = created(form(owner, "bulk-idempotency-key", key, "bulk-lines", lab.http("/twice")));
        String second = created(form(owner, "bulk-idempotency-key", key, "bulk-lines", lab.http("/twice")));
        String changed = created(form(owner, "bulk-idempotency-key", key, "bulk-lines", lab.http("/other")));

        assertThat(second).isEqualTo(first);
        assertThat(changed).isNotEqualTo(first);
    }

    @Test
    void aMegabyteOfLinesIsAcceptedAndValidated() {
        List<String> lines = IntStream.range(0, 500)
                .mapToObj(i -> i + "-" + "x".repeat(2000))
                .toList();
        List<String> wrong = new ArrayList<>(lines);
        wrong.set(499, "y".repeat(3000));

        Document job = finished(owner, created(send(owner, String.join("\n", lines))));
        assertThat(inputs(job).get(49)).startsWith("49-xxx");
        assertThat(rejection(send(owner, String.join("\n", wrong)))).contains("Line 500", "2048 bytes");
    }

    @Test
    void crossOriginRequestsAreRejected() {
        CookieClient elsewhere = owner.from("https://evil.example");

        assertThat(send(elsewhere, lab.http("/ok")).statusCode()).isEqualTo(403);
        String path = created(send(owner, lab.http("/ok")));
        assertThat(elsewhere.rawForm(path + "/cancel", "").statusCode()).isEqualTo(403);
        assertThat(elsewhere.rawForm(path + "/retry", "").statusCode()).isEqualTo(403);
    }

    @Test
    void requestsWithoutAFormAreRejected() {
        assertThat(owner.body("/bulk", "application/json", "{}").statusCode()).isEqualTo(415);
        String broken = "multipart/form-data; boundary=a";
        assertThat(rejection(owner.body("/bulk", broken, "--a\r\nx"))).contains("Enter at least one target");
    }

    @Test
    void pagesShareTheQuotaOfTheHiddenKey() {
        CookieClient user = newUser(Plan.PRO);
        for (int i = 0; i < 40; i++) {
            created(send(user, lab.http("/ok")));
        }

        HttpResponse<String> over = send(user, lab.http("/ok"));

        assertThat(over.statusCode()).isEqualTo(429);
        assertThat(over.headers().firstValue("Retry-After")).isPresent();
        assertThat(page(over).select("#form-error").text()).contains("40 jobs on the website in the last 60 minutes");
        assertThat(page(over).select("#bulk-lines").val()).isEqualTo(lab.http("/ok"));
        assertThat(user.get("/api/v1/keys").body()).doesNotContain("web pages");
    }

    @Test
    void jobPageFollowsFiveHundredLines() {
        String all = IntStream.range(0, 500)
                .mapToObj(i -> lab.http(i % 5 == 0 ? "/missing?" + i : "/ok?" + i))
                .collect(Collectors.joining("\n"));
        String path = created(send(owner, all));

        Document job = finished(owner, path);

        assertThat(job.select(".state .now").text()).contains("Completed", "100 %", "500 of 500");
        assertThat(job.select(".lines tbody tr")).hasSize(50);
        assertThat(job.select(".pages").text()).isEqualTo("Lines 1 to 50 of 500 Next Show all lines");
        assertThat(job.select(".matches").text()).isEqualTo("500 lines.");
        assertThat(job.select(".chart figcaption").eachText())
                .startsWith("Verdicts", "Status code")
                .contains("Response time");
        Document next =
                page(owner.page(path + job.select("a[rel=next]").attr("href").replaceFirst("[^?]*", "")));
        assertThat(next.select(".lines tbody td:first-child").eachText().get(49))
                .isEqualTo("100");
        assertThat(next.select("a[rel=prev]").attr("href")).isEqualTo(path + "#lines");
        Document failed = page(owner.page(path + "?verdict=fail"));
        assertThat(failed.select("[role=status]").text()).contains("100 of 500 lines match.");
        Document found = page(owner.page(path + "?q=OK%3F49&sort=input&dir=desc"));
        assertThat(inputs(found))
                .isSortedAccordingTo(java.util.Comparator.reverseOrder())
                .hasSizeGreaterThan(5)
                .allSatisfy(input -> assertThat(input).contains("ok?49"));
        Document sorted = page(owner.page(path + "?sort=status"));
        assertThat(sorted.select("th[aria-sort=ascending]").text()).startsWith("Status");
        assertThat(page(owner.page("/jobs")).select(".jobs a").eachAttr("href")).contains(path);
    }

    @Test
    void liveUpdatesAreSentOnlyAfterChanges() {
        String path = created(send(owner, lab.http("/ok")));
        Document job = finished(owner, path);
        String version = job.select("[data-version]").attr("data-version");

        assertThat(owner.page(path + "/live?seen=" + version).statusCode()).isEqualTo(204);
        Document live = page(owner.page(path + "/live?seen=1&verdict=pass"));
        assertThat(live.select("#job-state [data-finished=true]")).hasSize(1);
        assertThat(live.select("header, nav[aria-label=Main]")).isEmpty();
    }

    @Test
    void aCancelledJobKeepsItsResults() {
        String slow =
                IntStream.range(0, 500).mapToObj(i -> lab.http("/never?" + i)).collect(Collectors.joining("\n"));
        String path = created(send(owner, slow));
        assertThat(page(owner.page(path)).select("#job-cancel")).hasSize(1);

        HttpResponse<String> cancelled = owner.rawForm(path + "/cancel", "");

        assertThat(cancelled.statusCode()).isEqualTo(303);
        assertThat(cancelled.headers().firstValue("Location")).contains(path);
        Document job = finished(owner, path);
        assertThat(job.select(".state .badge").first().text()).isEqualTo("Cancelled");
        assertThat(job.select("#job-cancel")).isEmpty();
        assertThat(page(owner.page(path + "?sort=verdict&dir=desc"))
                        .select(".lines .badge")
                        .eachText())
                .contains("cancelled");
    }

    @Test
    void linesAreFilteredByTheParametersOfTheApi() {
        String missing = lab.http("/missing?filter");
        String path = created(send(
                owner,
                String.join(
                        "\n",
                        lab.http("/ok?Filter"),
                        missing,
                        "no target",
                        lab.http("/ok?other"),
                        "no FILTER target")));
        finished(owner, path);

        Document some = page(owner.page(path + "?verdict=fail,error&q=filter"));
        assertThat(inputs(some)).containsExactly(missing, "no FILTER target");
        assertThat(some.select(".matches").text()).startsWith("2 of 5 lines match.");
        assertThat(some.select("[name=verdict][checked]").eachAttr("value")).containsExactly("fail", "error");
        assertThat(some.select("#job-q").val()).isEqualTo("filter");

        Document form = page(owner.page(path));
        assertThat(form.select("#job-finding option").eachAttr("value")).contains("", "status_client_error");
        assertThat(form.select("#job-finding option[value=status_client_error]").text())
                .isEqualTo("Fail: HTTP client error (4xx) (1)");
        Document found = page(owner.page(path + "?verdict=pass&verdict=fail&finding=status_client_error&q="));
        assertThat(inputs(found)).containsExactly(missing);
        assertThat(found.select("#job-finding option[selected]").attr("value")).isEqualTo("status_client_error");
        assertThat(page(owner.page(path + "?finding=no_such_finding,another"))
                        .select("#job-finding option[selected]")
                        .text())
                .isEqualTo("another, no_such_finding");
    }

    @Test
    void theSelectedFieldsAreTheColumnsOfTableAndFiles() {
        String path = created(send(owner, lab.http("/missing?columns") + "\n" + lab.http("/ok?columns")));
        finished(owner, path);

        Document page = page(owner.page(path + "?fields=final_url&fields=status&verdict=fail"));

        assertThat(page.select(".lines th").eachText())
                .containsExactly("# ↑", "Verdict", "Input", "Final URL", "Status code", "Duration");
        assertThat(page.select("[name=fields][checked]").eachAttr("value"))
                .containsExactlyInAnyOrder("final_url", "status");
        assertThat(page.select("#job-csv").text()).isEqualTo("Download CSV (1 line)");
        String link = page.select("#job-csv").attr("href");
        assertThat(link).isEqualTo(path + "/results.csv?verdict=fail&fields=final_url%2Cstatus");
        List<String> csv = owner.page(link).body().lines().toList();
        assertThat(csv).hasSize(2);
        assertThat(csv.get(0)).endsWith(",checked_at,final_url,status,finding_codes,top_finding");
        String ndjson = page.select("#job-ndjson").attr("href");
        assertThat(owner.page(ndjson).body().lines()).hasSize(1);
        String sorted = page.select(".lines th a").get(3).attr("href");
        assertThat(sorted).isEqualTo(path + "?verdict=fail&fields=final_url%2Cstatus&sort=final_url#lines");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "verdict=maybe,pass | 'maybe' is not a verdict. Use pass, warn, fail or error.",
                "finding=a/b/c | 'a/b/c' is not a valid finding code.",
                "fields=status,nothing | 'nothing' is not a field of http-status. Fields: ",
                "cursor=bDE | The cursor is not valid for the lines of this job. Open the first page.",
                "cursor=nonsense | The cursor is not valid for the lines of this job. Open the first page."
            })
    void invalidFiltersAreExplained(String query, String message) {
        String path = created(send(owner, lab.http("/ok")));
        finished(owner, path);

        HttpResponse<String> response = owner.page(path + "?" + query + "&q=kept");

        assertThat(response.statusCode()).isEqualTo(422);
        Document page = page(response);
        assertThat(page.select("[role=alert] li").text()).startsWith(message);
        assertThat(page.select("#job-q").val()).isEqualTo("kept");
        assertThat(page.select(".state .now").text()).contains("1 of 1 done");
        assertThat(page.select(".lines")).isEmpty();
        assertThat(owner.page(path + "/live?" + query).statusCode()).isEqualTo(422);
        if (!query.startsWith("cursor")) {
            HttpResponse<String> file = owner.page(path + "/results.csv?" + query);
            assertThat(file.statusCode()).isEqualTo(422);
            assertThat(page(file).select("main").text()).contains(message);
        }
    }

    @Test
    void afterSignInTheFilteredLinesAreShown() {
        HttpResponse<String> response =
                new CookieClient(service).page("/jobs/job_0000000000000000000000?verdict=fail&q=a&other=1");

        assertThat(response.statusCode()).isEqualTo(401);
        assertThat(page(response).select("main a").eachAttr("href"))
                .contains("/sign-in?next=%2Fjobs%2Fjob_0000000000000000000000%3Fverdict%3Dfail%26q%3Da");
    }

    @Test
    void resultsAreDownloaded() {
        String path = created(send(owner, lab.http("/ok") + "\n=1+1"));
        finished(owner, path);

        HttpResponse<String> csv = owner.page(path + "/results.csv");
        HttpResponse<String> ndjson = owner.page(path + "/results.ndjson");
        HttpResponse<String> xlsx = owner.page(path + "/results.xlsx");

        assertThat(csv.headers().firstValue("Content-Type").orElse("")).startsWith("text/csv");
        assertThat(csv.headers().firstValue("Content-Disposition"))
                .contains("attachment; filename=\"" + path.substring("/jobs/".length()) + ".csv\"");
        assertThat(csv.body()).startsWith("index,input,").contains("'=1+1");
        assertThat(ndjson.body().lines()).hasSize(2);
        assertThat(xlsx.headers().firstValue("Content-Disposition"))
                .contains("attachment; filename=\"" + path.substring("/jobs/".length()) + ".xlsx\"");
        assertThat(xlsx.body()).startsWith("PK");
    }

    @Test
    void linesWithAnErrorAreCheckedAgainUnlessTheirTargetWasRejected() {
        String missing = lab.http("/missing");
        String unknown = "http://there-is-no-such-name.invalid/";
        String path = created(
                send(owner, String.join("\n", "no target", lab.http("/ok"), missing, "http://10.0.0.1/", unknown)));
        Document job = finished(owner, path);
        assertThat(job.select("#job-retry").text()).isEqualTo("Retry 1 check with an error code");
        String key = job.select("[name=bulk-idempotency-key]").val();

        String retry = created(owner.form(path + "/retry", "bulk-idempotency-key", key));
        String again = created(owner.form(path + "/retry", "bulk-idempotency-key", key));
        String other = created(owner.rawForm(path + "/retry", ""));

        assertThat(retry).isNotEqualTo(path).isEqualTo(again).isNotEqualTo(other);
        Document retried = finished(owner, retry);
        assertThat(inputs(retried)).containsExactly(unknown);
        assertThat(retried.select("h1").text()).isEqualTo("1 check with an error code from HTTP status, 5 targets");
    }

    @Test
    void jobsOfOtherAccountsAreNotFound() {
        String path = created(send(owner, lab.http("/ok")));
        CookieClient other = newUser(Plan.PRO);

        for (String part : List.of("", "/live", "/lines/0", "/results.csv", "/results.ndjson", "/results.xlsx")) {
            HttpResponse<String> response = other.page(path + part);
            assertThat(response.statusCode()).isEqualTo(404);
            assertThat(page(response).select("h1").text()).isEqualTo("Job not found");
            assertThat(page(response).select("main .lead").text())
                    .contains("URL is complete", "another account", "has expired");
            assertThat(page(response).select("main a").eachAttr("href")).containsExactly("/jobs", "/bulk");
            assertThat(page(response).select("main").text())
                    .as("same response as for a job that never existed")
                    .isEqualTo(page(other.page("/jobs/job_0" + part))
                            .select("main")
                            .text());
        }
        assertThat(other.rawForm(path + "/cancel", "").statusCode()).isEqualTo(404);
        assertThat(other.rawForm(path + "/retry", "").statusCode()).isEqualTo(404);
        assertThat(owner.page("/jobs/job_nothing").statusCode()).isEqualTo(404);
        assertThat(owner.page("/jobs/%3Cscript%3E").body()).doesNotContain("<script>");
    }

    /** A finished job with a passed line and one with status 404, whose default policy is {@code evaluation}. */
    private String withDefaultPolicy(String evaluation) {
        String path = created(send(owner, lab.http("/ok") + "\n" + lab.http("/status/404")));
        finished(owner, path);
        Await.value(database.query(
                "update job set evaluation = $2 where token = $1",
                Tuple.of(path.substring("/jobs/".length()), new JsonObject(evaluation))));
        return path;
    }

    private static List<String> badges(Document page) {
        return page.select("table.lines .badge").eachText();
    }

    @Test
    void thePagesOfAJobShowResultsWithItsDefaultPolicy() {
        String path = withDefaultPolicy("{\"policy\":null,\"expect\":[\"status == 404\",\"redirect_count == 0\"]}");

        Document job = page(owner.page(path));
        Document line = page(owner.page(path + "/lines/0"));
        Document other = page(owner.page(path + "?expect=true&verdict=pass"));

        assertThat(job.select("#policy-note").text())
                .isEqualTo("The results are evaluated with 2 expectations. View the stored results");
        assertThat(badges(job)).containsExactly("Fail", "Fail");
        assertThat(job.select("td[data-label=Rules met]").eachText()).containsExactly("1 of 2", "2 of 2");
        assertThat(job.select(".finding-counts .title").eachText()).contains("Expectation not met");
        assertThat(job.select(".charts .bar-chart, .charts").text()).contains("Fail 2");
        assertThat(line.select("p.policy").text()).startsWith("Meets 1 of 2 expectations.");
        assertThat(line.select("main").text()).contains("The expectation `status == 404` is not met.".replace("`", ""));
        assertThat(badges(other)).containsExactly("Pass");
        assertThat(other.select("td.input a").attr("href")).endsWith("/lines/0?expect=true");
        assertThat(other.select("#filter input[name=expect]").attr("value")).isEqualTo("true");
        assertThat(owner.page(path + "/results.csv").body()).contains("policy_met_count");
        assertThat(owner.page(path + "?expect=stauts").statusCode()).isEqualTo(422);
        assertThat(owner.page(path + "?policy=a&policy=b").statusCode()).isEqualTo(422);
    }

    @Test
    void thePagesOfAJobShowStoredResultsOnRequest() {
        String path = withDefaultPolicy("{\"policy\":\"removed\",\"expect\":[\"status == 500\"]}");

        Document evaluated = page(owner.page(path));
        String link = evaluated.select("#policy-note a").attr("href");
        Document stored = page(owner.page(link));

        assertThat(evaluated.select("#policy-note").text())
                .startsWith(
                        "The results are evaluated with 1 expectation. The policy removed of the job no longer exists");
        assertThat(link).isEqualTo(path + "?policy=");
        assertThat(badges(evaluated)).containsExactly("Fail", "Fail");
        assertThat(badges(stored)).containsExactly("Pass", "Fail");
        assertThat(stored.select("td[data-label=Rules met]")).isEmpty();
        assertThat(stored.select("#policy-note a").attr("href")).isEqualTo(path);
        assertThat(page(owner.page(path + "/lines/0?policy=")).select("p.policy"))
                .isEmpty();
        assertThat(owner.page(path + "/results.csv?policy=").body()).doesNotContain("policy_met_count");
    }

    @Test
    void aComparisonAppliesTheDefaultPolicyOfTheLaterJob() {
        String earlier = created(send(owner, lab.http("/ok")));
        finished(owner, earlier);
        String path = withDefaultPolicy("{\"policy\":null,\"expect\":[\"status == 404\"]}");
        String diff = path + "/diff?against=" + earlier.substring("/jobs/".length()) + "&change=new,unchanged";

        Document evaluated = page(owner.page(diff));
        Document stored = page(owner.page(evaluated.select("#policy-note a").attr("href")));

        assertThat(evaluated.select("#policy-note").text()).startsWith("The results are evaluated with 1 expectation.");
        assertThat(evaluated.select("td[data-label=Verdict] .badge").eachText()).containsExactly("Fail", "Fail");
        assertThat(stored.select("td[data-label=Verdict] .badge").eachText()).containsExactly("Pass", "Fail");
        assertThat(stored.select("#policy-note a").attr("href")).isEqualTo(diff.replace(",", "%2C"));
        assertThat(owner.page(diff.replace("/diff", "/diff.json")).body())
                .contains("\"verdict\":\"fail\",\"against_verdict\":\"fail\"");
        assertThat(owner.page(diff.replace("/diff", "/diff.json") + "&policy=").body())
                .contains("\"verdict\":\"pass\",\"against_verdict\":\"pass\"");
    }

    @Test
    void anExpiredJobIsGone() {
        String path = created(send(owner, lab.http("/ok")));
        finished(owner, path);
        Await.value(database.query(
                "update job set expires_at = now() where token = $1", Tuple.of(path.substring("/jobs/".length()))));

        HttpResponse<String> gone = owner.page(path);

        assertThat(gone.statusCode()).isEqualTo(410);
        assertThat(page(gone).select("main").text()).contains("410", "Create a new job");
        assertThat(page(gone).select("main a").eachAttr("href")).containsExactly("/jobs", "/bulk");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "?q=%3Cimg+src%3Dx+onerror%3Dalert(1)%3E",
                "?sort=%22%3E%3Cb%3E",
                "?verdict=%27&finding=%22%3E%3Cb%3E&fields=%3Cimg+src%3Dx%3E&cursor=%3Cb%3E"
            })
    void hostileInputIsEscaped(String query) {
        String path = created(send(owner, HOSTILE + "\n" + lab.http("/ok?" + "<b>x</b>")));
        finished(owner, path);

        HttpResponse<String> response = owner.page(path + query);
        Document job = page(response);

        assertThat(response.statusCode()).isEqualTo(query.contains("verdict") ? 422 : 200);
        assertThat(job.select("main script, main b, main img")).isEmpty();
        assertThat(response.body()).doesNotContain("\u202e").doesNotContain("\u0007");
        for (Element element : job.getAllElements()) {
            assertThat(element.attributes().asList())
                    .noneSatisfy(attribute -> assertThat(attribute.getKey()).startsWith("on"));
        }
        if (query.isEmpty()) {
            assertThat(inputs(job).get(0)).contains("<script>alert(1)</script>[U+202E]gnp.exe[U+0007]");
        }
    }

    @Test
    void jobListIsPaginated() {
        CookieClient busy = newUser(Plan.PRO);
        List<String> made = new ArrayList<>();
        for (int i = 0; i < 22; i++) {
            made.add(0, created(send(busy, lab.http("/ok"))));
        }

        Document first = page(busy.page("/jobs"));
        Document second = page(busy.page(first.select("a[rel=next]").attr("href")));

        assertThat(first.select(".jobs a").eachAttr("href")).isEqualTo(made.subList(0, 20));
        assertThat(second.select(".jobs a").eachAttr("href")).isEqualTo(made.subList(20, 22));
        assertThat(second.select("a[rel=next]")).isEmpty();
        assertThat(busy.page("/jobs?cursor=nonsense").statusCode()).isEqualTo(400);
    }

    private String report(String target) {
        return "/check/http-status/" + URLEncoder.encode(target, StandardCharsets.UTF_8);
    }

    private HttpResponse<String> send(CookieClient browser, String lines) {
        return browser.bulk("bulk-tool", "http-status", "bulk-lines", lines);
    }

    @Test
    void severalFilesAreRejected() {
        StringBuilder body = new StringBuilder();
        part(body, "name=\"bulk-tool\"", "http-status");
        for (String file : List.of("a.test", "b.test")) {
            part(body, "name=\"bulk-file\"; filename=\"" + file + ".txt\"\r\nContent-Type: text/plain", file);
        }
        body.append("--").append(BOUNDARY).append("--\r\n");

        HttpResponse<String> several =
                owner.body("/bulk", "multipart/form-data; boundary=" + BOUNDARY, body.toString());

        assertThat(rejection(several)).contains("2 files were submitted", "No job was created");
    }

    private static HttpResponse<String> form(CookieClient browser, String... fields) {
        List<String> pairs = new ArrayList<>();
        for (int i = 0; i < fields.length; i += 2) {
            pairs.add(fields[i] + "=" + URLEncoder.encode(fields[i + 1], StandardCharsets.UTF_8));
        }
        return browser.rawForm("/bulk", String.join("&", pairs));
    }

    private HttpResponse<String> upload(String name, String content, String... fields) {
        StringBuilder body = new StringBuilder();
        List<String> all = new ArrayList<>(List.of("bulk-tool", "http-status", "bulk-lines", ""));
        all.addAll(List.of(fields));
        for (int i = 0; i < all.size(); i += 2) {
            part(body, "name=\"" + all.get(i) + "\"", all.get(i + 1));
        }
        part(body, "name=\"bulk-file\"; filename=\"" + name + "\"\r\nContent-Type: text/plain", content);
        body.append("--").append(BOUNDARY).append("--\r\n");
        return owner.body("/bulk", "multipart/form-data; boundary=" + BOUNDARY, body.toString());
    }

    private static void part(StringBuilder body, String head, String content) {
        body.append("--")
                .append(BOUNDARY)
                .append("\r\nContent-Disposition: form-data; ")
                .append(head);
        body.append("\r\n\r\n").append(content).append("\r\n");
    }

    private static String created(HttpResponse<String> response) {
        assertThat(response.statusCode())
                .as(() -> page(response).select("main").text())
                .isEqualTo(303);
        String path = response.headers().firstValue("Location").orElseThrow();
        assertThat(path).matches("/jobs/job_[0-9A-Za-z]{22}");
        return path;
    }

    private static String rejection(HttpResponse<String> response) {
        assertThat(response.statusCode()).isEqualTo(422);
        return page(response).select("#form-error").text();
    }

    private Document finished(CookieClient browser, String path) {
        Await.until(
                () -> !page(browser.page(path)).select("[data-finished=true]").isEmpty());
        return page(browser.page(path));
    }

    private static List<String> inputs(Document job) {
        return job.select(".lines .input").stream()
                .map(cell -> cell.select("bdi").first().text())
                .toList();
    }

    private static Document page(HttpResponse<String> response) {
        return Jsoup.parse(response.body());
    }
}
