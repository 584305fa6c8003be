package dev.plumbline.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.account.Plan;
import dev.plumbline.account.TestAccounts;
import dev.plumbline.bus.JobMessage.JobSnapshot;
import dev.plumbline.bus.JobState;
import dev.plumbline.job.store.JobTables;
import dev.plumbline.postgres.Database;
import dev.plumbline.share.SharedResult;
import dev.plumbline.share.SharedResultStore;
import dev.plumbline.support.Await;
import dev.plumbline.support.CommandLineRunner;
import dev.plumbline.support.CommandResult;
import dev.plumbline.support.TestDatabase;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code plumbline results} lists and deletes shared results of all accounts. */
@Tag("integration")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class ResultsCommandTest {
    @RegisterExtension
    static final TestDatabase DATABASE = new TestDatabase();

    private Path settings;
    private TestAccounts accounts;
    private JobTables jobs;
    private SharedResultStore store;

    @BeforeAll
    void start(@TempDir Path folder) throws IOException {
        Database database = DATABASE.open();
        accounts = new TestAccounts(database);
        jobs = new JobTables(database);
        store = new SharedResultStore(
                DATABASE.vertx(),
                database,
                database,
                new SharedResultStore.Limits(Duration.ofDays(90), 1_000, 1L << 30));
        settings = Files.writeString(folder.resolve("conf.yaml"), "database: {url: '" + DATABASE.url() + "'}\n");
    }

    private CommandResult run(String line) {
        List<String> arguments = new ArrayList<>(Arrays.asList(line.split(" ")));
        arguments.addAll(2, List.of("--conf", settings.toString()));
        return CommandLineRunner.run("", arguments.toArray(String[]::new));
    }

    private SharedResult check(String target) {
        SharedResult.SharedCheck check = new SharedResult.SharedCheck("http-status", target, Map.of());
        return ((SharedResultStore.Created) Await.value(store.share(check, Buffer.buffer("{}"), "a token"))).result();
    }

    /** A job that was cancelled before its line was checked. */
    private SharedResult job(long account) {
        long id = jobs.job(account, 1);
        JobSnapshot job = new JobSnapshot(
                id,
                "job_" + "0".repeat(22),
                "Release of May",
                "http-status",
                Map.of(),
                null,
                JobState.CANCELLED,
                1,
                1,
                0,
                0,
                0,
                0,
                0,
                1,
                List.of(),
                List.of(),
                Instant.now(),
                null,
                Instant.now(),
                null);
        return ((SharedResultStore.Created) Await.value(store.share(account, job))).result();
    }

    @Test
    void listHasResultsOfAllAccountsNewestFirst() {
        long account = accounts.account(Plan.PRO);
        String email =
                accounts.row("select email from account where id = $1", account).getString(0);
        SharedResult check = check("https://example.com/listed");
        SharedResult job = job(account);

        JsonArray listed = new JsonArray(run("results list --limit 2 --json").out());

        assertThat(listed).hasSize(2);
        JsonObject first = listed.getJsonObject(0);
        assertThat(first.getString("id")).isEqualTo(job.id());
        assertThat(first.getString("kind")).isEqualTo("job");
        assertThat(first.getString("name")).isEqualTo("Release of May");
        assertThat(first.getString("email")).isEqualTo(email);
        assertThat(first.getLong("bytes")).isPositive();
        JsonObject second = listed.getJsonObject(1);
        assertThat(second.getString("id")).isEqualTo(check.id());
        assertThat(second.getString("module")).isEqualTo("http-status");
        assertThat(second.getString("name")).isEqualTo("https://example.com/listed");
        assertThat(second.getValue("email")).isNull();

        String text = run("results list").out();
        assertThat(text).contains("NAME OR TARGET", check.id(), job.id(), email, "https://example.com/listed");
    }

    @Test
    void resultsAreDeletedByIdOrUrl() {
        SharedResult first = check("https://example.com/1");
        SharedResult second = check("https://example.com/2");

        CommandResult result =
                run("results delete " + first.id() + " https://checks.example.org/results/" + second.id());

        assertThat(result).isEqualTo(new CommandResult(0, "", ""));
        assertThat(Await.value(store.find(first.id()))).isNull();
        assertThat(Await.value(store.find(second.id()))).isNull();
    }

    @Test
    void unknownIdIsNamed() {
        SharedResult existing = check("https://example.com/3");

        CommandResult result = run("results delete nothing " + existing.id());

        assertThat(result.code()).isEqualTo(1);
        assertThat(result.err())
                .isEqualTo("plumbline: No shared result has the ID nothing. List the IDs with 'plumbline results"
                        + " list'.");
        assertThat(Await.value(store.find(existing.id()))).isNull();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"results", "results delete", "results list --limit 0", "results list --limit x", "results list x"
            })
    void usageErrorHasExitCode4(String line) {
        CommandResult result = CommandLineRunner.run("", line.split(" ", -1));

        assertThat(result.code()).isEqualTo(4);
        assertThat(result.out()).isEmpty();
        assertThat(result.err()).isNotEmpty();
    }
}
