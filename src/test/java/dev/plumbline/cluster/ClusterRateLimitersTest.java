package dev.plumbline.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.bus.PermitMessage;
import dev.plumbline.check.Deadline;
import dev.plumbline.check.OverloadFailure;
import dev.plumbline.config.Config;
import dev.plumbline.egress.RateLimiter;
import dev.plumbline.egress.RatePermit;
import dev.plumbline.result.LimiterKind;
import dev.plumbline.support.FakeTime;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.vertx.core.Future;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.IntStream;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;

/** Nodes with a manual clock and a transport whose delays and losses are known. */
class ClusterRateLimitersTest {
    private static final List<String> NODES = List.of("a", "b", "c");
    private static final int MAX_DELAY_MILLIS = 3;
    private static final long SECOND = TimeUnit.SECONDS.toNanos(1);

    /** A cluster that limits one kind of key. */
    private static final class Cluster {
        private final FakeTime time = new FakeTime();
        private final Random random = new Random(1);
        private final SimpleMeterRegistry meters = new SimpleMeterRegistry();
        private final Map<String, ClusterRateLimiters> nodes = new HashMap<>();
        private final Map<String, RateLimiter<String>> limiters = new HashMap<>();
        private Predicate<PermitMessage> lost = message -> false;
        private final List<PermitMessage> messages = new ArrayList<>();

        Cluster(int perSecond, int concurrent) {
            for (String node : NODES) {
                ClusterRateLimiters added = new ClusterRateLimiters(
                        node, this::send, time::nanos, time, task -> time.after(0, task), meters);
                nodes.put(node, added);
                limiters.put(
                        node,
                        added.create(
                                LimiterKind.ADDRESS,
                                new Config.OutboundLimit(perSecond, concurrent),
                                Function.identity()));
            }
        }

        /** A cluster in which the first node owns all keys for some time. */
        static Cluster ownedByA(int perSecond, int concurrent) {
            Cluster cluster = new Cluster(perSecond, concurrent);
            cluster.own("a");
            cluster.time.advance(PermitOwnership.WINDOW.toMillis());
            return cluster;
        }

        void own(String owner) {
            nodes.values().forEach(node -> node.onOwnershipChange(key -> owner));
        }

        private void send(String node, PermitMessage message) {
            messages.add(message);
            if (!lost.test(message)) {
                time.after(random.nextInt(MAX_DELAY_MILLIS + 1), () -> receive(nodes.get(node), message));
            }
        }

        private static void receive(ClusterRateLimiters node, PermitMessage message) {
            if (message instanceof PermitMessage.PermitRequests requests) {
                node.server().request(requests);
            } else if (message instanceof PermitMessage.PermitDecisions decisions) {
                node.client().decide(decisions);
            } else if (message instanceof PermitMessage.PermitReleases releases) {
                node.server().release(releases);
            }
        }

        /** Requests a permit that is held for at most ten seconds. */
        Future<RatePermit> acquire(String node, long maxWaitMillis) {
            return acquire(node, "key", maxWaitMillis, 10_000);
        }

        Future<RatePermit> acquire(String node, String key, long maxWaitMillis, long endMillis) {
            return limiters.get(node).acquire(key, maxWaitMillis, 0, Deadline.in(endMillis, time::nanos));
        }

        List<Future<RatePermit>> acquire(int count, String node, long maxWaitMillis) {
            return IntStream.range(0, count)
                    .mapToObj(i -> acquire(node, maxWaitMillis))
                    .toList();
        }

        boolean isIdle() {
            return nodes.values().stream().allMatch(ClusterRateLimiters::isIdle);
        }

        double count(String outcome) {
            return meters.get("plumbline.cluster.remote.permits")
                    .tag("outcome", outcome)
                    .counter()
                    .count();
        }
    }

