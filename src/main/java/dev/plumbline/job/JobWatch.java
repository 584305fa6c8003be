package dev.plumbline.job;

import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Those who wait for jobs to change. However many wait for a job, it is looked up once a second.
 * Used on one event loop.
 */
final class JobWatch {
  private static final long PERIOD_MS = 1_000;

  private final Vertx vertx;
  private final JobHeadStore store;
  private final Map<String, List<Waiter>> waiting = new HashMap<>();

  private record Waiter(
      Predicate<JobHeadStore.Found> enough,
      Promise<JobHeadStore.@Nullable Found> answer,
      long timer) {}

  JobWatch(Vertx vertx, JobHeadStore store) {
    this.vertx = vertx;
    this.store = store;
  }

  /**
   * The job as soon as it is as somebody wants it, or as it is when the time is up.
   *
   * @return null if there is no such job; fails with {@code DatabaseUnavailableException}
   */
  Future<JobHeadStore.@Nullable Found> await(
      String token, Predicate<JobHeadStore.Found> enough, long waitMs) {
    return store
        .find(token)
        .compose(
            found ->
                found == null || waitMs <= 0 || enough.test(found)
                    ? Future.succeededFuture(found)
                    : enqueue(token, enough, waitMs));
  }

  private Future<JobHeadStore.@Nullable Found> enqueue(
      String token, Predicate<JobHeadStore.Found> enough, long waitMs) {
    Promise<JobHeadStore.@Nullable Found> answer = Promise.promise();
    long timer = vertx.setTimer(waitMs, late -> store.find(token).onComplete(answer));
    Waiter waiter = new Waiter(enough, answer, timer);
    List<Waiter> others = waiting.get(token);
    if (others == null) {
      waiting.put(token, new ArrayList<>(List.of(waiter)));
      vertx.setTimer(PERIOD_MS, due -> look(token));
    } else {
      others.add(waiter);
    }
    return answer.future();
  }

  private void look(String token) {
    forgetAnswered(token);
    if (!waiting.containsKey(token)) {
      return;
    }
    store
        .find(token)
        .onComplete(
            (found, failure) -> {
              // taken out first: who is answered may ask again at once
              List<Waiter> all = waiting.getOrDefault(token, List.of());
              for (Waiter waiter : List.copyOf(all)) {
                if (failure != null) {
                  answer(waiter).tryFail(failure);
                } else if (found == null || waiter.enough.test(found)) {
                  answer(waiter).tryComplete(found);
                }
              }
              forgetAnswered(token);
              if (waiting.containsKey(token)) {
                vertx.setTimer(PERIOD_MS, due -> look(token));
              }
            });
  }

  private Promise<JobHeadStore.@Nullable Found> answer(Waiter waiter) {
    vertx.cancelTimer(waiter.timer);
    return waiter.answer;
  }

  private void forgetAnswered(String token) {
    waiting.computeIfPresent(
        token,
        (same, waiters) -> {
          waiters.removeIf(waiter -> waiter.answer.future().isComplete());
          return waiters.isEmpty() ? null : waiters;
        });
  }

  /** How many jobs are waited for. */
  int size() {
    return waiting.size();
  }
}
