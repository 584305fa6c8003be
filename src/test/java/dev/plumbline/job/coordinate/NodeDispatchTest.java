package dev.plumbline.job.coordinate;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.bus.CheckRouter;
import dev.plumbline.bus.Message;
import dev.plumbline.result.store.ResultKey;
import dev.plumbline.sheet.ModuleDescription;
import dev.plumbline.support.Await;
import dev.plumbline.target.InvalidTargetException;
import dev.plumbline.target.Target;
import dev.plumbline.target.TargetParser;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;

/** The order of lines that run on several nodes. The node of a target is the first label of its name. */
class NodeDispatchTest {
    private static final Vertx VERTX = Vertx.vertx();
    private static final ModuleDescription MODULE = new ScriptedModule().description();
    private static final long A = 1;
    private static final long B = 2;

    private final Nodes nodes = new Nodes();
    private final List<PendingLine> started = new ArrayList<>();
    private long nanos;
    private int jobs;

    @AfterAll
    static void close() {
        Await.value(VERTX.close());
    }

    /** Run nodes and their permits. A target whose node is absent runs on the first node. */
    private static final class Nodes implements CheckRouter {
        private final Map<String, Integer> permits = new TreeMap<>();

        @Override
        public List<String> nodes() {
            return List.copyOf(permits.keySet());
        }

        @Override
        public @Nullable String nodeOf(Target target) {
            String node = target.text().substring(0, target.text().indexOf('.'));
            return permits.containsKey(node)
                    ? node
                    : permits.keySet().stream().findFirst().orElse(null);
        }

        @Override
        public Future<Message.RunReply> run(Target target, Message.RunCheck check, long timeoutMs) {
            throw new AssertionError("the dispatcher does not run checks");
        }

        @Override
        public int linePermits(String node) {
            return permits.getOrDefault(node, 1);
        }

        @Override
        public void onChange(Runnable listener) {
            throw new AssertionError("the dispatcher does not listen");
        }
    }

    private LineDispatcher dispatcher(int perHost) {
        return new LineDispatcher(VERTX, nodes, perHost, started::add, () -> nanos);
    }

    private Chunk chunk(long account) {
        return TestChunks.chunk(++jobs, account);
    }

    /** Adds lines with distinct hosts on a node. */
    private void add(LineDispatcher dispatcher, Chunk chunk, String node, int lines) {
        for (int i = 0; i < lines; i++) {
            add(dispatcher, chunk, node + ".h" + ++jobs + ".test");
        }
    }

    private static void add(LineDispatcher dispatcher, Chunk chunk, String host) {
        try {
            Target target = TargetParser.parse(MODULE, host);
            dispatcher.add(new PendingLine(
                    chunk,
                    0,
                    target,
                    ResultKey.of(MODULE.module(), target, chunk.options().key())));
        } catch (InvalidTargetException invalid) {
            throw new AssertionError(invalid);
        }
    }

    private Map<String, Integer> begunByNode() {
        Map<String, Integer> counts = new HashMap<>();
        started.forEach(line -> counts.merge(node(line), 1, Integer::sum));
        return counts;
    }

    private static String node(PendingLine line) {
        return line.host().substring(0, line.host().indexOf('.'));
    }

    @Test
    void aBusyNodeDoesNotBlockTheOthers() {
        nodes.permits.putAll(Map.of("n1", 16, "n2", 16));
        LineDispatcher dispatcher = dispatcher(0);
        Chunk chunk = chunk(A);
        add(dispatcher, chunk, "n1", 100);
        add(dispatcher, chunk, "n2", 5);
        dispatcher.dispatch();

        assertThat(begunByNode()).containsOnly(Map.entry("n1", 14), Map.entry("n2", 5));
        assertThat(dispatcher.capacity()).as("the shared permits of n2").isEqualTo(9);

        dispatcher.complete(started.get(18));
        dispatcher.dispatch();
        assertThat(started).as("a permit of n2 is not used for n1").hasSize(19);
        dispatcher.complete(started.get(0));
        dispatcher.dispatch();
        assertThat(begunByNode()).containsEntry("n1", 15);
    }

    @Test
    void accountsAreServedRoundRobinOnEachNode() {
        nodes.permits.putAll(Map.of("n1", 4, "n2", 4));
        LineDispatcher dispatcher = dispatcher(0);
        Chunk first = chunk(A);
        Chunk second = chunk(B);
        add(dispatcher, first, "n1", 10);
        add(dispatcher, first, "n2", 10);
        add(dispatcher, second, "n1", 10);
        add(dispatcher, second, "n2", 10);
        dispatcher.dispatch();

        assertThat(started.stream().map(line -> node(line) + line.chunk().accountId()))
                .containsExactly("n11", "n12", "n11", "n12", "n21", "n22", "n21", "n22");
    }

    @Test
    void theLastPermitsOfEachNodeAreReservedForNewAccounts() {
        nodes.permits.putAll(Map.of("n1", 8, "n2", 8));
        LineDispatcher dispatcher = dispatcher(0);
        add(dispatcher, chunk(A), "n1", 20);
        add(dispatcher, chunk(A), "n2", 20);
        dispatcher.dispatch();
        assertThat(begunByNode()).containsOnly(Map.entry("n1", 7), Map.entry("n2", 7));
        assertThat(dispatcher.availablePermits()).isEqualTo(2);

        add(dispatcher, chunk(B), "n2", 2);
        dispatcher.dispatch();
        assertThat(started).hasSize(15).last().satisfies(line -> {
            assertThat(line.chunk().accountId()).isEqualTo(B);
            assertThat(node(line)).isEqualTo("n2");
        });
    }

