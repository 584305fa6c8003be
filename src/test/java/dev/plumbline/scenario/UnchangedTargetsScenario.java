package dev.plumbline.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.check.ModuleCatalogue;
import dev.plumbline.lab.Lab;
import dev.plumbline.lab.LabPorts;
import dev.plumbline.lab.LabTarget;
import dev.plumbline.scenario.JobComparisons.Job;
import dev.plumbline.sheet.ModuleDescription;
import dev.plumbline.sheet.Options;
import dev.plumbline.support.Await;
import io.vertx.core.Vertx;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Comparisons of jobs whose targets are those of the lab, with and without problems. No target changes between the
 * jobs.
 */
@Tag("scenario")
class UnchangedTargetsScenario {
    private static final int MAX_LINES_PER_MODULE = 20;

    /** Fewer than in operation: the servers of the lab share the processor with the service. */
    private static final String CHECKS = "48";

    /** The modules that need the ports 25, 53, 80 or 443. {@link PlannedChangesScenario} contains all modules. */
    private static final Set<String> WITHOUT_TARGETS = Set.of(
            "hsts", "https-redirect", "ipv6-readiness", "mail-health", "nameservers", "overview", "security-txt");

    private static final ModuleCatalogue MODULES = ModuleCatalogue.load();

    @TempDir
    Path folder;

    @Test
    void unchangedTargetsAreUnchanged() throws Exception {
        Vertx vertx = Vertx.vertx();
        try (Lab lab = new Lab(LabPorts.free());
                ScenarioService service = ScenarioService.start("unchanged", settings(lab));
                BulkJobClient client = new BulkJobClient(vertx, service)) {
            List<Job> jobs = jobs(lab.targets());
            Set<String> expected = new TreeSet<>(MODULES.names());
            expected.removeAll(WITHOUT_TARGETS);
            assertThat(jobs.stream().map(Job::module)).containsAll(expected);

            JobComparisons comparisons = new JobComparisons(client);
            comparisons.runFirst(jobs); // until classes are loaded and compiled, times are longer
            System.out.println("targets: " + comparisons.runFirst(jobs));
            assertThat(comparisons.repeat("targets", jobs)).isEmpty();
        } finally {
            Await.value(vertx.close());
        }
    }

    private Map<String, String> settings(Lab lab) throws IOException {
        Path roots = Files.writeString(folder.resolve("root.pem"), lab.rootPem());
        Map<String, String> settings = new HashMap<>(Map.of("CHECKS_CONCURRENT", CHECKS));
        for (String line : lab.environment(roots.toAbsolutePath())) {
            String[] setting = line.split("=", 2);
            settings.put(setting[0].replaceFirst("^PLUMBLINE_", ""), setting[1]);
        }
        return settings;
    }

    /** The first targets of each module with one outcome, in a job for each combination of options. */
    private static List<Job> jobs(List<LabTarget> targets) {
        Map<String, Set<LabTarget>> modules = new LinkedHashMap<>();
        for (LabTarget target : targets) {
            Set<LabTarget> ofModule = modules.computeIfAbsent(target.module(), first -> new LinkedHashSet<>());
            if (target.hasOneOutcome() && ofModule.size() < MAX_LINES_PER_MODULE) {
                ofModule.add(target);
            }
        }
        List<Job> jobs = new ArrayList<>();
        modules.forEach((module, ofModule) -> jobs.addAll(jobs(module, ofModule)));
        return jobs;
    }

    private static Collection<Job> jobs(String module, Set<LabTarget> targets) {
        ModuleDescription description =
                Objects.requireNonNull(MODULES.find(module)).description();
        Map<Map<String, String>, Job> jobs = new LinkedHashMap<>();
        for (LabTarget target : targets) {
            jobs.computeIfAbsent(
                            target.options(),
                            options -> new Job(module, new ArrayList<>(), typed(description, options)))
                    .items()
                    .add(target.input());
        }
        return jobs.values();
    }

    private static Map<String, Object> typed(ModuleDescription module, Map<String, String> options) {
        return Map.copyOf(
                Objects.requireNonNull(Options.parse(module, options).options()).given());
    }
}
