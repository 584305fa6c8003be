package dev.plumbline.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.support.Await;
import dev.plumbline.support.BindZoneSigner;
import dev.plumbline.support.NamedServer;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.IntFunction;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Jobs with healthy local targets while another program uses the CPU time that the service needs. Time for which the
 * service did not run is not reported as an error of the target. The service and the other program have a lower
 * priority than the targets, which therefore respond in time.
 */
@Tag("scenario")
class CpuShortageScenario {
    private static final String ALGORITHM = "ECDSAP256SHA256";
    private static final int JOB_LINES = 500;
    private static final int JOBS_PER_MODULE = 4;
    private static final int BUSY_THREADS_PER_CPU = 20;
    private static final int BUSY_SECONDS = 60;
    private static final int TIMEOUT_SECONDS = 600;
    private static final List<String> LOW_PRIORITY = List.of("nice", "-n", "10");

    /** A result without an error, and the error of a line that the service could not check. */
    private static final Set<String> OUTCOMES = Set.of("none", "internal");

    /** Lines of a module that the service may fail to check, 5 %. */
    private static final int MAX_INTERNAL = JOB_LINES * JOBS_PER_MODULE / 20;

    private final Vertx vertx = Vertx.vertx();

    @Test
    void shortageOfCpuTimeIsNotAnErrorOfTheTarget() throws Exception {
        Path folder = Files.createDirectories(Path.of("target", "scenario")).toAbsolutePath();
        Path zones = Files.createTempDirectory(folder, "zones");
        BindZoneSigner signer = sign(zones);
        try (HostileSite site = HostileSite.start(folder);
                NamedServer dns = NamedServer.serve(zones, signer.files())) {
            Map<String, IntFunction<String>> targets = new LinkedHashMap<>();
            targets.put("dnssec", i -> "n" + i + ".secure.test");
            targets.put("dns-records", i -> "n" + i + ".secure.test");
            targets.put("http-status", i -> site.url("/ok/" + i));
            targets.put("ssl-certificate", i -> site.secureUrl("").substring("https://".length()));
            Map<String, String> settings = Map.of(
                    "DNS_SERVERS", dns.address(),
                    "DNS_TRUST_ANCHORS", signer.trustAnchor(),
                    "TLS_EXTRA_ROOTS", site.roots().toAbsolutePath().toString());
            try (ScenarioService service = ScenarioService.start(LOW_PRIORITY, "cpu", settings);
                    BulkJobClient client = new BulkJobClient(vertx, service)) {
                Process busy = startBusyThreads();
                try {
                    Map<String, Map<String, Integer>> outcomes = run(client, targets);
                    System.out.println("cpu: " + outcomes);
                    service.assertAlive();
                    assertThat(outcomes).allSatisfy((module, codes) -> {
                        assertThat(codes.keySet()).isSubsetOf(OUTCOMES);
                        assertThat(codes.getOrDefault("internal", 0)).isLessThanOrEqualTo(MAX_INTERNAL);
                    });
                } finally {
                    busy.destroy();
                }
            }
        } finally {
            Await.value(vertx.close());
        }
    }

    private static BindZoneSigner sign(Path folder) throws IOException, InterruptedException {
        BindZoneSigner signer = new BindZoneSigner(folder);
        String names = IntStream.range(0, JOB_LINES * JOBS_PER_MODULE)
                .mapToObj(i -> "n" + i + " A 127.0.0.1\n")
                .collect(Collectors.joining());
        signer.sign("secure.test", ALGORITHM, names, "", signed -> signed);
        signer.sign("test", ALGORITHM, "ns1 A 127.0.0.1\n" + signer.delegation("secure.test"), "", signed -> signed);
        signer.sign("", ALGORITHM, signer.delegation("test"), "", signed -> signed);
        return signer;
    }

    private static Map<String, Map<String, Integer>> run(
            BulkJobClient client, Map<String, IntFunction<String>> targets) {
        Map<String, String> modules = new LinkedHashMap<>();
        for (int job = 0; job < JOBS_PER_MODULE; job++) {
            int first = job * JOB_LINES;
            targets.forEach((module, target) -> modules.put(
                    client.create(
                            module,
                            IntStream.range(first, first + JOB_LINES)
                                    .mapToObj(target)
                                    .toList(),
                            new JsonObject().put("fresh", true)),
                    module));
        }
        Map<String, Map<String, Integer>> outcomes = new TreeMap<>();
        modules.forEach((token, module) -> client.awaitOutcomes(token, TIMEOUT_SECONDS)
                .forEach((code, lines) -> outcomes.computeIfAbsent(module, first -> new TreeMap<>())
                        .merge(code, lines, Integer::sum)));
        return outcomes;
    }

    private static Process startBusyThreads() throws IOException {
        int threads = BUSY_THREADS_PER_CPU * Runtime.getRuntime().availableProcessors();
        String classes = Path.of("target", "test-classes").toAbsolutePath().toString();
        List<String> command = new ArrayList<>(LOW_PRIORITY);
        command.addAll(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx16m",
                "-cp",
                classes,
                BusyThreads.class.getName(),
                "" + threads,
                "" + BUSY_SECONDS));
        return new ProcessBuilder(command).inheritIO().start();
    }
}
