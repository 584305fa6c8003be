package dev.plumbline.quota;

import static dev.plumbline.support.TestDatabase.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.plumbline.bus.Message.ChargeQuota;
import dev.plumbline.bus.Message.Denied;
import dev.plumbline.bus.Message.Granted;
import dev.plumbline.bus.Message.QuotaReply;
import dev.plumbline.bus.Message.QuotaUnavailable;
import dev.plumbline.bus.Message.RefundQuota;
import dev.plumbline.postgres.Database;
import dev.plumbline.support.TestDatabase;
import io.vertx.core.Future;
import io.vertx.sqlclient.Tuple;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

@Tag("integration")
class SlidingWindowQuotasTest {
    @RegisterExtension
    static final TestDatabase DATABASE = new TestDatabase();

    private static final Map<String, QuotaPolicy> POLICIES = Map.of(
            "fresh", new QuotaPolicy(30, Duration.ofHours(1)),
            "other", new QuotaPolicy(2, Duration.ofHours(1)),
            "none", new QuotaPolicy(0, Duration.ofHours(1)));

    private static Database database;
    private static SlidingWindowQuotas windows;
    private final String key = UUID.randomUUID().toString();

    @BeforeAll
    static void open() {
        database = DATABASE.open();
        windows = node();
    }

    private static SlidingWindowQuotas node() {
        return new SlidingWindowQuotas(DATABASE.vertx(), DATABASE.open(), POLICIES);
    }

    private static List<QuotaReply> all(List<Future<QuotaReply>> charges) {
        return charges.stream().map(TestDatabase::await).toList();
    }

    private ChargeQuota charge(int cost) {
        return new ChargeQuota("fresh", key, cost);
    }

    @Test
    void concurrentChargesOnSeveralNodesAreLimitedExactly() {
        List<SlidingWindowQuotas> nodes = List.of(windows, node(), node());
        List<Future<QuotaReply>> charges = new ArrayList<>();
        for (int i = 0; i < 150; i++) {
            charges.add(nodes.get(i % nodes.size()).charge(charge(1)));
        }
        List<QuotaReply> replies = all(charges);
        assertThat(replies).filteredOn(Granted.class::isInstance).hasSize(30);
        assertThat(replies).filteredOn(Denied.class::isInstance).hasSize(120).allSatisfy(denied -> {
            assertThat(((Denied) denied).remaining()).isZero();
            assertThat(((Denied) denied).retryAfterSeconds()).isBetween(3590, 3600);
        });
    }

    @Test
    void chargesOfAKeyAreExecutedInOrder() {
        List<Future<QuotaReply>> charges = new ArrayList<>();
        for (int i = 0; i < 40; i++) {
            charges.add(windows.charge(charge(1)));
        }
        List<QuotaReply> replies = all(charges);
        for (int i = 0; i < 30; i++) {
            assertThat(replies.get(i)).isInstanceOf(Granted.class);
            assertThat(((Granted) replies.get(i)).remaining()).isEqualTo(29 - i);
        }
        assertThat(replies.subList(30, 40)).allMatch(Denied.class::isInstance);
    }

    @Test
    void keysAndPoliciesAreIndependent() {
        ChargeQuota other = new ChargeQuota("other", key, 2);
        assertThat(await(windows.charge(other))).isInstanceOf(Granted.class);
        assertThat(await(windows.charge(other))).isInstanceOf(Denied.class);
        assertThat(await(windows.charge(charge(30)))).isInstanceOf(Granted.class);
        assertThat(await(windows.charge(new ChargeQuota("fresh", key + "2", 1))))
                .isInstanceOf(Granted.class);
    }

    @Test
    void aSmallerChargeIsGrantedAfterADenial() {
        assertThat(await(windows.charge(charge(29)))).isInstanceOf(Granted.class);
        assertThat(await(windows.charge(charge(2)))).isEqualTo(new Denied(30, 1, 3600));
        assertThat(await(windows.charge(charge(1)))).isInstanceOf(Granted.class);
    }

    @Test
    void aCostAboveTheLimitIsDenied() {
        assertThat(await(windows.charge(charge(31)))).isEqualTo(new Denied(30, 30, 3600));
        assertThat(await(windows.charge(charge(30)))).isInstanceOf(Granted.class);
    }

    @Test
    void refundsRemoveCharges() {
        Granted first = (Granted) await(windows.charge(charge(2)));
        await(windows.charge(charge(28)));
        assertThat(await(windows.charge(charge(2)))).isInstanceOf(Denied.class);
        await(windows.refund(new RefundQuota("fresh", key, 2, first.chargedAtMicros())));
        assertThat(await(windows.charge(charge(2)))).isInstanceOf(Granted.class);
        assertThat(await(windows.charge(charge(1)))).isInstanceOf(Denied.class);
    }

