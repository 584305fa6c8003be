package dev.plumbline.postgres.backup;

import static dev.plumbline.support.TestDatabase.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.plumbline.postgres.DatabaseOptions;
import dev.plumbline.postgres.embedded.EmbeddedPostgres;
import dev.plumbline.postgres.embedded.ExtractedPrograms;
import dev.plumbline.support.DebianTool;
import io.vertx.core.Vertx;
import io.vertx.pgclient.PgConnection;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@Tag("integration")
class BaseBackupTest {
    @TempDir
    static Path folder;

    private static Vertx vertx;
    private static EmbeddedPostgres server;
    private static Path data;
    private static Path backup;
    private static int committedBefore;
    private static int committedAfter;

    /** Creates one backup, while rows are inserted and the WAL is switched and recycled continuously. */
    @BeforeAll
    static void createUnderLoad() throws Exception {
        vertx = Vertx.vertx();
        data = folder.resolve("data");
        backup = folder.resolve("backup");
        ExtractedPrograms.linkInto(data);
        server = EmbeddedPostgres.start(data);
        Files.writeString(data.resolve("session.secret"), "the secret of sessions in this test\n");
        query(server.url(), "create table entry (id int primary key, text text)");
        AtomicBoolean stopped = new AtomicBoolean();
        AtomicInteger committed = new AtomicInteger();
        AtomicInteger checkpoints = new AtomicInteger();
        ExecutorService writers = Executors.newFixedThreadPool(2);
        try {
            Future<?> rows = writers.submit(() -> {
                for (int id = 1; !stopped.get(); id++) {
                    query(server.url(), "insert into entry values (" + id + ", repeat('x', 1000))");
                    committed.set(id);
                }
            });
            Future<?> wal = writers.submit(() -> {
                while (!stopped.get()) {
                    query(server.superuserUrl("plumbline"), "select pg_switch_wal()");
                    query(server.superuserUrl("plumbline"), "checkpoint");
                    checkpoints.incrementAndGet();
                }
            });
            dev.plumbline.support.Await.until(() -> committed.get() > 20 && checkpoints.get() > 2);
            int checkpointsBefore = checkpoints.get();
            committedBefore = committed.get();
            BaseBackup.Summary summary = BaseBackup.create(data, backup, "test");
            committedAfter = committed.get();
            assertThat(checkpoints.get() - checkpointsBefore)
                    .as("checkpoints during the backup")
                    .isGreaterThan(1);
            assertThat(summary.files()).isGreaterThan(500);
            stopped.set(true);
            rows.get(30, TimeUnit.SECONDS);
            wal.get(30, TimeUnit.SECONDS);
        } finally {
            stopped.set(true);
            writers.shutdownNow();
        }
    }

    @AfterAll
    static void close() {
        server.stop();
        await(vertx.close());
    }

    private static String query(String url, String sql) {
        return await(PgConnection.connect(vertx, DatabaseOptions.of(url)).compose(connection -> connection
                .query(sql)
                .execute()
                .map(rows -> rows.iterator().hasNext()
                        ? String.valueOf(rows.iterator().next().getValue(0))
                        : "")
                .eventually(connection::close)));
    }

    @Test
    void restoredDatabaseContainsEveryCommittedRowWithoutGaps() throws IOException {
        Path restored = folder.resolve("restored");

        assertThat(BackupRestore.restore(backup, restored)).isGreaterThan(500);
        ExtractedPrograms.linkInto(restored);

        try (EmbeddedPostgres database = EmbeddedPostgres.start(restored)) {
            int count = Integer.parseInt(query(database.url(), "select count(*) from entry"));
            assertThat(count).isGreaterThanOrEqualTo(committedBefore).isLessThanOrEqualTo(committedAfter + 1);
            assertThat(query(database.url(), "select max(id) from entry")).isEqualTo("" + count);
            assertThat(query(database.superuserUrl("plumbline"), "select count(*) from pg_replication_slots"))
                    .isEqualTo("0");
        }
        assertThat(restored.resolve("session.secret")).hasSameTextualContentAs(data.resolve("session.secret"));
        assertThat(query(server.superuserUrl("plumbline"), "select count(*) from pg_replication_slots"))
                .as("slots of the running server")
                .isEqualTo("0");
    }

