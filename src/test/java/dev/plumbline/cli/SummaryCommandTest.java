package dev.plumbline.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.support.CommandLineRunner;
import dev.plumbline.support.CommandResult;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SummaryCommandTest {
    @TempDir
    Path folder;

    private String file(String name, String... lines) throws IOException {
        return Files.writeString(folder.resolve(name), String.join("\n", lines).replace('\'', '"') + "\n")
                .toString();
    }

    private static final String OK = "{'index':0,'input':'a.test','module':'http-status','target':'https://a.test/',"
            + "'verdict':'pass','fields':{'status':200},'findings':[],'error':null}";
    private static final String MISSING = "{'index':1,'input':'b.test','module':'http-status',"
            + "'target':'https://b.test/','verdict':'fail','fields':{'status':404},"
            + "'findings':[{'level':'fail','code':'status_client_error','message':'404.'}],'error':null}";
    private static final String REFUSED = "{'index':2,'input':'c.test','module':'http-status',"
            + "'target':'https://c.test/','verdict':'fail','fields':{'status':null},'findings':[],"
            + "'error':{'code':'connect_refused'}}";

    @Test
    void filesAreSummarizedTogether() throws IOException {
        String first = file("first", OK, MISSING);
        String second = file("second", "", MISSING, " ", REFUSED);

        CommandResult result = CommandLineRunner.run("", "summary", first, second);

        assertThat(result.err()).isEmpty();
        assertThat(result.code()).isZero();
        assertThat(result.out().lines())
                .startsWith("HTTP status, 4 lines: 1 pass, 0 warn, 3 fail, 0 error", "", "FINDINGS")
                .anyMatch(line -> line.matches(" +2  fail  status_client_error  \\w.*"))
                .contains("ERRORS")
                .anyMatch(line -> line.matches(" +1  connect_refused"))
                .contains("FIELDS")
                .anyMatch(line -> line.matches(
                        "  status +min 200, median 404, p90 404, max 404; 404 \\(2\\), 200 \\(1\\); null 1"));
    }

    private static String complete(String line) {
        return line.replace("'status':4", "'redirect_count':0,'status':4")
                .replace("'message':'404.'", "'message':'404.','action':'Fix it.'")
                .replace("'error':", "'truncated':[],'checked_at':'2026-11-01T00:00:00.000Z','duration_ms':5,'error':");
    }

    @Test
    void expectationsAndPoliciesAreAppliedToFiles() throws IOException {
        String file = file(
                "complete",
                complete(OK),
                complete(MISSING),
                "{'index':3,'input':'d.test','verdict':null,'rules':null,'fields':null,'findings':null}");

        JsonObject json = new JsonObject(
                CommandLineRunner.run("", "summary", file, "--expect", "status == 404", "--output", "json")
                        .out());
        CommandResult warned = CommandLineRunner.run(
                "", "summary", file, "--policy", "src/test/resources/policies/lab-status.yaml", "--verdict", "warn");

        assertThat(json.getJsonObject("counts").getLong("fail")).isEqualTo(2);
        assertThat(json.getJsonArray("findings").stream()
                        .map(finding -> ((JsonObject) finding).getString("code") + " "
                                + ((JsonObject) finding).getJsonArray("indexes")))
                .contains("expectation_failed [0]");
        assertThat(warned.err()).isEmpty();
        assertThat(warned.out()).contains("0 pass, 1 warn, 1 fail").contains("lab_ok");
    }

    @Test
    void evaluatedResultsAreUsedAsTheyAreAndNotEvaluatedAgain() throws IOException {
        String evaluated = complete(MISSING)
                .replace(
                        "'checked_at'",
                        "'policy':{'name':'other','version':'1','met_count':1,'rule_count':2},'checked_at'")
                .replace("'code':'status_client_error'", "'code':'expectation_failed'");
        String file = file("evaluated", complete(OK), evaluated);

        CommandResult summary = CommandLineRunner.run("", "summary", file);
        CommandResult diff = CommandLineRunner.run("", "diff", file, file);
        CommandResult again = CommandLineRunner.run("", "summary", file, "--expect", "status == 200");
        CommandResult diffAgain = CommandLineRunner.run("", "diff", file, file, "--expect", "status == 200");

        assertThat(summary.err()).isEmpty();
        assertThat(summary.out()).contains("1 pass, 0 warn, 1 fail").contains("expectation_failed");
        assertThat(diff.out()).contains("2 unchanged");
        for (CommandResult rejected : new CommandResult[] {again, diffAgain}) {
            assertThat(rejected.code()).isEqualTo(4);
            assertThat(rejected.err())
                    .contains(
                            "line 2: the result was already evaluated with a policy or expectations. Omit --policy and --expect,"
                                    + " or download the stored results with: job download --policy '' --output ndjson");
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '~',
            value = {
                "stauts == 200 | Invalid expectation 'stauts == 200': Column 1: 'stauts' is not a field of http-status.",
                "status == 200 | line 2: a result without"
            })
    void invalidExpectationsAndIncompleteLinesAreErrors(String expectation, String error) throws IOException {
        CommandResult result =
                CommandLineRunner.run("", "summary", file("complete", complete(OK), MISSING), "--expect", expectation);

        assertThat(result.code()).isEqualTo(4);
        assertThat(result.err()).contains(error);
    }

    @Test
    void jsonHasTheMembersOfTheApi() throws IOException {
        CommandResult result = CommandLineRunner.run(
                (OK + "\n" + MISSING).replace('\'', '"'), "summary", "-", "--output", "json", "--verdict", "fail,warn");

        JsonObject json = new JsonObject(result.out());
        assertThat(json.fieldNames())
                .containsExactly(
                        "token", "module", "state", "counts", "matched", "findings", "errors", "fields", "areas");
        assertThat(json.getString("module")).isEqualTo("http-status");
        assertThat(json.getJsonObject("counts").getLong("pass")).isOne();
        assertThat(json.getLong("matched")).isOne();
        assertThat(json.getJsonArray("findings").getJsonObject(0).getJsonArray("indexes"))
                .containsExactly(1);
    }

    @Test
    void indexesAreThoseOfTheLinesAndContinueFromSourceToSource() throws IOException {
        String filtered = file("filtered", MISSING.replace("'index':1", "'index':41"), REFUSED);
        String other = file("other", MISSING);

        JsonObject one = new JsonObject(CommandLineRunner.run("", "summary", filtered, "--output", "json")
                .out());
        JsonObject both = new JsonObject(CommandLineRunner.run("", "summary", filtered, other, "--output", "json")
                .out());

        assertThat(one.getJsonArray("findings").getJsonObject(0).getJsonArray("indexes"))
                .containsExactly(41);
        assertThat(one.containsKey("sources")).isFalse();
        assertThat(both.getJsonArray("findings").getJsonObject(0).getJsonArray("indexes"))
                .containsExactly(41, 43);
        assertThat(both.getJsonArray("sources"))
                .containsExactly(
                        new JsonObject().put("name", filtered).put("first_index", 0),
                        new JsonObject().put("name", other).put("first_index", 42));
    }

    @Test
    void aFilterWithoutMatchesIsStated() throws IOException {
        assertThat(CommandLineRunner.run("", "summary", file("ok", OK), "--query", "nowhere")
                        .out())
                .isEqualTo("HTTP status, 1 line: 1 pass, 0 warn, 0 fail, 0 error\nNo line matches.");
    }

    @Test
    void linesOfAJobNeedTheModule() throws IOException {
        String file = file("job", OK.replace("'module':'http-status',", ""));
        String rules = file("rules", OK.replace("'module':'http-status'", "'rules':'http-status/3'"));

        assertThat(CommandLineRunner.run("", "summary", file))
                .isEqualTo(new CommandResult(
                        4, "", "plumbline: The module of the results is not known. Add --module MODULE."));
        assertThat(CommandLineRunner.run("", "summary", file, "--module", "http-status")
                        .code())
                .isZero();
        assertThat(CommandLineRunner.run("", "summary", rules).code()).isZero();
        assertThat(CommandLineRunner.run("", "summary", file, "--module", "http-stats")
                        .err())
                .startsWith("plumbline: Unknown module 'http-stats'");
    }

    @ParameterizedTest
    @CsvSource(
            delimiterString = " => ",
            quoteCharacter = '^',
            value = {
                "{'input':'a','verdict':1} => File '%', line 2: 'verdict' is not a string. Use the output of --output ndjson.",
                "[ => File '%', line 2: not a JSON object. Use the output of --output ndjson.",
                "{'input':'a','verdict':null,'fields':{'status':1e999}} => File '%', line 2: 'fields' contains a number over"
                        + " 1.8e308. Use the output of --output ndjson.",
                "{'input':'a','verdict':'\u009b'} => File '%', line 2: 'verdict' is '\ufffd', not pass",
                "{'input':'a','verdict':null,'module':'hsts'} => File '%', line 2: the module is 'hsts', not"
                        + " 'http-status'. Use results of the same module.",
            })
    void theLineThatIsNotAResultIsNamed(String line, String error) throws IOException {
        String file = file("invalid", OK, line);

        CommandResult result = CommandLineRunner.run("", "summary", file);

        assertThat(result.code()).isEqualTo(4);
        assertThat(result.err())
                .startsWith("plumbline: " + error.replace("%", file))
                .hasLineCount(1);
    }

    @Test
    void otherInputsAreErrors() throws IOException {
        String missing = folder.resolve("missing").toString();
        String advice = " Use an NDJSON file or the token of a job.";

        assertThat(CommandLineRunner.run("", "summary", missing))
                .isEqualTo(new CommandResult(4, "", "plumbline: File '" + missing + "' does not exist." + advice));
        assertThat(CommandLineRunner.run("", "summary", folder.toString()))
                .isEqualTo(new CommandResult(4, "", "plumbline: File '" + folder + "' is a directory." + advice));
        assertThat(CommandLineRunner.run("", "summary", file("empty", "")))
                .isEqualTo(new CommandResult(
                        4,
                        "",
                        "plumbline: The input contains no results."
                                + " Use the output of --output ndjson or the token of a job."));
        assertThat(CommandLineRunner.run("", "summary", file("long", OK, "x".repeat(2 << 20)))
                        .err())
                .endsWith("line 2: longer than 1 MiB. Use the output of --output ndjson.");
        assertThat(CommandLineRunner.run("", "summary", file("ok", OK), "--verdict", "Pass"))
                .isEqualTo(
                        new CommandResult(4, "", "plumbline: 'Pass' is not a verdict. Use pass, warn, fail or error."));
        assertThat(CommandLineRunner.run("", "summary", file("ok", OK), "--verdict", ""))
                .isEqualTo(new CommandResult(4, "", "plumbline: '' is not a verdict. Use pass, warn, fail or error."));
        assertThat(CommandLineRunner.run("", "summary").err()).startsWith("plumbline: Missing required parameter");
    }
}
