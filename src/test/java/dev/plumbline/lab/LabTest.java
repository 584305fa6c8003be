package dev.plumbline.lab;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.plumbline.bus.Message;
import dev.plumbline.check.CheckError;
import dev.plumbline.check.CheckResult;
import dev.plumbline.check.ErrorCode;
import dev.plumbline.check.ModuleCatalogue;
import dev.plumbline.check.ModuleDescription;
import dev.plumbline.check.Options;
import dev.plumbline.check.TargetParser;
import dev.plumbline.config.Config;
import dev.plumbline.config.ConfigLoader;
import dev.plumbline.egress.OwnEndpoints;
import dev.plumbline.run.CheckEnvironment;
import dev.plumbline.run.CheckRunner;
import dev.plumbline.run.RunnerMetrics;
import dev.plumbline.support.Await;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Tag("integration")
class LabTest {
    private static final Set<String> ERRORS =
            Arrays.stream(ErrorCode.values()).map(ErrorCode::id).collect(Collectors.toSet());
    private static final Pattern OUTCOMES = Pattern.compile("^([a-z0-9_.=-]+(?: or [a-z0-9_.=-]+)*)(?=$|[ ,;])");
    private static final Set<ErrorCode> OUT_OF_TIME = EnumSet.of(
            ErrorCode.DNS_TIMEOUT, ErrorCode.CONNECT_TIMEOUT, ErrorCode.READ_TIMEOUT, ErrorCode.DEADLINE_EXCEEDED);

    /** Few enough that a check's time goes by for its own work, not for that of all the others. */
    private static final int AT_ONCE = 48;

    private static final int SHORTEST_MS = 7_500;
    private static final int LONGEST_MS = 30_000;
    private static final int MOST_WAIT_MS = 120_000;
    private static final Clock CLOCK = Clock.systemUTC();

    @TempDir
    Path folder;

    @Test
    void keepsEveryPromiseAndNothingReachesACanary() throws Exception {
        Vertx vertx = Vertx.vertx();
        try (Lab lab = new Lab(0, 0, 0)) {
            List<LabTarget> offers = lab.targets();
            CheckRunner runner = runner(vertx, lab);
            Context loop = vertx.getOrCreateContext();
            assertThat(offers).hasSizeGreaterThan(200);
            List<LabTarget> open = offers;
            for (int timeLimit = SHORTEST_MS; !open.isEmpty(); timeLimit *= 2) {
                boolean last = 2 * timeLimit > LONGEST_MS;
                List<CheckResult> results = check(loop, runner, open, timeLimit);
                List<LabTarget> again = new ArrayList<>();
                for (int i = 0; i < open.size(); i++) {
                    if (!last && ranOutOfTimeBeforeThat(open.get(i), results.get(i))) {
                        again.add(open.get(i));
                    } else {
                        assertKept(open.get(i), results.get(i));
                    }
                }
                open = again;
            }
            assertThat(lab.http().canaryTouches()).isZero();
        } finally {
            Await.value(vertx.close());
        }
    }

    private static List<CheckResult> check(Context loop, CheckRunner runner, List<LabTarget> offers, int timeLimit)
            throws Exception {
        List<Future<CheckResult>> checks = new ArrayList<>();
        for (LabTarget offer : offers) {
            checks.add(run(loop, runner, order(offer, timeLimit)));
        }
        return Future.all(checks)
                .map(all -> all.<CheckResult>list())
                .toCompletionStage()
                .toCompletableFuture()
                .get(MOST_WAIT_MS, TimeUnit.MILLISECONDS);
    }

    /** On a machine that is busy a check may not come to what is promised; it gets more time then. */
    private static boolean ranOutOfTimeBeforeThat(LabTarget offer, CheckResult result) {
        CheckError error = result.error();
        return error != null
                && OUT_OF_TIME.contains(error.code())
                && !outcomes(offer).contains(error.code().id())
                && !outcomes(offer).contains("error=" + error.code().id());
    }

