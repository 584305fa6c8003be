package dev.plumbline.cluster;

import dev.plumbline.bus.CheckRouter;
import dev.plumbline.bus.Message;
import dev.plumbline.bus.MessageBus;
import dev.plumbline.bus.NodeLostException;
import dev.plumbline.config.NodeRole;
import dev.plumbline.egress.RegistrableDomains;
import dev.plumbline.target.Host;
import dev.plumbline.target.Target;
import io.micrometer.core.instrument.MeterRegistry;
import io.vertx.core.AsyncResult;
import io.vertx.core.Future;
import io.vertx.core.eventbus.ReplyException;
import io.vertx.core.eventbus.ReplyFailure;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Runs checks on the run nodes of a cluster. The node of a target is selected by its registrable domain or address.
 * Checks of this node are passed by reference. Thread-safe.
 */
public final class ClusterCheckRouter implements CheckRouter {
    /** A retry with less time would time out. */
    private static final long MIN_RETRY_MS = 250;

    private final Cluster cluster;
    private final MessageBus bus;
    private final RegistrableDomains domains = new RegistrableDomains();
    private final LinePermits permits;
    private final RemoteChecks remote;
    private final List<Runnable> listeners = new CopyOnWriteArrayList<>();

    /** @param linePermits permits for lines of a node that has not reported its capacity yet, at least 1 */
    public ClusterCheckRouter(Cluster cluster, MessageBus bus, int linePermits, MeterRegistry registry) {
        this.cluster = cluster;
        this.bus = bus;
        this.permits = new LinePermits(linePermits);
        this.remote = new RemoteChecks(bus, node -> nodes().contains(node), registry);
        cluster.onChange(view -> {
            permits.update(view.ring().nodes(), view.count(NodeRole.COORDINATE));
            listeners.forEach(Runnable::run);
        });
        cluster.onLost(remote::fail);
        bus.subscribe(Message.RunCapacity.class, capacity -> {
            cluster.onMessage(capacity.node());
            if (permits.update(capacity)) {
                listeners.forEach(Runnable::run);
            }
        });
    }

    @Override
    public List<String> nodes() {
        return cluster.view().ring().nodes();
    }

    @Override
    public @Nullable String nodeOf(Target target) {
        return cluster.view().ring().owner(key(target));
    }

    @Override
    public int linePermits(String node) {
        return permits.of(node);
    }

    @Override
    public void onChange(Runnable listener) {
        listeners.add(listener);
    }

    /** The registrable domain of the target, or its address. */
    private String key(Target target) {
        Host host = target.host();
        return host.literal() == null ? domains.of(host.name()) : host.name();
    }

    @Override
    public Future<Message.RunReply> run(Target target, Message.RunCheck check, long timeoutMs) {
        String owner = nodeOf(target);
        return owner == null
                ? Future.failedFuture(
                        new ReplyException(ReplyFailure.NO_HANDLERS, "no node of the cluster runs checks"))
                : new Attempts(target, check, timeoutMs).run(owner);
    }

    /** The attempts to run a check: on the node of its target, then on the next ones. */
    private final class Attempts {
        private final Target target;
        private final Message.RunCheck check;
        private final long timeoutMs;
        private final Set<String> tried = new HashSet<>();
        private long deadlineNanos;

        /** The result of a node that received no response from the target, until another node has a result. */
        private Message.@Nullable RunReply unanswered;

        Attempts(Target target, Message.RunCheck check, long timeoutMs) {
            this.target = target;
            this.check = check;
            this.timeoutMs = timeoutMs;
            this.deadlineNanos = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(timeoutMs);
        }

        Future<Message.RunReply> run(String node) {
            tried.add(node);
            Future<Message.RunReply> sent = send(node);
            return sent.transform(reply -> {
                String next = shouldRetry(reply) && remainingMs() >= MIN_RETRY_MS ? next() : null;
                if (next != null) {
                    return run(next);
                }
                return unanswered == null || isCompleted(reply) ? sent : Future.succeededFuture(unanswered);
            });
        }

        private Future<Message.RunReply> send(String node) {
            if (check.bulk()) {
                permits.start(node);
            }
            Future<Message.RunReply> reply = node.equals(cluster.self())
                    ? bus.request(check, Message.RunReply.class, remainingMs())
                    : remote.run(node, check, remainingMs());
            return check.bulk() ? reply.onComplete(ended -> permits.end(node)) : reply;
        }

        /**
         * Whether the node did not run the check, was lost, or is the first that received no response. The attempts of
         * a line are counted, so it is not sent again after the loss of a node.
         */
        private boolean shouldRetry(AsyncResult<Message.RunReply> reply) {
            if (unanswered != null) {
                return !isCompleted(reply);
            }
            if (reply.result() instanceof Message.CompletedCheck completed) {
                return completed.noResponse() && startRetry(completed);
            }
            return reply.succeeded()
                    ? reply.result() instanceof Message.Unsupported
                    : MessageBus.isUnserved(reply.cause())
                            || reply.cause() instanceof NodeLostException && !check.bulk();
        }

        private static boolean isCompleted(AsyncResult<Message.RunReply> reply) {
            return reply.result() instanceof Message.CompletedCheck;
        }

        private boolean startRetry(Message.RunReply reply) {
            if (check.bulk()) {
                deadlineNanos = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(timeoutMs);
            } else if (remainingMs() < timeoutMs / 2) {
                return false;
            }
            unanswered = reply;
            return true;
        }

        private @Nullable String next() {
            return cluster.view().ring().order(key(target)).stream()
                    .filter(node -> !tried.contains(node))
                    .findFirst()
                    .orElse(null);
        }

        private long remainingMs() {
            return TimeUnit.NANOSECONDS.toMillis(deadlineNanos - System.nanoTime());
        }
    }
}
