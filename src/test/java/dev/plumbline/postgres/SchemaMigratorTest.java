package dev.plumbline.postgres;

import static dev.plumbline.support.TestDatabase.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.plumbline.support.Await;
import dev.plumbline.support.FaultInjectionProxy;
import dev.plumbline.support.TestDatabase;
import io.vertx.core.Future;
import java.io.IOException;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

@Tag("integration")
class SchemaMigratorTest {
    @RegisterExtension
    static final TestDatabase DATABASE = new TestDatabase();

    private static final Migration FIRST =
            new Migration(1, "V001__first.sql", "create table first (a int); insert into first values (1)");
    private static final Migration SECOND = new Migration(2, "V002__second.sql", "alter table first add b int");

    private String url;

    @BeforeEach
    void create() {
        url = DATABASE.createEmpty();
    }

    private Future<Void> run(Migration... known) {
        return run(url, known);
    }

    private static Future<Void> run(String url, Migration... known) {
        return new SchemaMigrator(DATABASE.vertx(), url, List.of(known), List.of(), Duration.ofMillis(300), () -> false)
                .run();
    }

    private long count(String sql) {
        return await(DATABASE.open(url).query(sql)).iterator().next().getLong(0);
    }

    @Test
    void theIndexListsAllMigrationsInOrder() throws IOException {
        try (Stream<Path> files = Files.list(Path.of("src/main/resources/db"))) {
            assertThat(Migration.all().stream().map(Migration::name))
                    .containsExactlyElementsOf(
                            files.map(file -> file.getFileName().toString())
                                    .filter(name -> name.endsWith(".sql"))
                                    .sorted()
                                    .toList());
        }
        int version = 0;
        for (Migration migration : Migration.all()) {
            assertThat(migration.version()).isEqualTo(++version);
        }
    }

    @Test
    void missingMigrationsAreAppliedOnce() {
        await(run(FIRST));
        await(run(FIRST));
        await(run(FIRST, SECOND));
        assertThat(count("select count(*) from first where b is null")).isOne();
        assertThat(count("select count(*) from schema_migration")).isEqualTo(2);
    }

    @Test
    void theIndexListsAllFunctions() throws IOException {
        try (Stream<Path> files = Files.list(Path.of("src/main/resources/db/functions"))) {
            assertThat(SchemaFunction.all().stream().map(function -> function.name() + ".sql"))
                    .containsExactlyInAnyOrderElementsOf(
                            files.map(file -> file.getFileName().toString()).toList());
        }
    }

    /** A database of version 6, which had its functions in the migrations. */
    @Test
    void functionsOfAnEarlierDatabaseAreTheSame() {
        List<Migration> earlier =
                Migration.all().stream().filter(m -> m.version() <= 6).toList();
        await(run(url, earlier.toArray(Migration[]::new)));
        long functions = SchemaFunction.all().size();

        await(SchemaMigrator.run(DATABASE.vertx(), url));

        assertThat(count("select count(*) from pg_proc p where p.pronamespace = 'public'::regnamespace"))
                .as("no other functions are left")
                .isEqualTo(functions);
        assertThat(count("select count(*) from schema_function")).isEqualTo(functions);
        assertThat(count("select current_day()")).isPositive();
    }

    @Test
    void aChangedFunctionIsCreatedAgain() {
        Migration table = Migration.all().get(6);
        SchemaFunction one = new SchemaFunction(
                "answer", "create or replace function answer() returns bigint " + "language sql as 'select 1::bigint'");
        SchemaFunction two = new SchemaFunction("answer", one.sql().replace("1", "2"));
        Migration[] known = {FIRST, new Migration(2, table.name().replace("V007", "V002"), table.sql())};

        for (SchemaFunction function : List.of(one, one, two)) {
            await(new SchemaMigrator(
                            DATABASE.vertx(),
                            url,
                            List.of(known),
                            List.of(function),
                            Duration.ofSeconds(1),
                            () -> false)
                    .run());
            assertThat(count("select answer()")).isEqualTo(function == two ? 2 : 1);
        }
        assertThat(count("select count(*) from schema_function")).isOne();
    }

