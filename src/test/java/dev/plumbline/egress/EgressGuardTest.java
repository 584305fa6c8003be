package dev.plumbline.egress;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.plumbline.check.CheckContext;
import dev.plumbline.check.CheckFailure;
import dev.plumbline.check.OverloadFailure;
import dev.plumbline.check.RequestBudget;
import dev.plumbline.config.Config;
import dev.plumbline.dns.DnsResolver;
import dev.plumbline.lab.DnsFaults;
import dev.plumbline.lab.DnsLab;
import dev.plumbline.lab.FreePorts;
import dev.plumbline.lab.HostileTargets;
import dev.plumbline.lab.HostileTargets.Case;
import dev.plumbline.lab.HostileTargets.Rejection;
import dev.plumbline.result.ErrorCode;
import dev.plumbline.sheet.ModuleDescription;
import dev.plumbline.support.Await;
import dev.plumbline.support.ModuleDescriptionBuilder;
import dev.plumbline.support.TestCheckContext;
import dev.plumbline.target.Host;
import dev.plumbline.target.InputType;
import dev.plumbline.target.InvalidTargetException;
import dev.plumbline.target.IpAddressText;
import dev.plumbline.target.Target;
import dev.plumbline.target.TargetParser;
import dev.plumbline.target.TargetPolicy;
import io.netty.channel.Channel;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.net.NetClient;
import io.vertx.core.net.NetServer;
import io.vertx.core.net.SocketAddress;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.xbill.DNS.Rcode;
import org.xbill.DNS.Type;

class EgressGuardTest {
    private static final Config.OutboundLimit FREE = new Config.OutboundLimit(0, 0);
    private static final Host PUBLIC = host("93.184.216.34");

    private Vertx vertx;
    private NetClient client;
    private DnsLab lab;

    @BeforeEach
    void start() {
        vertx = Vertx.vertx();
        client = vertx.createNetClient();
        lab = DnsLab.start();
    }

    @AfterEach
    void stop() {
        lab.close();
        Await.value(vertx.close());
    }

    private EgressGuard guard(
            List<String> allow, Config.OutboundLimit ip, Config.OutboundLimit net, Config.OutboundLimit domain) {
        TargetPolicy policy = new TargetPolicy(
                new TargetPolicy.Rules(allow, List.of("denied.test"), List.of(), List.of("*")),
                (address, port) -> false);
        Config.DnsSettings dns =
                new Config.DnsSettings(List.of(lab.address()), List.of(), Duration.ofMillis(1_200), 100);
        Config.TargetSettings targets =
                new Config.TargetSettings(allow, List.of(), List.of("*"), null, ip, net, domain, 0);
        return new EgressGuard(
                policy,
                new DnsResolver(vertx, dns, policy, System::nanoTime),
                new DnsQueryLimits(vertx, 0),
                targets,
                RateLimiterFactory.local(vertx));
    }

    private EgressGuard guard() {
        return guard(List.of(), FREE, FREE, FREE);
    }

    private EgressGuard paced(Config.OutboundLimit ip, Config.OutboundLimit net, Config.OutboundLimit domain) {
        return guard(List.of(), ip, net, domain);
    }

    private static Host host(String name) {
        return new Host(name, IpAddressText.parse(name));
    }

    private static InetAddress address(String text) {
        return Objects.requireNonNull(IpAddressText.parse(text));
    }

    private static List<String> texts(List<InetAddress> addresses) {
        return addresses.stream().map(IpAddressText::format).toList();
    }

    private static void assertCode(Future<?> future, ErrorCode code) {
        assertThat(Await.failure(future)).isInstanceOfSatisfying(CheckFailure.class, failure -> assertThat(
                        failure.error().code())
                .isEqualTo(code));
    }

    private List<String> resolved(String ipVersion, String name) {
        CheckContext context = TestCheckContext.overIp(ipVersion);
        return texts(Await.value(guard().resolve(context, host(name), 443)));
    }

    @Test
    void returnsIpv4AddressesFirst() {
        lab.address("both.test", "2600::1", "1.1.1.1", "2600::2", "1.1.1.2");
        assertThat(resolved("auto", "both.test")).containsExactly("1.1.1.1", "1.1.1.2", "2600::1", "2600::2");
        assertThat(resolved("4", "both.test")).containsExactly("1.1.1.1", "1.1.1.2");
        assertThat(resolved("6", "both.test")).containsExactly("2600::1", "2600::2");
        assertThat(resolved("auto", "1.1.1.1")).containsExactly("1.1.1.1");
    }

