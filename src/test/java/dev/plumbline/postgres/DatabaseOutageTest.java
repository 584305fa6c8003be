package dev.plumbline.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.VertxException;
import io.vertx.core.http.ConnectionPoolTooBusyException;
import io.vertx.pgclient.PgException;
import io.vertx.sqlclient.ClosedConnectionException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class DatabaseOutageTest {
    private static PgException state(String sqlState) {
        return new PgException("message", "ERROR", sqlState, "detail");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"08006", "53300", "53100", "57P01", "57P03", "57014", "58030", "25006", "28P01", "3D000", "40P01"
            })
    void isUnavailable(String sqlState) {
        assertThat(DatabaseOutage.isUnavailable(state(sqlState))).isTrue();
    }

    @ParameterizedTest
    @ValueSource(strings = {"42601", "23505", "22012", "42P01", "25001", ""})
    void invalidStatementsAreNotOutages(String sqlState) {
        assertThat(DatabaseOutage.isUnavailable(state(sqlState))).isFalse();
    }

    @Test
    void connectionFailuresAreOutages() {
        for (Throwable failure : List.of(
                new IOException("reset"),
                new TimeoutException(),
                new ConnectionPoolTooBusyException("full"),
                ClosedConnectionException.INSTANCE,
                VertxException.noStackTrace("Connection was closed"),
                VertxException.noStackTrace("Connection is not active now, current status: CLOSED"),
                VertxException.noStackTrace("Pending requests failed to be sent due to connection has been closed."))) {
            assertThat(DatabaseOutage.isUnavailable(failure))
                    .as(failure.toString())
                    .isTrue();
        }
    }

    @Test
    void otherFailuresAreNotOutages() {
        for (Throwable failure : List.of(
                new IllegalArgumentException(),
                new IllegalStateException("Connection was closed"),
                new UncheckedIOException(new IOException()),
                new ArithmeticException(),
                VertxException.noStackTrace("Parameter at position[0] with class = [java.lang.String] and value ="
                        + " [Connection was closed] can not be coerced"))) {
            assertThat(DatabaseOutage.isUnavailable(failure))
                    .as(failure.toString())
                    .isFalse();
        }
    }

    @Test
    void overloadIsNotAnOutage() {
        assertThat(DatabaseOutage.isOverload(state("57014"))).isTrue();
        assertThat(DatabaseOutage.isOverload(state("40P01"))).isTrue();
        assertThat(DatabaseOutage.isOverload(state("57P01"))).isFalse();
        assertThat(DatabaseOutage.isDiskFull(state("53100"))).isTrue();
        assertThat(DatabaseOutage.isDiskFull(state("53200"))).isFalse();
        assertThat(DatabaseOutage.isAccessDenied(state("28P01"))).isTrue();
        assertThat(DatabaseOutage.isAccessDenied(state("57P03"))).isFalse();
    }
}
