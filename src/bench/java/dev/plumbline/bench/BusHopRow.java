package dev.plumbline.bench;

import dev.plumbline.bus.Message;
import dev.plumbline.bus.MessageBus;
import dev.plumbline.cluster.HazelcastBus;
import dev.plumbline.result.LimitWait;
import dev.plumbline.result.Verdict;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Requests for a check over the event bus between two nodes in this process, with a result of 1 KiB, compared with
 * requests on one node, which are passed by reference.
 */
final class BusHopRow implements Row {
    private static final Duration LEASE = Duration.ofSeconds(20);
    private static final int RESULT_BYTES = 1_024;
    private static final long TIMEOUT_SECONDS = 60;
    private static final Message.RunCheck CHECK = new Message.RunCheck(
            "http-status", "https://www.example.com/", Map.of("max_redirects", 5L), false, 3_000, "bench");

    /** The requests of one side. */
    private interface Side {
        Future<?> request();
    }

    private record Lap(double rate, double micros) {}

    @Override
    public String id() {
        return "bus-hop";
    }

    @Override
    public List<BulkLine> measure(BenchStage stage) throws IOException, InterruptedException {
        String first = "127.0.0.1:" + ServiceUnderLoad.freePort();
        String second = "127.0.0.1:" + ServiceUnderLoad.freePort();
        Vertx sender = join(first, List.of(first, second));
        Vertx receiver = join(second, List.of(first, second));
        try {
            MessageBus from = MessageBus.of(sender);
            MessageBus to = MessageBus.of(receiver);
            Message.RunReply result = new Message.CompletedCheck(
                    Verdict.PASS, Instant.now(), true, 0, false, LimitWait.NONE, new byte[RESULT_BYTES]);
            await(from.serve(Message.RunCheck.class, check -> Future.succeededFuture(result)));
            await(to.serveNode(second, Message.RunCheck.class, check -> Future.succeededFuture(result)));
            return List.of(compare(
                    stage.options(),
                    sender,
                    () -> from.requestNode(second, CHECK, Message.RunReply.class, TIMEOUT_SECONDS * 1_000),
                    () -> from.request(CHECK, Message.RunReply.class, TIMEOUT_SECONDS * 1_000)));
        } finally {
            sender.close();
            receiver.close();
        }
    }

    private static Vertx join(String name, List<String> names) throws IOException, InterruptedException {
        int port = Integer.parseInt(name.substring(name.indexOf(':') + 1));
        return await(HazelcastBus.join(
                        Vertx.builder(),
                        new VertxOptions().setEventLoopPoolSize(1),
                        new HazelcastBus.Settings(
                                "127.0.0.1", port, ServiceUnderLoad.freePort(), "bus-hop", LEASE, null),
                        new HazelcastBus.Discovery(
                                vertx -> Future.succeededFuture(), vertx -> Future.succeededFuture(names))))
                .vertx();
    }

    private BulkLine compare(BenchOptions options, Vertx sender, Side remote, Side local)
            throws IOException, InterruptedException {
        run(options.warmup().toNanos(), sender, remote);
        run(options.warmup().toNanos(), sender, local);
        List<Double> rates = new ArrayList<>();
        List<Double> localRates = new ArrayList<>();
        List<Double> micros = new ArrayList<>();
        List<Double> ratios = new ArrayList<>();
        for (int round = 1; round <= options.rounds(); round++) {
            Lap a = run(options.round().toNanos(), sender, remote);
            Lap b = run(options.round().toNanos(), sender, local);
            rates.add(a.rate);
            localRates.add(b.rate);
            micros.add(a.micros);
            ratios.add(a.rate / b.rate);
            System.out.printf(
                    Locale.ROOT,
                    "  %s, round %d: %,.0f/s and %,.0f/s; one at a time %.0f µs%n",
                    id(),
                    round,
                    a.rate,
                    b.rate,
                    a.micros);
        }
        return new BulkLine(
                "Request over the event bus between two nodes ÷ on one node",
                Distribution.of(ratios).text(2),
                String.format(
                        Locale.ROOT,
                        "%s/s, one at a time %s µs",
                        Distribution.of(rates).text(0),
                        Distribution.of(micros).text(0)),
                Distribution.of(localRates).text(0) + "/s",
                "",
                String.format(
                        Locale.ROOT,
                        "%d concurrent requests, result of %,d bytes; both nodes in one process",
                        BenchOptions.CONNECTIONS,
                        RESULT_BYTES));
    }

    private static Lap run(long nanos, Vertx sender, Side side) throws IOException, InterruptedException {
        long begin = System.nanoTime();
        long serial = 0;
        while (System.nanoTime() - begin < nanos / 4) {
            await(onLoop(sender, side));
            serial++;
        }
        double micros = (System.nanoTime() - begin) / 1e3 / serial;
        Semaphore permits = new Semaphore(BenchOptions.CONNECTIONS);
        AtomicLong replies = new AtomicLong();
        AtomicLong failures = new AtomicLong();
        begin = System.nanoTime();
        while (System.nanoTime() - begin < nanos) {
            permits.acquire();
            onLoop(sender, side).onComplete(reply -> {
                (reply.succeeded() ? replies : failures).incrementAndGet();
                permits.release();
            });
        }
        permits.acquire(BenchOptions.CONNECTIONS);
        if (failures.get() > 0) {
            throw new IOException(failures.get() + " requests failed");
        }
        return new Lap(replies.get() / ((System.nanoTime() - begin) / 1e9), micros);
    }

    private static Future<?> onLoop(Vertx vertx, Side side) {
        io.vertx.core.Promise<Void> reply = io.vertx.core.Promise.promise();
        vertx.runOnContext(ignored -> side.request().onComplete(received -> reply.complete(), reply::fail));
        return reply.future();
    }

    private static <T> T await(Future<T> future) throws IOException, InterruptedException {
        try {
            return future.toCompletionStage().toCompletableFuture().get(TIMEOUT_SECONDS, TimeUnit.SECONDS);
        } catch (ExecutionException | TimeoutException failed) {
            throw new IOException(String.valueOf(failed.getCause()), failed);
        }
    }
}
