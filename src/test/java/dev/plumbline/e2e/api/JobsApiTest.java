package dev.plumbline.e2e.api;

import static dev.plumbline.support.JobsApiClient.assertProblem;
import static dev.plumbline.support.JobsApiClient.body;
import static dev.plumbline.support.JobsApiClient.header;
import static dev.plumbline.support.JobsApiClient.lines;
import static dev.plumbline.support.JobsApiClient.states;
import static dev.plumbline.support.JobsApiClient.token;
import static org.assertj.core.api.Assertions.assertThat;

import de.siegmar.fastcsv.reader.CsvReader;
import de.siegmar.fastcsv.reader.NamedCsvRecord;
import dev.plumbline.account.Plan;
import dev.plumbline.account.Scope;
import dev.plumbline.account.TestAccounts;
import dev.plumbline.lab.FreePorts;
import dev.plumbline.lab.HttpLab;
import dev.plumbline.support.Await;
import dev.plumbline.support.DebianTool;
import dev.plumbline.support.JobsApiClient;
import dev.plumbline.support.JobsApiFixture;
import dev.plumbline.support.ServiceUnderTest;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Jobs over HTTP, processed by the whole service. */
@Tag("integration")
class JobsApiTest {
    @RegisterExtension
    static final JobsApiFixture FIXTURE = new JobsApiFixture();

    private static final String JOBS = JobsApiClient.PATH;
    private final ServiceUnderTest service = FIXTURE.service();
    private static HttpLab lab;
    private final TestAccounts accounts = FIXTURE.accounts();
    private final String key = FIXTURE.key();
    private final JobsApiClient jobs = FIXTURE.client();

    @BeforeAll
    static void start() {
        lab = Await.value(HttpLab.start(FIXTURE.database().vertx()));
    }

    @Test
    void jobIsCreatedAwaitedAndRead() {
        List<String> items = List.of(lab.http("/ok"), "not a target", lab.http("/ok"), "", lab.http("/missing"));

        HttpResponse<String> created = jobs.create(items, new JsonObject());
        JsonObject job = new JsonObject(created.body());
        JsonObject done = jobs.finished(job.getString("token"));

        assertThat(created.statusCode()).isEqualTo(202);
        String self = "https://checks.example.org/api/v1/jobs/" + job.getString("token");
        assertThat(header(created, "Location")).isEqualTo(self);
        assertThat(header(created, "Cache-Control")).isEqualTo("private, no-cache");
        assertThat(header(created, "Vary")).isEqualTo("Authorization, X-Api-Key, Accept, Accept-Encoding");
        assertThat(header(created, "RateLimit-Policy"))
                .isEqualTo("\"jobs\";q=60;w=3600, \"jobs-account\";q=600;w=3600");
        assertThat(job.getString("token")).matches("job_[0-9A-Za-z]{22}");
        assertThat(job.getString("state")).isEqualTo("queued");
        assertThat(states(job)).containsOnly("pending").hasSize(5);
        assertThat(job.getJsonObject("links"))
                .isEqualTo(new JsonObject()
                        .put("self", self)
                        .put("csv", self + "/results.csv")
                        .put("ndjson", self + "/results.ndjson")
                        .put("web", "https://checks.example.org/jobs/" + job.getString("token")));

        assertThat(done.getString("state")).isEqualTo("completed");
        assertThat(done.getDouble("progress")).isEqualTo(1.0);
        assertThat(done.getString("expires_at")).isNotNull();
        assertThat(lines(done)).extracting(line -> line.getString("input")).isEqualTo(items);
        assertThat(lines(done)).extracting(line -> line.getInteger("index")).containsExactly(0, 1, 2, 3, 4);
        assertThat(states(done)).containsOnly("done");
        assertThat(lines(done).get(0).getJsonObject("fields").getInteger("status"))
                .isEqualTo(200);
        assertThat(lines(done).get(1).getJsonObject("error").getString("code")).isEqualTo("invalid_target");
        assertThat(lines(done).get(3).getJsonObject("error").getString("code")).isEqualTo("invalid_target");
        JsonObject counts = done.getJsonObject("counts");
        assertThat(counts.getInteger("total")).isEqualTo(5);
        assertThat(counts.getInteger("done")).isEqualTo(5);
        assertThat(counts.getInteger("pass")
                        + counts.getInteger("warn")
                        + counts.getInteger("fail")
                        + counts.getInteger("error"))
                .isEqualTo(5);
    }

    @Test
    void bothKeyHeadersAreAccepted() {
        String body = body(List.of("not a target"), new JsonObject()).encode();

        assertThat(service.post(JOBS, body, "X-Api-Key", key).statusCode()).isEqualTo(202);
        assertThat(service.post(JOBS, body, "Authorization", "Bearer " + key).statusCode())
                .isEqualTo(202);
        assertThat(service.post(JOBS, body).statusCode()).isEqualTo(401);
        assertThat(service.get(JOBS).statusCode()).isEqualTo(401);
    }