    /** As the service would run them, with the very settings that the lab tells people to use. */
    private CheckRunner runner(Vertx vertx, Lab lab) throws Exception {
        Path roots = Files.writeString(folder.resolve("root.pem"), lab.rootPem());
        Map<String, String> environment = lab.environment(roots).stream()
                .map(line -> line.split("=", 2))
                .collect(Collectors.toMap(pair -> pair[0], pair -> pair[1]));
        Config config = ConfigLoader.load(null, environment);
        return new CheckRunner(
                vertx,
                ModuleCatalogue.load(),
                CheckEnvironment.of(vertx, config, new OwnEndpoints(), "test").probes(),
                CLOCK,
                new RunnerMetrics(new SimpleMeterRegistry()),
                AT_ONCE,
                Integer.MAX_VALUE);
    }

    private static Message.RunCheck order(LabTarget offer, int timeLimit) throws Exception {
        Map<String, String> options = new HashMap<>();
        String target = offer.target();
        if (offer.module().equals("ssl-certificate") && target.contains("?")) {
            for (String pair : target.substring(target.indexOf('?') + 1).split("&")) {
                options.put(pair.split("=")[0], pair.split("=")[1]);
            }
            target = target.substring(0, target.indexOf('?'));
        }
        options.put(ModuleDescription.TIMEOUT_MS, Integer.toString(timeLimit));
        if (offer.expectation().contains("with method=get")) {
            options.put("method", "get");
        }
        ModuleDescription module = Objects.requireNonNull(ModuleCatalogue.load().find(offer.module()))
                .description();
        Options parsed = Objects.requireNonNull(Options.parse(module, options).options());
        return new Message.RunCheck(
                offer.module(), TargetParser.parse(module, target).text(), parsed.given(), false, MOST_WAIT_MS, "lab");
    }

    private static Future<CheckResult> run(Context loop, CheckRunner runner, Message.RunCheck order) {
        Promise<CheckResult> result = Promise.promise();
        loop.runOnContext(ignored -> runner.run(order)
                .map(reply -> ((Message.Checked) reply).result())
                .onComplete(result));
        return result.future();
    }

    @Test
    void saysHowToStartTheServiceAgainstIt() {
        try (Lab lab = new Lab(0, 0, 0)) {
            assertThat(lab.targets()).extracting(LabTarget::module).contains("http-status", "ssl-certificate");
            assertThat(lab.environment(Path.of("root.pem")))
                    .contains("PLUMBLINE_TARGETS_ALLOW=127.0.0.1/32", "PLUMBLINE_TLS_EXTRA_ROOTS=root.pem")
                    .allMatch(line -> line.matches("PLUMBLINE_[A-Z_]+=\\S+"));
            assertThat(lab.rootPem()).startsWith("-----BEGIN CERTIFICATE-----");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "well", "the status in the path", "20", "problem", "200 or well"})
    void aPromiseThatNobodyCanCheckIsNone(String words) {
        assertThatThrownBy(() -> outcomes(new LabTarget("http-status", "http://a.test/", words)))
                .isInstanceOf(AssertionError.class);
    }

    private static void assertKept(LabTarget offer, CheckResult result) {
        CheckError error = result.error();
        List<String> seen = new ArrayList<>();
        if (error == null) {
            seen.add("verdict=" + result.verdict().id());
            seen.add(String.valueOf(result.fields().get("status")));
            result.fields().forEach((name, value) -> seen.add(name + "=" + value));
        } else {
            seen.addAll(List.of(error.code().id(), "error=" + error.code().id()));
        }
        assertThat(outcomes(offer))
                .as("%s: %s, seen %s", offer.target(), offer.expectation(), seen)
                .containsAnyElementsOf(seen);
    }

    /** What is promised; an AssertionError when it is nothing that can be looked at. */
    private static List<String> outcomes(LabTarget offer) {
        Matcher matcher = OUTCOMES.matcher(offer.expectation());
        assertThat(matcher.find()).as("%s promises nothing", offer).isTrue();
        List<String> outcomes = List.of(matcher.group(1).split(" or "));
        assertThat(outcomes)
                .as("%s", offer)
                .allMatch(outcome -> outcome.matches("[1-5][0-9]{2}|(?!error=)[a-z0-9_]+=[a-z0-9_]+")
                        || ERRORS.contains(outcome.replaceFirst("^error=", "")));
        return outcomes;
    }
}
