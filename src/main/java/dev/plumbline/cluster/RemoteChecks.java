package dev.plumbline.cluster;

import dev.plumbline.bus.Message;
import dev.plumbline.bus.MessageBus;
import dev.plumbline.bus.NodeLostException;
import dev.plumbline.concurrent.ContextFutures;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.vertx.core.AsyncResult;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.eventbus.ReplyException;
import io.vertx.core.eventbus.ReplyFailure;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;

/** Sends checks to other nodes. Requests to a node that leaves fail at once. Thread-safe. */
final class RemoteChecks {
    private final MessageBus bus;
    private final Predicate<String> reachable;
    private final Counter completed;
    private final Counter rejected;
    private final Counter lost;
    private final Counter timeout;

    /** Requests without a reply, by node. */
    private final Map<String, Set<Promise<Message.RunReply>>> pending = new ConcurrentHashMap<>();

    /** @param reachable whether a node is used for checks; false before {@link #fail} is called for it */
    RemoteChecks(MessageBus bus, Predicate<String> reachable, MeterRegistry registry) {
        this.bus = bus;
        this.reachable = reachable;
        this.completed = counter(registry, "completed");
        this.rejected = counter(registry, "rejected");
        this.lost = counter(registry, "lost");
        this.timeout = counter(registry, "timeout");
    }

    private static Counter counter(MeterRegistry registry, String outcome) {
        return Counter.builder("plumbline.cluster.remote.checks")
                .description("Checks sent to other nodes, by outcome")
                .tag("outcome", outcome)
                .register(registry);
    }

    /** Runs a check on another node. Fails as {@link dev.plumbline.bus.CheckRouter#run}, without a retry. */
    Future<Message.RunReply> run(String node, Message.RunCheck check, long timeoutMs) {
        Promise<Message.RunReply> reply = Promise.promise();
        Set<Promise<Message.RunReply>> requests = pending.computeIfAbsent(node, first -> ConcurrentHashMap.newKeySet());
        requests.add(reply);
        if (reachable.test(node)) {
            bus.requestNode(node, check, Message.RunReply.class, timeoutMs)
                    .onComplete(outcome -> ContextFutures.complete(reply, outcome));
        } else {
            reply.tryFail(new ReplyException(ReplyFailure.NO_HANDLERS, "node " + node + " left the cluster"));
        }
        return ContextFutures.onCallerContext(reply.future().onComplete(outcome -> {
            requests.remove(reply);
            count(outcome);
        }));
    }

    /** Fails the pending requests to a node that left. */
    void fail(String node) {
        Set<Promise<Message.RunReply>> requests = pending.remove(node);
        if (requests != null) {
            requests.forEach(reply -> reply.tryFail(new NodeLostException(node)));
        }
    }

    private void count(AsyncResult<Message.RunReply> outcome) {
        if (outcome.succeeded()) {
            (outcome.result() instanceof Message.CompletedCheck ? completed : rejected).increment();
        } else if (MessageBus.isTimeout(outcome.cause())) {
            timeout.increment();
        } else if (outcome.cause() instanceof NodeLostException) {
            lost.increment();
        } else {
            rejected.increment();
        }
    }
}
