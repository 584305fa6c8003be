package dev.plumbline.support;

import dev.plumbline.postgres.Database;
import dev.plumbline.postgres.DatabaseOptions;
import dev.plumbline.postgres.SchemaMigrator;
import dev.plumbline.postgres.embedded.DataDirectory;
import dev.plumbline.postgres.embedded.EmbeddedPostgres;
import dev.plumbline.postgres.embedded.ExtractedPrograms;
import dev.plumbline.postgres.embedded.PostgresCluster;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.pgclient.PgConnection;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * A migrated database for each test class, in one PostgreSQL server that all test classes share:
 * {@code @RegisterExtension static final TestDatabase DATABASE = new TestDatabase();}
 */
public final class TestDatabase implements BeforeAllCallback, AfterAllCallback {
    private final List<Database> opened = new ArrayList<>();
    private Vertx vertx;
    private Shared shared;
    private String name;

    /** The server that all test classes of this JVM share, with a migrated template database. */
    private static final class Shared implements AutoCloseable {
        private static final String TEMPLATE = "test_template";

        /**
         * Instead of SCRAM, for which the client computes 4,096 hashes for each connection, slowly without the second
         * compiler.
         */
        private static final String PASSWORD_IN_CLEAR_TEXT = "host all all 127.0.0.1/32 password\n";

        private final Path dir;
        private final EmbeddedPostgres server;

        Shared() {
            try {
                dir = Files.createTempDirectory("plumbline-test");
                ExtractedPrograms.linkInto(dir);
                server = EmbeddedPostgres.start(dir);
                Files.writeString(dir.resolve("postgres/cluster/pg_hba.conf"), PASSWORD_IN_CLEAR_TEXT);
            } catch (IOException e) {
                throw new java.io.UncheckedIOException(e);
            }
            Vertx vertx = Vertx.vertx();
            try {
                // durability across a crash is not tested here
                execute(vertx, "alter system set fsync = off");
                execute(vertx, "select pg_reload_conf()");
                execute(vertx, "create database " + TEMPLATE + " owner " + PostgresCluster.NAME);
                await(SchemaMigrator.run(vertx, url(TEMPLATE)));
            } finally {
                await(vertx.close());
            }
        }

        String url(String database) {
            return server.url().replaceAll("/[^/]*$", "/" + database);
        }

        void execute(Vertx vertx, String sql) {
            await(PgConnection.connect(vertx, DatabaseOptions.of(server.superuserUrl("postgres")))
                    .compose(c -> c.query(sql).execute().eventually(c::close)));
        }

        @Override
        public void close() throws IOException {
            server.stop();
            DataDirectory.deleteTree(dir);
        }
    }

    @Override
    public void beforeAll(ExtensionContext context) {
        shared = context.getStore(
                        ExtensionContext.StoreScope.LAUNCHER_SESSION,
                        ExtensionContext.Namespace.create(TestDatabase.class))
                .getOrComputeIfAbsent(Shared.class, key -> new Shared(), Shared.class);
        vertx = Vertx.vertx();
        name = create(" template " + Shared.TEMPLATE);
    }

    @Override
    public void afterAll(ExtensionContext context) {
        opened.forEach(database -> await(database.close()));
        asSuperuser("drop database " + name + " with (force)");
        await(vertx.close());
    }

    /** The URL of the database of this test class. */
    public String url() {
        return shared.url(name);
    }

    /** A Vert.x instance, closed after the test class. */
    public Vertx vertx() {
        return vertx;
    }

    /** Opens another connection pool, closed after the test class. */
    public Database open() {
        return open(url());
    }

    public Database open(String url) {
        Database database = new Database(vertx, url, 4, Duration.ofSeconds(5));
        opened.add(database);
        return database;
    }

    public EmbeddedPostgres server() {
        return shared.server;
    }

    /** Creates another empty database in the same server. */
    public String createEmpty() {
        return shared.url(create(""));
    }

    void asSuperuser(String sql) {
        shared.execute(vertx, sql);
    }

    private String create(String template) {
        String database = "test_" + UUID.randomUUID().toString().replace('-', '_');
        asSuperuser("create database " + database + " owner " + PostgresCluster.NAME + template);
        return database;
    }

    /** Waits at most 30 seconds. */
    public static <T> T await(Future<T> future) {
        try {
            return future.toCompletionStage().toCompletableFuture().get(30, TimeUnit.SECONDS);
        } catch (ExecutionException e) {
            if (e.getCause() instanceof RuntimeException cause) {
                throw cause;
            }
            throw new IllegalStateException(e.getCause());
        } catch (InterruptedException | TimeoutException e) {
            throw new IllegalStateException(e);
        }
    }
}
