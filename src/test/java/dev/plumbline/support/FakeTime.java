package dev.plumbline.support;

import dev.plumbline.concurrent.Scheduler;
import java.util.Comparator;
import java.util.PriorityQueue;

/** A manual clock that runs due tasks when it is moved. It overflows after three seconds, as a nano clock can. */
public final class FakeTime implements Scheduler {
    private static final long START = Long.MAX_VALUE - 3_000_000_000L;

    private record Task(long at, long order, Runnable task) {}

    private final PriorityQueue<Task> tasks =
            new PriorityQueue<>(Comparator.comparingLong(Task::at).thenComparingLong(Task::order));
    private long now = START;
    private long order;

    /** The time in nanoseconds. */
    public long nanos() {
        return now;
    }

    @Override
    public Runnable after(long millis, Runnable task) {
        Task due = new Task(elapsed() + millis * 1_000_000, order++, task);
        tasks.add(due);
        return () -> tasks.remove(due);
    }

    private long elapsed() {
        return now - START;
    }

    /** Moves the clock. */
    public void advance(long millis) {
        long end = elapsed() + millis * 1_000_000;
        while (!tasks.isEmpty() && tasks.peek().at() <= end) {
            Task due = tasks.remove();
            now += due.at() - elapsed();
            due.task().run();
        }
        now += end - elapsed();
    }

    /** Whether no task is scheduled. */
    public boolean isIdle() {
        return tasks.isEmpty();
    }
}
