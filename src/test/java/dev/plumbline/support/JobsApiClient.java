package dev.plumbline.support;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** A client of the job operations with one API key. */
public final class JobsApiClient {
    public static final String PATH = "/api/v1/jobs";

    private final ServiceUnderTest service;
    private final String key;

    public JobsApiClient(ServiceUnderTest service, String key) {
        this.service = service;
        this.key = key;
    }

    public HttpResponse<String> create(List<String> items, JsonObject options) {
        return create(key, items, options);
    }

    public HttpResponse<String> create(String owner, List<String> items, JsonObject options) {
        return service.post(PATH, body(items, options).encode(), "X-Api-Key", owner);
    }

    public HttpResponse<String> post(String body, String... headers) {
        List<String> all = new ArrayList<>(List.of(headers));
        Collections.addAll(all, "X-Api-Key", key);
        return service.post(PATH, body, all.toArray(String[]::new));
    }

    public static JsonObject body(List<String> items, JsonObject options) {
        return new JsonObject()
                .put("module", "http-status")
                .put("items", new JsonArray(items))
                .put("options", options);
    }

    public HttpResponse<String> get(String rest, String... headers) {
        List<String> all = new ArrayList<>(List.of(headers));
        if (!all.contains("X-Api-Key")) {
            Collections.addAll(all, "X-Api-Key", key);
        }
        return service.get(PATH + rest, all.toArray(String[]::new));
    }

    public HttpResponse<String> delete(String token, String owner) {
        return service.send("DELETE", service.uri(PATH + "/" + token), "X-Api-Key", owner);
    }

    public JsonObject finished(String token) {
        return finished(token, key);
    }

    public JsonObject finished(String token, String owner) {
        HttpResponse<String> response = get("/" + token, "X-Api-Key", owner, "Prefer", "wait=30");
        JsonObject job = new JsonObject(response.body());
        assertThat(job.getString("finished_at")).as(response.body()).isNotNull();
        assertThat(response.headers().firstValue("Retry-After")).isEmpty();
        return job;
    }

    public static String token(HttpResponse<String> created) {
        assertThat(created.statusCode()).as(created.body()).isEqualTo(202);
        return new JsonObject(created.body()).getString("token");
    }

    public static String cursor(HttpResponse<String> page) {
        assertThat(page.statusCode()).isEqualTo(200);
        return new JsonObject(page.body()).getString("next_cursor");
    }

    public static List<JsonObject> lines(JsonObject job) {
        return job.getJsonArray("results").stream().map(JsonObject.class::cast).toList();
    }

    public static List<String> states(JsonObject job) {
        return lines(job).stream().map(line -> line.getString("state")).toList();
    }

    public static String header(HttpResponse<?> response, String name) {
        return response.headers().firstValue(name).orElseThrow();
    }

    public static void assertProblem(HttpResponse<String> response, int status, String code) {
        assertThat(response.statusCode()).as(response.body()).isEqualTo(status);
        assertThat(new JsonObject(response.body()).getString("code")).isEqualTo(code);
    }
}
