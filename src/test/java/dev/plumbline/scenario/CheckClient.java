package dev.plumbline.scenario;

import dev.plumbline.support.Await;
import dev.plumbline.support.ServiceUnderTest;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClientAgent;
import io.vertx.core.http.HttpClientOptions;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.PoolOptions;
import io.vertx.core.http.RequestOptions;
import io.vertx.core.json.JsonObject;
import java.util.concurrent.TimeUnit;

/** A client of the service with its own address, so that the service treats it as a user of its own. */
final class CheckClient implements AutoCloseable {
    private static final long TIMEOUT_MS = TimeUnit.SECONDS.toMillis(120);

    private final HttpClientAgent client;
    private final String service;

    /**
     * The response to a request.
     *
     * @param status HTTP status; 0: no response
     * @param body the body, or the reason why there is no response
     */
    record Response(int status, String body, long nanos) {
        /** Status, and the error code of a result or of a response without one. */
        String summary() {
            if (status == 0) {
                return "no response (" + body + ")";
            }
            JsonObject json = body.startsWith("{") ? new JsonObject(body) : new JsonObject();
            if (status != 200) {
                return status + " " + json.getString("code");
            }
            JsonObject error = json.getJsonObject("error");
            return error == null ? "200" : "200 " + error.getString("code");
        }
    }

    /**
     * A client.
     *
     * @param service base URL
     * @param address loopback address of the client
     */
    CheckClient(Vertx vertx, String service, String address, int connections) {
        this.service = service;
        this.client = vertx.httpClientBuilder()
                .with(new HttpClientOptions()
                        .setLocalAddress(address)
                        .setConnectTimeout(10_000)
                        .setKeepAliveTimeout(20))
                .with(new PoolOptions().setHttp1MaxSize(connections))
                // the response reports the failure
                .withConnectHandler(connection -> connection.exceptionHandler(closed -> {}))
                .build();
    }

    /**
     * Requests an instant check.
     *
     * @param query for example {@code ?check=true}
     */
    Future<Response> check(String module, String target, String query) {
        return send(HttpMethod.GET, ServiceUnderTest.instantPath(module, target) + query, "", "");
    }

    /**
     * Sends a request.
     *
     * @param key API key; empty: none
     */
    Future<Response> send(HttpMethod method, String path, String key, String body) {
        RequestOptions options = new RequestOptions()
                .setMethod(method)
                .setAbsoluteURI(service + path)
                .setTimeout(TIMEOUT_MS);
        if (!key.isEmpty()) {
            options.putHeader("X-Api-Key", key).putHeader("Content-Type", "application/json");
        }
        long start = System.nanoTime();
        return client.request(options)
                .compose(request -> request.send(Buffer.buffer(body)).compose(response -> response.body()
                        .map(bytes ->
                                new Response(response.statusCode(), bytes.toString(), System.nanoTime() - start))))
                .otherwise(failure -> new Response(0, failure.getClass().getSimpleName(), System.nanoTime() - start));
    }

    @Override
    public void close() {
        Await.value(client.close());
    }
}
