package dev.plumbline.e2e.process;

import static dev.plumbline.support.TestDatabase.await;
import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.account.TestAccounts;
import dev.plumbline.postgres.Database;
import dev.plumbline.postgres.SchemaMigrator;
import dev.plumbline.postgres.embedded.DataDirectory;
import dev.plumbline.postgres.embedded.EmbeddedPostgres;
import dev.plumbline.postgres.embedded.ExtractedPrograms;
import dev.plumbline.support.Await;
import io.vertx.core.Vertx;
import io.vertx.sqlclient.Tuple;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/** A durable PostgreSQL with the schema of the service, which tests crash while services use it. */
final class CrashableDatabase implements AutoCloseable, AfterAllCallback {
    private final Vertx vertx = Vertx.vertx();
    private final Path folder;
    private final EmbeddedPostgres postgres;
    private final Database database;

    private CrashableDatabase(Path folder) {
        this.folder = folder;
        ExtractedPrograms.linkInto(folder);
        this.postgres = EmbeddedPostgres.start(folder);
        await(SchemaMigrator.run(vertx, postgres.url()));
        this.database = new Database(vertx, postgres.url(), 4, Duration.ofSeconds(5));
    }

    static CrashableDatabase start(Path folder) {
        return new CrashableDatabase(folder);
    }

    /**
     * Starts a server in a temporary folder. As an extension of a test class, it stops after the class:
     * {@code @RegisterExtension static final CrashableDatabase DATABASE = CrashableDatabase.startTemporary();}
     */
    static CrashableDatabase startTemporary() {
        try {
            return start(Files.createTempDirectory("plumbline-test"));
        } catch (IOException unwritable) {
            throw new UncheckedIOException(unwritable);
        }
    }

    @Override
    public void afterAll(ExtensionContext context) throws IOException {
        close();
        DataDirectory.deleteTree(folder);
    }

    String url() {
        return postgres.url();
    }

    int port() {
        return postgres.port();
    }

    TestAccounts accounts() {
        return new TestAccounts(database);
    }

    /** The first column of the only row. */
    long number(String sql, Object... arguments) {
        return await(database.query(sql, Tuple.from(arguments)))
                .iterator()
                .next()
                .getLong(0);
    }

    /** Expires the leases of all nodes. */
    void expireLeases() {
        await(database.query("update node set lease_expires_at = clock_timestamp() - interval '1 second'"));
    }

    boolean isAvailable() {
        try {
            await(database.ping());
            return true;
        } catch (RuntimeException unavailable) {
            return false;
        }
    }

    /** As {@code pg_ctl -m immediate}; its supervisor restarts the server. Returns when another server has started. */
    void restart() throws IOException, InterruptedException {
        String pid = postmasterPid();
        ServiceProcess.signal("QUIT", pid);
        // otherwise the next restart could meet a server that is still stopping
        Await.until(() -> !postmasterPid().isEmpty() && !postmasterPid().equals(pid));
    }

    /** The process ID of the server; empty while it does not run. */
    private String postmasterPid() {
        try {
            return Files.readAllLines(folder.resolve("postgres/cluster/postmaster.pid"))
                    .get(0);
        } catch (IOException | IndexOutOfBoundsException notWritten) {
            return "";
        }
    }

    /** Verifies that all jobs are final, no chunk is claimed, and each line has exactly one result. */
    void assertAllJobsFinal() {
        assertThat(number("select count(*) from job where finished_at is null")).isZero();
        assertThat(number("select count(*) from job_chunk where state in ('waiting', 'claimed')"))
                .isZero();
        assertThat(
                        number(
                                """
                select count(*) from job j where j.total <> (
                  select count(*) from job_result r where r.job_id = j.id)"""))
                .isZero();
    }

    @Override
    public void close() {
        await(database.close());
        postgres.stop();
        await(vertx.close());
    }
}
