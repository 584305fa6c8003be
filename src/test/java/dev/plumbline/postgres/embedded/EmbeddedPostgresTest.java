package dev.plumbline.postgres.embedded;

import static dev.plumbline.support.TestDatabase.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import dev.plumbline.postgres.Database;
import dev.plumbline.postgres.DatabaseOptions;
import dev.plumbline.postgres.DatabaseUnavailableException;
import dev.plumbline.postgres.PostgresException;
import dev.plumbline.postgres.SchemaMigrator;
import dev.plumbline.support.Await;
import dev.plumbline.support.CapturedLog;
import io.vertx.core.Vertx;
import io.vertx.pgclient.PgConnection;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@Tag("integration")
class EmbeddedPostgresTest {
    @TempDir
    static Path dir;

    private static Vertx vertx;
    private EmbeddedPostgres embedded;

    @BeforeAll
    static void open() {
        vertx = Vertx.vertx();
    }

    @AfterAll
    static void close() {
        await(vertx.close());
    }

    @AfterEach
    void stop() {
        if (embedded != null) {
            embedded.stop();
        }
    }

    private EmbeddedPostgres start() {
        embedded = EmbeddedPostgres.start(dir);
        return embedded;
    }

    private static String ask(String url, String sql) {
        return await(PgConnection.connect(vertx, DatabaseOptions.of(url))
                .compose(c -> c.query(sql).execute().eventually(c::close))
                .map(rows -> rows.size() == 0
                        ? ""
                        : rows.iterator().next().getValue(0).toString()));
    }

    private String ask(String sql) {
        return ask(embedded.url(), sql);
    }

    @Test
    void durabilitySettingsAreEnabled() {
        start();
        for (String setting : List.of("fsync", "synchronous_commit", "full_page_writes")) {
            assertThat(ask("show " + setting)).as(setting).isEqualTo("on");
        }
        assertThat(ask("show data_checksums")).isEqualTo("on");
        assertThat(ask("show server_encoding")).isEqualTo("UTF8");
    }

    @Test
    void listensOnTheLoopbackAddressOnly() throws IOException {
        start();
        assertThat(ask("show listen_addresses")).isEqualTo("127.0.0.1");
        assertThat(ask(embedded.superuserUrl("postgres"), "show unix_socket_directories"))
                .isEmpty();
        for (InetAddress address : NetworkInterface.networkInterfaces()
                .flatMap(NetworkInterface::inetAddresses)
                .filter(address -> !address.isLoopbackAddress())
                .toList()) {
            try (Socket socket = new Socket()) {
                assertThatThrownBy(() -> socket.connect(new InetSocketAddress(address, embedded.port()), 1_000))
                        .as(address.toString())
                        .isInstanceOf(IOException.class);
            }
        }
    }

    @Test
    void connectionsRequireThePassword() {
        start();
        String url = embedded.url();
        String without = url.replaceFirst(":[^:@/]+@", "@");
        assertThatThrownBy(() -> ask(without, "select 1")).isInstanceOf(Exception.class);
        assertThatThrownBy(() -> ask(without.replace("plumbline@", "postgres@"), "select 1"))
                .isInstanceOf(Exception.class);
        assertThatThrownBy(() -> ask(url.replaceFirst(":[^:@/]+@", ":wrong@"), "select 1"))
                .hasMessageContaining("password authentication failed");
        assertThat(ask(
                        embedded.superuserUrl("postgres"),
                        "select count(*) from pg_authid"
                                + " where rolcanlogin and rolpassword not like 'SCRAM-SHA-256$%'"))
                .isEqualTo("0");
    }

    @Test
    void filesAreAccessibleToTheOwnerOnly() throws IOException {
        start();
        try (Stream<Path> all = Files.walk(dir)) {
            List<Path> open = all.filter(path -> !Files.isSymbolicLink(path))
                    .filter(path -> !mode(path).endsWith("------"))
                    .toList();
            // files in a directory with mode 0700 are inaccessible
            assertThat(open).isEmpty();
        }
        assertThat(mode(dir)).isEqualTo("rwx------");
        assertThat(mode(dir.resolve("postgres"))).isEqualTo("rwx------");
        assertThat(mode(dir.resolve("database-password"))).isEqualTo("rw-------");
        assertThat(mode(dir.resolve("database-superuser-password"))).isEqualTo("rw-------");
        assertThat(dir.resolve("postgres/initial-password")).doesNotExist();
    }

