package dev.plumbline.dns;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.plumbline.check.CheckFailure;
import dev.plumbline.check.Deadline;
import dev.plumbline.check.OverloadFailure;
import dev.plumbline.config.Config;
import dev.plumbline.lab.DnsFaults;
import dev.plumbline.lab.DnsLab;
import dev.plumbline.result.ErrorCode;
import dev.plumbline.support.Await;
import dev.plumbline.support.DebianTool;
import dev.plumbline.target.IpAddressText;
import dev.plumbline.target.TargetPolicy;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.internal.VertxInternal;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.xbill.DNS.Rcode;
import org.xbill.DNS.Type;

class DnsResolverTest {
    private static final DnsQueryPermits UNLIMITED = name -> Future.succeededFuture();

    private static final TargetPolicy POLICY = new TargetPolicy(
            new TargetPolicy.Rules(List.of(), List.of(), List.of("deny.test"), List.of("*")), (address, port) -> false);

    /** The attempt timeout, longer than a pause of a loaded machine. */
    private static final Duration TIMEOUT = Duration.ofSeconds(3);

    private final AtomicLong now = new AtomicLong();
    private Vertx vertx;
    private DnsLab lab;
    private DnsResolver resolver;

    @BeforeEach
    void start() {
        vertx = Vertx.vertx();
        lab = DnsLab.start();
        resolver = resolver(TIMEOUT, lab.address());
    }

    @AfterEach
    void stop() {
        lab.close();
        Await.value(vertx.close());
    }

    private DnsResolver resolver(Duration timeout, String... servers) {
        return new DnsResolver(vertx, settings(timeout, servers), POLICY, now::get);
    }

    /** A resolver that queries the lab, with low limits. */
    private DnsResolver bounded(Duration timeout, int open, int unread, int waiting) {
        return new DnsResolver(vertx, settings(timeout, lab.address()), POLICY, now::get, open, unread, waiting);
    }

    private static Config.DnsSettings settings(Duration timeout, String... servers) {
        return new Config.DnsSettings(List.of(servers), List.of(), timeout, 1000);
    }

    private Future<List<InetAddress>> lookup(String name) {
        return lookup(resolver, name, Type.A, Deadline.in(10_000));
    }

    private static Future<List<InetAddress>> lookup(DnsResolver resolver, String name, int type, Deadline deadline) {
        return resolver.query(name, type, deadline, UNLIMITED)
                .compose(response -> response.addresses().isEmpty()
                        ? Future.failedFuture(DnsResolver.noAddress(name, response))
                        : Future.succeededFuture(response.addresses()));
    }

    /** Retries twice if a pause of the machine caused a timeout. */
    private Future<List<InetAddress>> lookupAgain(String name) {
        return lookup(name).recover(late -> lookup(name)).recover(late -> lookup(name));
    }

    /** A short timeout for servers that do not respond, a long one for others. */
    private static Duration patience(ErrorCode code) {
        return code == ErrorCode.DNS_TIMEOUT ? Duration.ofMillis(400) : TIMEOUT;
    }

    private static List<String> texts(List<InetAddress> addresses) {
        return addresses.stream().map(IpAddressText::format).toList();
    }

    private static void assertCode(Future<?> future, ErrorCode code) {
        assertThat(Await.failure(future)).isInstanceOfSatisfying(CheckFailure.class, failure -> assertThat(
                        failure.error().code())
                .isEqualTo(code));
    }

    @Test
    void returnsAllAddresses() {
        lab.address("many.test", "1.1.1.1", "1.1.1.2", "2600::1");
        assertThat(texts(Await.value(lookup("many.test")))).containsExactlyInAnyOrder("1.1.1.1", "1.1.1.2");
        assertThat(texts(Await.value(lookup(resolver, "MANY.test.", Type.AAAA, Deadline.in(10_000)))))
                .containsExactly("2600::1");
    }

