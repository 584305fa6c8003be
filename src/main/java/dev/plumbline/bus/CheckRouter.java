package dev.plumbline.bus;

import dev.plumbline.result.ErrorCode;
import dev.plumbline.target.Target;
import io.vertx.core.Future;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Sends checks to the nodes that run them. All nodes send the checks of a target to the same node, so that its limits
 * and shared responses hold for all of them. Thread-safe.
 */
public interface CheckRouter {
    /** The nodes that run checks at present; empty if no node runs checks. */
    List<String> nodes();

    /** The node that runs the checks of the target at present; null if no node runs checks. */
    @Nullable
    String nodeOf(Target target);

    /**
     * Runs a check. The future fails if no node runs checks ({@link MessageBus#isUnserved}), if the reply timed out
     * ({@link MessageBus#isTimeout}), if the node left during the check ({@link NodeLostException}), or after an
     * internal error. An instant check is retried on another node before it fails, if there is time. A check whose
     * target or resolver did not respond ({@link ErrorCode#noResponse}) runs once more on another node: an instant
     * check if half of its time limit remains, and a line of a job always, with its full time limit.
     *
     * @param target the target of the check
     * @param timeoutMs timeout in milliseconds, at least 1
     */
    Future<Message.RunReply> run(Target target, Message.RunCheck check, long timeoutMs);

    /** The maximum number of concurrent lines of jobs that this coordinator sends to a node, at least 1. */
    int linePermits(String node);

    /** Adds a listener that is called on any thread when {@link #nodes} or {@link #nodeOf} changes. */
    void onChange(Runnable listener);
}
