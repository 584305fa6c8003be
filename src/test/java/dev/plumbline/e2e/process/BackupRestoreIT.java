package dev.plumbline.e2e.process;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.account.ApiKeySecret;
import dev.plumbline.support.Await;
import dev.plumbline.support.CommandResult;
import dev.plumbline.support.CountingTarget;
import io.vertx.core.Vertx;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The jar with its embedded database: a backup while jobs are created and processed, a restore into another directory,
 * and a start there. Every job completed before the backup has all its results.
 */
@Tag("integration")
class BackupRestoreIT {
    private static final int JOBS = 5;
    private static final Vertx VERTX = Vertx.vertx();

    @TempDir
    static Path folder;

    private final CountingTarget target = new CountingTarget(VERTX);
    private final JobLoadClient before = new JobLoadClient(target, 1);
    private final JobLoadClient during = new JobLoadClient(target, 2);
    private final ExecutorService client = Executors.newSingleThreadExecutor();

    @AfterAll
    static void close() {
        Await.value(VERTX.close());
    }

    @Test
    void completedJobsSurviveBackupAndRestore() throws Exception {
        String key = ApiKeySecret.generate();
        Map<String, String> settings = Map.of(
                "TARGETS_PER_IP_PER_SECOND", "0",
                "TARGETS_PER_IP_CONCURRENT", "0",
                "LIMITS_JOBS_PER_HOUR", "0",
                "LIMITS_JOBS_PER_HOUR_ACCOUNT", "0",
                "BOOTSTRAP_API_KEY", key);
        Path original = Files.createDirectory(folder.resolve("original"));
        Path replacement = Files.createDirectory(folder.resolve("replacement"));
        Path backup = folder.resolve("backup");
        List<String> tokens = new ArrayList<>();
        List<String> bodies = new ArrayList<>();
        try (ServiceProcess service = ServiceProcess.start(original, settings)) {
            for (int i = 0; i < JOBS; i++) {
                tokens.add(before.send(service.address(), before.newJob(key, 100)));
            }
            before.assertAllJobsCompleted(service.address(), Duration.ofSeconds(60));
            tokens.forEach(token -> bodies.add(before.body(service.address(), token)));
            backUpUnderLoad(service, original, key, backup);

            CommandResult inUse = ServiceProcess.command(original, "restore", backup.toString());
            assertThat(inUse.code()).isEqualTo(1);
            assertThat(inUse.err()).contains("in use by another running process");
            service.terminate();
            service.awaitExit(60);
        }
        CommandResult stopped = ServiceProcess.command(
                original, "backup", folder.resolve("of-stopped-service").toString());
        assertThat(stopped.code()).as(stopped.err()).isZero();
        CommandResult notEmpty = ServiceProcess.command(original, "restore", backup.toString());
        assertThat(notEmpty.code()).isEqualTo(1);
        assertThat(notEmpty.err()).contains("is not empty");

        CommandResult restored = ServiceProcess.command(replacement, "restore", backup.toString());
        assertThat(restored.code()).as(restored.err()).isZero();
        try (ServiceProcess service = ServiceProcess.start(replacement, settings)) {
            assertThat(service.printed()).as("credentials of a new database").isEmpty();
            before.assertAllJobsCompleted(service.address(), Duration.ofSeconds(10));
            for (int i = 0; i < JOBS; i++) {
                String body = before.body(service.address(), tokens.get(i));
                // only the links contain the port
                assertThat(body.replaceAll(":" + service.port() + "/", ":0/"))
                        .isEqualTo(bodies.get(i)
                                .replaceAll("http://127\\.0\\.0\\.1:\\d+/(api|jobs)", "http://127.0.0.1:0/$1"));
            }
        }
    }

    private void backUpUnderLoad(ServiceProcess service, Path directory, String key, Path backup) throws Exception {
        AtomicBoolean stopped = new AtomicBoolean();
        Future<?> load = client.submit(() -> {
            while (!stopped.get()) {
                during.send(service.address(), during.newJob(key, 200));
            }
        });
        try {
            Await.until(() -> during.accepted() > 3);
            int accepted = during.accepted();
            CommandResult created = ServiceProcess.command(directory, "backup", backup.toString());
            assertThat(created.code()).as(created.err()).isZero();
            assertThat(created.out()).startsWith("Backup created in ");
            assertThat(during.accepted()).as("jobs created during the backup").isGreaterThan(accepted);

            CommandResult again = ServiceProcess.command(directory, "backup", backup.toString());
            assertThat(again.code()).isEqualTo(1);
            assertThat(again.err()).contains("is not empty");
        } finally {
            stopped.set(true);
            load.get(60, TimeUnit.SECONDS);
            client.shutdownNow();
        }
    }
}