    @Test
    void distinguishesNxdomainFromNoData() {
        lab.empty("empty.test");
        assertCode(lookup("missing.test"), ErrorCode.DNS_NXDOMAIN);
        assertCode(lookup("empty.test"), ErrorCode.DNS_NO_DATA);
    }

    @Test
    void followsAliases() {
        lab.alias("www.test", "edge.test").alias("edge.test", "node.test").address("node.test", "1.1.1.1");
        DnsResponse answer = Await.value(resolver.query("www.test", Type.A, Deadline.in(10_000), UNLIMITED));
        assertThat(answer.aliases()).extracting(Object::toString).containsExactly("edge.test.", "node.test.");
        assertThat(texts(answer.addresses())).containsExactly("1.1.1.1");
    }

    @Test
    void reportsNxdomainOfAnAliasTarget() {
        lab.alias("dangling.test", "gone.test")
                .alias("typeless.test", "empty.test")
                .empty("empty.test");
        assertCode(lookup("dangling.test"), ErrorCode.DNS_NXDOMAIN);
        assertCode(lookup("typeless.test"), ErrorCode.DNS_NO_DATA);
    }

    @Test
    void queriesTheTargetOfAnUnresolvedAlias() {
        lab.behave("www.test", DnsFaults.aliasOnly("node.test")).address("node.test", "1.1.1.1");
        assertThat(texts(Await.value(lookup("www.test")))).containsExactly("1.1.1.1");
    }

