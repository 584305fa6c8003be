package dev.plumbline.e2e.process;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.account.ApiKeySecret;
import dev.plumbline.check.ModuleCatalogue;
import dev.plumbline.lab.DnsLab;
import dev.plumbline.lab.FreePorts;
import dev.plumbline.support.Await;
import dev.plumbline.support.CountingTarget;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.junit.jupiter.api.TestReporter;

/**
 * One job with {@code overview} lines, with the JVM options for production. The domains have addresses, MX and TXT
 * records; their hosts refuse connections. Other sites are checked meanwhile.
 */
public final class OverviewJob {
    private static final String PATH = "/api/v1/jobs";
    private static final long TIMEOUT_SECONDS = 180;
    private static final long POLL_NANOS = TimeUnit.MILLISECONDS.toNanos(100);
    private static final Pattern RESERVED = Pattern.compile("(?m)^plumbline_memory_reserved_bytes(?:\\{.*})? (\\S+)$");

    private final Vertx vertx = Vertx.vertx();
    private final Path folder;
    private final HttpClient client =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    private final String key = ApiKeySecret.generate();

    /** @param folder the working directory of the service */
    public OverviewJob(Path folder) {
        this.folder = folder;
    }

    /** Verifies the results of a job with this number of lines. */
    public void assertCompletes(int lines, TestReporter reporter) throws Exception {
        List<String> domains = IntStream.range(0, lines)
                .mapToObj(i -> "overview" + i + ".test")
                .toList();
        CountingTarget site = new CountingTarget(vertx);
        try (DnsLab dns = DnsLab.start();
                ServiceProcess service = start(dns)) {
            for (int i = 0; i < lines; i++) {
                addRecords(dns, domains.get(i), i);
            }
            long start = System.nanoTime();
            String token = create(service, domains);

            int served = 0;
            long mostReserved = 0;
            JsonObject job = read(service, token, "?results=false");
            while (job.getValue("finished_at") == null) {
                assertThat(System.nanoTime() - start)
                        .as(job.encode())
                        .isLessThan(TimeUnit.SECONDS.toNanos(TIMEOUT_SECONDS));
                HttpResponse<String> other = service.instant("http-status", site.url("/ok/" + served));
                assertThat(other.statusCode()).as(other.body()).isEqualTo(200);
                assertThat(new JsonObject(other.body()).getJsonObject("fields").getInteger("status"))
                        .isEqualTo(200);
                served++;
                LockSupport.parkNanos(POLL_NANOS);
                mostReserved = Math.max(mostReserved, reserved(service));
                job = read(service, token, "?results=false");
            }

            JsonArray results = read(service, token, "").getJsonArray("results");
            assertThat(results.stream().map(line -> ((JsonObject) line).getString("input")))
                    .containsExactlyElementsOf(domains);
            // the other parts depend on records, whose lookups can time out on a loaded machine
            List<String> web = ModuleCatalogue.load().parts("overview").stream()
                    .filter(part -> part.area().equals("web"))
                    .map(part -> part.module().module())
                    .toList();
            for (int i = 0; i < lines; i++) {
                JsonObject line = results.getJsonObject(i);
                assertThat(line.getValue("error")).as(line.encode()).isNull();
                assertThat(line.getJsonObject("fields").getJsonArray("parts").stream()
                                .map(part -> ((JsonObject) part).getString("module")))
                        .containsAll(web);
            }
            assertThat(served).as("checks of another user during the job").isGreaterThan(2);
            assertThat(mostReserved).as("reserved during the job").isPositive();
            Await.until(() -> reserved(service) == 0);
            assertThat(service.isAlive()).isTrue();
            assertThat(service.log()).doesNotContain("OutOfMemoryError", " ERROR ");
            reporter.publishEntry(Map.of(
                    "seconds", "" + TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - start),
                    "served", "" + served,
                    "reserved_mib", "" + (mostReserved >> 20)));
        } finally {
            Await.value(vertx.close());
        }
    }

    private ServiceProcess start(DnsLab dns) throws IOException {
        Map<String, String> settings = new HashMap<>();
        settings.put("DNS_SERVERS", dns.address());
        // prevents database timeouts on a loaded machine
        settings.put("DATABASE_TIMEOUT", "6s");
        settings.put("WHOIS_SERVER", "127.0.0.1:" + FreePorts.next());
        settings.put("REGISTRIES_PER_SERVER_PER_SECOND", "0");
        settings.put("LIMITS_FRESH_PER_HOUR", "0");
        settings.put("BOOTSTRAP_API_KEY", key);
        return ServiceProcess.launchForProduction(List.of(), folder, settings, List.of())
                .awaitReady();
    }

    /** The hosts of each domain have an address in a network of their own, on which no server listens. */
    private static void addRecords(DnsLab dns, String domain, int number) {
        String address = "127." + (100 + number / 200) + "." + number % 200 + ".1";
        dns.address(domain, address)
                .address("www." + domain, address)
                .address("mail." + domain, address)
                .record(domain + ". 60 IN MX 10 mail." + domain + ".")
                .record(domain + ". 60 IN TXT \"v=spf1 mx a -all\"")
                .record("_dmarc." + domain + ". 60 IN TXT \"v=DMARC1; p=reject\"");
    }

    private String create(ServiceProcess service, List<String> domains) throws Exception {
        JsonObject body = new JsonObject()
                .put("module", "overview")
                .put("options", new JsonObject())
                .put("items", new JsonArray(domains));
        HttpResponse<String> created = client.send(
                request(service, PATH)
                        .header("Content-Type", "application/json")
                        .POST(HttpRequest.BodyPublishers.ofString(body.encode()))
                        .build(),
                HttpResponse.BodyHandlers.ofString());
        assertThat(created.statusCode()).as(created.body()).isEqualTo(202);
        return new JsonObject(created.body()).getString("token");
    }

    private JsonObject read(ServiceProcess service, String token, String query) throws Exception {
        HttpResponse<String> response =
                client.send(request(service, PATH + "/" + token + query).build(), HttpResponse.BodyHandlers.ofString());
        assertThat(response.statusCode()).as(response.body()).isEqualTo(200);
        return new JsonObject(response.body());
    }

    private HttpRequest.Builder request(ServiceProcess service, String path) {
        return HttpRequest.newBuilder(URI.create(service.address() + path))
                .timeout(Duration.ofSeconds(30))
                .header("X-Api-Key", key);
    }

    private static long reserved(ServiceProcess service) {
        Matcher sample = RESERVED.matcher(service.metrics().body());
        assertThat(sample.find()).isTrue();
        return (long) Double.parseDouble(sample.group(1));
    }
}