    @Test
    void linesOfANodeThatLeftStartOnOtherNodes() {
        nodes.permits.putAll(Map.of("n1", 8, "n2", 8));
        LineDispatcher dispatcher = dispatcher(0);
        Chunk chunk = chunk(A);
        add(dispatcher, chunk, "n2", 10);
        dispatcher.dispatch();
        assertThat(started).hasSize(7);

        nodes.permits.remove("n2");
        dispatcher.update();
        assertThat(started).as("three waited for n2").hasSize(10);
        assertThat(dispatcher.capacity()).as("capacity of n1").isEqualTo(4);

        for (int i = 0; i < 7; i++) {
            dispatcher.complete(started.get(i));
        }
        assertThat(dispatcher.active()).isEqualTo(3);
        assertThat(dispatcher.capacity()).isEqualTo(4);
    }

    @Test
    void linesOfANodeThatJoinedMoveToIt() {
        nodes.permits.put("n1", 8);
        LineDispatcher dispatcher = dispatcher(0);
        Chunk chunk = chunk(A);
        add(dispatcher, chunk, "n1", 7);
        add(dispatcher, chunk, "n2", 7);
        dispatcher.dispatch();
        assertThat(started).hasSize(7);

        nodes.permits.put("n2", 8);
        dispatcher.update();

        assertThat(begunByNode()).containsOnly(Map.entry("n1", 7), Map.entry("n2", 7));
        assertThat(dispatcher.readyAndActive()).isEqualTo(14);
    }

    @Test
    void linesWaitWhileNoNodeRunsChecks() {
        LineDispatcher dispatcher = dispatcher(0);
        add(dispatcher, chunk(A), "n1", 3);
        dispatcher.dispatch();
        assertThat(started).isEmpty();
        assertThat(dispatcher.capacity()).isZero();
        assertThat(dispatcher.availablePermits()).isZero();
        assertThat(dispatcher.shouldClaim()).isFalse();
        assertThat(dispatcher.waiting()).isEqualTo(3);

        nodes.permits.put("n1", 8);
        dispatcher.update();
        assertThat(started).hasSize(3);
    }

    @Test
    void morePermitsStartMoreLines() {
        nodes.permits.putAll(Map.of("n1", 8, "n2", 8));
        LineDispatcher dispatcher = dispatcher(0);
        add(dispatcher, chunk(A), "n1", 30);
        dispatcher.dispatch();
        assertThat(started).hasSize(7);

        nodes.permits.put("n1", 16);
        dispatcher.update();
        assertThat(started).hasSize(14);

        nodes.permits.put("n1", 8);
        for (int i = 0; i < 7; i++) {
            dispatcher.complete(started.get(i));
            dispatcher.dispatch();
        }
        assertThat(started).as("fewer permits do not end lines").hasSize(14);
        dispatcher.complete(started.get(7));
        dispatcher.dispatch();
        assertThat(started).hasSize(15);
    }

    @Test
    void aLineThatWaitsForItsHostDoesNotUseAPermitOfItsNode() {
        nodes.permits.putAll(Map.of("n1", 8, "n2", 8));
        LineDispatcher dispatcher = dispatcher(1);
        Chunk chunk = chunk(A);
        for (int i = 0; i < 5; i++) {
            add(dispatcher, chunk, "n1.crowd.test");
        }
        add(dispatcher, chunk, "n1", 6);
        dispatcher.dispatch();

        assertThat(started).hasSize(7);
        assertThat(dispatcher.parked()).isEqualTo(4);
    }

    @Test
    void anAccountWhoseLinesWaitForABusyNodeIsParked() {
        nodes.permits.putAll(Map.of("n1", 8, "n2", 8));
        LineDispatcher dispatcher = dispatcher(0);
        add(dispatcher, chunk(A), "n1", 1_007);
        add(dispatcher, chunk(B), "n2", 7);
        dispatcher.dispatch();

        assertThat(dispatcher.parked()).isEqualTo(1_000);
        assertThat(dispatcher.accountsWithParked(1_000)).containsExactly(A);
        assertThat(dispatcher.accountsWithParked(1_001)).isEmpty();
        assertThat(dispatcher.waiting()).isEqualTo(1_000);
    }

    /** Checks of a second. Each claim has the lines of one node, which is random. */
    @Test
    void noNodeIsIdleWhileOthersAreBusy() {
        int count = 4;
        int permits = 192;
        int shared = permits * 7 / 8;
        for (int i = 0; i < count; i++) {
            nodes.permits.put("n" + i, permits);
        }
        LineDispatcher dispatcher = dispatcher(0);
        Chunk chunk = chunk(A);
        Random random = new Random(7);
        for (int tick = 0; tick < 400; tick++) {
            while (dispatcher.shouldClaim()) {
                add(dispatcher, chunk, "n" + random.nextInt(count), 50);
            }
            dispatcher.dispatch();
            nanos += Duration.ofMillis(100).toNanos();
            // a tenth of the lines of each node ends in each tenth of a second
            Map<String, Integer> ended = new HashMap<>();
            for (PendingLine line : List.copyOf(started)) {
                if (ended.merge(node(line), 1, Integer::sum) <= shared / 10) {
                    started.remove(line);
                    dispatcher.complete(line);
                }
            }
            dispatcher.dispatch();
            if (tick > 20) {
                assertThat(dispatcher.active()).as("tick %d", tick).isEqualTo(count * shared);
            }
        }
        assertThat(dispatcher.parked()).as("lines that wait for a busy node").isBetween(1, 4_000);
    }
}
