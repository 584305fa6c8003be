package dev.plumbline.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import de.siegmar.fastcsv.reader.CsvReader;
import de.siegmar.fastcsv.reader.NamedCsvRecord;
import dev.plumbline.support.Await;
import dev.plumbline.support.CommandLineRunner;
import dev.plumbline.support.CommandResult;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServer;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class DiffCommandTest {
    private static final String BEFORE = "job_0123456789012345678901";
    private static final String AFTER = "job_abcdefghijklmnopqrstuv";
    private static final String FOUND = "{'level':'fail','code':'status_client_error','message':'404.'}";

    @TempDir
    Path folder;

    private final Vertx vertx = Vertx.vertx();

    @AfterEach
    void stop() {
        Await.value(vertx.close());
    }

    private String file(String name, String... lines) throws IOException {
        return Files.writeString(folder.resolve(name), String.join("\n", lines).replace('\'', '"') + "\n")
                .toString();
    }

    /** A result of {@code http-status}. */
    private static String line(String host, String verdict, int status, String findings) {
        return ("{'input':'%1$s','module':'http-status','target':'https://%1$s/','verdict':'%2$s',"
                        + "'fields':{'status':%3$d,'response_time_ms':%3$d1},'findings':[%4$s],'error':null}")
                .formatted(host, verdict, status, findings);
    }

    private static String error(String host) {
        return "{'input':'%1$s','module':'http-status','target':'https://%1$s/','verdict':'error',".formatted(host)
                + "'fields':{'status':null},'findings':[],'error':{'code':'dns_timeout'}}";
    }

    /**
     * A result of {@code overview} with one part.
     *
     * @param code of the error because of which the part was not determined; null if it passed
     */
    private static String overview(@Nullable String code) {
        String cause = code == null
                ? ""
                : "{'module':'domain-registration','code':'%s','level':'info','message':'Not determined.',"
                                .formatted(code)
                        + "'parts':['domain-registration']}";
        return "{'input':'a.test','module':'overview','target':'a.test','verdict':'pass','fields':{'score':"
                + (code == null ? 100 : 90) + ",'causes':[" + cause + "],'parts':[{'module':'domain-registration',"
                + "'verdict':'" + (code == null ? "pass" : "error") + "','error':"
                + (code == null ? null : "{'code':'" + code + "'}") + "}]},'findings':[],'error':null}";
    }

    private static CommandResult diff(String... arguments) {
        List<String> all = new ArrayList<>(List.of("diff"));
        all.addAll(List.of(arguments));
        return CommandLineRunner.run("", all.toArray(String[]::new));
    }

    private String before() throws IOException {
        return file(
                "before",
                line("same.test", "pass", 200, ""),
                line("worse.test", "pass", 200, ""),
                line("better.test", "fail", 404, FOUND),
                line("changed.test", "pass", 200, ""),
                line("gone.test", "pass", 200, ""));
    }

    private String after() throws IOException {
        return file(
                "after",
                line("new.test", "pass", 200, ""),
                line("better.test", "pass", 200, ""),
                line("changed.test", "pass", 204, ""),
                line("worse.test", "fail", 404, FOUND),
                line("same.test", "pass", 200, "").replace("2001", "5"));
    }

    @Test
    void changesArePrintedWithTheirFindingsAndFields() throws IOException {
        CommandResult result = diff(before(), after());

        assertThat(result)
                .isEqualTo(new CommandResult(
                        1,
                        """
                        NEW       https://new.test/  pass
                        BETTER    https://better.test/  fail → pass
                                  - fail status_client_error: 404.
                                  status: 404 → 200
                        CHANGED   https://changed.test/  pass
                                  status: 200 → 204
                        WORSE     https://worse.test/  pass → fail
                                  + fail status_client_error: 404.
                                  status: 200 → 404
                        GONE      https://gone.test/  pass

                        1 new, 1 gone, 1 worse, 1 better, 1 changed, 1 unchanged""",
                        ""));
    }

    /** Also if a limit of this service delayed the query of one of them. */
    @Test
    void aPartThatWasNotDeterminedIsNotCompared() throws IOException {
        String determined = file("determined", overview(null));
        String unavailable = file("unavailable", overview("registry_unavailable"));
        String late = file("late", overview("deadline_exceeded"));

        assertThat(diff(unavailable, late))
                .isEqualTo(new CommandResult(0, "0 new, 0 gone, 0 worse, 0 better, 0 changed, 1 unchanged", ""));
        assertThat(diff(determined, late))
                .isEqualTo(new CommandResult(
                        3,
                        """
                        CHANGED   a.test  pass
                                  + info domain-registration/deadline_exceeded: Not determined.

                        0 new, 0 gone, 0 worse, 0 better, 1 changed, 0 unchanged
                        1 target could not be compared, because a check was not completed.""",
                        ""));
        assertThat(diff(late, determined).code()).isEqualTo(3);
    }

    @Test
    void volatileFieldsAndUnchangedTargetsArePrintedOnRequest() throws IOException {
        CommandResult result = diff(before(), after(), "--volatile", "--change", "unchanged,changed");

        assertThat(result.out())
                .isEqualTo(
                        """
                        CHANGED   https://changed.test/  pass
                                  status: 200 → 204
                                  response_time_ms: 2001 → 2041
                        UNCHANGED https://same.test/  pass
                                  response_time_ms: 2001 → 5

                        1 new, 1 gone, 1 worse, 1 better, 1 changed, 1 unchanged""");
    }

    @Test
    void theOutputCanBeJsonNdjsonOrCsv() throws IOException {
        JsonObject json =
                new JsonObject(diff(before(), after(), "--output", "json").out());
        CommandResult ndjson = diff(before(), after(), "--output", "ndjson");
        List<NamedCsvRecord> csv =
                CsvReader.builder()
                        .ofNamedCsvRecord(
                                diff(before(), after(), "--output", "csv").out())
                        .stream()
                        .toList();

        assertThat(json.fieldNames())
                .containsExactlyInAnyOrder(
                        "token", "against", "module", "options_differ", "counts", "next_cursor", "lines");
        assertThat(json.getJsonObject("counts"))
                .isEqualTo(new JsonObject(
                        "{\"new\":1,\"gone\":1,\"worse\":1,\"better\":1,\"changed\":1,\"unchanged\":1}"));
        JsonArray lines = json.getJsonArray("lines");
        assertThat(lines).hasSize(5);
        assertThat(lines.getJsonObject(3))
                .isEqualTo(new JsonObject("{\"target\":\"https://worse.test/\",\"change\":\"worse\",\"index\":3,"
                        + "\"against_index\":1,\"verdict\":\"fail\",\"against_verdict\":\"pass\",\"findings_added\":"
                        + "[{\"part\":null,\"code\":\"status_client_error\",\"level\":\"fail\",\"message\":\"404.\"}],"
                        + "\"findings_removed\":[],\"fields\":[{\"name\":\"status\",\"value\":404,"
                        + "\"against_value\":200}],\"rules\":null,\"against_rules\":null,"
                        + "\"rules_changed\":[],\"error_code\":null,"
                        + "\"against_error_code\":null}"));
        assertThat(ndjson.out().lines().map(JsonObject::new)).containsExactlyElementsOf(objects(lines));
        assertThat(csv).hasSize(5);
        assertThat(csv.get(3).getFieldsAsMap())
                .containsEntry("target", "https://worse.test/")
                .containsEntry("change", "worse")
                .containsEntry("against_index", "1")
                .containsEntry("findings_added", "status_client_error")
                .containsEntry("fields", "[{\"name\":\"status\",\"value\":404,\"against_value\":200}]");
        assertThat(csv.get(4).getField("index")).isEmpty();
    }

    private static List<JsonObject> objects(JsonArray array) {
        return array.stream().map(JsonObject.class::cast).toList();
    }

    @ParameterizedTest
    @CsvSource({"pass, pass, 0", "pass, fail, 1", "fail, pass, 0", "pass, error, 3", "error, pass, 3", "error, error, 0"
    })
    void theExitCodeIsThatOfTheWorstChange(String before, String after, int code) throws IOException {
        String ofBefore = before.equals("error") ? error("a.test") : line("a.test", before, 200, "");
        String ofAfter = after.equals("error") ? error("a.test") : line("a.test", after, 200, "");
        String unchanged = line("same.test", "pass", 200, "");

        CommandResult result = diff(file("1", unchanged, ofBefore), file("2", ofAfter, unchanged));

        assertThat(result.code()).as(result.toString()).isEqualTo(code);
        assertThat(result.out().contains("1 target could not be compared, because a check was not completed."))
                .isEqualTo(code == 3);
    }

    @Test
    void aWorseTargetDecidesTheExitCode() throws IOException {
        CommandResult result = diff(
                file("1", line("a.test", "pass", 200, ""), line("b.test", "pass", 200, "")),
                file("2", error("a.test"), line("b.test", "warn", 200, "")));

        assertThat(result.code()).isOne();
        assertThat(result.out()).contains("CHANGED   https://a.test/  pass → error (dns_timeout)");
    }

    @Test
    void equalTargetsAreMatchedInOrderOverSeveralFiles() throws IOException {
        String first = file("1", line("a.test", "pass", 1, ""), line("a.test", "pass", 2, ""));
        String second = file("2", line("a.test", "pass", 3, ""));
        String after = file(
                "3",
                line("a.test", "pass", 1, ""),
                line("a.test", "pass", 2, ""),
                line("a.test", "pass", 4, ""),
                line("a.test", "pass", 5, ""));

        JsonObject json = new JsonObject(
                diff(first + "," + second, after, "--output", "json").out());

        assertThat(objects(json.getJsonArray("lines")))
                .extracting(line -> line.getString("change"), line -> line.getInteger("against_index"))
                .containsExactly(tuple("changed", 2), tuple("new", null));
        assertThat(json.getJsonObject("counts").getInteger("unchanged")).isEqualTo(2);
    }

    @Test
    void aFileNameCanContainACommaAndAnInputCanBeStdin() throws IOException {
        String file = file("a,b", line("a.test", "pass", 200, ""));

        String stdin = line("a.test", "pass", 204, "").replace('\'', '"');
        assertThat(CommandLineRunner.run(stdin, "diff", file, "-").out()).contains("status: 200 → 204");
        assertThat(CommandLineRunner.run(stdin, "diff", "-", file).out()).contains("status: 204 → 200");
        assertThat(CommandLineRunner.run(stdin, "diff", "-", "-").err())
                .isEqualTo("plumbline: BEFORE and AFTER are both stdin. Use a file for one of them.");
    }

    @Test
    void changedRulesAreStated() throws IOException {
        CommandResult result = diff(
                file("1", line("a.test", "pass", 200, "").replace("'error'", "'rules':'http-status/1','error'")),
                file("2", line("a.test", "pass", 201, "").replace("'error'", "'rules':'http-status/2','error'")));

        assertThat(result.out()).contains("Rules version changed: http-status/1 → http-status/2");
    }

    @Test
    void changedRulesOfAPartAreStated() throws IOException {
        String line = "{'module':'overview','rules':'overview/1','target':'a.test','verdict':'pass',"
                + "'fields':{'score':%d,'parts':[{'module':'hsts','rules':'hsts/%d'}]}}";
        String before = file("1", line.formatted(90, 1));
        String after = file("2", line.formatted(95, 2));

        assertThat(diff(before, after).out()).contains("Rules version changed: hsts/1 → hsts/2", "1 changed");
        JsonArray changed =
                new JsonObject(diff(before, after, "--output", "ndjson").out()).getJsonArray("rules_changed");
        assertThat(changed).containsExactly(new JsonObject("{\"rules\":\"hsts/2\",\"against_rules\":\"hsts/1\"}"));
        assertThat(new JsonObject(diff(before, after, "--output", "json").out())
                        .getJsonArray("lines")
                        .getJsonObject(0)
                        .getJsonArray("rules_changed"))
                .isEqualTo(changed);
        assertThat(CsvReader.builder()
                        .ofNamedCsvRecord(diff(before, after, "--output", "csv").out())
                        .stream())
                .extracting(row -> row.getField("rules"), row -> row.getField("rules_changed"))
                .containsExactly(tuple("overview/1", "hsts/1 → hsts/2"));
    }

    @Test
    void invalidInputIsAnError() throws IOException {
        String file = file("1", line("a.test", "pass", 200, ""));
        String other = file("2", line("a.test", "pass", 200, "").replace("http-status", "hsts"));
        String broken = file("3", line("a.test", "pass", 200, ""), "{");

        assertThat(diff(file, other).err())
                .isEqualTo("plumbline: File '" + other
                        + "', line 1: the module is 'hsts', not 'http-status'. Use results of the same module.");
        assertThat(diff(broken, file).err())
                .isEqualTo("plumbline: File '" + broken
                        + "', line 2: not a JSON object. Use the output of --output ndjson.");
        assertThat(diff(file, folder + "/missing").err()).contains("missing' does not exist.");
        assertThat(diff(file, file, "--change", "bad").err())
                .startsWith("plumbline: Invalid value for option '--change'")
                .contains("must be one of new, gone, worse, better, changed, unchanged, not 'bad'");
        for (CommandResult result : List.of(diff(file, other), diff(broken, file), diff(file), diff(file, ""))) {
            assertThat(result.code()).isEqualTo(4);
        }
        for (String[] more : List.of(new String[0], new String[] {"--module", "http-status"})) {
            List<String> arguments = new ArrayList<>(List.of(file("4"), file("5")));
            arguments.addAll(List.of(more));
            assertThat(diff(arguments.toArray(String[]::new)))
                    .isEqualTo(new CommandResult(
                            4,
                            "",
                            "plumbline: BEFORE and AFTER contain no results."
                                    + " Use the output of --output ndjson or tokens of jobs."));
        }
        assertThat(diff(file, file + ",," + file).err())
                .isEqualTo("plumbline: The name of a file is empty. Use an NDJSON file or the token of a job.");
        assertThat(diff(file, "").err())
                .isEqualTo("plumbline: The name of a file is empty. Use an NDJSON file or the token of a job.");
        assertThat(diff(file("4"), file).out()).endsWith("1 new, 0 gone, 0 worse, 0 better, 0 changed, 0 unchanged");
    }

    @Test
    void theModuleIsTheSameOnBothSidesEvenIfTheFirstLineDoesNotContainIt() throws IOException {
        String known = line("a.test", "pass", 200, "");
        String without = line("b.test", "pass", 200, "").replace("'module':'http-status',", "");
        String hsts = line("c.test", "pass", 200, "").replace("http-status", "hsts");
        String before = file("1", without, hsts);
        String after = file("2", known, without);

        assertThat(diff(before, after))
                .isEqualTo(
                        new CommandResult(
                                4,
                                "",
                                "plumbline: File '" + before
                                        + "', line 2: the module is 'hsts', not 'http-status'. Use results of the same module."));
        assertThat(diff(after, before).err())
                .startsWith("plumbline: File '" + before + "', line 2: the module is 'hsts', not 'http-status'.");
        assertThat(diff(file("3", without), after).code()).isZero();
        assertThat(diff(file("3", without), file("4", without)).err())
                .isEqualTo("plumbline: The module of the results is not known. Add --module MODULE.");
    }

    @Test
    void aLineThatIsNotAResultEndsTheOutput() throws IOException {
        String before = file("1", line("a.test", "pass", 200, ""), line("b.test", "pass", 200, ""));
        String after = file("2", line("a.test", "pass", 204, ""), "{");

        CommandResult result = diff(before, after);

        assertThat(result)
                .isEqualTo(new CommandResult(
                        4,
                        "CHANGED   https://a.test/  pass\n          status: 200 → 204",
                        "plumbline: File '" + after + "', line 2: not a JSON object. Use the output of --output ndjson."
                                + " The output is incomplete."));
        assertThat(diff(after, before).out()).isEmpty();
    }

    @Test
    void longValuesWithTheSameBeginningAreStatedAsChanged() throws IOException {
        String line = "{'input':'a.test','module':'http-status','target':'https://a.test/','verdict':'pass',"
                + "'fields':{'server':'" + "x".repeat(1_000) + "%d'}}";

        CommandResult result = diff(file("1", line.formatted(1)), file("2", line.formatted(2)));

        assertThat(result.out()).startsWith("CHANGED   https://a.test/  pass\n          server: changed\n");
    }

    @Test
    void targetsThatWereNotCheckedCannotBeCompared() throws IOException {
        String cancelled = "{'input':'a.test','module':'http-status','state':'cancelled','target':null,'verdict':null}";
        String same = line("same.test", "pass", 200, "");

        CommandResult both = diff(file("1", same, cancelled), file("2", same, cancelled));
        CommandResult added = diff(file("1", same), file("2", same, cancelled));
        CommandResult gone = diff(file("1", same, cancelled), file("2", same));

        assertThat(both.code()).isEqualTo(3);
        assertThat(both.out())
                .isEqualTo("CHANGED   https://a.test/  not checked\n\n"
                        + "0 new, 0 gone, 0 worse, 0 better, 1 changed, 1 unchanged\n"
                        + "1 target could not be compared, because a check was not completed.");
        assertThat(added.code()).isEqualTo(3);
        assertThat(added.out()).startsWith("NEW       https://a.test/  not checked");
        assertThat(gone.code()).isZero();
    }

    @Test
    void fieldsOfOneSideAreNotCompared() throws IOException {
        String all = file("1", line("a.test", "pass", 200, ""), line("b.test", "pass", 200, ""));
        String some = file(
                "2",
                line("a.test", "pass", 200, "").replace("'status':200,", ""),
                line("b.test", "pass", 200, "").replace("'status':200,", "'server':null,"));

        assertThat(diff(all, some))
                .isEqualTo(new CommandResult(
                        0,
                        "0 new, 0 gone, 0 worse, 0 better, 0 changed, 2 unchanged",
                        "2 fields were not compared, because only BEFORE or only AFTER contains them: server, status"));
        assertThat(diff(some, all).code()).isZero();
    }

    @Test
    void textOfTargetsDoesNotControlTheTerminal() throws IOException {
        String hostile = "\u001b[31m\u202e";
        String before = file("1", line("a.test", "pass", 200, ""));
        String after = file(
                "2",
                new JsonObject(line("a.test", "fail", 200, "").replace('\'', '"'))
                        .put("target", "https://a.test/")
                        .put("fields", new JsonObject().put("server", hostile))
                        .put(
                                "findings",
                                new JsonArray()
                                        .add(new JsonObject()
                                                .put("level", "fail")
                                                .put("code", hostile)
                                                .put("message", hostile)))
                        .encode(),
                new JsonObject(line("b.test", "pass", 200, "").replace('\'', '"'))
                        .put("target", hostile)
                        .encode());

        for (String format : List.of("text", "csv")) {
            assertThat(diff(before, after, "--output", format).out())
                    .contains("\ufffd")
                    .doesNotContainPattern("[\\p{Cc}\\p{Cf}&&[^\r\n]]");
        }
    }

    @Test
    void manyLinesInAnotherOrderAreMatched() throws IOException {
        List<String> before = new ArrayList<>();
        List<String> after = new ArrayList<>();
        for (int i = 0; i < 20_000; i++) {
            before.add(line("t" + i + ".test", "pass", 200, ""));
            after.add(line("t" + i + ".test", "pass", i == 12_345 ? 204 : 200, ""));
        }
        Collections.shuffle(after, new Random(1));

        CommandResult result = diff(file("1", before.toArray(String[]::new)), file("2", after.toArray(String[]::new)));

        assertThat(result.out())
                .isEqualTo("CHANGED   https://t12345.test/  pass\n          status: 200 → 204\n\n"
                        + "0 new, 0 gone, 0 worse, 0 better, 1 changed, 19,999 unchanged");
    }

    /** Serves jobs and their results by token. */
    private String serve(Map<String, String> results, Map<String, JsonObject> jobs) {
        HttpServer server = Await.value(vertx.createHttpServer()
                .requestHandler(request -> {
                    String path = request.path().substring("/api/v1/jobs/".length());
                    String body = results.get(path.replaceFirst("/.*", ""));
                    if (body == null) {
                        request.response().setStatusCode(404).end("{\"detail\":\"Job not found.\"}");
                    } else if (path.endsWith("/results.ndjson")) {
                        request.response().end(body.replace('\'', '"'));
                    } else {
                        request.response().end(jobs.get(path).toBuffer());
                    }
                })
                .listen(0, "127.0.0.1"));
        return "http://127.0.0.1:" + server.actualPort();
    }

    private static JsonObject job(String token, String state, String options) {
        return new JsonObject()
                .put("token", token)
                .put("module", "http-status")
                .put("state", state)
                .put("counts", new JsonObject().put("total", 1))
                .put("options", new JsonObject(options));
    }

    @Test
    void jobsAreCompared() throws IOException {
        Map<String, String> results = new ConcurrentHashMap<>();
        String module = "'module':'http-status',";
        results.put(BEFORE, line("a.test", "pass", 200, "").replace(module, ""));
        results.put(AFTER, line("a.test", "pass", 204, "").replace(module, ""));
        Map<String, JsonObject> jobs = new ConcurrentHashMap<>();
        jobs.put(BEFORE, job(BEFORE, "completed", "{\"max_redirects\":3}"));
        jobs.put(AFTER, job(AFTER, "completed", "{\"max_redirects\":5,\"method\":\"get\"}"));
        String server = serve(results, jobs);
        String key = Files.writeString(folder.resolve("key"), "plk_key").toString();

        CommandResult text = diff(BEFORE, AFTER, "--server", server, "--key-file", key);
        JsonObject json = new JsonObject(diff(BEFORE, AFTER, "--server", server, "--key-file", key, "--output", "json")
                .out());
        CommandResult mixed = diff(BEFORE, file("1", results.get(AFTER)), "--server", server, "--key-file", key);

        assertThat(text.out())
                .endsWith("The options of the jobs differ: max_redirects 3 → 5, method \"auto\" → \"get\"")
                .contains("status: 200 → 204");
        assertThat(json.getString("token")).isEqualTo(AFTER);
        assertThat(json.getString("against")).isEqualTo(BEFORE);
        assertThat(json.getJsonArray("options_differ").getJsonObject(0))
                .isEqualTo(new JsonObject("{\"name\":\"max_redirects\",\"value\":5,\"against_value\":3}"));
        assertThat(json.getJsonArray("options_differ").getJsonObject(1))
                .isEqualTo(new JsonObject("{\"name\":\"method\",\"value\":\"get\",\"against_value\":\"auto\"}"));
        assertThat(mixed.out()).contains("status: 200 → 204").doesNotContain("options");
        jobs.put(AFTER, job(AFTER, "running", "{}"));
        assertThat(diff(BEFORE, AFTER, "--server", server, "--key-file", key))
                .isEqualTo(new CommandResult(
                        4,
                        "",
                        "plumbline: Job %1$s has not finished. Run 'plumbline job watch --server %2$s --key-file %3$s %1$s' first."
                                .formatted(AFTER, server, key)));
        results.remove(BEFORE);
        assertThat(diff(BEFORE, AFTER, "--server", server, "--key-file", key))
                .isEqualTo(new CommandResult(4, "", "plumbline: HTTP 404: Job not found."));
    }

    @Test
    void theOptionsOfAllJobsAreCompared() throws IOException {
        String other = "job_0000000000000000000000";
        Map<String, String> results = new ConcurrentHashMap<>();
        List.of(BEFORE, AFTER, other).forEach(token -> results.put(token, line("a.test", "pass", 200, "")));
        Map<String, JsonObject> jobs = new ConcurrentHashMap<>();
        jobs.put(BEFORE, job(BEFORE, "completed", "{\"max_redirects\":5}"));
        jobs.put(other, job(other, "completed", "{\"max_redirects\":3}"));
        jobs.put(AFTER, job(AFTER, "completed", "{\"max_redirects\":5}"));
        String server = serve(results, jobs);
        String key = Files.writeString(folder.resolve("key"), "plk_key").toString();
        String[] connection = {"--server", server, "--key-file", key};

        assertThat(diff(BEFORE + "," + other, AFTER, connection[0], connection[1], connection[2], connection[3])
                        .out())
                .endsWith("The options of the jobs differ: max_redirects 3 → 5");
        assertThat(diff(AFTER, BEFORE + "," + other, connection[0], connection[1], connection[2], connection[3])
                        .out())
                .endsWith("The options of the jobs differ: max_redirects 5 → 3");
        assertThat(diff(BEFORE, AFTER, connection[0], connection[1], connection[2], connection[3])
                        .out())
                .doesNotContain("options");
    }

    @Test
    void onlyJobsNeedAKey() throws IOException {
        String file = file("1", line("a.test", "pass", 200, ""));

        assertThat(diff(file, file).code()).isZero();
        CommandResult withoutKey = diff(file, BEFORE);
        assertThat(withoutKey.code()).isEqualTo(4);
        assertThat(withoutKey.err()).startsWith("plumbline: API key required.");
    }
}
