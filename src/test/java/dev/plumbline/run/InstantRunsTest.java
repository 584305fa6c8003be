package dev.plumbline.run;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.bus.Message;
import dev.plumbline.bus.MessageBus;
import dev.plumbline.check.CheckContext;
import dev.plumbline.check.CheckFailure;
import dev.plumbline.check.ModuleCatalogue;
import dev.plumbline.check.ModuleDefinition;
import dev.plumbline.result.ErrorCode;
import dev.plumbline.result.Evaluation;
import dev.plumbline.sheet.ModuleDescription;
import dev.plumbline.sheet.Options;
import dev.plumbline.support.Await;
import dev.plumbline.support.Descriptions;
import dev.plumbline.support.ModuleDescriptionBuilder;
import dev.plumbline.target.InputType;
import dev.plumbline.target.Target;
import io.vertx.core.DeploymentOptions;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The runners of a run node in a cluster, one per event loop. */
class InstantRunsTest {
    private static final int LOOPS = 4;
    private static final Duration TTL = Duration.ofMinutes(10);

    private final Vertx vertx = Vertx.vertx(new VertxOptions().setEventLoopPoolSize(LOOPS));
    private final MessageBus bus = MessageBus.of(vertx);
    private final AtomicLong nanos = new AtomicLong();
    private final Counting module = new Counting();

    /** Counts its runs, which end on demand. */
    private static final class Counting implements ModuleDefinition<String> {
        private static final ModuleDescription DESCRIPTION = ModuleDescriptionBuilder.of(
                        "counting", "Counting", InputType.DOMAIN)
                .fields(Descriptions.string("text", "Text", "A text."))
                .build();

        private final AtomicInteger runs = new AtomicInteger();
        private final Set<Thread> loops = ConcurrentHashMap.newKeySet();
        private volatile Promise<String> end = Promise.promise();

        @Override
        public ModuleDescription description() {
            return DESCRIPTION;
        }

        @Override
        public Future<String> collect(Target target, CheckContext context) {
            loops.add(Thread.currentThread());
            runs.incrementAndGet();
            return end.future();
        }

        @Override
        public Evaluation evaluate(String evidence, Options options) {
            return new Evaluation(Map.of("text", evidence), List.of(), null);
        }
    }

    @BeforeEach
    void start() {
        CheckRunnerVerticle.ClusterRuns shared = new CheckRunnerVerticle.ClusterRuns(
                new CapacityReporter(vertx, bus, "self", 8), new InstantRuns(vertx, TTL, nanos::get));
        CheckRunner runner = TestRunners.builder(vertx, new ModuleCatalogue(List.of(module)))
                .capacity(20 * LOOPS, 0)
                .build();
        Await.value(vertx.deployVerticle(
                () -> new CheckRunnerVerticle(bus, runner, shared), new DeploymentOptions().setInstances(LOOPS)));
    }

    @AfterEach
    void stop() {
        Await.value(vertx.close());
    }

    private static Message.RunCheck instant(String target) {
        return new Message.RunCheck("counting", target, Map.of(), false, 5_000, "test");
    }

    private static Message.RunCheck line(String target) {
        return new Message.RunCheck("counting", target, Map.of(), true, 1, 5_000, "test", false, "account 1");
    }

    private Future<Message.RunReply> run(Message.RunCheck check) {
        return bus.request(check, Message.RunReply.class, 10_000);
    }

    private List<Future<Message.RunReply>> run(int count, Message.RunCheck check) {
        return IntStream.range(0, count).mapToObj(i -> run(check)).toList();
    }

    private static byte[] json(Future<Message.RunReply> reply) {
        assertThat(Await.value(reply)).isInstanceOf(Message.CompletedCheck.class);
        return ((Message.CompletedCheck) reply.result()).json();
    }

    @Test
    void equalInstantChecksOnAllEventLoopsRunOnce() {
        List<Future<Message.RunReply>> equal = run(20, instant("a.test"));
        List<Future<Message.RunReply>> different = run(LOOPS, line("a.test"));
        Await.until(() -> module.runs.get() == 1 + LOOPS);

        module.end.complete("done");

        Await.value(Future.all(different));
        assertThat(module.loops).hasSize(LOOPS);
        assertThat(equal).allSatisfy(reply -> assertThat(json(reply)).isEqualTo(json(equal.get(0))));
        assertThat(module.runs).hasValue(1 + LOOPS);
    }

    @Test
    void checksThatDifferAreNotShared() {
        module.end.complete("done");

        run(2, line("a.test")).forEach(Await::value);
        Await.value(run(instant("a.test")));
        Await.value(run(instant("b.test")));
        Await.value(run(new Message.RunCheck(
                "counting", "a.test", Map.of(ModuleDescription.TIMEOUT_MS, 2_000L), false, 5_000, "test")));
        Await.value(
                run(new Message.RunCheck("counting", "a.test", Map.of(), false, 0, 5_000, "test", true, "account 0")));

        assertThat(module.runs).hasValue(6);
    }

    @Test
    void aResultIsSharedForTwoSeconds() {
        module.end.complete("done");
        byte[] first = json(run(instant("a.test")));

        nanos.addAndGet(Duration.ofMillis(1_900).toNanos());
        assertThat(json(run(instant("a.test")))).isEqualTo(first);
        assertThat(module.runs).hasValue(1);
        nanos.addAndGet(Duration.ofMillis(200).toNanos());
        Await.value(run(instant("a.test")));

        assertThat(module.runs).hasValue(2);
    }

    @Test
    void aResultThatIsNotCacheableIsSharedOnlyWhileItRuns() {
        List<Future<Message.RunReply>> waiting = run(5, instant("a.test"));
        Await.until(() -> module.runs.get() == 1);
        module.end.fail(new CheckFailure(ErrorCode.INTERNAL, "An internal error."));
        waiting.forEach(Await::value);
        int runs = module.runs.get();

        Await.value(run(instant("a.test")));

        assertThat(module.runs).hasValue(runs + 1);
    }
}