    @Test
    void concurrentMigrationsAreSerialized() {
        List<Future<Void>> nodes = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            nodes.add(run(FIRST, SECOND));
        }
        nodes.forEach(TestDatabase::await);
        assertThat(count("select count(*) from first")).isOne();
    }

    @Test
    void aFailedMigrationIsRolledBack() {
        Migration broken = new Migration(2, "V002__broken.sql", "create table half (a int); select nothing");
        assertThatThrownBy(() -> await(run(FIRST, broken)))
                .isInstanceOf(PostgresException.class)
                .hasMessageContaining("column \"nothing\" does not exist");
        assertThat(count("select count(*) from pg_tables where tablename = 'half'"))
                .isZero();
        await(run(FIRST, SECOND));
    }

    @Test
    void aNewerSchemaIsRejected() {
        await(run(FIRST, SECOND));
        assertThatThrownBy(() -> await(run(FIRST)))
                .isInstanceOf(PostgresException.class)
                .hasMessage("The database has schema version 2, but this version of Plumbline supports 1 at most."
                        + " Use a newer version.");
    }

    @Test
    void aModifiedMigrationIsRejected() {
        await(run(FIRST));
        Migration changed = new Migration(1, FIRST.name(), FIRST.sql() + ";");
        assertThatThrownBy(() -> await(run(changed)))
                .isInstanceOf(PostgresException.class)
                .hasMessageContaining("V001__first.sql")
                .hasMessageContaining("was modified");
    }

    @Test
    void anUnreachableDatabaseIsReported() throws IOException {
        int closed;
        try (ServerSocket socket = new ServerSocket(0)) {
            closed = socket.getLocalPort();
        }
        assertThatThrownBy(() -> await(run("postgresql://u:secret@127.0.0.1:" + closed + "/d", FIRST)))
                .isInstanceOf(PostgresException.class)
                .hasMessageStartingWith("The database 127.0.0.1:" + closed + "/d cannot be reached: ")
                .hasMessageNotContaining("secret");
    }

    @Test
    void anUnresponsiveDatabaseIsReported() throws IOException {
        try (ServerSocket mute = new ServerSocket(0)) {
            assertThatThrownBy(() -> await(run("postgresql://u:p@127.0.0.1:" + mute.getLocalPort() + "/d", FIRST)))
                    .isInstanceOf(PostgresException.class)
                    .hasMessageEndingWith("cannot be reached: no response.");
        }
    }

    /** The first attempt ends after two seconds, and the time limit after 300 ms. */
    @Test
    void aDatabaseThatIsStartingHasNoTimeLimit() {
        AtomicInteger asked = new AtomicInteger();
        FaultInjectionProxy proxy = new FaultInjectionProxy(
                DATABASE.vertx(), DatabaseOptions.of(url).getPort());
        proxy.dropData();
        String slow = url.replaceFirst(":[0-9]+/", ":" + proxy.port() + "/");

        Future<Void> migrated = new SchemaMigrator(
                        DATABASE.vertx(),
                        slow,
                        List.of(FIRST),
                        List.of(),
                        Duration.ofMillis(300),
                        () -> asked.incrementAndGet() > 0)
                .run();

        Await.until(() -> asked.get() > 0);
        assertThat(migrated.isComplete()).isFalse();
        proxy.forwardData();
        await(migrated);
        assertThat(count("select count(*) from first")).isOne();
    }

    @Test
    void aWrongPasswordIsReported() {
        assertThatThrownBy(() -> await(run(url.replaceFirst(":[^:@/]+@", ":wrong@"), FIRST)))
                .isInstanceOf(PostgresException.class)
                .hasMessageContaining("password authentication failed");
    }
}
