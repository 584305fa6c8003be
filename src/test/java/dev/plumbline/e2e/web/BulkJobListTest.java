package dev.plumbline.e2e.web;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.account.Plan;
import dev.plumbline.account.TestAccounts;
import dev.plumbline.postgres.Database;
import dev.plumbline.support.Await;
import dev.plumbline.support.CookieClient;
import dev.plumbline.support.ServiceUnderTest;
import dev.plumbline.support.TestDatabase;
import io.vertx.core.json.JsonObject;
import io.vertx.sqlclient.Tuple;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jsoup.Connection;
import org.jsoup.Jsoup;
import org.jsoup.nodes.Document;
import org.jsoup.nodes.FormElement;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Lists of bulk checks with more lines than a job, in a browser without JavaScript. */
@Tag("integration")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class BulkJobListTest {
    @RegisterExtension
    static final TestDatabase DATABASE = new TestDatabase();

    private static final String PASSWORD = "a long enough password";
    private static final int JOBS_PER_HOUR = 20;
    private static final int MAX_FORM_BYTES = 8 << 20;

    private static int userCount;

    private Database database;
    private TestAccounts accounts;
    private ServiceUnderTest service;
    private CookieClient owner;

    @BeforeAll
    void start() {
        database = DATABASE.open();
        accounts = new TestAccounts(database);
        service = ServiceUnderTest.start(
                DATABASE.url(),
                Map.of(
                        "HTTP_TRUSTED_PROXIES",
                        "127.0.0.1",
                        "LIMITS_JOBS_PER_HOUR",
                        Integer.toString(JOBS_PER_HOUR),
                        // a loaded machine must not cause a database timeout
                        "DATABASE_TIMEOUT",
                        "6s"));
    }

    @AfterAll
    void stop() {
        service.close();
    }

    @BeforeEach
    void newUser() {
        userCount++;
        accounts.account(email(), Plan.PRO, PASSWORD);
        owner = new CookieClient(service);
        assertThat(owner.signIn(email(), PASSWORD).statusCode()).isEqualTo(200);
    }

    /** Targets that are not contacted. */
    private static List<String> lines(int count) {
        return IntStream.range(0, count)
                .mapToObj(i -> "http://10.0.0.1/" + i)
                .collect(Collectors.toCollection(ArrayList::new));
    }

    private HttpResponse<String> submit(List<String> lines, String... more) {
        List<String> fields =
                new ArrayList<>(List.of("bulk-tool", "http-status", "bulk-lines", String.join("\n", lines)));
        fields.addAll(List.of(more));
        return owner.form("/bulk", fields.toArray(String[]::new));
    }

    /** Submits the form of a page. Later values of a field replace earlier ones. */
    private HttpResponse<String> resubmit(HttpResponse<String> page, String... replaced) {
        List<String> fields = new ArrayList<>();
        for (Connection.KeyVal field : ((FormElement) page(page).selectFirst("#bulk")).formData()) {
            fields.addAll(List.of(field.key(), field.value()));
        }
        fields.addAll(List.of(replaced));
        return owner.form("/bulk", fields.toArray(String[]::new));
    }

    private static Document page(HttpResponse<String> response) {
        return Jsoup.parse(response.body());
    }

    /** The paths of all jobs, oldest first. */
    private List<String> jobs() {
        List<String> paths = new ArrayList<>();
        for (String next = "/jobs"; !next.isEmpty(); ) {
            Document page = page(owner.page(next));
            paths.addAll(page.select(".jobs a").eachAttr("href"));
            next = page.select("a[rel=next]").attr("href");
        }
        Collections.reverse(paths);
        return paths;
    }

    private List<String> inputs(List<String> jobs) {
        return jobs.stream()
                .flatMap(job -> owner.page(job + "/results.ndjson").body().lines())
                .map(line -> new JsonObject(line).getString("input"))
                .toList();
    }

    private static List<String> links(HttpResponse<String> created) {
        assertThat(created.statusCode())
                .as(() -> page(created).select("main").text())
                .isEqualTo(200);
        return page(created).select("#created-jobs a").eachAttr("href");
    }

    private long charges() {
        return Await.value(database.query(
                        "select coalesce(sum(cardinality(charges)), 0) from quota_window w join account a"
                                + " on w.policy = 'jobs-account' and w.key = a.id::text where a.email = $1",
                        Tuple.of(email())))
                .iterator()
                .next()
                .getLong(0);
    }

    private static String email() {
        return "list" + userCount + "@plumbline.example";
    }

    @Test
    void aListIsConfirmedAndBecomesJobsUnderOneName() {
        List<String> lines = lines(1_201);

        HttpResponse<String> confirmation = submit(lines, "bulk-name", "nightly");

        Document page = page(confirmation);
        assertThat(confirmation.statusCode()).isEqualTo(200);
        assertThat(page.title()).startsWith("Create 3 jobs");
        assertThat(page.select("h1").text()).isEqualTo("Create 3 jobs");
        assertThat(page.select("#bulk-confirm").text())
                .isEqualTo("No jobs have been created yet. Check the targets, then select Create 3 jobs.");
        assertThat(page.select("#bulk .counts").text()).isEqualTo("1,201 valid, 0 invalid, 0 duplicates");
        assertThat(page.select("#bulk .help").text())
                .isEqualTo("1,201 lines are split into 3 jobs, because a job can have up to 500 lines.");
        assertThat(page.select("#bulk dl").text()).contains("nightly (1 of 3) to nightly (3 of 3)");
        assertThat(jobs()).isEmpty();

        HttpResponse<String> created = resubmit(confirmation);

        assertThat(page(created).select("h1").text()).isEqualTo("3 jobs created");
        assertThat(page(created).select("#created-jobs li").eachText())
                .containsExactly(
                        "nightly (1 of 3) Lines 1 to 500",
                        "nightly (2 of 3) Lines 501 to 1,000",
                        "nightly (3 of 3) Lines 1,001 to 1,201");
        assertThat(links(created)).isEqualTo(jobs());
        assertThat(inputs(jobs())).isEqualTo(lines);
        assertThat(links(resubmit(confirmation))).as("a reload").isEqualTo(jobs());
        assertThat(jobs()).hasSize(3);
        assertThat(charges()).isEqualTo(3);
    }

    @Test
    void optionsApplyToAllJobsAndTheDefaultNameHasTheNumberOfTargets() {
        HttpResponse<String> confirmation = submit(lines(501), "bulk-fresh", "true", "max_redirects", "0");

        List<String> jobs = links(resubmit(confirmation));

        assertThat(jobs).hasSize(2);
        for (int i = 0; i < 2; i++) {
            Document job = page(owner.page(jobs.get(i)));
            assertThat(job.select("h1").text()).isEqualTo("HTTP status, 501 targets (" + (i + 1) + " of 2)");
            assertThat(job.select("main").text()).contains("Bypass cache: true", "0");
        }
    }

    @Test
    void equalLinesOfSeveralJobsAreKept() {
        List<String> lines = Collections.nCopies(1_500, "http://10.0.0.1/");

        HttpResponse<String> confirmation = submit(lines, "bulk-name", "equal");

        assertThat(page(confirmation).select("#bulk .counts").text()).isEqualTo("1 valid, 0 invalid, 1,499 duplicates");
        List<String> jobs = links(resubmit(confirmation));
        assertThat(jobs).hasSize(3).doesNotHaveDuplicates();
        assertThat(inputs(jobs)).isEqualTo(lines);
    }

    @Test
    void theTargetsOfACsvFileAreConfirmedWithTheirLineNumbers() {
        List<String> rows = lines(600);
        String csv = "name,url\n# comment,\n"
                + rows.stream().map(url -> "\"a, b\"," + url).collect(Collectors.joining("\n"))
                + "\nlast,no target\nwithout,\n";

        HttpResponse<String> confirmation = upload("list.csv", csv);

        Document page = page(confirmation);
        assertThat(page.select("#bulk .counts").text()).isEqualTo("600 valid, 1 invalid, 0 duplicates");
        assertThat(page.select("#bulk .invalid-lines").text())
                .isEqualTo("Line 603, no target: A hostname must not contain a space.");
        assertThat(page.select("#bulk dl").text()).contains("Target column 2: url");
        assertThat(page.select("#bulk .help").eachText()).contains("1 row has no value in this column and is ignored.");
        List<String> jobs = links(resubmit(confirmation));
        rows.add("no target");
        assertThat(inputs(jobs)).isEqualTo(rows);
    }

    @Test
    void hostileLinesAreEscapedAndKept() {
        List<String> lines = lines(500);
        lines.addAll(List.of("\"><script>alert(1)</script>", "a&amp;b", "caf\u00e9 \u202e", "'x'"));

        HttpResponse<String> confirmation = submit(lines, "bulk-name", "<b>\"nightly\"</b>");

        Document page = page(confirmation);
        assertThat(page.select("main script, main b")).isEmpty();
        assertThat(page.select("#bulk dl").text()).contains("<b>\"nightly\"</b> (1 of 2)");
        List<String> jobs = links(resubmit(confirmation));
        assertThat(inputs(jobs)).isEqualTo(lines);
        assertThat(page(owner.page(jobs.get(1))).select("h1").text()).isEqualTo("<b>\"nightly\"</b> (2 of 2)");
    }

    @Test
    void aChangedListIsConfirmedAgain() {
        HttpResponse<String> confirmation = submit(lines(501));
        List<String> changed = lines(502);

        HttpResponse<String> again = resubmit(confirmation, "bulk-lines", String.join("\n", changed));

        assertThat(page(again).select("#bulk .counts").text()).isEqualTo("502 valid, 0 invalid, 0 duplicates");
        assertThat(jobs()).isEmpty();
        assertThat(inputs(links(resubmit(again)))).isEqualTo(changed);
    }

    @Test
    void theListCanBeEdited() {
        List<String> lines = lines(501);
        HttpResponse<String> confirmation = submit(lines, "bulk-name", "nightly", "max_redirects", "0");

        HttpResponse<String> form = resubmit(confirmation, "bulk-action", "options");

        assertThat(page(form).select("#bulk-lines").val()).isEqualTo(String.join("\n", lines));
        assertThat(page(form).select("#bulk-name").val()).isEqualTo("nightly");
        assertThat(page(form).select("[name=max_redirects]").val()).isEqualTo("0");
        assertThat(page(form).select("#form-error")).isEmpty();
    }

    @Test
    void invalidLinesNamesAndOptionsAreRejectedBeforeTheConfirmation() {
        List<String> lines = lines(700);
        lines.set(650, "x".repeat(3_000));

        HttpResponse<String> tooLong = submit(lines);
        HttpResponse<String> name = submit(lines(501), "bulk-name", "x".repeat(101));
        HttpResponse<String> option = submit(lines(501), "max_redirects", "99");

        assertThat(List.of(tooLong.statusCode(), name.statusCode(), option.statusCode()))
                .containsOnly(422);
        assertThat(page(tooLong).select("#form-error").text())
                .contains("1 line is invalid. No job was created.", "Line 651 must have at most 2048 bytes in UTF-8.");
        assertThat(page(name).select("#form-error").text())
                .isEqualTo("The name must have at most 100 characters. No job was created.");
        assertThat(page(option).select("#form-error").text()).contains("An option is invalid.");
        assertThat(jobs()).isEmpty();
    }

    @Test
    void aListWithinThePresentQuotaOnlyInPartCreatesNoJob() {
        assertThat(links(resubmit(submit(lines(9_000))))).hasSize(18);
        HttpResponse<String> confirmation = submit(lines(1_001), "bulk-name", "over");

        HttpResponse<String> over = resubmit(confirmation);

        assertThat(over.statusCode()).isEqualTo(429);
        assertThat(Integer.parseInt(over.headers().firstValue("Retry-After").orElseThrow()))
                .isBetween(3_400, 3_600);
        assertThat(page(over).select("#form-error").text())
                .matches(
                        "The list requires 3 jobs, but this account can create only 2 more jobs on the website at present"
                                + " \\(limit: 20 in 60 minutes\\)\\. No job was created\\. Retry in \\d+ minutes\\.");
        assertThat(jobs()).hasSize(18);
        assertThat(charges()).isEqualTo(18);

        Await.value(database.query(
                "update quota_window set charges = array(select t - 3600000000 from unnest(charges) t)",
                Tuple.tuple()));
        assertThat(links(resubmit(over))).hasSize(3);
        assertThat(jobs()).hasSize(21);
    }

    @Test
    void aListThatNoQuotaPermitsIsRejectedBeforeTheConfirmation() {
        HttpResponse<String> tooMany = submit(lines(10_001));
        HttpResponse<String> largest = submit(lines(10_000));

        assertThat(tooMany.statusCode()).isEqualTo(422);
        assertThat(page(tooMany).select("#form-error").text())
                .isEqualTo("10,001 lines require 21 jobs, but at most 20 jobs with 10,000 lines can be created in 60"
                        + " minutes. Split the list. No job was created.");
        assertThat(page(tooMany).select("#bulk-lines").val().lines()).hasSize(10_001);
        assertThat(page(largest).select("h1").text()).isEqualTo("Create 20 jobs");
    }

    @Test
    void theUploadLimitAppliesToTheListAndToItsConfirmation() {
        String line = "http://10.0.0.1/" + "x".repeat(900);
        String fits = (line + "\n").repeat(9_000);
        String tooLargeToConfirm = (line + "\n").repeat(MAX_FORM_BYTES / (line.length() + 1) - 1);

        HttpResponse<String> confirmation = upload("list.txt", fits);
        HttpResponse<String> rejected = upload("list.txt", tooLargeToConfirm);
        HttpResponse<String> tooLarge = upload("list.txt", (line + "\n").repeat(MAX_FORM_BYTES / line.length()));

        assertThat(page(confirmation).select("h1").text()).isEqualTo("Create 18 jobs");
        assertThat(page(confirmation).select("[name=bulk-lines]").val()).isEqualTo(fits);
        assertThat(rejected.statusCode()).isEqualTo(413);
        assertThat(page(rejected).select("#form-error").text())
                .endsWith("bytes with two bytes for each line end. The maximum is 8,323,072. Split the list. No job was"
                        + " created.");
        assertThat(tooLarge.statusCode()).isEqualTo(413);
        assertThat(tooLarge.body()).contains("must not exceed 8,388,608 bytes");
        assertThat(jobs()).isEmpty();
    }

    @Test
    void aFailureAfterTheFirstJobLosesAndDuplicatesNoJob() {
        Await.value(database.query(
                """
        create function fail_insert() returns trigger language plpgsql as $$
        begin raise exception 'shutting down' using errcode = '57P01'; end $$""",
                Tuple.tuple()));
        Await.value(database.query(
                "create trigger fail before insert on job for each row when (new.name = 'interrupted (2 of 3)')"
                        + " execute function fail_insert()",
                Tuple.tuple()));
        List<String> lines = lines(1_400);
        HttpResponse<String> confirmation = submit(lines, "bulk-name", "interrupted");

        HttpResponse<String> failed = resubmit(confirmation);
        Await.value(database.query("drop trigger fail on job", Tuple.tuple()));

        assertThat(failed.statusCode()).isEqualTo(503);
        assertThat(failed.headers().firstValue("Retry-After")).isPresent();
        assertThat(page(failed).select("#form-error").text())
                .startsWith("1 of 3 jobs were created. The database did not respond in time, so it is unknown whether"
                        + " the next job was created. Select Create 3 jobs again. Jobs that already exist are not"
                        + " created again.");
        assertThat(page(failed).select("#created-jobs a").eachAttr("href")).isEqualTo(jobs());
        assertThat(jobs()).hasSize(1);
        assertThat(charges()).as("for all jobs").isEqualTo(3);

        List<String> jobs = links(resubmit(failed));

        assertThat(jobs).hasSize(3).isEqualTo(jobs());
        assertThat(inputs(jobs)).isEqualTo(lines);
        assertThat(charges()).isEqualTo(3);
    }

    @Test
    void concurrentConfirmationsCreateEachJobOnce() {
        List<String> lines = lines(2_600);
        HttpResponse<String> confirmation = submit(lines);

        List<Integer> statuses = IntStream.range(0, 4)
                .parallel()
                .mapToObj(i -> resubmit(confirmation).statusCode())
                .toList();

        assertThat(statuses).containsAnyOf(200, 409).allMatch(status -> status == 200 || status == 409);
        assertThat(inputs(links(resubmit(confirmation)))).isEqualTo(lines);
        assertThat(jobs()).hasSize(6);
        assertThat(charges()).isEqualTo(6);
    }

    @Test
    void thePreviewForScriptsHasTheNumberOfJobs() {
        HttpResponse<String> preview =
                owner.form("/bulk/preview", "bulk-tool", "http-status", "bulk-lines", String.join("\n", lines(501)));

        assertThat(page(preview).select(".counts").text()).isEqualTo("501 valid, 0 invalid, 0 duplicates");
        assertThat(page(preview).select(".help").text())
                .isEqualTo("501 lines are split into 2 jobs, because a job can have up to 500 lines.");
        HttpResponse<String> submitted = submit(
                lines(501),
                "bulk-previewed",
                page(preview).select("[name=bulk-previewed]").val());
        assertThat(page(submitted).select("h1").text()).isEqualTo("Create 2 jobs");
        assertThat(jobs()).isEmpty();
    }

    private HttpResponse<String> upload(String name, String content) {
        String boundary = "----test-boundary";
        String body = "--%1$s\r\nContent-Disposition: form-data; name=\"bulk-tool\"\r\n\r\nhttp-status\r\n"
                        .formatted(boundary)
                + "--" + boundary + "\r\nContent-Disposition: form-data; name=\"bulk-file\"; filename=\"" + name
                + "\"\r\nContent-Type: text/plain\r\n\r\n" + content + "\r\n--" + boundary + "--\r\n";
        return owner.body("/bulk", "multipart/form-data; boundary=" + boundary, body);
    }
}
