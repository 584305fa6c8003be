package dev.plumbline.job.store;

import dev.plumbline.bus.JobMessage;
import dev.plumbline.cluster.TestNodes;
import dev.plumbline.http.api.job.JobToken;
import dev.plumbline.postgres.Database;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.IntStream;

/**
 * Executes the claim statements of the service without running checks. {@link #claimOne} does not change the number of
 * waiting lines.
 */
public final class ClaimBench {
    private static final int MAX_LINES = 500;
    private static final int CREATIONS_AT_ONCE = 4;
    private static final String MODULE = "http-status";
    private static final List<String> MODULES = List.of(MODULE, "ssl-certificate");
    private static final Duration KEEP = Duration.ofDays(30);
    private static final Duration LEASE = Duration.ofHours(1);
    private static final long TIMEOUT_SECONDS = 60;

    private final WorkStore work;
    private final JobStore jobs;
    private final long account;
    private final long key;
    private final long owner;
    private int claimedLines;

    /**
     * @param account account of the waiting lines
     * @param key API key of the jobs
     */
    public ClaimBench(Database database, long account, long key) throws InterruptedException {
        this.work = new WorkStore(database, database, KEEP);
        this.jobs = new JobStore(database, KEEP, new JobStore.Quotas(0, 0));
        this.account = account;
        this.key = key;
        this.owner = await(new TestNodes(database).register(LEASE));
    }

    /**
     * Creates waiting lines.
     *
     * @param lines a multiple of 500
     */
    public void fill(int lines) throws InterruptedException {
        List<Future<?>> creations = new ArrayList<>();
        for (int i = 0; i < lines / MAX_LINES; i++) {
            creations.add(create());
            if (creations.size() == CREATIONS_AT_ONCE) {
                await(Future.all(creations));
                creations.clear();
            }
        }
        await(Future.all(creations));
    }

    private Future<?> create() {
        String path = "http://127.0.0.1/" + UUID.randomUUID() + "/";
        return jobs.create(
                new JobMessage.CreateJob(
                        JobToken.generate(),
                        account,
                        key,
                        "bench",
                        MODULE,
                        IntStream.range(0, MAX_LINES).mapToObj(i -> path + i).toList(),
                        Map.of(),
                        false,
                        null,
                        1,
                        null),
                null);
    }

    /**
     * Claims and completes one chunk, and creates the same number of waiting lines.
     *
     * @return duration of the claim in ms
     */
    public double claimOne() throws InterruptedException {
        long began = System.nanoTime();
        List<WorkStore.ClaimedChunk> claimed =
                await(work.claim(owner, 1, new WorkStore.ClaimFilter(MODULES, List.of(), false, List.of())));
        double millis = (System.nanoTime() - began) / 1e6;
        WorkStore.ClaimedChunk chunk = claimed.get(0);
        List<WorkStore.LineResult> lines = chunk.checks().stream()
                .map(index -> new WorkStore.LineResult(chunk.id(), index, "pass", Buffer.buffer("{}"), null))
                .toList();
        await(work.writeResults(owner, lines, Set.of(chunk.id())));
        claimedLines += lines.size();
        if (claimedLines >= MAX_LINES) {
            claimedLines -= MAX_LINES;
            await(create());
        }
        return millis;
    }

    /**
     * Executes the claim query of a node that already has the maximum number of chunks of this account.
     *
     * @return duration in ms
     */
    public double claimForOtherAccounts() throws InterruptedException {
        long began = System.nanoTime();
        List<WorkStore.ClaimedChunk> claimed =
                await(work.claim(owner, 1, new WorkStore.ClaimFilter(MODULES, List.of(account), true, List.of())));
        double millis = (System.nanoTime() - began) / 1e6;
        if (!claimed.isEmpty()) {
            throw new IllegalStateException("there was somebody else");
        }
        return millis;
    }

    private static <T> T await(Future<T> future) throws InterruptedException {
        try {
            return future.toCompletionStage().toCompletableFuture().get(TIMEOUT_SECONDS, TimeUnit.SECONDS);
        } catch (ExecutionException | TimeoutException failed) {
            throw new IllegalStateException(failed);
        }
    }
}
