package dev.plumbline.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.check.ModuleCatalogue;
import dev.plumbline.lab.domain.DomainLab;
import dev.plumbline.lab.domain.DomainSpec;
import dev.plumbline.lab.domain.Fault;
import dev.plumbline.lab.domain.FaultCatalogue;
import dev.plumbline.scenario.JobComparisons.Change;
import dev.plumbline.scenario.JobComparisons.Job;
import dev.plumbline.sheet.ModuleDescription;
import dev.plumbline.support.Await;
import io.vertx.core.Vertx;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;
import org.assertj.core.api.SoftAssertions;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.io.TempDir;

/**
 * Comparisons of jobs whose targets are domains of the lab, without changes and with planned changes of some domains.
 */
@Tag("scenario")
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class PlannedChangesScenario {
    /** The number of domains. */
    private static final int LINES = Integer.getInteger("scenario.lines", 500);

    private static final int LINES_PER_MODULE = 20;

    /** The modules that connect to the mail server of the domain. */
    private static final Set<String> MAIL = Set.of("smtp", "smtp-tls", "starttls-certificate", "dane-tlsa");

    private static final List<ModuleDescription> MODULES =
            ModuleCatalogue.load().descriptions();
    /**
     * Two overviews at the same time, fewer than in operation: the servers of the lab share the processor with the
     * service. With more, they exceed the times above which findings report them as slow.
     */
    private static final String CHECKS = "48";

    private static final Job OVERVIEWS = new Job("overview", domains(LINES));
    private static final List<Job> MODULE_JOBS =
            MODULES.stream().map(PlannedChangesScenario::job).toList();

    private static final Vertx VERTX = Vertx.vertx();
    private static DomainLab lab;
    private static ScenarioService service;
    private static BulkJobClient client;
    private static JobComparisons comparisons;

    @BeforeAll
    static void checkAllForTheFirstTime(@TempDir Path folder) throws Exception {
        lab = new DomainLab(folder);
        lab.serve(specs(Map.of()));
        Map<String, String> settings = new HashMap<>(lab.settings());
        settings.put(
                "DNS_PROPAGATION",
                "a=" + lab.resolver().address() + ",b=" + lab.resolver().address());
        settings.put("CHECKS_CONCURRENT", CHECKS);
        service = ScenarioService.start("changes", settings);
        client = new BulkJobClient(VERTX, service);
        comparisons = new JobComparisons(client);
        comparisons.runFirst(MODULE_JOBS); // until classes are loaded and compiled, times are longer
        assertThat(comparisons.runFirst(List.of(OVERVIEWS))).isEqualTo(Map.of("none", LINES));
        System.out.println("modules: " + comparisons.runFirst(MODULE_JOBS));
    }

    @AfterAll
    static void stop() throws Exception {
        if (client != null) {
            client.close();
        }
        if (service != null) {
            service.close();
        }
        if (lab != null) {
            lab.close();
        }
        Await.value(VERTX.close());
    }

    private static List<String> domains(int count) {
        return IntStream.range(0, count).mapToObj(i -> "d" + i + ".test").toList();
    }

    private static List<DomainSpec> specs(Map<Integer, Fault> faults) {
        List<DomainSpec> specs = new ArrayList<>();
        for (String domain : OVERVIEWS.items()) {
            specs.add(new DomainSpec(domain, specs.size() + 1));
        }
        faults.forEach((index, fault) -> fault.accept(specs.get(index)));
        return specs;
    }

    private static Job job(ModuleDescription module) {
        return new Job(
                module.module(),
                IntStream.range(0, LINES_PER_MODULE)
                        .mapToObj(i -> target(module, i))
                        .toList());
    }

    private static String target(ModuleDescription module, int index) {
        String domain = OVERVIEWS.items().get(index);
        return switch (module.input()) {
            case DOMAIN, HOST -> domain;
            case URL -> (module.module().equals("websocket") ? "wss" : "https") + "://" + domain + "/";
            case IP ->
                module.module().equals("ip-registration")
                        ? "9.0.0." + index
                        : new DomainSpec(domain, index + 1).mailAddress();
            case EMAIL -> "postmaster@" + domain;
            case HOST_PORT -> MAIL.contains(module.module()) ? "mail." + domain + ":25" : domain + ":443";
        };
    }

    @Test
    @Order(1)
    void unchangedDomainsAreUnchanged() {
        assertThat(comparisons.repeat("overview", List.of(OVERVIEWS))).isEmpty();
    }

    @Test
    @Order(2)
    void theResultsOfEachModuleAreUnchanged() {
        assertThat(comparisons.repeat("modules", MODULE_JOBS)).isEmpty();
    }

    /** Faults of some domains are the only changes, and each is worse because of its finding. */
    @Test
    @Order(3)
    void plannedChangesAreWorseLinesWithTheirFindings() {
        List<Fault> faults = FaultCatalogue.faults();
        assertThat(faults).hasSizeGreaterThanOrEqualTo(40);
        Map<Integer, Fault> planned = new LinkedHashMap<>();
        int count = Math.min(faults.size(), LINES);
        for (int i = 0; i < count; i++) {
            planned.put(i * LINES / count, faults.get(i));
        }
        lab.serve(specs(planned));
        Map<String, Change> changes = new HashMap<>();
        comparisons.runAgain(List.of(OVERVIEWS)).forEach(change -> changes.put(change.target(), change));

        SoftAssertions all = new SoftAssertions();
        planned.forEach((index, fault) -> {
            Change change = changes.remove(OVERVIEWS.items().get(index));
            all.assertThat(change).as(fault.name()).isNotNull();
            if (change != null) {
                all.assertThat(change.kind()).as(fault + ": " + change).isEqualTo("worse");
                all.assertThat(change.findingsAdded())
                        .as(fault + ": " + change)
                        .anyMatch(finding -> fault.causes(
                                Map.of("code", finding.getString("code"), "module", "" + finding.getString("part"))));
            }
        });
        all.assertThat(changes.values()).as("changes of other domains").isEmpty();
        all.assertAll();
    }

    /** A change without a finding: the overview is equal, the modules list the domain with its fields. */
    @Test
    @Order(4)
    void aNewNameserverIsAChangedLine() {
        List<DomainSpec> specs = specs(Map.of()).subList(0, LINES_PER_MODULE);
        specs.get(0).zone().addNameserver();
        lab.serve(specs);

        List<Change> changes = comparisons.runAgain(MODULE_JOBS.stream()
                .filter(job -> Set.of("dns-records", "nameservers").contains(job.module()))
                .toList());

        assertThat(changes).extracting(Change::module).containsExactlyInAnyOrder("dns-records", "nameservers");
        assertThat(changes).allSatisfy(change -> {
            assertThat(change.kind()).isEqualTo("changed");
            assertThat(change.target()).isEqualTo(OVERVIEWS.items().get(0));
            assertThat(change.fieldsChanged())
                    .containsExactly(change.module().equals("nameservers") ? "servers" : "records");
        });
    }
}
