package dev.plumbline.cluster;

import dev.plumbline.bus.PermitMessage;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.function.Function;

/**
 * Sends the items for a node that are added during one task of an event loop in one message. Thread-safe.
 *
 * @param <T> an item of a message
 */
final class PermitOutbox<T> {
    /** Limits the size of a message to some hundred kilobytes. */
    private static final int MAX_ITEMS = 1_000;

    private final PermitTransport transport;
    private final Executor afterTask;
    private final Function<List<T>, PermitMessage> message;
    private Map<String, List<T>> items = new HashMap<>();

    /** @param afterTask executes a task after the current one */
    PermitOutbox(PermitTransport transport, Executor afterTask, Function<List<T>, PermitMessage> message) {
        this.transport = transport;
        this.afterTask = afterTask;
        this.message = message;
    }

    void add(String node, T item) {
        boolean first;
        synchronized (this) {
            first = items.isEmpty();
            items.computeIfAbsent(node, missing -> new ArrayList<>()).add(item);
        }
        if (first) {
            afterTask.execute(this::flush);
        }
    }

    private void flush() {
        Map<String, List<T>> sent;
        synchronized (this) {
            sent = items;
            items = new HashMap<>();
        }
        sent.forEach((node, all) -> {
            for (int from = 0; from < all.size(); from += MAX_ITEMS) {
                transport.send(node, message.apply(all.subList(from, Math.min(all.size(), from + MAX_ITEMS))));
            }
        });
    }
}
