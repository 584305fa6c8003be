package dev.plumbline.run;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.budget.NodeBudget;
import dev.plumbline.bus.Message;
import dev.plumbline.check.CheckContext;
import dev.plumbline.check.ModuleCatalogue;
import dev.plumbline.check.ModuleDefinition;
import dev.plumbline.check.PartResult;
import dev.plumbline.config.ConfigLoader;
import dev.plumbline.lab.domain.DomainLab;
import dev.plumbline.lab.domain.DomainSpec;
import dev.plumbline.result.CheckResult;
import dev.plumbline.result.Evaluation;
import dev.plumbline.sheet.ModuleDescription;
import dev.plumbline.sheet.Options;
import dev.plumbline.support.Await;
import dev.plumbline.target.Target;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Collectors;
import org.assertj.core.api.SoftAssertions;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The HTTP requests of {@code overview} for a healthy site. They are written to {@code target/overview-requests.txt}.
 */
@Tag("integration")
class OverviewRequestsTest {
    private static final String DOMAIN = "visited.test";
    private static final int ADDRESS_NUMBER = 119;
    private static final int REQUESTS = 25;
    private static final int CONNECTIONS = 10;

    /** Parts that make HTTP requests. Their fields do not contain durations. */
    private static final List<String> PARTS = List.of(
            "cookies",
            "cors",
            "hsts",
            "http-caching",
            "http-compression",
            "http-versions",
            "https-redirect",
            "indexability",
            "mixed-content",
            "mta-sts",
            "page-metadata",
            "robots-txt",
            "security-headers",
            "security-txt",
            "sitemap");

    @TempDir
    static Path folder;

    private static final Vertx VERTX = Vertx.vertx();
    private static final CapturedOverview OVERVIEW = new CapturedOverview();
    private static final List<DomainLab.Request> REQUESTED = new CopyOnWriteArrayList<>();
    private static final NodeBudget BUDGET = TestRunners.budget(VERTX, TestRunners.MEMORY_BYTES);
    private static DomainLab lab;
    private static CheckRunner runner;

    @BeforeAll
    static void start() throws Exception {
        lab = new DomainLab(folder, REQUESTED::add);
        lab.serve(new DomainSpec(DOMAIN, ADDRESS_NUMBER));
        Map<String, String> settings = new HashMap<>();
        lab.settings().forEach((name, value) -> settings.put("PLUMBLINE_" + name, value));
        runner = TestRunners.builder(VERTX, OVERVIEW.catalogue())
                .config(ConfigLoader.load(null, settings))
                .capacity(64, 64)
                .budget(BUDGET)
                .build();
    }

    @AfterAll
    static void stop() {
        Await.value(VERTX.close());
        if (lab != null) {
            lab.close();
        }
    }

    /** The module {@code overview}, with access to the results of its last parts. */
    private static final class CapturedOverview implements ModuleDefinition<List<PartResult>> {
        private final ModuleCatalogue modules = ModuleCatalogue.load();
        private final ModuleDefinition<List<PartResult>> overview = find();
        private volatile Map<String, CheckResult> parts = Map.of();

        @SuppressWarnings("unchecked")
        private ModuleDefinition<List<PartResult>> find() {
            return (ModuleDefinition<List<PartResult>>) modules.find("overview");
        }

        ModuleCatalogue catalogue() {
            List<ModuleDefinition<?>> all = new ArrayList<>(List.of(this));
            for (String name : modules.names()) {
                if (!name.equals("overview")) {
                    all.add(modules.find(name));
                }
            }
            return new ModuleCatalogue(all);
        }

        @Override
        public ModuleDescription description() {
            return overview.description();
        }

        @Override
        public int requests(Options options) {
            return overview.requests(options);
        }

        @Override
        public Future<List<PartResult>> collect(Target target, CheckContext context) {
            return overview.collect(target, context);
        }

        @Override
        public Evaluation evaluate(List<PartResult> evidence, Options options) {
            parts = evidence.stream().collect(Collectors.toMap(PartResult::module, PartResult::result));
            return overview.evaluate(evidence, options);
        }
    }

    private static CheckResult check(String module, String target, boolean fresh) {
        Message.RunCheck request =
                new Message.RunCheck(module, target, Map.of(), false, 0, 30_000, "test", fresh, "account 0");
        return Await.value(Await.onLoop(VERTX, () -> TestRunners.run(runner, request)));
    }

    @Test
    void requestsOfAHealthySiteAreLimited() throws Exception {
        for (boolean fresh : new boolean[] {true, false}) {
            REQUESTED.clear();
            CheckResult result = check("overview", DOMAIN, fresh);

            assertThat(result.fields()).containsEntry("failed_count", 0);
            List<DomainLab.Request> requests = List.copyOf(REQUESTED);
            Files.write(
                    Path.of("target/overview-requests.txt"),
                    requests.stream().map(DomainLab.Request::toString).sorted().toList());
            assertThat(requests).hasSizeLessThanOrEqualTo(REQUESTS);
            assertThat(requests.stream().map(DomainLab.Request::client).distinct())
                    .hasSizeLessThanOrEqualTo(CONNECTIONS);
            assertThat(BUDGET.memory().held()).isZero();
        }
    }

    @Test
    void aPartHasTheSameFieldsAlone() {
        check("overview", DOMAIN, true);
        Map<String, CheckResult> parts = OVERVIEW.parts;

        SoftAssertions all = new SoftAssertions();
        for (String module : PARTS) {
            CheckResult part = parts.get(module);
            CheckResult alone = check(module, part.target(), true);
            all.assertThat(part.fields()).as(module).isEqualTo(alone.fields());
            all.assertThat(part.findings()).as(module).isEqualTo(alone.findings());
            all.assertThat(part.error()).as(module).isEqualTo(alone.error());
        }
        all.assertAll();
    }
}
