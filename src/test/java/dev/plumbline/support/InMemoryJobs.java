package dev.plumbline.support;

import dev.plumbline.bus.JobMessage;
import dev.plumbline.bus.JobState;
import dev.plumbline.bus.Message;
import dev.plumbline.bus.MessageBus;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Predicate;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** A job coordinator on the event bus with jobs that change only when a test changes them. Records the requests. */
public final class InMemoryJobs {
    static final String MODULE = "http-status";

    private static final Instant TIME = Instant.parse("2026-11-20T10:00:00.123Z");
    private static final int PAGE_BYTES = 512 * 1024;

    private final Map<String, StoredJob> jobs = new ConcurrentHashMap<>();
    private final ConcurrentLinkedQueue<Message> requests = new ConcurrentLinkedQueue<>();
    private final CopyOnWriteArrayList<Waiter> waiting = new CopyOnWriteArrayList<>();
    private volatile @Nullable Predicate<Message> failing;

    private record StoredJob(long accountId, JobMessage.JobSnapshot head, byte @Nullable [] result) {}

    private record Waiter(JobMessage.AwaitJob order, Promise<Message> reply) {}

    /** Registers the consumers on the current context. */
    Future<?> serve(MessageBus bus) {
        return Future.all(List.of(
                bus.serve(JobMessage.ReadJob.class, this::read),
                bus.serve(JobMessage.AwaitJob.class, this::await),
                bus.serve(JobMessage.ReadResults.class, this::results),
                bus.serve(JobMessage.ListFinishedLines.class, this::finishedLines),
                bus.serve(JobMessage.ListJobs.class, this::unavailable),
                bus.serve(JobMessage.CancelJob.class, this::unavailable),
                bus.serve(JobMessage.CreateJob.class, this::unavailable)));
    }

    /**
     * Adds a job whose lines all have this result.
     *
     * @param result null for lines without result
     */
    public String add(long accountId, JobState state, int lines, byte @Nullable [] result) {
        String token = "job_" + String.format("%022d", jobs.size());
        jobs.put(token, new StoredJob(accountId, head(token, state, 1, lines, result != null), result));
        return token;
    }

    /** Completes a job and notifies its waiters. */
    public void finish(String token) {
        StoredJob stored = jobs.get(token);
        JobMessage.JobSnapshot head = stored.head();
        jobs.put(
                token,
                new StoredJob(
                        stored.accountId(),
                        head(token, JobState.COMPLETED, head.version() + 1, head.total(), true),
                        result(10)));
        for (Waiter one : waiting) {
            if (one.order().token().equals(token) && waiting.remove(one)) {
                read(new JobMessage.ReadJob(one.order().accountId(), token)).onComplete(one.reply());
            }
        }
    }

    /** Ends the wait of all waiters of a job. */
    public void expireWaits(String token) {
        for (Waiter one : waiting) {
            if (one.order().token().equals(token) && waiting.remove(one)) {
                read(new JobMessage.ReadJob(one.order().accountId(), token)).onComplete(one.reply());
            }
        }
    }

    /** Makes requests of one kind fail as during a database outage; null for none. */
    public void failRequests(@Nullable Predicate<Message> which) {
        failing = which;
    }

    /** Returns the received requests of one kind, in order. */
    public <M extends Message> List<M> received(Class<M> kind) {
        return requests.stream().filter(kind::isInstance).map(kind::cast).toList();
    }

    public void clearReceived() {
        requests.clear();
    }

    private boolean isFailing(Message order) {
        requests.add(order);
        Predicate<Message> which = failing;
        return which != null && which.test(order);
    }

    private Future<Message> unavailable(Message order) {
        requests.add(order);
        return Future.succeededFuture(new JobMessage.JobsUnavailable(false));
    }

    private Future<Message> read(JobMessage.ReadJob order) {
        if (isFailing(order)) {
            return Future.succeededFuture(new JobMessage.JobsUnavailable(false));
        }
        StoredJob stored = jobs.get(order.token());
        return Future.succeededFuture(
                stored == null || stored.accountId() != order.accountId()
                        ? new JobMessage.JobNotFound()
                        : new JobMessage.JobFound(stored.head()));
    }

    private Future<Message> await(JobMessage.AwaitJob order) {
        JobMessage.JobSnapshot head = jobs.get(order.token()).head();
        if (head.state().isFinal() || (order.knownVersion() >= 0 && head.version() > order.knownVersion())) {
            return read(new JobMessage.ReadJob(order.accountId(), order.token()));
        }
        Promise<Message> reply = Promise.promise();
        waiting.add(new Waiter(order, reply));
        requests.add(order);
        return reply.future();
    }

    private Future<Message> results(JobMessage.ReadResults order) {
        if (isFailing(order)) {
            return Future.succeededFuture(new JobMessage.JobsUnavailable(false));
        }
        StoredJob stored = stored(order.jobId());
        List<JobMessage.ResultLine> lines = new ArrayList<>();
        int bytes = 0;
        for (int index : order.indexes()) {
            if (bytes < PAGE_BYTES) {
                lines.add(new JobMessage.ResultLine(index, "line " + index, stored.result()));
                bytes += stored.result() == null ? 0 : stored.result().length;
            }
        }
        return Future.succeededFuture(new JobMessage.ResultLines(lines));
    }

    private Future<Message> finishedLines(JobMessage.ListFinishedLines order) {
        if (isFailing(order)) {
            return Future.succeededFuture(new JobMessage.JobsUnavailable(false));
        }
        StoredJob stored = stored(order.jobId());
        long version = stored.head().version();
        boolean listed = stored.result() != null
                && order.fromVersion() <= version
                && (order.verdicts().isEmpty() || order.verdicts().contains("pass"));
        return Future.succeededFuture(new JobMessage.FinishedLines(
                IntStream.range(0, listed ? stored.head().total() : 0)
                        .mapToObj(index -> new JobMessage.FinishedLine(index, version))
                        .toList()));
    }

    private StoredJob stored(long id) {
        return jobs.values().stream()
                .filter(job -> job.head().id() == id)
                .findAny()
                .get();
    }

    /** Returns a result of about the given size. */
    public static byte[] result(int bytes) {
        return ("{\"module\":\"http-status\",\"target\":\"https://example.com/\",\"verdict\":\"pass\","
                        + "\"fields\":{\"status\":200,\"final_url\":\""
                        + "x".repeat(bytes)
                        + "\"},\"findings\":[],\"truncated\":[],\"error\":null,"
                        + "\"checked_at\":\"2026-11-20T10:00:00.123Z\",\"duration_ms\":84,\"cached\":false}")
                .getBytes(StandardCharsets.US_ASCII);
    }

    private static JobMessage.JobSnapshot head(String token, JobState state, long version, int total, boolean done) {
        return new JobMessage.JobSnapshot(
                Long.parseLong(token.substring(4)) + 1,
                token,
                "test",
                MODULE,
                Map.of(),
                null,
                state,
                version,
                total,
                0,
                done ? total : 0,
                0,
                0,
                0,
                0,
                List.of(),
                List.of(),
                TIME,
                null,
                state.isFinal() ? TIME : null,
                state.isFinal() ? TIME : null);
    }
}
