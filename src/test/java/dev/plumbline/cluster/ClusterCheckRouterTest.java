package dev.plumbline.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.bus.Message;
import dev.plumbline.bus.MessageBus;
import dev.plumbline.bus.NodeLostException;
import dev.plumbline.config.NodeRole;
import dev.plumbline.result.LimitWait;
import dev.plumbline.result.Verdict;
import dev.plumbline.run.CapacityReporter;
import dev.plumbline.support.Await;
import dev.plumbline.support.TestDatabase;
import dev.plumbline.target.Host;
import dev.plumbline.target.Target;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.net.InetAddress;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Checks on the run nodes of a cluster whose replies the test decides. */
@Tag("integration")
class ClusterCheckRouterTest {
    private static final long TIMEOUT_MS = 30_000;
    private static final int PERMITS = 100;

    private static final Message.RunReply RESULT = new Message.CompletedCheck(
            Verdict.PASS, Instant.EPOCH, true, 0, false, LimitWait.NONE, new byte[] {'{', '}'});

    /** The target did not respond. */
    private static final Message.RunReply UNANSWERED = new Message.CompletedCheck(
            Verdict.FAIL, Instant.EPOCH, true, 0, true, LimitWait.NONE, new byte[] {'{', '}'});

    @RegisterExtension
    static final TestDatabase DATABASE = new TestDatabase();

    private static TestCluster cluster;
    private static Member web;
    private static Member first;
    private static Member second;

    /** A node with a router. {@link #answer} supplies the replies to its checks. */
    private static final class Member {
        private final TestCluster.Node node;
        private final ClusterCheckRouter router;
        private final SimpleMeterRegistry meters = new SimpleMeterRegistry();
        private final Queue<Message.RunCheck> received = new ConcurrentLinkedQueue<>();
        private volatile Function<Message.RunCheck, Future<Message.RunReply>> answer = check -> null;

        Member(TestCluster.Node node, boolean runsChecks) {
            this.node = node;
            router = new ClusterCheckRouter(node.cluster(), node.bus(), 8, meters);
            if (runsChecks) {
                new CapacityReporter(node.vertx(), node.bus(), node.name(), PERMITS);
                Await.value(node.bus().serve(Message.RunCheck.class, this::run));
                Await.value(node.bus().serveNode(node.name(), Message.RunCheck.class, this::run));
            }
        }

        private Future<Message.RunReply> run(Message.RunCheck check) {
            received.add(check);
            return answer.apply(check);
        }

        Future<Message.RunReply> check(Target target, boolean bulk) {
            return check(target, bulk, TIMEOUT_MS);
        }

        Future<Message.RunReply> check(Target target, boolean bulk, long timeoutMs) {
            Message.RunCheck check =
                    new Message.RunCheck("http-status", target.text(), Map.of("n", 1L), bulk, 1_000, "r");
            return Await.onLoop(node.vertx(), () -> router.run(target, check, timeoutMs));
        }

        double remote(String outcome) {
            return meters.get("plumbline.cluster.remote.checks")
                    .tag("outcome", outcome)
                    .counter()
                    .count();
        }
    }

    @BeforeAll
    static void start() {
        cluster = new TestCluster(DATABASE.url());
        web = new Member(cluster.start(NodeRole.HTTP), false);
        first = new Member(cluster.start(NodeRole.RUN, NodeRole.COORDINATE), true);
        second = new Member(cluster.start(NodeRole.RUN, NodeRole.COORDINATE), true);
        awaitRouters(2);
    }

    @AfterAll
    static void stop() {
        cluster.close();
    }

    @BeforeEach
    void answer() {
        for (Member member : List.of(first, second)) {
            member.answer = check -> Future.succeededFuture(RESULT);
            member.received.clear();
        }
    }

    /** A target whose node is this one for all callers, which can know more nodes than a new member. */
    private static Target targetOf(Member member) {
        for (int i = 0; ; i++) {
            Target target = new Target.Domain("www.example" + i + ".test");
            if (member.node.name().equals(web.router.nodeOf(target))) {
                return target;
            }
        }
    }

    /** Waits until the handlers of a new member are known to the callers: their event buses learn them one by one. */
    private static void awaitReachable(Member member, Member... callers) {
        Target target = targetOf(member);
        member.answer = check -> Future.succeededFuture(RESULT);
        for (Member caller : callers) {
            Await.until(() -> {
                member.received.clear();
                Await.value(caller.check(target, false));
                return !member.received.isEmpty();
            });
        }
        member.received.clear();
    }

    private static Target domain(String name) {
        return new Target.Domain(name);
    }

    @Test
    void allNodesSendATargetToTheSameNode() {
        for (int i = 0; i < 50; i++) {
            Target target = domain("www.example" + i + ".test");
            assertThat(web.router.nodeOf(target))
                    .isIn(first.node.name(), second.node.name())
                    .isEqualTo(first.router.nodeOf(target))
                    .isEqualTo(second.router.nodeOf(target));
        }
        Target target = targetOf(second);
        Await.value(web.check(target, false));
        Await.value(first.check(target, false));
        Await.value(second.check(target, true));

        assertThat(first.received).isEmpty();
        assertThat(second.received).hasSize(3).allSatisfy(check -> assertThat(check.options())
                .isEqualTo(Map.of("n", 1L)));
    }