    @Property(tries = 100)
    void limitsHoldOverThreeNodes(
            @ForAll @IntRange(min = 0, max = 4) int perSecond,
            @ForAll @IntRange(min = 0, max = 4) int concurrent,
            @ForAll Random random) {
        Cluster cluster = Cluster.ownedByA(perSecond, concurrent);
        Usage usage = new Usage(cluster, random);
        for (int i = 0; i < 60; i++) {
            usage.acquire(NODES.get(random.nextInt(3)), 100_000);
            cluster.time.advance(random.nextInt(37));
        }
        cluster.time.advance(200_000);

        assertThat(usage.settled).isEqualTo(60);
        assertThat(usage.granted).hasSize(60);
        if (concurrent > 0) {
            assertThat(usage.most).isLessThanOrEqualTo(concurrent);
        }
        usage.assertRate(perSecond);
        assertThat(cluster.isIdle()).isTrue();
        assertThat(cluster.time.isIdle()).isTrue();
    }

    /** The views of the nodes change within 40 ms. Without lost messages, every request is decided. */
    @Property(tries = 100)
    void theRateHoldsWhileOwnersChange(@ForAll @IntRange(min = 1, max = 4) int perSecond, @ForAll Random random) {
        Cluster cluster = Cluster.ownedByA(perSecond, 0);
        Usage usage = new Usage(cluster, random);
        for (int i = 0; i < 80; i++) {
            usage.acquire(NODES.get(random.nextInt(3)), 4_000);
            if (random.nextInt(20) == 0) {
                String owner = NODES.get(random.nextInt(3));
                cluster.nodes
                        .values()
                        .forEach(node ->
                                cluster.time.after(random.nextInt(40), () -> node.onOwnershipChange(key -> owner)));
                cluster.time.advance(40);
            }
            cluster.time.advance(random.nextInt(200));
        }
        cluster.time.advance(200_000);

        assertThat(usage.settled).isEqualTo(80);
        usage.assertRate(perSecond);
        assertThat(cluster.isIdle()).isTrue();
    }

    /** Lost messages reduce the rate, but the limits hold, and all permits are released. */
    @Property(tries = 100)
    void limitsHoldWithLostMessages(
            @ForAll @IntRange(min = 1, max = 4) int perSecond,
            @ForAll @IntRange(min = 1, max = 4) int concurrent,
            @ForAll Random random) {
        Cluster cluster = Cluster.ownedByA(perSecond, concurrent);
        cluster.lost = message -> random.nextInt(4) == 0;
        Usage usage = new Usage(cluster, random);
        for (int i = 0; i < 60; i++) {
            usage.acquire(NODES.get(random.nextInt(3)), 2_000);
            cluster.time.advance(random.nextInt(100));
        }
        cluster.time.advance(20_000);

        assertThat(usage.settled).isEqualTo(60);
        assertThat(usage.most).isLessThanOrEqualTo(concurrent);
        usage.assertRate(perSecond);
        assertThat(cluster.isIdle()).isTrue();
        assertThat(cluster.acquire("a", 0).succeeded()).isTrue();
    }

    /** Acquires permits, holds each for a random time below 400 ms, and records them. */
    private static final class Usage {
        private final Cluster cluster;
        private final Random random;
        private final List<Long> granted = new ArrayList<>();
        private int inside;
        private int most;
        private int settled;

        Usage(Cluster cluster, Random random) {
            this.cluster = cluster;
            this.random = random;
        }

        void acquire(String node, long maxWaitMillis) {
            cluster.acquire(node, "key", maxWaitMillis, maxWaitMillis + 400).onComplete(outcome -> {
                settled++;
                if (outcome.succeeded()) {
                    granted.add(cluster.time.nanos());
                    most = Math.max(most, ++inside);
                    cluster.time.after(random.nextInt(400), () -> {
                        inside--;
                        outcome.result().release();
                    });
                } else {
                    assertThat(outcome.cause()).isInstanceOf(OverloadFailure.class);
                }
            });
        }

        void assertRate(int perSecond) {
            for (int i = perSecond; perSecond > 0 && i < granted.size(); i++) {
                assertThat(granted.get(i) - granted.get(i - perSecond)).isGreaterThanOrEqualTo(SECOND);
            }
        }
    }

    private static long granted(List<Future<RatePermit>> permits) {
        return permits.stream().filter(Future::succeeded).count();
    }

