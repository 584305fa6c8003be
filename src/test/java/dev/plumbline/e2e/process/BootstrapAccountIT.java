package dev.plumbline.e2e.process;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.account.ApiKeySecret;
import dev.plumbline.support.CommandResult;
import dev.plumbline.support.SecretScanner;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The jar with its embedded database: the first account, and commands with and without a running service. */
@Tag("integration")
class BootstrapAccountIT {
    @TempDir
    Path folder;

    @Test
    void firstStartPrintsAccountAndCommandsWorkWithOrWithoutService() throws Exception {
        SecretScanner leaks = new SecretScanner();
        try (ServiceProcess service =
                ServiceProcess.start(folder, Map.of("LOG_LEVEL", "debug", "LOG_FORMAT", "json"))) {
            List<String> printed = service.printed();
            assertThat(printed).hasSize(3);
            assertThat(printed.get(0)).isEqualTo("account admin@localhost");
            assertThat(printed.get(1)).startsWith("password ");
            assertThat(printed.get(2)).startsWith("api-key plk_");
            leaks.secret(printed.get(1).substring("password ".length()));
            leaks.secret(printed.get(2).substring("api-key ".length()));

            CommandResult key = command("key", "create", "--email", "admin@localhost");
            assertThat(key.code()).isZero();
            assertThat(ApiKeySecret.isWellFormed(key.out())).isTrue();
            leaks.secret(key.out());
            assertThat(command("key", "revoke", key.out()).code()).isZero();

            leaks.assertNoneIn("the log", service.log());
            leaks.assertNoneIn("the metrics", service.metrics().body());
            leaks.assertNoneIn("the readiness", service.ready().body());
            service.terminate();
            service.awaitExit(40);
            leaks.assertNoneIn("the log of the stop", service.log());
        }

        CommandResult password = command("account", "set-password", "--email", "admin@localhost");
        assertThat(password.code()).isZero();
        assertThat(password.out()).startsWith("password ");
        CommandResult keys = command("key", "list", "--email", "admin@localhost");
        assertThat(keys.out().lines()).hasSize(3);
        leaks.assertNoneIn("the list of keys", keys.out() + keys.err());
        assertThat(Files.exists(folder.resolve("data/postgres/cluster/postmaster.pid")))
                .isFalse();

        try (ServiceProcess again = ServiceProcess.start(folder, Map.of())) {
            assertThat(again.printed()).isEmpty();
        }
    }

    @Test
    void configuredKeyMustHaveValidChecksum() throws Exception {
        String key = ApiKeySecret.generate();
        String wrong = key.substring(0, 41) + (key.charAt(41) == '0' ? '1' : '0');

        try (ServiceProcess service = ServiceProcess.launch(folder, Map.of("BOOTSTRAP_API_KEY", wrong))) {
            assertThat(service.awaitExit(40)).isEqualTo(1);
            assertThat(service.log()).contains("bootstrap.api_key: the checksum is not valid");
            new SecretScanner().secret(wrong).assertNoneIn("the error", service.log());
        }
    }

    @Test
    void commandWithoutDatabaseCreatesNoDirectory() throws Exception {
        CommandResult result = command("account", "list");

        assertThat(result.code()).isEqualTo(1);
        assertThat(result.err()).startsWith("plumbline: The directory ").hasLineCount(1);
        assertThat(folder.resolve("data")).doesNotExist();
    }

    private CommandResult command(String... arguments) throws Exception {
        return ServiceProcess.command(folder, arguments);
    }
}
