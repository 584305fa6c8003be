package dev.plumbline.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import dev.plumbline.bus.Message;
import dev.plumbline.check.CheckContext;
import dev.plumbline.check.CheckFailure;
import dev.plumbline.check.CompositePart;
import dev.plumbline.check.ModuleCatalogue;
import dev.plumbline.check.ModuleDefinition;
import dev.plumbline.check.OverloadFailure;
import dev.plumbline.check.PartResult;
import dev.plumbline.check.RequestBudget;
import dev.plumbline.result.CheckResult;
import dev.plumbline.result.ErrorCode;
import dev.plumbline.result.Evaluation;
import dev.plumbline.result.RenderedResult;
import dev.plumbline.result.TargetLimit;
import dev.plumbline.result.Verdict;
import dev.plumbline.result.store.MemoryResultCache;
import dev.plumbline.result.store.ResultCache;
import dev.plumbline.result.store.ResultKey;
import dev.plumbline.result.store.ResultStore;
import dev.plumbline.sheet.ModuleDescription;
import dev.plumbline.sheet.Options;
import dev.plumbline.support.Await;
import dev.plumbline.support.Descriptions;
import dev.plumbline.support.ModuleDescriptionBuilder;
import dev.plumbline.support.TestDatabase;
import dev.plumbline.support.TestPolicies;
import dev.plumbline.target.InputType;
import dev.plumbline.target.Target;
import dev.plumbline.target.TargetParser;
import dev.plumbline.target.TargetPolicy;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A composite runs its parts under its own limits and uses the cache of each part. */
@Tag("integration")
class CompositeRunTest {
    @RegisterExtension
    static final TestDatabase DATABASE = new TestDatabase();

    private static final Instant CHECKED = Instant.parse("2026-11-20T10:00:00Z");

    private static ResultStore store;

    private final Vertx vertx = DATABASE.vertx();
    private final Context loop = vertx.getOrCreateContext();
    private final SimpleMeterRegistry meters = new SimpleMeterRegistry();
    private final RunnerMetrics metrics = new RunnerMetrics(meters);
    private final String target = UUID.randomUUID() + ".test";
    private final Part alpha = new Part("alpha", "second");
    private final Part beta = new Part("beta", "first");
    private final Part gamma = new Part("gamma", "first");
    private final Site site = new Site();
    private final ModuleCatalogue modules = new ModuleCatalogue(List.of(alpha, beta, gamma, site));
    private ResultCache lookup;
    private CheckRunner runner;

    @BeforeAll
    static void open() {
        store = new ResultStore(DATABASE.vertx(), DATABASE.open());
    }

    @BeforeEach
    void start() {
        lookup = lookup();
        runner = runner(new PartResults(vertx, TestPolicies.open(), lookup));
    }

    private ResultCache lookup() {
        return new ResultCache(new MemoryResultCache(Clock.systemUTC(), 1 << 20), store, Duration.ofMinutes(10));
    }

    private CheckRunner runner(PartResults parts) {
        return runner(parts, 24);
    }

    private CheckRunner runner(PartResults parts, int permits) {
        return TestRunners.builder(vertx, modules)
                .metrics(metrics)
                .parts(parts)
                .capacity(permits, 10)
                .build();
    }

    /** A part whose behavior the test sets. */
    private static final class Part implements ModuleDefinition<String> {
        private final ModuleDescription description;
        private final List<CheckContext> contexts = new CopyOnWriteArrayList<>();
        private volatile Function<CheckContext, Future<String>> behavior = context -> Future.succeededFuture("seen");

        Part(String name, String area) {
            this(name, area, InputType.DOMAIN);
        }

        Part(String name, String area, InputType input) {
            description = ModuleDescriptionBuilder.of(name, name, input)
                    .fields(
                            Descriptions.orNull(Descriptions.string("text", "Text", "A text.")),
                            Descriptions.orNull(Descriptions.time("at", "Time", "A time.")))
                    .partOf("site", area)
                    .build();
        }

        @Override
        public ModuleDescription description() {
            return description;
        }

        @Override
        public Future<String> collect(Target target, CheckContext context) {
            contexts.add(context);
            return behavior.apply(context);
        }

        @Override
        public Evaluation evaluate(String evidence, Options options) {
            return new Evaluation(
                    Map.of("text", evidence, "at", CHECKED), List.of(), null, evidence.equals("temporary") ? 5 : 0);
        }
    }

