package dev.plumbline.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.hazelcast.core.Hazelcast;
import com.hazelcast.core.HazelcastInstance;
import com.hazelcast.multimap.MultiMap;
import dev.plumbline.bus.Message;
import dev.plumbline.bus.MessageBus;
import dev.plumbline.config.NodeRole;
import dev.plumbline.support.Await;
import dev.plumbline.support.TestDatabase;
import io.vertx.core.Future;
import io.vertx.sqlclient.Tuple;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

@Tag("integration")
class ClusterTest {
    @RegisterExtension
    static final TestDatabase DATABASE = new TestDatabase();

    private static void serve(TestCluster.Node node) {
        Await.value(node.bus()
                .serveNode(
                        node.name(),
                        Message.ChargeQuota.class,
                        request -> Future.succeededFuture(
                                new Message.RefundQuota(node.name(), request.key(), request.cost(), 7))));
    }

    private static Message.RefundQuota ask(TestCluster.Node from, TestCluster.Node to) {
        return Await.value(from.bus()
                .requestNode(to.name(), new Message.ChargeQuota("p", "k", 3), Message.RefundQuota.class, 5_000));
    }

    @Test
    void nodesFindEachOtherThroughTheDatabaseAndNoticeChanges() {
        try (TestCluster nodes = new TestCluster(DATABASE.url())) {
            TestCluster.Node web = nodes.start(NodeRole.HTTP);
            TestCluster.Node first = nodes.start(NodeRole.RUN, NodeRole.COORDINATE);
            TestCluster.Node second = nodes.start(NodeRole.RUN);
            serve(first);
            serve(second);
            Queue<String> lost = new ConcurrentLinkedQueue<>();
            web.cluster().onLost(lost::add);

            nodes.awaitRunNodes(2);

            assertThat(web.cluster().view().count(NodeRole.COORDINATE)).isEqualTo(1);
            assertThat(web.cluster().view().ring().nodes()).containsExactlyInAnyOrder(first.name(), second.name());
            assertThat(web.cluster().members()).isEqualTo(3);
            assertThat(web.registered())
                    .extracting(NodeRecord::name)
                    .containsExactlyInAnyOrderElementsOf(nodes.names());
            assertThat(ask(web, second)).isEqualTo(new Message.RefundQuota(second.name(), "k", 3, 7));
            assertThat(ask(second, first).policy()).isEqualTo(first.name());

            nodes.remove(second);
            second.crash();
            nodes.awaitRunNodes(1);

            assertThat(web.cluster().view().ring().nodes()).containsExactly(first.name());
            Await.until(() -> lost.contains(second.name()));
            assertThat(ask(web, first).policy()).isEqualTo(first.name());

            Await.value(first.cluster().lease().leave());
            nodes.awaitRunNodes(0);
            // a leaving node still receives the requests that were sent before
            assertThat(ask(web, first).policy()).isEqualTo(first.name());
        }
    }

    @Test
    void nodesJoinAtIpv6Addresses() throws Exception {
        InetAddress loopback = InetAddress.getByName("::1");
        assumeTrue(NetworkInterface.getByInetAddress(loopback) != null, "no IPv6");
        try (TestCluster nodes = new TestCluster(DATABASE.url())) {
            TestCluster.Node web = nodes.startAt(loopback.getHostAddress(), NodeRole.HTTP);
            TestCluster.Node worker = nodes.startAt(loopback.getHostAddress(), NodeRole.RUN);
            serve(worker);

            nodes.awaitRunNodes(1);

            assertThat(web.cluster().members()).isEqualTo(2);
            assertThat(web.cluster().view().ring().nodes()).containsExactly(worker.name());
            assertThat(ask(web, worker).policy()).isEqualTo(worker.name());
        }
    }

    @Test
    void nodesReceiveMessagesAgainAfterAnotherNodeRemovedTheirConsumers() {
        try (TestCluster nodes = new TestCluster(DATABASE.url())) {
            TestCluster.Node first = nodes.start(NodeRole.RUN);
            TestCluster.Node second = nodes.start(NodeRole.RUN);
            serve(second);
            assertThat(ask(first, second).policy()).isEqualTo(second.name());

            HazelcastInstance member = Hazelcast.getAllHazelcastInstances().stream()
                    .filter(instance -> first.name()
                            .endsWith(":"
                                    + instance.getCluster()
                                            .getLocalMember()
                                            .getAddress()
                                            .getPort()))
                    .findFirst()
                    .orElseThrow();
            Await.until(() -> {
                removeConsumers(member);
                return !replies(first, second);
            });

            Await.until(() -> replies(first, second));
        }
    }

