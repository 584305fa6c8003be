package dev.plumbline.job;

import io.vertx.core.AsyncResult;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/**
 * Checks the lines of chunks whose coordinator died, any of which may have been the reason. A few
 * at a time, on record before they begin; those that were on record at another death one by one,
 * the least suspect first. So the line that kills is found, and no other takes the blame. Chunks
 * take turns. Used on one event loop.
 */
final class SuspectLane {
  private static final int TOGETHER = 10;
  private static final long RETRY_MS = 250;

  private final Vertx vertx;
  private final WorkStore store;
  private final LongSupplier owner;
  private final LineChecks checks;
  private final Consumer<WorkStore.ChunkId> onLost;
  private final ArrayDeque<Suspects> queue = new ArrayDeque<>();
  private int underWay;
  private boolean busy;
  private boolean open = true;

  private record Suspects(Chunk chunk, List<OpenLine> lines) {}

  SuspectLane(
      Vertx vertx,
      WorkStore store,
      LongSupplier owner,
      LineChecks checks,
      Consumer<WorkStore.ChunkId> onLost) {
    this.vertx = vertx;
    this.store = store;
    this.owner = owner;
    this.checks = checks;
    this.onLost = onLost;
  }

  void add(Chunk chunk, List<OpenLine> lines) {
    if (!lines.isEmpty()) {
      queue.add(new Suspects(chunk, new ArrayList<>(lines)));
      next();
    }
  }

  /** Lines that wait or are being checked. */
  int inHand() {
    return queue.stream().mapToInt(suspects -> suspects.lines.size()).sum() + underWay;
  }

  int active() {
    return underWay;
  }

  /** Accounts of which at least so many lines wait here. */
  Set<Long> accounts(int most) {
    Map<Long, Integer> lines = new HashMap<>();
    queue.forEach(
        suspects -> lines.merge(suspects.chunk.accountId(), suspects.lines.size(), Integer::sum));
    lines.values().removeIf(waiting -> waiting < most);
    return lines.keySet();
  }

  void close() {
    open = false;
  }

  private void next() {
    if (busy) {
      // those under way may come back into the line of their chunk
      return;
    }
    while (!queue.isEmpty() && (queue.element().chunk.lost() || queue.element().lines.isEmpty())) {
      queue.remove();
    }
    if (open && !queue.isEmpty()) {
      busy = true;
      begin(queue.element());
    }
  }

  private void begin(Suspects suspects) {
    Chunk chunk = suspects.chunk;
    List<OpenLine> group = group(suspects);
    store
        .watch(owner.getAsLong(), chunk.id(), group.stream().map(OpenLine::index).toList())
        .onComplete(
            (held, failure) -> {
              if (failure != null) {
                vertx.setTimer(RETRY_MS, again -> goOn());
              } else if (!held) {
                onLost.accept(chunk.id());
                goOn();
              } else {
                suspects.lines.removeAll(group);
                check(suspects, group);
              }
            });
  }

  private void goOn() {
    busy = false;
    next();
  }

  private List<OpenLine> group(Suspects suspects) {
    Chunk chunk = suspects.chunk;
    List<OpenLine> together =
        suspects.lines.stream()
            .filter(line -> !chunk.alone().contains(line.index()))
            .limit(TOGETHER)
            .toList();
    return together.isEmpty()
        ? suspects.lines.stream()
            .sorted(Comparator.comparingInt(line -> chunk.strikes(line.index())))
            .limit(1)
            .toList()
        : together;
  }

  private void check(Suspects suspects, List<OpenLine> group) {
    underWay = group.size();
    List<Future<Boolean>> refused = new ArrayList<>();
    for (OpenLine line : group) {
      refused.add(checks.check(line).transform(ended -> ended(suspects, line, ended)));
    }
    Future.all(refused)
        .onSuccess(
            all -> {
              // the next group is another chunk's: nobody's crowd of suspects holds up the others'
              queue.remove(suspects);
              queue.add(suspects);
              if (all.<Boolean>list().contains(true)) {
                vertx.setTimer(RETRY_MS, again -> goOn());
              } else {
                goOn();
              }
            });
  }

  /** Whether the line found no room, and is to come again. */
  private Future<Boolean> ended(Suspects suspects, OpenLine line, AsyncResult<Long> pauseMs) {
    underWay--;
    if (pauseMs.failed()) {
      onLost.accept(suspects.chunk.id());
      return Future.succeededFuture(false);
    }
    if (pauseMs.result() > 0) {
      suspects.lines.add(line);
    }
    return Future.succeededFuture(pauseMs.result() > 0);
  }
}
