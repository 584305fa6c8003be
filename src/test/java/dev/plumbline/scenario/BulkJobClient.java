package dev.plumbline.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.support.Await;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** Creates jobs and waits for their results. Requests are repeated while the service returns 503. */
final class BulkJobClient implements AutoCloseable {
    private static final String JOBS = "/api/v1/jobs";
    private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

    private final ScenarioService service;
    private final CheckClient client;

    BulkJobClient(Vertx vertx, ScenarioService service) {
        this.service = service;
        this.client = new CheckClient(vertx, service.address(), "127.0.1.1", 1);
    }

    /** Creates a job and returns its token. */
    String create(String module, List<String> items, JsonObject options) {
        JsonObject job =
                new JsonObject().put("module", module).put("options", options).put("items", new JsonArray(items));
        CheckClient.Response created = send(HttpMethod.POST, JOBS, job.encode());
        assertThat(created.status()).as(created.body()).isEqualTo(202);
        return new JsonObject(created.body()).getString("token");
    }

    /** Waits for the end of a job and returns the number of its lines by error code; {@code none}: a verdict. */
    Map<String, Integer> awaitOutcomes(String token, long timeoutSeconds) {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(timeoutSeconds);
        String path = JOBS + "/" + token;
        JsonObject state = get(path + "?results=false");
        while (state.getValue("finished_at") == null) {
            assertThat(System.nanoTime()).as(state.encode()).isLessThan(end);
            assertThat(service.isAlive()).as("the process runs").isTrue();
            LockSupport.parkNanos(PAUSE_NANOS);
            state = get(path + "?results=false");
        }
        Map<String, Integer> outcomes = new TreeMap<>();
        JsonArray results = get(path).getJsonArray("results");
        for (int i = 0; i < results.size(); i++) {
            JsonObject error = results.getJsonObject(i).getJsonObject("error");
            outcomes.merge(error == null ? "none" : error.getString("code"), 1, Integer::sum);
        }
        return outcomes;
    }

    /**
     * The changes of a job since an earlier one, at most 500, without unchanged lines, and with the numbers of all
     * changes.
     */
    JsonObject compare(String token, String against) {
        CheckClient.Response response = send(HttpMethod.GET, JOBS + "/" + token + "/diff?against=" + against, "");
        assertThat(response.status()).as(response.body()).isEqualTo(200);
        return new JsonObject(response.body());
    }

    private JsonObject get(String path) {
        CheckClient.Response response = send(HttpMethod.GET, path, "");
        return response.status() == 200 ? new JsonObject(response.body()) : new JsonObject();
    }

    private CheckClient.Response send(HttpMethod method, String path, String body) {
        CheckClient.Response response = Await.value(client.send(method, path, service.key(), body));
        for (int i = 0; i < 60 && response.status() == 503; i++) {
            LockSupport.parkNanos(PAUSE_NANOS);
            response = Await.value(client.send(method, path, service.key(), body));
        }
        return response;
    }

    @Override
    public void close() {
        client.close();
    }
}
