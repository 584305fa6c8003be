package dev.plumbline.e2e.api;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.account.TestAccounts;
import dev.plumbline.lab.HttpLab;
import dev.plumbline.support.Await;
import dev.plumbline.support.CapturedLog;
import dev.plumbline.support.FaultInjectionProxy;
import dev.plumbline.support.ServiceUnderTest;
import dev.plumbline.support.TestDatabase;
import io.vertx.core.json.JsonObject;
import java.net.URI;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * During a database outage, cached results are served and other requests get 503 within a second. The service recovers
 * automatically.
 */
@Tag("integration")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class DatabaseOutageApiTest {
    @RegisterExtension
    static final TestDatabase DATABASE = new TestDatabase();

    /** One second, plus a margin for a loaded machine. */
    private static final Duration MAX_RESPONSE_TIME = Duration.ofMillis(1_500);

    private HttpLab lab;
    private FaultInjectionProxy proxy;
    private ServiceUnderTest service;
    private String known;
    private String key;
    private String job;

    @BeforeAll
    void startLab() {
        lab = Await.value(HttpLab.start(DATABASE.vertx()));
    }

    @BeforeEach
    void start() {
        URI real = URI.create(DATABASE.url());
        proxy = new FaultInjectionProxy(DATABASE.vertx(), real.getPort());
        service = ServiceUnderTest.start(
                DATABASE.url().replace(":" + real.getPort() + "/", ":" + proxy.port() + "/"),
                Map.of("DATABASE_TIMEOUT", "800ms"));
        known = lab.http("/ok?known");
        assertThat(service.instant("http-status", known).statusCode()).isEqualTo(200);
        // warm-up: the first rejection also loads classes
        assertThat(service.get("/api/v1/instant/no-such/x").statusCode()).isEqualTo(404);
        key = new TestAccounts(DATABASE.open()).key().secret();
        job = new JsonObject(create().body()).getString("token");
        assertThat(ready()).isEqualTo(200);
    }

    @AfterEach
    void stop() {
        service.close();
        proxy.refuseConnections();
    }

    @AfterAll
    void rejectedRequestsRanNoCheck() {
        assertThat(lab.requestsFor("/ok?out=0")).isEmpty();
    }

    @Test
    void serviceSurvivesClosedDatabase() {
        proxy.refuseConnections();
        assertServesFromMemory();

        proxy.acceptConnections();
        assertRecovers("gone");
    }

    @Test
    void serviceSurvivesSilentDatabase() {
        proxy.dropData();
        assertServesFromMemory();

        proxy.forwardData();
        assertRecovers("silent");
    }

    @Test
    void theLossOfNotificationsIsReportedOnce() {
        try (CapturedLog log = new CapturedLog()) {
            proxy.refuseConnections();
            Await.until(() -> log.text().contains("database notifications lost"));
            proxy.acceptConnections();
            Await.until(() -> log.text().contains("database notifications restored"));

            assertThat(log.text()).containsOnlyOnce("database notifications lost");
        }
    }

    private void assertServesFromMemory() {
        for (int i = 0; i < 3; i++) {
            HttpResponse<String> refused = within(lab.http("/ok?out=" + i));
            assertThat(refused.statusCode()).isEqualTo(503);
            assertThat(refused.headers().firstValue("Retry-After")).isPresent();
            assertThat(new JsonObject(refused.body()).getString("code")).isEqualTo("unavailable");
            assertThat(within(known).statusCode()).isEqualTo(200);
            assertThat(service.get("/api/v1/tools").statusCode()).isEqualTo(200);
        }
        String report = "/check/http-status/" + lab.http("/ok?out=0");
        HttpResponse<String> page = service.page(report, "Accept", "text/html");
        assertThat(page.statusCode()).isEqualTo(503);
        assertThat(page.headers().firstValue("Retry-After")).isPresent();
        assertThat(page.body()).contains("The database is unavailable. Retry shortly");
        assertThat(service.page("/check/http-status/" + known).statusCode()).isEqualTo(200);
        for (HttpResponse<String> refused : List.of(
                create(),
                ofJobs(""),
                ofJobs("/" + job),
                ofJobs("/" + job + "/results.csv"),
                ofJobs("/" + job, "Prefer", "wait=1"))) {
            assertThat(refused.statusCode()).as(refused.body()).isEqualTo(503);
            assertThat(refused.headers().firstValue("Retry-After")).isPresent();
        }
        assertThat(ready()).isEqualTo(503);
    }

    private void assertRecovers(String from) {
        Await.until(() ->
                service.instant("http-status", lab.http("/ok?back-" + from)).statusCode() == 200);
        Await.until(() -> ready() == 200);
        Await.until(() -> ofJobs("/" + job).body().contains("\"state\":\"completed\""));
        assertThat(create().statusCode()).isEqualTo(202);
    }

    private HttpResponse<String> create() {
        return service.post(
                "/api/v1/jobs",
                "{\"module\":\"http-status\",\"items\":[\"" + lab.http("/ok?job") + "\",\"none\"]}",
                "X-Api-Key",
                key);
    }

    private HttpResponse<String> ofJobs(String rest, String... headers) {
        String[] all = Arrays.copyOf(headers, headers.length + 2);
        all[headers.length] = "X-Api-Key";
        all[headers.length + 1] = key;
        return service.get("/api/v1/jobs" + rest, all);
    }

    private HttpResponse<String> within(String target) {
        URI uri = service.uri(ServiceUnderTest.instantPath("http-status", target));
        return service.send(MAX_RESPONSE_TIME, "GET", uri);
    }

    private int ready() {
        return service.send("GET", service.management("/health/ready")).statusCode();
    }
}
