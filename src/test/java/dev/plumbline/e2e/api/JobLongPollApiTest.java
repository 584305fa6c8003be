package dev.plumbline.e2e.api;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.account.Scope;
import dev.plumbline.account.TestAccounts;
import dev.plumbline.bus.JobMessage;
import dev.plumbline.bus.JobState;
import dev.plumbline.support.Await;
import dev.plumbline.support.InMemoryJobs;
import dev.plumbline.support.JobApiServer;
import dev.plumbline.support.JobApiServerClient;
import dev.plumbline.support.JobApiServerFixture;
import io.vertx.core.json.JsonObject;
import java.net.Socket;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Long polling, with {@link InMemoryJobs}. */
@Tag("integration")
class JobLongPollApiTest {
    @RegisterExtension
    static final JobApiServerFixture FIXTURE = new JobApiServerFixture();

    private static final InMemoryJobs JOBS = FIXTURE.jobs();

    private final TestAccounts.Key key = FIXTURE.accounts().key();
    private final JobApiServerClient client = new JobApiServerClient(FIXTURE.server(), key);

    @Test
    void waitWithoutConditionHoldsUntilFinal() throws Exception {
        String token = JOBS.add(key.accountId(), JobState.RUNNING, 1, null);
        CompletableFuture<HttpResponse<String>> held = client.getAsync("/" + token, "Prefer", "wait=99");
        Await.until(() -> awaits() == 1);
        assertThat(held).isNotDone();

        JOBS.finish(token);

        HttpResponse<String> response = held.get();
        assertThat(new JsonObject(response.body()).getString("state")).isEqualTo("completed");
        assertThat(header(response, "Preference-Applied")).isEqualTo("wait=30");
        assertThat(JOBS.received(JobMessage.AwaitJob.class).get(0).knownVersion())
                .isEqualTo(-1);
    }

    @Test
    void returnMinimalOmitsTheLines() throws Exception {
        String token = JOBS.add(key.accountId(), JobState.RUNNING, 1, null);
        JOBS.finish(token);

        HttpResponse<String> minimal = client.get("/" + token, "Prefer", "return=minimal, wait=1");

        assertThat(new JsonObject(minimal.body()).fieldNames()).doesNotContain("results", "next_cursor");
        assertThat(header(minimal, "Preference-Applied")).isEqualTo("wait=1, return=minimal");
        HttpResponse<String> summary = client.get("/" + token + "?results=false");
        assertThat(minimal.body()).isEqualTo(summary.body());
        assertThat(header(minimal, "ETag")).isEqualTo(header(summary, "ETag"));
        assertThat(client.get("/" + token + "/results.csv", "Prefer", "return=minimal")
                        .headers()
                        .firstValue("Preference-Applied"))
                .isEmpty();
    }

    @Test
    void waitWithEntityTagHoldsUntilChange() throws Exception {
        String token = JOBS.add(key.accountId(), JobState.RUNNING, 1, null);
        String etag = header(client.get("/" + token), "ETag");
        CompletableFuture<HttpResponse<String>> held =
                client.getAsync("/" + token, "Prefer", "wait=5", "If-None-Match", "\"a\", " + etag);
        Await.until(() -> awaits() == 1);
        assertThat(JOBS.received(JobMessage.AwaitJob.class).get(0).knownVersion())
                .isEqualTo(1);

        JOBS.finish(token);

        assertThat(held.get().statusCode()).isEqualTo(200);
        assertThat(header(held.get(), "ETag")).isNotEqualTo(etag);
        assertThat(header(held.get(), "Preference-Applied")).isEqualTo("wait=5");
    }

    @Test
    void waitWithEntityTagOfOtherViewReturnsImmediately() {
        String token = JOBS.add(key.accountId(), JobState.RUNNING, 1, null);
        String etag = header(client.get("/" + token + "?format=csv"), "ETag");

        HttpResponse<String> response = client.get("/" + token, "Prefer", "wait=5", "If-None-Match", etag);

        assertThat(response.statusCode()).isEqualTo(200);
        assertThat(awaits()).isZero();
    }

    @Test
    void waitEndsAtTimeout() throws Exception {
        String token = JOBS.add(key.accountId(), JobState.RUNNING, 1, null);
        String etag = header(client.get("/" + token), "ETag");
        CompletableFuture<HttpResponse<String>> held =
                client.getAsync("/" + token, "Prefer", "wait=1", "If-None-Match", etag);
        Await.until(() -> awaits() == 1);

        Await.until(() -> {
            JOBS.expireWaits(token);
            return held.isDone();
        });

        assertThat(held.get().statusCode()).isEqualTo(304);
        assertThat(header(held.get(), "Preference-Applied")).isEqualTo("wait=1");
        assertThat(header(held.get(), "Retry-After")).isEqualTo("2");
    }

