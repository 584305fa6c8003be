package dev.plumbline.e2e.api;

import static dev.plumbline.support.TestDatabase.await;
import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.account.TestAccounts;
import dev.plumbline.lab.HttpLab;
import dev.plumbline.postgres.Database;
import dev.plumbline.postgres.DatabaseOptions;
import dev.plumbline.support.Await;
import dev.plumbline.support.ServiceUnderTest;
import dev.plumbline.support.TestDatabase;
import io.vertx.core.json.JsonObject;
import io.vertx.pgclient.PgConnection;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A lock on the table of the jobs stops requests for jobs only. */
@Tag("integration")
class LockedTableApiTest {
    @RegisterExtension
    static final TestDatabase DATABASE = new TestDatabase();

    private static final int JOB_REQUESTS = 24;

    @Test
    void aLockedJobTableDoesNotAffectInstantChecks() {
        Database database = DATABASE.open();
        HttpLab lab = Await.value(HttpLab.start(DATABASE.vertx()));
        ExecutorService clients = Executors.newFixedThreadPool(JOB_REQUESTS);
        List<String> keys = new ArrayList<>();
        for (int i = 0; i < JOB_REQUESTS; i++) {
            keys.add(new TestAccounts(database).key().secret());
        }
        PgConnection blocker = await(PgConnection.connect(DATABASE.vertx(), DatabaseOptions.of(DATABASE.url())));
        try (ServiceUnderTest service = ServiceUnderTest.start(DATABASE.url(), Map.of("DATABASE_TIMEOUT", "2s"))) {
            assertThat(service.instant("http-status", lab.http("/ok?before")).statusCode())
                    .isEqualTo(200);
            await(blocker.query("begin; lock table job in access exclusive mode")
                    .execute());

            List<CompletableFuture<HttpResponse<String>>> blocked = new ArrayList<>();
            for (String key : keys) {
                blocked.add(
                        CompletableFuture.supplyAsync(() -> service.get("/api/v1/jobs", "X-Api-Key", key), clients));
            }
            for (int i = 0; i < 6; i++) {
                assertThat(service.instant("http-status", lab.http("/ok?during=" + i))
                                .statusCode())
                        .isEqualTo(200);
            }
            for (CompletableFuture<HttpResponse<String>> request : blocked) {
                HttpResponse<String> response = request.join();
                assertThat(response.statusCode()).isEqualTo(503);
                assertThat(new JsonObject(response.body()).getString("code")).isEqualTo("overloaded");
            }
            assertThat(service.send("GET", service.management("/health/ready")).statusCode())
                    .isEqualTo(200);

            await(blocker.query("rollback").execute());
            Await.until(
                    () -> service.get("/api/v1/jobs", "X-Api-Key", keys.get(0)).statusCode() == 200);
        } finally {
            await(blocker.close());
            clients.shutdownNow();
        }
    }
}
