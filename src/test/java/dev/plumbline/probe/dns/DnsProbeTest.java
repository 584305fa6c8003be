package dev.plumbline.probe.dns;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.budget.MemoryBudget;
import dev.plumbline.budget.MemoryHolder;
import dev.plumbline.check.CheckContext;
import dev.plumbline.check.CheckFailure;
import dev.plumbline.check.Deadline;
import dev.plumbline.config.Config;
import dev.plumbline.dns.DnsQueryLimiter;
import dev.plumbline.dns.DnsResolver;
import dev.plumbline.dns.DnsResponse;
import dev.plumbline.dns.LimitedResolver;
import dev.plumbline.egress.DnsQueryLimits;
import dev.plumbline.lab.DnsFaults;
import dev.plumbline.lab.DnsLab;
import dev.plumbline.result.ErrorCode;
import dev.plumbline.sheet.ModuleDescription;
import dev.plumbline.sheet.OptionDescription;
import dev.plumbline.support.Await;
import dev.plumbline.support.ModuleDescriptionBuilder;
import dev.plumbline.support.TestCheckContext;
import dev.plumbline.target.InputType;
import dev.plumbline.target.TargetPolicy;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.xbill.DNS.Message;
import org.xbill.DNS.Name;
import org.xbill.DNS.Rcode;
import org.xbill.DNS.Type;

class DnsProbeTest {
    private static final TargetPolicy POLICY = new TargetPolicy(
            new TargetPolicy.Rules(List.of(), List.of(), List.of("corp.example"), List.of("*")),
            (address, port) -> false);
    private static final ModuleDescription MODULE = ModuleDescriptionBuilder.of("any", "Any", InputType.DOMAIN)
            .resolvers("other", "third")
            .build();

    private final AtomicLong now = new AtomicLong();
    private Vertx vertx;
    private DnsLab lab;
    private DnsLab otherLab;
    private DnsProbe probe;

    @BeforeEach
    void start() {
        vertx = Vertx.vertx();
        lab = DnsLab.start();
        otherLab = DnsLab.start();
        probe = new DnsProbe(
                vertx, resolver(lab), Map.of("other", resolver(otherLab)), POLICY, new DnsQueryLimits(vertx, 0));
    }

    @AfterEach
    void stop() {
        Await.value(vertx.close());
        lab.close();
        otherLab.close();
    }

    private DnsResolver resolver(DnsLab server) {
        Config.DnsSettings settings =
                new Config.DnsSettings(List.of(server.address()), List.of(), Duration.ofSeconds(1), 1000);
        return new DnsResolver(vertx, settings, POLICY, now::get);
    }

    private Future<DnsResponse> query(String name, int type) {
        return probe.query(TestCheckContext.create(), name, type);
    }

    private static void assertHidden(Future<?> future, String... secrets) {
        assertThat(Await.failure(future)).isInstanceOfSatisfying(CheckFailure.class, failure -> {
            assertThat(failure.error().code()).isEqualTo(ErrorCode.TARGET_BLOCKED);
            assertThat(failure.error().message()).doesNotContain(secrets);
        });
    }

    @Test
    void queriesTheSelectedResolver() {
        lab.address("a.test", "1.1.1.1");
        otherLab.address("a.test", "1.1.1.2");
        CheckContext other = TestCheckContext.of(MODULE, Map.of("resolver", "other"));

        assertThat(Await.value(probe.query(other, "a.test", Type.A)).records().toString())
                .contains("1.1.1.2");
        assertThat(Await.value(query("a.test", Type.A)).records().toString()).contains("1.1.1.1");
        assertThat(MODULE.option("resolver"))
                .extracting(OptionDescription::values)
                .isEqualTo(List.of("default", "other", "third"));
    }

    @Test
    void limitsTheAgeOfCachedResponses() {
        lab.address("a.test", "1.1.1.1");
        for (int i = 0; i < 3; i++) {
            Await.value(query("a.test", Type.A));
        }
        assertThat(lab.queries("a.test")).isEqualTo(1);

        now.addAndGet(TimeUnit.SECONDS.toNanos(6));
        Await.value(query("a.test", Type.A));
        assertThat(lab.queries("a.test")).isEqualTo(2);
    }

    @Test
    void reportsTheResponseCodeOfTheResolver() {
        lab.behave("bad.test", DnsFaults.rcode(Rcode.REFUSED));

        DnsResponse refusal = Await.value(probe.queryRaw(TestCheckContext.create(), "bad.test", Type.A));

        assertThat(refusal.rcode()).isEqualTo(Rcode.REFUSED);
        assertThat(refusal.failed()).isTrue();
        assertThat(Await.failure(query("bad.test", Type.A))).hasMessageContaining("REFUSED");
    }

