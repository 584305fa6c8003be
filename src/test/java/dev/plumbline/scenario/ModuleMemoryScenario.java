package dev.plumbline.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.check.ModuleCatalogue;
import dev.plumbline.sheet.ModuleDescription;
import dev.plumbline.support.Await;
import io.vertx.core.Vertx;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Sends 200 requests at once to every module, from eight clients. The targets send as much data as the module accepts
 * and then stop sending. The process survives, and each response is a result or 503. Prints the largest heap for each
 * check that ran at the same time. {@code -Dscenario.modules=A,B} selects modules.
 */
@Tag("scenario")
class ModuleMemoryScenario {
    private static final int REQUESTS = 200;
    private static final int CLIENTS = 8;
    private static final int TIMEOUT_SECONDS = 90;
    private static final Path FOLDER = Path.of("target", "scenario");
    private static final List<String> SELECTED = Stream.of(
                    System.getProperty("scenario.modules", "").split(","))
            .filter(name -> !name.isEmpty())
            .toList();

    private static final Map<String, String> OPTIONS = Map.of(
            "page-links", "?check=true",
            "page-metadata", "",
            "http-timing", "?samples=5",
            "tcp-port", "?read_banner=true",
            "tls-protocols", "?ciphers=true",
            "ssl-certificate", "?check_revocation=true");

    private final Vertx vertx = Vertx.vertx();
    private final List<String> table = new ArrayList<>();
    private final List<String> failures = new ArrayList<>();

    /** Heap after a collection, and the number of checks that were running. */
    private record Sample(int liveMib, int running) {}

    @Test
    void processSurvivesLargeResponsesOfEveryModule() throws Exception {
        table.add("| module | responses | heap in MiB | of which checks | concurrent checks | KiB per check |");
        table.add("|---|---|---|---|---|---|");
        HostileHosts hosts = HostileHosts.start(FOLDER.resolve("hosts"));
        ScenarioService service = start(hosts, "modules");
        try {
            ModuleCatalogue modules = ModuleCatalogue.load();
            for (String module : modules.names()) {
                ModuleDescription description =
                        Objects.requireNonNull(modules.find(module)).description();
                if (SELECTED.isEmpty() || SELECTED.contains(module)) {
                    for (boolean complete : new boolean[] {false, true}) {
                        hosts.completesFirst(complete);
                        if (!measure(service, hosts, description, complete)) {
                            service.close();
                            service = start(hosts, "modules-after-" + module);
                        }
                    }
                }
            }
        } finally {
            service.close();
            hosts.close();
            Await.value(vertx.close());
            Files.write(FOLDER.resolve("modules.md"), table);
        }
        assertThat(failures).isEmpty();
    }

    private static ScenarioService start(HostileHosts hosts, String name) throws IOException {
        Map<String, String> settings = new HashMap<>(hosts.settings());
        // the collections that measure the heap delay the responses of the database
        settings.put("DATABASE_TIMEOUT", "10s");
        return ScenarioService.start(name, settings);
    }

    /** Returns whether the process still runs. */
    private boolean measure(ScenarioService service, HostileHosts hosts, ModuleDescription module, boolean complete)
            throws Exception {
        String name = module.module();
        int idle = live(service);
        AtomicBoolean ended = new AtomicBoolean();
        CompletableFuture<Sample> peak = CompletableFuture.supplyAsync(() -> peak(service, ended));
        Map<String, Integer> outcomes = new CheckLoad(vertx)
                .send(
                        service,
                        CLIENTS,
                        REQUESTS,
                        i -> new CheckLoad.Check(
                                name,
                                hosts.target(module, i + (complete ? REQUESTS : 0)),
                                OPTIONS.getOrDefault(name, "")),
                        TIMEOUT_SECONDS);
        ended.set(true);
        Sample most = peak.get(60, TimeUnit.SECONDS);
        int checks = Math.max(0, most.liveMib - idle);
        String row = "| `%s`%s | %s | %d | %d | %d | %s |"
                .formatted(
                        name,
                        complete ? ", first response complete" : "",
                        outcomes,
                        most.liveMib,
                        checks,
                        most.running,
                        most.running == 0 ? "" : Integer.toString(1_024 * checks / most.running));
        System.out.println(row);
        table.add(row);
        if (!service.isAlive()) {
            failures.add(row + " ended the process");
        } else if (!outcomes.keySet().stream().allMatch(outcome -> outcome.matches("200.*|503 .*"))) {
            failures.add(row);
        }
        return service.isAlive();
    }

    /** The sample with the most heap while checks are running. */
    private static Sample peak(ScenarioService service, AtomicBoolean ended) {
        Sample peak = new Sample(0, 0);
        try {
            while (!ended.get() && service.isAlive()) {
                int running = (int) service.metric("plumbline_checks_running");
                int live = live(service);
                if (running > 0 && live > peak.liveMib) {
                    peak = new Sample(live, running);
                }
                LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(300));
            }
        } catch (IOException | InterruptedException | AssertionError processEnded) {
            return peak;
        }
        return peak;
    }

    /** The heap in use after a full collection. */
    private static int live(ScenarioService service) throws IOException, InterruptedException {
        int lines = service.collectionLines();
        service.jcmd("GC.run");
        return service.lastLiveHeap(lines);
    }
}
