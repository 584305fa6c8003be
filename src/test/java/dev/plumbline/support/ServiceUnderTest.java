package dev.plumbline.support;

import dev.plumbline.app.Service;
import dev.plumbline.app.StartException;
import dev.plumbline.config.Config;
import dev.plumbline.config.ConfigException;
import dev.plumbline.config.ConfigLoader;
import dev.plumbline.lab.FreePorts;
import java.io.IOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Tag;

/** The whole service in this process, on free ports, with the JDK's HTTP client. */
@Tag("integration")
public final class ServiceUnderTest implements AutoCloseable {
    static final String SESSION_SECRET = "a session secret for the tests only";

    private static final Duration TIMEOUT = Duration.ofSeconds(40);

    private final HttpClient client =
            HttpClient.newBuilder().connectTimeout(Duration.ofSeconds(5)).build();
    private final Service service;
    private final int managementPort;
    private final List<String> printed;
    private final ContractValidator contract = new ContractValidator();

    private ServiceUnderTest(Service service, int managementPort, List<String> printed) {
        this.printed = printed;
        this.service = service;
        this.managementPort = managementPort;
    }

    /**
     * Starts the service on loopback, with loopback as an allowed target.
     *
     * @param settings additional settings by the name of the environment variable without the prefix
     */
    public static ServiceUnderTest start(String databaseUrl, Map<String, String> settings) {
        Map<String, String> environment = new TreeMap<>();
        int management = FreePorts.next();
        environment.put("PLUMBLINE_HTTP_PORT", Integer.toString(FreePorts.next()));
        environment.put("PLUMBLINE_MANAGEMENT_PORT", Integer.toString(management));
        environment.put("PLUMBLINE_DATABASE_URL", databaseUrl);
        environment.put("PLUMBLINE_HTTP_SHUTDOWN_TIMEOUT", "0s");
        // prevents database timeouts on a loaded machine; tests of outages set their own
        environment.put("PLUMBLINE_DATABASE_TIMEOUT", "6s");
        environment.put("PLUMBLINE_SESSION_SECRET", SESSION_SECRET);
        environment.put("PLUMBLINE_TARGETS_ALLOW", "127.0.0.0/8");
        environment.put("PLUMBLINE_TARGETS_PORTS", "*");
        environment.put("PLUMBLINE_TARGETS_PER_IP_PER_SECOND", "0");
        environment.put("PLUMBLINE_TARGETS_PER_IP_CONCURRENT", "0");
        settings.forEach((name, value) -> environment.put("PLUMBLINE_" + name, value));
        try {
            Config config = ConfigLoader.load(null, environment);
            List<String> printed = new CopyOnWriteArrayList<>();
            return new ServiceUnderTest(Service.start(config, printed::add), management, printed);
        } catch (ConfigException | StartException failed) {
            throw new AssertionError(failed);
        }
    }

    /** The output before the ready line. */
    public List<String> printed() {
        return printed;
    }

    public URI uri(String path) {
        return URI.create(service.address() + path);
    }

    public URI management(String path) {
        return URI.create("http://127.0.0.1:" + managementPort + path);
    }

    public static String instantPath(String module, String target) {
        return "/api/v1/instant/"
                + module
                + "/"
                + URLEncoder.encode(target, StandardCharsets.UTF_8).replace("+", "%20");
    }

    /** Sends a GET and validates the response against openapi.json. */
    public HttpResponse<String> get(String path, String... headers) {
        return send("GET", uri(path), headers);
    }

    public HttpResponse<String> instant(String module, String target, String... headers) {
        return get(instantPath(module, target), headers);
    }

    /** Sends a body and validates the response against openapi.json. */
    public HttpResponse<String> json(String method, String path, String body, String... headers) {
        return send(TIMEOUT, method, uri(path), HttpRequest.BodyPublishers.ofString(body), headers);
    }

    public HttpResponse<String> send(String method, URI uri, String... headers) {
        return send(TIMEOUT, method, uri, headers);
    }

    /** As {@link #send(String, URI, String...)}; fails without a response within the timeout. */
    public HttpResponse<String> send(Duration within, String method, URI uri, String... headers) {
        return send(within, method, uri, HttpRequest.BodyPublishers.noBody(), headers);
    }

    /** Sends JSON, with Content-Type application/json unless a header overrides it. */
    public HttpResponse<String> post(String path, String body, String... headers) {
        String[] all = headers;
        if (!List.of(headers).contains("Content-Type")) {
            all = Arrays.copyOf(headers, headers.length + 2);
            all[headers.length] = "Content-Type";
            all[headers.length + 1] = "application/json";
        }
        return send(TIMEOUT, "POST", uri(path), HttpRequest.BodyPublishers.ofString(body), all);
    }

    /** Requests a page. Pages are not in openapi.json. */
    public HttpResponse<String> page(String path, String... headers) {
        return exchange(TIMEOUT, "GET", uri(path), HttpRequest.BodyPublishers.noBody(), headers);
    }

    /** As {@link #page}, with another method. */
    public HttpResponse<String> pageBy(String method, String path, String... headers) {
        return exchange(TIMEOUT, method, uri(path), HttpRequest.BodyPublishers.noBody(), headers);
    }

    /** Submits a form with these headers. */
    public HttpResponse<String> formAs(String path, String body, String... headers) {
        List<String> all = new ArrayList<>(List.of(headers));
        all.addAll(List.of("Content-Type", "application/x-www-form-urlencoded"));
        return pageSent(path, body, all.toArray(String[]::new));
    }

    /** Sends a body to a page with these headers. */
    HttpResponse<String> pageSent(String path, String body, String... headers) {
        return exchange(TIMEOUT, "POST", uri(path), HttpRequest.BodyPublishers.ofString(body), headers);
    }

    private HttpResponse<String> send(
            Duration within, String method, URI uri, HttpRequest.BodyPublisher body, String... headers) {
        HttpResponse<String> response = exchange(within, method, uri, body, headers);
        if (uri.getPort() != managementPort) {
            contract.verify(method, uri, response);
        }
        return response;
    }

    private HttpResponse<String> exchange(
            Duration within, String method, URI uri, HttpRequest.BodyPublisher body, String... headers) {
        HttpRequest.Builder request =
                HttpRequest.newBuilder(uri).method(method, body).timeout(within);
        if (headers.length > 0) {
            request.headers(headers);
        }
        try {
            return client.send(request.build(), HttpResponse.BodyHandlers.ofString());
        } catch (IOException failed) {
            throw new AssertionError(method + " " + uri + " has no response", failed);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new AssertionError(interrupted);
        }
    }

    @Override
    public void close() {
        service.stop();
    }
}