    @Test
    void theTargetsOfARegistrableDomainOrAnAddressHaveTheSameNode() throws Exception {
        Host address = new Host("192.0.2.7", InetAddress.getByName("192.0.2.7"));
        for (int i = 0; i < 50; i++) {
            String name = "example" + i + ".co.uk";
            String owner = web.router.nodeOf(domain(name));
            assertThat(web.router.nodeOf(domain("a.b." + name))).isEqualTo(owner);
            assertThat(web.router.nodeOf(new Target.Email("user", "mail." + name)))
                    .isEqualTo(owner);
            assertThat(web.router.nodeOf(new Target.Url("https", new Host("www." + name, null), 443, "/" + i)))
                    .isEqualTo(owner);
        }
        assertThat(web.router.nodeOf(new Target.AnyHost(address)))
                .isEqualTo(web.router.nodeOf(new Target.HostPort(address, 25, false)));
    }

    @Test
    void aCheckOfTheOwnNodeIsPassedByReference() {
        double remote = first.remote("completed");
        Target target = targetOf(first);

        assertThat(Await.value(first.check(target, false))).isSameAs(RESULT);
        assertThat(first.remote("completed")).isEqualTo(remote);

        assertThat(Await.value(second.check(target, false)))
                .isNotSameAs(RESULT)
                .isInstanceOfSatisfying(Message.CompletedCheck.class, reply -> assertThat(reply.json())
                        .isEqualTo("{}".getBytes(java.nio.charset.StandardCharsets.UTF_8)));
    }

    @Test
    void aCheckThatTheNodeDoesNotSupportRunsOnTheNext() {
        double rejected = web.remote("rejected");
        first.answer = check -> Future.succeededFuture(new Message.Unsupported());
        Target target = targetOf(first);

        assertThat(Await.value(web.check(target, false))).isInstanceOf(Message.CompletedCheck.class);
        assertThat(Await.value(web.check(target, true)))
                .as("a line of a job")
                .isInstanceOf(Message.CompletedCheck.class);
        assertThat(Await.value(first.check(target, false)))
                .as("on the own node")
                .isInstanceOf(Message.CompletedCheck.class);
        assertThat(second.received).hasSize(3);
        assertThat(web.remote("rejected")).isEqualTo(rejected + 2);

        second.answer = first.answer;
        assertThat(Await.value(web.check(target, false))).isInstanceOf(Message.Unsupported.class);
    }

    @Test
    void aCheckWithoutAResponseRunsOnceOnTheNextNode() {
        first.answer = check -> Future.succeededFuture(UNANSWERED);
        Target target = targetOf(first);

        assertThat(verdict(web.check(target, true))).as("a line of a job").isEqualTo(Verdict.PASS);
        assertThat(verdict(first.check(target, true))).as("on the own node").isEqualTo(Verdict.PASS);
        assertThat(verdict(web.check(target, false))).as("an instant check").isEqualTo(Verdict.PASS);
        assertThat(first.received).hasSize(3);
        assertThat(second.received).hasSize(3);

        second.answer = first.answer;
        assertThat(verdict(web.check(target, true))).isEqualTo(Verdict.FAIL);
        assertThat(first.received).hasSize(4);
        assertThat(second.received).hasSize(4);
    }

    @Test
    void aCheckWithoutAResponseKeepsItsResultIfNoOtherNodeHasOne() {
        first.answer = check -> Future.succeededFuture(UNANSWERED);
        Target target = targetOf(first);

        second.answer = check -> Future.succeededFuture(new Message.Overloaded(2));
        assertThat(verdict(web.check(target, true))).isEqualTo(Verdict.FAIL);
        second.answer = check -> Future.failedFuture("a failure of the test");
        assertThat(verdict(web.check(target, false))).isEqualTo(Verdict.FAIL);
        assertThat(second.received).hasSize(2);
    }

    @Test
    void anInstantCheckWithoutAResponseIsNotRepeatedLate() {
        first.answer =
                check -> first.node.vertx().timer(1_100, TimeUnit.MILLISECONDS).map(fired -> UNANSWERED);

        assertThat(verdict(web.check(targetOf(first), false, 2_000))).isEqualTo(Verdict.FAIL);
        assertThat(second.received).isEmpty();

        assertThat(verdict(web.check(targetOf(first), true, 2_000)))
                .as("a line has its whole time again")
                .isEqualTo(Verdict.PASS);
    }

    private static Verdict verdict(Future<Message.RunReply> reply) {
        return ((Message.CompletedCheck) Await.value(reply)).verdict();
    }