    /** A composite that runs its parts for its own target. */
    private static final class Site implements ModuleDefinition<List<PartResult>> {
        private static final ModuleDescription DESCRIPTION = ModuleDescriptionBuilder.of(
                        "site", "Site", InputType.DOMAIN)
                .area("first", "First")
                .area("second", "Second")
                .area(CompositePart.MAIL_AREA, "Mail")
                .fields(Descriptions.string("verdicts", "Verdicts", "The verdicts."))
                .build();

        private volatile List<CheckResult> results = List.of();
        private volatile List<PartResult> parts = List.of();

        @Override
        public ModuleDescription description() {
            return DESCRIPTION;
        }

        @Override
        public int requests(Options options) {
            return 5;
        }

        @Override
        public Future<List<PartResult>> collect(Target target, CheckContext context) {
            return Future.all(context.parts().stream()
                            .map(part -> context.check(part, target.text()))
                            .toList())
                    .map(all -> all.<PartResult>list());
        }

        @Override
        public Evaluation evaluate(List<PartResult> evidence, Options options) {
            parts = evidence;
            results = evidence.stream().map(PartResult::result).toList();
            String verdicts = String.join(
                    " ",
                    results.stream()
                            .map(part -> part.module() + "=" + part.verdict().id())
                            .toList());
            return new Evaluation(Map.of("verdicts", verdicts), List.of(), null);
        }
    }

    private Message.RunReply run(boolean bulk, boolean fresh, long timeoutMs) {
        return run(runner, bulk, fresh, timeoutMs);
    }

    private Message.RunReply run(CheckRunner on, boolean bulk, boolean fresh, long timeoutMs) {
        return Await.value(start(on, bulk, fresh, timeoutMs));
    }

    private Future<Message.RunReply> start(CheckRunner on, boolean bulk, boolean fresh, long timeoutMs) {
        Promise<Message.RunReply> reply = Promise.promise();
        Message.RunCheck request = new Message.RunCheck(
                "site",
                target,
                Map.of(ModuleDescription.TIMEOUT_MS, timeoutMs),
                bulk,
                bulk ? 7 : 0,
                1_000,
                "test",
                fresh,
                bulk ? "account 7" : "account 0");
        loop.runOnContext(ignored -> on.run(request).onComplete(reply));
        return reply.future();
    }

    private CheckResult check() {
        return result(run(false, false, 30_000));
    }

    private static CheckResult result(Message.RunReply reply) {
        assertThat(reply).isInstanceOf(Message.CompletedCheck.class);
        return TestRunners.result(reply);
    }

    private static Future<String> seen(CheckContext context) {
        assertThat(context.budget().take()).isTrue();
        return Future.succeededFuture("seen");
    }

    private static Future<String> overloaded(CheckContext context) {
        return Future.failedFuture(new OverloadFailure("No capacity.", Duration.ofSeconds(3)));
    }

    private CheckResult part(String name) {
        return site.results.stream()
                .filter(result -> result.module().equals(name))
                .findFirst()
                .orElseThrow();
    }

    private ResultKey key(Part part) throws Exception {
        ModuleDescription module = part.description();
        return ResultKey.of(
                module.module(),
                TargetParser.parse(module, target),
                Options.defaults(module).key());
    }

    @Test
    void partsAreInTheOrderOfAreasAndNames() {
        assertThat(modules.parts("site"))
                .extracting(part -> part.module().module(), CompositePart::area, CompositePart::column)
                .containsExactly(
                        tuple("beta", "first", "beta_verdict"),
                        tuple("gamma", "first", "gamma_verdict"),
                        tuple("alpha", "second", "alpha_verdict"));
        assertThat(modules.parts("alpha")).isEmpty();
        assertThat(check().fields()).containsEntry("verdicts", "beta=pass gamma=pass alpha=pass");
        assertThat(alpha.contexts.get(0).parts()).isEmpty();
    }

    @Test
    void aCompositeIsNotAPartAndAreasAreDeclared() {
        Part unknown = new Part("delta", "third");
        assertThatThrownBy(() -> new ModuleCatalogue(List.of(unknown, site)))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("delta")
                .hasMessageContaining("[first, second, mail]");
    }

    @Test
    void partsAreCachedUnderTheirOwnNames() throws Exception {
        check();

        RenderedResult cached = lookup.findInMemory(key(alpha));
        assertThat(cached).isNotNull();
        assertThat(cached.cachedBody().toString()).contains("\"module\":\"alpha\"", "\"text\":\"seen\"");
        Await.value(store.flush());
        assertThat(stored(alpha)).isNotNull();
    }