    @Test
    void reservesMemoryForResponses() {
        lab.address("a.test", "1.1.1.1");
        MemoryBudget budget = new MemoryBudget(vertx, MemoryBudget.CHECK_BYTES, 1);
        MemoryHolder records = budget.open("test", MemoryBudget.CHECK_BYTES);
        MemoryHolder message = budget.open("test", MemoryBudget.CHECK_BYTES);

        DnsResponse response =
                Await.value(probe.query(TestCheckContext.create().withMemory(records), "a.test", Type.A));
        Message signed = Await.value(probe.querySigned(
                TestCheckContext.create().withMemory(message), Name.fromConstantString("a.test."), Type.A));

        assertThat(records.peak()).isGreaterThanOrEqualTo(response.weight()).isPositive();
        assertThat(message.peak()).isGreaterThan(signed.numBytes());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "A 10.1.2.3",
                "A 169.254.169.254",
                "AAAA fd00::1",
                "AAAA 64:ff9b::a01:203",
                "MX 10 mail.corp.example.",
                "NS ns.corp.example.",
                "CNAME db.corp.example.",
                "CNAME printer.local.",
                "SRV 1 1 389 ldap.corp.example.",
                "PTR host.corp.example.",
                "MX 10 Mail.CORP.Example.",
                "DNAME corp.example.",
                "SOA ns.corp.example. admin.a.test. 1 2 3 4 5",
                "SOA ns.a.test. admin.corp.example. 1 2 3 4 5",
                "NAPTR 1 1 \"s\" \"SIP\" \"\" sip.corp.example.",
                "HTTPS 1 . ipv4hint=10.1.2.3",
                "HTTPS 1 . ipv6hint=fd00::1",
                "HTTPS 1 web.corp.example.",
                "SVCB 0 web.corp.example.",
                "SVCB 1 . ipv4hint=10.1.2.3",
                "CAA 0 iodef \"https://ca.corp.example/report\"",
                "CAA 0 iodef \"mailto:security@mail.corp.example\"",
                "URI 10 1 \"https://wiki.corp.example/\"",
                "URI 10 1 \"ldap://a:b@Wiki.Corp.Example.:389\"",
                "URI 10 1 \"sip:me@voip.corp.example\""
            })
    void withholdsPrivateRecords(String data) {
        lab.record("a.test. 60 IN " + data);
        int type = Type.value(data.substring(0, data.indexOf(' ')));

        assertHidden(query("a.test", type), "10.1.2.3", "fd00", "corp.example", "printer");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "MX 0 .",
                "MX 10 localhost.",
                "MX 10 mail.a.test.",
                "HTTPS 1 . ipv4hint=1.1.1.1",
                "SRV 0 0 0 .",
                "SVCB 0 other.test.",
                "PTR a.test.",
                "URI 10 1 \"https://a.test/corp.example\"",
                "TXT \"in words: mail.corp.example\"",
                "CAA 0 iodef \"mailto:security@a.test\"",
                "NAPTR 1 1 \"u\" \"SIP+E2U\" \"!^.*$!sip:info@corp.example!\" .",
                "CAA 0 issue \"corp.example\""
            })
    void returnsPublicRecords(String data) {
        lab.record("a.test. 60 IN " + data);
        int type = Type.value(data.substring(0, data.indexOf(' ')));

        assertThat(Await.value(query("a.test", type)).records()).hasSize(1);
    }

    @Test
    void rejectsDomainsWithPrivateAddresses() {
        lab.address("outside.test", "1.1.1.1").address("inside.test", "1.1.1.1", "10.1.2.3");
        lab.alias("alias.test", "db.corp.example").empty("empty.test");
        lab.address("six.test", "fd00::1");

        for (String name : List.of("outside.test", "empty.test", "missing.test")) {
            Await.value(probe.admit(TestCheckContext.create(), name));
        }
        for (String name : List.of("inside.test", "alias.test", "six.test", "x.corp.example")) {
            assertHidden(probe.admit(TestCheckContext.create(), name), "10.1.2.3", "fd00", "db.corp");
        }
    }

    @Test
    void admitsADomainWithAPublicIpv4AddressIfTheAaaaLookupFails() {
        lab.address("old.test", "1.1.1.1");
        lab.behave("old.test", DnsFaults.only(Type.AAAA, DnsFaults.rcode(Rcode.SERVFAIL)));
        lab.behave("gone.test", DnsFaults.only(Type.AAAA, DnsFaults.rcode(Rcode.REFUSED)));

        Await.value(probe.admit(TestCheckContext.create(), "old.test"));
        Await.value(probe.admit(TestCheckContext.create(), "gone.test"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"A AAAA", "A", "AAAA"})
    void rejectsDomainsIfAFailedLookupMayHideAnAddress(String failing) {
        List<Integer> types = Stream.of(failing.split(" ")).map(Type::value).toList();
        lab.empty("lame.test")
                .behave(
                        "lame.test",
                        (query, standard, transport, count) ->
                                types.contains(query.getQuestion().getType())
                                        ? DnsFaults.rcode(Rcode.SERVFAIL).reply(query, standard, transport, count)
                                        : standard.toWire());
        if (failing.equals("A")) {
            lab.address("lame.test", "2606:4700::1111");
        }

        assertThat(Await.failure(probe.admit(TestCheckContext.create(), "lame.test")))
                .isInstanceOfSatisfying(
                        CheckFailure.class,
                        failure -> assertThat(failure.error().code()).isEqualTo(ErrorCode.DNS_SERVFAIL));
    }

    @Test
    void limitsTheQueriesOfACheckIncludingAliases() {
        CheckContext context = TestCheckContext.create();
        List<Future<DnsResponse>> asked = new ArrayList<>();
        for (int i = 0; i < 60; i++) {
            for (int hop = 0; hop < 12; hop++) {
                String name = "c" + i + "-" + hop + ".test";
                lab.behave(name, DnsFaults.aliasOnly("c" + i + "-" + (hop + 1) + ".test"));
            }
            asked.add(probe.query(context, "c" + i + "-" + (i % 2 == 0 ? 0 : 6) + ".test", Type.A));
        }

        List<Throwable> failures = new ArrayList<>();
        for (Future<DnsResponse> one : asked) {
            Await.value(one.otherwiseEmpty());
            if (one.failed()) {
                failures.add(one.cause());
            }
        }

        assertThat(lab.queries()).isBetween(DnsQueryLimits.MAX_QUERIES / 2, DnsQueryLimits.MAX_QUERIES);
        assertThat(failures).last().isInstanceOfSatisfying(CheckFailure.class, failure -> assertThat(
                        failure.error().code())
                .isEqualTo(ErrorCode.REQUEST_LIMIT));
        lab.address("other.test", "1.1.1.1");
        assertThat(Await.value(query("other.test", Type.A)).addresses()).hasSize(1);
    }

    @Tag("integration")
    @Test
    void leavesCapacityForOtherChecksDuringTimeouts() {
        Config.DnsSettings settings =
                new Config.DnsSettings(List.of(lab.address()), List.of(), Duration.ofMillis(1_200), 1000);
        DnsResolver narrow = LimitedResolver.of(vertx, settings, POLICY, DnsQueryLimiter.MAX_CONCURRENT + 1);
        DnsProbe patient = new DnsProbe(vertx, narrow, Map.of(), POLICY, new DnsQueryLimits(vertx, 0));
        lab.address("fine.test", "1.1.1.1").address("innocent.test", "1.1.1.2");
        CheckContext context = TestCheckContext.create();
        List<Future<DnsResponse>> silent = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            lab.behave("silent" + i + ".test", DnsFaults.silent());
            silent.add(patient.query(context, "silent" + i + ".test", Type.A));
        }
        Future<DnsResponse> fine = patient.query(context, "fine.test", Type.A);
        Future<DnsResponse> innocent = patient.query(TestCheckContext.create(), "innocent.test", Type.A);

        assertThat(Await.value(innocent).addresses()).hasSize(1);
        for (Future<DnsResponse> one : silent) {
            assertThat(Await.failure(one)).isInstanceOfSatisfying(CheckFailure.class, failure -> assertThat(
                            failure.error().code())
                    .isEqualTo(ErrorCode.DNS_TIMEOUT));
        }
        assertThat(Await.value(fine).addresses()).hasSize(1);
    }

    @Test
    void sendsNoQueriesAfterTheDeadline() {
        AtomicLong clock = new AtomicLong();
        CheckContext context = TestCheckContext.create().withDeadline(Deadline.in(10_000, clock::get));
        List<Future<DnsResponse>> silent = new ArrayList<>();
        for (int i = 0; i < 12; i++) {
            lab.behave("silent" + i + ".test", DnsFaults.silent());
            silent.add(probe.query(context, "silent" + i + ".test", Type.A));
        }
        Await.until(() -> lab.queries("silent" + (DnsQueryLimiter.MAX_CONCURRENT - 1) + ".test") > 0);

        clock.set(TimeUnit.SECONDS.toNanos(11));

        silent.forEach(Await::failure);
        Await.value(query("last.test", Type.A));
        for (int i = DnsQueryLimiter.MAX_CONCURRENT; i < 12; i++) {
            assertThat(lab.queries("silent" + i + ".test")).isZero();
        }
    }

    @Test
    void withholdsRecordsBehindATypeSpecificPrivateAlias() {
        lab.address("db.split.test", "10.1.2.3").record("db.split.test. 60 IN TXT \"secret\"");
        lab.empty("lure.test").behave("lure.test", DnsFaults.only(Type.TXT, DnsFaults.aliasOnly("db.split.test")));
        lab.address("fine.test", "1.1.1.1").record("fine.test. 60 IN TXT \"told\"");
        lab.alias("www.test", "fine.test");

        Await.value(probe.admit(TestCheckContext.create(), "lure.test"));
        assertHidden(query("lure.test", Type.TXT), "10.1.2.3", "secret", "db.split.test");
        assertThat(Await.value(query("www.test", Type.TXT)).texts()).containsExactly("told");
    }
}
