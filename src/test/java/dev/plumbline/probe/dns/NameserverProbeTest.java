package dev.plumbline.probe.dns;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.budget.MemoryBudget;
import dev.plumbline.budget.MemoryHolder;
import dev.plumbline.check.CheckContext;
import dev.plumbline.check.CheckFailure;
import dev.plumbline.check.OverloadFailure;
import dev.plumbline.config.Config;
import dev.plumbline.dns.DnsQuestion;
import dev.plumbline.egress.EgressGuard;
import dev.plumbline.egress.LabEgressGuard;
import dev.plumbline.lab.DnsFaults;
import dev.plumbline.lab.DnsLab;
import dev.plumbline.probe.dns.NameserverProbe.Query;
import dev.plumbline.result.ErrorCode;
import dev.plumbline.support.Await;
import dev.plumbline.support.TestCheckContext;
import dev.plumbline.target.Host;
import dev.plumbline.target.IpAddressText;
import dev.plumbline.target.TargetPolicy;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.xbill.DNS.DClass;
import org.xbill.DNS.ExtendedFlags;
import org.xbill.DNS.Flags;
import org.xbill.DNS.Message;
import org.xbill.DNS.Name;
import org.xbill.DNS.Record;
import org.xbill.DNS.Section;
import org.xbill.DNS.TXTRecord;
import org.xbill.DNS.Type;

class NameserverProbeTest {
    private static final InetAddress OTHER = IpAddressText.parse("127.15.3.2");

    /** Each test has its own address, because a port cannot be bound again at once. */
    private static final AtomicInteger LAST_BYTE = new AtomicInteger(10);

    private static final TargetPolicy POLICY = policy("53");

    private final Vertx vertx = Vertx.vertx();
    private final InetAddress address = IpAddressText.parse("127.15.3." + LAST_BYTE.incrementAndGet());
    private DnsLab lab;
    private NameserverProbe probe;

    private static TargetPolicy policy(String port) {
        return new TargetPolicy(
                new TargetPolicy.Rules(List.of("127.15.3.0/24"), List.of(), List.of(), List.of(port)),
                (address, number) -> false);
    }

    @BeforeEach
    void start() {
        lab = DnsLab.start(address, 53);
        probe = new NameserverProbe(vertx, LabEgressGuard.of(vertx, POLICY, lab), POLICY);
    }

    @AfterEach
    void stop() {
        Await.value(vertx.close());
        lab.close();
    }

    private static NameserverAddress at(InetAddress server) {
        return new NameserverAddress(new Host(IpAddressText.format(server), server), server);
    }

    private Future<NameserverResponse> query(CheckContext context, String name, int type) {
        return query(context, address, Query.iterative(Name.fromConstantString(name + "."), type));
    }

    private Future<NameserverResponse> query(CheckContext context, InetAddress server, Query query) {
        return Await.onLoop(vertx, () -> probe.query(context, at(server), query));
    }

    private static ErrorCode code(Future<?> failed) {
        return ((CheckFailure) Await.failure(failed)).error().code();
    }

    @Test
    void queriesWithoutRecursion() {
        lab.record("a.test. 60 IN NS ns.a.test.").behave("a.test", DnsFaults.authoritative("a.test"));

        NameserverResponse response = Await.value(query(TestCheckContext.create(), "a.test", Type.NS));

        assertThat(response.authoritative()).isTrue();
        assertThat(response.succeeded()).isTrue();
        assertThat(response.answers(Name.fromConstantString("a.test."), Type.NS))
                .hasSize(1);
        assertThat(response.responseMs()).isPositive();
    }

    @Test
    void sendsTheFlagsOfTheQuery() {
        List<Message> queries = Collections.synchronizedList(new ArrayList<>());
        lab.behave((query, standard, transport, count) -> {
            queries.add(query);
            return standard.toWire();
        });
        for (DnsQuestion.Flags flags : List.of(
                DnsQuestion.Flags.ITERATIVE,
                DnsQuestion.Flags.RECURSIVE,
                new DnsQuestion.Flags(false, true, true, true),
                new DnsQuestion.Flags(false, false, false, false))) {
            Await.value(query(
                    TestCheckContext.create(),
                    address,
                    new Query(Name.fromConstantString("a.test."), Type.SOA, flags)));
        }

        assertThat(queries)
                .extracting(query -> query.getHeader().getFlag(Flags.RD))
                .containsExactly(false, true, false, false);
        assertThat(queries)
                .extracting(query -> query.getHeader().getFlag(Flags.CD))
                .containsExactly(false, false, true, false);
        assertThat(queries)
                .extracting(query ->
                        query.getOPT() == null ? "no EDNS" : "" + query.getOPT().getFlags())
                .containsExactly("0", "0", "" + ExtendedFlags.DO, "no EDNS");
    }

