package dev.plumbline.e2e.api;

import static dev.plumbline.support.JobsApiClient.lines;
import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.account.TestAccounts;
import dev.plumbline.lab.HttpLab;
import dev.plumbline.support.Await;
import dev.plumbline.support.JobsApiClient;
import dev.plumbline.support.ServiceUnderTest;
import dev.plumbline.support.TestDatabase;
import io.vertx.core.json.JsonObject;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Waits for the limits of targets in responses of the API. */
@Tag("integration")
class LimitWaitApiTest {
    private static final int PER_SECOND = 4;
    private static final int LINES = 40;
    private static final String LIMIT = PER_SECOND + " connections per second";

    @RegisterExtension
    static final TestDatabase DATABASE = new TestDatabase();

    private static ServiceUnderTest service;
    private static HttpLab lab;
    private static JobsApiClient jobs;

    @BeforeAll
    static void start() {
        lab = Await.value(HttpLab.start(DATABASE.vertx()));
        service = ServiceUnderTest.start(
                DATABASE.url(),
                Map.of(
                        "TARGETS_PER_IP_PER_SECOND",
                        Integer.toString(PER_SECOND),
                        "TARGETS_PER_IP_CONCURRENT",
                        "8",
                        "LIMITS_FRESH_PER_HOUR",
                        "0"));
        jobs = new JobsApiClient(
                service, new TestAccounts(DATABASE.open()).key().secret());
    }

    @AfterAll
    static void stop() {
        service.close();
    }

    @Test
    void theLinesOfAJobThatWaitForATargetAreReported() {
        List<String> items = IntStream.range(0, LINES)
                .mapToObj(i -> lab.http("/ok?job=" + i))
                .toList();
        String token = JobsApiClient.token(jobs.create(items, new JsonObject()));

        List<JsonObject> reported = new ArrayList<>();
        Await.until(() -> {
            job(token).getJsonArray("waiting").stream()
                    .map(JsonObject.class::cast)
                    .filter(limit -> limit.getString("limit").equals(LIMIT))
                    .forEach(reported::add);
            return !reported.isEmpty();
        });
        JsonObject waiting = reported.get(0);
        assertThat(waiting.getString("target_address")).isEqualTo("127.0.0.1");
        assertThat(waiting.getInteger("per_second")).isEqualTo(PER_SECOND);
        assertThat(waiting.getInteger("lines")).isBetween(1, LINES - 1);

        JsonObject done = jobs.finished(token);
        assertThat(done.getJsonArray("waiting")).isEmpty();
        assertThat(lines(done))
                .allSatisfy(line -> assertThat(line.getLong("waited_ms")).isBetween(0L, line.getLong("duration_ms")));
        assertThat(lines(done).stream().filter(line -> line.getLong("waited_ms") > 0))
                .as("lines after the first second")
                .hasSizeGreaterThan(PER_SECOND);

        JsonObject again = jobs.finished(JobsApiClient.token(jobs.create(items.subList(0, 2), new JsonObject())));
        assertThat(lines(again))
                .allSatisfy(line ->
                        assertThat(line.getMap()).containsEntry("cached", true).containsEntry("waited_ms", null));

        HttpResponse<String> cached = service.instant("http-status", items.get(0));
        assertThat(new JsonObject(cached.body()).getMap())
                .containsEntry("cached", true)
                .containsEntry("waited_ms", null);
    }

    @Test
    void theWaitOfAnInstantCheckIsNotPartOfTheEntityTag() {
        List<HttpResponse<String>> fresh = IntStream.rangeClosed(0, 2 * PER_SECOND)
                .mapToObj(i -> DATABASE.vertx()
                        .executeBlocking(() -> service.instant("http-status", lab.http("/ok?instant=" + i)), false))
                .toList()
                .stream()
                .map(Await::value)
                .toList();

        HttpResponse<String> waited = fresh.stream()
                .filter(response -> new JsonObject(response.body()).getLong("waited_ms") > 0)
                .findFirst()
                .orElseThrow();
        JsonObject result = new JsonObject(waited.body());
        assertThat(result.getLong("waited_ms")).isLessThanOrEqualTo(result.getLong("duration_ms"));
        HttpResponse<String> cached = service.instant("http-status", result.getString("target"));
        assertThat(new JsonObject(cached.body()).getMap())
                .containsEntry("cached", true)
                .containsEntry("waited_ms", null);
        assertThat(JobsApiClient.header(cached, "ETag")).isEqualTo(JobsApiClient.header(waited, "ETag"));
    }

    @Test
    void anOverloadNamesTheLimitOfTheTarget() {
        // more than a second of permits is requested at once, and the checks wait for less than a second
        HttpResponse<String> rejected = IntStream.range(0, 4 * PER_SECOND)
                .mapToObj(i -> DATABASE.vertx()
                        .executeBlocking(
                                () -> service.get(
                                        ServiceUnderTest.instantPath("http-status", lab.http("/ok?rejected=" + i))
                                                + "?timeout_ms=1000"),
                                false))
                .toList()
                .stream()
                .map(Await::value)
                .filter(response -> response.statusCode() == 503)
                .findFirst()
                .orElseThrow();

        assertThat(new JsonObject(rejected.body()).getString("detail"))
                .isEqualTo("The limit of " + LIMIT + " to 127.0.0.1 would delay the check too long. An operator can"
                        + " change `targets.per_ip_per_second`. The request does not count against your quota. Retry"
                        + " shortly.");
        assertThat(metric("plumbline_checks_rejected_total{reason=\"target_limit\"}"))
                .isPositive();
        assertThat(metric("plumbline_checks_rejected_total{reason=\"capacity\"}"))
                .isZero();
    }

    private static double metric(String name) {
        return service.send("GET", service.management("/metrics"))
                .body()
                .lines()
                .filter(line -> line.startsWith(name))
                .mapToDouble(line -> Double.parseDouble(line.substring(name.length() + 1)))
                .findFirst()
                .orElseThrow();
    }

    private static JsonObject job(String token) {
        return new JsonObject(jobs.get("/" + token + "?results=false").body());
    }
}