    @Test
    void classifiesAddressesOfBothFamilies() {
        lab.address("six.test", "1.1.1.1", "fd00::1").address("four.test", "10.0.0.1", "2600::1");
        assertCode(guard().resolve(TestCheckContext.overIp("4"), host("six.test"), 443), ErrorCode.TARGET_BLOCKED);
        assertCode(guard().resolve(TestCheckContext.overIp("6"), host("four.test"), 443), ErrorCode.TARGET_BLOCKED);
    }

    @Test
    void rejectsANameWithAPrivateAliasInOneFamily() {
        for (int type : List.of(Type.A, Type.AAAA)) {
            String name = Type.string(type) + ".split.test";
            lab.address(name, "1.1.1.1", "2600::1");
            lab.behave(name, DnsFaults.only(type, DnsFaults.aliasOnly("db.internal")));
            for (String version : List.of("auto", "4", "6")) {
                assertCode(
                        guard().resolve(TestCheckContext.overIp(version), host(name.toLowerCase(Locale.ROOT)), 443),
                        ErrorCode.TARGET_BLOCKED);
            }
        }
    }

    @Tag("integration")
    @Test
    void usesTheOtherFamilyIfOneLookupFails() {
        lab.address("half.test", "1.1.1.1", "2600::1");
        lab.behave("half.test", DnsFaults.only(Type.AAAA, DnsFaults.rcode(Rcode.SERVFAIL)));
        lab.address("other.test", "1.1.1.1", "2600::1");
        lab.behave("other.test", DnsFaults.only(Type.A, DnsFaults.silent()));
        assertThat(resolved("auto", "half.test")).containsExactly("1.1.1.1");
        assertThat(resolved("auto", "other.test")).containsExactly("2600::1");
        assertCode(guard().resolve(TestCheckContext.overIp("6"), host("half.test"), 443), ErrorCode.DNS_SERVFAIL);
        assertCode(guard().resolve(TestCheckContext.overIp("4"), host("other.test"), 443), ErrorCode.DNS_TIMEOUT);
    }

    @Test
    void reportsWhyThereIsNoAddress() {
        lab.empty("empty.test").address("four.test", "1.1.1.1");
        lab.behave("dead.test", DnsFaults.only(Type.AAAA, DnsFaults.silent())).empty("dead.test");
        CheckContext auto = TestCheckContext.create();
        assertCode(guard().resolve(auto, host("missing.test"), 443), ErrorCode.DNS_NXDOMAIN);
        assertCode(guard().resolve(auto, host("empty.test"), 443), ErrorCode.DNS_NO_DATA);
        assertCode(guard().resolve(auto, host("dead.test"), 443), ErrorCode.DNS_TIMEOUT);
        assertCode(guard().resolve(TestCheckContext.overIp("6"), host("four.test"), 443), ErrorCode.DNS_NO_DATA);
        assertCode(guard().resolve(TestCheckContext.overIp("6"), host("1.1.1.1"), 443), ErrorCode.INVALID_TARGET);
    }

    @Test
    void rejectsAliasesOfDeniedNames() {
        lab.alias("www.test", "a.denied.test").address("a.denied.test", "1.1.1.1");
        assertCode(guard().resolve(TestCheckContext.create(), host("www.test"), 443), ErrorCode.TARGET_BLOCKED);
    }

