package dev.plumbline.lab;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.common.collect.HashMultiset;
import com.google.common.collect.Multiset;
import dev.plumbline.bus.Message;
import dev.plumbline.check.ModuleCatalogue;
import dev.plumbline.config.Config;
import dev.plumbline.config.ConfigLoader;
import dev.plumbline.http.api.tool.ResultContract;
import dev.plumbline.result.CheckError;
import dev.plumbline.result.CheckResult;
import dev.plumbline.result.Level;
import dev.plumbline.result.Verdict;
import dev.plumbline.run.CheckRunner;
import dev.plumbline.run.TestRunners;
import dev.plumbline.sheet.ModuleDescription;
import dev.plumbline.sheet.Options;
import dev.plumbline.support.Await;
import dev.plumbline.support.FieldDifferences;
import dev.plumbline.target.TargetParser;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Tag("integration")
class LabTest {
    private static final Set<Verdict> ALL = EnumSet.allOf(Verdict.class);

    /**
     * The verdicts whose results other tests compare with the schema: the lab does not listen on ports 53, 80 and 443,
     * has one permitted address, and responds slowly during this test.
     */
    private static final Map<String, Set<Verdict>> TESTED_ELSEWHERE = Map.of(
            "hsts",
            ALL,
            "https-redirect",
            ALL,
            "security-txt",
            ALL,
            "overview",
            ALL,
            "nameservers",
            ALL,
            "mail-health",
            ALL,
            "http-timing",
            ALL,
            "ipv6-readiness",
            EnumSet.of(Verdict.FAIL),
            "tcp-port",
            EnumSet.of(Verdict.WARN));

    private static final int MAX_ROUNDS = 3;
    private static final int MAX_ROUNDS_OF_RECORDED = 5;
    private static final int MAX_NAME_LENGTH = 60;
    private static final int MAX_RECORDED_PER_MODULE = 30;

    private static final Map<Level, Verdict> VERDICTS =
            Map.of(Level.INFO, Verdict.PASS, Level.WARN, Verdict.WARN, Level.FAIL, Verdict.FAIL);

    /** Maximum number of concurrent checks, low enough that they do not use the timeouts of each other. */
    private static final int MAX_CONCURRENT_CHECKS = 48;

    private static final int MIN_TIMEOUT_MS = 7_500;
    private static final int MAX_TIMEOUT_MS = 30_000;
    private static final int MAX_WAIT_MS = 120_000;
    private static final Clock CLOCK = Clock.systemUTC();
    private static final ModuleCatalogue MODULES = ModuleCatalogue.load();

    @TempDir
    Path folder;

    @Test
    void returnsTheExpectedResultOfEachTargetTwiceWithoutConnectionsToCanaries() throws Exception {
        Vertx vertx = Vertx.vertx();
        try (Lab lab = new Lab(LabPorts.free())) {
            List<LabTarget> targets = lab.targets();
            CheckRunner runner = runner(vertx, lab);
            Context loop = vertx.getOrCreateContext();
            assertThat(targets).hasSizeGreaterThan(200);
            Map<LabTarget, CheckResult> results = checkAll(loop, runner, targets);
            Map<String, Set<Verdict>> verdicts = new HashMap<>();
            results.forEach((target, result) -> {
                assertExpected(target, result);
                ResultContract.assertHolds(description(target.module()), result);
                verdicts.computeIfAbsent(target.module(), name -> EnumSet.noneOf(Verdict.class))
                        .add(result.verdict());
            });
            assertThat(lab.http().canaryConnections()).isZero();
            assertEachVerdict(verdicts);
            assertUnchanged(loop, runner, results);
            assertRecorded(loop, runner, results);
        } finally {
            Await.value(vertx.close());
        }
    }

    /** Each module returns each verdict for which it declares findings. Each result was compared with its schema. */
    private static void assertEachVerdict(Map<String, Set<Verdict>> verdicts) {
        Map<String, Set<Verdict>> missing = new TreeMap<>();
        for (ModuleDescription module : MODULES.descriptions()) {
            Set<Verdict> expected = EnumSet.of(Verdict.PASS);
            module.findings().forEach(finding -> expected.add(VERDICTS.get(finding.level())));
            expected.removeAll(verdicts.getOrDefault(module.module(), Set.of()));
            expected.removeAll(TESTED_ELSEWHERE.getOrDefault(module.module(), Set.of()));
            if (!expected.isEmpty()) {
                missing.put(module.module(), expected);
            }
        }
        assertThat(missing).isEmpty();
    }

