package dev.plumbline.cli;

import dev.plumbline.account.ApiKeySecret;
import dev.plumbline.app.Service;
import dev.plumbline.app.StartException;
import dev.plumbline.config.Config;
import dev.plumbline.config.ConfigException;
import dev.plumbline.config.ConfigLoader;
import dev.plumbline.store.DataDirectory;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.vertx.ext.web.client.HttpResponse;
import io.vertx.ext.web.client.WebClient;
import java.io.IOException;
import java.net.ServerSocket;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/**
 * The part of the training that runs the service: all modules, pages and jobs. The jobs are long enough for the JIT
 * compiler to record the profiles of hot methods.
 */
final class ServiceTraining implements AutoCloseable {
    private static final int ROUNDS = 3;
    private static final int LINES = 500;
    private static final List<String> PAGES =
            List.of("/", "/tools", "/docs", "/sign-in", "/bulk", "/jobs", "/account", "/openapi.json", "/missing");

    private final Path folder;
    private final String key = ApiKeySecret.generate();
    private final Service service;
    private final WebClient client;

    /**
     * Starts the service with an embedded database in the folder.
     *
     * @param settings a file with the targets and the resolver
     * @throws IOException if it cannot be started
     */
    ServiceTraining(Vertx vertx, Path settings, Path folder) throws IOException {
        this.folder = folder;
        client = WebClient.create(vertx);
        try (ServerSocket http = new ServerSocket(0);
                ServerSocket management = new ServerSocket(0)) {
            Config config = ConfigLoader.load(
                    settings,
                    Map.of(
                            "PLUMBLINE_HTTP_PORT",
                            "" + http.getLocalPort(),
                            "PLUMBLINE_MANAGEMENT_PORT",
                            "" + management.getLocalPort(),
                            "PLUMBLINE_HTTP_SHUTDOWN_TIMEOUT",
                            "1s",
                            "PLUMBLINE_DATA_DIR",
                            folder.toString(),
                            "PLUMBLINE_BOOTSTRAP_API_KEY",
                            key,
                            "PLUMBLINE_LIMITS_FRESH_PER_HOUR",
                            "0",
                            "PLUMBLINE_RDAP_BOOTSTRAP",
                            ""));
            http.close();
            management.close();
            service = Service.start(config, line -> {});
        } catch (ConfigException | StartException failed) {
            throw new IOException(failed);
        }
    }

    /**
     * Runs all modules, the pages and jobs.
     *
     * @param targets one target for each type of input
     * @param page an HTTP URL
     * @param secure a host and port with TLS
     */
    void run(Map<String, String> targets, String page, String secure) {
        JsonArray tools = get("/api/v1/tools").bodyAsJsonObject().getJsonArray("tools");
        for (Object each : tools) {
            JsonObject tool = (JsonObject) each;
            String module = tool.getString("module");
            String target = URLEncoder.encode(
                    targets.get(tool.getJsonObject("input").getString("type")), StandardCharsets.UTF_8);
            // fresh and cached
            get("/api/v1/instant/" + module + "/" + target);
            get("/api/v1/instant/" + module + "/" + target);
            get("/check/" + module + "/" + target);
            get("/tools/" + module);
        }
        for (int round = 0; round < ROUNDS; round++) {
            PAGES.forEach(this::get);
            String prefix = page + "?" + round + "-";
            job(
                    "http-status",
                    IntStream.range(0, LINES).mapToObj(i -> prefix + i).toList());
            job("ssl-certificate", List.of(secure));
        }
    }

    private void job(String module, List<String> items) {
        JsonObject body = new JsonObject()
                .put("module", module)
                .put("items", new JsonArray(items))
                .put("options", new JsonObject().put("fresh", true));
        String token = send(HttpMethod.POST, "/api/v1/jobs", body.toBuffer())
                .bodyAsJsonObject()
                .getString("token");
        String path = "/api/v1/jobs/" + token;
        while (get(path).bodyAsJsonObject().getValue("finished_at") == null) {
            // each response is delayed until the job changes
        }
        get(path + "/results.csv");
        get(path + "/results.ndjson");
        get("/api/v1/jobs");
    }

    private HttpResponse<Buffer> get(String path) {
        return send(HttpMethod.GET, path, Buffer.buffer());
    }

    private HttpResponse<Buffer> send(HttpMethod method, String path, Buffer body) {
        return client.requestAbs(method, service.address() + path)
                .putHeader("X-Api-Key", key)
                .putHeader("Prefer", "wait=10")
                .putHeader("Content-Type", "application/json")
                .followRedirects(false)
                .sendBuffer(body)
                .toCompletionStage()
                .toCompletableFuture()
                .join();
    }

    @Override
    public void close() throws IOException {
        service.stop();
        DataDirectory.deleteTree(folder);
    }
}