    @Test
    void blocksHostileTargets() throws InvalidTargetException {
        AtomicInteger reached = new AtomicInteger();
        NetServer canary = vertx.createNetServer().connectHandler(socket -> reached.incrementAndGet());
        int port = Await.value(canary.listen(0, "0.0.0.0")).actualPort();
        List<Case> cases = new ArrayList<>(HostileTargets.rejectedAfterLookup(lab, port));
        HostileTargets.rejectedBeforeLookup(port).stream()
                .filter(hostile -> hostile.rejection() == Rejection.FORBIDDEN)
                .filter(hostile -> !hostile.target().startsWith("http://example.com"))
                .forEach(cases::add);
        ModuleDescription module =
                ModuleDescriptionBuilder.of("u", "U", InputType.URL).build();
        EgressGuard guard = guard();
        for (Case hostile : cases) {
            Target.Url url = (Target.Url) TargetParser.parse(module, hostile.target());
            for (String version : List.of("auto", "4", "6")) {
                CheckContext context = TestCheckContext.overIp(version);
                Future<?> fetched = guard.resolve(context, url.host(), url.port())
                        .compose(addresses -> guard.dial(
                                context, url.host(), addresses.get(0), url.port(), pinned -> client.connect(pinned)));
                assertThat(Await.failure(fetched)).as(hostile.toString()).isInstanceOf(CheckFailure.class);
                assertCode(fetched, ErrorCode.TARGET_BLOCKED);
            }
            if (url.host().literal() != null) {
                assertCode(
                        guard.dial(
                                TestCheckContext.create(),
                                url.host(),
                                url.host().literal(),
                                url.port(),
                                pinned -> client.connect(pinned)),
                        ErrorCode.TARGET_BLOCKED);
            }
        }
        assertThat(reached).hasValue(0);
    }

    @Test
    void connectsToThePinnedAddress() {
        NetServer server =
                vertx.createNetServer().connectHandler(socket -> socket.end(io.vertx.core.buffer.Buffer.buffer("x")));
        int port = Await.value(server.listen(0, "127.0.0.1")).actualPort();
        lab.behave("moving.test", DnsFaults.rebinding("127.0.0.1", "10.0.0.1"));
        EgressGuard guard = guard(List.of("127.0.0.0/8"), FREE, FREE, FREE);
        CheckContext context = TestCheckContext.create();
        Host moving = host("moving.test");
        List<InetAddress> addresses = Await.value(guard.resolve(context, moving, port));
        Await.value(guard.dial(context, moving, addresses.get(0), port, pinned -> client.connect(pinned)
                .compose(socket -> {
                    guard.assertPeer(socket.remoteAddress(), addresses.get(0), port);
                    return socket.close();
                })));
        assertCode(
                guard.dial(context, moving, address("10.0.0.1"), port, pinned -> Future.succeededFuture()),
                ErrorCode.TARGET_BLOCKED);
    }

    @Test
    void opensChannelOnTheContextOfTheCaller() {
        NetServer server = vertx.createNetServer().connectHandler(socket -> {});
        int port = Await.value(server.listen(0, "127.0.0.1")).actualPort();
        EgressGuard guard = guard();
        InetAddress pinned = address("127.0.0.1");
        Context caller = vertx.getOrCreateContext();
        Promise<Context> completion = Promise.promise();
        AtomicReference<Channel> opened = new AtomicReference<>();
        caller.runOnContext(start -> guard.open(vertx, pinned, port, 5_000)
                .onSuccess(opened::set)
                .map(channel -> Vertx.currentContext())
                .onComplete(completion));
        assertThat(Await.value(completion.future())).isSameAs(caller);
        assertThat(opened.get().remoteAddress()).isEqualTo(new InetSocketAddress(pinned, port));
        opened.get().close();
        assertCode(guard.open(vertx, pinned, port, 0), ErrorCode.DEADLINE_EXCEEDED);
        Await.value(server.close());
        // not the port of the server, which another process can use now
        assertCode(guard.open(vertx, pinned, FreePorts.next(), 5_000), ErrorCode.CONNECT_REFUSED);
    }