    @Test
    void doesNotQueryForbiddenAliasTargets() {
        lab.behave("www.test", DnsFaults.aliasOnly("db.internal")).address("db.internal", "1.1.1.1");
        assertCode(lookup("www.test"), ErrorCode.TARGET_BLOCKED);
        assertThat(lab.queries("db.internal")).isZero();
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 8, 9, 15})
    void limitsTheLengthOfCnameChains(int aliases) {
        lab.chain("chain.test", aliases, "1.1.1.1");
        if (aliases <= 8) {
            assertThat(Await.value(lookup("chain.test"))).hasSize(1);
        } else {
            assertThat(Await.failure(lookup("chain.test"))).hasMessageContaining("more than 8 CNAME records");
        }
    }

    @Test
    void detectsCnameLoops() {
        lab.alias("a.test", "b.test").alias("b.test", "a.test").alias("self.test", "self.test");
        lab.behave("c.test", DnsFaults.aliasOnly("d.test"));
        lab.behave("d.test", DnsFaults.aliasOnly("c.test"));
        for (String name : List.of("a.test", "self.test", "c.test")) {
            assertThat(Await.failure(lookup(name))).as(name).hasMessageContaining("loop");
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"localhost", "a.localhost", "printer.local", "x.internal", "router", "a.deny.test", "x.onion"})
    void doesNotQueryForbiddenNames(String name) {
        lab.address(name, "1.1.1.1");
        assertCode(lookup(name), ErrorCode.TARGET_BLOCKED);
        assertThat(lab.queries(name)).isZero();
    }

    @ParameterizedTest
    @ValueSource(strings = {"a.d\\101ny.test", "a.DEN\\089.test", "printer.l\\ocal", "@"})
    void checksTheDecodedFormOfEscapedNames(String name) {
        lab.address("a.deny.test", "1.1.1.1").address("printer.local", "1.1.1.1");

        assertCode(lookup(name), ErrorCode.TARGET_BLOCKED);
        assertThat(lab.queries("a.deny.test") + lab.queries("printer.local")).isZero();
    }

    @Test
    void looksUpTheNameserversOfTopLevelZonesOnly() {
        lab.record("test. 60 IN NS ns.test.").record(". 60 IN NS ns.test.").address("test", "1.1.1.1");

        assertThat(Await.value(resolver.query("test", Type.NS, Deadline.in(5_000), UNLIMITED))
                        .records())
                .hasSize(1);
        assertThat(Await.value(resolver.query(".", Type.NS, Deadline.in(5_000), UNLIMITED))
                        .records())
                .hasSize(1);
        assertCode(resolver.query("test", Type.A, Deadline.in(5_000), UNLIMITED), ErrorCode.TARGET_BLOCKED);
    }

    static Stream<Arguments> faults() {
        return Stream.of(
                Arguments.of("garbage", DnsFaults.garbage(), ErrorCode.DNS_SERVFAIL),
                Arguments.of("wrong owner", DnsFaults.wrongOwner(), ErrorCode.DNS_SERVFAIL),
                Arguments.of("compression loop", DnsFaults.compressionLoop(), ErrorCode.DNS_SERVFAIL),
                Arguments.of("claims many", DnsFaults.wrongRecordCounts(), ErrorCode.DNS_SERVFAIL),
                Arguments.of("truncated for ever", DnsFaults.alwaysTruncated(), ErrorCode.DNS_SERVFAIL),
                Arguments.of("SERVFAIL", DnsFaults.rcode(Rcode.SERVFAIL), ErrorCode.DNS_SERVFAIL),
                Arguments.of("REFUSED", DnsFaults.rcode(Rcode.REFUSED), ErrorCode.DNS_SERVFAIL),
                Arguments.of("FORMERR", DnsFaults.rcode(Rcode.FORMERR), ErrorCode.DNS_SERVFAIL),
                Arguments.of("silent", DnsFaults.silent(), ErrorCode.DNS_TIMEOUT),
                Arguments.of("noise", DnsFaults.notDns(), ErrorCode.DNS_TIMEOUT),
                Arguments.of("wrong id", DnsFaults.wrongId(), ErrorCode.DNS_TIMEOUT),
                Arguments.of("wrong question", DnsFaults.wrongQuestion(), ErrorCode.DNS_TIMEOUT),
                Arguments.of("silent over TCP", DnsFaults.truncatedThenSilent(), ErrorCode.DNS_TIMEOUT));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("faults")
    void handlesHostileServers(String what, DnsLab.Behavior fault, ErrorCode code) {
        resolver = resolver(patience(code), lab.address());
        lab.address("bad.test", "1.1.1.1").behave("bad.test", fault);
        lab.address("good.test", "1.1.1.1");
        assertCode(lookup("bad.test"), code);
        assertThat(Await.value(lookupAgain("good.test"))).hasSize(1);
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("faults")
    void triesTheNextServer(String what, DnsLab.Behavior fault, ErrorCode code) {
        try (DnsLab second = DnsLab.start()) {
            resolver = resolver(patience(code), lab.address(), second.address());
            lab.behave("bad.test", fault);
            second.address("bad.test", "1.1.1.1");
            // A response about another name is detected by following the chain.
            if (what.equals("wrong owner")) {
                assertCode(lookup("bad.test"), code);
            } else {
                assertThat(texts(Await.value(lookupAgain("bad.test")))).containsExactly("1.1.1.1");
            }
        }
    }

    @Tag("integration")
    @Test
    void retriesASingleServerOnce() {
        // the first attempt is the query and its retransmission
        lab.address("lossy.test", "1.1.1.1").behave("lossy.test", DnsFaults.silentForFirst(2));
        assertThat(Await.value(lookup("lossy.test"))).hasSize(1);
        assertThat(lab.queries("lossy.test")).isBetween(3, 4);
    }

    @Test
    void retransmitsLostQueries() {
        resolver = resolver(Duration.ofSeconds(30), lab.address());
        lab.address("lossy.test", "1.1.1.1").behave("lossy.test", DnsFaults.silentForFirst(1));
        assertThat(Await.value(lookup(resolver, "lossy.test", Type.A, Deadline.in(8_000))))
                .hasSize(1);
        assertThat(lab.queries("lossy.test")).isEqualTo(2);
    }

    @Test
    void fallsBackToQueriesWithoutEdns() {
        lab.address("old.test", "1.1.1.1").behave("old.test", DnsFaults.rejectsEdns(Rcode.FORMERR));
        assertThat(Await.value(lookup("old.test"))).hasSize(1);
    }

    @Test
    void usesTcpForTruncatedResponses() {
        String[] addresses = new String[3000];
        for (int i = 0; i < addresses.length; i++) {
            addresses[i] = "1.2." + i / 250 + "." + i % 250;
        }
        lab.address("huge.test", addresses);
        lab.address("cut.test", "1.1.1.1").behave("cut.test", DnsFaults.truncated());
        assertThat(Await.value(lookup("huge.test"))).hasSize(3000);
        assertThat(Await.value(lookup("cut.test"))).hasSize(1);
    }

    @Test
    void cachesResponsesForTheirTtl() {
        lab.record("kept.test. 60 IN A 1.1.1.1").record("long.test. 999999 IN A 1.1.1.1");
        lab.record("zero.test. 0 IN A 1.1.1.1");
        List<String> names = List.of("kept.test", "long.test", "zero.test", "missing.test");
        names.forEach(name -> settle(lookup(name)));
        names.forEach(name -> settle(lookup(name)));
        assertThat(names).allSatisfy(name -> assertThat(lab.queries(name)).isEqualTo(1));

        now.addAndGet(TimeUnit.SECONDS.toNanos(2));
        names.forEach(name -> settle(lookup(name)));
        assertThat(names).extracting(lab::queries).containsExactly(1, 1, 2, 1);

        now.addAndGet(TimeUnit.SECONDS.toNanos(59));
        names.forEach(name -> settle(lookup(name)));
        assertThat(names).extracting(lab::queries).containsExactly(2, 1, 3, 2);

        now.addAndGet(TimeUnit.SECONDS.toNanos(3600));
        settle(lookup("long.test"));
        assertThat(lab.queries("long.test")).isEqualTo(2);
    }

    @Test
    void doesNotCacheFailures() {
        lab.behave("bad.test", DnsFaults.rcode(Rcode.SERVFAIL));
        settle(lookup("bad.test"));
        settle(lookup("bad.test"));
        assertThat(lab.queries("bad.test")).isEqualTo(2);
    }

    private static void settle(Future<?> future) {
        Await.value(future.otherwiseEmpty());
    }

    @Test
    void sharesConcurrentQueriesAndCompletesOnTheCallersContext() {
        lab.address("shared.test", "1.1.1.1").slow("shared.test", 100);
        List<Future<Context>> callers = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            Context own = vertx.getOrCreateContext();
            var promise = io.vertx.core.Promise.<Context>promise();
            own.runOnContext(start -> lookup("shared.test")
                    .onComplete(
                            done -> promise.handle(done.map(addresses -> Vertx.currentContext() == own ? own : null))));
            callers.add(promise.future());
        }
        for (Future<Context> caller : callers) {
            assertThat(Await.value(caller)).isNotNull();
        }
        assertThat(lab.queries("shared.test")).isEqualTo(1);
    }

    @Test
    void weighsLargeResponses() {
        Config.DnsSettings ten = new Config.DnsSettings(List.of(lab.address()), List.of(), Duration.ofSeconds(1), 10);
        resolver = new DnsResolver(vertx, ten, POLICY, now::get);
        String large = ("\"" + "x".repeat(250) + "\" ").repeat(3);
        for (int i = 0; i < 9; i++) {
            lab.address("small" + i + ".test", "1.1.1.1");
            lab.record("large" + i + ".test. 60 IN TXT " + large);
        }
        for (int round = 0; round < 2; round++) {
            for (int i = 0; i < 9; i++) {
                Await.value(lookup("small" + i + ".test"));
            }
        }
        assertThat(queries("small")).isEqualTo(9);
        for (int round = 0; round < 2; round++) {
            for (int i = 0; i < 9; i++) {
                Await.value(resolver.query("large" + i + ".test", Type.TXT, Deadline.in(10_000), UNLIMITED));
            }
        }
        assertThat(queries("large")).isGreaterThan(9);
    }

    private int queries(String prefix) {
        int sum = 0;
        for (int i = 0; i < 9; i++) {
            sum += lab.queries(prefix + i + ".test");
        }
        return sum;
    }

    @Test
    void respectsTheDeadlineOfEachCaller() {
        lab.address("slow.test", "1.1.1.1").slow("slow.test", 400);
        Future<List<InetAddress>> patient = lookup("slow.test");
        assertCode(lookup(resolver, "slow.test", Type.A, Deadline.in(50)), ErrorCode.DNS_TIMEOUT);
        assertThat(Await.value(patient)).hasSize(1);
    }

    @Test
    void doesNotFailCallersWithALaterDeadline() {
        resolver = resolver(Duration.ofSeconds(5), lab.address());
        lab.address("slow.test", "1.1.1.1").slow("slow.test", 400);
        Future<?> hasty = lookup(resolver, "slow.test", Type.A, Deadline.in(50));
        Future<List<InetAddress>> patient = lookup("slow.test");
        assertCode(hasty, ErrorCode.DNS_TIMEOUT);
        assertThat(Await.value(patient)).hasSize(1);
    }

    @Test
    void retriesAnUnreachableResolver() {
        int port = lab.port();
        lab.close();
        Promise<List<InetAddress>> found = Promise.promise();
        Promise<Void> asked = Promise.promise();
        vertx.runOnContext(now -> {
            lookup("back.test").onComplete(found);
            // data written in one event loop iteration is sent before the next
            vertx.runOnContext(sent -> asked.complete());
        });
        Await.value(asked.future());
        lab = DnsLab.start(port).address("back.test", "1.1.1.1");
        assertThat(Await.value(found.future())).hasSize(1);
    }

    @Test
    void completesQueriesOfSeveralEventLoops() {
        List<Promise<Boolean>> all = new ArrayList<>();
        for (int loop = 0; loop < 4; loop++) {
            Context context = ((VertxInternal) vertx).createEventLoopContext();
            for (int i = 0; i < 200; i++) {
                String name = "loop" + loop / 2 + "-" + i + ".test";
                lab.address(name, "1.1.1.1");
                Promise<Boolean> home = Promise.promise();
                all.add(home);
                context.runOnContext(now ->
                        lookup(name).map(x -> Vertx.currentContext() == context).onComplete(home));
            }
        }
        all.forEach(home -> assertThat(Await.value(home.future())).isTrue());
    }

    @Test
    void endsQueriesAtTheDeadline() {
        resolver = bounded(Duration.ofMinutes(5), 1, 1, 0);
        lab.address("b.test", "1.1.1.1").behave("a.test", DnsFaults.silent());
        assertCode(lookup(resolver, "a.test", Type.A, Deadline.in(50)), ErrorCode.DNS_TIMEOUT);
        Await.until(() -> Await.value(lookup("b.test").map(x -> true).otherwise(false)));
    }

    @Test
    void limitsConcurrentQueries() {
        resolver = bounded(Duration.ofMillis(300), 2, 2, 1);
        lab.address("c.test", "1.1.1.1").behave("a.test", DnsFaults.silent());
        lab.behave("b.test", DnsFaults.silent());
        Future<?> a = lookup("a.test");
        Future<?> b = lookup("b.test");
        Future<List<InetAddress>> c = lookup("c.test");
        assertThat(Await.failure(lookup("d.test"))).isInstanceOf(OverloadFailure.class);
        Await.failure(a);
        Await.failure(b);
        assertThat(Await.value(c)).hasSize(1);
    }

    @Test
    void doesNotBlockQueriesBehindUnansweredOnes() {
        resolver = bounded(Duration.ofSeconds(30), 4, 1, 4);
        lab.address("c.test", "1.1.1.1").behave("a.test", DnsFaults.silent());
        lab.behave("b.test", DnsFaults.silent());
        Future<?> a = lookup("a.test");
        Future<?> b = lookup("b.test");
        assertThat(Await.value(lookup("c.test"))).hasSize(1);
        assertThat(a.isComplete() || b.isComplete()).isFalse();
    }

    @Test
    void queuesBursts() {
        Config.DnsSettings settings =
                new Config.DnsSettings(List.of(lab.address()), List.of(), Duration.ofSeconds(5), 10_000);
        resolver = new DnsResolver(vertx, settings, POLICY, now::get);
        List<Future<List<InetAddress>>> burst = new ArrayList<>();
        for (int i = 0; i < 4_000; i++) {
            lab.address("burst" + i + ".test", "1.1.1.1");
        }
        for (int i = 0; i < 4_000; i++) {
            burst.add(lookup("burst" + i + ".test"));
        }
        for (Future<List<InetAddress>> each : burst) {
            assertThat(Await.value(each)).hasSize(1);
        }
    }

    @Tag("integration")
    @Test
    void agreesWithDig() throws IOException, InterruptedException {
        Path dig = DebianTool.require("dig");
        lab.address("many.test", "1.1.1.1", "1.1.1.2", "2600::1:0:0:1").alias("www.test", "many.test");
        lab.record("many.test. 60 IN MX 10 mail.test.").record("many.test. 60 IN TXT \"a b\" \"c d\"");
        lab.address("cut.test", "1.1.1.1").behave("cut.test", DnsFaults.truncated());
        for (String name : List.of("many.test", "www.test", "cut.test", "missing.test")) {
            for (String type : List.of("A", "AAAA", "MX", "TXT")) {
                Process process = new ProcessBuilder(
                                dig.toString(), "@127.0.0.1", "-p", "" + lab.port(), "+short", name, type)
                        .redirectErrorStream(true)
                        .start();
                String printed = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
                assertThat(process.waitFor()).isZero();
                DnsResponse answer =
                        Await.value(resolver.query(name, Type.value(type), Deadline.in(10_000), UNLIMITED));
                List<String> ours = new ArrayList<>();
                answer.aliases().forEach(alias -> ours.add(alias.toString()));
                if (answer.addresses().isEmpty()) {
                    answer.records().forEach(found -> ours.add(found.rdataToString()));
                } else {
                    ours.addAll(texts(answer.addresses()));
                }
                assertThat(ours)
                        .as(name + " " + type)
                        .containsExactlyInAnyOrderElementsOf(printed.lines().toList());
            }
        }
    }

    @Test
    void readsResolvConf(@TempDir Path directory) throws IOException {
        Path file = Files.writeString(
                directory.resolve("resolv.conf"),
                "# nameserver 9.9.9.9\nsearch a.test\nnameserver 192.0.2.1\n nameserver\t2001:db8::1\n"
                        + "nameserver fe80::1%eth0\nnameserver name.test\noptions edns0\n");
        assertThat(DnsServerList.ofSystem(file))
                .extracting(server -> server.hostAddress() + " " + server.port())
                .containsExactly("192.0.2.1 53", "2001:db8:0:0:0:0:0:1 53");
        assertThat(DnsServerList.ofSystem(directory.resolve("missing"))).hasSize(1);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "name.test", "name.test:53", "127.0.0.1:0", "127.0.0.1:x", "[::1:53", "1.1.1.1:70000"})
    void rejectsMalformedServers(String server) {
        assertThatThrownBy(() -> DnsServerList.parse(server)).isInstanceOf(IllegalArgumentException.class);
    }

    @ParameterizedTest
    @ValueSource(strings = {"127.0.0.1", "127.0.0.1:5353", "::1", "[::1]:5353"})
    void parsesServers(String server) {
        assertThat(DnsServerList.parse(server).port()).isIn(53, 5353);
    }
}
