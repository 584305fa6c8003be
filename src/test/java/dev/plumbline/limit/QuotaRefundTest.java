package dev.plumbline.limit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.bus.BusAddresses;
import dev.plumbline.bus.Message.ChargeQuota;
import dev.plumbline.bus.Message.Denied;
import dev.plumbline.bus.Message.Done;
import dev.plumbline.bus.Message.Granted;
import dev.plumbline.bus.Message.QuotaRefunded;
import dev.plumbline.bus.Message.QuotaReply;
import dev.plumbline.bus.Message.RefundQuota;
import dev.plumbline.bus.MessageBus;
import dev.plumbline.support.Await;
import dev.plumbline.support.TestDatabase;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A refund on one node ends the denials that other nodes remember. */
@Tag("integration")
class QuotaRefundTest {
    @RegisterExtension
    static final TestDatabase DATABASE = new TestDatabase();

    private static final Map<String, QuotaPolicy> POLICIES = Map.of("fresh", new QuotaPolicy(1, Duration.ofHours(1)));
    private static final long TIMEOUT_MS = 20_000;

    private final Vertx vertx = Vertx.vertx();
    private final MessageBus bus = MessageBus.of(vertx);

    @BeforeEach
    void deploy() {
        Await.value(
                vertx.deployVerticle(new RateLimitVerticle(bus, new SlidingWindows(vertx, DATABASE.open(), POLICIES))));
    }

    @AfterEach
    void close() {
        Await.value(vertx.close());
    }

    @Test
    void aNotificationOfAnotherNodeEndsARememberedDenial() {
        SlidingWindows other = new SlidingWindows(DATABASE.vertx(), DATABASE.open(), POLICIES);
        Granted granted = (Granted) Await.value(other.charge(new ChargeQuota("fresh", "a", 1)));
        assertThat(charge("a")).isInstanceOf(Denied.class);
        Await.value(other.refund(new RefundQuota("fresh", "a", 1, granted.chargedAtMicros())));
        // the other node is not connected to this bus
        assertThat(charge("a")).isInstanceOf(Denied.class);

        bus.publish(BusAddresses.QUOTA_REFUNDED, new QuotaRefunded("fresh", "a"));

        Await.until(() -> charge("a") instanceof Granted);
    }

    @Test
    void aRefundIsPublishedToAllNodes() {
        List<QuotaRefunded> published = new CopyOnWriteArrayList<>();
        bus.subscribe(BusAddresses.QUOTA_REFUNDED, QuotaRefunded.class, published::add);
        Granted granted = (Granted) charge("b");

        Await.value(bus.request(
                BusAddresses.QUOTA_REFUND,
                new RefundQuota("fresh", "b", 1, granted.chargedAtMicros()),
                Done.class,
                TIMEOUT_MS));

        Await.until(() -> published.equals(List.of(new QuotaRefunded("fresh", "b"))));
        assertThat(charge("b")).isInstanceOf(Granted.class);
    }

    private QuotaReply charge(String key) {
        return Await.value(
                bus.request(BusAddresses.QUOTA_CHARGE, new ChargeQuota("fresh", key, 1), QuotaReply.class, TIMEOUT_MS));
    }
}
