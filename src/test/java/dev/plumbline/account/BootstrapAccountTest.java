package dev.plumbline.account;

import static dev.plumbline.support.TestDatabase.await;
import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.config.Config;
import dev.plumbline.postgres.Database;
import dev.plumbline.postgres.SchemaMigrator;
import dev.plumbline.support.TestDatabase;
import io.vertx.core.Future;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Function;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The bootstrap account. */
@Tag("integration")
class BootstrapAccountTest {
    @RegisterExtension
    static final TestDatabase DATABASE = new TestDatabase();

    private static final Config.BootstrapSettings NOTHING = new Config.BootstrapSettings(null, null, null);

    private String url;
    private Database database;
    private PasswordHasher passwords;

    @BeforeEach
    void anEmptyDatabase() {
        url = DATABASE.createEmpty();
        await(SchemaMigrator.run(DATABASE.vertx(), url));
        database = DATABASE.open(url);
        passwords = new PasswordHasher(DATABASE.vertx());
    }

    private List<String> start(Config.BootstrapSettings given) {
        List<String> printed = new ArrayList<>();
        await(new BootstrapAccount(database, passwords).run(given, printTo(printed)));
        return printed;
    }

    private static Function<List<String>, Future<Void>> printTo(List<String> printed) {
        return lines -> {
            printed.addAll(lines);
            return Future.succeededFuture();
        };
    }

    private AccountAdministration accounts() {
        return new AccountAdministration(database, passwords);
    }

    private ApiKeyLookup authenticate(String key) {
        return await(new ApiKeyAuthenticator(DATABASE.vertx(), database).authenticate(key));
    }

    @Test
    void generatedCredentialsArePrintedAndValid() {
        List<String> lines = start(NOTHING);

        assertThat(lines).hasSize(3);
        assertThat(lines.get(0)).isEqualTo("account admin@localhost");
        assertThat(lines.get(1)).matches("password [0-9A-Za-z]{20}");
        assertThat(lines.get(2)).matches("api-key plk_[0-9A-Za-z]{38}");
        assertThat(authenticate(lines.get(2).substring("api-key ".length())))
                .isInstanceOfSatisfying(ApiKeyLookup.Authenticated.class, good -> {
                    assertThat(good.caller().plan()).isEqualTo(Plan.PRO);
                    assertThat(good.caller().scopes()).containsExactlyInAnyOrder(Scope.values());
                });
        AccountStore.StoredAccount stored =
                await(new AccountStore(database).find(AccountEmail.parse("admin@localhost")));
        assertThat(await(passwords.verify(lines.get(1).substring("password ".length()), stored.passwordHash())))
                .isTrue();
    }

    @Test
    void configuredCredentialsAreUsedAndNotPrinted() {
        String key = ApiKeySecret.generate();

        assertThat(start(new Config.BootstrapSettings("Ops@Example.com", "a long enough one", key)))
                .isEmpty();

        assertThat(authenticate(key)).isInstanceOf(ApiKeyLookup.Authenticated.class);
        AccountStore.StoredAccount stored =
                await(new AccountStore(database).find(AccountEmail.parse("ops@example.com")));
        assertThat(await(passwords.verify("a long enough one", stored.passwordHash())))
                .isTrue();
    }

    @Test
    void missingCredentialsAreGeneratedAndPrinted() {
        List<String> lines = start(new Config.BootstrapSettings("ops@example.com", null, ApiKeySecret.generate()));

        assertThat(lines).hasSize(1);
        assertThat(lines.get(0)).startsWith("password ");
    }

    @Test
    void concurrentNodesCreateOneAccount() {
        List<Future<Void>> nodes = new ArrayList<>();
        List<String> printed = new CopyOnWriteArrayList<>();
        for (int i = 0; i < 5; i++) {
            nodes.add(new BootstrapAccount(DATABASE.open(url), new PasswordHasher(DATABASE.vertx()))
                    .run(NOTHING, printTo(printed)));
        }
        await(Future.all(nodes));

        assertThat(printed).hasSize(3);
        assertThat(await(accounts().list(0, 10))).hasSize(1);
    }

    /** A crash before the credentials are printed, and stdout that cannot be written. */
    @Test
    void anAccountWhoseCredentialsWereNotPrintedIsNotCreated() {
        Future<Void> failed = new BootstrapAccount(database, passwords)
                .run(NOTHING, lines -> Future.failedFuture(new IllegalStateException("stdout cannot be written")));

        assertThat(failed.onComplete(done -> {}).toCompletionStage().toCompletableFuture())
                .failsWithin(Duration.ofSeconds(30))
                .withThrowableThat()
                .withMessageContaining("stdout cannot be written");
        assertThat(await(accounts().list(0, 10))).isEmpty();
        List<String> printed = start(NOTHING);
        assertThat(authenticate(printed.get(2).substring("api-key ".length())))
                .isInstanceOf(ApiKeyLookup.Authenticated.class);
    }

    @Test
    void aSecondStartCreatesNothingEvenIfTheAccountIsDeleted() {
        start(NOTHING);
        assertThat(start(NOTHING)).isEmpty();

        await(accounts().delete(AccountEmail.parse("admin@localhost")));
        new TestAccounts(database).sql("delete from account");

        assertThat(start(NOTHING)).isEmpty();
        assertThat(await(accounts().list(0, 10))).isEmpty();
    }

    @Test
    void noAccountIsCreatedIfOneExists() {
        await(accounts().create(AccountEmail.parse("a@example.com"), Plan.FREE, "a long enough one"));

        assertThat(start(NOTHING)).isEmpty();
        assertThat(await(accounts().list(0, 10))).hasSize(1);
    }

    @Test
    void invalidSettingsAreNamedWithoutTheirValue() {
        String key = ApiKeySecret.generate();
        String wrong = key.substring(0, 41) + (key.charAt(41) == '0' ? '1' : '0');

        assertThat(BootstrapAccount.validate(new Config.BootstrapSettings(null, null, wrong)))
                .startsWith("bootstrap.api_key: the checksum is not valid")
                .contains("key generate")
                .doesNotContain(wrong.substring(4));
        assertThat(BootstrapAccount.validate(new Config.BootstrapSettings(null, "geheim", null)))
                .startsWith("bootstrap.password: ")
                .doesNotContain("geheim");
        assertThat(BootstrapAccount.validate(new Config.BootstrapSettings("a@b c", null, null)))
                .startsWith("bootstrap.email: ");
        assertThat(BootstrapAccount.validate(new Config.BootstrapSettings("a@b", "a long enough one", key)))
                .isNull();
    }
}
