package dev.plumbline.quota;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.bus.Message.ChargeQuota;
import dev.plumbline.bus.Message.Denied;
import dev.plumbline.bus.Message.Done;
import dev.plumbline.bus.Message.Granted;
import dev.plumbline.bus.Message.QuotaReply;
import dev.plumbline.bus.Message.RefundQuota;
import dev.plumbline.bus.MessageBus;
import dev.plumbline.cluster.TestCluster;
import dev.plumbline.config.NodeRole;
import dev.plumbline.support.Await;
import dev.plumbline.support.TestDatabase;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A refund on one node removes the denials that other nodes have cached. */
@Tag("integration")
class QuotaRefundTest {
    @RegisterExtension
    static final TestDatabase DATABASE = new TestDatabase();

    private static final Map<String, QuotaPolicy> POLICIES = Map.of("fresh", new QuotaPolicy(1, Duration.ofHours(1)));
    private static final long TIMEOUT_MS = 20_000;

    @Test
    void aRefundOnAnotherNodeEndsARememberedDenial() {
        try (TestCluster cluster = new TestCluster(DATABASE.url())) {
            MessageBus first = node(cluster);
            MessageBus second = node(cluster);
            cluster.awaitRunNodes(2);
            Granted granted = (Granted) charge(first);
            assertThat(charge(second)).isInstanceOf(Denied.class);

            Await.value(
                    first.request(new RefundQuota("fresh", "a", 1, granted.chargedAtMicros()), Done.class, TIMEOUT_MS));

            Await.until(() -> charge(second) instanceof Granted);
        }
    }

    private static MessageBus node(TestCluster cluster) {
        TestCluster.Node node = cluster.start(NodeRole.HTTP, NodeRole.RUN);
        Await.value(node.vertx()
                .deployVerticle(new RateLimitVerticle(
                        node.bus(), new SlidingWindowQuotas(node.vertx(), DATABASE.open(), POLICIES))));
        return node.bus();
    }

    private static QuotaReply charge(MessageBus node) {
        return Await.value(node.request(new ChargeQuota("fresh", "a", 1), QuotaReply.class, TIMEOUT_MS));
    }
}