    @Test
    void repeatsTruncatedResponsesOverTcpAndChargesBoth() {
        lab.address("a.test", "192.0.2.1").behave("a.test", DnsFaults.truncated());
        TestCheckContext context = TestCheckContext.create().withRequests(2);

        assertThat(Await.value(query(context, "a.test", Type.A)).message().getSection(Section.ANSWER))
                .hasSize(1);
        assertThat(code(query(context, "a.test", Type.A))).isEqualTo(ErrorCode.REQUEST_LIMIT);
        assertThat(lab.queries("a.test")).isEqualTo(2);
    }

    @Test
    void repeatsQueriesWithoutEdns() {
        lab.address("a.test", "192.0.2.1").behave("a.test", DnsFaults.rejectsEdns(1));

        assertThat(Await.value(query(TestCheckContext.create(), "a.test", Type.A))
                        .succeeded())
                .isTrue();
    }

    @Tag("integration")
    @Test
    void retransmitsOnce() {
        lab.behave("a.test", DnsFaults.silent());
        TestCheckContext context = TestCheckContext.create().withRequests(1);

        assertThat(Await.failure(query(context, "a.test", Type.A)))
                .hasMessage("The nameserver " + IpAddressText.format(address) + " did not respond.")
                .extracting(failure -> ((CheckFailure) failure).error().code())
                .isEqualTo(ErrorCode.DNS_TIMEOUT);
        assertThat(lab.queries("a.test")).isEqualTo(2);
    }

    static Stream<Arguments> hostileResponses() {
        return Stream.of(
                Arguments.of(DnsFaults.garbage(), ErrorCode.DNS_SERVFAIL),
                Arguments.of(DnsFaults.compressionLoop(), ErrorCode.DNS_SERVFAIL),
                Arguments.of(DnsFaults.wrongRecordCounts(), ErrorCode.DNS_SERVFAIL),
                Arguments.of(DnsFaults.alwaysTruncated(), ErrorCode.DNS_SERVFAIL),
                Arguments.of(DnsFaults.notDns(), ErrorCode.DNS_TIMEOUT),
                Arguments.of(DnsFaults.wrongId(), ErrorCode.DNS_TIMEOUT),
                Arguments.of(DnsFaults.wrongQuestion(), ErrorCode.DNS_TIMEOUT),
                Arguments.of(DnsFaults.truncatedThenSilent(), ErrorCode.DNS_TIMEOUT));
    }

    @ParameterizedTest
    @MethodSource("hostileResponses")
    void reportsHostileResponsesAsFailuresOfTheServer(DnsLab.Behavior behavior, ErrorCode expected) {
        lab.behave("a.test", behavior);

        Throwable failure = Await.failure(query(TestCheckContext.create().withDeadline(1_000), "a.test", Type.A));

        assertThat(failure).hasMessageStartingWith("The nameserver " + IpAddressText.format(address) + " ");
        assertThat(((CheckFailure) failure).error().code()).isEqualTo(expected);
    }

    @Test
    void ignoresRecordsOfOtherOwners() {
        lab.behave("a.test", DnsFaults.wrongOwner());

        assertThat(Await.value(query(TestCheckContext.create(), "a.test", Type.A))
                        .answers(Name.fromConstantString("a.test."), Type.A))
                .isEmpty();
    }

    @Test
    void readsThousandsOfRecordsOverTcp() {
        lab.behave("a.test", (query, standard, transport, count) -> {
            if (transport == DnsLab.Transport.UDP) {
                return DnsFaults.truncated().reply(query, standard, transport, count);
            }
            Record question = query.getQuestion();
            for (int i = 0; i < 5_000; i++) {
                standard.addRecord(new TXTRecord(question.getName(), DClass.IN, i, ""), Section.ANSWER);
            }
            return standard.toWire();
        });

        assertThat(Await.value(query(TestCheckContext.create(), "a.test", Type.TXT))
                        .message()
                        .getSection(Section.ANSWER))
                .hasSize(5_000);
    }

    @Test
    void reportsClosedPorts() {
        assertThat(code(query(
                        TestCheckContext.create(),
                        OTHER,
                        Query.iterative(Name.fromConstantString("a.test."), Type.SOA))))
                .isEqualTo(ErrorCode.CONNECT_REFUSED);
        assertThat(code(queryTcp(OTHER, Type.SOA))).isEqualTo(ErrorCode.CONNECT_REFUSED);
    }