    @Test
    void scopesAndOwnershipAreEnforced() {
        TestAccounts.Key reader = accounts.key(accounts.account(Plan.PRO), Scope.JOBS_READ);
        String free = accounts.key(accounts.account(Plan.FREE), Scope.values()).secret();
        String token = token(jobs.create(List.of("not a target"), new JsonObject()));
        String body = body(List.of("a"), new JsonObject()).encode();

        assertThat(service.post(JOBS, body, "X-Api-Key", reader.secret()).statusCode())
                .isEqualTo(403);
        assertThat(service.post(JOBS, body, "X-Api-Key", free).statusCode()).isEqualTo(403);
        for (String path : List.of(
                JOBS + "/" + token, JOBS + "/" + token + "/results.csv", JOBS + "/" + token + "/results.ndjson")) {
            HttpResponse<String> strange = service.get(path, "X-Api-Key", reader.secret());
            assertProblem(strange, 404, "no-such-job");
        }
        String other = accounts.key().secret();
        assertProblem(jobs.delete(token, other), 404, "no-such-job");
        assertThat(jobs.get("/" + token).statusCode()).isEqualTo(200);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "job_",
                "job_123",
                "job_4kJ0mZ3tQbW9xYcR1nLp7s",
                "JOB_4kJ0mZ3tQbW9xYcR1nLp7s",
                "job_4kJ0mZ3tQbW9xYcR1nLp7%C3%A9",
                "4kJ0mZ3tQbW9xYcR1nLp7s"
            })
    void unknownJobIs404(String token) {
        assertProblem(jobs.get("/" + token), 404, "no-such-job");
        assertProblem(jobs.get("/" + token + "/results.csv"), 404, "no-such-job");
        assertProblem(jobs.delete(token, key), 404, "no-such-job");
    }

    @Test
    void returnMinimalOmitsResults() {
        HttpResponse<String> created =
                jobs.post(body(List.of("not a target"), new JsonObject()).encode(), "Prefer", "return=minimal");

        JsonObject job = new JsonObject(created.body());
        assertThat(header(created, "Preference-Applied")).isEqualTo("return=minimal");
        assertThat(job.fieldNames()).contains("token", "counts").doesNotContain("results");
        JsonObject without = new JsonObject(
                jobs.get("/" + job.getString("token") + "?results=false").body());
        assertThat(without.fieldNames()).isEqualTo(job.fieldNames());
    }

    @Test
    void cancelledJobKeepsFinishedResults() {
        List<String> items = new ArrayList<>();
        items.add("not a target");
        for (int i = 0; i < 80; i++) {
            items.add(lab.http("/never?" + i));
        }
        String token = token(jobs.create(items, new JsonObject()));

        HttpResponse<String> cancelled = jobs.delete(token, key);
        HttpResponse<String> again = jobs.delete(token, key);

        JsonObject job = new JsonObject(again.body());
        assertThat(cancelled.statusCode()).isEqualTo(200);
        assertThat(again.statusCode()).isEqualTo(200);
        assertThat(job.getString("state")).isEqualTo("cancelled");
        assertThat(again.body()).isEqualTo(cancelled.body());
        assertThat(states(job)).contains("cancelled").doesNotContain("pending", "running");
        assertThat(new JsonObject(jobs.get("/" + token).body())).isEqualTo(job);
        assertThat(new JsonObject(service.send(
                                        "DELETE",
                                        service.uri(JOBS + "/" + token),
                                        "X-Api-Key",
                                        key,
                                        "Prefer",
                                        "return=minimal")
                                .body())
                        .fieldNames())
                .doesNotContain("results");
    }

    @Test
    void expiredJobIs410() {
        String token = token(jobs.create(List.of("not a target"), new JsonObject()));
        jobs.finished(token);
        accounts.sql("update job set expires_at = now() where token = $1", token);

        assertProblem(jobs.get("/" + token), 410, "job-expired");
        assertProblem(jobs.get("/" + token + "/results.csv"), 410, "job-expired");
        assertProblem(jobs.delete(token, key), 410, "job-expired");
    }

    @Test
    void freshOptionForcesRun() {
        String target = lab.http("/ok?forced");
        jobs.finished(token(jobs.create(List.of(target), new JsonObject())));

        JsonObject known = jobs.finished(token(jobs.create(List.of(target), new JsonObject())));
        JsonObject fresh = jobs.finished(token(jobs.create(List.of(target), new JsonObject().put("fresh", true))));

        assertThat(lines(known).get(0).getBoolean("cached")).isTrue();
        assertThat(known.getJsonObject("options")).isEmpty();
        assertThat(lines(fresh).get(0).getBoolean("cached")).isFalse();
        assertThat(fresh.getJsonObject("options")).isEqualTo(new JsonObject().put("fresh", true));
    }

    @Test
    void jobResultIsCachedForInstantChecks() {
        String target = lab.http("/ok?shared");
        JsonObject line = lines(jobs.finished(token(jobs.create(List.of(target), new JsonObject()))))
                .get(0);

        JsonObject instant =
                new JsonObject(service.instant("http-status", target).body());

        assertThat(instant.getBoolean("cached")).isTrue();
        assertThat(instant.getJsonObject("fields")).isEqualTo(line.getJsonObject("fields"));
        assertThat(instant.getString("checked_at")).isEqualTo(line.getString("checked_at"));
    }

    @Test
    void jobOf500LinesReturnsResultsInOrder() throws IOException {
        int refusing = FreePorts.next();
        List<String> kinds = List.of(
                lab.http("/ok"),
                lab.http("/status/404"),
                "",
                "   ",
                "not a target",
                "=HYPERLINK(\"http://evil.example\",\"x\")",
                "@SUM(1+1)*cmd|' /C calc'!A0",
                "\t=1+1",
                "＝1",
                "a\u0000b",
                "http://10.0.0.1/",
                "http://localhost/",
                "ftp://example.com/",
                "http://127.0.0.1:" + refusing + "/",
                "http://nowhere.invalid/",
                lab.http("/never"),
                lab.http("/endless/headers"),
                lab.http("/drip/head"),
                lab.http("/no-reason"),
                "http://exa mple.com/",
                "x".repeat(2048));
        List<String> items = new ArrayList<>();
        for (int i = 0; items.size() < 500; i++) {
            items.add(kinds.get(i % kinds.size()));
        }
        String token = token(jobs.create(items, new JsonObject().put("timeout_ms", 1000)));

        JsonObject job = jobs.finished(token);

        assertThat(job.getString("state")).isEqualTo("completed");
        assertThat(lines(job)).extracting(line -> line.getString("input")).isEqualTo(items);
        for (int i = 0; i < 500; i++) {
            assertThat(lines(job).get(i).getInteger("index")).isEqualTo(i);
        }
        JsonObject counts = job.getJsonObject("counts");
        assertThat(counts.getInteger("done")).isEqualTo(500);
        for (String verdict : List.of("pass", "warn", "fail", "error")) {
            assertThat(lines(job))
                    .filteredOn(line -> line.getString("verdict").equals(verdict))
                    .as(verdict)
                    .hasSize(counts.getInteger(verdict));
        }
        List<String> separate =
                jobs.get("/" + token + "/results.ndjson").body().lines().toList();
        assertThat(separate).hasSize(500);
        for (int i = 0; i < 500; i++) {
            assertThat(new JsonObject(separate.get(i))).isEqualTo(lines(job).get(i));
        }
        List<NamedCsvRecord> records =
                CsvReader.builder()
                        .ofNamedCsvRecord(jobs.get("/" + token + "/results.csv").body())
                        .stream()
                        .toList();
        assertThat(records).hasSize(500);
        assertThat(records).flatExtracting(NamedCsvRecord::getFields).allSatisfy(cell -> assertThat(cell)
                .doesNotMatch("(?s)[=+@＝＋－＠\t\r\n-].*"));
        assertThat(records.get(5).getField("input")).isEqualTo("'" + kinds.get(5));
        List<NamedCsvRecord> raw =
                CsvReader.builder()
                        .ofNamedCsvRecord(
                                jobs.get("/" + token + "/results.csv?raw=true").body())
                        .stream()
                        .toList();
        List<String> withoutNul =
                items.stream().map(item -> item.replace('\0', '\ufffd')).toList();
        assertThat(raw).extracting(line -> line.getField("input")).isEqualTo(withoutNul);
    }

    @Test
    void documentedScriptConvertsFileToCsv(@TempDir Path dir) throws Exception {
        List<String> lines =
                List.of(lab.http("/ok?script"), "=1+1", "a \"b\" \\c", "tab\there", "", lab.http("/ok?script"));
        Path file = Files.writeString(dir.resolve("lines"), String.join("\r\n", lines) + "\r\n");

        String csv = script(0, "http-status", file.toString());

        List<NamedCsvRecord> records =
                CsvReader.builder().ofNamedCsvRecord(csv).stream().toList();
        assertThat(records)
                .extracting(line -> line.getField("input"))
                .containsExactly(lines.get(0), "'=1+1", "a \"b\" \\c", "tab\there", "", lines.get(5));
        assertThat(records).extracting(line -> line.getField("state")).containsOnly("done");
        assertThat(records.get(0).getField("status")).isEqualTo("200");
        assertThat(records.get(1).getField("error_code")).isEqualTo("invalid_target");
        assertThat(script(1, "nonsense", file.toString())).contains("invalid-job", "/module");
    }

    /** Runs the documented script and returns its output. */
    private String script(int exit, String... arguments) throws Exception {
        DebianTool.require("curl");
        List<String> command = new ArrayList<>(List.of("sh", "src/docs/bulk.sh"));
        Collections.addAll(command, arguments);
        command.add("http://127.0.0.1:" + service.uri("/").getPort());
        ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
        builder.environment().put("PLUMBLINE_KEY", key);
        Process process = builder.start();
        process.getOutputStream().close();
        String printed = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as(printed).isEqualTo(exit);
        return printed;
    }
}
