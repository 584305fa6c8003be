package dev.plumbline.e2e.api;

import static dev.plumbline.support.TestDatabase.await;
import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.account.TestAccounts;
import dev.plumbline.lab.HttpLab;
import dev.plumbline.postgres.Database;
import dev.plumbline.support.Await;
import dev.plumbline.support.CapturedLog;
import dev.plumbline.support.ServiceUnderTest;
import dev.plumbline.support.TestDatabase;
import io.vertx.core.json.JsonObject;
import java.net.http.HttpResponse;
import java.util.Map;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.RegisterExtension;

/** An unexpected error is a logged 500 with the request ID, not 503 and not an error of the client. */
@Tag("integration")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class InternalErrorApiTest {
    @RegisterExtension
    static final TestDatabase DATABASE = new TestDatabase();

    private Database database;
    private HttpLab lab;
    private ServiceUnderTest service;
    private String key;

    @BeforeAll
    void start() {
        database = DATABASE.open();
        lab = Await.value(HttpLab.start(DATABASE.vertx()));
        service = ServiceUnderTest.start(DATABASE.url(), Map.of());
        key = new TestAccounts(database).key().secret();
    }

    @AfterAll
    void stop() {
        service.close();
    }

    @Test
    void aMissingColumnIsAnInternalError() {
        assertInternalError(
                "alter table result_cache rename column body to renamed",
                "alter table result_cache rename column renamed to body",
                () -> service.instant("http-status", lab.http("/ok?column"), "X-Request-Id", "known-1"));
    }

    @Test
    void aMissingFunctionIsAnInternalError() {
        assertInternalError(
                "alter function charge_quotas rename to renamed",
                "alter function renamed rename to charge_quotas",
                () -> service.instant("http-status", lab.http("/ok?function"), "X-Request-Id", "known-1"));
    }

    @Test
    void aFailedJobQueryIsAnInternalError() {
        assertInternalError(
                "alter table job rename column expires_at to renamed",
                "alter table job rename column renamed to expires_at",
                () -> service.get("/api/v1/jobs", "X-Api-Key", key, "X-Request-Id", "known-1"));
    }

    private void assertInternalError(String defect, String repair, Supplier<HttpResponse<String>> request) {
        await(database.query(defect));
        try (CapturedLog log = new CapturedLog()) {
            HttpResponse<String> response = request.get();

            assertThat(response.statusCode()).as(response.body()).isEqualTo(500);
            JsonObject problem = new JsonObject(response.body());
            assertThat(problem.getString("code")).isEqualTo("internal");
            assertThat(problem.getString("request_id")).isEqualTo("known-1");
            assertThat(response.headers().firstValue("Retry-After")).isEmpty();
            assertThat(log.text()).contains("request failed request_id=\"known-1\"");
            assertThat(log.text().substring(log.text().indexOf("request failed")))
                    .containsPattern("(column|function) .* does not exist");
        } finally {
            await(database.query(repair));
        }
    }
}