    private Future<List<NameserverResponse>> queryTcp(InetAddress server, Integer... types) {
        List<Query> queries = Stream.of(types)
                .map(type -> Query.iterative(Name.fromConstantString("a.test."), type))
                .toList();
        return Await.onLoop(
                vertx, () -> probe.queryTcp(TestCheckContext.create().withRequests(1), at(server), queries));
    }

    @Test
    void sendsSeveralQueriesOverOneConnection() {
        lab.record("a.test. 60 IN NS ns.a.test.").record("a.test. 60 IN SOA ns.a.test. host.a.test. 7 2 3 4 5");

        assertThat(Await.value(queryTcp(address, Type.NS, Type.SOA)))
                .extracting(response ->
                        response.message().getSection(Section.ANSWER).get(0).getType())
                .containsExactly(Type.NS, Type.SOA);
    }

    @Test
    void reservesMemoryForResponses() {
        lab.address("a.test", "192.0.2.1");
        Query query = Query.iterative(Name.fromConstantString("a.test."), Type.A);
        MemoryBudget budget = new MemoryBudget(vertx, MemoryBudget.CHECK_BYTES, 1);
        MemoryHolder udp = budget.open("test", MemoryBudget.CHECK_BYTES);
        MemoryHolder tcp = budget.open("test", MemoryBudget.CHECK_BYTES);

        NameserverResponse response =
                Await.value(query(TestCheckContext.create().withMemory(udp), address, query));
        Await.value(Await.onLoop(
                vertx,
                () -> probe.queryTcp(TestCheckContext.create().withMemory(tcp), at(address), List.of(query, query))));

        int bytes = response.message().numBytes();
        assertThat(udp.peak()).isGreaterThan(EgressGuard.CONNECTION_BYTES + bytes);
        assertThat(tcp.peak()).isGreaterThan(EgressGuard.CONNECTION_BYTES + 2 * bytes);
    }

    @Test
    void returnsTheResponsesBeforeTheServerStops() {
        lab.record("a.test. 60 IN NS ns.a.test.").behave("a.test", DnsFaults.only(Type.AXFR, DnsFaults.garbage()));

        assertThat(Await.value(queryTcp(address, Type.NS, Type.AXFR))).hasSize(1);
    }

    @Test
    void ignoresResponsesFromOtherAddresses() throws IOException {
        try (DatagramSocket queried = new DatagramSocket(53, OTHER);
                DatagramSocket sender = new DatagramSocket(53, IpAddressText.parse("127.15.3.3"))) {
            CompletableFuture<Void> spoofed = CompletableFuture.runAsync(() -> {
                try {
                    DatagramPacket packet = new DatagramPacket(new byte[512], 512);
                    queried.receive(packet);
                    packet.getData()[2] |= (byte) 0x80;
                    sender.send(packet);
                } catch (IOException failed) {
                    throw new IllegalStateException(failed);
                }
            });
            Query query = Query.iterative(Name.fromConstantString("a.test."), Type.SOA);

            assertThat(code(query(TestCheckContext.create().withDeadline(700), OTHER, query)))
                    .isEqualTo(ErrorCode.DNS_TIMEOUT);
            spoofed.join();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"127.15.4.1", "10.0.0.1", "169.254.169.254", "::1", "64:ff9b::a00:1"})
    void blocksSpecialPurposeAddresses(String blocked) {
        TestCheckContext context = TestCheckContext.create().withRequests(1);
        Query query = Query.iterative(Name.fromConstantString("a.test."), Type.SOA);

        assertThat(code(query(context, IpAddressText.parse(blocked), query))).isEqualTo(ErrorCode.TARGET_BLOCKED);
        assertThat(context.budget().used()).isFalse();
    }

    @Test
    void blocksNameserversWithAPrivateAddressAmongOthers() {
        lab.address("ns.a.test", "127.15.3.1", "10.0.0.1");

        assertThat(code(probe.addresses(TestCheckContext.create(), new Host("ns.a.test", null), 2)))
                .isEqualTo(ErrorCode.TARGET_BLOCKED);
    }

    @Test
    void followsTheRateLimitOfTheServer() {
        NameserverProbe limited = new NameserverProbe(
                vertx, LabEgressGuard.of(vertx, POLICY, lab, new Config.OutboundLimit(1, 0)), POLICY);
        Query query = Query.iterative(Name.fromConstantString("a.test."), Type.SOA);
        Await.value(limited.query(TestCheckContext.create(), at(address), query));
        TestCheckContext withShortTimeout =
                TestCheckContext.create().withRequests(1).maxWait(50);

        assertThat(Await.failure(limited.query(withShortTimeout, at(address), query)))
                .isInstanceOf(OverloadFailure.class);
        assertThat(withShortTimeout.budget().used()).isFalse();
        assertThat(lab.queries("a.test")).isEqualTo(1);
    }
}
