package dev.plumbline.e2e.api;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.account.Plan;
import dev.plumbline.account.Scope;
import dev.plumbline.account.TestAccounts;
import dev.plumbline.support.Await;
import dev.plumbline.support.CountingTarget;
import dev.plumbline.support.JobsApiClient;
import dev.plumbline.support.ServiceUnderTest;
import dev.plumbline.support.TestDatabase;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpClientAgent;
import io.vertx.core.http.HttpClientOptions;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpVersion;
import io.vertx.core.http.PoolOptions;
import io.vertx.core.http.RequestOptions;
import io.vertx.core.json.JsonObject;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Many requests that wait for the end of a job, over HTTP/2. */
@Tag("integration")
class ManyLongPollsTest {
    @RegisterExtension
    static final TestDatabase DATABASE = new TestDatabase();

    private static final int REQUESTS = 2_000;
    private static final int PER_KEY = 10;
    private static final int KEYS_PER_ACCOUNT = 10;

    private final Vertx vertx = Vertx.vertx();
    private final CountingTarget target = new CountingTarget(vertx);
    private final TestAccounts accounts = new TestAccounts(DATABASE.open());
    private final ServiceUnderTest service =
            ServiceUnderTest.start(DATABASE.url(), Map.of("LIMITS_FRESH_PER_HOUR", "0"));

    @AfterEach
    void stop() {
        service.close();
        Await.value(vertx.close());
    }

    @Test
    void requestsOfOneKeyBeyondTheLimitDoNotWait() {
        String key = accounts.key().secret();
        String token = runningJob(key);
        HttpClientAgent client = client();
        List<Future<HttpClientResponse>> polls = new ArrayList<>();
        for (int i = 0; i < REQUESTS; i++) {
            polls.add(poll(client, token, key));
        }

        Await.until(() -> polls.stream().filter(Future::isComplete).count() == REQUESTS - PER_KEY);
        assertThat(polls).filteredOn(Future::isComplete).allSatisfy(poll -> {
            assertThat(poll.result().statusCode()).isEqualTo(200);
            assertThat(poll.result().getHeader("Preference-Applied")).isNull();
        });
        assertOthersAreServed();
        assertReleased(client);
    }

    /** Each account has the most keys, and each key holds the most requests. */
    @Test
    void heldRequestsOfManyAccountsAreReleasedWhenTheirClientsDisconnect() {
        double reserved = metric("plumbline_memory_reserved_bytes");
        HttpClientAgent client = client();
        List<Future<HttpClientResponse>> polls = new ArrayList<>();
        while (polls.size() < REQUESTS) {
            long account = accounts.account(Plan.PRO);
            String token = null;
            for (int i = 0; i < KEYS_PER_ACCOUNT; i++) {
                String key = accounts.key(account, Scope.values()).secret();
                token = token == null ? runningJob(key) : token;
                for (int j = 0; j < PER_KEY; j++) {
                    polls.add(poll(client, token, key));
                }
            }
        }

        Await.until(() -> metric("plumbline_http_active_requests") == REQUESTS);
        assertThat(polls).noneMatch(Future::isComplete);
        assertOthersAreServed();
        assertReleased(client);
        target.openGate();
        Await.until(() -> metric("plumbline_memory_reserved_bytes") == reserved);
    }

    private void assertOthersAreServed() {
        assertThat(service.instant("http-status", target.url("/ok/other")).statusCode())
                .isEqualTo(200);
        String other = accounts.key().secret();
        assertThat(service.get(JobsApiClient.PATH + "/" + runningJob(other), "X-Api-Key", other, "Prefer", "wait=1")
                        .headers()
                        .firstValue("Preference-Applied"))
                .contains("wait=1");
    }

    private void assertReleased(HttpClientAgent client) {
        Await.value(client.close());
        Await.until(() -> metric("plumbline_http_active_requests") == 0);
        Await.until(() -> metric("plumbline_http_active_connections") <= 1);
    }

    private double metric(String name) {
        return service.send("GET", service.management("/metrics"))
                .body()
                .lines()
                .filter(line -> line.startsWith(name + " "))
                .mapToDouble(line -> Double.parseDouble(line.substring(name.length() + 1)))
                .findFirst()
                .orElseThrow();
    }

    /** A job whose target does not respond before the end of the test. */
    private String runningJob(String key) {
        JsonObject options = new JsonObject().put("timeout_ms", 30_000);
        return JobsApiClient.token(
                new JobsApiClient(service, key).create(List.of(target.url("/gate/" + key.hashCode())), options));
    }

    private Future<HttpClientResponse> poll(HttpClientAgent client, String token, String key) {
        return client.request(new RequestOptions()
                        .setMethod(HttpMethod.GET)
                        .setAbsoluteURI(service.uri(JobsApiClient.PATH + "/" + token + "?results=false")
                                .toString())
                        .putHeader("X-Api-Key", key)
                        .putHeader("Prefer", "wait=30"))
                .compose(request -> request.send());
    }

    private HttpClientAgent client() {
        return vertx.createHttpClient(
                new HttpClientOptions()
                        .setProtocolVersion(HttpVersion.HTTP_2)
                        .setHttp2ClearTextUpgrade(false)
                        .setHttp2MultiplexingLimit(100),
                new PoolOptions().setHttp2MaxSize(REQUESTS / 100));
    }
}