    @ParameterizedTest
    @ValueSource(strings = {"93.184.216.34", "2600::1"})
    void verifiesThePeerAddress(String text) {
        EgressGuard guard = guard();
        SocketAddress peer = SocketAddress.inetSocketAddress(443, text);
        assertThatCode(() -> guard.assertPeer(peer, address(text), 443)).doesNotThrowAnyException();
        assertThatThrownBy(() -> guard.assertPeer(peer, address(text), 80)).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> guard.assertPeer(peer, address("127.0.0.1"), 443))
                .isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> guard.assertPeer(SocketAddress.domainSocketAddress("/x"), address(text), 443))
                .isInstanceOf(IllegalStateException.class);
    }

    @Test
    void chargesTheBudgetAndRespectsTheDeadline() {
        EgressGuard guard = guard();
        CheckContext context = TestCheckContext.create();
        Function<SocketAddress, Future<String>> exchange = pinned -> Future.succeededFuture("done");
        InetAddress address = address(PUBLIC.name());
        for (int i = 0; i < RequestBudget.MAX; i++) {
            assertThat(Await.value(guard.dial(context, PUBLIC, address, 443, exchange)))
                    .isEqualTo("done");
        }
        assertCode(guard.dial(context, PUBLIC, address, 443, exchange), ErrorCode.REQUEST_LIMIT);
        assertCode(
                guard.dial(TestCheckContext.create().withDeadline(0), PUBLIC, address, 443, exchange),
                ErrorCode.DEADLINE_EXCEEDED);
    }

    @Test
    void releasesPermitsAfterEveryOutcome() {
        EgressGuard guard =
                paced(new Config.OutboundLimit(0, 1), new Config.OutboundLimit(0, 1), new Config.OutboundLimit(0, 1));
        Host named = host("a.example.com");
        List<Function<SocketAddress, Future<String>>> exchanges = List.of(
                pinned -> Future.succeededFuture("fine"),
                pinned -> Future.failedFuture("failed"),
                pinned -> {
                    throw new IllegalStateException("thrown");
                },
                pinned -> {
                    throw new AssertionError("thrown");
                },
                pinned -> vertx.timer(1).map("later"));
        for (Function<SocketAddress, Future<String>> exchange : exchanges) {
            Future<String> outcome = guard.dial(TestCheckContext.create(), named, address("1.1.1.1"), 443, exchange);
            Await.value(outcome.otherwiseEmpty());
        }
        CheckContext shortly = TestCheckContext.create().withDeadline(100);
        assertThat(Await.value(guard.dial(shortly, named, address("1.1.1.1"), 443, exchanges.get(0))))
                .isEqualTo("fine");
    }

    @Test
    void limitsAddressesNetworksAndDomainsIndependently() {
        Promise<String> held = Promise.promise();
        Function<SocketAddress, Future<String>> hold = pinned -> held.future();
        Function<SocketAddress, Future<String>> quick = pinned -> Future.succeededFuture("in");
        Config.OutboundLimit one = new Config.OutboundLimit(0, 1);
        record Gate(EgressGuard guard, String sameName, String sameAddress, String otherName, String otherAddress) {}
        for (Gate gate : List.of(
                new Gate(paced(one, FREE, FREE), "b.other.net", "1.1.1.1", "a.example.com", "1.1.1.2"),
                new Gate(paced(FREE, one, FREE), "b.other.net", "1.1.1.2", "a.example.com", "1.1.2.1"),
                new Gate(paced(FREE, FREE, one), "b.example.com", "2.2.2.2", "a.other.com", "1.1.1.1"))) {
            gate.guard().dial(TestCheckContext.create(), host("a.example.com"), address("1.1.1.1"), 443, hold);
            CheckContext shortly = TestCheckContext.create().withDeadline(60);
            assertThat(Await.failure(
                            gate.guard().dial(shortly, host(gate.sameName()), address(gate.sameAddress()), 443, quick)))
                    .isInstanceOf(OverloadFailure.class);
            assertThat(Await.value(gate.guard()
                            .dial(
                                    TestCheckContext.create(),
                                    host(gate.otherName()),
                                    address(gate.otherAddress()),
                                    443,
                                    quick)))
                    .isEqualTo("in");
        }
        held.complete("out");
    }

    @Test
    void completesOnTheCallersContext() {
        EgressGuard guard = paced(new Config.OutboundLimit(0, 1), FREE, FREE);
        List<Future<Boolean>> outcomes = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            Context own = vertx.getOrCreateContext();
            Promise<Boolean> outcome = Promise.promise();
            own.runOnContext(
                    start -> guard.dial(TestCheckContext.create(), PUBLIC, address(PUBLIC.name()), 443, pinned -> {
                                boolean mine = Vertx.currentContext() == own;
                                return vertx.timer(5).map(mine);
                            })
                            .onComplete(outcome::handle));
            outcomes.add(outcome.future());
        }
        assertThat(outcomes)
                .allSatisfy(outcome -> assertThat(Await.value(outcome)).isTrue());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "www.example.co.uk>example.co.uk", "example.com>example.com", "co.uk>co.uk",
                "a.b.unknown-suffix>b.unknown-suffix", "a.github.io>a.github.io", "_x.a.test>a.test",
                "com>com"
            })
    void findsRegistrableDomains(String pair) {
        String[] parts = pair.split(">");
        assertThat(new RegistrableDomains().of(parts[0])).isEqualTo(parts[1]);
    }
}
