package dev.plumbline.run;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.bus.Message;
import dev.plumbline.check.CheckContext;
import dev.plumbline.check.ModuleCatalogue;
import dev.plumbline.check.ModuleDefinition;
import dev.plumbline.check.PartResult;
import dev.plumbline.check.ResultAssembler;
import dev.plumbline.config.ConfigLoader;
import dev.plumbline.lab.GoldenResults;
import dev.plumbline.lab.domain.DomainLab;
import dev.plumbline.lab.domain.DomainSpec;
import dev.plumbline.lab.domain.PortState;
import dev.plumbline.result.CheckResult;
import dev.plumbline.result.Evaluation;
import dev.plumbline.result.ResultJson;
import dev.plumbline.sheet.ModuleDescription;
import dev.plumbline.sheet.Options;
import dev.plumbline.support.Await;
import dev.plumbline.support.FieldDifferences;
import dev.plumbline.target.Target;
import dev.plumbline.target.TargetParser;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Compares the results of composites and of their parts for an unchanged domain. */
@Tag("integration")
class CompositePartsTest {
    private static final Map<String, DomainSpec> DOMAINS =
            Map.of("healthy", new DomainSpec("parts.test", 118), "faulty", faulty(new DomainSpec("faulty.test", 117)));

    private static final GoldenResults GOLDEN = new GoldenResults("domain");
    private static final int TIMEOUT_MS = 30_000;
    private static final int MAX_ROUNDS = 3;
    private static final ModuleCatalogue MODULES = ModuleCatalogue.load();
    private static final Vertx VERTX = Vertx.vertx();

    @TempDir
    static Path folder;

    private static DomainLab lab;

    @BeforeAll
    static void start() throws Exception {
        lab = new DomainLab(folder);
    }

    @AfterAll
    static void stop() {
        Await.value(VERTX.close());
        if (lab != null) {
            lab.close();
        }
    }

    /** A composite that keeps the results of its last parts. */
    private static final class CapturedComposite implements ModuleDefinition<List<PartResult>> {
        private final ModuleDefinition<List<PartResult>> composite;
        private volatile List<PartResult> parts = List.of();

        @SuppressWarnings("unchecked")
        CapturedComposite(String name) {
            composite = (ModuleDefinition<List<PartResult>>) Objects.requireNonNull(MODULES.find(name));
        }

        /** All modules, with this one in place of the original. */
        ModuleCatalogue catalogue() {
            List<ModuleDefinition<?>> all = new ArrayList<>(List.of(this));
            for (String name : MODULES.names()) {
                if (!name.equals(description().module())) {
                    all.add(MODULES.find(name));
                }
            }
            return new ModuleCatalogue(all);
        }

        @Override
        public ModuleDescription description() {
            return composite.description();
        }

        @Override
        public int requests(Options options) {
            return composite.requests(options);
        }

        @Override
        public Future<List<PartResult>> collect(Target target, CheckContext context) {
            return composite.collect(target, context);
        }

        @Override
        public Evaluation evaluate(List<PartResult> evidence, Options options) {
            parts = evidence;
            return composite.evaluate(evidence, options);
        }
    }

    /** A domain with a problem of each part that the other labs cannot test, and of some others. */
    private static DomainSpec faulty(DomainSpec spec) {
        spec.site()
                .header("strict-transport-security", "max-age=3600")
                .header("content-security-policy", "")
                .header("x-frame-options", "")
                .withoutRedirectToHttps()
                .withoutCompression()
                .ipv6(PortState.REFUSED)
                .securityTxt(Instant.EPOCH)
                .policy("mode: enforce", "mode: testing");
        spec.zone()
                .allowTransfers("ns1")
                .allowRecursion("ns2")
                .remove("_dmarc", "TXT")
                .replace("@", "TXT", "\"v=spf1 mx ?all\"")
                .ptr("");
        spec.mail().withoutStartTls();
        spec.registration().expires(Instant.now().plus(5, ChronoUnit.DAYS));
        return spec;
    }

    /** Differences are compared again, because requests can time out or exceed a threshold on a slow machine. */
    @ParameterizedTest
    @CsvSource({"overview, healthy", "mail-health, healthy", "overview, faulty", "mail-health, faulty"})
    void compositesHaveTheSameAndTheRecordedResultTwiceAndTheirPartsAlone(String name, String spec) throws Exception {
        lab.serve(DOMAINS.get(spec));
        String domain = DOMAINS.get(spec).domain();
        CapturedComposite composite = new CapturedComposite(name);
        CheckRunner runner = runner(composite);
        List<String> differences = List.of("not compared");

        for (int round = 0; round < MAX_ROUNDS && !differences.isEmpty(); round++) {
            CheckResult first = check(runner, name, domain);
            List<PartResult> parts = composite.parts;
            differences = new ArrayList<>(
                    FieldDifferences.between(composite.description(), first, check(runner, name, domain)));
            assertThat(parts).hasSizeGreaterThan(8);
            for (PartResult part : parts) {
                CheckResult inComposite = part.result();
                ModuleDescription module =
                        Objects.requireNonNull(MODULES.find(part.module())).description();
                CheckResult alone = check(runner, part.module(), Objects.requireNonNull(inComposite.target()));
                differences.addAll(FieldDifferences.between(module, inComposite, alone));
                differences.addAll(GOLDEN.differences(module, spec, alone));
            }
            if (differences.isEmpty()) {
                differences.addAll(GOLDEN.differences(
                        composite.description(), spec, withoutMeasuredTimes(composite, parts, first)));
            }
        }

        assertThat(differences).isEmpty();
    }

    /** The result of a composite if no part measured a time that is worth a finding. */
    private static CheckResult withoutMeasuredTimes(
            CapturedComposite composite, List<PartResult> parts, CheckResult result) throws Exception {
        ModuleDescription module = composite.description();
        List<PartResult> others = parts.stream()
                .map(part -> new PartResult(
                        part.part(),
                        part.target(),
                        GoldenResults.withoutMeasuredTimes(part.part().module(), part.result()),
                        part.unverified()))
                .toList();
        return ResultJson.normalize(ResultAssembler.assemble(
                module,
                TargetParser.parse(module, Objects.requireNonNull(result.target())),
                composite.evaluate(others, Options.defaults(module)),
                result.checkedAt(),
                result.durationMs()));
    }

    private static CheckRunner runner(CapturedComposite composite) throws Exception {
        Map<String, String> settings = new HashMap<>();
        lab.settings().forEach((name, value) -> settings.put("PLUMBLINE_" + name, value));
        return TestRunners.builder(VERTX, composite.catalogue())
                .config(ConfigLoader.load(null, settings))
                .capacity(64, 64)
                .build();
    }

    private static CheckResult check(CheckRunner runner, String module, String target) {
        Message.RunCheck request = new Message.RunCheck(module, target, Map.of(), false, TIMEOUT_MS, "test");
        return Await.value(Await.onLoop(VERTX, () -> TestRunners.run(runner, request)));
    }
}
