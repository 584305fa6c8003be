package dev.plumbline.cluster;

import dev.plumbline.bus.MessageBus;
import dev.plumbline.check.Deadline;
import dev.plumbline.concurrent.Scheduler;
import dev.plumbline.config.Config;
import dev.plumbline.egress.RateLimiter;
import dev.plumbline.result.LimiterKind;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import java.util.stream.IntStream;

/** Acquires and releases permits: two nodes in this process, connected by the event bus. The first owns all keys. */
public final class PermitBench implements AutoCloseable {
    private static final Duration LEASE = Duration.ofSeconds(20);
    private static final int FIRST_PORT = 25_701;
    private static final int KEYS = 10_000;
    private static final int CONCURRENT = 8;
    private static final long WAIT_MILLIS = 5_000;

    private final Node owner;
    private final Node other;

    private record Node(Vertx vertx, ClusterRateLimiters limiters, RateLimiter<String> addresses) {}

    /**
     * A round.
     *
     * @param cpuMicros CPU time of both nodes per permit
     * @param failures requests without a permit
     */
    public record Measurement(double perSecond, double cpuMicros, long failures) {}

    public PermitBench() throws InterruptedException {
        List<Integer> ports = List.of(FIRST_PORT, FIRST_PORT + 2);
        owner = start(ports.get(0), ports);
        other = start(ports.get(1), ports);
        String ownerName = settings(ports.get(0)).name();
        for (Node node : List.of(owner, other)) {
            node.limiters().onOwnershipChange(key -> ownerName);
        }
    }

    private static HazelcastBus.Settings settings(int port) {
        return new HazelcastBus.Settings("127.0.0.1", port, port + 1, "permit-bench", LEASE, null);
    }

    private static Node start(int port, List<Integer> ports) throws InterruptedException {
        List<String> names = ports.stream().map(other -> settings(other).name()).toList();
        Vertx vertx = await(HazelcastBus.join(
                        Vertx.builder(),
                        new VertxOptions().setEventLoopPoolSize(1),
                        settings(port),
                        new HazelcastBus.Discovery(
                                ready -> Future.succeededFuture(), ready -> Future.succeededFuture(names))))
                .vertx();
        MessageBus bus = MessageBus.of(vertx);
        String self = settings(port).name();
        ClusterRateLimiters limiters = new ClusterRateLimiters(
                self,
                bus::sendNode,
                System::nanoTime,
                Scheduler.of(vertx),
                task -> vertx.getOrCreateContext().runOnContext(ignored -> task.run()),
                new SimpleMeterRegistry());
        RateLimiter<String> addresses =
                limiters.create(LimiterKind.ADDRESS, new Config.OutboundLimit(0, CONCURRENT), Function.identity());
        await(PermitVerticle.receive(bus, self, limiters));
        return new Node(vertx, limiters, addresses);
    }

    /** @param fromOwner whether the owner of the keys uses its own permits */
    public Measurement measure(boolean fromOwner, int callers, Duration duration) throws InterruptedException {
        Node node = fromOwner ? owner : other;
        Context context = node.vertx().getOrCreateContext();
        Round round = new Round(node, context, callers, System.nanoTime() + duration.toNanos());
        long cpu = cpuNanos();
        List<Future<Void>> loops = IntStream.range(0, callers)
                .mapToObj(caller -> {
                    Promise<Void> done = Promise.promise();
                    context.runOnContext(ignored -> round.use(caller, done));
                    return done.future();
                })
                .toList();
        await(Future.all(loops));
        long permits = round.permits.get();
        return new Measurement(
                permits / (double) duration.toSeconds(), (cpuNanos() - cpu) / 1_000.0 / permits, round.failures.get());
    }

    private static final class Round {
        private final Node node;
        private final Context context;
        private final int callers;
        private final long endNanos;
        private final AtomicLong permits = new AtomicLong();
        private final AtomicLong failures = new AtomicLong();

        Round(Node node, Context context, int callers, long endNanos) {
            this.node = node;
            this.context = context;
            this.callers = callers;
            this.endNanos = endNanos;
        }

        /** Acquires and releases permits of different keys, one after the other. */
        void use(int key, Promise<Void> done) {
            if (System.nanoTime() - endNanos >= 0) {
                done.complete();
                return;
            }
            node.addresses()
                    .acquire("192.0.2." + key % KEYS, WAIT_MILLIS, 0, Deadline.in(WAIT_MILLIS))
                    .onComplete((permit, failure) -> {
                        if (failure == null) {
                            permits.incrementAndGet();
                            permit.release();
                        } else {
                            failures.incrementAndGet();
                        }
                        context.runOnContext(ignored -> use(key + callers, done));
                    });
        }
    }

    private static long cpuNanos() {
        return ((com.sun.management.OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean())
                .getProcessCpuTime();
    }

    private static <T> T await(Future<T> future) throws InterruptedException {
        try {
            return future.toCompletionStage().toCompletableFuture().get();
        } catch (ExecutionException failed) {
            throw new IllegalStateException(failed.getCause());
        }
    }

    @Override
    public void close() {
        other.vertx().close().toCompletionStage().toCompletableFuture().join();
        owner.vertx().close().toCompletionStage().toCompletableFuture().join();
    }
}