    @ParameterizedTest
    @CsvSource({
        "update api_key set revoked_at = now() where id = $1, 401, invalid-key",
        "update account set disabled_at = now() where id = (select account_id from api_key where id = $1),"
                + " 403, account-disabled"
    })
    void keyRevokedDuringWaitIsRejected(String how, int status, String code) throws Exception {
        String token = JOBS.add(key.accountId(), JobState.RUNNING, 1, null);
        CompletableFuture<HttpResponse<String>> held = client.getAsync("/" + token, "Prefer", "wait=30");
        Await.until(() -> awaits() == 1);

        FIXTURE.accounts().sql(how, key.keyId());
        Await.until(() -> client.status("/" + token) == status);
        assertThat(held).isNotDone();
        JOBS.finish(token);

        assertThat(held.get().statusCode()).isEqualTo(status);
        assertThat(new JsonObject(held.get().body()).getString("code")).isEqualTo(code);
        assertThat(held.get().headers().firstValue("ETag")).isEmpty();
    }

    @Test
    void atMostTenRequestsPerKeyAreHeld() throws Exception {
        String token = JOBS.add(key.accountId(), JobState.RUNNING, 1, null);
        List<CompletableFuture<HttpResponse<String>>> held = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            held.add(client.getAsync("/" + token, "Prefer", "wait=30"));
        }
        Await.until(() -> awaits() == 10);

        HttpResponse<String> tooMany = client.get("/" + token, "Prefer", "wait=30");
        JobApiServerClient other =
                new JobApiServerClient(FIXTURE.server(), FIXTURE.accounts().key(key.accountId(), Scope.values()));
        held.add(other.getAsync("/" + token, "Prefer", "wait=30"));
        Await.until(() -> awaits() == 11);

        assertThat(tooMany.statusCode()).isEqualTo(200);
        assertThat(tooMany.headers().firstValue("Preference-Applied")).isEmpty();
        assertThat(held).noneMatch(CompletableFuture::isDone);
        JOBS.finish(token);
        for (CompletableFuture<HttpResponse<String>> one : held) {
            assertThat(header(one.get(), "Preference-Applied")).isEqualTo("wait=30");
        }
        String next = JOBS.add(key.accountId(), JobState.RUNNING, 1, null);
        CompletableFuture<HttpResponse<String>> again = client.getAsync("/" + next, "Prefer", "wait=30");
        Await.until(() -> awaits() == 12);
        JOBS.finish(next);
        assertThat(again.get().statusCode()).isEqualTo(200);
    }

    @Test
    void disconnectReleasesHeldSlot() throws Exception {
        String token = JOBS.add(key.accountId(), JobState.RUNNING, 1, null);
        List<Socket> held = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            held.add(client.open("HTTP/1.1", "/" + token, "Prefer: wait=30"));
        }
        Await.until(() -> awaits() == 10);
        assertThat(client.get("/" + token, "Prefer", "wait=30").headers().firstValue("Preference-Applied"))
                .isEmpty();

        for (Socket one : held) {
            one.close();
        }
        Await.until(() -> FIXTURE.server().active() == 0);

        CompletableFuture<HttpResponse<String>> next = client.getAsync("/" + token, "Prefer", "wait=30");
        Await.until(() -> awaits() == 11);
        JOBS.finish(token);
        assertThat(header(next.get(), "Preference-Applied")).isEqualTo("wait=30");
    }

    @Test
    void drainEndsHeldRequests() throws Exception {
        String token = JOBS.add(key.accountId(), JobState.RUNNING, 1, null);
        try (JobApiServer ending = FIXTURE.start(Map.of());
                Socket held = new JobApiServerClient(ending, key).open("HTTP/1.1", "/" + token, "Prefer: wait=30")) {
            Await.until(() -> awaits() == 1);
            ending.drain();
            JOBS.expireWaits(token);

            assertThat(new String(held.getInputStream().readAllBytes(), StandardCharsets.US_ASCII))
                    .startsWith("HTTP/1.1 200 OK\r\n");
            assertThat(awaits()).isEqualTo(1);
        }
    }

    private static int awaits() {
        return JOBS.received(JobMessage.AwaitJob.class).size();
    }

    private static String header(HttpResponse<String> response, String name) {
        return response.headers().firstValue(name).orElseThrow();
    }
}
