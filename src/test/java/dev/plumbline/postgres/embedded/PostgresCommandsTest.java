package dev.plumbline.postgres.embedded;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class PostgresCommandsTest {
    @Test
    void rejectedConnectionsAreNotTheCauseOfAFailedStart() {
        String rejection = "2026-11-23 18:07:33 UTC [2] FATAL:  the database system is not yet accepting connections";
        String cause =
                "2026-11-23 18:07:33 UTC [1] FATAL:  could not write to file \"pg_wal/x\": No space left on device";

        assertThat(new PostgresCommands.Outcome(1, rejection + "\n" + cause).errorMessage())
                .isEqualTo(cause);
        assertThat(new PostgresCommands.Outcome(1, rejection + "\n").errorMessage())
                .isEqualTo(rejection);
    }
}
