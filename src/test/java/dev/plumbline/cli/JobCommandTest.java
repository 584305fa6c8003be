package dev.plumbline.cli;

import static org.assertj.core.api.Assertions.assertThat;

import de.siegmar.fastcsv.reader.CsvReader;
import de.siegmar.fastcsv.reader.NamedCsvRecord;
import dev.plumbline.postgres.Database;
import dev.plumbline.support.Await;
import dev.plumbline.support.CommandLineRunner;
import dev.plumbline.support.CommandResult;
import dev.plumbline.support.ServiceUnderTest;
import dev.plumbline.support.TestDatabase;
import dev.plumbline.support.XlsxFile;
import io.vertx.core.Handler;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.vertx.sqlclient.Tuple;
import java.io.ByteArrayOutputStream;
import java.io.FileOutputStream;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code job} commands against a running service. */
@Tag("integration")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class JobCommandTest {
    @RegisterExtension
    static final TestDatabase DATABASE = new TestDatabase();

    private static final String TOKEN = "job_0123456789012345678901";
    private static final String RUNNING_JOB =
            "{\"token\":\"" + TOKEN + "\",\"state\":\"running\",\"counts\":{\"total\":1}}";

    @TempDir
    static Path folder;

    private final Vertx vertx = Vertx.vertx();
    private final AtomicReference<String> sitemap = new AtomicReference<>("");
    private ServiceUnderTest service;
    private Database database;
    private HttpServer target;
    private Path keyFile;

    @BeforeAll
    void start() throws IOException {
        String url = DATABASE.createEmpty();
        service = ServiceUnderTest.start(url, Map.of());
        database = DATABASE.open(url);
        String key = service.printed().stream()
                .filter(line -> line.startsWith("api-key "))
                .findFirst()
                .orElseThrow()
                .substring("api-key ".length());
        keyFile = Files.writeString(folder.resolve("key"), key + "\n");
        target = Await.value(vertx.createHttpServer()
                .requestHandler(request -> {
                    if (!request.path().equals("/silent")) {
                        request.response()
                                .setStatusCode(request.path().equals("/missing") ? 404 : 200)
                                .end(request.path().equals("/sitemap.txt") ? sitemap.get() : "ok");
                    }
                })
                .listen(0, "127.0.0.1"));
    }

    @AfterAll
    void stop() {
        service.close();
        Await.value(vertx.close());
    }

    private String url(String path) {
        return "http://127.0.0.1:" + target.actualPort() + path;
    }

    private CommandResult job(String stdin, String command, String... more) {
        return jobAt(service.uri("").toString(), stdin, command, more);
    }

    private CommandResult jobAt(String server, String stdin, String command, String... more) {
        List<String> arguments =
                new ArrayList<>(List.of("job", command, "--server", server, "--key-file", keyFile.toString()));
        arguments.addAll(List.of(more));
        return CommandLineRunner.run(stdin, arguments.toArray(String[]::new));
    }

    @Test
    void longInputBecomesSeveralJobsWithJoinedResults() {
        List<String> urls =
                IntStream.range(0, 1_001).mapToObj(i -> url("/" + i)).toList();

        CommandResult result = job(
                String.join("\n", urls),
                "create",
                "http-status",
                "--input",
                "-",
                "--name",
                "nightly",
                "-o",
                "max_redirects=3",
                "--output",
                "csv");

        assertThat(result.code()).as(result.err()).isZero();
        assertThat(result.err().lines().toList())
                .hasSize(4)
                .startsWith("1,001 valid, 0 invalid, 0 duplicates")
                .endsWith(result.err().lines().skip(1).toArray(String[]::new));
        assertThat(result.err().lines().skip(1)).allMatch(line -> line.startsWith("job_"));
        List<NamedCsvRecord> records =
                CsvReader.builder().ofNamedCsvRecord(result.out()).stream().toList();
        assertThat(records)
                .extracting(line -> line.getField("index"))
                .containsExactlyElementsOf(
                        IntStream.range(0, 1_001).mapToObj(Integer::toString).toList());
        assertThat(records).extracting(line -> line.getField("input")).containsExactlyElementsOf(urls);
        CommandResult list = job("", "list", "--json");
        assertThat(new JsonArray(list.out()).stream().map(job -> ((JsonObject) job).getString("name")))
                .contains("nightly (1 of 3)", "nightly (2 of 3)", "nightly (3 of 3)");
    }

    @Test
    void theUrlsOfASitemapBecomeJobs() {
        List<String> urls =
                IntStream.range(0, 501).mapToObj(i -> url("/page" + i)).toList();
        sitemap.set(String.join("\n", urls) + "\n");
        Path settings = writeSettings();

        CommandResult result = job(
                "",
                "create",
                "http-status",
                url("/first"),
                "--sitemap",
                url("/sitemap.txt"),
                "--conf",
                settings.toString(),
                "--output",
                "ndjson");

        assertThat(result.code()).as(result.err()).isZero();
        assertThat(result.err().lines())
                .startsWith("Sitemap: 501 URLs in 1 sitemap", "502 valid, 0 invalid, 0 duplicates");
        assertThat(result.out().lines().map(JsonObject::new).map(line -> line.getString("input")))
                .startsWith(url("/first"), url("/page0"))
                .endsWith(url("/page500"))
                .hasSize(502);
        assertThat(new JsonArray(job("", "list", "--json").out())
                        .stream().limit(2).map(job -> ((JsonObject) job).getString("name")))
                .containsExactly("HTTP status, 502 targets (2 of 2)", "HTTP status, 502 targets (1 of 2)");
    }

    @Test
    void aSitemapThatCannotBeReadCreatesNoJob() {
        Path settings = writeSettings();
        String before = job("", "list", "--json").out();
        sitemap.set(url("/page") + "\nnot a URL\n");

        CommandResult partial =
                job("", "create", "http-status", "--sitemap", url("/sitemap.txt"), "--conf", settings.toString());
        CommandResult missing =
                job("", "create", "http-status", "--sitemap", url("/missing"), "--conf", settings.toString());
        CommandResult blocked = job("", "create", "http-status", "--sitemap", url("/sitemap.txt"));

        assertThat(List.of(partial.code(), missing.code(), blocked.code())).containsOnly(4);
        assertThat(partial.err()).contains("1 entry is not valid. Line 2: not a URL is not a valid absolute URL");
        assertThat(missing.err()).contains("The server returned status 404.");
        assertThat(blocked.err()).startsWith("plumbline: Invalid --sitemap '" + url("/sitemap.txt") + "': ");
        assertThat(job("", "list", "--json").out()).isEqualTo(before);
    }

    private static Path writeSettings() {
        try {
            return Files.writeString(
                    folder.resolve("open.yaml"),
                    "targets: {allow: [127.0.0.0/8], ports: ['*'], per_ip_per_second: 0}\n");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    void targetsAreReadFromAColumnAndCounted() throws IOException {
        Path csv = Files.writeString(
                folder.resolve("sites.csv"),
                "name;Home page;mirror\n\"One; first\";%s;%s\nTwo;%s;%s\nThree;\u001b[31mno target;%s\n"
                        .formatted(url("/a"), url("/x"), url("/a"), url("/y"), url("/z")));

        CommandResult suggested = job("", "create", "http-status", "--input", "" + csv, "--output", "ndjson");
        CommandResult named =
                job("", "create", "http-status", "--input", "" + csv, "--column", "home PAGE", "--output", "ndjson");

        assertThat(suggested.err().lines())
                .startsWith(
                        "CSV: column 3 of 3 'mirror'. --column selects another one.",
                        "3 valid, 0 invalid, 0 duplicates");
        assertThat(named.err().lines())
                .startsWith(
                        "CSV: column 2 of 3 'Home page'.",
                        "1 valid, 1 invalid, 1 duplicate",
                        "Invalid: line 4, '\ufffd[31mno target': The target must not contain control characters.");
        assertThat(named.out().lines().map(JsonObject::new))
                .extracting(line -> line.getString("input"))
                .containsExactly(url("/a"), url("/a"), "\u001b[31mno target");
        assertThat(new JsonArray(job("", "list", "--json").out())
                        .getJsonObject(0)
                        .getString("name"))
                .isEqualTo("HTTP status, 3 targets");
    }

    @Test
    void anUnknownColumnIsAnError() throws IOException {
        Path csv = Files.writeString(folder.resolve("two.csv"), "name,url\nOne,https://a.test/\n");

        CommandResult result = job("", "create", "http-status", "--input", "" + csv, "--column", "link");

        assertThat(result.code()).isEqualTo(4);
        assertThat(result.err())
                .isEqualTo("plumbline: Column 'link' does not exist. Set --column to one of: name, url.");
        assertThat(job("", "create", "http-status", "a.test", "--column", "url").err())
                .isEqualTo("plumbline: --column 'url' is given without a file. Add --input FILE.");
    }

    @Test
    void aSummaryUsesThePolicyOfTheJobAndAComparisonTheStoredResults() {
        String stored = job("", "create", "http-status", url("/ok")).out();
        String evaluated = job("", "create", "http-status", url("/ok"), "--expect", "status == 500")
                .out();
        job("", "watch", stored, evaluated);

        assertThat(atServer("summary", evaluated).out()).contains("expectation_failed");
        assertThat(atServer("summary", evaluated, "--expect", "status == 200").out())
                .doesNotContain("expectation_failed");
        assertThat(atServer("diff", stored, evaluated).out()).contains("0 worse, 0 better, 0 changed, 1 unchanged");
    }

    @Test
    void filesOfJobsHaveColumnsForThePolicy() throws IOException {
        String stored = job("", "create", "http-status", url("/ok")).out();
        String evaluated = job("", "create", "http-status", url("/ok"), "--expect", "status == 500")
                .out();
        job("", "watch", stored, evaluated);

        CommandResult differ = job("", "download", stored, evaluated);
        CommandResult same = job("", "download", stored, evaluated, "--expect", "status == 200");
        XlsxFile.Sheet lines = workbook(stored, evaluated).sheet("Lines");

        assertThat(differ.code()).isEqualTo(4);
        assertThat(differ.err())
                .contains("The columns of job " + evaluated
                        + " differ from those of the first job, because its module or policy is different.");
        assertThat(same.code()).isZero();
        assertThat(CsvReader.builder().ofNamedCsvRecord(same.out()).stream())
                .extracting(line -> line.getField("index") + " " + line.getField("policy_met_count"))
                .containsExactly("0 1", "1 1");
        assertThat(lines.column("policy_met_count")).containsExactly(null, "0");
        assertThat(workbook(stored).sheet("Lines").header()).doesNotContain("policy_met_count");
    }

    @Test
    void aRetryDoesNotHaveExpectationsThatAreNoLongerValid() throws IOException {
        int port;
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            port = socket.getLocalPort();
        }
        String token = job("", "create", "http-status", "http://127.0.0.1:" + port + "/", "--expect", "status == 200")
                .out();
        job("", "watch", token);
        Await.value(database.query(
                "update job set evaluation = $2 where token = $1",
                Tuple.of(token, new JsonObject("{\"policy\":null,\"expect\":[\"removed == 1\",\"status == 200\"]}"))));

        CommandResult retry = job("", "retry", token);

        assertThat(retry.code()).as(retry.err()).isZero();
        assertThat(retry.err())
                .startsWith(
                        "The expectation 'removed == 1' is no longer valid for this module. The new job is created without it.");
        JsonObject created = new JsonArray(job("", "list", "--json").out()).getJsonObject(0);
        assertThat(created.getString("token")).isEqualTo(retry.out());
        assertThat(created.getJsonArray("expect").encode()).isEqualTo("[\"status == 200\"]");
    }

    private CommandResult atServer(String... arguments) {
        return CommandLineRunner.run(
                "",
                Stream.concat(
                                Stream.of(arguments),
                                Stream.of("--server", service.uri("").toString(), "--key-file", keyFile.toString()))
                        .toArray(String[]::new));
    }

    @Test
    void jobsAreSummarizedAndCompared() {
        String before =
                job("", "create", "http-status", url("/ok"), url("/missing")).out();
        String after = job("", "create", "http-status", url("/missing"), url("/new"), "-o", "fresh=true")
                .out();
        job("", "watch", before, after);
        String[] server = {"--server", service.uri("").toString(), "--key-file", keyFile.toString()};

        CommandResult summary = CommandLineRunner.run(
                "",
                Stream.concat(Stream.of("summary", before, "--output", "json"), Stream.of(server))
                        .toArray(String[]::new));
        CommandResult diff = CommandLineRunner.run(
                "",
                Stream.concat(Stream.of("diff", before, after), Stream.of(server))
                        .toArray(String[]::new));

        JsonObject json = new JsonObject(summary.out());
        assertThat(json.getString("token")).isEqualTo(before);
        assertThat(json.getString("state")).isEqualTo("completed");
        assertThat(json.getJsonObject("counts").getInteger("done")).isEqualTo(2);
        assertThat(json.getJsonArray("findings").getJsonObject(0).getString("code"))
                .isEqualTo("status_client_error");
        assertThat(diff.out())
                .startsWith("NEW       " + url("/new"))
                .contains("GONE      " + url("/ok"))
                .endsWith("1 new, 1 gone, 0 worse, 0 better, 0 changed, 1 unchanged\n"
                        + "The options of the jobs differ: fresh false → true");
        assertThat(diff.code()).isZero();
    }

    @Test
    void linesWithAnErrorAreCheckedAgain() throws IOException {
        int port;
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            port = socket.getLocalPort();
        }
        String down = "http://127.0.0.1:" + port + "/";
        String token = job(
                        "",
                        "create",
                        "http-status",
                        url("/ok"),
                        url("/missing"),
                        down,
                        "not a target",
                        "-o",
                        "max_redirects=3",
                        "--expect",
                        "status == 200")
                .out();
        job("", "watch", token);

        CommandResult retry = job("", "retry", token);

        assertThat(retry.code()).as(retry.err()).isZero();
        assertThat(job("", "download", retry.out(), "--output", "ndjson")
                        .out()
                        .lines()
                        .map(JsonObject::new))
                .extracting(line -> line.getString("input"))
                .containsExactly(down);
        JsonObject created = new JsonArray(job("", "list", "--json").out()).getJsonObject(0);
        assertThat(created.getString("name")).isEqualTo("1 check with an error code from HTTP status, 4 targets");
        assertThat(created.getJsonObject("options"))
                .isEqualTo(new JsonObject().put("fresh", true).put("max_redirects", 3));
        assertThat(created.getJsonArray("expect").encode()).isEqualTo("[\"status == 200\"]");
        assertThat(job("", "download", token, "--verdict", "fail").out()).contains("expectation_failed");
        String passed = job("", "create", "http-status", url("/ok")).out();
        job("", "watch", passed);
        CommandResult none = job("", "retry", passed);
        assertThat(none.code()).isZero();
        assertThat(none.err()).isEqualTo("The job does not have checks with an error code.");
    }

    @Test
    void aRunningJobIsNotRetried() {
        CommandResult result = jobAtServer(request -> request.response().end(RUNNING_JOB), "retry", TOKEN);

        assertThat(result.code()).isEqualTo(4);
        assertThat(result.err()).startsWith("plumbline: Job " + TOKEN + " has not finished. Run 'plumbline job watch ");
    }

    @Test
    void csvDoesNotControlTheTerminal() {
        CommandResult result =
                job("", "create", "http-status", "a\u001b]0;b\u0007\u202e", url("/ok"), "--output", "csv");

        assertThat(result.out().lines().toList())
                .hasSize(3)
                .anyMatch(line -> line.startsWith("0,\"a\ufffd]0;b\ufffd\ufffd\","))
                .anyMatch(line -> line.startsWith("1," + url("/ok")))
                .noneMatch(line -> line.matches(".*[\\p{Cc}\\p{Cf}].*"));
    }

    @Test
    void tokensOfCreatedJobsCanBeWatchedDownloadedAndListed() {
        CommandResult created = job("", "create", "http-status", url("/a\"b"), url("/missing"));
        String token = created.out();
        assertThat(created.err())
                .isEqualTo("Next: plumbline job watch --server " + service.uri("") + " --key-file " + keyFile + " "
                        + token);
        String other = job("", "create", "http-status", "not a target").out();

        assertThat(job("", "watch", token, other).out()).isEqualTo("1 pass, 0 warn, 1 fail, 1 error");
        CommandResult download = job("", "download", token, other, "--output", "ndjson");
        assertThat(download.out().lines().map(JsonObject::new))
                .extracting(line -> line.getInteger("index") + " " + line.getString("verdict"))
                .containsExactly("0 pass", "1 fail", "2 error");
        assertThat(new JsonArray(job("", "download", token, "--output", "json").out()))
                .hasSize(2);
        assertThat(job("", "list").out()).startsWith("TOKEN").containsPattern(token + " .*completed +2/2 +http-status");
    }

    @Test
    void downloadsCanBeFiltered() {
        String token = job("", "create", "http-status", url("/a"), url("/missing"), "not a target")
                .out();
        String other =
                job("", "create", "http-status", url("/missing"), url("/b")).out();
        job("", "watch", token, other);

        CommandResult failed =
                job("", "download", token, other, "--output", "ndjson", "--verdict", "fail,error", "--query", "MISS");
        CommandResult csv =
                job("", "download", token, other, "--finding", "status_client_error", "--fields", "final_url,status");
        CommandResult unknown = job("", "download", token, "--fields", "color");
        CommandResult none = job("", "download", token, "--query", "nowhere", "--output", "json");

        assertThat(failed.out().lines().map(JsonObject::new))
                .extracting(line -> line.getInteger("index") + " " + line.getString("input"))
                .containsExactly("1 " + url("/missing"), "3 " + url("/missing"));
        assertThat(csv.out().lines()).extracting(line -> line.split(",")[0]).containsExactly("index", "1", "3");
        assertThat(csv.out().lines().findFirst().orElseThrow())
                .endsWith(",checked_at,final_url,status,finding_codes,top_finding");
        assertThat(unknown.code()).isEqualTo(4);
        assertThat(unknown.err())
                .startsWith("plumbline: HTTP 422: Parameter fields: 'color' is not a field of http-status. Fields: ");
        assertThat(none.code()).as(none.err()).isZero();
        assertThat(none.out()).isEqualTo("[]");
    }

    @Test
    void aWorkbookJoinsJobsOfOneModule() {
        String token = job("", "create", "http-status", url("/a"), url("/missing"), "not a target")
                .out();
        String other =
                job("", "create", "http-status", url("/missing"), url("/b")).out();
        String otherModule = job("", "create", "hsts", url("/a")).out();

        XlsxFile all = workbook(token, other);
        XlsxFile some = workbook(token, other, "--verdict", "fail", "--fields", "final_url,status");
        CommandResult mixed = job("", "download", token, otherModule, "--output", "xlsx");

        assertThat(all.sheet("Lines").column("index")).containsExactly("0", "1", "2", "3", "4");
        assertThat(all.sheet("Lines").column("verdict")).containsExactly("pass", "fail", "error", "fail", "pass");
        assertThat(all.sheet("Lines").header()).contains("state", "cached", "final_url", "top_finding");
        assertThat(all.sheet("Findings").column("index")).contains("1", "3");
        assertThat(some.sheet("Lines").column("index")).containsExactly("1", "3");
        assertThat(some.sheet("Lines").header()).endsWith("final_url", "status", "finding_codes", "top_finding");
        assertThat(some.sheet("Lines").rows().get(0).get("status").number()).isEqualTo(404);
        assertThat(mixed.code()).isEqualTo(4);
        assertThat(mixed.err())
                .isEqualTo(
                        "plumbline: The module of job %s is 'hsts', not 'http-status'. A workbook contains jobs of one module. Download the others separately."
                                .formatted(otherModule));
        assertThat(mixed.out()).isEmpty();
    }

    private XlsxFile workbook(String... tokensAndOptions) {
        List<String> arguments = new ArrayList<>(List.of(
                "job",
                "download",
                "--server",
                service.uri("").toString(),
                "--key-file",
                keyFile.toString(),
                "--output",
                "xlsx"));
        arguments.addAll(List.of(tokensAndOptions));
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        CommandResult result = CommandLineRunner.run("", out, arguments.toArray(String[]::new));
        assertThat(result.code()).as(result.err()).isZero();
        return XlsxFile.read(out.toByteArray());
    }

    @Test
    void watchPrintsLinesWhenTheyFinish() {
        String token = job("", "create", "http-status", url("/a"), url("/missing"), url("/a"))
                .out();
        String other =
                job("", "create", "http-status", "not a target", url("/b")).out();

        CommandResult result = job("", "watch", token, other, "--output", "ndjson");

        assertThat(result.code()).as(result.err()).isZero();
        assertThat(result.out().lines().map(JsonObject::new))
                .extracting(line -> line.getInteger("index") + " " + line.getString("verdict"))
                .containsExactlyInAnyOrder("0 pass", "1 fail", "2 pass", "3 error", "4 pass");
        assertThat(job("", "watch", token, other, "--output", "ndjson").out().lines())
                .hasSize(5);
    }

    /** The second line finishes after the first one has been printed. */
    @Test
    void watchPrintsLinesOfARunningJob() {
        List<String> requests = new CopyOnWriteArrayList<>();
        CommandResult result = jobAtServer(
                request -> {
                    requests.add(request.uri());
                    String line = "{\"index\":%d,\"verdict\":\"pass\"}";
                    boolean last = request.uri().endsWith("since=a");
                    String results = request.uri().contains("results=false")
                            ? ""
                            : ",\"since\":\"%s\",\"results\":[%s]"
                                    .formatted(last ? "b" : "a", line.formatted(last ? 0 : 1));
                    request.response()
                            .end("{\"token\":\"%s\",\"state\":\"%s\",\"counts\":{\"total\":2}%s}"
                                    .formatted(TOKEN, last ? "completed" : "running", results));
                },
                "watch",
                TOKEN,
                "--output",
                "ndjson");

        assertThat(result.code()).as(result.err()).isZero();
        assertThat(result.out().lines())
                .containsExactly("{\"index\":1,\"verdict\":\"pass\"}", "{\"index\":0,\"verdict\":\"pass\"}");
        assertThat(requests).hasSize(3);
    }

    @Test
    void watchNeedsAServiceThatReturnsNewLines() {
        CommandResult result =
                jobAtServer(request -> request.response().end(RUNNING_JOB), "watch", TOKEN, "--output", "ndjson");

        assertThat(result.code()).isEqualTo(4);
        assertThat(result.err()).startsWith("plumbline: The service does not support --output for 'job watch'.");
    }

    @ParameterizedTest
    @ValueSource(strings = {"create http-status no.target", "list", "watch TOKEN", "download TOKEN"})
    void outputToAFullDiskIsAnError(String command) throws IOException {
        String token = job("", "create", "http-status", "not a target").out();
        String connection = " --server " + service.uri("") + " --key-file " + keyFile;
        try (OutputStream full = new FileOutputStream("/dev/full")) {
            CommandResult result =
                    CommandLineRunner.run("", full, ("job " + command.replace("TOKEN", token) + connection).split(" "));

            assertThat(result.code()).isEqualTo(4);
            assertThat(result.err().lines().filter(line -> line.startsWith("plumbline: ")))
                    .containsExactly("plumbline: stdout cannot be written: No space left on device. Redirect it to a"
                            + " writable file.");
        }
    }

    /** As for {@code head}, which does not read more than it needs. */
    @ParameterizedTest
    @ValueSource(strings = {"watch TOKEN --output ndjson", "download TOKEN"})
    void aClosedPipeIsNotReported(String command) throws IOException {
        String token = job("", "create", "http-status", "not a target").out();
        String connection = " --server " + service.uri("") + " --key-file " + keyFile;
        try (OutputStream closed = new FilterOutputStream(OutputStream.nullOutputStream()) {
            @Override
            public void write(byte[] bytes, int offset, int length) throws IOException {
                throw new IOException("Broken pipe");
            }
        }) {
            CommandResult result = CommandLineRunner.run(
                    "", closed, ("job " + command.replace("TOKEN", token) + connection).split(" "));

            assertThat(result).isEqualTo(new CommandResult(4, "", ""));
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '"',
            value = {
                "--verdict | '' | '' is not a verdict. Use pass, warn, fail or error.",
                "--verdict | warn,bad | 'bad' is not a verdict. Use pass, warn, fail or error.",
                "--finding | '' | '' is not a valid finding code. Use CODE or PART/CODE, for example"
                        + " status_client_error or hsts/hsts_short.",
                "--finding | own,Not Found | 'Not Found' is not a valid finding code. Use CODE or PART/CODE, for example"
                        + " status_client_error or hsts/hsts_short.",
                "--fields | '' | --fields contains an empty name. Use names of fields, for example status,final_url."
            })
    void filtersAreValidatedBeforeTheFirstRequest(String option, String value, String error) {
        List<String> requests = new CopyOnWriteArrayList<>();

        CommandResult result = jobAtServer(
                request -> {
                    requests.add(request.uri());
                    request.response().end(RUNNING_JOB);
                },
                "download",
                TOKEN,
                option,
                value.equals("''") ? "" : value);

        assertThat(result).isEqualTo(new CommandResult(4, "", "plumbline: " + error));
        assertThat(requests).isEmpty();
    }

    @Test
    void theOnlyFormatOfWatchIsNamed() {
        assertThat(job("", "watch", TOKEN, "--output", "csv").err())
                .startsWith("plumbline: Invalid value for option '--output': must be ndjson, not 'csv'");
    }

    @Test
    void aCancelledJobHasExitCode1() {
        String token = job("", "create", "http-status", url("/silent"), "-o", "timeout_ms=30000")
                .out();

        CommandResult cancelled = job("", "cancel", token);

        assertThat(cancelled.code()).as(cancelled.err()).isZero();
        CommandResult watched = job("", "watch", token);
        assertThat(watched.code()).isEqualTo(1);
        assertThat(watched.out()).isEqualTo("0 pass, 0 warn, 0 fail, 0 error");
    }

    @Test
    void exceededQuotasAndLostResponsesAreRetriedWithTheSameIdempotencyKey() {
        List<String> keys = new CopyOnWriteArrayList<>();
        HttpServer busy = Await.value(vertx.createHttpServer()
                .requestHandler(request -> respondLate(request, keys))
                .listen(0, "127.0.0.1"));

        CommandResult result =
                jobAt("http://127.0.0.1:" + busy.actualPort(), "", "create", "http-status", "example.com");

        assertThat(result.out()).isEqualTo("job_0123456789012345678901");
        assertThat(result.err())
                .contains("HTTP 429: The quota is exceeded. Retrying in 1 s.")
                .contains("failed: Connection was closed. Retrying in 1 s.");
        assertThat(keys).hasSize(3).containsOnly(keys.get(0));
    }

    /**
     * The service does not know whether it created the job: the job is read before the request is repeated.
     *
     * @param exists whether the job exists
     */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aJobThatMayHaveBeenCreatedIsRead(boolean exists) {
        List<String> requests = new CopyOnWriteArrayList<>();
        List<String> keys = new CopyOnWriteArrayList<>();
        CommandResult result = jobAtServer(
                request -> {
                    requests.add(request.method() + " " + request.path());
                    if (request.method() == HttpMethod.POST) {
                        keys.add(request.getHeader("Idempotency-Key"));
                    }
                    int status =
                            requests.size() == 1 ? 503 : request.method() == HttpMethod.POST ? 202 : exists ? 200 : 404;
                    request.response()
                            .setStatusCode(status)
                            .putHeader("Retry-After", "1")
                            .end(
                                    status == 503
                                            ? "{\"detail\":\"It is unknown.\",\"token\":\"" + TOKEN + "\"}"
                                            : RUNNING_JOB);
                },
                "create",
                "http-status",
                "example.com");

        assertThat(result.code()).as(result.err()).isZero();
        assertThat(result.out()).isEqualTo(TOKEN);
        assertThat(result.err()).contains("HTTP 503: It is unknown. Retrying in 1 s.");
        String create = "POST /api/v1/jobs";
        String read = "GET /api/v1/jobs/" + TOKEN;
        assertThat(requests).isEqualTo(exists ? List.of(create, read) : List.of(create, read, create));
        assertThat(keys).containsOnly(keys.get(0));
    }

    @Test
    @Timeout(60)
    void withoutAServiceTheCommandFailsWithoutRetries() throws IOException {
        String server;
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            server = "http://127.0.0.1:" + socket.getLocalPort();
        }

        CommandResult result = jobAt(server, "", "list");

        assertThat(result.code()).isEqualTo(4);
        assertThat(result.err())
                .isEqualTo("plumbline: Connection refused by " + server
                        + ". Start the service, or set --server or PLUMBLINE_SERVER.");
    }

    private static void respondLate(HttpServerRequest request, List<String> keys) {
        keys.add(request.getHeader("Idempotency-Key"));
        switch (keys.size()) {
            case 1 ->
                request.response()
                        .setStatusCode(429)
                        .putHeader("Retry-After", "1")
                        .end("{\"detail\":\"The quota is exceeded.\"}");
            case 2 -> request.connection().close();
            default -> request.response().setStatusCode(202).end(RUNNING_JOB);
        }
    }

    @Test
    @Timeout(60)
    void aQuotaThatIsExceededForHoursIsAnError() {
        CommandResult result = jobAtServer(
                request -> request.response()
                        .setStatusCode(429)
                        .putHeader("Retry-After", "7201")
                        .end("{\"detail\":\"The quota is exceeded.\"}"),
                "list");

        assertThat(result.code()).isEqualTo(4);
        assertThat(result.err()).isEqualTo("plumbline: HTTP 429: The quota is exceeded.");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{}",
                "{\"token\":\"" + TOKEN + "\",\"state\":7,\"counts\":{}}",
                "{\"token\":\"" + TOKEN + "\",\"state\":\"running\",\"counts\":{\"total\":\"x\"}}",
                "{\"token\":\"\\u001b[31m\",\"state\":\"running\",\"counts\":{}}"
            })
    void aResponseThatIsNotAJobIsAnError(String body) {
        CommandResult result = jobAtServer(request -> request.response().end(body), "watch", TOKEN);

        assertThat(result.code()).isEqualTo(4);
        assertThat(result.err()).isEqualTo("plumbline: The response of the server is not a job. Check --server.");
    }

    @Test
    void controlCharactersOfAProblemAreNotPrinted() {
        CommandResult result = jobAtServer(
                request -> request.response().setStatusCode(500).end("{\"detail\":\"\\u001b[31mred\"}"), "list");

        assertThat(result.err()).isEqualTo("plumbline: HTTP 500: \ufffd[31mred");
    }

    /** The service responds at once if too many requests of the key wait. */
    @Test
    void aJobThatRunsIsRequestedOncePerSecond() {
        AtomicInteger requests = new AtomicInteger();
        AtomicReference<String> job = new AtomicReference<>(RUNNING_JOB);
        CommandResult result = jobAtServer(
                request -> {
                    if (requests.incrementAndGet() == 1) {
                        vertx.setTimer(2_000, timer -> job.set(RUNNING_JOB.replace("running", "completed")));
                    }
                    request.response().end(job.get());
                },
                "watch",
                TOKEN);

        assertThat(result.code()).isZero();
        // without delay at the start, after 1 and 2 s, and one that overlaps the end of the job
        assertThat(requests).hasValueLessThanOrEqualTo(5);
    }

    @Test
    void aLongNameIsTruncatedBetweenCharacters() {
        CommandResult result = job("", "create", "http-status", "a b", "--name", "\ud83d\ude00".repeat(101));

        assertThat(result.code()).as(result.err()).isZero();
        assertThat(job("", "list", "--json").out()).contains("\"" + "\ud83d\ude00".repeat(100) + "\"");
    }

    private CommandResult jobAtServer(Handler<HttpServerRequest> handler, String command, String... more) {
        HttpServer server =
                Await.value(vertx.createHttpServer().requestHandler(handler).listen(0, "127.0.0.1"));
        try {
            return jobAt("http://127.0.0.1:" + server.actualPort(), "", command, more);
        } finally {
            Await.value(server.close());
        }
    }

    @Test
    void errorsOfTheServiceAreReported() {
        CommandResult option = job("", "create", "http-status", "example.com", "-o", "max_redirects=99");
        assertThat(option.code()).isEqualTo(4);
        assertThat(option.err()).startsWith("plumbline: HTTP 422: ");

        CommandResult unknown = job("", "watch", "job_0123456789012345678901");
        assertThat(unknown.code()).isEqualTo(4);
        assertThat(unknown.err()).startsWith("plumbline: HTTP 404: ");
    }

    @ParameterizedTest
    @ValueSource(strings = {"watch", "download", "cancel", "create", "creat"})
    void missingArgumentsAreInvalidUsage(String command) {
        CommandResult result = job("", command);

        assertThat(result.code()).isEqualTo(4);
        assertThat(result.err()).isNotEmpty();
    }

    @Test
    void aKeyIsRequired() throws IOException {
        Path empty = Files.writeString(folder.resolve("empty"), "\n");

        CommandResult result =
                CommandLineRunner.run("", "job", "list", "--server", "http://127.0.0.1:1", "--key-file", "" + empty);

        assertThat(result.code()).isEqualTo(4);
        assertThat(result.err()).contains("API key required. Set PLUMBLINE_KEY or --key-file.");
    }
}
