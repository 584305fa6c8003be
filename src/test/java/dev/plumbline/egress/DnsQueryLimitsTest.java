package dev.plumbline.egress;

import static dev.plumbline.egress.DnsQueryLimits.MAX_PER_DOMAIN;
import static dev.plumbline.egress.DnsQueryLimits.MAX_QUERIES;
import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.check.CheckContext;
import dev.plumbline.check.CheckFailure;
import dev.plumbline.check.OverloadFailure;
import dev.plumbline.dns.DnsQueryPermits;
import dev.plumbline.result.ErrorCode;
import dev.plumbline.result.TargetLimit;
import dev.plumbline.support.Await;
import dev.plumbline.support.TestCheckContext;
import dev.plumbline.target.Host;
import dev.plumbline.target.IpAddressText;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.IntFunction;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.xbill.DNS.Name;
import org.xbill.DNS.TextParseException;

class DnsQueryLimitsTest {
    private static final Vertx VERTX = Vertx.vertx();
    private static final int PER_SECOND = 20;

    private final DnsQueryLimits limits = new DnsQueryLimits(VERTX, 0);

    @AfterAll
    static void stop() {
        Await.value(VERTX.close());
    }

    private static CheckContext context() {
        return TestCheckContext.create().withTarget(new Host("www.own.test", null));
    }

    /** The number of permits until the first rejection. */
    private static int acquired(DnsQueryPermits permits, IntFunction<String> name) {
        for (int i = 0; i < 2 * MAX_QUERIES; i++) {
            Future<Void> permit = permits.acquire(name.apply(i));
            if (permit.failed()) {
                assertThat(CheckFailure.hasCode(permit.cause(), ErrorCode.REQUEST_LIMIT))
                        .isTrue();
                return i;
            }
        }
        return Integer.MAX_VALUE;
    }

    @Test
    void limitsTheQueriesForOneDomainOfOthers() {
        DnsQueryPermits permits = limits.permits(context());

        assertThat(acquired(permits, i -> "_x." + i + ".victim.test")).isEqualTo(MAX_PER_DOMAIN);
        assertThat(permits.acquire("mx.provider.test").succeeded()).isTrue();
        assertThat(permits.acquire("own.test").succeeded()).isTrue();
        assertThat(Await.failure(permits.acquire("victim.test")))
                .hasMessage("The check exceeded its limit of 87 DNS queries for names below victim.test.");
    }

    @Test
    void limitsTheQueriesOfACheck() {
        assertThat(acquired(limits.permits(context()), i -> i + ".own.test")).isEqualTo(MAX_QUERIES);
        assertThat(acquired(limits.permits(context()), i -> "www." + i + ".test"))
                .isEqualTo(MAX_QUERIES);
        assertThat(acquired(limits.permitsOfOperator(context()), i -> i + ".dnsbl.test"))
                .isEqualTo(MAX_QUERIES);
    }

    /** The resolver follows the aliases before the check knows them. */
    @Test
    void endsTheCheckWhenItsAliasesLeadToOneDomain() throws TextParseException {
        DnsQueryPermits permits = limits.permits(context());
        List<Name> alias = List.of(Name.fromString("x.victim.test."));

        int sent = acquired(permits, i -> {
            permits.countAliases(i == 0 ? List.of() : alias);
            return i + ".own.test";
        });

        assertThat(sent).isEqualTo(MAX_PER_DOMAIN + 1);
    }

    @Test
    void endsTheCheckWhenItsQueriesFail() {
        DnsQueryPermits permits = limits.permits(context());

        assertThat(acquired(permits, i -> {
                    permits.countFailure();
                    return i + ".own.test";
                }))
                .isEqualTo(MAX_PER_DOMAIN);
    }

    @Test
    void theReverseNamesOfAnAddressAreItsOwn() {
        CheckContext address =
                TestCheckContext.create().withTarget(new Host("192.0.2.7", IpAddressText.parse("192.0.2.7")));

        assertThat(acquired(limits.permits(address), i -> "7.2.0.192.in-addr.arpa"))
                .isEqualTo(MAX_QUERIES);
        assertThat(acquired(limits.permits(address), i -> "7.3.0.192.in-addr.arpa"))
                .isZero();
    }

    @Test
    void limitsTheRateForOneDomainOfOthersOverAllChecks() {
        DnsQueryLimits limited = new DnsQueryLimits(VERTX, PER_SECOND);
        long start = System.nanoTime();
        List<Future<Void>> permits = new ArrayList<>();
        for (int check = 0; check < 3; check++) {
            DnsQueryPermits one = limited.permits(context());
            for (int i = 0; i < PER_SECOND; i++) {
                permits.add(one.acquire(i + ".victim.test"));
            }
        }

        assertThat(permits.stream().filter(Future::isComplete).count()).isEqualTo(PER_SECOND);
        assertThat(limited.permits(context()).acquire("x.other.test").succeeded())
                .isTrue();
        assertThat(acquired(limited.permits(context()), i -> i + ".own.test")).isEqualTo(MAX_QUERIES);
        assertThat(acquired(limited.permitsOfOperator(context()), i -> i + ".victim.test"))
                .isEqualTo(MAX_QUERIES);
        permits.forEach(Await::value);
        assertThat(TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start)).isBetween(1_900L, 20_000L);
    }

    @Test
    void aWaitThatWouldBeTooLongIsAnOverload() {
        DnsQueryLimits limited = new DnsQueryLimits(VERTX, 1);
        DnsQueryPermits permits =
                limited.permits(TestCheckContext.create().maxWait(500).withTarget(new Host("own.test", null)));

        assertThat(permits.acquire("a.victim.test").succeeded()).isTrue();
        assertThat(Await.failure(permits.acquire("b.victim.test")))
                .isInstanceOfSatisfying(OverloadFailure.class, overload -> assertThat(overload.limit())
                        .isEqualTo(new TargetLimit(
                                "victim.test", "1 DNS query per second", "targets.dns_per_domain_per_second", 1)));
    }
}
