package dev.plumbline.cluster;

import dev.plumbline.bus.Message;
import java.util.Collection;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The number of lines of jobs that this coordinator can send to each run node: an equal share of the permits of the
 * node, or more if other coordinators do not use theirs. Thread-safe.
 */
final class LinePermits {
    private final int assumed;
    private final Map<String, Report> reports = new ConcurrentHashMap<>();
    private final Map<String, Integer> inFlight = new ConcurrentHashMap<>();
    private volatile int coordinators = 1;

    /** @param inFlight lines of this coordinator on the node at the time of the report */
    private record Report(int permits, int free, int inFlight) {}

    /** @param assumed permits of a node that has not reported its capacity yet, at least 1 */
    LinePermits(int assumed) {
        this.assumed = assumed;
    }

    /** The permits of a node, at least 1. */
    int of(String node) {
        Report report = reports.get(node);
        int sharers = coordinators;
        if (report == null) {
            return Math.max(1, assumed / sharers);
        }
        // the lines at the time of the report: with the present ones, each new line would raise the permits
        int borrowed = report.inFlight + Math.floorDiv(report.free, sharers);
        return Math.max(1, Math.min(report.permits, Math.max(report.permits / sharers, borrowed)));
    }

    /** Uses a report; returns whether the permits of the node changed. */
    boolean update(Message.RunCapacity capacity) {
        int before = of(capacity.node());
        reports.put(
                capacity.node(),
                new Report(capacity.bulkPermits(), capacity.free(), inFlight.getOrDefault(capacity.node(), 0)));
        return of(capacity.node()) != before;
    }

    /**
     * Uses the current members.
     *
     * @param nodes run nodes; the reports of others are removed
     * @param coordinating number of coordinators
     */
    void update(Collection<String> nodes, int coordinating) {
        coordinators = Math.max(1, coordinating);
        reports.keySet().retainAll(nodes);
    }

    /** Counts a line that was sent to a node. */
    void start(String node) {
        inFlight.merge(node, 1, Integer::sum);
    }

    /** Counts the reply to a line. */
    void end(String node) {
        inFlight.computeIfPresent(node, (name, lines) -> lines == 1 ? null : lines - 1);
    }
}
