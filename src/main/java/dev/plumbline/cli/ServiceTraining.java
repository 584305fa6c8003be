package dev.plumbline.cli;

import dev.plumbline.account.ApiKeySecret;
import dev.plumbline.app.Service;
import dev.plumbline.app.StartException;
import dev.plumbline.config.Config;
import dev.plumbline.config.ConfigException;
import dev.plumbline.config.ConfigLoader;
import dev.plumbline.postgres.embedded.DataDirectory;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.net.ServerSocket;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.function.IntFunction;
import java.util.stream.IntStream;

/** The part of the training that runs the service: all modules, pages and jobs. */
final class ServiceTraining implements AutoCloseable {
    private static final int LINES = 500;

    /** The lines of slow modules. */
    private static final int SLOW_LINES = 50;

    private static final int COMPOSITES = 10;
    private static final int MAX_WAIT_SECONDS = 30;
    private static final List<String> PAGES = List.of(
            "/",
            "/tools",
            "/docs",
            "/docs/jobs",
            "/docs/search?q=limit",
            "/sign-in",
            "/bulk",
            "/jobs",
            "/account",
            "/openapi.json",
            "/missing");

    private final Path folder;
    private final Service service;
    private final ServiceClient client;

    /**
     * Starts the service with an embedded database in the folder.
     *
     * @param settings a file with the targets and the resolver
     * @throws IOException if it cannot be started
     */
    ServiceTraining(Path settings, Path folder) throws IOException {
        this.folder = folder;
        String key = ApiKeySecret.generate();
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
            client = new ServiceClient(service.address(), key, notice -> {});
        } catch (ConfigException | StartException failed) {
            throw new IOException(failed);
        }
    }

    /**
     * Runs all modules, the pages and jobs.
     *
     * @param targets one target for each type of input
     * @param page an HTTP URL
     * @param securePage an HTTPS URL
     * @param domain a domain whose names resolve to loopback
     * @param securePort a port with TLS
     */
    void run(Map<String, String> targets, String page, String securePage, String domain, int securePort)
            throws CommandException, InterruptedException {
        JsonArray tools = new JsonObject(client.document("/api/v1/tools")).getJsonArray("tools");
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
        for (String path : PAGES) {
            get(path);
        }
        job("http-status", LINES, i -> page + "?" + i);
        job("http-status", LINES, i -> securePage + "?" + i);
        job("ssl-certificate", LINES, i -> i + "." + domain + ":" + securePort);
        job("dns-records", LINES, i -> i + "." + domain);
        job("dnssec", SLOW_LINES, i -> i + "." + domain);
        job("mail-health", COMPOSITES, i -> i + "." + domain);
        job("overview", COMPOSITES, i -> i + "." + domain);
    }

    /** @param target creates the target of a line from its number */
    private void job(String module, int lines, IntFunction<String> target)
            throws CommandException, InterruptedException {
        List<String> items = IntStream.range(0, lines).mapToObj(target).toList();
        JsonObject body = new JsonObject()
                .put("module", module)
                .put("items", new JsonArray(items))
                .put("options", new JsonObject().put("fresh", true));
        String token = client.create(body, UUID.randomUUID().toString()).getString("token");
        while (client.job(token, MAX_WAIT_SECONDS).getValue("finished_at") == null) {
            // the service delays the response until the job has ended
        }
        get("/api/v1/jobs/" + token);
        client.results(token, "csv", LineFilterOptions.NONE);
        client.results(token, "ndjson", LineFilterOptions.NONE);
        client.list(20);
    }

    /** Requests a page or a check. An error response is part of the training. */
    private void get(String path) throws InterruptedException {
        try {
            client.document(path);
        } catch (CommandException expected) {
            // for example, a target that a module does not accept
        }
    }

    @Override
    public void close() throws IOException {
        client.close();
        service.stop();
        DataDirectory.deleteTree(folder);
    }
}