    /** The cached result of the part is the one that users receive, with the error. */
    @Test
    void aPartWithAnUntrustedCertificateRunsAgainWithoutVerification() throws Exception {
        alpha.behavior = context -> context.verifiesCertificates()
                ? Future.failedFuture(new CheckFailure(ErrorCode.TLS_UNTRUSTED, "Expired."))
                : Future.succeededFuture("unverified");

        for (int run = 1; run <= 2; run++) {
            assertThat(check().fields()).containsEntry("verdicts", "beta=pass gamma=pass alpha=error");
            PartResult part = site.parts.get(2);
            assertThat(part.result().error().code()).isEqualTo(ErrorCode.TLS_UNTRUSTED);
            assertThat(part.unverified().fields())
                    .containsEntry("text", "unverified")
                    .containsEntry("at", "2026-11-20T10:00:00.000Z");
            assertThat(part.verdict()).isEqualTo(Verdict.PASS);
            assertThat(site.parts.get(0).unverified()).isNull();
        }
        assertThat(alpha.contexts)
                .extracting(CheckContext::verifiesCertificates)
                .containsExactly(true, false, false);
        assertThat(lookup.findInMemory(key(alpha)).cachedBody().toString()).contains("tls_untrusted");
    }

    @Test
    void anErrorOfThePartWithoutVerificationIsNotItsResult() {
        alpha.behavior = context -> Future.failedFuture(new CheckFailure(
                context.verifiesCertificates() ? ErrorCode.TLS_UNTRUSTED : ErrorCode.CONNECTION_RESET, "No."));

        check();

        assertThat(site.parts.get(2).unverified()).isNull();
        assertThat(site.parts.get(2).verdict()).isEqualTo(Verdict.ERROR);
    }

    @Test
    void cachedAndFreshPartsAreEqual() {
        check();
        List<CheckResult> fresh = site.results;
        check();

        assertThat(alpha.contexts).hasSize(1);
        assertThat(site.results).isEqualTo(fresh);
        assertThat(part("alpha").fields()).containsEntry("at", "2026-11-20T10:00:00.000Z");
    }

    @Test
    void partsInTheDatabaseAreUsedByLinesAndOtherNodes() {
        check();
        Await.value(store.flush());
        assertThat(alpha.contexts).hasSize(1);

        CheckRunner other = runner(new PartResults(vertx, TestPolicies.open(), lookup()));
        result(run(other, true, false, 30_000));
        result(run(other, false, false, 30_000));

        assertThat(alpha.contexts).hasSize(1);
    }

    @Test
    void linesDoNotStoreTheResultsOfTheirParts() throws Exception {
        result(run(true, false, 30_000));
        Await.value(store.flush());

        assertThat(part("alpha").fields()).containsEntry("at", "2026-11-20T10:00:00.000Z");
        assertThat(lookup.findInMemory(key(alpha))).isNull();
        assertThat(stored(alpha)).isNull();
    }

    @Test
    void linesStoreTheResultsAboutMailServers() throws Exception {
        Part mail = new Part("mail", CompositePart.MAIL_AREA, InputType.HOST);
        CheckRunner lines = TestRunners.builder(vertx, new ModuleCatalogue(List.of(alpha, mail, site)))
                .parts(new PartResults(vertx, TestPolicies.open(), lookup))
                .capacity(24, 10)
                .build();
        result(run(lines, true, false, 30_000));
        Await.value(store.flush());

        assertThat(stored(mail)).isNotNull();
        assertThat(stored(alpha)).isNull();
        result(run(lines, true, false, 30_000));
        assertThat(mail.contexts).hasSize(1);
        assertThat(alpha.contexts).hasSize(2);
    }

    private @Nullable RenderedResult stored(Part part) throws Exception {
        return Await.value(store.find(lookup.cacheEntry(key(part), CHECKED).storedKey()));
    }

    @Test
    void freshLinesBypassTheCache() {
        check();
        result(run(true, true, 30_000));

        assertThat(alpha.contexts).hasSize(2);
        assertThat(alpha.contexts.get(1).fresh()).isTrue();
        assertThat(alpha.contexts.get(1).account()).isEqualTo(7);
    }

    @Test
    void partsWorkWithoutACache() {
        CheckRunner terminal = runner(new PartResults(vertx, TestPolicies.open(), null));
        result(run(terminal, false, false, 30_000));
        result(run(terminal, false, false, 30_000));

        assertThat(alpha.contexts).hasSize(2);
    }