    /**
     * Fields of a second check are equal, except volatile ones. If fields differ, the target is checked again, because
     * requests of a part of the check can time out on a slow machine. Results with an error are not compared: few of
     * them have fields, and most of the time would be spent on timeouts.
     */
    private static void assertUnchanged(Context loop, CheckRunner runner, Map<LabTarget, CheckResult> first)
            throws Exception {
        Map<LabTarget, CheckResult> before = new LinkedHashMap<>(first);
        before.values().removeIf(result -> result.error() != null);
        List<String> changes = List.of();
        for (int round = 0; round < MAX_ROUNDS && !before.isEmpty(); round++) {
            changes = new ArrayList<>();
            Map<LabTarget, CheckResult> changed = new LinkedHashMap<>();
            for (Map.Entry<LabTarget, CheckResult> after :
                    checkAll(loop, runner, List.copyOf(before.keySet())).entrySet()) {
                LabTarget target = after.getKey();
                List<String> differences =
                        FieldDifferences.between(description(target.module()), before.get(target), after.getValue());
                if (!differences.isEmpty()) {
                    changes.addAll(differences);
                    changed.put(target, after.getValue());
                }
            }
            before = changed;
        }
        assertThat(changes).isEmpty();
    }

    /**
     * The results are those that were recorded. Targets with a difference are checked again, as in
     * {@link #assertUnchanged}.
     */
    private static void assertRecorded(Context loop, CheckRunner runner, Map<LabTarget, CheckResult> results)
            throws Exception {
        GoldenResults golden = new GoldenResults("lab");
        Map<LabTarget, String> names = recordedTargets(results.keySet());
        Map<LabTarget, CheckResult> open = new LinkedHashMap<>(results);
        open.keySet().retainAll(names.keySet());
        List<String> differences = List.of();
        for (int round = 0; round < MAX_ROUNDS_OF_RECORDED && !open.isEmpty(); round++) {
            Map<LabTarget, CheckResult> latest = round == 0 ? open : checkAll(loop, runner, List.copyOf(open.keySet()));
            differences = new ArrayList<>();
            open = new LinkedHashMap<>();
            for (Map.Entry<LabTarget, CheckResult> checked : latest.entrySet()) {
                LabTarget target = checked.getKey();
                List<String> ofTarget =
                        golden.differences(description(target.module()), names.get(target), checked.getValue());
                if (!ofTarget.isEmpty()) {
                    differences.addAll(ofTarget);
                    open.put(target, checked.getValue());
                }
            }
        }
        assertThat(differences).isEmpty();
        assertThat(golden.unused()).isEmpty();
    }

    /**
     * The first targets of each module with exactly one outcome that is not a timeout, with their names. Of equal
     * names, the first.
     */
    private static Map<LabTarget, String> recordedTargets(Set<LabTarget> targets) {
        Map<LabTarget, String> names = new LinkedHashMap<>();
        Set<String> used = new HashSet<>();
        Multiset<String> modules = HashMultiset.create();
        for (LabTarget target : targets) {
            if (modules.count(target.module()) < MAX_RECORDED_PER_MODULE && target.hasOneOutcome()) {
                String name = slug(target.target().replaceFirst("^[a-z]+://(127\\.0\\.0\\.1)?", ""));
                if (!used.add(target.module() + "/" + name)) {
                    name += "-" + slug(target.expectation());
                    if (!used.add(target.module() + "/" + name)) {
                        continue;
                    }
                }
                names.put(target, name);
                modules.add(target.module());
            }
        }
        return names;
    }

    /** The text without ports, as a part of a file name. */
    private static String slug(String text) {
        String words = text.toLowerCase(Locale.ROOT)
                .replaceAll(":[0-9]{4,5}(?![0-9])", "")
                .replaceAll("[^a-z0-9]+", "-")
                .replaceAll("^-|-$", "");
        return words.substring(0, Math.min(words.length(), MAX_NAME_LENGTH));
    }

    /** Checks the targets. Those that time out before the expected outcome are checked again, with more time. */
    private static Map<LabTarget, CheckResult> checkAll(Context loop, CheckRunner runner, List<LabTarget> targets)
            throws Exception {
        Map<LabTarget, CheckResult> results = new LinkedHashMap<>();
        List<LabTarget> open = targets;
        for (int timeLimit = MIN_TIMEOUT_MS; timeLimit <= MAX_TIMEOUT_MS && !open.isEmpty(); timeLimit *= 2) {
            List<CheckResult> latest = check(loop, runner, open, timeLimit);
            List<LabTarget> again = new ArrayList<>();
            for (int i = 0; i < open.size(); i++) {
                results.put(open.get(i), latest.get(i));
                if (timedOut(open.get(i), latest.get(i))) {
                    again.add(open.get(i));
                }
            }
            open = again;
        }
        return results;
    }