    @Test
    void aSingleBusyNodeGetsAllPermits() {
        Cluster cluster = Cluster.ownedByA(0, 8);

        List<Future<RatePermit>> permits = cluster.acquire(9, "b", 5_000);
        cluster.time.advance(2 * MAX_DELAY_MILLIS);

        assertThat(granted(permits)).isEqualTo(8);
        permits.get(0).result().release();
        cluster.time.advance(2 * MAX_DELAY_MILLIS);
        assertThat(granted(permits)).isEqualTo(9);
        assertThat(cluster.count("granted")).isEqualTo(9);
    }

    @Test
    void requestsOfOneTaskAreSentInOneMessage() {
        Cluster cluster = Cluster.ownedByA(0, 0);

        cluster.acquire(50, "b", 5_000);
        cluster.time.advance(2 * MAX_DELAY_MILLIS);

        assertThat(cluster.messages)
                .extracting(PermitMessage::getClass)
                .satisfiesExactly(
                        first -> assertThat(first).isEqualTo(PermitMessage.PermitRequests.class),
                        second -> assertThat(second).isEqualTo(PermitMessage.PermitDecisions.class));
    }

    @Test
    void permitsOfALostNodeReturnAtOnce() {
        Cluster cluster = Cluster.ownedByA(0, 3);
        List<Future<RatePermit>> lost = cluster.acquire(6, "b", 5_000);
        cluster.time.advance(2 * MAX_DELAY_MILLIS);
        List<Future<RatePermit>> waiting = cluster.acquire(3, "c", 5_000);
        cluster.time.advance(2 * MAX_DELAY_MILLIS);
        assertThat(granted(lost)).isEqualTo(3);
        assertThat(granted(waiting)).isZero();

        cluster.nodes.get("a").server().onNodeLost("b");
        cluster.time.advance(2 * MAX_DELAY_MILLIS);

        assertThat(granted(waiting)).isEqualTo(3);
    }

    @Test
    void permitsExpireAfterTheEndOfTheCheck() {
        Cluster cluster = Cluster.ownedByA(0, 1);
        Future<RatePermit> forgotten = cluster.acquire("b", "key", 0, 2_000);
        cluster.time.advance(2 * MAX_DELAY_MILLIS);
        assertThat(forgotten.succeeded()).isTrue();
        Future<RatePermit> next = cluster.acquire("c", 10_000);

        cluster.time.advance(2_900);
        assertThat(next.isComplete()).isFalse();
        cluster.time.advance(1_200);

        assertThat(next.succeeded()).isTrue();
        assertThat(cluster.count("expired")).isEqualTo(1);
        forgotten.result().release();
        cluster.time.advance(2 * MAX_DELAY_MILLIS);
        assertThat(cluster.acquire("a", 0).failed())
                .as("the permit was not released twice")
                .isTrue();
    }

    @Test
    void aRepeatedIdOrAnInvalidTimeDoesNotHoldAPermitForEver() {
        Cluster cluster = Cluster.ownedByA(0, 2);
        PermitMessage.PermitRequest request =
                new PermitMessage.PermitRequest(1, LimiterKind.ADDRESS, "key", 0, 0, Long.MAX_VALUE);

        cluster.lost = message -> true; // otherwise the holder would release permits that it does not know
        cluster.nodes.get("a").server().request(new PermitMessage.PermitRequests("b", List.of(request, request)));
        cluster.time.advance(2 * MAX_DELAY_MILLIS);

        assertThat(granted(cluster.acquire(2, "a", 0)))
                .as("one of two permits is free")
                .isEqualTo(1);
        cluster.time.advance(TimeUnit.MINUTES.toMillis(11));
        assertThat(granted(cluster.acquire(1, "a", 0)))
                .as("the permit of the request has expired")
                .isEqualTo(1);
    }

