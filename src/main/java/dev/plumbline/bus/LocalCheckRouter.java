package dev.plumbline.bus;

import dev.plumbline.target.Target;
import io.vertx.core.Future;
import java.util.List;

/** Runs all checks on this node. */
public final class LocalCheckRouter implements CheckRouter {
    private static final String NODE = "local";
    private static final List<String> NODES = List.of(NODE);

    private final MessageBus bus;
    private final int linePermits;

    /** @param linePermits maximum number of concurrent lines of jobs, at least 1 */
    public LocalCheckRouter(MessageBus bus, int linePermits) {
        this.bus = bus;
        this.linePermits = linePermits;
    }

    @Override
    public List<String> nodes() {
        return NODES;
    }

    @Override
    public String nodeOf(Target target) {
        return NODE;
    }

    @Override
    public Future<Message.RunReply> run(Target target, Message.RunCheck check, long timeoutMs) {
        return bus.request(check, Message.RunReply.class, timeoutMs);
    }

    @Override
    public int linePermits(String node) {
        return linePermits;
    }

    @Override
    public void onChange(Runnable listener) {
        // the node does not change
    }
}