    /** As a node that was suspended, has joined again, and then handles the loss of all other members. */
    private static void removeConsumers(HazelcastInstance member) {
        MultiMap<Object, Object> consumers = member.getMultiMap("__vertx.subs");
        consumers.entrySet().forEach(consumer -> consumers.remove(consumer.getKey(), consumer.getValue()));
        member.getMap("__vertx.nodeInfo").clear();
    }

    private static boolean replies(TestCluster.Node from, TestCluster.Node to) {
        return Await.value(from.bus()
                .requestNode(to.name(), new Message.ChargeQuota("p", "k", 3), Message.RefundQuota.class, 1_000)
                .map(reply -> true)
                .otherwise(false));
    }

    @Test
    void nodesIgnoreMalformedNodes() {
        try (TestCluster nodes = new TestCluster(DATABASE.url())) {
            Await.value(DATABASE.open()
                    .query(
                            """
                            insert into node (lease_expires_at, name, roles, version, generation, endpoints)
                            select clock_timestamp() + interval '1 minute', name, '{run}', 'test', 1, endpoints::jsonb
                            from (values ('127.0.0.1:1', '{}'), ('127.0.0.1:2', '[1, null, {}]'), ('127.0.0.1', '[]'),
                              ('127.0.0.1:port', '[]'), ('127.0.0.1:-1', '[{"address": "?", "port": -1}]'))
                              as malformed (name, endpoints)""",
                            Tuple.tuple()));

            TestCluster.Node first = nodes.start(NodeRole.HTTP);
            TestCluster.Node second = nodes.start(NodeRole.RUN);
            nodes.awaitRunNodes(1);

            assertThat(first.cluster().members()).isEqualTo(2);
            assertThat(first.cluster().view().ring().nodes()).containsExactly(second.name());
        } finally {
            Await.value(DATABASE.open().query("delete from node where version = 'test'", Tuple.tuple()));
        }
    }

    @Test
    void nodesOfAnotherGenerationFormASeparateCluster() {
        try (TestCluster nodes = new TestCluster(DATABASE.url())) {
            TestCluster.Node old = nodes.start(NodeRole.HTTP, NodeRole.RUN);
            TestCluster.Node next = nodes.start(MessageBus.GENERATION + 1, null, NodeRole.HTTP, NodeRole.RUN);

            nodes.awaitRunNodes(1);

            assertThat(old.cluster().view().ring().nodes()).containsExactly(old.name());
            assertThat(next.cluster().view().ring().nodes()).containsExactly(next.name());
            Await.until(() -> old.registered().size() == 2);
            assertThat(List.of(old.cluster().split(), next.cluster().split())).containsOnly(false);
        }
    }

    @Test
    void nodesWithAnotherSessionSecretFormASeparateCluster() {
        try (TestCluster nodes = new TestCluster(DATABASE.url())) {
            TestCluster.Node first = nodes.start(NodeRole.HTTP, NodeRole.RUN);
            TestCluster.Node other =
                    nodes.startWithSecret("another secret with 32 characters", NodeRole.HTTP, NodeRole.RUN);

            nodes.awaitRunNodes(1);

            Await.until(() -> first.registered().size() == 2);
            assertThat(first.cluster().members()).isEqualTo(1);
            assertThat(other.cluster().members()).isEqualTo(1);
            assertThat(first.cluster().view().ring().nodes()).containsExactly(first.name());
            assertThat(other.cluster().view().ring().nodes()).containsExactly(other.name());
        }
    }

    /** A process that knows the names of the program and the generation, but not the secret. */
    @Test
    void clusterNameDependsOnTheSecretAndTheGeneration() {
        String name = HazelcastBus.clusterName(2, "the secret of the nodes in these tests");

        assertThat(name)
                .matches("plumbline-2-[0-9a-f]{64}")
                .isEqualTo(HazelcastBus.clusterName(2, "the secret of the nodes in these tests"))
                .isNotEqualTo(HazelcastBus.clusterName(3, "the secret of the nodes in these tests"))
                .isNotEqualTo(HazelcastBus.clusterName(2, "another secret of the nodes in these tests"));
    }
}
