package dev.plumbline.concurrent;

import dev.plumbline.store.DatabaseUnavailableException;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.internal.ContextInternal;
import io.vertx.core.internal.VertxInternal;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Gathers the questions that come while earlier ones are under way and asks them together. With
 * nothing under way a question goes out at once; the more come, the larger the batches grow.
 * Thread-safe; an answer arrives on the context of whoever asked.
 *
 * @param <Q> a question
 * @param <A> its answer
 */
public final class Batcher<Q, A> {
    private final Vertx vertx;
    private final Limits limits;
    private final LongSupplier nanos;
    private final Function<List<Q>, Future<List<A>>> send;

    /** Nobody's: undeploying a verticle would cancel a timer of its own, and all that still waits. */
    private final ContextInternal restful;

    private final ArrayDeque<Waiting<Q, A>> queue = new ArrayDeque<>();
    private int underWay;
    private @Nullable Promise<Void> drained;

    private record Waiting<Q, A>(Q question, Promise<A> answer, long sinceNanos) {}

    /**
     * @param batch questions in one batch, at most
     * @param queued questions that wait for their batch, at most
     * @param underWay batches at once; with 1, questions are answered in the order they came in
     * @param restMillis how long to rest after a batch, for questions that nobody waits for: the
     *     batches grow, and the work of each question shrinks; 0 for no rest
     * @param expiryMillis a question that has waited longer for its batch is not sent, because who
     *     asked it has gone; 0 for no expiry
     */
    public record Limits(int batch, int queued, int underWay, long restMillis, long expiryMillis) {
        public Limits(int batch, int queued, int underWay) {
            this(batch, queued, underWay, 0);
        }

        public Limits(int batch, int queued, int underWay, long restMillis) {
            this(batch, queued, underWay, restMillis, 0);
        }

        /** The same limits for questions that are not worth an answer after a while. */
        public Limits expiringAfter(long millis) {
            return new Limits(batch, queued, underWay, restMillis, millis);
        }
    }

    /**
     * @param send answers a batch, one answer for each question in the same order, and always ends
     */
    public Batcher(Vertx vertx, Limits limits, Function<List<Q>, Future<List<A>>> send) {
        this(vertx, limits, send, System::nanoTime);
    }

    /**
     * @param nanos by which questions expire
     */
    public Batcher(Vertx vertx, Limits limits, Function<List<Q>, Future<List<A>>> send, LongSupplier nanos) {
        this.nanos = nanos;
        this.vertx = vertx;
        this.limits = limits;
        this.send = send;
        this.restful = ((VertxInternal) vertx).createEventLoopContext();
    }

    /**
     * Asks one question.
     *
     * @return fails with what its batch failed with, or with {@link DatabaseUnavailableException} if
     *     too many are waiting, or if it has waited too long and was not sent
     */
    public Future<A> ask(Q question) {
        Promise<A> answer = ((ContextInternal) vertx.getOrCreateContext()).promise();
        List<Waiting<Q, A>> batch;
        synchronized (this) {
            if (queue.size() >= limits.queued) {
                return Future.failedFuture(new DatabaseUnavailableException("The database is behind with its work."));
            }
            queue.add(new Waiting<>(question, answer, nanos.getAsLong()));
            batch = nextBatch();
        }
        send(batch);
        return answer.future();
    }

    /** How many wait for their batch. */
    public synchronized int queued() {
        return queue.size();
    }

    /** Ends when nothing waits and nothing is under way any more. */
    public synchronized Future<Void> drain() {
        if (queue.isEmpty() && underWay == 0) {
            return Future.succeededFuture();
        }
        if (drained == null) {
            drained = Promise.promise();
        }
        return drained.future();
    }

    private List<Waiting<Q, A>> nextBatch() {
        failExpired();
        if (queue.isEmpty() || underWay >= limits.underWay) {
            return List.of();
        }
        underWay++;
        int size = Math.min(queue.size(), limits.batch);
        List<Waiting<Q, A>> batch = new ArrayList<>(size);
        for (int i = 0; i < size; i++) {
            batch.add(queue.remove());
        }
        return batch;
    }

    private void failExpired() {
        if (limits.expiryMillis == 0) {
            return;
        }
        long oldest = nanos.getAsLong() - TimeUnit.MILLISECONDS.toNanos(limits.expiryMillis);
        while (!queue.isEmpty() && queue.element().sinceNanos - oldest < 0) {
            Promise<A> answer = queue.remove().answer;
            // Not while this batcher is locked: the asker may ask again at once.
            vertx.runOnContext(
                    later -> answer.tryFail(new DatabaseUnavailableException("The database is behind with its work.")));
        }
    }

    // A loop, not a recursion: during an outage every batch fails at once.
    private void send(List<Waiting<Q, A>> first) {
        List<Waiting<Q, A>> batch = first;
        while (!batch.isEmpty()) {
            List<Waiting<Q, A>> sent = batch;
            Future<List<A>> answers = answers(sent);
            if (!answers.isComplete()) {
                answers.onComplete((result, failure) -> {
                    // The next ones first, so that the database works while the answers are handed out.
                    goOn();
                    handOut(sent, answers);
                });
                return;
            }
            batch = nextAfterOne();
            handOut(sent, answers);
        }
    }

    private void goOn() {
        if (limits.restMillis == 0) {
            send(nextAfterOne());
        } else {
            restful.setTimer(limits.restMillis, rested -> {
                send(nextAfterOne());
                endDrain();
            });
        }
    }

    private Future<List<A>> answers(List<Waiting<Q, A>> batch) {
        List<Q> questions = new ArrayList<>(batch.size());
        for (Waiting<Q, A> waiting : batch) {
            questions.add(waiting.question);
        }
        try {
            return send.apply(questions);
        } catch (RuntimeException e) {
            return Future.failedFuture(e);
        }
    }

    private synchronized List<Waiting<Q, A>> nextAfterOne() {
        underWay--;
        return nextBatch();
    }

    private void handOut(List<Waiting<Q, A>> batch, Future<List<A>> answers) {
        for (int i = 0; i < batch.size(); i++) {
            Promise<A> answer = batch.get(i).answer;
            if (answers.succeeded()) {
                answer.complete(answers.result().get(i));
            } else {
                answer.fail(answers.cause());
            }
        }
        endDrain();
    }

    private void endDrain() {
        Promise<Void> allDone = null;
        synchronized (this) {
            if (underWay == 0 && queue.isEmpty()) {
                allDone = drained;
                drained = null;
            }
        }
        if (allDone != null) {
            allDone.complete();
        }
    }
}