    private static List<CheckResult> check(Context loop, CheckRunner runner, List<LabTarget> targets, int timeLimit)
            throws Exception {
        List<Future<CheckResult>> checks = new ArrayList<>();
        for (LabTarget target : targets) {
            checks.add(run(loop, runner, request(target, timeLimit)));
        }
        return Future.all(checks)
                .map(all -> all.<CheckResult>list())
                .toCompletionStage()
                .toCompletableFuture()
                .get(MAX_WAIT_MS, TimeUnit.MILLISECONDS);
    }

    /** Returns whether the check timed out before the expected outcome, for example on a slow machine. */
    private static boolean timedOut(LabTarget target, CheckResult result) {
        CheckError error = result.error();
        return error != null
                && LabTarget.TIMEOUT_ERRORS.contains(error.code())
                && !target.outcomes().contains(error.code().id())
                && !target.outcomes().contains("error=" + error.code().id());
    }

    /** The runner of the service with the settings that the lab prints. */
    private CheckRunner runner(Vertx vertx, Lab lab) throws Exception {
        Path roots = Files.writeString(folder.resolve("root.pem"), lab.rootPem());
        Map<String, String> environment = lab.environment(roots).stream()
                .map(line -> line.split("=", 2))
                .collect(Collectors.toMap(pair -> pair[0], pair -> pair[1]));
        Config config = ConfigLoader.load(null, environment);
        return TestRunners.builder(vertx, MODULES)
                .config(config)
                .clock(CLOCK)
                .capacity(MAX_CONCURRENT_CHECKS, Integer.MAX_VALUE)
                .build();
    }

    private static Message.RunCheck request(LabTarget target, int timeLimit) throws Exception {
        Map<String, String> options = new HashMap<>(target.options());
        options.put(ModuleDescription.TIMEOUT_MS, Integer.toString(timeLimit));
        ModuleDescription module = description(target.module());
        Options parsed = Objects.requireNonNull(Options.parse(module, options).options());
        return new Message.RunCheck(
                target.module(),
                TargetParser.parse(module, target.input()).text(),
                parsed.given(),
                false,
                MAX_WAIT_MS,
                "lab");
    }

    private static ModuleDescription description(String module) {
        return Objects.requireNonNull(MODULES.find(module)).description();
    }

    private static Future<CheckResult> run(Context loop, CheckRunner runner, Message.RunCheck request) {
        Promise<CheckResult> result = Promise.promise();
        loop.runOnContext(ignored -> TestRunners.run(runner, request).onComplete(result));
        return result.future();
    }

    @Test
    void providesTheSettingsForTheService() {
        try (Lab lab = new Lab(LabPorts.free())) {
            assertThat(lab.targets()).extracting(LabTarget::module).contains("http-status", "ssl-certificate");
            assertThat(lab.environment(Path.of("root.pem")))
                    .contains("PLUMBLINE_TARGETS_ALLOW=127.0.0.1/32", "PLUMBLINE_TLS_EXTRA_ROOTS=root.pem")
                    .allMatch(line -> line.matches("PLUMBLINE_[A-Z_]+=[^']+"));
            assertThat(lab.rootPem()).startsWith("-----BEGIN CERTIFICATE-----");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "well", "the status in the path", "20", "problem", "200 or well"})
    void rejectsExpectationsWithoutACheckableOutcome(String expectation) {
        assertThatThrownBy(() -> new LabTarget("http-status", "http://a.test/", expectation).outcomes())
                .isInstanceOf(AssertionError.class);
    }

    private static void assertExpected(LabTarget target, CheckResult result) {
        CheckError error = result.error();
        List<String> actual = new ArrayList<>();
        if (error == null) {
            actual.add("verdict=" + result.verdict().id());
            actual.add(String.valueOf(result.fields().get("status")));
            result.fields().forEach((name, value) -> actual.add(name + "=" + value));
        } else {
            actual.addAll(List.of(error.code().id(), "error=" + error.code().id()));
        }
        assertThat(target.outcomes())
                .as("%s: %s, actual %s", target.target(), target.expectation(), actual)
                .containsAnyElementsOf(actual);
    }
}