    @Test
    void anOverloadedNodeIsNotReplaced() {
        first.answer = check -> Future.succeededFuture(new Message.Overloaded(2));

        assertThat(Await.value(web.check(targetOf(first), false))).isEqualTo(new Message.Overloaded(2));

        assertThat(second.received).isEmpty();
    }

    @Test
    void aFailureOfTheNodeIsReportedAtOnce() {
        first.answer = check -> Future.failedFuture("a failure of the test");

        Throwable failure = Await.failure(web.check(targetOf(first), false));

        assertThat(MessageBus.isTimeout(failure) || MessageBus.isUnserved(failure))
                .isFalse();
        assertThat(second.received).isEmpty();
    }

    @Test
    void aLateReplyIsATimeout() {
        double late = web.remote("timeout");
        first.answer = check -> Promise.<Message.RunReply>promise().future();

        assertThat(MessageBus.isTimeout(Await.failure(web.check(targetOf(first), false, 50))))
                .isTrue();

        assertThat(web.remote("timeout")).isEqualTo(late + 1);
        assertThat(second.received).isEmpty();
    }

    @Test
    void reportsOfRunNodesSetThePermitsOfLines() {
        Await.until(() -> first.router.linePermits(second.node.name()) == PERMITS / 2);
        Await.until(() -> first.router.linePermits(first.node.name()) == PERMITS / 2);
        AtomicInteger changes = new AtomicInteger();
        first.router.onChange(changes::incrementAndGet);

        second.node.bus().publish(new Message.RunCapacity("other", 30, 0));

        Await.until(() -> first.router.linePermits("other") == 15);
        assertThat(changes).hasPositiveValue();
    }

    @Test
    void checksOfALostNodeRunOnTheNext() {
        Member lost = new Member(cluster.start(NodeRole.RUN), true);
        awaitRouters(3);
        awaitReachable(lost, web, first);
        Target target = targetOf(lost);
        Target moved = targetOf(first);
        lost.answer = check -> Promise.<Message.RunReply>promise().future();
        Future<Message.RunReply> instant = web.check(target, false);
        Future<Message.RunReply> line = first.check(target, true);
        List<Future<Message.RunReply>> others = new ArrayList<>();
        for (Member member : List.of(web, second)) {
            others.add(member.check(moved, false));
        }
        Await.until(() -> lost.received.size() == 2);
        double before = web.remote("lost");

        cluster.remove(lost.node);
        lost.node.crash();

        assertThat(Await.value(instant)).isInstanceOf(Message.CompletedCheck.class);
        assertThat(Await.failure(line)).as("the attempt is counted").isInstanceOf(NodeLostException.class);
        assertThat(others)
                .allSatisfy(other -> assertThat(Await.value(other)).isInstanceOf(Message.CompletedCheck.class));
        assertThat(web.remote("lost")).isEqualTo(before + 1);
        awaitRouters(2);
        assertThat(web.router.nodes()).containsExactlyInAnyOrder(first.node.name(), second.node.name());
        assertThat(Await.value(web.check(target, false))).isInstanceOf(Message.CompletedCheck.class);
    }

    @Test
    void aMemberThatDoesNotReportIsReplaced() {
        Member silent = new Member(cluster.start(NodeRole.RUN), false);
        Await.value(silent.node
                .bus()
                .serveNode(silent.node.name(), Message.RunCheck.class, check -> Promise.<Message.RunReply>promise()
                        .future()));
        awaitRouters(3);
        Target target = targetOf(silent);
        assertThat(first.router.nodeOf(target)).isEqualTo(silent.node.name());

        Future<Message.RunReply> instant = web.check(target, false);
        Future<Message.RunReply> line = first.check(target, true);
        cluster.remove(silent.node);

        assertThat(Await.value(instant)).isInstanceOf(Message.CompletedCheck.class);
        assertThat(Await.failure(line)).isInstanceOf(NodeLostException.class);
        assertThat(web.node.cluster().members()).as("it is still a member").isEqualTo(4);
        assertThat(web.router.nodeOf(target)).isNotEqualTo(silent.node.name());

        silent.node.bus().publish(new Message.RunCapacity(silent.node.name(), PERMITS, PERMITS));
        Await.until(() -> silent.node.name().equals(web.router.nodeOf(target)));
        silent.node.stop();
        awaitRouters(2);
    }

    private static void awaitRouters(int nodes) {
        for (Member member : List.of(web, first, second)) {
            Await.until(() -> member.router.nodes().size() == nodes);
        }
    }

    @Test
    void withoutARunNodeChecksAreUnserved() {
        Member alone = new Member(cluster.start(MessageBus.GENERATION + 1, null, NodeRole.HTTP), false);
        cluster.remove(alone.node);

        assertThat(alone.router.nodes()).isEmpty();
        assertThat(alone.router.nodeOf(domain("example.test"))).isNull();
        assertThat(MessageBus.isUnserved(Await.failure(alone.check(domain("example.test"), false))))
                .isTrue();

        alone.node.stop();
    }
}
