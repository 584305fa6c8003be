package dev.plumbline.instant;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.bus.LocalCheckRouter;
import dev.plumbline.bus.Message;
import dev.plumbline.bus.MessageBus;
import dev.plumbline.check.ModuleCatalogue;
import dev.plumbline.result.store.MemoryResultCache;
import dev.plumbline.result.store.ResultCache;
import dev.plumbline.result.store.ResultStore;
import dev.plumbline.support.Await;
import dev.plumbline.support.TestDatabase;
import dev.plumbline.support.TestPolicies;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.time.Clock;
import java.time.Duration;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Charges of checks that end without a result. */
@Tag("integration")
class InstantChecksTest {
    @RegisterExtension
    static final TestDatabase DATABASE = new TestDatabase();

    private final Vertx vertx = Vertx.vertx();
    private final MessageBus bus = MessageBus.of(vertx);
    private final AtomicInteger charges = new AtomicInteger();

    @AfterEach
    void close() {
        Await.value(vertx.close());
    }

    private InstantOutcome check(Message.RunReply reply) {
        Await.value(Future.all(
                bus.serve(Message.RunCheck.class, check -> Future.succeededFuture(reply)),
                bus.serve(Message.ChargeQuota.class, charge -> {
                    charges.addAndGet(charge.cost());
                    return Future.succeededFuture(new Message.Granted(30, 29, 3_600, 1));
                }),
                bus.serve(Message.RefundQuota.class, refund -> {
                    charges.addAndGet(-refund.cost());
                    return Future.succeededFuture(new Message.QuotaRefunded(refund.policy(), refund.key()));
                })));
        InstantChecks checks = new InstantChecks(
                vertx,
                ModuleCatalogue.load(),
                TestPolicies.open(),
                new ResultCache(
                        new MemoryResultCache(Clock.systemUTC(), 1 << 20),
                        new ResultStore(vertx, DATABASE.open()),
                        Duration.ofMinutes(10)),
                bus,
                new LocalCheckRouter(bus, 1),
                true,
                new SimpleMeterRegistry());
        return Await.value(checks.check(new InstantRequest(
                "caa", UUID.randomUUID() + ".test", Map.of(), InstantRequest.QuotaKey.client("a"), "test", false)));
    }

    @Test
    void aCheckThatContactedItsTargetIsCharged() {
        InstantOutcome outcome = check(new Message.Refused(Message.Refused.Reason.CPU));

        assertThat(outcome)
                .isEqualTo(new InstantOutcome.Overloaded(
                        "Your checks in progress need more memory than one client can use, or the service had too"
                                + " little memory or CPU time to complete the check. Send fewer checks at the same"
                                + " time.",
                        5));
        assertThat(charges).hasValue(1);
    }

    @Test
    void aCheckThatDidNotRunIsNotCharged() {
        InstantOutcome outcome = check(new Message.Overloaded(7));

        assertThat(outcome)
                .isEqualTo(new InstantOutcome.Overloaded(
                        "Too many checks are in progress on this service. The request does not count against your quota.",
                        7));
        Await.until(() -> charges.get() == 0);
    }
}