    @Test
    void aRefundIsIdempotent() {
        Granted first = (Granted) await(windows.charge(charge(1)));
        await(windows.charge(charge(29)));
        RefundQuota refund = new RefundQuota("fresh", key, 1, first.chargedAtMicros());
        await(windows.refund(refund));
        await(windows.refund(refund));
        assertThat(await(windows.charge(charge(1)))).isInstanceOf(Granted.class);
        assertThat(await(windows.charge(charge(1)))).isInstanceOf(Denied.class);
    }

    @Test
    void refundsOfUnknownChargesAreIgnored() {
        await(windows.charge(charge(30)));
        await(windows.refund(new RefundQuota("fresh", key, 1, 12345)));
        await(windows.refund(new RefundQuota("fresh", "nobody", 1, 12345)));
        assertThat(await(windows.charge(charge(1)))).isInstanceOf(Denied.class);
    }

    @Test
    void denialsAreCachedUntilTheRetryTime() {
        AtomicLong nanos = new AtomicLong();
        Database own = DATABASE.open();
        SlidingWindowQuotas node = new SlidingWindowQuotas(DATABASE.vertx(), own, POLICIES, nanos::get);
        await(node.charge(charge(30)));
        assertThat(await(node.charge(charge(1)))).isInstanceOf(Denied.class);
        await(own.close());

        nanos.set(Duration.ofMinutes(30).toNanos());
        Denied denied = (Denied) await(node.charge(charge(1)));
        assertThat(denied.retryAfterSeconds()).isBetween(1790, 1800);
        nanos.set(Duration.ofMinutes(60).toNanos());
        assertThat(await(node.charge(charge(1)))).isEqualTo(new QuotaUnavailable(false));
    }

    @Test
    void aDisabledQuotaNeedsNoDatabase() {
        Database closed = DATABASE.open();
        await(closed.close());
        SlidingWindowQuotas node = new SlidingWindowQuotas(DATABASE.vertx(), closed, POLICIES);
        Granted granted = (Granted) await(node.charge(new ChargeQuota("none", key, 1)));
        assertThat(granted.limit()).isZero();
        await(node.refund(new RefundQuota("none", key, 1, granted.chargedAtMicros())));
        assertThat(await(node.charge(charge(1)))).isEqualTo(new QuotaUnavailable(false));
    }

    @Test
    void aCostOfZeroChargesNothing() {
        Granted untouched = (Granted) await(windows.charge(charge(0)));
        await(windows.charge(charge(29)));
        Granted one = (Granted) await(windows.charge(charge(0)));
        await(windows.charge(charge(1)));
        Granted none = (Granted) await(windows.charge(charge(0)));

        assertThat(List.of(untouched.remaining(), one.remaining(), none.remaining()))
                .containsExactly(30, 1, 0);
        assertThat(none.resetSeconds()).isBetween(3590, 3600);
        assertThat(await(windows.charge(charge(1)))).isInstanceOf(Denied.class);
    }

    @Test
    void unknownPoliciesAreRejected() {
        assertThatThrownBy(() -> await(windows.charge(new ChargeQuota("unknownPolicy", key, 1))))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void expiredWindowsAreDeleted() {
        await(windows.charge(charge(1)));
        String old = key + "-old";
        await(database.query(
                "insert into quota_window values ('fresh', $1, '{1}', now() - interval '1 second')", Tuple.of(old)));
        assertThat(await(QuotaStore.purgeExpired(database, 100))).isEqualTo(1);
        assertThat(count(old)).isZero();
        assertThat(count(key)).isOne();
    }

    private static long count(String key) {
        return await(database.query("select count(*) from quota_window where key = $1", Tuple.of(key)))
                .iterator()
                .next()
                .getLong(0);
    }

    @Test
    void batchesInOppositeOrdersDoNotDeadlock() {
        SlidingWindowQuotas other = node();
        List<Future<QuotaReply>> charges = new ArrayList<>();
        for (int round = 0; round < 20; round++) {
            for (int i = 0; i < 50; i++) {
                charges.add(windows.charge(new ChargeQuota("fresh", key + i, 1)));
                charges.add(other.charge(new ChargeQuota("fresh", key + (49 - i), 1)));
            }
        }
        List<QuotaReply> replies = all(charges);
        assertThat(replies).filteredOn(Granted.class::isInstance).hasSize(50 * 30);
    }
}