    @Test
    void equalPartsInProgressRunOnce() {
        Promise<String> end = Promise.promise();
        alpha.behavior = context -> end.future();
        CheckRunner large = runner(new PartResults(vertx, TestPolicies.open(), lookup), 5 * 24);
        List<Future<Message.RunReply>> replies = IntStream.range(0, 5)
                .mapToObj(i -> start(large, false, false, 30_000))
                .toList();
        Await.until(() -> !alpha.contexts.isEmpty());
        end.complete("seen");

        assertThat(replies)
                .allSatisfy(reply -> assertThat(result(Await.value(reply)).fields())
                        .containsEntry("verdicts", "beta=pass gamma=pass alpha=pass"));
        assertThat(alpha.contexts).hasSize(1);
        assertThat(meters.counter("plumbline.checks", "module", "alpha", "verdict", "pass")
                        .count())
                .isEqualTo(1);
    }

    /** Otherwise the parts of many lines would use the time of each other. */
    @Test
    void concurrentCompositesAreLimited() {
        Promise<String> end = Promise.promise();
        alpha.behavior = context -> end.future();
        Future<Message.RunReply> line = start(runner, true, false, 30_000);
        Await.until(() -> !alpha.contexts.isEmpty());

        Message.RunReply second = run(true, false, 30_000);
        Future<Message.RunReply> instant = start(runner, false, false, 30_000);
        Await.until(() -> alpha.contexts.size() == 2);
        end.complete("seen");

        assertThat(second).isEqualTo(new Message.Overloaded(1));
        assertThat(result(Await.value(line)).cacheable()).isTrue();
        assertThat(result(Await.value(instant)).cacheable()).isTrue();
    }

    @Test
    void anUnfinishedPartIsDeadlineExceededAndTheCompositeIsNotCached() throws Exception {
        alpha.behavior = context -> Promise.<String>promise().future();
        CheckResult result = result(run(false, false, 1_000));

        assertThat(result.fields()).containsEntry("verdicts", "beta=pass gamma=pass alpha=error");
        assertThat(part("alpha").error().code()).isEqualTo(ErrorCode.DEADLINE_EXCEEDED);
        assertThat(result.error()).isNull();
        assertThat(result.cacheable()).isFalse();
        assertThat(lookup.findInMemory(key(alpha))).isNull();
        assertThat(lookup.findInMemory(key(beta))).isNotNull();
    }

    /** The other parts use up the limits, so the time limit of the composite applies to waits. */
    @Test
    void theTimeLimitOfAPartDoesNotIncludeWaitsForTargetLimits() {
        alpha.behavior = context -> {
            long before = context.deadline().remainingMillis();
            Consumer<TargetLimit> endOfWait = context.budget().limitWaits().start();
            Promise<String> waited = Promise.promise();
            vertx.setTimer(500, late -> {
                endOfWait.accept(null);
                waited.complete("" + (before - context.deadline().remainingMillis()));
            });
            return waited.future();
        };
        check();

        assertThat(Long.parseLong((String) part("alpha").fields().get("text"))).isLessThan(250);
    }

    /** With its own time limit, the part would have a response. */
    @Test
    void aTimeoutWithinAShortenedTimeLimitIsNotAResultOfThePart() throws Exception {
        alpha.behavior = context -> {
            assertThat(context.deadline().remainingMillis()).isLessThanOrEqualTo(1_000);
            return Future.failedFuture(new CheckFailure(ErrorCode.READ_TIMEOUT, "No response."));
        };
        CheckResult result = result(run(false, false, 1_000));

        assertThat(part("alpha").error().code()).isEqualTo(ErrorCode.DEADLINE_EXCEEDED);
        assertThat(result.cacheable()).isFalse();
        assertThat(lookup.findInMemory(key(alpha))).isNull();

        alpha.behavior = context -> Future.failedFuture(new CheckFailure(ErrorCode.READ_TIMEOUT, "No response."));
        assertThat(check().cacheable()).isTrue();
        assertThat(part("alpha").error().code()).isEqualTo(ErrorCode.READ_TIMEOUT);
        assertThat(lookup.findInMemory(key(alpha))).isNotNull();
    }

