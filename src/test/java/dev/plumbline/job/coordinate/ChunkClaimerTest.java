package dev.plumbline.job.coordinate;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.job.store.WorkStore;
import dev.plumbline.postgres.DatabaseUnavailableException;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;

/** Claims of a node, with responses of the database in a chosen order. */
class ChunkClaimerTest {
    private static final Vertx VERTX = Vertx.vertx();

    private final ScriptedClaims claims = new ScriptedClaims();
    private final ChunkClaimer claimer =
            new ChunkClaimer(VERTX, claims, claims::plan, chunks -> claims.accepted++, () -> true);

    @AfterAll
    static void close() {
        VERTX.close();
    }

    private static final class ScriptedClaims implements ChunkClaimer.Claims {
        final List<Promise<List<WorkStore.ClaimedChunk>>> made = new ArrayList<>();
        int accepted;
        int releases;
        long owner = 1;
        boolean capacity = true;

        @Override
        public boolean valid() {
            return true;
        }

        @Override
        public long owner() {
            return owner;
        }

        ChunkClaimer.@Nullable Plan plan() {
            return capacity
                    ? new ChunkClaimer.Plan(8, new WorkStore.ClaimFilter(Set.of("made"), Set.of(), false, Set.of()))
                    : null;
        }

        @Override
        public Future<List<WorkStore.ClaimedChunk>> claim(long owner, ChunkClaimer.Plan plan) {
            Promise<List<WorkStore.ClaimedChunk>> promise = Promise.promise();
            made.add(promise);
            return promise.future();
        }

        @Override
        public Future<?> releaseUnheld() {
            releases++;
            return Future.succeededFuture();
        }
    }

    @Test
    void aRequestDuringAClaimIsNotLost() {
        claimer.claim();
        claimer.wake();
        assertThat(claims.made).hasSize(1);

        claims.made.get(0).complete(List.of());

        assertThat(claims.made).hasSize(2);
        assertThat(claimer.queueEmpty()).isFalse();
        claims.made.get(1).complete(List.of());
        assertThat(claims.made).hasSize(2);
        assertThat(claimer.queueEmpty()).isTrue();
    }

    @Test
    void aRequestDuringAClaimUnderAnExpiredLeaseIsNotLost() {
        claimer.claim();
        claims.owner = 2;
        claimer.claim();

        claims.made.get(0).complete(List.of());

        assertThat(claims.accepted).isZero();
        assertThat(claims.made).hasSize(2);
        claims.made.get(1).complete(List.of());
        assertThat(claims.accepted).isOne();
    }

    @Test
    void theChunksOfALostClaimAreReleasedFirst() {
        claimer.claim();
        claims.made.get(0).fail(new DatabaseUnavailableException("no connection"));

        claimer.claim();

        assertThat(claims.releases).isOne();
        assertThat(claims.made).hasSize(2);
    }

    @Test
    void aNodeWithoutCapacityOrAfterItsStopDoesNotClaim() {
        claims.capacity = false;
        claimer.claim();
        claims.capacity = true;
        claimer.stop();
        claimer.claim();

        assertThat(claims.made).isEmpty();
    }
}