    private static String mode(Path path) {
        try {
            return PosixFilePermissions.toString(Files.getPosixFilePermissions(path));
        } catch (java.nio.file.NoSuchFileException gone) {
            return "---------";
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }

    @Test
    void dataSurvivesARestart() {
        start();
        ask("create table kept (what text)");
        ask("insert into kept values ('this')");
        long pid = embedded.postmasterPid();
        embedded.stop();
        assertThat(new Postmaster(pid).alive()).isFalse();

        start();
        assertThat(ask("select what from kept")).isEqualTo("this");
        ask("drop table kept");
    }

    @Test
    void aKilledServerIsRestartedOnTheSamePort() {
        start();
        int port = embedded.port();
        Database database = new Database(vertx, embedded.url(), 2, Duration.ofSeconds(2));
        await(database.ping());
        long first = embedded.postmasterPid();
        new Postmaster(first).kill();
        Await.until(() -> embedded.postmasterPid() != first);
        Await.until(() -> database.available() && works(database));
        assertThat(embedded.port()).isEqualTo(port);
        await(database.close());
    }

    @Test
    void stopInterruptsALongStart(@TempDir Path fresh) throws IOException {
        ExtractedPrograms.linkInto(fresh);
        embedded = EmbeddedPostgres.start(fresh);
        Path cluster = fresh.resolve("postgres/cluster");
        long first = embedded.postmasterPid();
        // the next start must restore from an archive that does not respond
        Files.writeString(cluster.resolve("postgresql.auto.conf"), "restore_command = 'sleep 90'\n");
        Files.createFile(cluster.resolve("recovery.signal"));
        new Postmaster(first).kill();
        Await.until(
                () -> Postmaster.of(cluster).filter(next -> next.pid() != first).isPresent());
        Postmaster starting = Postmaster.of(cluster).orElseThrow();

        assertTimeoutPreemptively(Duration.ofSeconds(30), embedded::stop);
        assertThat(starting.alive()).isFalse();
        assertThat(Postmaster.of(cluster)).isEmpty();
    }

    /** The recovery takes longer than pg_ctl waits, and has no time limit. */
    @Test
    void aStartWaitsForARecovery(@TempDir Path fresh) throws Exception {
        ExtractedPrograms.linkInto(fresh);
        embedded = EmbeddedPostgres.start(fresh);
        Path cluster = fresh.resolve("postgres/cluster");
        embedded.stop();
        Path end = fresh.resolve("end");
        Files.writeString(
                cluster.resolve("postgresql.auto.conf"),
                "restore_command = 'while [ ! -e \"" + end + "\" ]; do sleep 0.1; done; false'\n");
        Files.createFile(cluster.resolve("recovery.signal"));
        try (CapturedLog log = new CapturedLog()) {
            CompletableFuture<EmbeddedPostgres> start =
                    CompletableFuture.supplyAsync(() -> EmbeddedPostgres.start(fresh));

            Await.until(() -> log.text().contains("embedded database recovering"));
            assertThat(start).isNotDone();
            Files.createFile(end);
            embedded = start.get(60, TimeUnit.SECONDS);
        }
        assertThat(embedded.running()).isTrue();
        assertThat(ask("select 1")).isEqualTo("1");
    }

    @Test
    void aKilledBackendDoesNotStopTheServer() {
        start();
        Database database = new Database(vertx, embedded.url(), 1, Duration.ofSeconds(2));
        int backend = await(database.query("select pg_backend_pid()"))
                .iterator()
                .next()
                .getInteger(0);
        new Postmaster(backend).kill();
        Await.until(() -> works(database));
        assertThat(await(database.query("select pg_backend_pid()"))
                        .iterator()
                        .next()
                        .getInteger(0))
                .isNotEqualTo(backend);
        await(database.close());
    }

    private static boolean works(Database database) {
        try {
            await(database.query("select 1"));
            return true;
        } catch (DatabaseUnavailableException notYet) {
            return false;
        }
    }

    @Test
    void theServerOfACrashedProcessIsStopped() {
        EmbeddedPostgres crashed = EmbeddedPostgres.start(dir);
        long orphan = crashed.postmasterPid();
        crashed.abandon();
        assertThat(new Postmaster(orphan).alive()).isTrue();

        start();
        assertThat(embedded.postmasterPid()).isNotEqualTo(orphan);
        assertThat(new Postmaster(orphan).alive()).isFalse();
        assertThat(ask("select 1")).isEqualTo("1");
    }

    @Test
    void anotherProcessWithTheStalePidIsNotStopped() throws IOException, InterruptedException {
        start();
        embedded.stop();
        Process stranger = new ProcessBuilder("sleep", "60").start();
        try {
            Path stale = dir.resolve("postgres/cluster/postmaster.pid");
            Files.writeString(
                    stale, stranger.pid() + "\n" + stale.getParent() + "\n1700000000\n5432\n\n127.0.0.1\n 1 2\n");
            start();
            assertThat(ask("select 1")).isEqualTo("1");
            assertThat(stranger.isAlive()).isTrue();
        } finally {
            stranger.destroyForcibly().waitFor();
        }
    }

    @Test
    void anInterruptedInitializationIsRepeated(@TempDir Path fresh) throws IOException {
        Path half = Files.createDirectories(fresh.resolve("postgres/initialising/base/1"));
        Files.writeString(half.resolve("1234"), "half");
        Files.createDirectories(fresh.resolve("postgres/unpacking/bin"));
        embedded = EmbeddedPostgres.start(fresh);
        assertThat(ask("select 1")).isEqualTo("1");
        assertThat(fresh.resolve("postgres/initialising")).doesNotExist();
        assertThat(fresh.resolve("postgres/unpacking")).doesNotExist();
    }

    @Test
    void aDirectoryInUseIsRejected() {
        start();
        assertThatThrownBy(() -> EmbeddedPostgres.start(dir))
                .isInstanceOf(PostgresException.class)
                .hasMessageContaining("in use");
        assertThat(ask("select 1")).isEqualTo("1");
    }

    @Test
    void aReadOnlyDirectoryIsRejected(@TempDir Path other) throws IOException {
        Path file = Files.createFile(other.resolve("file"));
        assertThatThrownBy(() -> EmbeddedPostgres.start(file.resolve("data")))
                .isInstanceOf(PostgresException.class)
                .hasMessageContaining("is not writable");
        assertThatThrownBy(() -> EmbeddedPostgres.start(file))
                .isInstanceOf(PostgresException.class)
                .hasMessageContaining("is not writable");
    }

    @Test
    void terminalSignalsDoNotReachTheServer() throws IOException {
        start();
        assertThat(session(embedded.postmasterPid()))
                .isNotEqualTo(session(ProcessHandle.current().pid()));
    }

    private static String session(long pid) throws IOException {
        String stat = Files.readString(Path.of("/proc", Long.toString(pid), "stat"));
        return stat.substring(stat.lastIndexOf(')') + 2).split(" ")[3];
    }

    @Test
    void theLogIsRotated() throws IOException {
        start();
        Path log = dir.resolve("postgres/log");
        Files.write(log, new byte[9 << 20], java.nio.file.StandardOpenOption.APPEND);
        embedded.stop();
        start();
        assertThat(Files.size(log)).isLessThan(1 << 20);
        assertThat(mode(dir.resolve("postgres/log.old"))).isEqualTo("rw-------");
    }

    @Test
    void quotasSurviveACrashAndCachedResultsARestart() {
        start();
        await(SchemaMigrator.run(vertx, embedded.url()));
        String take = "select granted from charge_quotas(array['fresh'], array['somebody'], array[2], array[3],"
                + " array[3600000000], null)";
        assertThat(ask(take)).isEqualTo("true");
        ask("insert into result_cache values" + " ('k', 'body', now(), now() + interval '10 minutes')");
        embedded.stop();

        start();
        assertThat(ask("select convert_from(body, 'UTF8') from result_cache")).isEqualTo("body");
        new Postmaster(embedded.postmasterPid()).kill();
        embedded.abandon();

        start();
        assertThat(ask(take)).isEqualTo("false");
        // the table is not logged
        assertThat(ask("select count(*)::text from result_cache")).isEqualTo("0");
    }

    @Test
    void noProcessRemainsAfterStop() {
        start();
        await(PgConnection.connect(vertx, DatabaseOptions.of(embedded.url())))
                .exceptionHandler(closedByTheServer -> {});
        embedded.stop();
        Path cluster = dir.resolve("postgres/cluster");
        assertThat(ProcessHandle.allProcesses().filter(process -> serves(process, cluster)))
                .isEmpty();
    }

    private static boolean serves(ProcessHandle process, Path cluster) {
        try {
            Path cwd = Path.of("/proc", Long.toString(process.pid()), "cwd");
            return Files.readSymbolicLink(cwd).equals(cluster.toRealPath());
        } catch (IOException notOurs) {
            return false;
        }
    }
}
