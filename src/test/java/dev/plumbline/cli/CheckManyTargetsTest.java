package dev.plumbline.cli;

import static org.assertj.core.api.Assertions.assertThat;

import de.siegmar.fastcsv.reader.CsvReader;
import de.siegmar.fastcsv.reader.NamedCsvRecord;
import dev.plumbline.lab.HttpLab;
import dev.plumbline.support.Await;
import dev.plumbline.support.CommandLineRunner;
import dev.plumbline.support.CommandResult;
import dev.plumbline.support.XlsxFile;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServer;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.w3c.dom.Element;

/** {@code check} with several targets. */
@Tag("integration")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class CheckManyTargetsTest {
    @TempDir
    static Path folder;

    private final Vertx vertx = Vertx.vertx();
    private HttpLab lab;
    private Path settings;

    @BeforeAll
    void start() throws IOException {
        lab = Await.value(HttpLab.start(vertx));
        settings = Files.writeString(
                folder.resolve("settings.yaml"),
                "targets: {allow: [127.0.0.0/8], ports: ['*'], per_ip_per_second: 0, per_ip_concurrent: 0}\n");
    }

    @AfterAll
    void stop() {
        Await.value(vertx.close());
    }

    private CommandResult check(String stdin, String... more) {
        List<String> arguments = new ArrayList<>(List.of("check", "--conf", settings.toString(), "http-status"));
        arguments.addAll(Arrays.asList(more));
        return CommandLineRunner.run(stdin, arguments.toArray(String[]::new));
    }

    @Test
    void argumentsAndLinesOfStdinAreCheckedInInputOrder() {
        String stdin = "# comment\n\n" + lab.http("/status/404") + "\r\n" + lab.http("/ok");

        CommandResult result = check(stdin, lab.http("/ok"), "--input", "-", "--output", "ndjson", "-o", "method=get");

        List<JsonObject> lines = result.out().lines().map(JsonObject::new).toList();
        assertThat(lines).extracting(line -> line.getInteger("index")).containsExactly(0, 1, 2);
        assertThat(lines)
                .extracting(line -> line.getString("input"))
                .containsExactly(lab.http("/ok"), lab.http("/status/404"), lab.http("/ok"));
        assertThat(lines)
                .extracting(line -> line.getJsonObject("fields").getInteger("status"))
                .containsExactly(200, 404, 200);
        assertThat(result.code()).isEqualTo(2);
        assertThat(result.err()).isEmpty();
    }

    @Test
    void moreTargetsThanTheWindowAreCheckedWithLimitedConcurrency() throws IOException {
        AtomicInteger active = new AtomicInteger();
        AtomicInteger highest = new AtomicInteger();
        HttpServer server = Await.value(vertx.createHttpServer()
                .requestHandler(request -> {
                    highest.accumulateAndGet(active.incrementAndGet(), Math::max);
                    vertx.setTimer(2, timer -> {
                        active.decrementAndGet();
                        request.response().end("ok");
                    });
                })
                .listen(0, "127.0.0.1"));
        Path input = Files.write(
                folder.resolve("many"),
                IntStream.range(0, 3_000)
                        .mapToObj(i -> "http://127.0.0.1:" + server.actualPort() + "/" + i)
                        .toList());

        CommandResult result = check("", "--input", input.toString(), "--output", "json", "--concurrency", "7");

        JsonArray results = new JsonArray(result.out());
        assertThat(IntStream.range(0, results.size())
                        .map(i -> results.getJsonObject(i).getInteger("index")))
                .containsExactlyElementsOf(IntStream.range(0, 3_000).boxed().toList());
        assertThat(highest).hasValueBetween(2, 7);
        assertThat(result.code()).isZero();
        Await.value(server.close());
    }

    @Test
    void withUnorderedEveryTargetHasOneResult() {
        CommandResult result = check(
                "", "--unordered", "--output", "ndjson", lab.http("/slow"), lab.http("/ok"), lab.http("/status/500"));

        assertThat(result.out().lines().map(JsonObject::new))
                .extracting(line -> line.getInteger("index"))
                .containsExactlyInAnyOrder(0, 1, 2);
    }

    @ParameterizedTest
    @CsvSource({
        "/ok, warn, 0",
        "/status/404, warn, 2",
        "/status/404, fail, 2",
        "/status/404, error, 0",
    })
    void exitCodeIsThatOfTheWorstVerdictFromFailOn(String path, String failOn, int code) {
        assertThat(check("", lab.http("/ok"), lab.http(path), "--fail-on", failOn)
                        .code())
                .isEqualTo(code);
    }

    @Test
    void rejectedTargetsHaveAResultAndExitCode4() {
        CommandResult result = check("", "http://10.0.0.1/", "http://a b/", lab.http("/ok"), "--output", "json");

        JsonArray results = new JsonArray(result.out());
        assertThat(results.getJsonObject(0).getJsonObject("error").getString("code"))
                .isEqualTo("target_blocked");
        assertThat(results.getJsonObject(1).getJsonObject("error").getString("code"))
                .isEqualTo("invalid_target");
        assertThat(results.getJsonObject(2).getString("verdict")).isEqualTo("pass");
        assertThat(result.code()).isEqualTo(4);
    }

    @Test
    void textHasOneLinePerTargetAndASummary() {
        CommandResult result = check("", lab.http("/ok"), lab.http("/status/404"));

        assertThat(result.out().lines().toList())
                .hasSize(4)
                .contains("2 checked: 1 pass, 0 warn, 1 fail, 0 error")
                .first()
                .asString()
                .matches("PASS   \\Q" + lab.http("/ok") + "\\E  200, \\d+ ms");
        assertThat(result.out()).containsPattern("(?m)^FAIL   \\S+/status/404  .*404");
    }

    @Test
    void csvHasAHeaderAndOneRecordPerTarget() {
        CommandResult result = check("", lab.http("/ok"), "=1+1", "--output", "csv");

        List<NamedCsvRecord> records =
                CsvReader.builder().ofNamedCsvRecord(result.out()).stream().toList();
        assertThat(records).hasSize(2);
        assertThat(records.get(0).getField("verdict")).isEqualTo("pass");
        assertThat(records.get(0).getField("status")).isEqualTo("200");
        assertThat(records.get(1).getField("input")).isEqualTo("'=1+1");
        assertThat(records.get(1).getField("error_code")).isEqualTo("invalid_target");
    }

    @Test
    void xlsxIsAWorkbookWithTheColumnsOfCsv() {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        String csv = check("", lab.http("/ok"), "--output", "csv").out();

        CommandResult result = CommandLineRunner.run(
                lab.http("/ok") + "\n=1+1\n" + lab.http("/status/404"),
                out,
                "check",
                "--conf",
                settings.toString(),
                "http-status",
                "--input",
                "-",
                "--output",
                "xlsx");

        XlsxFile.Sheet lines = XlsxFile.read(out.toByteArray()).sheet("Lines");
        assertThat(String.join(",", lines.header()))
                .isEqualTo(csv.lines().findFirst().orElseThrow());
        assertThat(lines.column("index")).containsExactly("0", "1", "2");
        assertThat(lines.column("input")).containsExactly(lab.http("/ok"), "=1+1", lab.http("/status/404"));
        assertThat(lines.column("verdict")).containsExactly("pass", "error", "fail");
        assertThat(lines.column("error_code")).containsExactly(null, "invalid_target", null);
        assertThat(lines.rows().get(2).get("status").number()).isEqualTo(404);
        assertThat(lines.rows().get(0).get("checked_at").format()).isEqualTo("yyyy-mm-dd hh:mm:ss");
        assertThat(XlsxFile.read(out.toByteArray()).sheet("Findings").column("code"))
                .contains("status_client_error");
        assertThat(result.code()).isEqualTo(4);
        assertThat(result.err()).isEmpty();
    }

    @Test
    void junitHasOneTestCasePerTarget() throws Exception {
        CommandResult result =
                check("", lab.http("/ok"), lab.http("/status/404?a=<b>&c"), "http://a b/", "--output", "junit");

        Element suite = DocumentBuilderFactory.newInstance()
                .newDocumentBuilder()
                .parse(new ByteArrayInputStream(result.out().getBytes(StandardCharsets.UTF_8)))
                .getDocumentElement();
        assertThat(suite.getAttribute("tests")).isEqualTo("3");
        assertThat(suite.getAttribute("failures")).isEqualTo("1");
        assertThat(suite.getAttribute("errors")).isEqualTo("1");
        assertThat(suite.getElementsByTagName("testcase").getLength()).isEqualTo(3);
        Element failure = (Element) suite.getElementsByTagName("failure").item(0);
        assertThat(failure.getAttribute("type")).isEqualTo("HTTP client error (4xx)");
        assertThat(failure.getAttribute("message")).contains("404");
        assertThat(((Element) suite.getElementsByTagName("error").item(0)).getAttribute("type"))
                .isEqualTo("invalid_target");
        assertThat(suite.getElementsByTagName("error").item(0).getTextContent())
                .startsWith("ERROR  HTTP status for http://a b/\n");
    }

    @Test
    void markdownIsATableWithEscapedCells() {
        CommandResult result = check("", "a|b", lab.http("/ok"), "--output", "markdown");

        assertThat(result.out())
                .contains("| Verdict | Target | Finding |")
                .contains("| error | a\\|b |")
                .contains("2 checked");
    }

    @Test
    void nagiosBeginsWithTheState() {
        CommandResult result = check("", lab.http("/ok"), lab.http("/status/404"), "--output", "nagios");

        assertThat(result.out().lines().findFirst())
                .contains("PLUMBLINE CRITICAL - http-status 1 pass, 0 warn, 1 fail, 0 error"
                        + " | pass=1 warn=0 fail=1 error=0");
        assertThat(result.out()).containsPattern("(?m)^fail \\S+/status/404 ");
        assertThat(check("", lab.http("/ok"), "--output", "nagios").out())
                .startsWith("PLUMBLINE OK - http-status " + lab.http("/ok"));
    }

    /** Nagios does not define exit code 4. */
    @Test
    void nagiosIsUnknownWithAnInvalidTarget() {
        CommandResult single = check("", "http://a b/", "--output", "nagios");
        CommandResult several = check("", lab.http("/status/404"), "http://a b/", "--output", "nagios");
        CommandResult option = check("", lab.http("/ok"), "-o", "no_such=1", "--output", "nagios");

        assertThat(List.of(single.code(), several.code(), option.code())).containsOnly(3);
        assertThat(single.out()).startsWith("PLUMBLINE UNKNOWN - http-status http://a b/ invalid_target: ");
        assertThat(several.out()).startsWith("PLUMBLINE UNKNOWN - http-status 0 pass, 0 warn, 1 fail, 1 error | ");
        assertThat(option.out())
                .startsWith("PLUMBLINE UNKNOWN - Invalid option 'no_such=1': no_such is not an option of ");
    }

    @ParameterizedTest
    @CsvSource({
        "--output, yaml, 'must be one of text, json, ndjson, csv, junit, markdown, nagios, xlsx'",
        "--fail-on, pass, 'must be one of warn, fail, error'",
        "--concurrency, 0, must be an integer from 1 to 1000",
        "--input, no-such-file, 'File ''no-such-file'' does not exist. Check --input.'",
    })
    void invalidUsageHasExitCode4(String option, String value, String message) {
        CommandResult result = check("", option, value, "example.com");

        assertThat(result.code()).isEqualTo(4);
        assertThat(result.err()).contains(message);
        assertThat(result.out()).isEmpty();
    }
}