    @Test
    void theNextOwnerGrantsAfterTheWindow() {
        Cluster cluster = Cluster.ownedByA(1, 0);
        Future<RatePermit> first = cluster.acquire("b", 5_000);
        cluster.time.advance(2 * MAX_DELAY_MILLIS);
        assertThat(first.succeeded()).isTrue();
        Future<RatePermit> remote = cluster.acquire("b", 5_000);
        cluster.time.advance(100);

        cluster.lost = message -> message instanceof PermitMessage.PermitDecisions decisions
                && decisions.owner().equals("a");
        cluster.own("c");
        Future<RatePermit> own = cluster.acquire("c", 5_000);
        cluster.time.advance(1_040);
        assertThat(remote.isComplete()).isFalse();
        assertThat(own.isComplete()).isFalse();
        cluster.time.advance(20);

        assertThat(List.of(own, remote)).filteredOn(Future::succeeded).hasSize(1);
        cluster.time.advance(1_060);
        assertThat(List.of(own, remote)).allMatch(Future::succeeded);
    }

    @Test
    void aNewOwnerRejectsCallersWithoutTimeToWait() {
        Cluster cluster = Cluster.ownedByA(1, 0);

        cluster.own("b");

        assertThat(cluster.acquire("b", 500).cause()).isInstanceOf(OverloadFailure.class);
    }

    @Test
    void anOwnerKeepsGrantingKeysThatItKeeps() {
        Cluster cluster = Cluster.ownedByA(0, 1);

        cluster.own("a");

        assertThat(cluster.acquire("a", 0).succeeded()).isTrue();
    }

    @Test
    void aNodeWithAnOldViewIsSentToTheOwnerWhenItsViewChanges() {
        Cluster cluster = Cluster.ownedByA(0, 1);
        cluster.nodes.get("a").onOwnershipChange(key -> "c");
        cluster.nodes.get("c").onOwnershipChange(key -> "c");

        Future<RatePermit> permit = cluster.acquire("b", 5_000);
        cluster.time.advance(500);
        assertThat(permit.isComplete()).isFalse();
        cluster.nodes.get("b").onOwnershipChange(key -> "c");
        cluster.time.advance(800);

        assertThat(permit.succeeded()).isTrue();
        assertThat(cluster.acquire("c", 0).failed()).isTrue();
    }

    @Test
    void nodesThatDisagreeAboutTheOwnerEndAsOverload() {
        Cluster cluster = Cluster.ownedByA(0, 1);
        cluster.nodes.get("a").onOwnershipChange(key -> "c");

        Future<RatePermit> permit = cluster.acquire("b", 1_000);
        cluster.time.advance(1_300);

        assertThat(permit.cause()).isInstanceOf(OverloadFailure.class);
        assertThat(cluster.isIdle()).isTrue();
    }

    @Test
    void aLostMessageEndsAsOverload() {
        Cluster cluster = Cluster.ownedByA(0, 1);
        for (Class<?> type : List.of(PermitMessage.PermitRequests.class, PermitMessage.PermitDecisions.class)) {
            cluster.lost = type::isInstance;
            Future<RatePermit> permit = cluster.acquire("b", 1_000);
            cluster.time.advance(999);
            assertThat(permit.isComplete()).isFalse();
            cluster.time.advance(1);
            assertThat(permit.cause()).isInstanceOf(OverloadFailure.class);

            cluster.time.advance(MAX_DELAY_MILLIS);
            assertThat(cluster.nodes.get("a").isIdle())
                    .as("no permit is held after a lost " + type)
                    .isTrue();
        }
        assertThat(cluster.count("rejected")).isEqualTo(2);
    }

    @Test
    void aFullQueueIsRejectedWithTheTimeToRetry() {
        Cluster cluster = Cluster.ownedByA(1, 0);
        cluster.acquire("b", 0);
        cluster.time.advance(200);

        Future<RatePermit> rejected = cluster.acquire("b", 500);
        cluster.time.advance(2 * MAX_DELAY_MILLIS);

        assertThat(rejected.cause()).isInstanceOfSatisfying(OverloadFailure.class, busy -> assertThat(busy.retryAfter())
                .hasSeconds(1));
    }

    @Test
    void withoutAnOwnerEachNodeLimitsItself() {
        Cluster cluster = new Cluster(0, 1);
        cluster.nodes.get("b").onOwnershipChange(key -> null);
        cluster.time.advance(PermitOwnership.WINDOW.toMillis());

        assertThat(cluster.acquire("b", 0).succeeded()).isTrue();
        assertThat(cluster.acquire("b", 0).failed()).isTrue();
    }
}
