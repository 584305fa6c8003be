package dev.plumbline.scenario;

import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntFunction;

/** Requests of one or more clients at the same time, each over as many connections as the service accepts from it. */
final class CheckLoad {
    private static final int CONNECTIONS = 500;

    /** The pause of a client after a 503, so that rejections do not use up the number of requests. */
    private static final long REJECTED_PAUSE_MS = 250;

    /**
     * The time between two new connections, because opening all of them at once takes the CPU time of the machine from
     * the service and from the targets.
     */
    private static final long CONNECT_INTERVAL_MS = 3;

    private final Vertx vertx;
    private final Map<String, Integer> outcomes = new TreeMap<>();

    CheckLoad(Vertx vertx) {
        this.vertx = vertx;
    }

    /** A check: module, target and query. */
    record Check(String module, String target, String query) {}

    /**
     * Sends requests and waits for all responses.
     *
     * @param clients number of client addresses
     * @param check the check with a number from 0
     * @return the number of responses by status and error code
     */
    Map<String, Integer> send(
            ScenarioService service, int clients, int requests, IntFunction<Check> check, int timeoutSeconds)
            throws Exception {
        AtomicInteger next = new AtomicInteger();
        List<CheckClient> all = new ArrayList<>();
        List<Future<Void>> workers = new ArrayList<>();
        for (int i = 0; i < clients; i++) {
            int connections = Math.min(CONNECTIONS, Math.max(1, Math.min(requests, 2 * CONNECTIONS) / clients));
            CheckClient client = new CheckClient(vertx, service.address(), "127.0.1." + (1 + i), connections);
            all.add(client);
            for (int worker = 0; worker < connections; worker++) {
                workers.add(vertx.timer(1 + workers.size() * CONNECT_INTERVAL_MS)
                        .compose(now -> work(service, client, next, requests, check)));
            }
        }
        try {
            Future.join(workers).toCompletionStage().toCompletableFuture().get(timeoutSeconds, TimeUnit.SECONDS);
        } catch (TimeoutException late) {
            count("no response within " + timeoutSeconds + " s");
        } catch (ExecutionException failed) {
            throw new AssertionError(failed.getCause());
        } finally {
            all.forEach(CheckClient::close);
        }
        synchronized (outcomes) {
            return new TreeMap<>(outcomes);
        }
    }

    private Future<Void> work(
            ScenarioService service, CheckClient client, AtomicInteger next, int requests, IntFunction<Check> check) {
        int number = next.getAndIncrement();
        if (number >= requests || !service.isAlive()) {
            return Future.succeededFuture();
        }
        Check one = check.apply(number);
        return client.check(one.module, one.target, one.query).compose(response -> {
            count(response.summary());
            Future<Void> pause = response.status() == 200 ? Future.succeededFuture() : vertx.timer(REJECTED_PAUSE_MS);
            return pause.compose(now -> work(service, client, next, requests, check));
        });
    }

    private void count(String outcome) {
        synchronized (outcomes) {
            outcomes.merge(outcome, 1, Integer::sum);
        }
    }
}
