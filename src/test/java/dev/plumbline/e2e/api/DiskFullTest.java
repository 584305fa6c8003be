package dev.plumbline.e2e.api;

import static dev.plumbline.support.TestDatabase.await;
import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.plumbline.account.TestAccounts;
import dev.plumbline.postgres.Database;
import dev.plumbline.support.Await;
import dev.plumbline.support.ServiceUnderTest;
import dev.plumbline.support.TestDatabase;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.net.http.HttpResponse;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.slf4j.LoggerFactory;

/** A database that rejects writes because its disk is full. */
@Tag("integration")
class DiskFullTest {
    @RegisterExtension
    static final TestDatabase DATABASE = new TestDatabase();

    private static final String JOBS = "/api/v1/jobs";

    private final Database database = DATABASE.open();
    private final String key = new TestAccounts(database).key().secret();

    @Test
    void fullDiskLosesNothingAndServiceRecovers() {
        ListAppender<ILoggingEvent> lines = new ListAppender<>();
        Logger logger = (Logger) LoggerFactory.getLogger(Database.class);
        try (ServiceUnderTest service = ServiceUnderTest.start(DATABASE.url(), Map.of("DATABASE_TIMEOUT", "4s"))) {
            lines.start();
            logger.addAppender(lines);
            sql(
                    """
          create function disk_full() returns trigger language plpgsql as $$
          begin
            raise exception 'could not extend file: No space left on device' using errcode = '53100';
          end $$""");
            sql("create trigger disk_full before insert on job_result execute function disk_full()");

            String cached = service.instant("spf", "cached.invalid").body();
            HttpResponse<String> accepted = create(service);
            assertThat(accepted.statusCode()).isEqualTo(202);
            String token = new JsonObject(accepted.body()).getString("token");
            Await.until(() -> ready(service).statusCode() == 503);
            assertThat(new JsonObject(ready(service).body()).getString("database"))
                    .isEqualTo("full");
            sql("create trigger disk_full before insert on job execute function disk_full()");
            HttpResponse<String> refused = create(service);
            assertThat(refused.statusCode()).isEqualTo(503);
            assertThat(refused.headers().firstValue("Retry-After")).isPresent();
            assertThat(new JsonObject(refused.body()).getString("type")).endsWith("unavailable");
            assertThat(job(service, token).getString("state"))
                    .as("reads succeed")
                    .isEqualTo("running");

            HttpResponse<String> again = service.instant("spf", "cached.invalid");
            assertThat(again.statusCode()).as("results in memory are served").isEqualTo(200);
            assertThat(new JsonObject(again.body()).getString("checked_at"))
                    .isEqualTo(new JsonObject(cached).getString("checked_at"));

            sql("drop trigger disk_full on job");
            sql("drop trigger disk_full on job_result");

            Await.until(() -> job(service, token).getString("state").equals("completed"));
            Await.until(() -> ready(service).statusCode() == 200);
            assertThat(create(service).statusCode()).isEqualTo(202);
            assertThat(lines.list)
                    .filteredOn(line -> line.getLevel().isGreaterOrEqual(Level.WARN))
                    .singleElement()
                    .satisfies(line -> assertThat(line.getFormattedMessage()).contains("database disk full"));
        } finally {
            logger.detachAppender(lines);
        }
    }

    private void sql(String statement) {
        await(database.query(statement));
    }

    private HttpResponse<String> create(ServiceUnderTest service) {
        return service.post(
                JOBS,
                new JsonObject()
                        .put("module", "http-status")
                        .put("items", new JsonArray(List.of("not a target", "also not a target")))
                        .put("options", new JsonObject())
                        .encode(),
                "X-Api-Key",
                key);
    }

    private JsonObject job(ServiceUnderTest service, String token) {
        return new JsonObject(service.get(JOBS + "/" + token, "X-Api-Key", key).body());
    }

    private static HttpResponse<String> ready(ServiceUnderTest service) {
        return service.send("GET", service.management("/health/ready"));
    }
}
