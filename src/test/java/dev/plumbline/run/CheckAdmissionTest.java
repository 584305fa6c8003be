package dev.plumbline.run;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.bus.Message;
import dev.plumbline.concurrent.EventLoopLag;
import dev.plumbline.support.Await;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.internal.VertxInternal;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class CheckAdmissionTest {
    private static final int LOOPS = 4;

    private final Vertx vertx = Vertx.vertx(new VertxOptions().setEventLoopPoolSize(LOOPS));
    private final List<String> started = new CopyOnWriteArrayList<>();
    private volatile boolean memoryScarce;

    @AfterEach
    void close() {
        Await.value(vertx.close());
    }

    private CheckAdmission admission(int permits, int maxQueued) {
        return new CheckAdmission(
                vertx, new RunnerMetrics(new SimpleMeterRegistry()), permits, maxQueued, () -> memoryScarce);
    }

    private Future<Message.RunReply> run(
            CheckAdmission admission, Context loop, String client, Future<Message.RunReply> check) {
        Message.RunCheck request =
                new Message.RunCheck("any", "a.test", Map.of(), false, 0, 60_000, "test", false, client);
        Promise<Message.RunReply> reply = Promise.promise();
        loop.runOnContext(ignored -> admission
                .run(request, () -> {
                    started.add(client);
                    return check;
                })
                .onComplete(reply));
        return reply.future();
    }

    private static Future<Message.RunReply> done() {
        return Future.succeededFuture(new Message.Unsupported());
    }

    @Test
    void allEventLoopsShareThePermitsAndTheQueue() {
        CheckAdmission admission = admission(LOOPS, 1);
        Context busy = ((VertxInternal) vertx).createEventLoopContext();
        Context other = ((VertxInternal) vertx).createEventLoopContext();
        List<Promise<Message.RunReply>> running = new ArrayList<>();
        for (int i = 0; i < LOOPS; i++) {
            Promise<Message.RunReply> check = Promise.promise();
            running.add(check);
            run(admission, busy, "running-" + i, check.future());
        }
        Await.until(() -> started.size() == LOOPS);

        Future<Message.RunReply> queued = run(admission, other, "queued", done());
        assertThat(Await.value(run(admission, other, "rejected", done()))).isInstanceOf(Message.Overloaded.class);
        assertThat(queued.isComplete()).isFalse();
        running.get(0).complete(new Message.Unsupported());

        assertThat(Await.value(queued)).isEqualTo(new Message.Unsupported());
        assertThat(started).endsWith("queued").doesNotContain("rejected");
    }

    @Test
    void queuedClientsTakeTurns() {
        CheckAdmission admission = admission(1, 10);
        Context loop = vertx.getOrCreateContext();
        Promise<Message.RunReply> first = Promise.promise();
        run(admission, loop, "running", first.future());
        List<Future<Message.RunReply>> replies = new ArrayList<>();
        for (String client : List.of("a", "a", "a", "b", "c")) {
            replies.add(run(admission, loop, client, done()));
        }
        Await.until(() -> started.size() == 1);

        loop.runOnContext(ignored -> first.complete(new Message.Unsupported()));

        replies.forEach(Await::value);
        assertThat(started).containsExactly("running", "a", "b", "c", "a", "a");
    }

    @Test
    void permitsAreReservedForClientsThatRunNoCheck() {
        CheckAdmission admission = admission(32, 100);
        Context loop = vertx.getOrCreateContext();
        for (int i = 0; i < 40; i++) {
            run(admission, loop, "many", Promise.<Message.RunReply>promise().future());
        }

        assertThat(Await.value(run(admission, loop, "first", done()))).isEqualTo(new Message.Unsupported());
        run(admission, loop, "waiting", Promise.<Message.RunReply>promise().future());
        Future<Message.RunReply> second = run(admission, loop, "second", done());

        assertThat(Await.value(second)).isEqualTo(new Message.Unsupported());
        assertThat(started).hasSize(33).filteredOn("many"::equals).hasSize(30);
    }

    @Test
    void clientsThatRunACheckWaitWhileMemoryIsScarce() {
        CheckAdmission admission = admission(10, 10);
        Context loop = vertx.getOrCreateContext();
        Promise<Message.RunReply> first = Promise.promise();
        run(admission, loop, "large", first.future());
        Await.until(() -> started.size() == 1);
        memoryScarce = true;

        Future<Message.RunReply> waiting = run(admission, loop, "large", done());
        assertThat(Await.value(run(admission, loop, "other", done()))).isEqualTo(new Message.Unsupported());
        assertThat(waiting.isComplete()).isFalse();
        loop.runOnContext(ignored -> first.complete(new Message.Unsupported()));

        assertThat(Await.value(waiting)).isEqualTo(new Message.Unsupported());
    }

    @Test
    void aClientRunsFewerChecksAfterOneWasRefusedForMemory() {
        CheckAdmission admission = admission(64, 100);
        Context loop = vertx.getOrCreateContext();
        List<Promise<Message.RunReply>> large = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            large.add(Promise.promise());
            run(admission, loop, "large", large.get(i).future());
        }
        Await.until(() -> started.size() == 8);

        loop.runOnContext(ignored -> large.get(0).complete(new Message.Refused(Message.Refused.Reason.MEMORY)));
        loop.runOnContext(ignored -> large.get(1).complete(new Message.Refused(Message.Refused.Reason.MEMORY)));
        for (int i = 0; i < 3; i++) {
            run(admission, loop, "large", Promise.<Message.RunReply>promise().future());
        }

        assertThat(Await.value(run(admission, loop, "other", done()))).isEqualTo(new Message.Unsupported());
        assertThat(Await.value(run(admission, loop, "other", done()))).isEqualTo(new Message.Unsupported());
        assertThat(started).filteredOn("large"::equals).as("8 -> 4 -> 2").hasSize(8);
        loop.runOnContext(ignored -> large.subList(2, 7).forEach(check -> check.complete(new Message.Unsupported())));
        Await.until(() -> started.stream().filter("large"::equals).count() == 9);
        loop.runOnContext(ignored -> admission.increaseLimit("large"));
        Await.until(() -> started.stream().filter("large"::equals).count() == 10);
    }

    @Test
    void oneClientDoesNotFillTheQueue() {
        CheckAdmission admission = admission(1, 8);
        Context loop = vertx.getOrCreateContext();
        Promise<Message.RunReply> first = Promise.promise();
        run(admission, loop, "running", first.future());
        List<Future<Message.RunReply>> replies = new ArrayList<>();
        for (int i = 0; i < 6; i++) {
            replies.add(run(admission, loop, "a", done()));
        }
        assertThat(Await.value(run(admission, loop, "a", done()))).isInstanceOf(Message.Overloaded.class);
        replies.add(run(admission, loop, "b", done()));
        replies.add(run(admission, loop, "c", done()));
        assertThat(Await.value(run(admission, loop, "d", done()))).isInstanceOf(Message.Overloaded.class);

        loop.runOnContext(ignored -> first.complete(new Message.Unsupported()));

        assertThat(replies).allSatisfy(reply -> assertThat(Await.value(reply)).isEqualTo(new Message.Unsupported()));
    }

    @Test
    void admitsFewerChecksWhileTheEventLoopsLoseTime() {
        CheckAdmission admission = admission(100, 10);
        assertThat(admission.limit()).isEqualTo(100);

        admission.adapt(0.1);
        assertThat(admission.limit()).isEqualTo(100);
        for (int i = 0; i < 20; i++) {
            admission.adapt(0.5);
        }
        assertThat(admission.limit()).isEqualTo(8);
        admission.adapt(0.1);
        assertThat(admission.limit()).isEqualTo(14);
    }

    @Test
    void adaptsToTheLagOfTheEventLoops() {
        AtomicLong nanos = new AtomicLong();
        AtomicBoolean losing = new AtomicBoolean(true);
        EventLoopLag lag =
                new EventLoopLag(vertx, () -> nanos.addAndGet(losing.get() ? 1_000_000_000 : 0), delay -> {});
        lag.measure(LOOPS);
        CheckAdmission admission = admission(100, 10);

        admission.adaptTo(lag);

        Await.until(() -> admission.limit() < 100);
        losing.set(false);
        Await.until(() -> admission.limit() == 100);
    }

    @Test
    void checksThatWaitForTheirTargetsDoNotStopOthers() {
        CheckAdmission admission = admission(40, 10);
        Context loop = vertx.getOrCreateContext();
        for (int i = 0; i < 30; i++) {
            run(admission, loop, "silent", Promise.<Message.RunReply>promise().future());
        }
        Await.until(() -> started.size() == 30);

        for (int i = 0; i < 20; i++) {
            admission.adapt(0.9);
        }
        assertThat(admission.limit()).isEqualTo(30);
        admission.adapt(0);

        assertThat(Await.value(run(admission, loop, "fast", done()))).isEqualTo(new Message.Unsupported());
    }
}