    /** Some modules report a server without a response in a result without an error. */
    @ParameterizedTest
    @ValueSource(longs = {500, 950})
    void aResultThatCanDependOnAShortenedTimeLimitIsNotCached(long durationMs) throws Exception {
        alpha.behavior = context -> {
            Promise<String> probe = Promise.promise();
            vertx.setTimer(durationMs, late -> probe.complete("no response"));
            return probe.future();
        };
        CheckResult result = result(run(false, false, 1_000));

        assertThat(part("alpha").error() != null).isEqualTo(durationMs > 900);
        assertThat(result.cacheable()).isFalse();
        assertThat(lookup.findInMemory(key(alpha))).isNull();
        assertThat(lookup.findInMemory(key(beta))).isNotNull();
    }

    @Test
    void partsShareTheBudgetOfTheComposite() throws Exception {
        AtomicInteger taken = new AtomicInteger();
        alpha.behavior = context -> {
            while (context.budget().take()) {
                taken.incrementAndGet();
            }
            return Future.succeededFuture("seen");
        };
        CheckResult result = check();

        assertThat(taken).hasValue(site.requests(Options.NONE));
        assertThat(part("alpha").error().message()).contains("request limit");
        assertThat(result.cacheable()).isFalse();
        assertThat(lookup.findInMemory(key(alpha))).isNull();
        assertThat(lookup.findInMemory(key(beta))).isNotNull();
    }

    @Test
    void eachPartHasTheUsualBudget() {
        RequestBudget shared = new RequestBudget(200);
        RequestBudget part = new RequestBudget(RequestBudget.MAX, shared);
        for (int i = 0; i < RequestBudget.MAX; i++) {
            assertThat(part.take()).isTrue();
        }
        assertThat(part.take()).isFalse();
        assertThat(part.sharedExhausted()).isFalse();
        assertThat(shared.used()).isTrue();
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aFailedPartDoesNotFailTheComposite(boolean thrown) {
        alpha.behavior = context -> {
            if (thrown) {
                throw new IllegalStateException("a defect");
            }
            return Future.failedFuture(new CheckFailure(ErrorCode.CONNECT_REFUSED, "Refused."));
        };
        CheckResult result = check();

        assertThat(result.error()).isNull();
        assertThat(result.fields()).containsEntry("verdicts", "beta=pass gamma=pass alpha=error");
        assertThat(part("alpha").error().code()).isEqualTo(thrown ? ErrorCode.INTERNAL : ErrorCode.CONNECT_REFUSED);
        assertThat(result.cacheable()).isEqualTo(!thrown);
    }

    @Test
    void aTemporaryPartMakesTheCompositeIncomplete() {
        alpha.behavior = context -> Future.succeededFuture("temporary");

        assertThat(check().cacheable()).isFalse();
        assertThat(part("alpha").verdict()).isEqualTo(Verdict.PASS);
    }

    @Test
    void anOverloadedPartIsAnErrorIfRequestsWereSent() {
        beta.behavior = CompositeRunTest::seen;
        alpha.behavior = CompositeRunTest::overloaded;
        CheckResult result = check();

        assertThat(part("alpha").error().code()).isEqualTo(ErrorCode.DEADLINE_EXCEEDED);
        assertThat(result.cacheable()).isFalse();
    }

    @Test
    void aCompositeThatSentNothingIsOverloaded() {
        alpha.behavior = CompositeRunTest::overloaded;

        assertThat(run(false, false, 30_000)).isEqualTo(new Message.Overloaded(3));
    }

    /** The retry finds the other parts in the cache. */
    @Test
    void aLineWithAnOverloadedPartIsRetried() {
        beta.behavior = CompositeRunTest::seen;
        alpha.behavior = CompositeRunTest::overloaded;
        assertThat(run(true, false, 30_000)).isEqualTo(new Message.Overloaded(3));
        Await.value(store.flush());

        alpha.behavior = context -> Future.succeededFuture("seen");
        assertThat(result(run(true, false, 30_000)).cacheable()).isTrue();
        assertThat(beta.contexts).hasSize(1);
        assertThat(alpha.contexts).hasSize(2);
    }

    @Test
    void aPartThatIsNotAllowedIsNotRun() {
        alpha.behavior = context -> Future.succeededFuture("seen");
        PartResults closed = new PartResults(
                vertx,
                new TargetPolicy(
                        new TargetPolicy.Rules(List.of(), List.of(target), List.of(), List.of("*")),
                        (address, port) -> false),
                lookup);
        result(run(runner(closed), false, false, 30_000));

        assertThat(part("alpha").error().code()).isEqualTo(ErrorCode.TARGET_BLOCKED);
        assertThat(alpha.contexts).isEmpty();
    }
}
