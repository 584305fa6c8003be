package dev.plumbline.bench;

import java.io.IOException;
import java.net.ServerSocket;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The service from its jar, with its recommended JVM flags and default settings, except those that limit checks of
 * loopback addresses.
 */
final class ServiceUnderLoad implements AutoCloseable {
    private static final Pattern READY = Pattern.compile("ready (http://\\S+)");
    private static final long START_SECONDS = 60;

    private final HttpClient client = HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .connectTimeout(Duration.ofSeconds(5))
            .build();
    private final ChildProcess child;
    private final Path data;
    private final String address;
    private @Nullable TenantLoad tenants;

    private ServiceUnderLoad(ChildProcess child, Path data, String address) {
        this.child = child;
        this.data = data;
        this.address = address;
    }

    /**
     * Starts the service and waits until it is ready.
     *
     * @param data data directory
     * @param settings additional settings by environment variable
     */
    static ServiceUnderLoad start(BenchOptions options, Path folder, Path data, Map<String, String> settings)
            throws IOException, InterruptedException {
        ChildProcess child = launch(options, folder, data, freePort(), settings);
        try {
            return new ServiceUnderLoad(child, data, child.await(READY, START_SECONDS));
        } catch (IOException | InterruptedException failed) {
            child.close();
            throw failed;
        }
    }

    /** Starts the process on this port without waiting. */
    static ChildProcess launch(BenchOptions options, Path folder, Path data, int port, Map<String, String> settings)
            throws IOException {
        List<String> command = new ArrayList<>(List.of(java()));
        command.addAll(options.jvmFlags());
        String extra = System.getProperty("bench.serviceFlags", "");
        if (!extra.isBlank()) {
            command.addAll(List.of(extra.strip().split(" +")));
        }
        command.addAll(List.of("-jar", options.jar().toString(), "serve"));
        Map<String, String> environment = new HashMap<>();
        environment.put("PLUMBLINE_HTTP_PORT", Integer.toString(port));
        environment.put("PLUMBLINE_MANAGEMENT_PORT", Integer.toString(freePort()));
        environment.put("PLUMBLINE_DATA_DIR", data.toString());
        environment.put("PLUMBLINE_LIMITS_FRESH_PER_HOUR", "0");
        environment.put("PLUMBLINE_LIMITS_JOBS_PER_HOUR", "0");
        environment.put("PLUMBLINE_LIMITS_JOBS_PER_HOUR_ACCOUNT", "0");
        environment.put("PLUMBLINE_TARGETS_ALLOW", "127.0.0.0/8");
        environment.put("PLUMBLINE_TARGETS_PORTS", "*");
        environment.put("PLUMBLINE_TARGETS_PER_IP_PER_SECOND", "0");
        environment.put("PLUMBLINE_TARGETS_PER_IP_CONCURRENT", "0");
        environment.put("PLUMBLINE_TARGETS_DNS_PER_DOMAIN_PER_SECOND", "0");
        environment.putAll(settings);
        return ChildProcess.start("plumbline", folder, command, environment);
    }

    /** The java program of this JVM. */
    static String java() {
        return Path.of(System.getProperty("java.home"), "bin", "java").toString();
    }

    /** A loopback port that is currently free. */
    static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0)) {
            return socket.getLocalPort();
        }
    }

    /**
     * The path of an instant check.
     *
     * @param query for example {@code ?a=b}
     */
    static String instantPath(String module, String target, String query) {
        return "/api/v1/instant/" + module + "/" + URLEncoder.encode(target, StandardCharsets.UTF_8) + query;
    }

    String address() {
        return address;
    }

    /** A side of a comparison: fresh checks. The parameters are those of {@link Wrk#checks}. */
    Comparison.Side checks(Wrk wrk, String before, String after, String right) {
        return new Comparison.Side(
                process(), duration -> wrk.checks(process(), address(), before, after, right, duration));
    }

    ChildProcess process() {
        return child;
    }

    /** Its embedded database. */
    Postgres postgres() {
        return new Postgres(data);
    }

    /** Accounts and keys of the service. */
    synchronized TenantLoad tenants() throws IOException {
        if (tenants == null) {
            tenants = new TenantLoad(postgres().url());
        }
        return tenants;
    }

    HttpResponse<byte[]> get(String path) throws IOException, InterruptedException {
        return get(client, address + path);
    }

    /** @param headers lines, for example {@code Accept: text/html} */
    HttpResponse<byte[]> get(String path, List<String> headers) throws IOException, InterruptedException {
        HttpRequest.Builder request =
                HttpRequest.newBuilder(URI.create(address + path)).timeout(Duration.ofSeconds(20));
        for (String header : headers) {
            String[] nameAndValue = header.split(": ", 2);
            request.header(nameAndValue[0], nameAndValue[1]);
        }
        return client.send(request.build(), HttpResponse.BodyHandlers.ofByteArray());
    }

    static HttpResponse<byte[]> get(HttpClient client, String url) throws IOException, InterruptedException {
        HttpRequest request = HttpRequest.newBuilder(URI.create(url))
                .timeout(Duration.ofSeconds(20))
                .build();
        return client.send(request, HttpResponse.BodyHandlers.ofByteArray());
    }

    @Override
    public synchronized void close() {
        if (tenants != null) {
            tenants.close();
        }
        child.close();
    }
}
