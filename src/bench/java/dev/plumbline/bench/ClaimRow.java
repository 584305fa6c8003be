package dev.plumbline.bench;

import dev.plumbline.account.TestAccounts;
import dev.plumbline.job.store.ClaimBench;
import dev.plumbline.postgres.Database;
import dev.plumbline.postgres.SchemaMigrator;
import dev.plumbline.postgres.embedded.EmbeddedPostgres;
import io.vertx.core.Vertx;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** The claim of one chunk with a million waiting lines, compared with a thousand. */
final class ClaimRow implements Row {
    private static final double GOAL = 1.2;
    private static final int FEW = 1_000;
    private static final int MANY = 1_000_000;
    private static final int WARM_UP = 1_000;
    private static final int CLAIMS = 300;
    private static final int POOL = 8;
    private static final Duration TIMEOUT = Duration.ofSeconds(20);

    private interface Statement {
        double millis() throws InterruptedException;
    }

    @Override
    public String id() {
        return "claim";
    }

    /** Uses two databases, which are measured alternately. */
    @Override
    public List<BulkLine> measure(BenchStage stage) throws IOException, InterruptedException {
        Vertx vertx = Vertx.vertx();
        try (EmbeddedPostgres few = EmbeddedPostgres.start(stage.folder().resolve("claim-few"));
                EmbeddedPostgres many = EmbeddedPostgres.start(stage.folder().resolve("claim-many"))) {
            ClaimBench shortQueue = bench(vertx, few.url(), FEW);
            ClaimBench longQueue = bench(vertx, many.url(), MANY);
            BulkLine claim = measure(
                    stage,
                    "Claim of 50 lines, 1,000,000 waiting ÷ 1,000 waiting",
                    longQueue::claimOne,
                    shortQueue::claimOne);
            BulkLine newcomers = measure(
                    stage,
                    "Claim query of a full node, 1,000,000 waiting ÷ 1,000 waiting",
                    longQueue::claimForOtherAccounts,
                    shortQueue::claimForOtherAccounts);
            return List.of(claim, newcomers);
        } finally {
            vertx.close().toCompletionStage().toCompletableFuture().join();
        }
    }

    private static ClaimBench bench(Vertx vertx, String url, int lines) throws InterruptedException {
        SchemaMigrator.run(vertx, url).toCompletionStage().toCompletableFuture().join();
        Database database = new Database(vertx, url, POOL, TIMEOUT);
        TestAccounts.Key key = new TestAccounts(database).key();
        ClaimBench bench = new ClaimBench(database, key.accountId(), key.keyId());
        bench.fill(lines);
        return bench;
    }

    private BulkLine measure(BenchStage stage, String what, Statement many, Statement few) throws InterruptedException {
        List<Double> ratios = new ArrayList<>();
        List<Double> ours = new ArrayList<>();
        List<Double> theirs = new ArrayList<>();
        alternately(many, few, WARM_UP);
        for (int round = 1; round <= stage.options().rounds(); round++) {
            Both both = alternately(many, few, CLAIMS);
            double a = Distribution.of(both.many).median();
            double b = Distribution.of(both.few).median();
            ratios.add(a / b);
            ours.addAll(both.many);
            theirs.addAll(both.few);
            System.out.printf(Locale.ROOT, "  claim, round %d: %.2f ms and %.2f ms, ratio %.2f%n", round, a, b, a / b);
        }
        Distribution ratio = Distribution.of(ratios);
        return new BulkLine(
                what,
                ratio.text(2),
                Distribution.of(ours).text(2) + " ms",
                Distribution.of(theirs).text(2) + " ms",
                BulkLine.atMost(GOAL, ratio.median()),
                String.format(
                        Locale.ROOT,
                        "ratios of the medians of %d each in %d rounds; two embedded databases, no service",
                        CLAIMS,
                        stage.options().rounds()));
    }

    private record Both(List<Double> many, List<Double> few) {}

    /** Alternates the statements, so that other load on the machine affects both. */
    private static Both alternately(Statement many, Statement few, int times) throws InterruptedException {
        Both both = new Both(new ArrayList<>(), new ArrayList<>());
        for (int i = 0; i < times; i++) {
            both.many.add(many.millis());
            both.few.add(few.millis());
        }
        return both;
    }
}