    @Test
    void filesAreAccessibleToTheOwnerOnly() throws IOException {
        try (Stream<Path> all = Files.walk(backup)) {
            List<Path> paths = all.toList();
            assertThat(paths).hasSizeGreaterThan(500).allSatisfy(path -> assertThat(
                            PosixFilePermissions.toString(Files.getPosixFilePermissions(path)))
                    .as(path.toString())
                    .isEqualTo(Files.isDirectory(path) ? "rwx------" : "rw-------"));
        }
        assertThat(backup.resolve("postgres/cluster/backup_label")).isRegularFile();
        assertThat(backup.resolve("postgres/cluster/postmaster.pid")).doesNotExist();
    }

    @Test
    void checksumListIsReadableBySha256sum() throws Exception {
        Process sha256sum = new ProcessBuilder(
                        DebianTool.require("sha256sum").toString(), "--check", "--strict", "--quiet", "SHA256SUMS")
                .directory(backup.toFile())
                .redirectErrorStream(true)
                .start();

        assertThat(new String(sha256sum.getInputStream().readAllBytes(), StandardCharsets.UTF_8))
                .isEmpty();
        assertThat(sha256sum.waitFor()).isZero();
    }

    @Test
    void backupIsRejectedForUnsuitableDirectories() throws IOException {
        Path used = Files.createDirectory(folder.resolve("used"));
        Files.writeString(used.resolve("file"), "content");

        assertThatThrownBy(() -> BaseBackup.create(data, used, "test")).hasMessageContaining("is not empty");
        assertThatThrownBy(() -> BaseBackup.create(data, data.resolve("backup"), "test"))
                .hasMessageContaining("is inside the data directory");
        Path link = Files.createSymbolicLink(folder.resolve("link"), data.resolve("postgres"));
        assertThatThrownBy(() -> BaseBackup.create(data, link.resolve("backup"), "test"))
                .hasMessageContaining("is inside the data directory");
        assertThat(data.resolve("postgres/backup")).doesNotExist();
        assertThatThrownBy(() -> BaseBackup.create(folder.resolve("none"), folder.resolve("fresh"), "test"))
                .hasMessageContaining("does not contain a database");
        assertThat(used).isDirectoryContaining("glob:**/file");
    }

    @Test
    void restoreIsRejectedIfTheDataDirectoryIsInUseOrNotEmpty() throws IOException {
        Path used = Files.createDirectory(folder.resolve("used-data"));
        Files.writeString(used.resolve("file"), "content");

        assertThatThrownBy(() -> BackupRestore.restore(backup, data)).hasMessageContaining("in use");
        assertThatThrownBy(() -> BackupRestore.restore(backup, used)).hasMessageContaining("is not empty");
        assertThat(BackupFiles.list(used)).containsExactly(used.resolve("file"));
    }

    @Test
    void restoreOfAnIncompleteOrDamagedBackupIsRejected() throws IOException {
        Path target = folder.resolve("rejected");
        Path sums = backup.resolve("SHA256SUMS");
        Path label = backup.resolve("postgres/cluster/backup_label");
        String list = Files.readString(sums);
        String content = Files.readString(label);
        try {
            Files.delete(sums);
            assertThatThrownBy(() -> BackupRestore.restore(backup, target))
                    .hasMessageContaining("SHA256SUMS is missing");
            Files.writeString(sums, list + "0".repeat(64) + "  ../outside\n");
            assertThatThrownBy(() -> BackupRestore.restore(backup, target)).hasMessageContaining("invalid line");
            Files.writeString(sums, list);
            Files.writeString(label, content + "#");
            assertThatThrownBy(() -> BackupRestore.restore(backup, target)).hasMessageContaining("is damaged");
            Files.delete(label);
            assertThatThrownBy(() -> BackupRestore.restore(backup, target)).hasMessageContaining("is missing");
        } finally {
            Files.writeString(sums, list);
            Files.writeString(label, content);
        }
        assertThat(BaseBackup.isEmpty(target)).isTrue();
    }
}
