package dev.plumbline.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.check.Deadline;
import dev.plumbline.config.Config;
import dev.plumbline.config.NodeRole;
import dev.plumbline.egress.RateLimiter;
import dev.plumbline.egress.RatePermit;
import dev.plumbline.result.LimiterKind;
import dev.plumbline.support.Await;
import dev.plumbline.support.TestDatabase;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.vertx.core.Future;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Three run nodes on a clustered event bus. The last tests stop nodes. */
@Tag("integration")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class PermitVerticleTest {
    private static final Config.OutboundLimit LIMIT = new Config.OutboundLimit(20, 3);
    private static final long WAIT_MILLIS = 20_000;

    @RegisterExtension
    static final TestDatabase DATABASE = new TestDatabase();

    private TestCluster cluster;
    private final List<RunNode> nodes = new ArrayList<>();

    /** A node with limiters: of addresses, and of WHOIS servers without a rate. */
    private static final class RunNode {
        private final TestCluster.Node node;
        private final SimpleMeterRegistry meters = new SimpleMeterRegistry();
        private final ClusterRateLimiters limiters;
        private final RateLimiter<String> addresses;
        private final RateLimiter<String> servers;

        RunNode(TestCluster.Node node) {
            this.node = node;
            limiters = ClusterRateLimiters.of(node.cluster(), node.bus(), meters);
            addresses = limiters.create(LimiterKind.ADDRESS, LIMIT, Function.identity());
            servers = limiters.create(
                    LimiterKind.WHOIS_SERVER, new Config.OutboundLimit(0, LIMIT.concurrent()), Function.identity());
            Await.value(node.vertx().deployVerticle(new PermitVerticle(node.cluster(), node.bus(), limiters)));
        }

        Future<RatePermit> acquire(RateLimiter<String> limiter, String key) {
            return limiter.acquire(key, WAIT_MILLIS, 0, Deadline.in(2 * WAIT_MILLIS));
        }

        double granted() {
            return meters.get("plumbline.cluster.remote.permits")
                    .tag("outcome", "granted")
                    .counter()
                    .count();
        }
    }

    @BeforeAll
    void start() {
        cluster = new TestCluster(DATABASE.url());
        for (int i = 0; i < 3; i++) {
            nodes.add(new RunNode(cluster.start(NodeRole.RUN)));
        }
        cluster.awaitRunNodes(3);
    }

    @AfterAll
    void stop() {
        cluster.close();
    }

    private String keyOwnedBy(RunNode owner) {
        RunRing ring = nodes.get(0).node.cluster().view().ring();
        return IntStream.range(0, 1_000)
                .mapToObj(i -> "192.0.2." + i)
                .filter(key -> owner.node.name().equals(ring.owner(key)))
                .findFirst()
                .orElseThrow();
    }

    /** Acquires permits of one address on these nodes, and holds each for some milliseconds. */
    private void use(String key, List<RunNode> users, int permitsPerNode) {
        AtomicInteger inside = new AtomicInteger();
        AtomicInteger most = new AtomicInteger();
        List<Future<Void>> permits = users.stream()
                .flatMap(user -> Stream.generate(() -> user).limit(permitsPerNode))
                .map(user -> user.acquire(user.addresses, key).compose(permit -> {
                    most.accumulateAndGet(inside.incrementAndGet(), Math::max);
                    return user.node.vertx().timer(5, TimeUnit.MILLISECONDS).<Void>map(fired -> {
                        inside.decrementAndGet();
                        permit.release();
                        return null;
                    });
                }))
                .toList();
        Await.value(Future.all(permits));
        assertThat(most).hasValue(LIMIT.concurrent());
    }

    @Test
    @Order(1)
    void threeNodesTogetherStayWithinTheLimitsOfAnAddress() {
        long begin = System.nanoTime();

        use(keyOwnedBy(nodes.get(0)), nodes, LIMIT.perSecond());

        assertThat(Duration.ofNanos(System.nanoTime() - begin))
                .as("the permits of three seconds at the limit, of which the first second does not count")
                .isGreaterThanOrEqualTo(Duration.ofSeconds(2));
        assertThat(nodes.get(0).granted()).isZero();
        assertThat(nodes.get(1).granted()).isEqualTo(LIMIT.perSecond());
        Await.until(() -> nodes.stream().allMatch(node -> node.limiters.isIdle()));
    }

    @Test
    @Order(2)
    void aSingleBusyNodeGetsAllPermits() {
        String key = keyOwnedBy(nodes.get(2));

        List<Future<RatePermit>> permits = IntStream.range(0, LIMIT.concurrent() + 1)
                .mapToObj(i -> nodes.get(1).acquire(nodes.get(1).servers, key))
                .toList();

        Await.until(() -> permits.stream().filter(Future::isComplete).count() == LIMIT.concurrent());
        permits.get(0).result().release();
        Await.value(Future.all(permits));
        permits.stream().skip(1).forEach(permit -> permit.result().release());
        Await.until(() -> nodes.get(2).limiters.isIdle());
    }

    @Test
    @Order(3)
    void permitsOfANodeThatLeftReturn() {
        RunNode holder = nodes.get(2);
        String key = keyOwnedBy(nodes.get(0));
        for (int i = 0; i < LIMIT.concurrent(); i++) {
            Await.value(holder.acquire(holder.servers, key));
        }
        List<Future<RatePermit>> waiting = IntStream.range(0, LIMIT.concurrent())
                .mapToObj(i -> nodes.get(1).acquire(nodes.get(1).servers, key))
                .toList();
        assertThat(waiting).noneMatch(Future::isComplete);

        crash(holder);

        Await.value(Future.all(waiting)).<RatePermit>list().forEach(RatePermit::release);
    }

    @Test
    @Order(4)
    void theNextOwnerGrantsAfterTheOwnerLeft() {
        RunNode owner = nodes.get(1);
        RunNode user = nodes.get(0);
        String key = keyOwnedBy(owner);
        for (int i = 0; i < LIMIT.concurrent(); i++) {
            Await.value(user.acquire(user.servers, key));
        }
        Future<RatePermit> waiting = user.acquire(user.servers, key);
        assertThat(waiting.isComplete()).isFalse();

        crash(owner);

        Await.value(waiting).release();
        assertThat(Objects.requireNonNull(user.node.cluster().view().ring().owner(key)))
                .isEqualTo(user.node.name());
        assertThat(Await.value(user.acquire(user.servers, key))).isNotNull();
    }

    private void crash(RunNode lost) {
        nodes.remove(lost);
        cluster.remove(lost.node);
        lost.node.crash();
    }
}
