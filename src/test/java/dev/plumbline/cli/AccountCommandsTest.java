package dev.plumbline.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.account.ApiKeyAuthenticator;
import dev.plumbline.account.ApiKeyLookup;
import dev.plumbline.account.ApiKeySecret;
import dev.plumbline.account.PasswordHasher;
import dev.plumbline.account.Plan;
import dev.plumbline.account.Scope;
import dev.plumbline.account.TestAccounts;
import dev.plumbline.postgres.Database;
import dev.plumbline.support.Await;
import dev.plumbline.support.CommandLineRunner;
import dev.plumbline.support.CommandResult;
import dev.plumbline.support.TestDatabase;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.UUID;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code account …} and {@code key …}. */
@Tag("integration")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class AccountCommandsTest {
    @RegisterExtension
    static final TestDatabase DATABASE = new TestDatabase();

    @TempDir
    static Path folder;

    private Database database;
    private TestAccounts rows;
    private Path settings;

    @BeforeAll
    void start() throws IOException {
        database = DATABASE.open();
        rows = new TestAccounts(database);
        settings = Files.writeString(folder.resolve("conf.yaml"), "database: {url: '" + DATABASE.url() + "'}\n");
    }

    private CommandResult run(String line, String... more) {
        return runWithInput("", line, more);
    }

    /** Splits the line into words; {@code more} are arguments that can contain blanks. */
    private CommandResult runWithInput(String in, String line, String... more) {
        List<String> arguments = new ArrayList<>(Arrays.asList(line.split(" ")));
        arguments.addAll(2, List.of("--conf", settings.toString()));
        arguments.addAll(List.of(more));
        return CommandLineRunner.run(in, arguments.toArray(String[]::new));
    }

    private String account(String plan) {
        String email = UUID.randomUUID() + "@example.com";
        assertThat(run("account create --email " + email + " --plan " + plan).code())
                .isZero();
        return email;
    }

    private ApiKeyLookup authenticate(String key) {
        return Await.value(new ApiKeyAuthenticator(DATABASE.vertx(), database).authenticate(key));
    }

    private JsonArray keys(String email) {
        return new JsonArray(run("key list --json --email " + email).out());
    }

    @Test
    void theGeneratedPasswordIsPrinted() {
        String email = "first-" + UUID.randomUUID() + "@example.com";

        CommandResult result = run("account create --plan free --email " + email);

        assertThat(result.code()).isZero();
        assertThat(result.out()).matches("password [0-9A-Za-z]{20}");
        assertThat(result.err()).isEmpty();
        assertThat(hashOf(email)).satisfies(hash -> matches(result.out().substring(9), hash));
        JsonObject listed = listed(email);
        assertThat(listed.getString("plan")).isEqualTo("free");
        assertThat(listed.getBoolean("disabled")).isFalse();
        assertThat(listed.getInteger("live_key_count")).isZero();
    }

    @Test
    void aPasswordFromStdinIsNotPrinted() {
        String email = UUID.randomUUID() + "@example.com";
        String password = "pass word with  blänks ";

        CommandResult result = runWithInput(password + "\n", "account create --password-stdin --email " + email);

        assertThat(result).isEqualTo(new CommandResult(0, "", ""));
        matches(password, hashOf(email));
        assertThat(listed(email).getString("plan")).isEqualTo("pro");
    }

    @Test
    void anInvalidPasswordCreatesNoAccount() {
        String email = UUID.randomUUID() + "@example.com";

        CommandResult tooShort = runWithInput("short\n", "account create --password-stdin --email " + email);
        CommandResult none = runWithInput("", "account create --password-stdin --email " + email);

        assertThat(tooShort.code()).isEqualTo(1);
        assertThat(tooShort.err()).isEqualTo("plumbline: The password must have at least 12 characters.");
        assertThat(none.err()).isEqualTo("plumbline: stdin does not contain a password.");
        assertThat(run("key list --email " + email).code()).isEqualTo(1);
    }

    @Test
    void aTakenAddressIsRejected() {
        String email = account("pro");

        CommandResult again = run("account create --email " + email.toUpperCase(Locale.ROOT));

        assertThat(again.code()).isEqualTo(1);
        assertThat(again.out()).isEmpty();
        assertThat(again.err())
                .startsWith("plumbline: an account with the e-mail address")
                .endsWith("already exists")
                .hasLineCount(1);
    }

    @Test
    void keyCreatePrintsOnlyTheKey() {
        String email = account("pro");

        CommandResult result = run("key create --email " + email);

        assertThat(result.code()).isZero();
        assertThat(result.err()).isEmpty();
        assertThat(ApiKeySecret.isWellFormed(result.out())).isTrue();
        assertThat(authenticate(result.out())).isInstanceOfSatisfying(ApiKeyLookup.Authenticated.class, good -> {
            assertThat(good.caller().plan()).isEqualTo(Plan.PRO);
            assertThat(good.caller().scopes()).containsExactlyInAnyOrder(Scope.values());
        });
    }

    @Test
    void keyOptionsAreAppliedAndTheSecretIsNotListed() {
        String email = account("pro");

        String key = run("key create --scopes jobs:read --expires 90d --email " + email, "--name", "CI key")
                .out();

        JsonObject listed = keys(email).getJsonObject(0);
        assertThat(listed.getString("prefix")).isEqualTo(key.substring(0, 10));
        assertThat(listed.getString("name")).isEqualTo("CI key");
        assertThat(listed.getJsonArray("scopes")).containsExactly("jobs:read");
        assertThat(Instant.parse(listed.getString("expires_at")))
                .isCloseTo(
                        Instant.now().plus(90, ChronoUnit.DAYS),
                        org.assertj.core.api.Assertions.within(1, ChronoUnit.MINUTES));
        assertThat(listed.getValue("last_used_at")).isNull();
        assertThat(listed.getValue("revoked_at")).isNull();
        String text = run("key list --email " + email).out();
        assertThat(text).startsWith("ID ").contains("CI key", "jobs:read", key.substring(0, 10));
        assertThat(text + listed).doesNotContain(key.substring(10));
    }

    @Test
    void anEleventhKeyIsRejected() {
        String email = account("pro");
        for (int i = 0; i < 10; i++) {
            assertThat(run("key create --email " + email).code()).isZero();
        }

        CommandResult eleventh = run("key create --email " + email);

        assertThat(eleventh.code()).isEqualTo(1);
        assertThat(eleventh.out()).isEmpty();
        assertThat(eleventh.err())
                .isEqualTo("plumbline: The account has 10 active keys, which is the maximum. Revoke a key first.");
    }

    @Test
    void keysAreRevokedByIdPrefixOrSecret() {
        String email = account("pro");
        String whole = run("key create --email " + email).out();
        String prefix = run("key create --email " + email).out();
        String byId = run("key create --email " + email).out();
        String id = keys(email).getJsonObject(0).getValue("id").toString();

        assertThat(run("key revoke " + whole)).isEqualTo(new CommandResult(0, "", ""));
        assertThat(run("key revoke " + prefix.substring(0, 10)).code()).isZero();
        assertThat(run("key revoke " + id).code()).isZero();

        for (String key : List.of(whole, prefix, byId)) {
            assertThat(authenticate(key)).isEqualTo(new ApiKeyLookup.Refused(ApiKeyLookup.Reason.REVOKED));
        }
        CommandResult unknown = run("key revoke plk_nobody");
        assertThat(unknown.code()).isEqualTo(1);
        assertThat(unknown.err()).startsWith("plumbline: No key matches").hasLineCount(1);
    }

    @Test
    void accountsAreChangedAndDeleted() {
        String email = account("pro");
        String key = run("key create --email " + email).out();

        assertThat(run("account set-plan --plan free --email " + email).code()).isZero();
        assertThat(listed(email).getString("plan")).isEqualTo("free");
        assertThat(run("account disable --email " + email).code()).isZero();
        assertThat(authenticate(key)).isEqualTo(new ApiKeyLookup.Refused(ApiKeyLookup.Reason.DISABLED));
        assertThat(run("account list").out())
                .containsPattern(java.util.regex.Pattern.quote(email) + " +free +disabled +1 ");
        assertThat(run("account disable --undo --email " + email).code()).isZero();
        assertThat(authenticate(key)).isInstanceOf(ApiKeyLookup.Authenticated.class);
        CommandResult password = run("account set-password --email " + email);
        matches(password.out().substring("password ".length()), hashOf(email));

        assertThat(run("account delete --email " + email)).isEqualTo(new CommandResult(0, "", ""));
        assertThat(authenticate(key)).isInstanceOf(ApiKeyLookup.Refused.class);
        assertThat(run("account list").out()).doesNotContain(email);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "account set-plan --plan free",
                "account set-password",
                "account disable",
                "account delete",
                "key create",
                "key list"
            })
    void anUnknownAccountIsAOneLineError(String line) {
        CommandResult result = run(line + " --email nobody@example.com");

        assertThat(result)
                .isEqualTo(
                        new CommandResult(1, "", "plumbline: No account has the e-mail address nobody@example.com."));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "account",
                "account create",
                "account create --email nobody",
                "account create --email a@example.com --plan gold",
                "account create --email a@example.com --password geheim",
                "account set-plan --email a@example.com",
                "key",
                "key create",
                "key create --email a@example.com --scopes jobs:read,jobs:all",
                "key create --email a@example.com --expires tomorrow",
                "key create --email a@example.com --expires 0d",
                "key create --email a@example.com --expires 999999d",
                "key create --email a@example.com --name ",
                "key revoke"
            })
    void usageErrorHasExitCode4(String line) {
        CommandResult result = CommandLineRunner.run("", line.split(" ", -1));

        assertThat(result.code()).isEqualTo(4);
        assertThat(result.out()).isEmpty();
        assertThat(result.err()).isNotEmpty();
    }

    @Test
    void anUnavailableDatabaseIsAOneLineErrorWithoutPassword() throws IOException {
        Path wrong = Files.writeString(
                folder.resolve("wrong.yaml"),
                "database: {url: '" + DATABASE.url().replaceAll(":[^:@/]+@", ":sesame@") + "'}\n");

        CommandResult result = CommandLineRunner.run("", "account", "list", "--conf", wrong.toString());

        assertThat(result.code()).isEqualTo(1);
        assertThat(result.err())
                .startsWith("plumbline: The database ")
                .hasLineCount(1)
                .doesNotContain("sesame");
    }

    @Test
    void keyGenerateNeedsNoDatabase() {
        CommandResult result = CommandLineRunner.run("", "key", "generate");

        assertThat(ApiKeySecret.isWellFormed(result.out())).isTrue();
        assertThat(authenticate(result.out())).isEqualTo(new ApiKeyLookup.Refused(ApiKeyLookup.Reason.UNKNOWN));
    }

    private JsonObject listed(String email) {
        return new JsonArray(run("account list --json").out())
                .stream()
                        .map(JsonObject.class::cast)
                        .filter(account -> account.getString("email").equals(email))
                        .findFirst()
                        .orElseThrow();
    }

    private String hashOf(String email) {
        return rows.row("select password_hash from account where email = $1", email)
                .getString(0);
    }

    private static void matches(String password, String hash) {
        assertThat(Await.value(new PasswordHasher(DATABASE.vertx()).verify(password, hash)))
                .isTrue();
    }
}
